# SPDX-License-Identifier: Apache-2.0
"""Ranks configs the way another project does, for `triode eval`.

    python3 peers.py FOLDER PEER

FOLDER holds task.json and features.f32 (float32, row by row: a row for each config of each problem). Writes
PEER.json: either "missing", saying how to install it, or "orders": by problem the positions of its configs, best
guess first. No peer looks at the times of the problem it ranks.
"""

import json
import math
import os
import random
import sys


def completed(order, count, seed):
    """The order, then the configs it does not hold, drawn: their places in the file may follow their times."""
    rest = sorted(set(range(count)) - set(order))
    random.Random(seed).shuffle(rest)
    return order + rest


def lightgbm(task, folder):
    """Gradient-boosted trees on the same features, trained for each split: LambdaRank."""
    import lightgbm
    import numpy

    x = numpy.fromfile(os.path.join(folder, "features.f32"), dtype=numpy.float32).reshape(-1, task["features"])
    problems = task["problems"]

    def labels(problem):
        times = [t if t is not None else math.inf for t in problem["seconds"]]
        best = min(times)
        return [round(30 * math.exp(-6 * math.log(t / best))) if t < math.inf else 0 for t in times]

    options = {
        "objective": "lambdarank", "label_gain": list(range(31)), "lambdarank_truncation_level": 8, "num_leaves": 63,
        "learning_rate": 0.06, "feature_fraction": 0.7, "bagging_fraction": 0.8, "bagging_freq": 1,
        "min_data_in_leaf": 40, "lambda_l2": 1.0, "seed": task["seed"], "num_threads": task["threads"],
        "deterministic": True, "verbosity": -1,
    }  # fmt: skip
    orders = {}
    for split in task["splits"]:
        rows = numpy.concatenate([numpy.arange(problems[p]["first"], problems[p]["first"] + len(problems[p]["seconds"]))
                                  for p in split["train"]])  # fmt: skip
        label = numpy.concatenate([labels(problems[p]) for p in split["train"]])
        data = lightgbm.Dataset(x[rows], label=label, group=[len(problems[p]["seconds"]) for p in split["train"]])
        model = lightgbm.train(options, data, num_boost_round=300)
        for p in split["test"]:
            first = problems[p]["first"]
            scores = model.predict(x[first : first + len(problems[p]["seconds"])], num_threads=task["threads"])
            orders[p] = [int(i) for i in numpy.argsort(-scores, kind="stable")]
    return orders


def autoheuristic(task, folder):
    """The decision trees that torch ships for Inductor on A100 and H100."""
    from torch._inductor.autoheuristic.artifacts._MMRankingA100 import MMRankingA100
    from torch._inductor.autoheuristic.artifacts._MMRankingH100 import MMRankingH100
    from torch._inductor.autoheuristic.autoheuristic_utils import AHContext

    trees = {"a100": MMRankingA100(), "h100": MMRankingH100()}
    orders = {}
    for index, problem in enumerate(task["problems"]):
        tree = trees.get(problem["device"])
        if tree is None or problem["op"] != "mm":
            continue
        m, n, k = problem["m"], problem["n"], problem["k"]
        context = AHContext()
        tf32 = {"tf32": True, "f32": False}.get(problem["dtype"], "not_float_32")
        values = {
            "m": m, "n": n, "k": k, "m*k": m * k, "m*n": m * n, "k*n": k * n,
            "arith_intensity": m * k * n / (m * k + k * n + m * n), "using_tf32": tf32,
            "mat1_stride_0": 1 if problem["ta"] else problem["lda"],
            "mat2_stride_0": 1 if problem["tb"] else problem["ldb"],
        }  # fmt: skip
        for name, value in values.items():
            context.add_feature(name, value)
        places = {}
        for place, (bm, bn, bk, stages, warps) in enumerate(problem["configs"]):
            places[f"type=triton_BLOCK-M={bm}_BLOCK-K={bk}_BLOCK-N={bn}_numstages={stages}_numwarps={warps}"] = place
        ranked = [places[choice] for choice in tree.get_decisions_ranked(context) if choice in places]
        orders[index] = completed(ranked, len(problem["configs"]), task["seed"] + index)
    return orders


def nvmatmulheuristics(task, folder):
    """NVIDIA's analytical model: of each config it proposes for Triton the nearest that was timed."""
    import nvMatmulHeuristics as nv

    nv.NvMatmulHeuristicsInterface.__del__ = lambda self: None  # of version 0.1.0.27, crashes
    gpus = {"a100": nv.NvMatmulHeuristicsNvidiaGpu.A100_SXM_80GB, "h100": nv.NvMatmulHeuristicsNvidiaGpu.H100_SXM}
    precisions = {"f16": "HSH", "bf16": "TST", "f32": "SSS", "tf32": "SSS"}
    interfaces = {}

    def proposals(problem):
        key = (problem["device"], problem["dtype"])
        if key not in interfaces:
            interface = nv.NvMatmulHeuristicsInterface(nv.NvMatmulHeuristicsTarget.TRITON, precisions[key[1]])
            hardware = interface.createHardwareDescriptor()
            interface.setHardwarePredefinedGpu(hardware, gpus[key[0]])
            interfaces[key] = (interface, hardware)
        interface, hardware = interfaces[key]
        layout = nv.boolsToNvMatmulHeuristicsLayout(problem["ta"], problem["tb"])
        found = interface.get_with_mnk(problem["m"], problem["n"], problem["k"], layout, 16, hardware)
        for one in sorted(found, key=lambda one: one["runtime"]):
            kernel = one["kernel"]
            warps = (kernel.cta_tile_m * kernel.cta_tile_n) // (kernel.warp_tile_m * kernel.warp_tile_n)
            yield kernel.cta_tile_m, kernel.cta_tile_n, kernel.cta_tile_k, kernel.stages, max(1, warps)

    orders = {}
    for index, problem in enumerate(task["problems"]):
        if problem["device"] not in gpus or problem["dtype"] not in precisions or problem["op"] != "mm":
            continue
        order = []
        for proposal in proposals(problem):
            distances = [(sum(abs(math.log2(a / b)) for a, b in zip(config, proposal)), place)
                         for place, config in enumerate(problem["configs"]) if place not in order]  # fmt: skip
            if distances:
                order.append(min(distances)[1])
        orders[index] = completed(order, len(problem["configs"]), task["seed"] + index)
    return orders


PEERS = {
    "lightgbm": (lightgbm, "pip install lightgbm"),
    "autoheuristic": (autoheuristic, "pip install torch"),
    "nvmatmulheuristics": (nvmatmulheuristics, "pip install nvidia-matmul-heuristics"),
}


def main():
    folder, name = sys.argv[1:]
    rank, install = PEERS[name]
    with open(os.path.join(folder, "task.json")) as file:
        task = json.load(file)
    try:
        out = {"orders": rank(task, folder)}
    except ImportError as error:
        out = {"missing": f"{install} ({error})"}
    except Exception as error:  # whatever a peer throws is a reason, not a failed evaluation
        out = {"missing": f"it failed: {type(error).__name__}: {error}"}
    with open(os.path.join(folder, name + ".json"), "w") as file:
        json.dump(out, file)
    os._exit(0)  # nvMatmulHeuristics crashes when it is taken down


if __name__ == "__main__":
    main()
