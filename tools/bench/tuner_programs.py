# SPDX-License-Identifier: Apache-2.0
"""Three numpy programs that know nothing of Triode, for `triode bench tuner`.

Usage: NAME TURNS

Makes so many turns and prints how many seconds they took. Without arguments: prints the names, and what
numpy it is.
"""

import sys
import time

import numpy as np

RANDOM = np.random.default_rng(1)


def draw(*shape):
    return RANDOM.standard_normal(shape, dtype=np.float32)


def perceptron():
    """Inference of a small network, eight inputs at once, with what lies between its layers."""
    sizes = [300, 200, 100, 50, 10]
    weights = [(draw(m, n) / 16, draw(n)) for m, n in zip(sizes, sizes[1:])]
    inputs = [draw(8, sizes[0]) for _ in range(16)]

    def turn():
        for x in inputs:
            for w, b in weights:
                x = np.maximum(x @ w + b, 0)
            x -= x.max(axis=1, keepdims=True)

    return turn


def attention():
    """Heads of attention over a short sequence."""
    heads, tokens, width = 12, 77, 64
    q, k, v = (draw(heads, tokens, width) for _ in range(3))

    def turn():
        for head in range(heads):
            scores = np.exp(q[head] @ k[head].T / 8)
            scores /= scores.sum(axis=1, keepdims=True)
            scores @ v[head]

    return turn


def components():
    """Principal components of tall data, by subspace iteration."""
    data = draw(5000, 37)
    data -= data.mean(axis=0)
    basis = draw(37, 6)

    def turn():
        nonlocal basis
        for _ in range(4):
            basis, _ = np.linalg.qr(data.T @ (data @ basis))

    return turn


PROGRAMS = {program.__name__: program for program in (perceptron, attention, components)}


def main():
    if len(sys.argv) < 3:
        print(" ".join(PROGRAMS))
        print(f"{sys.executable} numpy {np.__version__}")
        return
    turn = PROGRAMS[sys.argv[1]]()
    begin = time.perf_counter()
    for _ in range(int(sys.argv[2])):
        turn()
    print(time.perf_counter() - begin)


main()
