# SPDX-License-Identifier: Apache-2.0
"""What Triton is to compile for a request: jit/cuda/triton_request.cc writes them, compile_worker.py reads."""

from matmul import triode_matmul, triode_reduce

POINTERS = {"f32": "*fp32", "tf32": "*fp32", "f16": "*fp16", "bf16": "*bf16", "f8e4m3": "*fp8e4nv"}
# What a parameter named divisible is a multiple of: bytes for a pointer, else its value.
DIVISIBILITY = 16


def is_set(request, name):
    return request[name] == "1"


def parameter_types(request):
    """The types of all parameters that the kernels have, by name."""
    operand = POINTERS[request["operand_type"]]
    result = POINTERS[request["c_type"]]
    types = {"a": operand, "b": operand, "c": result, "bias": result}
    types |= {name: "*fp32" for name in ("a_scale", "b_scale", "workspace")}
    types |= {name: "i32" for name in ("batch", "m", "n", "k")}
    types |= {name: "i64" for name in ("lda", "ldb", "ldc", "a_stride", "b_stride", "c_stride")}
    types |= {"alpha": "fp32", "beta": "fp32"}
    return types


def finishing_constants(request):
    return {
        "READS_C": is_set(request, "reads_c"),
        "HAS_BIAS": is_set(request, "has_bias"),
        "HAS_SCALES": has_scales(request),
        "ACTIVATION": request["activation"],
    }


def has_scales(request):
    return request["operand_type"] == "f8e4m3"


def unused_finishing(request):
    """Parameters that make no difference, and the constant that stands for each."""
    unused = {} if is_set(request, "has_bias") else {"bias": None}
    unused |= {} if has_scales(request) else {"a_scale": None, "b_scale": None}
    unused |= {} if is_set(request, "batched") else {"c_stride": 0}
    unused |= {} if is_set(request, "scales") else {"alpha": 1.0}
    unused |= {} if is_set(request, "reads_c") else {"beta": 0.0}
    return unused


def matmul_constants(request):
    splits = int(request["split_k"])
    constants = {name.upper(): int(request[name]) for name in ("block_m", "block_n", "block_k", "group_m", "split_k")}
    constants |= finishing_constants(request)
    constants |= {
        "A_TRANSPOSED": is_set(request, "a_transposed"),
        "B_TRANSPOSED": is_set(request, "b_transposed"),
        "EVEN_K": is_set(request, "even_k"),
        "PRECISION": "tf32" if request["operand_type"] == "tf32" else "ieee",
        "PERSISTENT": is_set(request, "persistent"),
        "TMA": is_set(request, "tma"),
    }
    constants |= unused_finishing(request)
    if splits > 1:  # the reduction finishes
        constants |= {"c": None, "bias": None, "a_scale": None, "b_scale": None}
        constants |= {"ldc": 0, "c_stride": 0, "alpha": 1.0, "beta": 0.0}
        constants |= {"READS_C": False, "HAS_BIAS": False, "HAS_SCALES": False, "ACTIVATION": "none"}
    else:
        constants |= {"workspace": None}
    if not is_set(request, "batched"):
        constants |= {"a_stride": 0, "b_stride": 0}
    if not (is_set(request, "persistent") and is_set(request, "batched")):
        constants |= {"batch": 1}
    return constants


def reduction_constants(request):
    constants = {"BLOCK_M": int(request["reduce_m"]), "BLOCK_N": int(request["reduce_n"])}
    constants |= {"SPLIT_K": int(request["split_k"])}
    return constants | finishing_constants(request) | unused_finishing(request)


def source_of(function, constants, request):
    from triton.compiler import ASTSource

    types = parameter_types(request)
    names = function.arg_names
    signature = {name: "constexpr" if name in constants else types[name] for name in names}
    # The caller has looked at the actual pointers and sizes: a kernel built on a false promise faults.
    divisible = [name for name in request["divisible"].split() if signature.get(name, "constexpr") != "constexpr"]
    attributes = {(names.index(name),): [["tt.divisibility", DIVISIBILITY]] for name in divisible}
    return ASTSource(fn=function, signature=signature, constexprs=constants, attrs=attributes)


def sources(request):
    """For each function, in the order of launch: what to compile, with which options, and what decides its grid."""
    splits = request["split_k"]
    # Fused multiply-adds, said outright: Triton's default is to change.
    options = {"num_warps": int(request["num_warps"]), "num_stages": int(request["num_stages"]), "enable_fp_fusion": True}
    grid = {name: request[name] for name in ("block_m", "block_n", "persistent")}
    made = [(source_of(triode_matmul, matmul_constants(request), request), options, grid | {"splits": splits})]
    if int(splits) > 1:
        options = options | {"num_warps": int(request["reduce_warps"])}
        grid = {"block_m": request["reduce_m"], "block_n": request["reduce_n"], "persistent": 0, "splits": 1}
        made.append((source_of(triode_reduce, reduction_constants(request), request), options, grid))
    return made
