# SPDX-License-Identifier: Apache-2.0
"""Configs by device, operation and shape, best first, without times."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from .gemm_config import TritonGEMMConfig
from .matmul_shape import MMShape
from .record import Record


@dataclass(kw_only=True)
class Solution(Record):
    """Configs of one shape, best first."""

    config: list[TritonGEMMConfig]


@dataclass(kw_only=True)
class Operation(Record):
    solution: dict[MMShape, Solution] = field(default_factory=dict)


@dataclass(kw_only=True)
class Hardware(Record):
    operation: dict[str, Operation] = field(default_factory=dict)


@dataclass(kw_only=True)
class Table(Record):
    """The configs worth trying, by name of the device, operation and shape."""

    hardware: dict[str, Hardware] = field(default_factory=dict)

    def lookup(self, hardware: str, op_name: str, problem: MMShape) -> list[TritonGEMMConfig] | None:
        """Best first; None if nothing is known."""
        device = self.hardware.get(hardware)
        operation = device and device.operation.get(op_name)
        solution = operation and operation.solution.get(problem)
        return solution.config if solution else None

    def lookup_set(
        self, hardware: str, op_name: str, problem: MMShape
    ) -> dict[TritonGEMMConfig, None] | None:
        """The same for `in`, in the same order."""
        configs = self.lookup(hardware, op_name, problem)
        return None if configs is None else dict.fromkeys(configs)

    def filter(
        self, hardware: str, op_name: str, problem: MMShape, to_filter: Iterable[TritonGEMMConfig]
    ) -> list[TritonGEMMConfig] | None:
        """Those of `to_filter` that are known to be good; None if that leaves none."""
        known = self.lookup_set(hardware, op_name, problem) or {}
        return [config for config in to_filter if config in known] or None
