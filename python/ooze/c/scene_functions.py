"""Functions: scene files.

Written by tools/python_bindings.py from include/ooze/scene.h; edit that.
"""
from __future__ import annotations

from ctypes import (POINTER, byref, c_char_p, c_int, c_size_t, c_void_p)
from typing import Any
from ooze.c._support import (Text, bind, check, take_text, text_of)
from ooze.c.status_types import OozeError
from ooze.c.world_types import OozeWorld
from ooze.c.surface_types import OozeSurfaceSettings
from ooze.c.scene_types import (OozeBuildOptions, OozeDiagnostic, OozeScene, OozeSceneChangeText,
                                OozeSceneInfo)


_ooze_scene_load = bind("ooze_scene_load", c_int, Text, POINTER(c_char_p), c_int,
                        POINTER(POINTER(OozeScene)), POINTER(OozeError))
def ooze_scene_load(path: str | bytes | None, overrides: Any, override_count: int) -> Any:
    """Reads a scene file with its includes and with overrides `KEY.PATH=VALUE`. With the result
    OOZE_ERROR_SCENE, `*scene` is set as well, and its diagnostics list all errors.
    """
    scene = POINTER(OozeScene)()
    check(_ooze_scene_load, path, overrides, override_count, byref(scene), outputs=(scene,))
    return scene


_ooze_scene_load_run = bind("ooze_scene_load_run", c_int, Text, POINTER(c_char_p), c_int,
                            POINTER(POINTER(OozeScene)), POINTER(OozeError))
def ooze_scene_load_run(path: str | bytes | None, overrides: Any, override_count: int) -> Any:
    """The same for `scene.yaml` of a run folder, which an earlier version may have written: format
    1 is read as well, with angles in degrees, and settings that are gone are no errors.
    """
    scene = POINTER(OozeScene)()
    check(_ooze_scene_load_run, path, overrides, override_count, byref(scene), outputs=(scene,))
    return scene


_ooze_scene_load_text = bind("ooze_scene_load_text", c_int, Text, c_size_t, Text,
                             POINTER(POINTER(OozeScene)), POINTER(OozeError))
def ooze_scene_load_text(text: str | bytes | None, length: int, name: str | bytes | None) -> Any:
    """The same as ooze_scene_load for a text of `length` bytes; `name` is the file name in
    diagnostics, and may be NULL.
    """
    scene = POINTER(OozeScene)()
    check(_ooze_scene_load_text, text, length, name, byref(scene), outputs=(scene,))
    return scene


_ooze_scene_free = bind("ooze_scene_free", None, POINTER(OozeScene))
def ooze_scene_free(scene: Any) -> None:
    """Frees the scene."""
    _ooze_scene_free(scene)


_ooze_scene_diagnostic_count = bind("ooze_scene_diagnostic_count", c_int, POINTER(OozeScene))
def ooze_scene_diagnostic_count(scene: Any) -> int:
    """Scene: diagnostic count."""
    return _ooze_scene_diagnostic_count(scene)


_ooze_scene_diagnostic = bind("ooze_scene_diagnostic", POINTER(OozeDiagnostic), POINTER(OozeScene),
                              c_int)
def ooze_scene_diagnostic(scene: Any, index: int) -> Any:
    """Scene: diagnostic."""
    return _ooze_scene_diagnostic(scene, index)


_ooze_scene_info = bind("ooze_scene_info", POINTER(OozeSceneInfo), POINTER(OozeScene))
def ooze_scene_info(scene: Any) -> Any:
    """Scene: info."""
    return _ooze_scene_info(scene)


_ooze_scene_surface = bind("ooze_scene_surface", POINTER(OozeSurfaceSettings), POINTER(OozeScene))
def ooze_scene_surface(scene: Any) -> Any:
    """The section `surface` of the scene, without fields."""
    return _ooze_scene_surface(scene)


_ooze_scene_canonical = bind("ooze_scene_canonical", c_char_p, POINTER(OozeScene))
def ooze_scene_canonical(scene: Any) -> str | None:
    """The scene as canonical YAML with includes and overrides merged, as stored in run folders."""
    return text_of(_ooze_scene_canonical(scene))


_ooze_scene_build = bind("ooze_scene_build", c_int, POINTER(OozeScene), POINTER(OozeBuildOptions),
                         POINTER(POINTER(OozeWorld)), POINTER(OozeError))
def ooze_scene_build(scene: Any, options: OozeBuildOptions | Any) -> Any:
    """Creates a world and adds everything in the scene. `options` may be NULL."""
    world = POINTER(OozeWorld)()
    check(_ooze_scene_build, scene, options, byref(world), outputs=(world,))
    return world


_ooze_scene_change_world = bind("ooze_scene_change_world", c_int, POINTER(OozeScene),
                                POINTER(OozeWorld), POINTER(OozeSceneChangeText),
                                POINTER(OozeError))
def ooze_scene_change_world(scene: Any, world: Any, change: OozeSceneChangeText | Any) -> None:
    """Changes a world built from the scene while it runs: one row of the scene's `changes`, as
    text. With the same row in the scene, a new run reaches the same state. The change acts from
    the first step that begins at `time` or later, on a ramp of `ramp` seconds. A value that the
    steps would refuse is refused here. The scene itself stays as it is. Scene and world may be
    used by one thread at a time.
    """
    check(_ooze_scene_change_world, scene, world, change)


_ooze_scene_check_physics = bind("ooze_scene_check_physics", c_int, POINTER(OozeScene),
                                 POINTER(OozeWorld), POINTER(OozeError))
def ooze_scene_check_physics(scene: Any, world: Any) -> None:
    """Checks a world built from the scene for likely mistakes, such as fluid inside solids or too
    long a time step, and adds warnings to the scene's diagnostics.
    """
    check(_ooze_scene_check_physics, scene, world)


_ooze_scene_schema = bind("ooze_scene_schema", c_int, POINTER(c_void_p), POINTER(OozeError))
def ooze_scene_schema() -> str:
    """All keys of the scene format, as JSON Schema and as a Markdown page; free with
    ooze_text_free.
    """
    json = c_void_p()
    check(_ooze_scene_schema, byref(json), outputs=(json,))
    return take_text(json)


_ooze_scene_reference = bind("ooze_scene_reference", c_int, POINTER(c_void_p), POINTER(OozeError))
def ooze_scene_reference() -> str:
    """Scene: reference."""
    markdown = c_void_p()
    check(_ooze_scene_reference, byref(markdown), outputs=(markdown,))
    return take_text(markdown)


_ooze_text_free = bind("ooze_text_free", None, c_void_p)
def ooze_text_free(text: bytes | None) -> None:
    """Frees the char."""
    _ooze_text_free(text)
