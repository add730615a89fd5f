# SPDX-License-Identifier: Apache-2.0
"""scikit_learn_program.py SECONDS: fits models to data of fixed seeds and prints what they found as JSON.

For SECONDS it does so over and over, so that there is something to tune for; the last results count.
"""

import json
import sys
import time

import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs
from sklearn.decomposition import PCA

CLUSTERS = 6


def data(dtype: str) -> np.ndarray:
    """Clusters far apart, so that rounding moves no point into another."""
    points, _ = make_blobs(n_samples=1500, n_features=48, centers=CLUSTERS, cluster_std=2.0, random_state=7)
    return points.astype(dtype)


def fit_pca(points: np.ndarray, solver: str) -> dict:
    pca = PCA(n_components=5, svd_solver=solver, random_state=3).fit(points)
    return {"components": pca.components_.tolist(), "variance": pca.explained_variance_.tolist(),
            "transformed": pca.transform(points[:20]).tolist()}


def fit_kmeans(points: np.ndarray) -> dict:
    kmeans = KMeans(n_clusters=CLUSTERS, n_init=2, random_state=5).fit(points)
    return {"inertia": float(kmeans.inertia_), "labels": kmeans.labels_.tolist(),
            "centers": kmeans.cluster_centers_.tolist()}


def fit_all() -> dict:
    found = {}
    for dtype in ("float32", "float64"):
        points = data(dtype)
        for solver in ("full", "covariance_eigh", "randomized"):
            found[f"pca {solver} {dtype}"] = fit_pca(points, solver)
        found[f"kmeans {dtype}"] = fit_kmeans(points)
    return found


end = time.monotonic() + float(sys.argv[1])
results = fit_all()
while time.monotonic() < end:
    results = fit_all()
print(json.dumps(results))
