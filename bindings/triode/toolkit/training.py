# SPDX-License-Identifier: Apache-2.0
"""`triode train` with diode's options: hands the work to `triode-train`, then judges the model on the shapes that
were held out, with pictures."""

import json
import sys
from pathlib import Path
from typing import Any

from . import options, page, plots, predictions, programs

MODEL = "matmul_model.snapshot"
# Layers of diode's deep model, as far as a snapshot holds them, and their width.
DEEP_LAYERS, DEEP_WIDTH = 6, 128
TOP = (1, 3, 5, 8)
WORST = 10


def train(arguments: list[str]) -> dict[str, Any]:
    parser = options.Parser("train")
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--dataset", nargs="+")
    source.add_argument("--data-dir")
    parser.add_argument("--file-extensions", nargs="+", default=["json", "msgpack", "trials.gz"])
    parser.add_argument("--model", default=MODEL)
    options.add_training(parser)
    options.add_filters(parser)
    given = parser.parse_args(arguments)
    files = given.dataset or files_of(given.data_dir, given.file_extensions)
    return train_model(given, files, given.model)


def files_of(folder: str, extensions: list[str]) -> list[str]:
    """The data files of a folder, by name. WrongUsage if it has none."""
    if not Path(folder).is_dir():
        raise options.WrongUsage(f"--data-dir {folder} is no folder")
    ends = tuple(f".{one.removeprefix('.')}" for one in extensions)
    files = sorted(str(path) for path in Path(folder).iterdir() if path.name.endswith(ends) and path.is_file())
    if not files:
        raise options.WrongUsage(f"--data-dir {folder} has no files that end in {', '.join(ends)}")
    return files


def train_model(given: Any, files: list[str], model: str) -> dict[str, Any]:
    """Trains, and judges on what was held out."""
    logs = Path(given.log_dir)
    logs.mkdir(parents=True, exist_ok=True)
    Path(model).parent.mkdir(parents=True, exist_ok=True)
    if given.device != "cpu":
        print(f"models are trained on the CPU; --device {given.device} changes nothing", file=sys.stderr)
    history = logs / "training_history.json"
    written = ["--output", model, "--history", history]
    trained = programs.run_json("train", [*_recipe(given), *_data(given, files), *written])
    pictures = [logs / "training_curves.png", logs / "predicted_vs_measured.png"]
    for stale in pictures:
        stale.unlink(missing_ok=True)
    if not given.no_plots:
        plots.plot_training(json.loads(history.read_text()), pictures[0])
    told: dict[str, Any] = {"model": model, **trained, "log_dir": str(logs)}
    if trained["held_out"]:
        told["held_out_shapes"] = judge(given, files, model, logs)
    page.write_page(logs / page.NAME, f"Training of {Path(model).name}", told, pictures)
    return told


def judge(given: Any, files: list[str], model: str, logs: Path) -> dict[str, Any]:
    """Statistics of a model on the held-out part, written beside a picture."""
    said = predictions.predict(model, files, _filters(given) + _held_out(given))
    told = {
        **predictions.statistics(said),
        "regret": predictions.regret_table(said, TOP),
        "worst": predictions.worst(said, WORST),
    }
    (logs / "held_out_statistics.json").write_text(json.dumps(told, indent=2) + "\n")
    if not given.no_plots and predictions.pairs(said):
        plots.plot_predictions(predictions.pairs(said), logs / "predicted_vs_measured.png")
    return told


def _data(given: Any, files: list[str]) -> list[object]:
    return ["--data", *files, *_filters(given), *_held_out(given)]


def _held_out(given: Any) -> list[object]:
    return ["--hold-out", given.hold_out, "--seed", given.seed] if given.hold_out else ["--seed", given.seed]


def _filters(given: Any) -> list[object]:
    chosen: list[object] = []
    for name in ("hardware_name", "op_name"):
        if getattr(given, name, None):
            chosen += [f"--{name.replace('_', '-')}", getattr(given, name)]
    return chosen


def _recipe(given: Any) -> list[object]:
    """diode's words for what `triode train` takes; what is not given is the shipped models' recipe."""
    is_sized = given.hidden_dim or given.num_layers
    if given.model_type == "base" and is_sized:
        raise options.WrongUsage("--hidden-dim and --num-layers are of --model-type deep")
    layers, width = given.num_layers, given.hidden_dim
    if given.model_type == "deep" or is_sized:
        layers, width = layers or DEEP_LAYERS, width or DEEP_WIDTH
    named = {
        "--batch-size": given.batch_size,
        "--epochs": given.num_epochs,
        "--learning-rate": given.learning_rate,
        "--weight-decay": given.weight_decay,
        "--patience": given.patience,
        "--num-layers": layers,
        "--hidden-dim": width,
        "--members": given.members,
    }
    chosen = [word for name, value in named.items() if value is not None for word in (name, value)]
    return chosen + ["--quiet"] * given.quiet
