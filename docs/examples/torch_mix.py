# SPDX-License-Identifier: Apache-2.0
"""An eager PyTorch program on the CPU that knows nothing of Triode: small inference, as services make it.

Usage: torch_mix.py [SECONDS]

A perceptron, attention over short sequences and odd sizes. Prints the median time of one turn through all of
them, in microseconds.
"""

import statistics
import sys
import time

import torch

LAYERS = [300, 200, 100, 10]
BATCH = 24
HEADS, TOKENS, WIDTH = 4, 48, 40
ODD = [(17, 33, 65), (51, 51, 51), (100, 7, 300)]


def main() -> None:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 5.0
    torch.manual_seed(1)
    layers = [torch.nn.Linear(m, n) for m, n in zip(LAYERS, LAYERS[1:])]
    images = torch.randn(BATCH, LAYERS[0])
    queries, keys, values = (torch.randn(HEADS, TOKENS, WIDTH) for _ in range(3))
    odd = [(torch.randn(m, k), torch.randn(k, n)) for m, n, k in ODD]

    def turn():
        x = images
        for layer in layers:
            x = torch.relu(layer(x))
        for query, key, value in zip(queries, keys, values):
            torch.softmax(query @ key.T / WIDTH, dim=1) @ value
        for a, b in odd:
            a @ b

    times = []
    end = time.perf_counter() + seconds
    with torch.inference_mode():
        while time.perf_counter() < end:
            begin = time.perf_counter()
            turn()
            times.append(time.perf_counter() - begin)
    print(f"{1e6 * statistics.median(times):.1f}")


if __name__ == "__main__":
    main()
