# SPDX-License-Identifier: Apache-2.0
"""Timings by device, operation and shape."""

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

from .gemm_config import TritonGEMMConfig
from .matmul_shape import MMShape
from .record import Record, _shown
from .table import Hardware, Operation, Solution, Table


@dataclass(kw_only=True)
class TimedConfig(Record):
    """A config and its time in milliseconds."""

    config: TritonGEMMConfig
    time: float

    def __hash__(self) -> int:
        return hash((self.config, self.time))

    @classmethod
    def from_dict(cls, data: Any, where: str = "") -> "TimedConfig":
        # In the older form the config is JSON inside a text.
        if isinstance(data, dict) and isinstance(data.get("config"), str):
            data = data | {"config": TritonGEMMConfig.parse(data["config"]).to_dict()}
        return super().from_dict(data, where)


@dataclass(kw_only=True)
class DatasetSolution(Record):
    timed_configs: list[TimedConfig] = field(default_factory=list)
    _passed_over: ClassVar[frozenset[str]] = frozenset({"name"})


@dataclass(kw_only=True)
class DatasetOperation(Record):
    solution: dict[MMShape, DatasetSolution] = field(default_factory=dict)
    _passed_over: ClassVar[frozenset[str]] = frozenset({"name"})


@dataclass(kw_only=True)
class DatasetHardware(Record):
    operation: dict[str, DatasetOperation] = field(default_factory=dict)


class Timing(NamedTuple):
    """One row of a Dataset."""

    hardware: str
    operation: str
    shape: MMShape
    config: TritonGEMMConfig
    time: float


@dataclass(kw_only=True)
class Dataset(Record):
    """Timings, in milliseconds, by name of the device, operation and shape."""

    hardware: dict[str, DatasetHardware] = field(default_factory=dict)

    def serialize(self, legacy: bool = False) -> str:
        """As JSON; `legacy` writes the older form, in which operations repeat their name and a config is text."""
        return json.dumps(_legacy_form(self) if legacy else self.to_dict(), indent=2)

    def add_timing(
        self, hardware_name: str, op_name: str, problem: MMShape, config: TritonGEMMConfig, time: float
    ) -> None:
        """`time` is in milliseconds."""
        if isinstance(time, bool) or not isinstance(time, (int, float)) or not time > 0:
            raise ValueError(f"a time must be a positive number of milliseconds, not {_shown(time)}")
        device = self.hardware.setdefault(hardware_name, DatasetHardware())
        operation = device.operation.setdefault(op_name, DatasetOperation())
        solution = operation.solution.setdefault(problem, DatasetSolution())
        solution.timed_configs.append(TimedConfig(config=config, time=time))

    def solutions(self) -> Iterator[tuple[str, str, MMShape, list[TimedConfig]]]:
        """Device, operation, shape and what was timed of it."""
        for hardware_name, device in self.hardware.items():
            for op_name, operation in device.operation.items():
                for shape, solution in operation.solution.items():
                    yield hardware_name, op_name, shape, solution.timed_configs

    def timings(self) -> Iterator[Timing]:
        """Row by row."""
        for hardware_name, op_name, shape, timed in self.solutions():
            for one in timed:
                yield Timing(hardware_name, op_name, shape, one.config, one.time)

    def update(self, other: "Dataset") -> None:
        """Adds the timings of another dataset behind these."""
        for row in other.timings():
            self.add_timing(*row)

    def to_table(self) -> Table:
        """Configs sorted by time; those that did not run (an infinite time) are left out."""
        table = Table()
        for hardware_name, op_name, shape, timed in self.solutions():
            ran = sorted((one for one in timed if math.isfinite(one.time)), key=lambda one: one.time)
            device = table.hardware.setdefault(hardware_name, Hardware())
            operation = device.operation.setdefault(op_name, Operation())
            if ran:
                operation.solution[shape] = Solution(config=[one.config for one in ran])
        return table

    def get_fastest_configs(self) -> dict[tuple[str, str, MMShape], TritonGEMMConfig]:
        """By device, operation and shape."""
        fastest = {}
        for hardware_name, op_name, shape, timed in self.solutions():
            ran = [one for one in timed if math.isfinite(one.time)]
            if ran:
                fastest[hardware_name, op_name, shape] = min(ran, key=lambda one: one.time).config
        return fastest


def _legacy_form(dataset: Dataset) -> dict[str, Any]:
    written = dataset.to_dict()
    for device in written["hardware"].values():
        for op_name, operation in device["operation"].items():
            for shape, solution in operation["solution"].items():
                for timed in solution["timed_configs"]:
                    timed["config"] = json.dumps(timed["config"])
                operation["solution"][shape] = {"name": op_name, **solution}
            device["operation"][op_name] = {"name": op_name, **operation}
    return written
