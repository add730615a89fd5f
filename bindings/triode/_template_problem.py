# SPDX-License-Identifier: Apache-2.0
"""What torch.compile asks, in Triode's words: a matmul's inputs as a Problem, a gpu as a Gpu, a template's
parameters as a config. Knows torch's objects by what they offer and imports torch nowhere."""

from typing import Any

from ._triode import Gpu, Problem

DTYPES = {
    "torch.float16": "f16",
    "torch.bfloat16": "bf16",
    "torch.float32": "f32",
    "torch.float64": "f64",
    "torch.int8": "i8",
    "torch.float8_e4m3fn": "f8e4m3",
}

# Templates that run the tile loop the model was trained on. Others (TMA, Blackwell's, decompose-k)
# pass through untouched.
RANKED_TEMPLATES = frozenset({"triton::mm", "triton::bmm", "triton::mm_plus_mm"})

# No model was trained on products of these.
EIGHT_BITS = frozenset({"i8", "f8e4m3"})

CONFIG_FIELDS = ("BLOCK_M", "BLOCK_N", "BLOCK_K", "GROUP_M", "num_stages", "num_warps")
USUAL_GROUP_M = 8


class Untold(Exception):
    """A matmul that Triode has no words for; the message says why."""


class Inexact(Untold):
    """A matmul that only words of another, like one, would tell of; the message is the reason in a word."""


def config_of(choice: Any) -> tuple[int, ...] | None:
    """The config of a template choice; None if the template is not one that is ranked."""
    if getattr(choice.template, "uid", None) not in RANKED_TEMPLATES:
        return None
    fields = {"GROUP_M": USUAL_GROUP_M, **choice.params.to_kwargs()}
    try:
        return tuple(int(fields[name]) for name in CONFIG_FIELDS)
    except (KeyError, TypeError, ValueError):
        return None


def problem_of(
    inputs: Any, op_name: str, choice: Any, scale: tuple[float, float, float, float] = (1, 1, 1, 1)
) -> Problem:
    """The matmul of `inputs` (Inductor's MMKernelInputs) as `choice` would compute it, its batch, m, n and k
    multiplied by `scale`: a dimension that varies is looked at in several sizes."""
    m, n, k = inputs.mnk_hinted()
    batch, m, n, k = (
        max(1, round(size * factor)) for size, factor in zip((inputs.batch_hinted(), m, n, k), scale)
    )
    a, b = inputs.mat1mat2()
    dtype = _dtype_word(a, b, choice)
    a_transposed, lda = stored(_strides(inputs, a), k, m)
    b_transposed, ldb = stored(_strides(inputs, b), n, k)
    if op_name == "mm_plus_mm":
        # Two products, one after the other, into the same tile.
        k *= 2
        lda, ldb = (lda if a_transposed else max(lda, k)), (max(ldb, k) if b_transposed else ldb)
    op, sizes = ("bmm", f"{batch}x{m}x{n}x{k}") if batch > 1 else ("mm", f"{m}x{n}x{k}")
    epilogue = ""
    if op_name == "addmm" and op == "mm":
        op, epilogue = "addmm", " epilogue=bias"
    transposes = "nt"[a_transposed] + "nt"[b_transposed]
    return Problem.parse(f"{op} {dtype} {sizes} {transposes} ld={lda},{ldb},{n}{epilogue}")


def in_sixteen_bits(problem: Problem) -> Problem:
    """What stands for a matmul of eight bits where a model knows none: one of f16 with half the depth. It moves the same
    bytes through the same tiles, whose BLOCK_K is half too, and a tensor core takes as many of them at a time."""

    def half(size: int, is_along_k: bool) -> int:
        return (size + 1) // 2 if is_along_k else size

    p = problem
    sizes = "x".join(map(str, (*([p.batch] if p.op == "bmm" else []), p.m, p.n, half(p.k, True))))
    transposes = "nt"[p.a_transposed] + "nt"[p.b_transposed]
    lds = f"{half(p.lda, not p.a_transposed)},{half(p.ldb, p.b_transposed)},{p.ldc}"
    epilogue = f" epilogue={p.epilogue}" if p.epilogue != "none" else ""
    return Problem.parse(f"{p.op} f16 {sizes} {transposes} ld={lds}{epilogue}")


