# SPDX-License-Identifier: Apache-2.0
"""What a model says of the timings of a dataset, and how far off it is. `triode eval --predictions` writes it."""

import math
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import programs

PERCENTILES = (10, 25, 50, 75, 90, 95, 99)


@dataclass
class ConfigPrediction:
    """One config of a problem. A time of None: it did not run, or the model has no word for it."""

    config: str
    measured_ms: float | None
    predicted_ms: float | None

    def parameters(self) -> dict[str, int]:
        """By name, those that are numbers: "block_m=64 num_warps=4"."""
        pairs = (word.split("=", 1) for word in self.config.split() if "=" in word)
        return {name: int(value) for name, value in pairs if value.isdigit()}


@dataclass
class ProblemPrediction:
    """One problem; `configs` stand in the model's order, best guess first."""

    device: str
    problem: str
    configs: list[ConfigPrediction] = field(default_factory=list)

    @property
    def operation(self) -> str:
        return self.problem.split()[0]

    def best_ms(self, among: Iterable[ConfigPrediction] | None = None) -> float | None:
        """The least measured time; None if none of them ran."""
        ran = [one.measured_ms for one in (self.configs if among is None else among) if one.measured_ms]
        return min(ran, default=None)


def predict(model: str, files: Sequence[str | Path], arguments: Sequence[object]) -> list[ProblemPrediction]:
    """Asks `triode eval` for all timings of the files."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "predictions.tsv"
        told = ["--data", *files, "--model", model, "--no-peers", "--quiet", "--predictions", path]
        programs.run_json("eval", [*told, *arguments])
        return read_predictions(path.read_text())


def read_predictions(text: str) -> list[ProblemPrediction]:
    problems: dict[tuple[str, str, str], ProblemPrediction] = {}
    for line in text.splitlines()[1:]:
        device, source, problem, config, measured, predicted, _, _ = line.split("\t")
        entry = problems.setdefault((device, source, problem), ProblemPrediction(device, problem))
        entry.configs.append(
            ConfigPrediction(
                config, float(measured) if measured else None, float(predicted) if predicted else None
            )
        )
    return list(problems.values())


def pairs(problems: Iterable[ProblemPrediction]) -> list[tuple[float, float]]:
    """Measured and predicted milliseconds, where there are both."""
    return [
        (one.measured_ms, one.predicted_ms)
        for problem in problems
        for one in problem.configs
        if one.measured_ms and one.predicted_ms
    ]


def statistics(problems: Sequence[ProblemPrediction]) -> dict[str, Any]:
    """How far off predicted times are. Errors are of ln time: 0.1 is about ten percent."""
    told = pairs(problems)
    if not told:
        return {"problems": len(problems), "timings": 0}
    errors = [math.log(predicted / measured) for measured, predicted in told]
    logs = [math.log(measured) for measured, _ in told]
    mean = sum(logs) / len(logs)
    spread = sum((one - mean) ** 2 for one in logs)
    squares = sum(error**2 for error in errors)
    factors = sorted(math.exp(abs(error)) for error in errors)
    return {
        "problems": len(problems),
        "timings": len(told),
        "log_rmse": math.sqrt(squares / len(errors)),
        "log_bias": sum(errors) / len(errors),
        "log_r2": 1 - squares / spread if spread > 0 else None,
        "factor_off": {f"p{share}": percentile(factors, share) for share in PERCENTILES},
    }


def worst(problems: Iterable[ProblemPrediction], count: int) -> list[dict[str, Any]]:
    """The predictions that are off by the largest factor, worst first."""
    rows: list[dict[str, Any]] = [
        {
            "device": problem.device,
            "problem": problem.problem,
            "config": one.config,
            "measured_ms": one.measured_ms,
            "predicted_ms": one.predicted_ms,
            "factor_off": math.exp(abs(math.log(one.predicted_ms / one.measured_ms))),
        }
        for problem in problems
        for one in problem.configs
        if one.measured_ms and one.predicted_ms
    ]
    return sorted(rows, key=lambda row: -row["factor_off"])[:count]


def regret_table(problems: Iterable[ProblemPrediction], counts: Sequence[int]) -> dict[int, dict[str, Any]]:
    """For each N: the best measured time of the model's first N over the best of all. A problem of which none of
    the N ran counts a hundredfold, as in `triode eval`."""
    judged = [problem for problem in problems if problem.best_ms() is not None]
    table = {}
    for count in counts:
        regrets = sorted(_regret(problem, count) for problem in judged)
        table[count] = {
            "n": len(regrets),
            "geomean": math.exp(sum(map(math.log, regrets)) / len(regrets)) if regrets else None,
            **{f"p{share}": percentile(regrets, share) for share in (50, 90, 99) if regrets},
            "worst": regrets[-1] if regrets else None,
        }
    return table


WORST_REGRET = 100.0


def _regret(problem: ProblemPrediction, count: int) -> float:
    chosen = problem.best_ms(problem.configs[:count])
    best = problem.best_ms()
    assert best is not None
    return WORST_REGRET if chosen is None else min(chosen / best, WORST_REGRET)


def percentile(ordered: Sequence[float], share: float) -> float:
    """Of rising values, between neighbours in proportion."""
    place = (len(ordered) - 1) * share / 100
    below, above = math.floor(place), math.ceil(place)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)
