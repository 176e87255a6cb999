"""Definitions of the C API filled from Python values: dicts, sequences, names."""
from __future__ import annotations

import ctypes
import difflib
import math
import operator
import os
from typing import Any, Callable, Mapping

import numpy

from ooze import c
from ooze.c._support import encoded, text_of
from ooze.errors import ArgumentError

#: Members that hold the lengths of arrays.
COUNTS = {"keyframes": "keyframe_count", "parts": "part_count", "lights": "light_count",
          "temperature_table": "temperature_row_count", "vertices": "vertex_count",
          "triangles": "triangle_count", "fields": "field_count"}
#: Numbers of an element of arrays that are given as NumPy arrays.
WIDTHS = {"vertices": 3, "triangles": 3}


def closest(name: str, names: Any) -> str:
    """A hint for a wrong name."""
    found = difflib.get_close_matches(name, list(names), 1)
    return f"did you mean '{found[0]}'?" if found else "use one of: " + ", ".join(sorted(names))


def enum_names(enum: Any) -> dict[str, int]:
    """Names of the constants as in scenes: {"box": OOZE_SHAPE_BOX, ...}."""
    names = [constant.name for constant in enum if not constant.name.endswith("_COUNT")]
    prefix = os.path.commonprefix(names).rpartition("_")[0] + "_"
    return {name.removeprefix(prefix).lower(): int(enum[name]) for name in names}


def enum_value(enum: Any, value: Any, what: str) -> int:
    """The constant of that name; numbers are passed on, for the library to check."""
    if not isinstance(value, str):
        return int(value)
    names = enum_names(enum)
    if value.lower() not in names:
        raise ArgumentError(f"{what} cannot be '{value}'", closest(value, names))
    return names[value.lower()]


def whole_number(value: Any, what: str) -> int:
    """A whole number that is 0 or more."""
    try:
        number = operator.index(value)
    except TypeError:
        number = -1
    if number < 0:
        raise ArgumentError(f"{what} must be a whole number that is 0 or more, not {value!r}",
                            "give 0, 1, 2, ...")
    return number


