# SPDX-License-Identifier: Apache-2.0
"""How long Triode takes inside torch.compile's hook: Inductor's own choice objects, 1,400 of them as its exhaustive
search lists for one matmul, of problems that were not seen before. Prints JSON. Argument: rounds."""

import itertools
import json
import platform
import statistics
import sys
import time
from types import SimpleNamespace

import torch
import triode
from torch._inductor.heuristics.template.params import DictKernelTemplateParams
from torch._inductor.kernel_template_choice import KernelTemplateChoice
from triode._models import find_model
from triode._selection import Options, Selection
from triode._template_problem import config_of, problem_of
from triode._triode import Gpu, TemplateRanker

CANDIDATES = 1400
# What torch-diode 0.1.1 took for as many, on one thread of a comparable machine: measured once, not run here.
DIODE_HOOK_MS = 64.0
GPU = Gpu(
    name="NVIDIA A100-SXM4-40GB",
    capability=(8, 0),
    multiprocessors=108,
    smem_per_multiprocessor_bytes=167936,
    smem_per_block_bytes=166912,
    l2_bytes=41943040,
)


class Inputs:
    def __init__(self, m, n, k):
        self._sizes = (m, n, k)
        self._nodes = [
            SimpleNamespace(get_dtype=lambda: torch.float16, get_size=lambda size=size: size)
            for size in ((m, k), (k, n))
        ]

    def mnk_hinted(self):
        return self._sizes

    mnk_symbolic = mnk_hinted

    def batch_hinted(self):
        return 1

    def mat1mat2(self):
        return self._nodes

    def nodes(self):
        return self._nodes

    def strides_hinted(self):
        _, n, k = self._sizes
        return (k, 1), (n, 1)

    def device(self):
        return "cuda:0"


def choices(inputs):
    template = SimpleNamespace(uid="triton::mm")
    blocks = (16, 32, 64, 128, 256)
    drawn = itertools.product(blocks, blocks, (16, 32, 64, 128), (1, 2, 3, 4, 5), (2, 4, 8))
    listed = [
        KernelTemplateChoice(
            template,
            DictKernelTemplateParams(
                dict(
                    BLOCK_M=m, BLOCK_N=n, BLOCK_K=k, GROUP_M=8, num_stages=stages, num_warps=warps, EVEN_K=True
                )
            ),
            {"ALLOW_TF32": False},
            None,
            inputs,
        )
        for m, n, k, stages, warps in itertools.islice(drawn, CANDIDATES)
    ]
    vendor = KernelTemplateChoice(SimpleNamespace(uid="aten::mm"), DictKernelTemplateParams({}), {}, None, inputs)
    return [vendor, *listed]


def timed(work):
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def figure(seconds, unit):
    quartiles = statistics.quantiles(seconds, n=4)
    middle = statistics.median(seconds)
    return {"median": middle * unit, "spread": (quartiles[2] - quartiles[0]) / 2 / middle}


def main(rounds):
    torch.set_num_threads(1)
    ranker = TemplateRanker(str(find_model("gpu")))
    selection = Selection(ranker, Options(), lambda device: GPU)
    ranks, hooks = [], []
    for number in range(rounds + 3):
        inputs = Inputs(512 + 8 * number, 1024, 2048)
        offered = choices(inputs)
        problem = problem_of(inputs, "mm", offered[1])
        configs = [config_of(one) for one in offered[1:]]
        ranks.append(timed(lambda: ranker.rank(problem, GPU, configs, 3, 6)))
        hooks.append(timed(lambda: selection.select(offered, inputs, "mm")))
    assert selection.counters()["model_selections"] == rounds + 3
    # The first ones warm the caches.
    rank, hook = figure(ranks[3:], 1e6), figure(hooks[3:], 1e3)
    print(
        json.dumps(
            {
                "benchmark": "inductor-hook",
                "device": platform.processor() or platform.machine(),
                "torch": torch.__version__,
                "triode": triode.__version__,
                "model": ranker.name,
                "digest": ranker.digest,
                "candidates": CANDIDATES,
                "rounds": rounds,
                "diode_hook_ms": DIODE_HOOK_MS,
                "summary": {
                    "rank_us_1400": rank["median"],
                    "rank_us_1400_spread": rank["spread"],
                    "hook_ms": hook["median"],
                    "hook_ms_spread": hook["spread"],
                    "vs_diode": DIODE_HOOK_MS / hook["median"],
                },
            }
        )
    )


main(int(sys.argv[1]))
