# SPDX-License-Identifier: Apache-2.0
"""Compiles Triode's Triton kernels, one request after another, until its input ends.

A frame is a length (four bytes, little-endian) and as many bytes. A request is one frame of "name=value"
lines. The answer is three frames: "name=value" lines, the PTX, the cubin; or one, whose first line is
"error=..." and the rest the compiler's own words. Whatever Triton prints goes to standard error.
"""

import os
import struct
import sys
import traceback


def read_exactly(stream, size):
    data = stream.read(size)
    return data if data is not None and len(data) == size else None


def read_frame(stream):
    """The next frame, or None at the end of the input."""
    header = read_exactly(stream, 4)
    if header is None:
        return None
    return read_exactly(stream, struct.unpack("<I", header)[0])


def write_frame(stream, data):
    stream.write(struct.pack("<I", len(data)) + data)


def parse_lines(text):
    return dict(line.split("=", 1) for line in text.splitlines() if line)


POINTERS = {"f32": "*fp32", "tf32": "*fp32", "f16": "*fp16", "bf16": "*bf16"}
# What a parameter named divisible is a multiple of: bytes for a pointer, else its value.
DIVISIBILITY = 16


def kernel_source(request):
    """What Triton compiles: the kernel, the types of its parameters, and what is constant."""
    from triton.compiler import ASTSource

    from matmul import triode_matmul

    operand = POINTERS[request["operand_type"]]
    signature = {"a": operand, "b": operand, "c": POINTERS[request["c_type"]]}
    signature |= {name: "i32" for name in ("m", "n", "k")}
    signature |= {name: "i64" for name in ("lda", "ldb", "ldc")}
    signature |= {"alpha": "fp32", "beta": "fp32"}
    constants = {
        "A_TRANSPOSED": request["a_transposed"] == "1",
        "B_TRANSPOSED": request["b_transposed"] == "1",
        "READS_C": request["reads_c"] == "1",
        "EVEN_K": request["even_k"] == "1",
        "PRECISION": "tf32" if request["operand_type"] == "tf32" else "ieee",
        "BLOCK_M": int(request["block_m"]),
        "BLOCK_N": int(request["block_n"]),
        "BLOCK_K": int(request["block_k"]),
        "GROUP_M": int(request["group_m"]),
    }
    signature |= {name: "constexpr" for name in constants}
    # The caller has looked at the actual pointers and sizes: a kernel built on a false promise faults.
    names = list(signature)
    divisible = request["divisible"].split()
    attributes = {(names.index(name),): [["tt.divisibility", DIVISIBILITY]] for name in divisible}
    return ASTSource(fn=triode_matmul, signature=signature, constexprs=constants, attrs=attributes)


def compile_kernel(request):
    import triton
    from triton.backends.compiler import GPUTarget

    target = GPUTarget("cuda", int(request["arch"].removeprefix("sm_")), 32)
    options = {"num_warps": int(request["num_warps"]), "num_stages": int(request["num_stages"])}
    kernel = triton.compile(kernel_source(request), target=target, options=options)
    about = kernel.metadata
    lines = {
        "entry": about.name,
        "threads": about.num_warps * 32,
        "shared_bytes": about.shared,
        "global_scratch_bytes": about.global_scratch_size,
        "profile_scratch_bytes": about.profile_scratch_size,
        "triton": triton.__version__,
    }
    text = "".join(f"{name}={value}\n" for name, value in lines.items())
    return [text.encode(), kernel.asm["ptx"].encode(), kernel.asm["cubin"]]


def answer(data):
    try:
        return compile_kernel(parse_lines(data.decode()))
    except Exception as error:  # whatever the compiler throws is an answer, not the worker's end
        first = str(error).strip().splitlines() or [type(error).__name__]
        return [f"error={first[0]}\n{traceback.format_exc()}".encode()]


def main():
    # Frames go to what was standard output; a print anywhere goes to standard error.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    while (data := read_frame(sys.stdin.buffer)) is not None:
        for frame in answer(data):
            write_frame(answers, frame)
        answers.flush()


if __name__ == "__main__":
    main()
