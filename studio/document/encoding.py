"""Frozen dataclasses as the plain lists and dicts that JSON knows, and back, strictly by their type hints.

What a file says is never trusted: everything that is not exactly of its field's type is a ValueError.
"""

from __future__ import annotations

import dataclasses
import enum
import math
import types
import typing
from collections.abc import Callable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any, TypeVar

T = TypeVar("T")
MOST_VALUES = 8_000_000


def check_size(data: bytes) -> None:
    """ValueError where JSON holds so many values that they would fill the memory: a bracket is a byte of a file, and
    some sixty of memory."""
    if len(data) > MOST_VALUES and sum(map(data.count, (b",", b"[", b"{"))) > MOST_VALUES:
        raise ValueError("too many values")


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
    return typing.cast(T, _reader(typing.cast(Any, kind))(value))


@lru_cache
def _reader(kind: Any) -> Callable[[Any], Any]:
    """What reads values of a kind. It is made once: a history has many thousands of them."""
    if isinstance(kind, types.UnionType):
        inner = _reader(kind.__args__[0])
        return lambda value: None if value is None else inner(value)
    origin = typing.get_origin(kind)
    if origin is tuple:
        return _reader_of_tuples(kind, kind.__args__[0])
    if origin is Mapping:
        return _reader_of_mappings(kind, kind.__args__[1])
    if dataclasses.is_dataclass(kind):
        return _reader_of_dataclasses(typing.cast(type, kind))
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return kind
    return _reader_of_numbers(kind) if kind is float else _reader_of_exactly(kind)


def _reader_of_exactly(kind: Any) -> Callable[[Any], Any]:
    def reads(value: Any) -> Any:
        if type(value) is not kind:
            raise _wrong(kind, value)
        return value

    return reads


def _reader_of_numbers(kind: Any) -> Callable[[Any], Any]:
    """An integer stays one: the id of a take is made from its settings as they were given."""

    def reads(value: Any) -> Any:
        if type(value) not in (int, float) or not math.isfinite(value):
            raise _wrong(kind, value)
        return value

    return reads


def _reader_of_tuples(kind: Any, held: Any) -> Callable[[Any], Any]:
    inner = _reader(held)

    def reads(value: Any) -> Any:
        if not isinstance(value, list):
            raise _wrong(kind, value)
        return tuple(map(inner, value))

    def reads_texts(value: Any) -> Any:
        if not isinstance(value, list) or not all(type(each) is str for each in value):
            raise _wrong(kind, value)
        return tuple(value)

    return reads_texts if held is str else reads


def _reader_of_mappings(kind: Any, held: Any) -> Callable[[Any], Any]:
    inner = _reader(held)

    def reads(value: Any) -> Any:
        if not isinstance(value, dict):
            raise _wrong(kind, value)
        return MappingProxyType({key: inner(each) for key, each in value.items()})

    return reads


def _reader_of_dataclasses(kind: type) -> Callable[[Any], Any]:
    hints = typing.get_type_hints(kind)
    needed = {field.name for field in _fields(kind) if _default(field) is dataclasses.MISSING}
    readers: dict[str, Callable[[Any], Any]] = {}

    def reads(value: Any) -> Any:
        if not isinstance(value, dict):
            raise _wrong(kind, value)
        if not readers:  # not before it is needed: a class may hold others of its own kind
            readers.update({name: _reader(hint) for name, hint in hints.items()})
        if strange := value.keys() - readers.keys():
            raise ValueError(f"{kind.__name__} has no {min(strange)}")
        if missing := needed - value.keys():
            raise ValueError(f"{kind.__name__} without {min(missing)}")
        return kind(**{name: readers[name](each) for name, each in value.items()})

    return reads


def _wrong(kind: Any, value: Any) -> ValueError:
    return ValueError(f"{value!r:.40} is no {kind}")


@lru_cache
def _fields(kind: type) -> tuple[dataclasses.Field[Any], ...]:
    return dataclasses.fields(kind)


def _default(field: dataclasses.Field[Any]) -> Any:
    return field.default if field.default_factory is dataclasses.MISSING else field.default_factory()
