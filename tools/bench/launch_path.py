# SPDX-License-Identifier: Apache-2.0
"""What `triode bench launch-path` counts the instructions of: WHAT CALLS, on the virtual GPU, whose libraries are found
by LD_LIBRARY_PATH. WHAT is gemm_ex or lt, calls of cuBLAS that a plan of Triode's has come to answer, or triton, a
kernel launched by Triton's own Python launcher. Once it can make such calls it writes where they begin and where the
driver launches, as "BEGIN LAUNCH", stops to be traced, makes CALLS of them, and stops again.
"""

import ctypes
import os
import signal
import sys
import time

PATIENCE_S = 300  # for the first plan
IN_A_ROW = 20
# Beyond those that a new plan shares with the library.
CALLS_BEFORE = 600
SIZE = 16

PTRACE_TRACEME = 0
CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT = 2, 0, 68, -1


def must(result):
    if result != 0:
        sys.exit(f"an error of the virtual GPU or of its cuBLAS: {result}")


def open_gpu():
    cuda = ctypes.CDLL("libcuda.so.1")
    must(cuda.cuInit(0))
    context = ctypes.c_void_p()
    must(cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0))
    must(cuda.cuCtxSetCurrent(context))
    return cuda


def allocate(cuda, size_bytes):
    address = ctypes.c_uint64()
    must(cuda.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(size_bytes)))
    return address.value


def made(function, *arguments):
    handle = ctypes.c_void_p()
    must(function(ctypes.byref(handle), *arguments))
    return handle


def gemm_ex_call(cuda):
    """One call, the function, and what tells how many the library has answered."""
    blas = ctypes.CDLL("libcublas.so.13", ctypes.RTLD_GLOBAL)
    handle = made(blas.cublasCreate_v2)
    a, b, c = (ctypes.c_void_p(allocate(cuda, 4 * SIZE * SIZE)) for _ in range(3))
    one, zero = (ctypes.byref(ctypes.c_float(value)) for value in (1, 0))
    # The symbol that the loader finds first, as for a program that links the library.
    gemm = ctypes.CDLL(None).cublasGemmEx
    arguments = (handle, 0, 0, SIZE, SIZE, SIZE, one, a, CUDA_R_16F, SIZE, b, CUDA_R_16F, SIZE, zero, c, CUDA_R_16F,
                 SIZE, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT)
    return lambda: must(gemm(*arguments)), gemm, lambda: blas.cublasStandInCalls(handle)


def lt_call(cuda):
    blas = ctypes.CDLL("libcublasLt.so.13", ctypes.RTLD_GLOBAL)
    handle = made(blas.cublasLtCreate)
    description = made(blas.cublasLtMatmulDescCreate, CUBLAS_COMPUTE_32F, CUDA_R_32F)
    size = ctypes.c_uint64(SIZE)
    layout = made(blas.cublasLtMatrixLayoutCreate, CUDA_R_16F, size, size, ctypes.c_int64(SIZE))
    a, b, c = (ctypes.c_void_p(allocate(cuda, 4 * SIZE * SIZE)) for _ in range(3))
    one, zero = (ctypes.byref(ctypes.c_float(value)) for value in (1, 0))
    matmul = ctypes.CDLL(None).cublasLtMatmul
    arguments = (handle, description, one, a, layout, b, layout, zero, c, layout, c, layout, None, None,
                 ctypes.c_size_t(0), None)
    return lambda: must(matmul(*arguments)), matmul, blas.cublasLtStandInCalls


def answered_call(cuda, what):
    """A call that a plan answers, and the function."""
    call, function, calls_of_library = {"gemm_ex": gemm_ex_call, "lt": lt_call}[what](cuda)
    end = time.monotonic() + PATIENCE_S
    in_a_row = 0
    while in_a_row < IN_A_ROW:
        before = calls_of_library()
        call()
        in_a_row = in_a_row + 1 if calls_of_library() == before else 0
        if time.monotonic() > end:
            sys.exit("no plan came for the call")
        if in_a_row == 0:
            time.sleep(0.05)
    for _ in range(CALLS_BEFORE):
        call()
    return call, function


def triton_call(cuda):
    # Or it would import torch to look for GPUs of others, and ask torch for this one.
    os.environ["TRITON_DEFAULT_BACKEND"] = "nvidia"
    import triton
    import triton.language as tl

    must(triton.runtime.driver.active.get_current_device())

    # As many arguments as a matmul of ours has, which is what a launch takes its time for.
    @triton.jit
    def kernel(a, b, c, m, n, k, lda, ldb, ldc, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
        i = tl.arange(0, ROWS)[:, None] * COLUMNS + tl.arange(0, COLUMNS)[None, :]
        tl.store(c + i, tl.load(a + i))

    class Matrix:
        dtype = "fp16"

        def __init__(self):
            self.address = allocate(cuda, 4 * SIZE * SIZE)

        def data_ptr(self):
            return self.address

    matrices = [Matrix() for _ in range(3)]
    sizes = [SIZE] * 6

    def call():
        kernel[(1, 1, 1)](*matrices, *sizes, ROWS=SIZE, COLUMNS=SIZE)

    compiled = kernel.warmup(*matrices, *sizes, ROWS=SIZE, COLUMNS=SIZE, grid=(1, 1, 1))
    # The virtual GPU executes PTX alone; how a launch goes does not depend on what was loaded.
    compiled.kernel = compiled.asm["ptx"].encode() + b"\0"
    for _ in range(IN_A_ROW):
        call()
    # A function with an address, which calls back into Python.
    function = ctypes.CFUNCTYPE(None)(call)
    return function, function


def address_of(function):
    return ctypes.cast(function, ctypes.c_void_p).value


def stop():
    signal.raise_signal(signal.SIGSTOP)


def main():
    what, calls = sys.argv[1], int(sys.argv[2])
    cuda = open_gpu()
    call, function = triton_call(cuda) if what == "triton" else answered_call(cuda, what)
    launch = cuda.cuLaunchKernelEx if what == "triton" else cuda.cuLaunchKernel
    print(f"{address_of(function):x} {address_of(launch):x}", flush=True)
    if ctypes.CDLL(None).ptrace(PTRACE_TRACEME, 0, 0, 0) != 0:
        sys.exit("ptrace is not allowed here")
    stop()
    for _ in range(calls):
        call()
    stop()


main()
