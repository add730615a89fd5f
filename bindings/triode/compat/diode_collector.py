# SPDX-License-Identifier: Apache-2.0
"""diode's collector, which also knows what to collect."""

from collections.abc import Sequence
from enum import Enum
from typing import Any

from ..collection import LogNormal, MatmulCollector, Planned, ShapeOptions, planned_shapes, shapes_of_set
from ..types import DType, OperationShapeSet


class CollectionMode(Enum):
    RANDOM = "random"
    OPERATION_SHAPE_SET = "operation_shape_set"
    LOG_NORMAL = "log_normal"


class MatmulDatasetCollector(MatmulCollector):
    """A MatmulCollector with shapes of its own for collect_data()."""

    def __init__(
        self,
        hardware_name: str | None = None,
        mode: CollectionMode = CollectionMode.RANDOM,
        operations: Sequence[str] | None = None,
        operation_shape_set: OperationShapeSet | None = None,
        num_shapes: int = 100,
        dtypes: Sequence[Any] | None = None,
        seed: int = 42,
        min_size: int = 32,
        max_size: int = 4096,
        power_of_two: bool = False,
        **log_normal: float,
    ) -> None:
        super().__init__(hardware_name)
        if mode is CollectionMode.OPERATION_SHAPE_SET and operation_shape_set is None:
            raise ValueError("the mode OPERATION_SHAPE_SET needs an operation_shape_set")
        drawn = LogNormal(**{name.removeprefix("log_normal_"): value for name, value in log_normal.items()})
        self.mode = mode
        self._operations = tuple(operations or ("mm", "addmm"))
        self._shape_set = operation_shape_set
        self._shapes = ShapeOptions(
            num_shapes=num_shapes,
            min_size=None if mode is CollectionMode.LOG_NORMAL else min_size,
            max_size=None if mode is CollectionMode.LOG_NORMAL else max_size,
            power_of_two=power_of_two,
            log_normal=drawn if mode is CollectionMode.LOG_NORMAL else None,
            seed=seed,
            operations=self._operations,
            dtypes=[DType(one) for one in dtypes or ("float16", "float32")],
        )

    def planned(self) -> list[Planned]:
        """What collect_data() runs. Shapes of a set keep their own operation, type and batch."""
        if self._shape_set is not None and self.mode is CollectionMode.OPERATION_SHAPE_SET:
            return shapes_of_set(self._shape_set, self._operations)
        return planned_shapes(self._shapes)

    def collect_data(
        self, search_mode: str = "max-autotune-no-cudagraphs", search_space: str = "EXHAUSTIVE", device: str = "cuda"
    ) -> None:
        """Compiles and times everything planned. `triode collect` does the same into files, and can be stopped."""
        from ..collection.inductor_runs import RunOptions, compile_and_run

        options = RunOptions(device=device, search_mode=search_mode, search_space=search_space)
        with self:
            for one in self.planned():
                compile_and_run(one, options)
