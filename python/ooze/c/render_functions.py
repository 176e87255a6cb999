"""Functions: pictures of frames.

Written by tools/python_bindings.py from include/ooze/render.h; edit that.
"""
from __future__ import annotations

from ctypes import (POINTER, byref, c_double, c_int, c_ubyte, c_uint64, c_void_p)
from typing import Any
from ooze.c._support import bind, check
from ooze.c.status_types import OozeError
from ooze.c.frame_types import OozeFrame
from ooze.c.scene_types import OozeScene
from ooze.c.render_types import OozeLightDef, OozeRenderDef, OozeRenderProgress, OozeRenderer


_ooze_light_def_default = bind("ooze_light_def_default", OozeLightDef)
def ooze_light_def_default() -> OozeLightDef:
    """The default values of OozeLightDef."""
    return _ooze_light_def_default()


_ooze_render_def_default = bind("ooze_render_def_default", OozeRenderDef)
def ooze_render_def_default() -> OozeRenderDef:
    """The default values of OozeRenderDef."""
    return _ooze_render_def_default()


_ooze_scene_render = bind("ooze_scene_render", POINTER(OozeRenderDef), POINTER(OozeScene))
def ooze_scene_render(scene: Any) -> Any:
    """The section `render` of the scene; valid as long as the scene. NULL for NULL."""
    return _ooze_scene_render(scene)


_ooze_renderer_create = bind("ooze_renderer_create", c_int, POINTER(OozeScene),
                             POINTER(OozeRenderDef), POINTER(POINTER(OozeRenderer)),
                             POINTER(OozeError))
def ooze_renderer_create(scene: Any, def_: OozeRenderDef | Any) -> Any:
    """`def` NULL: that of the scene. The scene must outlive the renderer."""
    renderer = POINTER(OozeRenderer)()
    check(_ooze_renderer_create, scene, def_, byref(renderer), outputs=(renderer,))
    return renderer


_ooze_renderer_free = bind("ooze_renderer_free", None, POINTER(OozeRenderer))
def ooze_renderer_free(renderer: Any) -> None:
    """Frees the renderer."""
    _ooze_renderer_free(renderer)


_ooze_renderer_survey = bind("ooze_renderer_survey", c_int, POINTER(OozeRenderer),
                             POINTER(OozeFrame), POINTER(OozeError))
def ooze_renderer_survey(renderer: Any, frame: OozeFrame | Any) -> None:
    """Extends the bounds and the colour range by those of a frame. Call it for every frame before
    the first picture, so that the automatic camera and colour map are the same for all pictures.
    """
    check(_ooze_renderer_survey, renderer, frame)


_ooze_render_frame = bind("ooze_render_frame", c_int, POINTER(OozeRenderer), POINTER(OozeFrame),
                          OozeRenderProgress, c_void_p, POINTER(c_ubyte), POINTER(OozeError))
def ooze_render_frame(renderer: Any, frame: OozeFrame | Any, progress: Any, user: Any,
                      pixels: Any) -> None:
    """Renders into `pixels`: width x height x 3 bytes (sRGB), rows from the top. The result
    depends on the seed, not on the number of threads. Surveys the frame if no frame was surveyed
    before.
    """
    check(_ooze_render_frame, renderer, frame, progress or OozeRenderProgress(), user, pixels)


_ooze_renderer_mean_samples = bind("ooze_renderer_mean_samples", c_double, POINTER(OozeRenderer))
def ooze_renderer_mean_samples(renderer: Any) -> float:
    """Mean number of samples per pixel of the last picture; 0: none, or `renderer` is NULL."""
    return _ooze_renderer_mean_samples(renderer)


_ooze_renderer_hash = bind("ooze_renderer_hash", c_uint64, POINTER(OozeRenderer))
def ooze_renderer_hash(renderer: Any) -> int:
    """Hash of all settings that a picture depends on, besides its frame; 0: `renderer` is NULL."""
    return _ooze_renderer_hash(renderer)
