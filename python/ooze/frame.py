"""Frames: the state of a world, or of a frame file."""
from __future__ import annotations

import ctypes
import dataclasses
import os
from typing import Any, Iterator, Mapping

import numpy

from ooze import c
from ooze._definitions import closest
from ooze._object import Object
from ooze.c._support import text_of
from ooze.errors import ArgumentError
from ooze.fields import FieldView, Lease, field_array


@dataclasses.dataclass(frozen=True)
class Pose:
    """Placement and motion of a solid: m, quaternion x y z w, m/s, deg/s."""

    position: numpy.ndarray
    rotation: numpy.ndarray
    velocity: numpy.ndarray
    spin: numpy.ndarray


def pose_of(pose: c.OozeSolidPose) -> Pose:
    """A pose of the C API."""
    p, r, v, s = pose.position, pose.rotation, pose.velocity, pose.spin
    return Pose(numpy.array([p.x, p.y, p.z]), numpy.array([r.x, r.y, r.z, r.w]),
                numpy.array([v.x, v.y, v.z]), numpy.array([s.x, s.y, s.z]))


class Fields(Mapping[str, FieldView]):
    """The fields of the particles by name."""

    def __init__(self, owner: "Snapshot"):
        self._owner = owner

    def __getitem__(self, name: str) -> FieldView:
        return self._owner[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._owner.field_names)

    def __len__(self) -> int:
        return len(self._owner.field_names)

    def __repr__(self) -> str:
        return f"<fields: {', '.join(self)}>"


class Snapshot:
    """A state: particles with their fields, solids, materials, and the state of the method."""

    def _read(self, function: Any) -> Any:
        """Returns function(frame), where frame is an OozeFrame; implemented by the owners."""
        raise NotImplementedError

    def _lease(self) -> Lease:
        raise NotImplementedError

    # ---- particles ------------------------------------------------------------------------------

    @property
    def particle_count(self) -> int:
        """Number of particles."""
        return self._read(lambda frame: frame.particle_count)

    def __len__(self) -> int:
        return self.particle_count

    @property
    def field_names(self) -> tuple[str, ...]:
        """Names of the fields of the particles."""
        return self._read(lambda frame: tuple(text_of(frame.fields[i].name) or ""
                                              for i in range(frame.field_count)))

    @property
    def fields(self) -> Fields:
        """All fields, as a mapping of names to views."""
        return Fields(self)

    def __getitem__(self, name: str) -> FieldView:
        """A field as an array of shape (particles,) or (particles, components); see FieldView."""
        def view(frame: c.OozeFrame) -> FieldView | None:
            found = c.ooze_frame_field(ctypes.pointer(frame), name)
            return field_array(found.contents, self._lease()) if found else None
        array = self._read(view) if isinstance(name, str) else None
        if array is None:
            raise ArgumentError(f"there is no field '{name}'",
                                closest(str(name), self.field_names))
        return array

    @property
    def position(self) -> FieldView:
        """Positions, m: (particles, 3)."""
        return self["position"]

    @property
    def velocity(self) -> FieldView:
        """Velocities, m/s: (particles, 3)."""
        return self["velocity"]

    def arrays(self) -> dict[str, numpy.ndarray]:
        """Copies of all fields."""
        return {name: self[name].copy() for name in self.field_names}

    # ---- the rest of the state ------------------------------------------------------------------

    @property
    def spacing(self) -> float:
        """Particle spacing, m."""
        return self._read(lambda frame: frame.spacing)

    @property
    def support(self) -> float:
        """Kernel support radius, m."""
        return self._read(lambda frame: frame.support)

    @property
    def method(self) -> str:
        """Name of the method."""
        return self._read(lambda frame: text_of(frame.method)) or ""

    @property
    def poses(self) -> dict[str, Pose]:
        """Poses of the solids by name."""
        return self._read(lambda frame: {text_of(frame.solids[i].name) or "":
                                         pose_of(frame.solids[i].pose)
                                         for i in range(frame.solid_count)})

    @property
    def material_names(self) -> tuple[str, ...]:
        """Names of the materials, in the order of the field `material`."""
        return self._read(lambda frame: tuple(text_of(frame.materials[i].name) or ""
                                              for i in range(frame.material_count)))

    def state(self) -> dict[str, numpy.ndarray]:
        """Copies of the tables of the rest of the state; structured arrays where the columns have
        names."""
        def copy(frame: c.OozeFrame) -> dict[str, numpy.ndarray]:
            tables = {}
            for i in range(frame.state_count):
                view = field_array(frame.state[i], Lease(None))
                names, data = view.columns, view.copy()
                if names and len(set(names)) == len(names):
                    kind = numpy.dtype([(name, data.dtype) for name in names])
                    data = data.reshape(-1, len(names)).view(kind).reshape(-1)
                tables[text_of(frame.state[i].name) or ""] = data
            return tables
        return self._read(copy)

    def hash(self) -> str:
        """Hash of the state, as `ooze info --hash` prints it."""
        return self._read(lambda frame: f"{c.ooze_frame_hash(ctypes.pointer(frame)):016x}")

    def save(self, path: str | os.PathLike) -> None:
        """Writes a frame file (HDF5), which holds the full state."""
        self._read(lambda frame: c.ooze_frame_write(ctypes.pointer(frame), path))

    def surface(self, *, threads: int = 0, **settings: Any) -> Any:
        """The surface of the fluid; see ooze.Surface. Settings are those of the section `surface`
        of a scene: method, cell, smoothing, mesh_smoothing, decimation, fields."""
        from ooze.surface import build_surface
        return self._read(lambda frame: build_surface(frame, threads, settings))


class Frame(Snapshot, Object):
    """A frame file, wholly in memory. Its views stay valid: they keep the frame alive."""

    _kind = "frame"

    def __init__(self, path: str | os.PathLike):
        #: The file.
        self.path = os.fspath(path)
        self._own(c.ooze_frame_open(path), c.ooze_frame_close)
        self._the_lease = Lease(self._holder)

    def _read(self, function: Any) -> Any:
        return self._call(lambda pointer: function(pointer.contents))

    def _lease(self) -> Lease:
        return self._the_lease

    @property
    def index(self) -> int:
        """Number of the frame in its run."""
        return self._read(lambda frame: frame.index)

    @property
    def step(self) -> int:
        """Time steps since the start."""
        return self._read(lambda frame: frame.step)

    @property
    def time(self) -> float:
        """Seconds since the start."""
        return self._read(lambda frame: frame.time)

    def __repr__(self) -> str:
        if self.closed:
            return "<ooze.Frame, closed>"
        return f"<ooze.Frame {self.index} at {self.time:g} s: {self.particle_count} particles>"
