# SPDX-License-Identifier: Apache-2.0
"""The shape of one matmul, and sets of them."""

import json
from dataclasses import dataclass, field

from .dtype import DType
from .record import Record, _json


@dataclass(kw_only=True)
class MMShape(Record):
    """c = a b: a is B x M x K of M_dtype, b is B x K x N of K_dtype. Element types are names or torch.dtypes."""

    B: int
    M: int
    M_dtype: DType
    N: int
    K: int
    K_dtype: DType
    out_dtype: DType
    out_size: tuple[int, int, int]
    out_stride: tuple[int, int, int]

    def __post_init__(self) -> None:
        self.M_dtype, self.K_dtype = DType(self.M_dtype), DType(self.K_dtype)
        self.out_dtype = DType(self.out_dtype)
        self.out_size, self.out_stride = tuple(self.out_size), tuple(self.out_stride)  # type: ignore[assignment]

    @classmethod
    def plain(cls, m: int, n: int, k: int, dtype: object, batch: int = 1) -> "MMShape":
        """One type throughout, and a result without gaps."""
        name = DType(dtype)
        return cls(
            B=batch,
            M=m,
            M_dtype=name,
            N=n,
            K=k,
            K_dtype=name,
            out_dtype=name,
            out_size=(batch, m, n),
            out_stride=(m * n, n, 1),
        )

    def __hash__(self) -> int:
        types = (self.M_dtype, self.K_dtype, self.out_dtype)
        return hash((self.B, self.M, self.N, self.K, *types, self.out_size, self.out_stride))

    def in_file_order(self) -> dict[str, object]:
        """As diode writes a shape by itself: in the order of declaration, not sorted."""
        names = ("version", "B", "M", "M_dtype", "N", "K", "K_dtype", "out_dtype", "out_size", "out_stride")
        plain = self.to_dict()
        return {name: plain[name] for name in names}

    def __str__(self) -> str:
        return json.dumps(self.in_file_order())


# Diode's documents have both names.
MMProblem = MMShape


@dataclass(kw_only=True)
class ShapeSet(Record):
    """A list of shapes."""

    shapes: list[MMShape] = field(default_factory=list)

    def add_shape(self, shape: MMShape) -> None:
        self.shapes.append(shape)

    def serialize(self) -> str:
        return json.dumps(self._in_file_order(), indent=2)

    @classmethod
    def deserialize(cls, text: str) -> "ShapeSet":
        return cls.from_dict(_json(text, cls.__name__))

    def _in_file_order(self) -> dict[str, object]:
        return {"shapes": [shape.in_file_order() for shape in self.shapes]}


@dataclass(kw_only=True)
class OperationShapeSet(Record):
    """Lists of shapes by operation: mm, addmm, bmm."""

    operations: dict[str, ShapeSet] = field(default_factory=dict)

    def add_shape(self, op_name: str, shape: MMShape) -> None:
        self.operations.setdefault(op_name, ShapeSet()).add_shape(shape)

    def get_operation_names(self) -> list[str]:
        return list(self.operations)

    def get_shapes_for_operation(self, op_name: str) -> list[MMShape]:
        """None are an empty list."""
        return self.operations[op_name].shapes if op_name in self.operations else []

    def serialize(self) -> str:
        written = {name: shapes._in_file_order() for name, shapes in self.operations.items()}
        return json.dumps({"operations": written}, indent=2)

    @classmethod
    def deserialize(cls, text: str) -> "OperationShapeSet":
        return cls.from_dict(_json(text, cls.__name__))
