"""Scenes: from a file, from text, or from dicts."""
from __future__ import annotations

import ctypes
import dataclasses
import json
import math
import os
from typing import Any, Mapping

import numpy

from ooze import c
from ooze._definitions import closest
from ooze._object import Object
from ooze.c._support import encoded, text_of
from ooze.errors import ArgumentError, SceneError


@dataclasses.dataclass(frozen=True)
class Diagnostic:
    """An error or a warning of a scene, with its place."""

    severity: str  # "error" or "warning"
    file: str
    line: int  # from 1; 0: the whole file
    column: int
    message: str
    hint: str
    source: str

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}:{self.column}: " if self.line else f"{self.file}: "
        return f"{place}{self.severity}: {self.message}" + (f" ({self.hint})" if self.hint else "")


def _plain(value: Any) -> Any:
    """Numbers, lists, dicts and texts only. The scene format writes infinity as inf."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items() if item is not None}
    if isinstance(value, numpy.ndarray):
        return _plain(value.tolist())
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, numpy.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    return value


def scene_text(values: Mapping[str, Any]) -> str:
    """Dicts as the text of a scene. JSON is YAML."""
    try:
        return json.dumps({"ooze": 2, **values}, indent=1)
    except TypeError as wrong:
        raise ArgumentError(f"a scene cannot hold this value: {wrong}",
                            "use numbers, texts, lists, dicts and arrays") from None


def _find_item(items: Any, name: str, path: str) -> Any:
    """Key or index of a material by its name, or of an item of a list by its name or index."""
    if isinstance(items, dict):
        if name in items:
            return name
        names = list(items)
    else:
        names = [str(item["name"]) if isinstance(item, dict) and "name" in item else str(index)
                 for index, item in enumerate(items)]
        if name in names:
            return names.index(name)
        if name.isdigit() and int(name) < len(items):
            return int(name)
    raise ArgumentError(f"the scene has no '{name}' of '{path}'",
                        closest(name, names) if names else "it has none of them")


def _set_path(values: dict[str, Any], path: str, value: Any) -> None:
    """Sets `materials.honey.viscosity`, or `solids.floor.friction` in a list of named items.
    Unknown keys are left to the reader of scenes."""
    names = path.split(".")
    place: Any = values
    for depth, name in enumerate(names):
        if not isinstance(place, (dict, list)):
            raise ArgumentError(f"'{names[depth - 1]}' of '{path}' is a value and has no '{name}'",
                                "leave out what follows it")
        material = depth == 1 and names[0] == "materials"
        key: Any = _find_item(place, name, path) if material or isinstance(place, list) else name
        if depth == len(names) - 1:
            place[key] = value
        else:
            place = place.setdefault(key, {}) if isinstance(place, dict) else place[key]


class Scene(Object):
    """A scene that was read and checked.

    Scene("honey.yaml") reads a file; `set` overrides values: {"spacing": 0.01,
    "materials.honey.viscosity": 10}. Scene(text="...") reads YAML. Scene(spacing=0.01,
    materials={...}, ...) and Scene({...}) take the keys of the scene format from Python, of which
    those that are arguments win; `ooze: 2` may be left out. Paths in text and dicts are relative to
    the working folder.

    Errors raise SceneError, whose `diagnostics` lists all of them. Scenes can be pickled, and hence
    passed to other processes: by their YAML text, with overrides and with full paths of files.
    """

    _kind = "scene"

    def __init__(self, source: str | os.PathLike | Mapping[str, Any] | None = None, *,
                 text: str | None = None, set: Mapping[str, Any] | None = None, **keys: Any):
        if sum([source is not None and not isinstance(source, Mapping), text is not None,
                isinstance(source, Mapping) or bool(keys)]) != 1:
            raise ArgumentError("a scene needs a path, a text, or keys, and only one of them",
                                "for example ooze.Scene('honey.yaml') or "
                                "ooze.Scene(spacing=0.01, ...)")
        #: Path of the file, or None.
        self.path: str | None = None
        try:
            if text is not None:
                if set:
                    raise ArgumentError("a scene from text takes no overrides",
                                        "use a file or a dict, or change the text")
                pointer = self._load_text(text)
            elif source is not None and not isinstance(source, Mapping):
                self.path = os.fspath(source)
                pointer = self._load_file(self.path, set or {})
            else:
                values = _plain({**(source or {}), **keys})  # a copy
                for path, value in (set or {}).items():
                    _set_path(values, path, _plain(value))
                pointer = self._load_text(scene_text(values))
        except SceneError as error:
            failed = error.outputs[0]
            error.diagnostics, error.outputs = _diagnostics(failed), ()
            c.ooze_scene_free(failed)
            raise
        self._own(pointer, c.ooze_scene_free)

    def __reduce__(self) -> Any:
        return _from_yaml, (self.yaml, self.path)

    @staticmethod
    def _load_text(text: str) -> Any:
        data = text.encode("utf-8", "surrogateescape")
        if b"\0" in data:
            raise ArgumentError("the text holds a character with the code 0", "remove it")
        return c.ooze_scene_load_text(data, len(data), "scene")

    _load = staticmethod(c.ooze_scene_load)

    def _load_file(self, path: str, overrides: Mapping[str, Any]) -> Any:
        def written(value: Any) -> str:
            plain = _plain(value)
            return plain if isinstance(plain, str) else json.dumps(plain)
        texts = [encoded(f"{key}={written(value)}") for key, value in overrides.items()]
        return self._load(path, (ctypes.c_char_p * len(texts))(*texts), len(texts))

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Warnings."""
        return self._call(_diagnostics)

    @property
    def _info(self) -> c.OozeSceneInfo:
        return self._call(c.ooze_scene_info).contents

    @property
    def title(self) -> str:
        """The title."""
        return text_of(self._info.title) or ""

    @property
    def duration(self) -> float:
        """Seconds of the simulation."""
        return self._info.duration

    @property
    def frame_rate(self) -> float:
        """Frames per simulated second."""
        return self._info.frame_rate

    @property
    def frame_count(self) -> int:
        """Frames, without the initial frame 0."""
        return self._info.frame_count

    @property
    def steps_per_frame(self) -> int:
        """Time steps from one frame to the next."""
        return self._info.steps_per_frame

    @property
    def time_step(self) -> float:
        """Seconds of a step, shortened so that a frame has a whole number of steps."""
        return self._info.time_step

    @property
    def yaml(self) -> str:
        """The scene as canonical YAML, with includes and overrides, as in run folders."""
        return self._call(c.ooze_scene_canonical) or ""

    def world(self, *, threads: int = 0, device: str = "auto", log: Any = None) -> Any:
        """Builds the world of the scene. See ooze.World for the arguments."""
        from ooze.world import World
        return World(self, threads=threads, device=device, log=log)

    def check(self) -> tuple[Diagnostic, ...]:
        """Builds the world and checks it for likely mistakes; returns all warnings."""
        with self.world() as world:
            self._call(lambda scene: world._call(
                lambda pointer: c.ooze_scene_check_physics(scene, pointer)))
        return self.diagnostics

    def run(self, folder: str | os.PathLike, **options: Any) -> Any:
        """Simulates the scene into a run folder by the command `ooze run`; returns an ooze.Run.

        Options are those of the command: threads=1, frames=10, device="cpu", mesh=True."""
        from ooze.command import run_scene
        return run_scene(self, folder, **options)

    def view(self, **options: Any) -> Any:
        """The live viewer of the scene; see ooze.View."""
        from ooze.command import View
        return View(self, **options)

    def __repr__(self) -> str:
        if self.closed:
            return "<ooze.Scene, closed>"
        return f"<ooze.Scene '{self.title}': {self.frame_count} frames of {self.duration:g} s>"

    def _repr_png_(self) -> bytes:
        """For notebooks: the initial state."""
        with self.world() as world:
            return world._repr_png_()


def _from_yaml(text: str, path: str | None) -> Scene:
    """A scene from its pickle."""
    scene = Scene(text=text)
    scene.path = path
    return scene


def _diagnostics(pointer: Any) -> tuple[Diagnostic, ...]:
    found = []
    for index in range(c.ooze_scene_diagnostic_count(pointer)):
        row = c.ooze_scene_diagnostic(pointer, index).contents
        texts = {key: text_of(getattr(row, key)) or ""
                 for key in ("file", "message", "hint", "source")}
        error = row.severity == c.OozeSeverity.OOZE_SEVERITY_ERROR
        found.append(Diagnostic(severity="error" if error else "warning", line=row.line,
                                column=row.column, **texts))
    return tuple(found)


def schema() -> dict:
    """The scene format as JSON Schema."""
    return json.loads(c.ooze_scene_schema())


def reference() -> str:
    """The scene format as a Markdown page."""
    return c.ooze_scene_reference()
