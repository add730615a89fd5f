# SPDX-License-Identifier: Apache-2.0
"""Modes made of the others: `triode collect-and-train`, and the examples."""

from pathlib import Path
from typing import Any

from ..collection.shapes import VALIDATION, ShapeOptions, group_of, planned_shapes
from . import collecting, options, predictions, training, validating


def collect_and_train(arguments: list[str]) -> dict[str, Any]:
    parser = options.Parser("collect-and-train")
    end = collecting.TRIALS if options.default_device() == "cpu" else ".json"
    parser.add_argument("--dataset", default=f"matmul_dataset{end}")
    parser.add_argument("--validation-dataset", default=f"matmul_validation_dataset{end}")
    parser.add_argument("--model", default=training.MODEL)
    parser.add_argument("--validation-shapes", type=int, default=30)
    for skipped in ("collection", "validation", "training"):
        parser.add_argument(f"--skip-{skipped}", action="store_true")
    options.add_shapes(parser, 100)
    options.add_search(parser)
    options.add_training(parser)
    given = parser.parse_args(arguments)
    plan = collecting.planned(given, "training")
    told: dict[str, Any] = {}
    if not given.skip_collection:
        given.output = given.dataset
        told["collection"] = collecting.gather(given, plan, "")
    if not given.skip_validation:
        given.output, given.num_shapes = given.validation_dataset, given.validation_shapes
        # The draw, and what an earlier run with other options left in the file.
        there = [file for file in files_like(given.dataset) if Path(file).exists()]
        seen = frozenset(group_of(one.shape) for one in plan).union(*map(collecting.groups_in, there))
        others = collecting.planned(given, VALIDATION, exclude=seen)
        told["validation_collection"] = collecting.gather(given, others, "")
    if not given.skip_training:
        told["training"] = training.train_model(given, files_like(given.dataset), given.model)
    if not given.skip_training and not given.skip_validation:
        said = predictions.predict(given.model, files_like(given.validation_dataset), [])
        regret = predictions.regret_table(said, validating.TOP_N)
        told["validation"] = {**predictions.statistics(said), "regret": regret}
    return told


def files_like(name: str) -> list[str]:
    """The file of that name, or the chunks that were made of it."""
    path = Path(name)
    end = collecting.TRIALS if name.endswith(collecting.TRIALS) else path.suffix
    stem = path.name.removesuffix(end)
    chunks: list[str] = []
    while (chunk := path.with_name(f"{stem}_{len(chunks) + 1}{end}")).exists():
        chunks.append(str(chunk))
    return chunks if chunks and not path.exists() else [name]


def collector_example(arguments: list[str]) -> dict[str, Any]:
    """What a MatmulCollector does: a few matmuls compiled, their timings and the table of the fastest written."""
    parser = options.Parser("collector-example")
    parser.add_argument("--output-dir", default=".")
    parser.add_argument("--use-context-manager", action="store_true")
    parser.add_argument("--num-shapes", type=int, default=4)
    given = parser.parse_args(arguments)
    return _collect_example(given, given.use_context_manager, given.num_shapes)


def collector_basic_example(arguments: list[str]) -> dict[str, Any]:
    """The same with one matmul, start and stop written out."""
    parser = options.Parser("collector-basic-example")
    parser.add_argument("--output-dir", default=".")
    given = parser.parse_args(arguments)
    return _collect_example(given, False, 1)


def _collect_example(given: Any, as_context: bool, count: int) -> dict[str, Any]:
    from ..collection import MatmulCollector
    from ..collection.inductor_runs import RunOptions, compile_and_run

    folder = Path(given.output_dir)
    folder.mkdir(parents=True, exist_ok=True)
    dtype = "float32" if given.device == "cpu" else "float16"
    shapes = ShapeOptions(
        num_shapes=count, min_size=64, max_size=512, seed=given.seed, operations=("mm",), dtypes=(dtype,)
    )
    run = RunOptions(device=given.device, search_space="DEFAULT")
    collector = MatmulCollector()
    if as_context:
        with collector:
            for planned in planned_shapes(shapes):
                compile_and_run(planned, run)
    else:
        collector.start_collection()
        try:
            for planned in planned_shapes(shapes):
                compile_and_run(planned, run)
        finally:
            collector.stop_collection()
    end = given.format or "json"
    collector.save_to_file(folder / f"matmul_dataset.{end}")
    collector.save_table_to_file(folder / f"matmul_table.{end}")
    return {
        "dataset": str(folder / f"matmul_dataset.{end}"),
        "table": str(folder / f"matmul_table.{end}"),
        "timings": sum(1 for _ in collector.get_dataset().timings()),
    }


def model_example(arguments: list[str]) -> dict[str, Any]:
    """Trains on a dataset and shows what the model would choose for its first shapes."""
    parser = options.Parser("model-example")
    parser.add_argument("--dataset", required=True)
    parser.add_argument("--model-dir", default="models")
    options.add_training(parser)
    options.add_filters(parser)
    given = parser.parse_args(arguments)
    model = str(Path(given.model_dir) / training.MODEL)
    told = training.train_model(given, [given.dataset], model)
    said = predictions.predict(model, [given.dataset], training._filters(given))
    told["choices"] = [
        {
            "problem": problem.problem,
            "config": problem.configs[0].config,
            "measured_ms": problem.configs[0].measured_ms,
            "best_ms": problem.best_ms(),
        }
        for problem in said[:5]
    ]
    return told
