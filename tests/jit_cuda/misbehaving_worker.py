# SPDX-License-Identifier: Apache-2.0
"""Stands in for compile_worker.py: what it does with a request is chosen by its block_m.

With TRIODE_WORKER_ANSWERS_ALL=1 it answers all of them; TRIODE_WORKER_TOOLCHAIN is what it says that it is."""

import os
import struct
import sys
import time


def small_cubin(entry):
    """An ELF file with a kernel of no parameters but Triton's two, and no code."""
    names = [".shstrtab", ".strtab", ".symtab", ".nv.info", ".nv.info." + entry]
    shared = struct.pack("<BBHII", 4, 0x2F, 8, 1, 40) + struct.pack("<BBHII", 4, 0x11, 8, 1, 24)
    own = struct.pack("<BBHIII", 4, 0x10, 12, 128, 1, 1)
    for ordinal in (1, 0):
        own += struct.pack("<BBHIHHI", 4, 0x17, 12, 0, ordinal, 8 * ordinal, 8 << 18)
    contents = [
        b"\0" + b"".join(name.encode() + b"\0" for name in names),
        b"\0" + entry.encode() + b"\0",
        bytes(24) + struct.pack("<IBBHQQ", 1, 2, 0, 0, 0, 0),  # a function
        shared,
        own,
    ]
    header_bytes, section_bytes = 64, 64
    at = header_bytes + section_bytes * (1 + len(names))
    sections, place = [bytes(section_bytes)], 1
    for name, content in zip(names, contents):
        sections.append(struct.pack("<IIQQQQIIQQ", place, 1, 0, 0, at, len(content), 0, 0, 1, 0))
        place += len(name) + 1
        at += len(content)
    ident = b"\x7fELF\x02\x01\x01" + bytes(9)
    header = ident + struct.pack("<HHIQQQIHHHHHH", 2, 190, 1, 0, 0, header_bytes, 0, 64, 0, 0, 64, len(sections), 1)
    return header + b"".join(sections) + b"".join(contents)


def answer(block_m):
    toolchain = os.environ.get("TRIODE_WORKER_TOOLCHAIN", "triton 9.9").encode()
    if block_m is None:
        return [b"toolchain=" + toolchain + b"\nfunctions=0\n"]
    if block_m == "64":
        return [b"error=too many registers\nmore words"]
    if block_m == "128":
        entry = f"e{os.getpid()}"
        lines = f"entry={entry}\nthreads=128\nshared_bytes=64\nparameters=\n"
        lines += "global_scratch_bytes=0\nprofile_scratch_bytes=0\n"
        lines += "block_m=128\nblock_n=32\nsplits=1\npersistent=0\n"
        return [b"toolchain=" + toolchain + b"\nfunctions=1\n", lines.encode(), b"ptx", small_cubin(entry)]
    return []


def main():
    while header := sys.stdin.buffer.read(4):
        request = sys.stdin.buffer.read(struct.unpack("<I", header)[0]).decode()
        block_m = dict(line.split("=", 1) for line in request.splitlines()).get("block_m")
        if block_m is not None and os.environ.get("TRIODE_WORKER_ANSWERS_ALL") == "1":
            block_m = "128"
        if block_m == "16":
            os._exit(1)
        if block_m == "32":
            time.sleep(3600)
        frames = answer(block_m)
        for frame in frames:
            sys.stdout.buffer.write(struct.pack("<I", len(frame)) + frame)
        if not frames:
            sys.stdout.buffer.write(b"\xff" * 64)
        sys.stdout.buffer.flush()


main()
