"""Pictures of frames, by the library's renderer."""
from __future__ import annotations

import ctypes
import os
import struct
import zlib
from typing import Any, Mapping

import numpy

from ooze import c
from ooze._definitions import fill, numbers
from ooze.errors import ArgumentError

#: Pictures larger than this are refused before memory is asked for.
PIXELS_MAX = 1 << 28


def encode_png(pixels: numpy.ndarray) -> bytes:
    """A PNG file of pixels (height, width, 3), bytes."""
    height, width, _ = pixels.shape
    rows = numpy.zeros((height, 1 + 3 * width), dtype=numpy.uint8)  # each begins with its filter
    rows[:, 1:] = pixels.reshape(height, 3 * width)

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (struct.pack(">I", len(data)) + kind + data +
                struct.pack(">I", zlib.crc32(kind + data)))
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    tags = chunk(b"sRGB", b"\0") + chunk(b"gAMA", struct.pack(">I", 45455))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + tags +
            chunk(b"IDAT", zlib.compress(rows.tobytes(), 6)) + chunk(b"IEND", b""))


class Picture:
    """A picture: `pixels` (height, width, 3), sRGB bytes. Notebooks show it."""

    def __init__(self, pixels: numpy.ndarray):
        self.pixels = pixels

    @property
    def png(self) -> bytes:
        """The picture as a PNG file."""
        return encode_png(self.pixels)

    def save(self, path: str | os.PathLike) -> None:
        """Writes a PNG file."""
        with open(path, "wb") as file:
            file.write(self.png)

    def _repr_png_(self) -> bytes:
        return self.png

    def __repr__(self) -> str:
        return f"<ooze.Picture of {self.pixels.shape[1]} x {self.pixels.shape[0]} pixels>"


def render(scene: Any, frame: c.OozeFrame, settings: Mapping[str, Any]) -> Picture:
    """Draws a frame of a world or run of the scene. `settings` change those of the scene."""
    values = dict(settings)
    if "size" in values:
        values["size"] = [*numbers(values["size"], 2, "size"), 0.0]

    def draw(pointer: Any) -> Picture:
        definition = c.OozeRenderDef()
        ctypes.pointer(definition)[0] = c.ooze_scene_render(pointer).contents
        fill(definition, values)
        width, height = definition.size.x, definition.size.y
        if not (width >= 1 and height >= 1 and width * height <= PIXELS_MAX):
            raise ArgumentError(f"a picture cannot have {width:g} x {height:g} pixels",
                                "give size=(width, height)")
        renderer = c.ooze_renderer_create(pointer, definition)
        try:
            pixels = numpy.empty((int(height), int(width), 3), dtype=numpy.uint8)
            target = pixels.ctypes.data_as(ctypes.POINTER(ctypes.c_ubyte))
            c.ooze_render_frame(renderer, ctypes.pointer(frame), None, None, target)
        finally:
            c.ooze_renderer_free(renderer)
        return Picture(pixels)
    return scene._call(draw)
