# SPDX-License-Identifier: Apache-2.0
"""Our Triton matmul: c = f(alpha * op(a) op(b) + beta * c + bias), row-major, right for every remainder.

One kernel in several shapes, chosen by constants: a program makes one piece of c, or (PERSISTENT) one after
another; operands come by pointers, or (TMA) by tensor descriptors; k is worked off by one program, or
(SPLIT_K) by several, whose sums triode_reduce adds up in a fixed order. A parameter that a shape has no use
for is a constant there, and is not in the compiled kernel's parameter list.
"""

import triton
import triton.language as tl


@triton.jit
def locate(program, m, n, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, GROUP_M: tl.constexpr):
    """Row and column of a program's piece, and how many matrices of pieces come before its own."""
    # Programs that run at the same time make GROUP_M rows of pieces, so that they share columns of b.
    rows = tl.cdiv(m, BLOCK_M)
    columns = tl.cdiv(n, BLOCK_N)
    within = program % (rows * columns)
    first = within // (GROUP_M * columns) * GROUP_M
    height = min(rows - first, GROUP_M)
    in_group = within % (GROUP_M * columns)
    return first + in_group % height, in_group // height, program // (rows * columns)


@triton.jit
def add_product(sums, a_tile, b_tile, PRECISION: tl.constexpr):
    # An 8-bit product on Hopper keeps few bits of its sums, so they move to f32 after every tile.
    return tl.dot(
        a_tile, b_tile, sums, input_precision=PRECISION,
        max_num_imprecise_acc=a_tile.shape[1] if a_tile.dtype.primitive_bitwidth == 8 else None,
    )


@triton.jit
def sum_products(
    a, b, i, j, m, n, k, first_step, last_step, lda, ldb,
    A_TRANSPOSED: tl.constexpr, B_TRANSPOSED: tl.constexpr, EVEN_K: tl.constexpr, PRECISION: tl.constexpr,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):
    """The piece of op(a) op(b) in rows i and columns j, over the given steps along k."""
    p = tl.arange(0, BLOCK_K)
    # 64-bit offsets: a large matrix has more than 2^31 elements.
    i_wide = i.to(tl.int64)
    j_wide = j.to(tl.int64)
    p_wide = p.to(tl.int64) + tl.cast(first_step, tl.int64) * BLOCK_K
    if A_TRANSPOSED:
        a_at = a + p_wide[None, :] * lda + i_wide[:, None]
    else:
        a_at = a + i_wide[:, None] * lda + p_wide[None, :]
    if B_TRANSPOSED:
        b_at = b + j_wide[None, :] * ldb + p_wide[:, None]
    else:
        b_at = b + p_wide[:, None] * ldb + j_wide[None, :]

    i_exists = i[:, None] < m
    j_exists = j[None, :] < n
    sums = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for step in range(first_step, last_step):
        if EVEN_K:
            a_tile = tl.load(a_at, mask=i_exists, other=0.0)
            b_tile = tl.load(b_at, mask=j_exists, other=0.0)
        else:
            left = k - step * BLOCK_K
            a_tile = tl.load(a_at, mask=i_exists & (p[None, :] < left), other=0.0)
            b_tile = tl.load(b_at, mask=j_exists & (p[:, None] < left), other=0.0)
        sums = add_product(sums, a_tile, b_tile, PRECISION)
        a_at += BLOCK_K * (lda if A_TRANSPOSED else 1)
        b_at += BLOCK_K * (1 if B_TRANSPOSED else ldb)
    return sums


@triton.jit
def sum_described_products(
    a, b, i, j, k, A_TRANSPOSED: tl.constexpr, B_TRANSPOSED: tl.constexpr, PRECISION: tl.constexpr,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):
    """The same over all of k, from tensor descriptors, which read zeros beyond the matrix."""
    sums = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for step in range(0, tl.cdiv(k, BLOCK_K)):
        p = step * BLOCK_K
        a_tile = a.load([p, i]).T if A_TRANSPOSED else a.load([i, p])
        b_tile = b.load([j, p]).T if B_TRANSPOSED else b.load([p, j])
        sums = add_product(sums, a_tile, b_tile, PRECISION)
    return sums


