# SPDX-License-Identifier: Apache-2.0
"""Collecting timings of matmuls: what torch.compile times (MatmulCollector), and of which matmuls."""

from .matmul_collector import MatmulCollector
from .shapes import LogNormal, Planned, ShapeOptions, planned_shapes, shapes_of_set

__all__ = ["LogNormal", "MatmulCollector", "Planned", "ShapeOptions", "planned_shapes", "shapes_of_set"]
