# SPDX-License-Identifier: Apache-2.0
"""The options of every mode, with diode's names and, where its own do not hold here, other defaults."""

import argparse
import os
from typing import Any, NoReturn

from ..collection.shapes import OPERATIONS, LogNormal, ShapeOptions

SEED = 42
GLOBAL = ("--seed", "--device", "--format")


class WrongUsage(Exception):
    """The command line is wrong; the message says how."""


class Parser(argparse.ArgumentParser):
    """Says what is wrong instead of ending the process, and takes no shortened options."""

    def __init__(self, mode: str) -> None:
        super().__init__(prog=f"triode {mode}", add_help=False, allow_abbrev=False)
        self.add_argument("--seed", type=int, default=SEED)
        self.add_argument("--device", default=default_device())
        self.add_argument("--format", choices=("json", "msgpack"))
        self.add_argument("--json", action="store_true")
        self.add_argument("--quiet", action="store_true")

    def error(self, message: str) -> NoReturn:
        raise WrongUsage(message)


def default_device() -> str:
    """Whether NVIDIA's driver is there tells it without torch."""
    return "cuda" if os.path.exists("/dev/nvidiactl") else "cpu"


def add_shapes(parser: Parser, num_shapes: int) -> None:
    """Which shapes are drawn."""
    parser.add_argument("--num-shapes", type=int, default=num_shapes)
    parser.add_argument("--min-size", type=int)
    parser.add_argument("--max-size", type=int)
    parser.add_argument("--power-of-two", action="store_true")
    parser.add_argument("--no-rectangular", action="store_true")
    parser.add_argument("--no-odd-sizes", action="store_true")
    parser.add_argument("--log-normal", action="store_true")
    for dimension in "mnk":
        for what in ("mean", "std"):
            default = getattr(LogNormal(), f"{dimension}_{what}")
            parser.add_argument(f"--log-normal-{dimension}-{what}", type=float, default=default)


def add_search(parser: Parser) -> None:
    """How each shape is timed."""
    parser.add_argument("--search-mode")
    parser.add_argument("--search-space", default="EXHAUSTIVE", choices=("EXHAUSTIVE", "DEFAULT"))
    parser.add_argument("--chunk-size", type=int)
    parser.add_argument("--dtypes", nargs="+")
    parser.add_argument("--operations", nargs="+", default=list(OPERATIONS), choices=OPERATIONS)
    parser.add_argument("--configs", type=int)
    parser.add_argument("--trial-ms", type=float)
    parser.add_argument("--threads", default="1")
    parser.add_argument("--most-flops", type=float, default=2e9)
    parser.add_argument("--cache")


def add_training(parser: Parser) -> None:
    """How a model is trained."""
    parser.add_argument("--model-type", choices=("base", "deep"))
    parser.add_argument("--batch-size", type=int)
    parser.add_argument("--num-epochs", type=int)
    parser.add_argument("--learning-rate", type=float)
    parser.add_argument("--weight-decay", type=float)
    parser.add_argument("--patience", type=int)
    parser.add_argument("--hidden-dim", type=int)
    parser.add_argument("--num-layers", type=int)
    parser.add_argument("--members", type=int)
    parser.add_argument("--hold-out", type=int, default=5)
    parser.add_argument("--log-dir", default="logs")
    parser.add_argument("--no-plots", action="store_true")


def add_filters(parser: Parser) -> None:
    """Which timings count."""
    parser.add_argument("--hardware-name")
    parser.add_argument("--op-name", choices=OPERATIONS)


def shape_options(given: Any, purpose: str, **others: Any) -> ShapeOptions:
    """Of add_shapes(). Sizes are bounded by 32 and 4096 unless they are log-normal."""
    drawn = None
    if given.log_normal:
        names = [f"{dimension}_{what}" for dimension in "mnk" for what in ("mean", "std")]
        drawn = LogNormal(**{name: getattr(given, f"log_normal_{name}") for name in names})
    usual = (None, None) if drawn else (32, 4096)
    return ShapeOptions(
        num_shapes=given.num_shapes,
        min_size=given.min_size or usual[0],
        max_size=given.max_size or usual[1],
        power_of_two=given.power_of_two,
        rectangular=not given.no_rectangular,
        odd_sizes=not given.no_odd_sizes,
        log_normal=drawn,
        seed=given.seed,
        purpose=purpose,
        **others,
    )