@triton.jit
def activate(x, ACTIVATION: tl.constexpr):
    if ACTIVATION == "relu":
        x = tl.where(x < 0, 0.0, x)  # a NaN stays one
    if ACTIVATION == "silu":
        x = x / (1 + tl.exp(-x))
    if ACTIVATION == "gelu":
        # By tanh, as cuBLASLt has it: x (1 + tanh u) / 2 = x / (1 + exp(-2 u)).
        u = 0.7978845608028654 * (x + 0.044715 * x * x * x)
        x = x / (1 + tl.exp(-2 * u))
    return x


@triton.jit
def finish(
    sums, c, bias, a_scale, b_scale, i, j, m, n, ldc, alpha, beta,
    READS_C: tl.constexpr, HAS_BIAS: tl.constexpr, HAS_SCALES: tl.constexpr, ACTIVATION: tl.constexpr,
):
    """Scales the sums, adds what is to be added, and stores them as rows i and columns j of c."""
    # As in BLAS, a factor of zero wins over whatever it multiplies, NaNs included.
    sums = tl.where(alpha == 0, 0.0, sums * alpha)
    if HAS_SCALES:
        sums = sums * (tl.load(a_scale) * tl.load(b_scale))
    i_exists = i[:, None] < m
    j_exists = j[None, :] < n
    exists = i_exists & j_exists
    c_at = c + i.to(tl.int64)[:, None] * ldc + j.to(tl.int64)[None, :]
    if READS_C:
        sums += tl.where(beta == 0, 0.0, beta * tl.load(c_at, mask=exists, other=0.0).to(tl.float32))
    if HAS_BIAS:
        sums += tl.load(bias + j, mask=j < n, other=0.0).to(tl.float32)[None, :]
    tl.store(c_at, activate(sums, ACTIVATION).to(c.dtype.element_ty), mask=exists)


