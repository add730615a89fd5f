# SPDX-License-Identifier: Apache-2.0
"""numpy and scipy from PyPI in one process, each with a BLAS of its own, multiply in turns.

Prints `name=value` lines: how many products were made by each, and whether all were right.
"""

import numpy as np
from scipy.linalg import blas

TURNS = 200


def main() -> None:
    rng = np.random.default_rng(1)
    # Whole numbers, so that any order of additions gives the same.
    a, b = (rng.integers(-4, 5, shape).astype(np.float32) for shape in ((37, 53), (53, 41)))
    c, d = (rng.integers(-4, 5, shape).astype(np.float64, order="F") for shape in ((29, 61), (61, 43)))
    by_numpy, by_scipy = np.einsum("ik,kj->ij", a, b), np.einsum("ik,kj->ij", c, d)
    is_right = True
    for _ in range(TURNS):
        is_right &= bool(np.array_equal(a @ b, by_numpy))
        is_right &= bool(np.array_equal(blas.dgemm(1.0, c, d), by_scipy))
    print(f"turns={TURNS}\nis_right={int(is_right)}")


if __name__ == "__main__":
    main()
