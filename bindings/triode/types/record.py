# SPDX-License-Identifier: Apache-2.0
"""Records that are written as diode writes them: JSON with sorted fields, and the same as msgpack."""

import dataclasses
import functools
import json
import typing
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, TypeVar

from .dtype import DType

VERSION = 1
# How diode marks an element type in msgpack, which has none.
DTYPE_MARK = "__torch_dtype__"

R = TypeVar("R", bound="Record")
Reader = Callable[[Any, str], Any]


@dataclasses.dataclass(kw_only=True)
class Record:
    """A dataclass that reads and writes itself. What does not fit raises ValueError, which says where and why."""

    version: int = VERSION

    # Fields of an older form that are read past.
    _passed_over: ClassVar[frozenset[str]] = frozenset()

    @classmethod
    def from_dict(cls: type[R], data: Any, where: str = "") -> R:
        """Reads what to_dict() gives. `where` opens messages."""
        where = where or cls.__name__
        if not isinstance(data, Mapping):
            raise ValueError(f"{where} must be an object, not {_shown(data)}")
        fields = _readers(cls)
        unknown = [name for name in data if name not in fields and name not in cls._passed_over]
        if unknown:
            raise ValueError(
                f"{where} has unknown fields {', '.join(map(str, unknown))}; a {cls.__name__} has "
                f"{', '.join(sorted(fields))}"
            )
        given = {
            name: fields[name](value, f"{where}.{name}") for name, value in data.items() if name in fields
        }
        missing = _required(cls) - given.keys()
        if missing:
            raise ValueError(f"{where} lacks {', '.join(sorted(missing))}")
        if given.get("version", VERSION) != VERSION:
            raise ValueError(f"{where} has version {given['version']}; this reads version {VERSION}")
        return cls(**given)

    def to_dict(self) -> dict[str, Any]:
        """Plain values by field name, sorted; keys that are records become text."""
        return {name: _plain(getattr(self, name)) for name in _written(type(self))}

    @classmethod
    def parse(cls: type[R], text: str) -> R:
        """Reads the text of one record."""
        return cls.from_dict(_json(text, cls.__name__))

    def __str__(self) -> str:
        return json.dumps(self.to_dict())

    def serialize(self) -> str:
        """As JSON, indented, to the byte what diode writes."""
        return json.dumps(self.to_dict(), indent=2)

    @classmethod
    def deserialize(cls: type[R], text: str) -> R:
        """Reads what serialize() wrote."""
        return cls.parse(text)

    def to_msgpack(self) -> bytes:
        packed: bytes = _msgpack().packb(_marked(self.to_dict()), use_bin_type=True)
        return packed

    @classmethod
    def from_msgpack(cls: type[R], data: bytes) -> R:
        return cls.from_dict(read_msgpack(data, cls.__name__))

    serialize_msgpack = to_msgpack

    @classmethod
    def deserialize_msgpack(cls: type[R], data: bytes) -> R:
        return cls.from_msgpack(data)


def read_msgpack(data: bytes, what: str) -> Any:
    """The plain values of msgpack bytes, element types by name."""
    try:
        return _unmarked(_msgpack().unpackb(data, raw=False, strict_map_key=False))
    except Exception as error:
        raise ValueError(f"{what} is no msgpack: {type(error).__name__} {error}") from error


def _msgpack() -> Any:
    try:
        import msgpack
    except ImportError as missing:
        raise ImportError("msgpack files need the package msgpack: pip install msgpack") from missing
    return msgpack


def _json(text: str, what: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{what} is no JSON: {error}") from error


def _plain(value: Any) -> Any:
    if isinstance(value, Record):
        return value.to_dict()
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key) if isinstance(key, Record) else key: _plain(item) for key, item in value.items()}
    return value


def _marked(value: Any) -> Any:
    if isinstance(value, DType):
        return {DTYPE_MARK: str(value)}
    if isinstance(value, list):
        return [_marked(item) for item in value]
    if isinstance(value, dict):
        return {key: _marked(item) for key, item in value.items()}
    return value


def _unmarked(value: Any) -> Any:
    if isinstance(value, list):
        return [_unmarked(item) for item in value]
    if not isinstance(value, dict):
        return value
    if value.keys() == {DTYPE_MARK}:
        return DType(value[DTYPE_MARK])
    return {key: _unmarked(item) for key, item in value.items()}


@functools.cache
def _written(cls: Any) -> list[str]:
    return sorted(field.name for field in dataclasses.fields(cls) if not field.name.startswith("_"))


@functools.cache
def _required(cls: Any) -> frozenset[str]:
    no = dataclasses.MISSING
    return frozenset(
        field.name for field in dataclasses.fields(cls) if field.default is no and field.default_factory is no
    )


@functools.cache
def _readers(cls: Any) -> dict[str, Reader]:
    hints = typing.get_type_hints(cls)
    return {name: _reader(hints[name]) for name in _written(cls)}


def _reader(kind: Any) -> Reader:
    """Turns a plain value into one of type `kind`."""
    origin, inside = typing.get_origin(kind), typing.get_args(kind)
    if origin is list:
        return functools.partial(_read_list, _reader(inside[0]))
    if origin is tuple:
        return functools.partial(_read_triple, len(inside))
    if origin is dict:
        return functools.partial(_read_dict, inside[0], _reader(inside[1]))
    if issubclass(kind, Record):
        return typing.cast(Reader, kind.from_dict)
    if kind is DType:
        return _read_dtype
    return functools.partial(_read_leaf, kind)


LEAF_NAMES = {int: "a whole number", bool: "true or false", str: "text", float: "a number"}


def _read_leaf(kind: type, value: Any, where: str) -> Any:
    fits = isinstance(value, (int, float)) if kind is float else isinstance(value, kind)
    if not fits or (kind is not bool and isinstance(value, bool)):
        raise ValueError(f"{where} must be {LEAF_NAMES[kind]}, not {_shown(value)}")
    return value


def _read_dtype(value: Any, where: str) -> DType:
    try:
        return DType(value)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None


def _read_list(read: Reader, value: Any, where: str) -> list[Any]:
    if not isinstance(value, (list, tuple)):
        raise ValueError(f"{where} must be a list, not {_shown(value)}")
    return [read(item, f"{where}[{place}]") for place, item in enumerate(value)]


def _read_triple(count: int, value: Any, where: str) -> tuple[int, ...]:
    numbers = _read_list(functools.partial(_read_leaf, int), value, where)
    if len(numbers) != count:
        raise ValueError(f"{where} must have {count} numbers, not {len(numbers)}")
    return tuple(numbers)


def _read_dict(key_kind: Any, read: Reader, value: Any, where: str) -> dict[Any, Any]:
    if not isinstance(value, Mapping):
        raise ValueError(f"{where} must be an object, not {_shown(value)}")
    is_record = isinstance(key_kind, type) and issubclass(key_kind, Record)
    out = {}
    for key, item in value.items():
        if is_record and not isinstance(key, key_kind):
            key = key_kind.parse(key) if isinstance(key, str) else key_kind.from_dict(key)
        elif not is_record and not isinstance(key, str):
            raise ValueError(f"{where} must have texts as keys, not {_shown(key)}")
        out[key] = read(item, f"{where}[{str(key)!r}]")
    return out


def _shown(value: Any) -> str:
    text = repr(value)
    return f"{type(value).__name__} {text if len(text) <= 60 else text[:57] + '...'}"
