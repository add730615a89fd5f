# SPDX-License-Identifier: Apache-2.0
"""What triode.intercept() adds to a matmul of torch's: the same calls with and without it, in turns, in one process.
With TRIODE_FORCE_PLANS a kernel of Triode's answers, without it torch's own. Prints JSON. Argument: rounds."""

import gc
import itertools
import json
import os
import platform
import statistics
import sys
import time

import torch
import triode

CALLS = 400  # of a sample: a fraction of a millisecond, so that most find the core theirs
SIZES = (4, 8, 16, 32)
IS_OURS = "TRIODE_FORCE_PLANS" in os.environ


def contestants():
    for size in SIZES:
        a, b, c, bias = (torch.ones(size, size) for _ in range(4))
        yield f"mm out {size}", lambda a=a, b=b, c=c: torch.mm(a, b, out=c)
        yield f"mm {size}", lambda a=a, b=b: torch.mm(a, b)
        yield f"addmm {size}", lambda a=a, b=b, bias=bias[0]: torch.addmm(bias, a, b)


def sample(call):
    for _ in itertools.repeat(None, 20):
        call()
    begin = time.perf_counter_ns()
    for _ in itertools.repeat(None, CALLS):
        call()
    return (time.perf_counter_ns() - begin) / CALLS


def spread(samples):
    quartiles = statistics.quantiles(samples, n=4)
    return (quartiles[2] - quartiles[0]) / 2


def check_who_answered(call):
    with triode.intercept() as interception:
        before = interception.counters()
        sample(call)
        after = interception.counters()
    ours, offered = (after[name] - before[name] for name in ("triode_calls", "calls"))
    assert offered == CALLS + 20, f"{offered} of {CALLS + 20} calls were offered to Triode"
    assert ours == (offered if IS_OURS else 0), f"{ours} of {offered} calls were answered by Triode"


def compared(call, rounds):
    """Nanoseconds of torch's own call, and what interception adds in the same round."""
    check_who_answered(call)
    direct, added = [], []
    for number in range(rounds):
        times = {}
        for intercepted in ((False, True), (True, False))[number % 2]:
            if intercepted:
                triode.intercept()
            times[intercepted] = sample(call)
            triode.release()
        direct.append(times[False])
        added.append(times[True] - times[False])
    return direct, added


def main(rounds):
    torch.set_num_threads(1)
    gc.disable()
    kind = "hit_ours_ns" if IS_OURS else "hit_vendor_ns"
    told = {"calls": {kind: {}}, "summary": {}}
    with torch.inference_mode():
        measured = {name: compared(call, rounds) for name, call in contestants()}
    middles = {name: statistics.median(added) for name, (_, added) in measured.items()}
    told["calls"][kind] = {
        name: {"added_ns": middles[name], "spread": spread(added), "direct_ns": statistics.median(direct)}
        for name, (direct, added) in measured.items()
    }
    told["summary"][kind] = statistics.median(middles.values())
    told["summary"][f"{kind[:-3]}_worst_ns"] = max(middles.values())
    told["summary"][f"{kind}_spread"] = statistics.median(spread(added) for _, added in measured.values())
    if not IS_OURS:
        told["summary"]["direct_ns"] = statistics.median(statistics.median(one) for one, _ in measured.values())
        told["summary"]["direct_ns_spread"] = statistics.median(spread(one) for one, _ in measured.values())
    about = {
        "benchmark": "torch-dispatch",
        "device": platform.processor() or platform.machine(),
        "torch": torch.__version__,
        "triode": triode.__version__,
        "rounds": rounds,
    }
    print(json.dumps({**about, **told}))


main(int(sys.argv[1]))
