# SPDX-License-Identifier: Apache-2.0
"""Shapes, configs and timings of matmuls in torch-diode's terms and files. Works without torch.

A Dataset holds times in milliseconds by device, operation and shape; a Table the configs worth trying, best
first; a ShapeSet and an OperationShapeSet shapes. Each reads and writes JSON (serialize, deserialize) and
msgpack (to_msgpack, from_msgpack), to the byte as diode does; read_file and write_file go by a file's name.
"""

from .dataset import Dataset, DatasetHardware, DatasetOperation, DatasetSolution, TimedConfig, Timing
from .dtype import DType
from .files import read_any_file, read_file, write_file
from .gemm_config import TritonGEMMConfig
from .matmul_shape import MMProblem, MMShape, OperationShapeSet, ShapeSet
from .record import Record
from .table import Hardware, Operation, Solution, Table

__all__ = [
    "DType",
    "Dataset",
    "DatasetHardware",
    "DatasetOperation",
    "DatasetSolution",
    "Hardware",
    "MMProblem",
    "MMShape",
    "Operation",
    "OperationShapeSet",
    "Record",
    "ShapeSet",
    "Solution",
    "Table",
    "TimedConfig",
    "Timing",
    "TritonGEMMConfig",
    "read_any_file",
    "read_file",
    "write_file",
]
