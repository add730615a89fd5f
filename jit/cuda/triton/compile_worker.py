# SPDX-License-Identifier: Apache-2.0
"""Compiles Triode's Triton kernels, one request after another, until its input ends.

A frame is a length (four bytes, little-endian) and as many bytes. A request is one frame of "name=value"
lines, those of kernel_request.py, or with "describe=1" for the toolchain alone. The answer is a frame of
lines, "toolchain" and "functions", and for each function three frames: lines, the PTX, the cubin. Or it is
one frame, whose first line is "error=..." and the rest the compiler's own words; "unavailable=..." says that
the machine failed and not the kernel (no Triton, no memory, a full disk). Whatever Triton prints goes
to standard error.
"""

import functools
import hashlib
import os
import re
import struct
import sys
import traceback

FOLDER = os.path.dirname(os.path.abspath(__file__))
SOURCES = ("compile_worker.py", "kernel_request.py", "matmul.py")


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


def format_lines(lines):
    return "".join(f"{name}={value}\n" for name, value in lines.items()).encode()


def capability(request):
    return int(request["arch"].removeprefix("sm_"))


@functools.cache
def source_digest():
    """Of our own sources. Read when this worker starts: what it compiles is what it then imports."""
    digest = hashlib.sha256()
    for name in SOURCES:
        with open(os.path.join(FOLDER, name), "rb") as source:
            digest.update(source.read())
    return digest.hexdigest()[:16]


def toolchain(arch):
    """All that decides the code besides the request: Triton, the assembler, and our own sources."""
    import triton
    from triton.backends.nvidia.compiler import get_ptxas_version

    ptxas = re.search(r"\bV(\d[\w.]*)", get_ptxas_version(arch)).group(1)
    return f"triton {triton.__version__} ptxas {ptxas} source {source_digest()}"


def parameter_names(ttir, entry):
    """Of a compiled function, in order: what is constant has left the list."""
    head = re.search(rf"tt\.func public @{entry}\((.*)\) attributes", ttir).group(1)
    return re.findall(r"%(\w+): ", head)


def compile_function(source, options, grid, arch):
    import triton
    from triton.backends.compiler import GPUTarget

    kernel = triton.compile(source, target=GPUTarget("cuda", arch, 32), options=options)
    about = kernel.metadata
    lines = {
        "entry": about.name,
        "threads": about.num_warps * 32,
        "shared_bytes": about.shared,
        "global_scratch_bytes": about.global_scratch_size,
        "profile_scratch_bytes": about.profile_scratch_size,
        "parameters": " ".join(parameter_names(kernel.asm["ttir"], about.name)),
    }
    return [format_lines(lines | grid), kernel.asm["ptx"].encode(), kernel.asm["cubin"]]


def compile_request(request):
    arch = capability(request)
    functions = []
    if request.get("describe") != "1":
        from kernel_request import sources

        functions = [compile_function(*each, arch) for each in sources(request)]
    head = format_lines({"toolchain": toolchain(arch), "functions": len(functions)})
    return [head] + [frame for function in functions for frame in function]


def answer(data):
    try:
        return compile_request(parse_lines(data.decode()))
    except Exception as error:  # whatever the compiler throws is an answer, not the worker's end
        first = str(error).strip().splitlines() or [type(error).__name__]
        kind = "unavailable" if isinstance(error, (ImportError, MemoryError, OSError)) else "error"
        return [f"{kind}={first[0]}\n{traceback.format_exc()}".encode()]


def main():
    # Frames go to what was standard output; a print anywhere goes to standard error.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    # Line numbers would bring the place of these files into the code.
    os.environ["TRITON_DISABLE_LINE_INFO"] = "1"
    sys.path.insert(0, FOLDER)
    source_digest()
    while (data := read_frame(sys.stdin.buffer)) is not None:
        for frame in answer(data):
            write_frame(answers, frame)
        answers.flush()


if __name__ == "__main__":
    main()
