# SPDX-License-Identifier: Apache-2.0
"""A small numpy program that knows nothing of Triode: a perceptron that classifies batches of images.

Usage: mlp_inference.py [SECONDS]

Prints the median time of one batch.
"""

import sys
import time

import numpy as np

LAYERS = [784, 512, 512, 128, 10]
BATCH = 24


def main() -> None:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 5.0
    rng = np.random.default_rng(1)
    weights = [rng.standard_normal((m, n), dtype=np.float32) / 30 for m, n in zip(LAYERS, LAYERS[1:])]
    images = rng.standard_normal((BATCH, LAYERS[0]), dtype=np.float32)

    times = []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        begin = time.perf_counter()
        x = images
        for w in weights:
            x = np.maximum(x @ w, 0)
        times.append(time.perf_counter() - begin)
    print(f"{1e6 * np.median(times):.1f}")


if __name__ == "__main__":
    main()
