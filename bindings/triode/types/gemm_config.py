# SPDX-License-Identifier: Apache-2.0
"""A config of Triton's matmul template."""

from dataclasses import dataclass, replace
from typing import Any

from .matmul_shape import MMShape
from .record import Record

# What the compiled kernel depends on; the name and the grid only label it.
KERNEL_FIELDS = (
    "block_m",
    "block_n",
    "block_k",
    "group_m",
    "num_stages",
    "num_warps",
    "EVEN_K",
    "ALLOW_TF32",
    "USE_FAST_ACCUM",
    "ACC_TYPE",
)
TILE_FIELDS = KERNEL_FIELDS[:6]


@dataclass(kw_only=True)
class TritonGEMMConfig(Record):
    """Tile, stages and warps of Triton's matmul. EVEN_K says that block_k divides k, and ALLOW_TF32 what the
    problem allows: for_shape() sets both, as a wrong EVEN_K reads beyond the operands."""

    name: str
    grid: int
    block_m: int
    block_n: int
    block_k: int
    group_m: int
    num_stages: int
    num_warps: int
    EVEN_K: bool = False
    ALLOW_TF32: bool = False
    USE_FAST_ACCUM: bool = False
    ACC_TYPE: str = "tl.float32"

    def __hash__(self) -> int:
        return hash((self.name, self.grid, *(getattr(self, field) for field in KERNEL_FIELDS)))

    def tile(self) -> tuple[int, ...]:
        """block_m, block_n, block_k, group_m, num_stages, num_warps: the config as Triode's model sees it."""
        return tuple(getattr(self, field) for field in TILE_FIELDS)

    def for_shape(self, shape: MMShape, allow_tf32: bool = False) -> "TritonGEMMConfig":
        """The same tile with EVEN_K and ALLOW_TF32 as the shape has them; tf32 is float32's alone."""
        return replace(
            self,
            EVEN_K=shape.K % self.block_k == 0,
            ALLOW_TF32=allow_tf32 and shape.M_dtype == "float32",
        )

    @classmethod
    def of_template(cls, name: str, fields: dict[str, Any]) -> "TritonGEMMConfig":
        """From the parameters of Inductor's template, which may be texts. KeyError if one is missing."""

        def is_true(field: str) -> bool:
            return str(fields.get(field)) == "True"

        return cls(
            name=name,
            grid=1,
            block_m=int(fields["BLOCK_M"]),
            block_n=int(fields["BLOCK_N"]),
            block_k=int(fields["BLOCK_K"]),
            group_m=int(fields.get("GROUP_M", 8)),
            num_stages=int(fields["num_stages"]),
            num_warps=int(fields["num_warps"]),
            EVEN_K=is_true("EVEN_K"),
            ALLOW_TF32=is_true("ALLOW_TF32"),
            USE_FAST_ACCUM=is_true("USE_FAST_ACCUM"),
            ACC_TYPE=str(fields.get("ACC_TYPE", "tl.float32")),
        )