def time_value(value: Any, what: str) -> float:
    """A time in s, 0 or more."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not (math.isfinite(number) and number >= 0):
        raise ArgumentError(f"{what} must be a time that is 0 or more, not {value!r}",
                            "times are in seconds")
    return number


def numbers(value: Any, count: int, what: str) -> list[float]:
    """`count` numbers."""
    try:
        found = [float(v) for v in value]
    except (TypeError, ValueError):
        found = []
    if len(found) != count:
        raise ArgumentError(f"{what} must be {count} numbers, not {value!r}",
                            f"give a sequence of {count} numbers")
    return found


def shape(value: Any) -> c.OozeShapeDef:
    """A shape from a dict with a `type`, as in scenes: {"type": "box", "size": [1, 1, 1]}."""
    if isinstance(value, c.OozeShapeDef):
        return value
    if isinstance(value, str):
        value = {"type": value}
    if not isinstance(value, Mapping) or not {"type", "kind"} & set(value):
        raise ArgumentError(f"a shape must be a dict with a type, not {value!r}",
                            "for example {'type': 'sphere', 'radius': 0.1}")
    values = dict(value)
    if "type" in values and "kind" in values:
        raise ArgumentError("a shape has a 'type' or a 'kind', which mean the same, and not both",
                            "leave out 'kind'")
    kind = values.pop("type") if "type" in values else values.pop("kind")
    kind = enum_value(c.OozeShapeKind, kind, "the type of a shape")
    definition = c.ooze_shape_def_default(kind)
    for key in ("vertices", "triangles"):  # of a mesh in memory, without a level of its own
        if key in values:
            values.setdefault("mesh", {})[key] = values.pop(key)
    if "heights" in values:
        heights = numpy.ascontiguousarray(values.pop("heights"), dtype=numpy.float32)
        if heights.ndim != 2:
            raise ArgumentError("heights must be an array of rows and columns", "give a 2D array")
        values["field"] = {"heights": heights, "columns": heights.shape[1],
                           "rows": heights.shape[0]}
    fill(definition, values)
    return definition


def look(value: Any) -> c.OozeLookDef:
    """A look from its name, or from a dict with a `type` and changes of it."""
    if isinstance(value, c.OozeLookDef):
        return value
    values = {"type": value} if isinstance(value, str) else dict(value)
    names = {text_of(info.name): index for index, info in enumerate(c.ooze_looks())}
    if isinstance(values.get("type"), str):
        if values["type"] not in names:
            raise ArgumentError(f"there is no look '{values['type']}'",
                                closest(values["type"], names))
        values["type"] = names[values["type"]]
    definition = c.ooze_look_def_default()
    fill(definition, values)
    return definition


def keyframe(value: Any) -> c.OozeKeyframe:
    """A keyframe; without a rotation it has none."""
    definition = c.OozeKeyframe(rotation=c.OozeQuat(0, 0, 0, 1))
    return value if isinstance(value, c.OozeKeyframe) else fill(definition, value)


MAKERS: dict[Any, Callable[[Any], Any]] = {
    c.OozeShapeDef: shape,
    c.OozeLookDef: look,
    c.OozeKeyframe: keyframe,
    c.OozeTemperatureRow: lambda value: fill(c.ooze_temperature_row_default(), value),
    c.OozeLightDef: lambda value: fill(c.ooze_light_def_default(), value),
}


def fill(target: Any, values: Mapping[str, Any],
         resolve: Callable[[Any, Any], int] | None = None) -> Any:
    """Sets members of a structure. `resolve` gives the index of an item that is named."""
    types = dict(target._fields_)
    counts = set(COUNTS.values()) & set(types)
    for key, value in values.items():
        if key not in types or key in counts:
            raise ArgumentError(f"{type(target).__name__} has no '{key}'",
                                closest(key, set(types) - counts))
        if value is not None:
            _set(target, key, types[key], value, resolve)
    return target


def _set(target: Any, key: str, kind: Any, value: Any,
         resolve: Callable[[Any, Any], int] | None) -> None:
    if key in target.enumerations:
        setattr(target, key, enum_value(target.enumerations[key], value, key))
    elif kind in (c.OozeVec3, c.OozeQuat):
        setattr(target, key, value if isinstance(value, kind)
                else kind(*numbers(value, len(kind._fields_), key)))
    elif kind is ctypes.c_char_p:
        setattr(target, key, encoded(value))
    elif issubclass(kind, ctypes.Array):
        setattr(target, key, kind(*[kind._type_(v).value for v in
                                    numbers(value, kind._length_, key)]))
    elif kind in MAKERS:
        setattr(target, key, MAKERS[kind](value))
    elif issubclass(kind, ctypes.Structure) and kind.__name__.endswith("Id"):
        setattr(target, key, kind(resolve(kind, value) if resolve else int(value)))
    elif issubclass(kind, ctypes.Structure):
        fill(getattr(target, key), value, resolve)
    elif hasattr(kind, "contents"):
        _set_array(target, key, kind._type_, value)
    else:
        setattr(target, key, _number(kind, key, value))


def _number(kind: Any, key: str, value: Any) -> Any:
    try:
        if kind in (ctypes.c_double, ctypes.c_float):
            return float(value)
        if kind is ctypes.c_bool:
            return bool(value)
        if int(value) != value:
            raise ValueError
        if kind(int(value)).value != int(value):
            raise ArgumentError(f"{key} is {value}, which its type does not hold",
                                "give a smaller number that is 0 or more")
        return int(value)
    except (TypeError, ValueError) as wrong:
        if isinstance(wrong, ArgumentError):
            raise
        raise ArgumentError(f"{key} must be a number, not {value!r}", "give a number") from None


def _set_array(target: Any, key: str, element: Any, value: Any) -> None:
    if key in WIDTHS or key == "heights":
        dtype = {"vertices": numpy.float64, "triangles": numpy.uint32}.get(key, numpy.float32)
        data = numpy.ascontiguousarray(value, dtype=dtype)
        width = WIDTHS.get(key, 1)
        if key in WIDTHS and (data.ndim != 2 or data.shape[1] != width):
            raise ArgumentError(f"{key} have the shape {data.shape} instead of (n, {width})",
                                f"give {width} numbers each")
        block = (ctypes.c_char * data.nbytes).from_buffer_copy(data.tobytes())
        setattr(target, key, ctypes.cast(block, ctypes.POINTER(element)))
        count = len(data)
    elif element is ctypes.c_char_p:
        items = [encoded(item) for item in value]
        setattr(target, key, (ctypes.c_char_p * len(items))(*items))
        count = len(items)
    else:
        items = [MAKERS[element](item) for item in value]
        setattr(target, key, (element * len(items))(*items))
        count = len(items)
    if key in COUNTS:
        setattr(target, COUNTS[key], count)


def param_value(params: list[c.OozeParamInfo], key: str, value: Any) -> float:
    """The number of a setting: true, false and names of choices are converted."""
    info = next((p for p in params if text_of(p.key) == key), None)
    if info is not None and isinstance(value, str) and info.choices:
        names = text_of(info.choices).split("|")
        if value not in names:
            raise ArgumentError(f"{key} cannot be '{value}'", closest(value, names))
        return float(names.index(value))
    try:
        return float(value)
    except (TypeError, ValueError):
        raise ArgumentError(f"{key} must be a number, not {value!r}", "give a number") from None
