"""Objects of the library with an end: closed once, by one thread at a time, in their own process.
"""
from __future__ import annotations

import difflib
import os
import threading
import weakref
from typing import Any, Callable

from ooze.errors import ClosedError, Error, UnsupportedError


def _free(free: Callable, pointer: Any, process: int) -> None:
    """The copy of an object in a forked process has no worker threads to end."""
    if os.getpid() == process:
        free(pointer)


class Holder:
    """Owns a pointer: it is freed when the last reference to the holder is gone, such as that of
    the object itself and those of views of its arrays. `needs`: what must live as long."""

    def __init__(self, pointer: Any, free: Callable, needs: tuple[Any, ...] = ()):
        self.pointer, self.needs, self.process = pointer, needs, os.getpid()
        weakref.finalize(self, _free, free, pointer, self.process)


class Object:
    """An object of the library."""

    _holder: Holder | None = None
    _kind = "object"

    def _own(self, pointer: Any, free: Callable, needs: tuple[Any, ...] = ()) -> None:
        self._lock, self._inside = threading.RLock(), False
        self._holder = Holder(pointer, free, needs)

    @property
    def closed(self) -> bool:
        """Whether the object was closed."""
        return self._holder is None

    def close(self) -> None:
        """Ends the object: later calls raise ClosedError. Its memory is freed, or, where views of
        it are still in use, with the last of them."""
        if self._holder is not None:
            with self._lock:
                if self._inside:
                    raise Error(f"a {self._kind} cannot be closed inside one of its own calls",
                                "close it after the call")
                self._holder = None

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __reduce__(self) -> Any:
        raise UnsupportedError(f"a {self._kind} cannot be pickled",
                               f"make the {self._kind} in the process that uses it")

    def __getattr__(self, name: str) -> Any:
        """Called for names that the object does not have."""
        names = [known for known in dir(type(self)) if not known.startswith("_")]
        near = difflib.get_close_matches(name, names, 1)
        raise AttributeError(f"a {self._kind} has no '{name}'" +
                             (f"; did you mean '{near[0]}'?" if near else ""))

    def _get(self) -> Any:
        """The pointer; raises where it must not be used."""
        if self._holder is None:
            raise ClosedError(f"the {self._kind} is closed", f"make or open a new {self._kind}")
        if os.getpid() != self._holder.process:
            raise Error(f"the {self._kind} belongs to the process that made it",
                        f"make the {self._kind} in the process that uses it")
        return self._holder.pointer

    def _call(self, function: Callable, *arguments: Any) -> Any:
        """Calls function(pointer, ...). Other threads wait; a call inside a call is an error."""
        if self._holder is None:
            self._get()
        with self._lock:
            pointer = self._get()
            if self._inside:
                raise Error(f"a {self._kind} cannot be used inside one of its own calls",
                            "do it in a step callback, or after the call")
            self._inside = True
            try:
                return function(pointer, *arguments)
            finally:
                self._inside = False
