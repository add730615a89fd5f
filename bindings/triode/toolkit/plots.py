# SPDX-License-Identifier: Apache-2.0
"""Pictures of a training and of predictions, as PNG. Imports matplotlib when one is drawn."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .programs import Failure

DOTS = 150  # an inch
MANY = 2000  # points that would cover each other if they were larger


def plot_training(history: Mapping[str, Sequence[Mapping[str, Any]]], path: Path) -> None:
    """The losses of each part by epoch, training and held-out."""
    figure, axes = _axes(len(history))
    for axis, (part, epochs) in zip(axes, history.items()):
        for name in ("training_loss", "held_out_loss"):
            told = [(row["epoch"], row[name]) for row in epochs if row[name] is not None]
            if told:
                axis.plot(*zip(*told), label=name.replace("_", " "), marker="." if len(told) < 30 else None)
        axis.set_title(part)
        axis.set_xlabel("epoch")
        axis.legend()
    _save(figure, path)


def plot_predictions(pairs: Sequence[tuple[float, float]], path: Path) -> None:
    """Predicted over measured time, both in milliseconds."""
    figure, (axis,) = _axes(1)
    measured, predicted = zip(*pairs)
    ends = (min(measured + predicted), max(measured + predicted))
    axis.loglog(measured, predicted, ".", markersize=3 if len(pairs) > MANY else 6)
    axis.loglog(ends, ends, "k-", linewidth=0.8)
    _label_plainly(axis)
    axis.set_xlabel("measured, ms")
    axis.set_ylabel("predicted, ms")
    axis.set_title("the nearer to the line, the better")
    _save(figure, path)


def _label_plainly(axis: Any) -> None:
    """0.002 and 0.005 rather than powers, which run into each other where there is but one."""
    from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

    for one in (axis.xaxis, axis.yaxis):
        one.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        one.set_major_formatter(StrMethodFormatter("{x:g}"))
        one.set_minor_formatter(NullFormatter())
    axis.tick_params(axis="x", rotation=45)


def _axes(count: int) -> tuple[Any, Sequence[Any]]:
    try:
        # Without pyplot, which looks for a display and keeps figures.
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as missing:
        raise Failure("plots need matplotlib: pip install matplotlib, or give --no-plots") from missing
    figure = Figure(figsize=(5 * count, 4), layout="constrained")
    FigureCanvasAgg(figure)
    return figure, [figure.add_subplot(1, count, place + 1) for place in range(count)]


def _save(figure: Any, path: Path) -> None:
    figure.savefig(path, dpi=DOTS, format="png")
