# SPDX-License-Identifier: Apache-2.0
"""The modes of the toolkit, and how each answers: help, results on stdout, reasons on stderr."""

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .. import __version__
from . import collecting, converting, training, validating, workflows
from .options import GLOBAL, WrongUsage
from .programs import Failure
from .reports import text_of

Command = Callable[[list[str]], dict[str, Any]]
COMMANDS: dict[str, Command] = {
    "collect": collecting.collect,
    "collect-shapeset": collecting.collect_shapeset,
    "create-validation": collecting.create_validation,
    "train": training.train,
    "validate-model": validating.validate_model,
    "validate-max-autotune": validating.validate_max_autotune,
    "collect-and-train": workflows.collect_and_train,
    "convert": converting.convert,
    "convert-json-to-msgpack": converting.convert,
    "collector-example": workflows.collector_example,
    "collector-basic-example": workflows.collector_basic_example,
    "model-example": workflows.model_example,
}
DONE, FAILED, WRONG_USAGE = 0, 1, 2
HELP = Path(__file__).with_name("help.md")


def main(arguments: list[str]) -> int:
    """Runs `MODE OPTIONS`; diode's global options may stand before the mode."""
    if arguments[:1] == ["toolkit"]:
        arguments = arguments[1:]
    mode, rest = _mode_first(arguments)
    if mode in ("", "--help", "-h") or mode not in COMMANDS:
        return _answer_without_mode(mode, rest)
    if "--help" in rest or "-h" in rest:
        print(help_of(mode), end="")
        return DONE
    if "--version" in rest:
        _print_version(f"triode-{mode}", "--json" in rest)
        return DONE
    return _run(mode, rest)


def help_of(mode: str) -> str:
    """The mode's part of docs/cli/toolkit.md, and what holds for all."""
    text = HELP.read_text()
    name = "convert" if mode == "convert-json-to-msgpack" else mode
    sections = dict(re.findall(r"^## (\S+).*?\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL))
    return f"# triode {mode}\n{sections[name]}{sections['Every']}"


def _run(mode: str, rest: list[str]) -> int:
    try:
        told = COMMANDS[mode](rest)
    except WrongUsage as wrong:
        print(f"triode-{mode}: {wrong}\ntriode-{mode}: see 'triode {mode} --help'", file=sys.stderr)
        return WRONG_USAGE
    except (Failure, OSError, ValueError, RuntimeError, ImportError) as failure:
        print(f"triode-{mode}: {_reason(failure)}", file=sys.stderr)
        return FAILED
    print(json.dumps(told) if "--json" in rest else text_of(told))
    return DONE


def _reason(failure: Exception) -> str:
    if isinstance(failure, OSError) and failure.filename is not None:
        return f"{failure.filename}: {failure.strerror}"
    return str(failure)


def _mode_first(arguments: list[str]) -> tuple[str, list[str]]:
    before: list[str] = []
    rest = list(arguments)
    while rest and rest[0].split("=")[0] in GLOBAL:
        count = 1 if "=" in rest[0] else 2
        before, rest = before + rest[:count], rest[count:]
    return (rest[0] if rest else "", [*before, *rest[1:]])


def _answer_without_mode(mode: str, rest: list[str]) -> int:
    if mode in ("--help", "-h"):
        print(HELP.read_text(), end="")
        return DONE
    if mode == "--version":
        _print_version("triode-toolkit", "--json" in rest)
        return DONE
    what = f"'{mode}' is no mode" if mode else "no mode given"
    print(f"triode-toolkit: {what}; there are {', '.join(COMMANDS)}", file=sys.stderr)
    return WRONG_USAGE


def _print_version(name: str, as_json: bool) -> None:
    print(json.dumps({"name": name, "version": __version__}) if as_json else f"{name} {__version__}")
