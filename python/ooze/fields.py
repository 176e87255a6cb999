"""Arrays of the library as NumPy arrays, without copies.

A view of a world is valid until the world changes: then every use of it raises StaleViewError. Its
memory stays allocated as long as an array refers to it, so that a plain array that was derived
from it (`numpy.asarray(view)`) never crashes either, but shows an earlier or a later state.
"""
from __future__ import annotations

import ctypes
from typing import Any

import numpy

from ooze.c import OozeFieldType, OozeFieldView
from ooze.c._support import text_of
from ooze.errors import StaleViewError

DTYPES = {
    OozeFieldType.OOZE_FIELD_FLOAT32: numpy.dtype("f4"),
    OozeFieldType.OOZE_FIELD_FLOAT64: numpy.dtype("f8"),
    OozeFieldType.OOZE_FIELD_UINT8: numpy.dtype("u1"),
    OozeFieldType.OOZE_FIELD_UINT16: numpy.dtype("u2"),
    OozeFieldType.OOZE_FIELD_UINT32: numpy.dtype("u4"),
    OozeFieldType.OOZE_FIELD_UINT64: numpy.dtype("u8"),
}


class Lease:
    """Permission to read memory of `owner`, which lives at least as long as the lease."""

    __slots__ = ("owner", "valid", "__weakref__")

    def __init__(self, owner: Any):
        self.owner, self.valid = owner, True


class _Memory:
    """What NumPy needs to know of memory; every array that is made of it refers to this object."""

    def __init__(self, lease: Lease, interface: dict):
        self.lease, self.__array_interface__ = lease, interface


def _checked(value: Any) -> Any:
    """Plain arrays in place of views, which must be valid; also inside lists."""
    if isinstance(value, FieldView):
        value.check()
        return value.view(numpy.ndarray)
    if isinstance(value, (list, tuple)):
        return type(value)(map(_checked, value)) if type(value) in (list, tuple) else value
    return value


class FieldView(numpy.ndarray):
    """A read-only array in memory of the library. `copy()` makes an array of your own.

    `unit`, `help` and `columns` (names of the components) describe it; they are of the view itself,
    not of slices of it.
    """

    _lease: Lease | None
    unit: str
    help: str
    columns: tuple[str, ...]

    def __array_finalize__(self, source: Any) -> None:
        self._lease = getattr(source, "_lease", None)
        self.unit, self.help, self.columns = "", "", ()

    def check(self) -> None:
        """Raises StaleViewError if the world has changed since the view was taken."""
        if self._lease is not None and not self._lease.valid and not self.flags.owndata:
            raise StaleViewError("the world has changed since this view of a field was taken",
                                 "take the field from the world again, or keep a copy: "
                                 "world.position.copy()")

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        options = {key: _checked(value) for key, value in options.items()}
        return getattr(ufunc, method)(*map(_checked, inputs), **options)

    def __array_function__(self, function: Any, types: Any, arguments: Any, options: Any) -> Any:
        options = {key: _checked(value) for key, value in options.items()}
        return function(*map(_checked, arguments), **options)

    def __getitem__(self, key: Any) -> Any:
        self.check()
        found = super().__getitem__(_checked(key))
        if isinstance(found, numpy.ndarray) and not numpy.may_share_memory(found, self):
            return found.view(numpy.ndarray)  # chosen by an array of indices: a copy
        return found

    def __iter__(self) -> Any:
        self.check()
        return super().__iter__()

    def __repr__(self) -> str:
        return repr(_checked(self))

    __str__ = __repr__

    def __reduce__(self) -> Any:
        return self.copy().__reduce__()

    def copy(self, order: str = "C") -> numpy.ndarray:
        """An array of your own, which stays as it is."""
        return numpy.array(_checked(self), order=order)

    def astype(self, *arguments: Any, **options: Any) -> numpy.ndarray:
        """A converted copy."""
        return _checked(self).astype(*arguments, **options)

    def tolist(self) -> Any:
        """A list of numbers."""
        return _checked(self).tolist()

    def tobytes(self, *arguments: Any, **options: Any) -> bytes:
        """The bytes of the elements, without padding."""
        return _checked(self).tobytes(*arguments, **options)

    def item(self, *arguments: Any) -> Any:
        """One element as a number of Python."""
        return _checked(self).item(*arguments)


def memory_array(address: int | None, dtype: numpy.dtype, shape: tuple[int, ...],
                 strides: tuple[int, ...] | None, lease: Lease) -> FieldView:
    """An array of memory at an address; it keeps the lease, and with it the owner, alive."""
    if not address or 0 in shape:
        view = numpy.empty(shape, dtype).view(FieldView)
    else:
        memory = _Memory(lease, {"version": 3, "data": (address, True), "typestr": dtype.str,
                                 "shape": shape, "strides": strides})
        view = numpy.asarray(memory).view(FieldView)
    view._lease = lease
    view.flags.writeable = False
    return view


def field_array(view: OozeFieldView, lease: Lease) -> FieldView:
    """A field: one row per element, or one number where it has one component."""
    dtype = DTYPES[OozeFieldType(view.type)]
    row = view.stride * dtype.itemsize
    one = view.components == 1
    shape = (view.count,) if one else (view.count, view.components)
    strides = (row,) if one else (row, dtype.itemsize)
    array = memory_array(view.data, dtype, shape, strides, lease)
    array.unit, array.help = text_of(view.unit) or "", text_of(view.help) or ""
    if view.columns:
        array.columns = tuple(text_of(view.columns[i]) or "" for i in range(view.components))
    return array


def vectors(values: Any, count: int | None = None, what: str = "values") -> numpy.ndarray:
    """Doubles of shape (n, 3), in memory as OozeVec3[n]; `count` rows of one vector."""
    from ooze.errors import ArgumentError
    try:
        array = numpy.asarray(values, dtype=numpy.float64)
        if count is not None:
            array = numpy.broadcast_to(array, (count, 3))
    except (TypeError, ValueError) as wrong:
        raise ArgumentError(f"{what} must be numbers of shape (n, 3): {wrong}",
                            "give three numbers per particle") from None
    if array.ndim != 2 or array.shape[1] != 3:
        raise ArgumentError(f"{what} have the shape {array.shape} instead of (n, 3)",
                            "give three numbers per particle")
    return numpy.ascontiguousarray(array)


def pointer_to(array: numpy.ndarray, ctype: Any) -> Any:
    """A pointer to the elements, which does not keep the array alive."""
    return ctypes.cast(ctypes.c_void_p(array.ctypes.data), ctypes.POINTER(ctype))
