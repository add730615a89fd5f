# SPDX-License-Identifier: Apache-2.0
"""compile_worker.py with a broken kernel: a request may say "replace=..." and "with=...", on matmul.py's text."""

import importlib.util
import linecache
import os
import sys

JIT = os.environ["TRIODE_KERNEL_SOURCES"]
sys.path.insert(0, JIT)

import compile_worker  # noqa: E402  (found by the line above)

compile_request = compile_worker.compile_request


def load_mutated(replaced, by, count=[0]):
    """Makes a module of the changed text; Triton reads a kernel's source by its file, so it is one."""
    with open(os.path.join(JIT, "matmul.py")) as file:
        text = file.read()
    if replaced not in text:
        raise ValueError(f"matmul.py has no {replaced!r}")
    count[0] += 1
    path = os.path.join(os.environ["TRITON_CACHE_DIR"], f"matmul{count[0]}.py")
    with open(path, "w") as file:
        file.write(text.replace(replaced, by))
    linecache.checkcache()
    spec = importlib.util.spec_from_file_location("matmul", path)
    sys.modules["matmul"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules["matmul"])
    sys.modules.pop("kernel_request", None)


def compile_mutated(request):
    load_mutated(request.pop("replace"), request.pop("with"))
    return compile_request(request)


compile_worker.compile_request = compile_mutated
compile_worker.main()