def config_in_sixteen_bits(config: tuple[int, ...]) -> tuple[int, ...]:
    m, n, k, *others = config
    return (m, n, max(1, k // 2), *others)


def exact_problem_of(inputs: Any, op_name: str, choice: Any) -> Problem:
    """The same where it is just that matmul, as the key of a timing must be; Inexact where it is one to rank by."""
    if op_name not in ("mm", "addmm", "bmm"):
        raise Inexact(op_name)
    a, b = inputs.mat1mat2()
    if inputs.out_dtype() != a.get_dtype():
        raise Inexact("result_type")
    if op_name == "addmm":
        if any(inputs.get_scalar(name) != 1 for name in ("alpha", "beta")):
            raise Inexact("scalars")
        if _strides(inputs, inputs.nodes()[0])[-2:] != (0, 1):
            raise Inexact("addend")  # no bias of a value for each column
    problem = problem_of(inputs, op_name, choice)
    if op_name != "bmm":
        return problem
    transposes = "nt"[problem.a_transposed] + "nt"[problem.b_transposed]
    apart = ""  # a batch of one has no distance to the next
    if problem.batch > 1:
        a_apart, b_apart = (_strides(inputs, one)[0] for one in (a, b))
        apart = f" strides={a_apart},{b_apart},{problem.m * problem.n}"
    return Problem.parse(
        f"bmm {problem.a_type} {problem.batch}x{problem.m}x{problem.n}x{problem.k} {transposes} "
        f"ld={problem.lda},{problem.ldb},{problem.ldc}{apart}"
    )


def gpu_of(properties: Any) -> Gpu:
    """The gpu of torch's device properties."""

    def told(*names: str) -> int:
        return next((int(getattr(properties, name)) for name in names if hasattr(properties, name)), 0)

    return Gpu(
        name=properties.name,
        capability=(properties.major, properties.minor),
        multiprocessors=properties.multi_processor_count,
        smem_per_multiprocessor_bytes=told("shared_memory_per_multiprocessor"),
        smem_per_block_bytes=told("shared_memory_per_block_optin", "shared_memory_per_block"),
        l2_bytes=told("L2_cache_size"),
        clock_khz=told("clock_rate"),
        memory_clock_khz=told("memory_clock_rate"),
        memory_bus_bits=told("memory_bus_width"),
    )


def _dtype_word(a: Any, b: Any, choice: Any) -> str:
    if a.get_dtype() != b.get_dtype():
        raise Untold(f"operands of two types, {a.get_dtype()} and {b.get_dtype()}")
    word = DTYPES.get(str(a.get_dtype()))
    if word is None:
        raise Untold(f"operands of type {a.get_dtype()}")
    given = {**choice.params.to_kwargs(), **choice.extra_kwargs}
    # As a string in some versions.
    return "tf32" if word == "f32" and str(given.get("ALLOW_TF32")) == "True" else word


def _strides(inputs: Any, node: Any) -> tuple[int, ...]:
    position = next(i for i, other in enumerate(inputs.nodes()) if other is node)
    return inputs.strides_hinted()[position]


def stored(strides: tuple[int, ...], columns: int, rows: int) -> tuple[bool, int]:
    """Whether a matrix of rows x columns is stored transposed, and its leading dimension. The stride of a
    dimension of size 1 means nothing."""
    across, along = strides[-2:]
    if along == 1 or columns == 1:
        return False, max(across, columns)
    if across == 1 or rows == 1:
        return True, max(along, rows)
    raise Untold(f"an operand with strides {strides}, neither of them 1")
