# SPDX-License-Identifier: Apache-2.0
"""Stands in for compile_worker.py: what it does with a request is chosen by its block_m."""

import os
import struct
import sys
import time


def main():
    while header := sys.stdin.buffer.read(4):
        request = sys.stdin.buffer.read(struct.unpack("<I", header)[0]).decode()
        block_m = dict(line.split("=", 1) for line in request.splitlines())["block_m"]
        if block_m == "16":
            os._exit(1)
        if block_m == "32":
            time.sleep(3600)
        if block_m == "64":
            frames = [b"error=too many registers\nmore words"]
        elif block_m == "128":
            lines = f"entry=e{os.getpid()}\nthreads=128\nshared_bytes=64\ntriton=9.9\n"
            lines += "global_scratch_bytes=0\nprofile_scratch_bytes=0\n"
            frames = [lines.encode(), b"ptx", b"cubin"]
        else:
            sys.stdout.buffer.write(b"\xff" * 64)
            frames = []
        for frame in frames:
            sys.stdout.buffer.write(struct.pack("<I", len(frame)) + frame)
        sys.stdout.buffer.flush()


main()
