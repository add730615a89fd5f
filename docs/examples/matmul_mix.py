# SPDX-License-Identifier: Apache-2.0
"""A numpy program that knows nothing of Triode: a mix of the matmuls that programs make.

Usage: matmul_mix.py [SECONDS]

A small perceptron, batched attention over short sequences, the principal components of a tall and skinny
matrix, and odd sizes.
Prints the median time of one turn through all of them, in microseconds.
"""

import sys
import time

import numpy as np

LAYERS = [784, 256, 128, 10]
BATCH = 24
HEADS, TOKENS, WIDTH = 8, 48, 40
ROWS, COLUMNS, COMPONENTS = 4000, 30, 12
ODD = [(17, 33, 65), (51, 51, 51), (100, 7, 300)]


def main() -> None:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 5.0
    rng = np.random.default_rng(1)

    def draw(*shape):
        return rng.standard_normal(shape, dtype=np.float32)

    weights = [draw(m, n) / 30 for m, n in zip(LAYERS, LAYERS[1:])]
    images = draw(BATCH, LAYERS[0])
    queries, keys, values = (draw(HEADS, TOKENS, WIDTH) for _ in range(3))
    tall = draw(ROWS, COLUMNS)
    odd = [(draw(m, k), draw(k, n)) for m, n, k in ODD]

    def turn():
        x = images
        for w in weights:
            x = np.maximum(x @ w, 0)
        scores = np.exp(queries @ keys.swapaxes(1, 2) / WIDTH)
        (scores / scores.sum(axis=2, keepdims=True)) @ values
        _, axes = np.linalg.eigh(tall.T @ tall)
        tall @ axes[:, -COMPONENTS:]
        for a, b in odd:
            a @ b

    times = []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        begin = time.perf_counter()
        turn()
        times.append(time.perf_counter() - begin)
    print(f"{1e6 * np.median(times):.1f}")


if __name__ == "__main__":
    main()
