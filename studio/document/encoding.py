"""Frozen dataclasses as the plain lists and dicts that JSON knows, and back, strictly by their type hints.

What a file says is never trusted: everything that is not exactly of its field's type is a ValueError.
"""

from __future__ import annotations

import dataclasses
import enum
import math
import types
import typing
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any, TypeVar

T = TypeVar("T")


def plain(value: Any) -> Any:
    """The value without its classes; fields that are as by default are left out."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {
            field.name: plain(held)
            for field in _fields(type(value))
            if (held := getattr(value, field.name)) != _default(field)
        }
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, tuple):
        return [plain(each) for each in value]
    if isinstance(value, Mapping):
        return {key: plain(each) for key, each in value.items()}
    return value


def read(kind: type[T], value: Any) -> T:
    """The plain value as a `kind`: a dataclass, enum, str, int, float, bool; tuples, mappings and `| None` of these."""
    return typing.cast(T, _read(kind, value))


def _read(kind: Any, value: Any) -> Any:
    if type(value) is kind and kind in (str, int, bool):
        return value
    if isinstance(kind, types.UnionType):
        return None if value is None else _read(kind.__args__[0], value)
    origin = typing.get_origin(kind)
    if origin is tuple and isinstance(value, list):
        return tuple(_read(kind.__args__[0], each) for each in value)
    if origin is Mapping and isinstance(value, dict):
        return MappingProxyType({key: _read(kind.__args__[1], each) for key, each in value.items()})
    if dataclasses.is_dataclass(kind) and isinstance(value, dict):
        return _read_dataclass(typing.cast(type, kind), value)
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return kind(value)
    if kind is float and type(value) in (int, float) and math.isfinite(value):
        return float(value)
    raise ValueError(f"{value!r:.40} is no {kind}")


def _read_dataclass(kind: type, value: dict[str, Any]) -> Any:
    hints = _hints(kind)
    if strange := value.keys() - hints.keys():
        raise ValueError(f"{kind.__name__} has no {min(strange)}")
    held = {name: _read(hints[name], each) for name, each in value.items()}
    for field in _fields(kind):
        if field.name not in held and _default(field) is dataclasses.MISSING:
            raise ValueError(f"{kind.__name__} without {field.name}")
    return kind(**held)


@lru_cache
def _fields(kind: type) -> tuple[dataclasses.Field[Any], ...]:
    return dataclasses.fields(kind)


@lru_cache
def _hints(kind: type) -> dict[str, Any]:
    return typing.get_type_hints(kind)


def _default(field: dataclasses.Field[Any]) -> Any:
    return field.default if field.default_factory is dataclasses.MISSING else field.default_factory()
