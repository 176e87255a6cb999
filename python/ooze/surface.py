"""The surface of a fluid as a triangle mesh."""
from __future__ import annotations

import ctypes
import dataclasses
from typing import Any

import numpy

from ooze import c
from ooze._definitions import fill
from ooze.c._support import text_of


@dataclasses.dataclass(frozen=True)
class Surface:
    """A closed mesh; triangles are counter-clockwise seen from outside."""

    vertices: numpy.ndarray  # (n, 3), m
    normals: numpy.ndarray  # (n, 3)
    velocities: numpy.ndarray  # (n, 3), m/s
    colors: numpy.ndarray  # (n, 3), linear RGB
    materials: numpy.ndarray  # (n,)
    triangles: numpy.ndarray  # (m, 3), indices of vertices
    fields: dict[str, numpy.ndarray]  # (n, components), in the order of the settings
    volume: float  # m3
    area: float  # m2
    triangle_materials: numpy.ndarray  # (m,)
    interface_vertices: numpy.ndarray  # (k, 3), m: vertices n to n + k, which only interfaces use
    interfaces: numpy.ndarray  # (j, 3): triangles between two materials
    interface_materials: numpy.ndarray  # (j, 2): behind each of them and in front of it


def _copied(pointer: Any, *shape: int) -> numpy.ndarray:
    kind = pointer._type_
    if 0 in shape or not pointer:
        return numpy.empty(shape, dtype=numpy.dtype(kind))
    return numpy.ctypeslib.as_array(pointer, shape=shape).copy()


def build_surface(frame: c.OozeFrame, threads: int, values: dict[str, Any]) -> Surface:
    """Reconstructs the surface of a frame."""
    settings = fill(c.ooze_surface_default(), values)
    built = c.ooze_surface_build(ctypes.pointer(frame), settings, threads)
    try:
        s = built.contents
        n, inner = s.vertex_count, s.interface_vertex_count
        fields = {text_of(f.name) or "": _copied(f.values, n, f.components)
                  for f in (s.fields[i] for i in range(s.field_count))}
        return Surface(_copied(s.positions, n, 3), _copied(s.normals, n, 3),
                       _copied(s.velocities, n, 3), _copied(s.colors, n, 3),
                       _copied(s.materials, n), _copied(s.triangles, s.triangle_count, 3),
                       fields, s.volume, s.area,
                       _copied(s.triangle_materials, s.triangle_count),
                       _copied(s.positions, n + inner, 3)[n:],
                       _copied(s.interfaces, s.interface_count, 3),
                       _copied(s.interface_materials, s.interface_count, 2))
    finally:
        c.ooze_surface_free(built)
