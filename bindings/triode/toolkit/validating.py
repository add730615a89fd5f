# SPDX-License-Identifier: Apache-2.0
"""`triode validate-model` and `validate-max-autotune`: a model judged on timings it was not trained on."""

import json
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from ..types import Solution
from . import options, page, plots, predictions
from .predictions import ProblemPrediction, percentile
from .training import _filters, files_of

TOP_N = (1, 5, 10, 20, 50, 100, 500)
REPORT = "model_performance_analysis_by_op.json"
EXTENSIONS = ["json", "msgpack", "trials.gz", "csv", "csv.gz"]
TILE = ("block_m", "block_n", "block_k", "group_m", "num_stages", "num_warps")


def validate_model(arguments: list[str]) -> dict[str, Any]:
    parser = options.Parser("validate-model")
    parser.add_argument("--top-n-worst", type=int, default=10)
    parser.add_argument("--log-dir")
    parser.add_argument("--no-plots", action="store_true")
    given = _parse(parser, arguments)
    said = predictions.predict(given.model, _files(given.dataset), _filters(given))
    told = {
        "model": given.model,
        **predictions.statistics(said),
        "regret": predictions.regret_table(said, TOP_N),
        "worst": predictions.worst(said, given.top_n_worst),
    }
    if given.log_dir:
        logs = Path(given.log_dir)
        logs.mkdir(parents=True, exist_ok=True)
        (logs / "validation_statistics.json").write_text(json.dumps(told, indent=2) + "\n")
        picture = logs / "predicted_vs_measured.png"
        picture.unlink(missing_ok=True)
        if not given.no_plots and predictions.pairs(said):
            plots.plot_predictions(predictions.pairs(said), picture)
        page.write_page(logs / page.NAME, f"Validation of {Path(given.model).name}", told, [picture])
    return told


def validate_max_autotune(arguments: list[str]) -> dict[str, Any]:
    parser = options.Parser("validate-max-autotune")
    parser.add_argument("--max-autotune-solution")
    parser.add_argument("--output", default=REPORT)
    given = _parse(parser, arguments)
    sets = read_solutions(given.max_autotune_solution) if given.max_autotune_solution else {}
    said = predictions.predict(given.model, _files(given.dataset), _filters(given))
    told: dict[str, Any] = {
        "per_op": {},
        "overall": _comparisons(said, sets),
        "regret": predictions.regret_table(said, TOP_N),
        "metadata": {
            "model_path": given.model,
            "validation_dataset_path": given.dataset,
            "hardware_name": given.hardware_name or "all",
            "op_name_filter": given.op_name or "none",
            "when_unix_s": int(time.time()),
        },
    }
    for operation in sorted({problem.operation for problem in said}):
        some = [problem for problem in said if problem.operation == operation]
        told["per_op"][operation] = _comparisons(some, sets) | {"regret": predictions.regret_table(some, TOP_N)}
    told["metadata"]["ops_present"] = list(told["per_op"])
    Path(given.output).write_text(json.dumps(told, indent=2) + "\n")
    return told | {"output": given.output}


def _parse(parser: options.Parser, arguments: list[str]) -> Any:
    parser.add_argument("--model", required=True)
    parser.add_argument("--dataset", required=True)
    parser.add_argument("--batch-size", type=int)
    options.add_filters(parser)
    return parser.parse_args(arguments)


def _files(dataset: str) -> list[str]:
    return files_of(dataset, EXTENSIONS) if Path(dataset).is_dir() else [dataset]


def read_solutions(path: str) -> dict[str, set[tuple[int, ...]]]:
    """Tiles that max-autotune would try, by operation ("" is every one): of {"config": [...]}, of {"name": ...,
    "configs": [...]}, or of one of these for each operation."""
    try:
        data = json.loads(Path(path).read_text())
    except ValueError as error:
        raise ValueError(f"{path} is no JSON: {error}") from error
    if isinstance(data, dict) and ("config" in data or "configs" in data):
        return {"": _tiles(path, data)}
    if isinstance(data, dict) and data and all(isinstance(one, dict) for one in data.values()):
        return {operation: _tiles(path, one) for operation, one in data.items()}
    raise ValueError(f'{path} must hold {{"config": [...]}}, {{"name": ..., "configs": [...]}} or these by operation')


def _tiles(path: str, data: dict[str, Any]) -> set[tuple[int, ...]]:
    configs = data.get("config", data.get("configs"))
    solution = Solution.from_dict({"config": configs}, path)
    return {config.tile() for config in solution.config}


def _comparisons(
    problems: Sequence[ProblemPrediction], sets: dict[str, set[tuple[int, ...]]]
) -> dict[str, Any]:
    """For each N how the model's first N do against the best of the set."""
    compared = {}
    for count in TOP_N:
        rows = [row for problem in problems if (row := _compared(problem, sets, count)) is not None]
        if rows:
            compared[f"top_{count}"] = _summary(rows, count)
    return compared


def _compared(
    problem: ProblemPrediction, sets: dict[str, set[tuple[int, ...]]], count: int
) -> dict[str, Any] | None:
    tiles = sets.get(problem.operation, sets.get(""))
    if not tiles:
        return None
    theirs = problem.best_ms(one for one in problem.configs if _tile(one.parameters()) in tiles)
    ours = problem.best_ms(problem.configs[:count])
    if theirs is None or ours is None:
        return None
    ratio = theirs / ours
    verdict = "better" if ratio > 1 else "worse" if ratio < 1 else "equal"
    return {
        "op": problem.operation,
        "shape": problem.problem,
        "model_time": ours,
        "ma_time": theirs,
        "speedup_ratio": ratio,
        "performance": verdict,
    }


def _tile(parameters: dict[str, int]) -> tuple[int, ...]:
    return tuple(parameters.get(name, 0) for name in TILE)


def _summary(rows: list[dict[str, Any]], count: int) -> dict[str, Any]:
    ratios = sorted(row["speedup_ratio"] for row in rows)
    ours, theirs = sum(row["model_time"] for row in rows), sum(row["ma_time"] for row in rows)
    better = [ratio for ratio in ratios if ratio > 1]
    worse = [ratio for ratio in ratios if ratio < 1]

    def share(some: Sequence[float]) -> dict[str, Any]:
        return {"count": len(some), "percentage": 100 * len(some) / len(rows)}

    return {
        "top_n": count,
        "shapes_analyzed": len(rows),
        "performance_breakdown": {
            "model_better": {**share(better), "avg_speedup": _mean(better), "best_speedup": max(better, default=0.0)},
            "model_worse": {**share(worse), "avg_slowdown": _mean(worse), "worst_slowdown": min(worse, default=0.0)},
            "model_equal": share([ratio for ratio in ratios if ratio == 1]),
        },
        "overall_metrics": {
            "avg_speedup_ratio": _mean(ratios),
            "median_speedup_ratio": percentile(ratios, 50),
            "total_time_saved_pct": 100 * (theirs - ours) / theirs,
            "best_case": ratios[-1],
            "worst_case": ratios[0],
        },
        "distribution": {f"p{one}": percentile(ratios, one) for one in predictions.PERCENTILES},
        "raw_times": {"total_model_time": ours, "total_ma_time": theirs},
        "shape_details": rows,
    }


def _mean(values: Iterable[float]) -> float:
    values = list(values)
    return sum(values) / len(values) if values else 0.0
