# SPDX-License-Identifier: Apache-2.0
"""Our Triton matmul: c = alpha * op(a) op(b) + beta * c, row-major, right for every remainder."""

import triton
import triton.language as tl


@triton.jit
def triode_matmul(
    a, b, c, m, n, k, lda, ldb, ldc, alpha, beta,
    A_TRANSPOSED: tl.constexpr, B_TRANSPOSED: tl.constexpr, READS_C: tl.constexpr, EVEN_K: tl.constexpr,
    PRECISION: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
    GROUP_M: tl.constexpr,
):
    # Programs that run at the same time make GROUP_M rows of pieces, so that they share columns of b.
    rows = tl.cdiv(m, BLOCK_M)
    columns = tl.cdiv(n, BLOCK_N)
    program = tl.program_id(0)
    first = program // (GROUP_M * columns) * GROUP_M
    height = min(rows - first, GROUP_M)
    in_group = program % (GROUP_M * columns)
    i = (first + in_group % height) * BLOCK_M + tl.arange(0, BLOCK_M)
    j = in_group // height * BLOCK_N + tl.arange(0, BLOCK_N)
    p = tl.arange(0, BLOCK_K)

    # 64-bit offsets: a large matrix has more than 2^31 elements.
    i_wide = i.to(tl.int64)
    j_wide = j.to(tl.int64)
    p_wide = p.to(tl.int64)
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
    for step in range(0, tl.cdiv(k, BLOCK_K)):
        if EVEN_K:
            a_tile = tl.load(a_at, mask=i_exists, other=0.0)
            b_tile = tl.load(b_at, mask=j_exists, other=0.0)
        else:
            left = k - step * BLOCK_K
            a_tile = tl.load(a_at, mask=i_exists & (p[None, :] < left), other=0.0)
            b_tile = tl.load(b_at, mask=j_exists & (p[:, None] < left), other=0.0)
        sums = tl.dot(a_tile, b_tile, sums, input_precision=PRECISION)
        a_at += BLOCK_K * (lda if A_TRANSPOSED else 1)
        b_at += BLOCK_K * (1 if B_TRANSPOSED else ldb)

    sums = sums * alpha
    c_at = c + i_wide[:, None] * ldc + j_wide[None, :]
    exists = i_exists & j_exists
    if READS_C:
        sums += beta * tl.load(c_at, mask=exists, other=0.0).to(tl.float32)
    tl.store(c_at, sums.to(c.dtype.element_ty), mask=exists)