@triton.jit
def make_piece(
    program, a, b, c, bias, a_scale, b_scale, workspace, m, n, k, lda, ldb, ldc,
    a_stride, b_stride, c_stride, alpha, beta,
    A_TRANSPOSED: tl.constexpr, B_TRANSPOSED: tl.constexpr, READS_C: tl.constexpr, HAS_BIAS: tl.constexpr,
    HAS_SCALES: tl.constexpr, ACTIVATION: tl.constexpr, EVEN_K: tl.constexpr, PRECISION: tl.constexpr,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr,
    SPLIT_K: tl.constexpr, TMA: tl.constexpr,
):
    row, column, matrix = locate(program, m, n, BLOCK_M, BLOCK_N, GROUP_M)
    i = row * BLOCK_M + tl.arange(0, BLOCK_M)
    j = column * BLOCK_N + tl.arange(0, BLOCK_N)
    if TMA:
        sums = sum_described_products(
            a, b, row * BLOCK_M, column * BLOCK_N, k, A_TRANSPOSED, B_TRANSPOSED, PRECISION,
            BLOCK_M, BLOCK_N, BLOCK_K,
        )
        finish(sums, c, bias, a_scale, b_scale, i, j, m, n, ldc, alpha, beta,
               READS_C, HAS_BIAS, HAS_SCALES, ACTIVATION)
    else:
        steps = tl.cdiv(k, BLOCK_K)
        share = tl.cdiv(steps, SPLIT_K)
        first_step = matrix % SPLIT_K * share
        last_step = min(first_step + share, steps)
        batch = (matrix // SPLIT_K).to(tl.int64)
        sums = sum_products(
            a + batch * a_stride, b + batch * b_stride, i, j, m, n, k, first_step, last_step, lda, ldb,
            A_TRANSPOSED, B_TRANSPOSED, EVEN_K, PRECISION, BLOCK_M, BLOCK_N, BLOCK_K,
        )
        if SPLIT_K == 1:
            finish(sums, c + batch * c_stride, bias, a_scale, b_scale, i, j, m, n, ldc, alpha, beta,
                   READS_C, HAS_BIAS, HAS_SCALES, ACTIVATION)
        else:
            # The workspace holds m x n sums for each share of each matrix of the batch.
            size = tl.cast(m, tl.int64) * n
            at = workspace + matrix.to(tl.int64) * size + i.to(tl.int64)[:, None] * n + j.to(tl.int64)[None, :]
            tl.store(at, sums, mask=(i[:, None] < m) & (j[None, :] < n))


@triton.jit
def triode_matmul(
    a, b, c, bias, a_scale, b_scale, workspace, batch, m, n, k, lda, ldb, ldc,
    a_stride, b_stride, c_stride, alpha, beta,
    A_TRANSPOSED: tl.constexpr, B_TRANSPOSED: tl.constexpr, READS_C: tl.constexpr, HAS_BIAS: tl.constexpr,
    HAS_SCALES: tl.constexpr, ACTIVATION: tl.constexpr, EVEN_K: tl.constexpr, PRECISION: tl.constexpr,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr,
    SPLIT_K: tl.constexpr, PERSISTENT: tl.constexpr, TMA: tl.constexpr,
):
    if TMA:
        if A_TRANSPOSED:
            a = tl.make_tensor_descriptor(a, [k, m], [lda, 1], [BLOCK_K, BLOCK_M])
        else:
            a = tl.make_tensor_descriptor(a, [m, k], [lda, 1], [BLOCK_M, BLOCK_K])
        if B_TRANSPOSED:
            b = tl.make_tensor_descriptor(b, [n, k], [ldb, 1], [BLOCK_N, BLOCK_K])
        else:
            b = tl.make_tensor_descriptor(b, [k, n], [ldb, 1], [BLOCK_K, BLOCK_N])
    if PERSISTENT:
        pieces = tl.cdiv(m, BLOCK_M) * tl.cdiv(n, BLOCK_N) * batch
        for program in range(tl.program_id(0), pieces, tl.num_programs(0)):
            make_piece(program, a, b, c, bias, a_scale, b_scale, workspace, m, n, k, lda, ldb, ldc,
                       a_stride, b_stride, c_stride, alpha, beta,
                       A_TRANSPOSED, B_TRANSPOSED, READS_C, HAS_BIAS, HAS_SCALES, ACTIVATION, EVEN_K, PRECISION,
                       BLOCK_M, BLOCK_N, BLOCK_K, GROUP_M, SPLIT_K, TMA)
    else:
        make_piece(tl.program_id(0), a, b, c, bias, a_scale, b_scale, workspace, m, n, k, lda, ldb, ldc,
                   a_stride, b_stride, c_stride, alpha, beta,
                   A_TRANSPOSED, B_TRANSPOSED, READS_C, HAS_BIAS, HAS_SCALES, ACTIVATION, EVEN_K, PRECISION,
                   BLOCK_M, BLOCK_N, BLOCK_K, GROUP_M, SPLIT_K, TMA)


@triton.jit
def triode_reduce(
    c, bias, a_scale, b_scale, workspace, m, n, ldc, c_stride, alpha, beta,
    READS_C: tl.constexpr, HAS_BIAS: tl.constexpr, HAS_SCALES: tl.constexpr, ACTIVATION: tl.constexpr,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, SPLIT_K: tl.constexpr,
):
    """Adds the shares of each element in order, so that two runs give the same bits."""
    row, column, batch = locate(tl.program_id(0), m, n, BLOCK_M, BLOCK_N, 1)
    i = row * BLOCK_M + tl.arange(0, BLOCK_M)
    j = column * BLOCK_N + tl.arange(0, BLOCK_N)
    size = tl.cast(m, tl.int64) * n
    at = workspace + batch.to(tl.int64) * SPLIT_K * size + i.to(tl.int64)[:, None] * n + j.to(tl.int64)[None, :]
    exists = (i[:, None] < m) & (j[None, :] < n)
    sums = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for share in tl.static_range(SPLIT_K):
        sums += tl.load(at + share * size, mask=exists, other=0.0)
    finish(sums, c + batch.to(tl.int64) * c_stride, bias, a_scale, b_scale, i, j, m, n, ldc, alpha, beta,
           READS_C, HAS_BIAS, HAS_SCALES, ACTIVATION)
