"""What the generated modules beside this one use."""
from __future__ import annotations

import ctypes
import os
from typing import Any, Callable

from ooze import _library
from ooze.errors import BY_STATUS, ArgumentError, Error

library = _library.load()


class _Member:
    def __init__(self, ctype: Any, text: str, enum: Any = None):
        self.ctype, self.text, self.enum = ctype, text, enum


def member(ctype: Any, text: str = "") -> Any:
    """A member of a structure. A function gives the type from the structure itself."""
    return _Member(ctype, text)


def enumerated(enum: Any, ctype: Any, text: str = "") -> Any:
    """A member that holds a constant of an enumeration."""
    return _Member(ctype, text, enum)


def structure(own: type) -> type:
    """Makes the members of the class fields of the structure, and adds them to its docstring."""
    members = [(name, value) for name, value in vars(own).items() if isinstance(value, _Member)]
    for name, _ in members:
        delattr(own, name)
    own._fields_ = [(name, m.ctype if isinstance(m.ctype, type) else m.ctype(own))
                    for name, m in members]
    own.enumerations = {name: m.enum for name, m in members if m.enum}
    lines = [f"    {name}: {m.text}" if m.text else f"    {name}" for name, m in members]
    own.__doc__ = "\n".join([own.__doc__ or "", "", "Members:", *lines])
    return own


def encoded(text: str | bytes | os.PathLike | None) -> bytes | None:
    """Text as the library reads it: UTF-8, or the bytes of a path."""
    if text is None or isinstance(text, bytes):
        data = text
    elif isinstance(text, str):
        data = text.encode("utf-8", "surrogateescape")
    else:
        data = os.fsencode(text)
    if data and b"\0" in data:
        raise ArgumentError("a text holds a character with the code 0", "remove the character")
    return data


class Text(ctypes.c_char_p):
    """A text argument: str, bytes, a path, or None."""

    @classmethod
    def from_param(cls, value: Any) -> Any:
        if value is not None and not isinstance(value, (str, bytes, os.PathLike)):
            raise TypeError(f"a text is needed, not {type(value).__name__}")
        return ctypes.c_char_p.from_param(encoded(value))


def text_of(data: bytes | None) -> str | None:
    """Text of the library as str."""
    return None if data is None else data.decode("utf-8", "replace")


def bind(name: str, result: Any, *arguments: Any) -> Callable:
    """The function of the library, with its types."""
    try:
        function = library[name]
    except AttributeError:
        raise ImportError(f"the library {library._name} has no function {name}: it is of another "
                          "version than this package") from None
    function.restype, function.argtypes = result, arguments
    return function


def check(function: Callable, *arguments: Any, outputs: tuple[Any, ...] = ()) -> None:
    """Calls a function whose last parameter is an OozeError; raises where it fails."""
    from ooze.c.status_types import OozeError
    error = OozeError()
    try:
        status = function(*arguments, ctypes.byref(error))
    except ctypes.ArgumentError as wrong:
        raise TypeError(f"{function.__name__}: {wrong}") from None
    if status:
        kind = BY_STATUS.get(status, Error)
        raise kind(text_of(error.message) or f"{function.__name__} failed with status {status}",
                   text_of(error.hint) or "", outputs)


def take_text(pointer: ctypes.c_void_p) -> str:
    """A text that the library has allocated, which is freed here."""
    text = text_of(ctypes.cast(pointer, ctypes.c_char_p).value)
    free = library["ooze_text_free"]
    free.argtypes, free.restype = [ctypes.c_void_p], None
    free(pointer)
    return text or ""
