# SPDX-License-Identifier: Apache-2.0
"""Element types by the names torch gives them, with or without torch."""

from typing import Any

# Torch's names; where torch is loaded, whatever else it has is accepted too.
NAMES = frozenset(
    "float16 bfloat16 float32 float64 complex64 complex128 bool uint8 uint16 uint32 uint64 int8 int16 int32 "
    "int64 float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz float8_e8m0fnu float4_e2m1fn_x2".split()
)
# Other names that torch has for some of them.
ALIASES = {
    "half": "float16",
    "float": "float32",
    "double": "float64",
    "short": "int16",
    "int": "int32",
    "long": "int64",
}


class DType(str):
    """The name of an element type: "float16". Made from a name or a torch.dtype, and equal to both."""

    __slots__ = ()

    def __new__(cls, dtype: Any) -> "DType":
        if isinstance(dtype, DType):
            return dtype
        name = str(dtype).removeprefix("torch.")
        name = ALIASES.get(name, name)
        if name not in NAMES:
            raise ValueError(f"{dtype!r} is no element type of torch")
        return super().__new__(cls, name)

    @property
    def torch(self) -> Any:
        """The torch.dtype. Imports torch."""
        import torch

        return getattr(torch, self)

    def __eq__(self, other: object) -> bool:
        return str.__eq__(self, str(other).removeprefix("torch.")) is True

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = str.__hash__
