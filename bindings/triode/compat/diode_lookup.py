# SPDX-License-Identifier: Apache-2.0
"""diode's smaller functions: tables from files, configs of Triton, sizes, and what a dataset holds."""

from collections.abc import Sequence
from typing import Any

from ..collection import MatmulCollector, ShapeOptions, planned_shapes
from ..registry import get_integration_status, get_model_registry
from ..types import Dataset, Table, TritonGEMMConfig, read_file


def get_table(path: str) -> Table:
    """The Table of a file. Raises where diode gives None."""
    return read_file(path, Table)


def convert_triton_configs_to_gemm_configs(
    triton_configs: Sequence[Any], name_prefix: str = "triton_config"
) -> list[TritonGEMMConfig]:
    """Of triton.Config objects. KeyError names a tile that one leaves open; diode makes one up."""
    return [
        TritonGEMMConfig.of_template(
            f"{name_prefix}_{place}",
            {"num_stages": config.num_stages, "num_warps": config.num_warps, **(config.kwargs or {})},
        )
        for place, config in enumerate(triton_configs)
    ]


def generate_matrix_sizes(
    num_shapes: int = 100, min_size: int = 32, max_size: int = 4096, power_of_two: bool = False, seed: int = 42
) -> list[tuple[int, int, int]]:
    """Different (M, K, N). ValueError if there are not so many, where diode does not end."""
    options = ShapeOptions(
        num_shapes=num_shapes, min_size=min_size, max_size=max_size, power_of_two=power_of_two, seed=seed
    )
    return [(one.shape.M, one.shape.K, one.shape.N) for one in planned_shapes(options)]


def print_dataset_statistics(
    data: MatmulCollector | Dataset, hardware_name: str | None = None, op_name: str | None = None
) -> None:
    """How many shapes and timings there are, and between which times they lie."""
    dataset = data.get_dataset() if isinstance(data, MatmulCollector) else data
    for hardware, operation in dict.fromkeys((one[0], one[1]) for one in dataset.solutions()):
        if hardware_name in (None, hardware) and op_name in (None, operation):
            rows = [row for row in dataset.timings() if (row.hardware, row.operation) == (hardware, operation)]
            times = [row.time for row in rows]
            span = f", {min(times):.6g} to {max(times):.6g} ms" if times else ""
            shapes = len(dataset.hardware[hardware].operation[operation].solution)
            print(f"{hardware}, {operation}: {shapes} shapes, {len(rows)} timings{span}")


def get_model_info() -> dict[str, Any]:
    """The models that are there."""
    registry = get_model_registry()
    return {"available_models": len(registry.get_existing_models()), "model_manifest": registry.generate_manifest()}


def get_integration_info() -> dict[str, Any]:
    """What is in force."""
    return get_integration_status()
