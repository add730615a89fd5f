# SPDX-License-Identifier: Apache-2.0
"""diode's functions for collecting, training and judging: the modes of triode.toolkit, options by diode's names."""

from collections.abc import Sequence
from typing import Any

from ..toolkit import collecting, converting, training, validating


def collect_data(output_file: str, mode: str = "random", **options: Any) -> dict[str, Any]:
    """`triode collect`; mode is random or log_normal."""
    return collecting.collect(_words(output=output_file, log_normal=mode == "log_normal", **options))


def create_validation_dataset(output_file: str, mode: str = "random", **options: Any) -> dict[str, Any]:
    """`triode create-validation`."""
    return collecting.create_validation(_words(output=output_file, log_normal=mode == "log_normal", **options))


def train_model(dataset_path: str, model_path: str, **options: Any) -> dict[str, Any]:
    """`triode train --dataset`."""
    return training.train(_words(dataset=dataset_path, model=model_path, **options))


def train_model_from_directory(data_dir: str, model_path: str, **options: Any) -> dict[str, Any]:
    """`triode train --data-dir`."""
    return training.train(_words(data_dir=data_dir, model=model_path, **options))


def validate_model(model_path: str, validation_dataset_path: str, **options: Any) -> dict[str, Any]:
    """`triode validate-model`."""
    return validating.validate_model(_words(model=model_path, dataset=validation_dataset_path, **options))


def validate_max_autotune(
    model_path: str, validation_dataset_path: str, max_autotune_solution_path: str | None = None, **options: Any
) -> dict[str, Any]:
    """`triode validate-max-autotune`."""
    solution = {"max_autotune_solution": max_autotune_solution_path}
    return validating.validate_max_autotune(
        _words(model=model_path, dataset=validation_dataset_path, **solution, **options)
    )


def convert_json_to_msgpack(
    input_files: Sequence[str], output_dir: str | None = None, overwrite: bool = False
) -> dict[str, Any]:
    """`triode convert --to msgpack`."""
    return converting.convert(_words(input_files=input_files, output_dir=output_dir, overwrite=overwrite, to="msgpack"))


def _words(**options: Any) -> list[str]:
    """The words of a command line. None and False are not said."""
    words: list[str] = []
    for name, value in options.items():
        if value is None or value is False:
            continue
        words.append(f"--{'format' if name == 'file_format' else name.replace('_', '-')}")
        if isinstance(value, (list, tuple)):
            words += [str(one) for one in value]
        elif value is not True:
            words.append(str(value))
    return words
