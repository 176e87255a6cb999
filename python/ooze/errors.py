"""Exceptions. Each has a message, which states what failed and where, and a hint, which says what
to do; both are those of the library.
"""
from __future__ import annotations

from typing import Any


class Error(Exception):
    """A call of Ooze failed."""

    #: Number of the status in the C API (OozeStatus); 0 where the Python package found the error.
    status: int = 0

    def __init__(self, message: str, hint: str = "", outputs: tuple[Any, ...] = ()):
        super().__init__(message, hint)
        self.message = message
        self.hint = hint
        #: What the call had written through its pointers when it failed.
        self.outputs = outputs

    def __reduce__(self) -> Any:
        """For other processes, where pointers mean nothing."""
        state = {key: value for key, value in vars(self).items() if key != "outputs"}
        return type(self), (self.message, self.hint), state

    def __str__(self) -> str:
        return f"{self.message}\nhint: {self.hint}" if self.hint else self.message


class ArgumentError(Error, ValueError):
    """An argument is invalid."""

    status = 1


class OutOfMemoryError(Error, MemoryError):
    """An allocation failed."""

    status = 2


class FileError(Error, OSError):
    """A file cannot be opened, read or found."""

    status = 3


class WriteError(Error, OSError):
    """A file cannot be written: full disk, read-only folder."""

    status = 4


class FormatError(Error, ValueError):
    """A file was read, but its content is damaged or unknown."""

    status = 5


class SceneError(Error, ValueError):
    """The scene has errors; `diagnostics` lists all of them."""

    status = 6
    #: A tuple of ooze.Diagnostic.
    diagnostics: tuple[Any, ...] = ()


class LimitError(Error):
    """A limit of the library is exceeded."""

    status = 7


class UnsupportedError(Error):
    """This build, computer or method does not support the request."""

    status = 8


class NumericError(Error, ArithmeticError):
    """The simulation diverged: a value is NaN or out of bounds."""

    status = 9


class CancelledError(Error):
    """A progress callback returned false."""

    status = 10


class ClosedError(Error, ValueError):
    """The object was closed."""


class StaleViewError(Error, ValueError):
    """The world has changed since the view was taken."""


class CommandError(Error):
    """The command `ooze` failed."""


BY_STATUS: dict[int, type[Error]] = {
    kind.status: kind for kind in (
        ArgumentError, OutOfMemoryError, FileError, WriteError, FormatError, SceneError, LimitError,
        UnsupportedError, NumericError, CancelledError)}
