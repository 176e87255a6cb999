"""Items of a world: materials, solids, joints, emitters and probes."""
from __future__ import annotations

from typing import Any, Mapping

from ooze import c
from ooze._definitions import closest, enum_names, param_value
from ooze.c._support import text_of
from ooze.errors import ArgumentError
from ooze.frame import Pose, pose_of


class Item:
    """An item of a world; valid as long as the world is not closed."""

    id_type: Any = None

    def __init__(self, world: Any, index: int, name: str):
        self._world = world
        #: Number of the item in its world.
        self.index = index
        #: Name of the item; may be "".
        self.name = name

    @property
    def _id(self) -> Any:
        return self.id_type(self.index)

    def __repr__(self) -> str:
        return f"<ooze.{type(self).__name__} {self.index} '{self.name}'>"


class Material(Item):
    """A material: material["viscosity"] reads a number, material["viscosity"] = 5 sets it from the
    next step on."""

    id_type = c.OozeMaterialId

    def __getitem__(self, key: str) -> float:
        return self._world._call(c.ooze_world_get_material, self._id, key)

    def __setitem__(self, key: str, value: Any) -> None:
        number = param_value(c.ooze_material_params(), key, value)
        self._world._change(c.ooze_world_set_material, self._id, key, number)

    def keys(self) -> list[str]:
        """Keys of all numbers."""
        return [text_of(p.key) or "" for p in c.ooze_material_params()]


def _parameter(enum: Any, key: str) -> int:
    names = enum_names(enum)
    if key not in names:
        raise ArgumentError(f"there is no parameter '{key}'", closest(str(key), names))
    return names[key]


class Solid(Item):
    """A solid: solid["friction"] reads and sets a number; `pose` is its placement."""

    id_type = c.OozeSolidId

    def __getitem__(self, key: str) -> float:
        return self._world._call(c.ooze_world_get_solid, self._id,
                                 _parameter(c.OozeSolidParam, key))

    def __setitem__(self, key: str, value: float) -> None:
        number = param_value([], key, value)
        self._world._change(c.ooze_world_set_solid, self._id,
                            _parameter(c.OozeSolidParam, key), number)

    @property
    def pose(self) -> Pose:
        """Present placement and motion."""
        def read(frame: c.OozeFrame) -> Pose:
            if not 0 <= self.index < frame.solid_count:
                raise ArgumentError(f"there is no solid {self.index}", "use an item of the world")
            return pose_of(frame.solids[self.index].pose)
        return self._world._read(read)

    def move(self, position: Any = None, rotation: Any = None, velocity: Any = (0, 0, 0),
             spin: Any = (0, 0, 0)) -> None:
        """Moves the solid to a pose during the next step, then on with velocity and spin. Without
        `position` or `rotation` these stay as they are."""
        from ooze._definitions import numbers
        now = self.pose
        values = [numbers(now.position if position is None else position, 3, "position"),
                  numbers(now.rotation if rotation is None else rotation, 4, "rotation"),
                  numbers(velocity, 3, "velocity"), numbers(spin, 3, "spin")]
        pose = c.OozeSolidPose(c.OozeVec3(*values[0]), c.OozeQuat(*values[1]),
                               c.OozeVec3(*values[2]), c.OozeVec3(*values[3]))
        self._world._change(c.ooze_world_set_solid_pose, self._id, pose)


class Joint(Item):
    """A joint: joint["speed"] = 90 sets speed, force, low or high."""

    id_type = c.OozeJointId

    def __setitem__(self, key: str, value: float) -> None:
        number = param_value([], key, value)
        self._world._change(c.ooze_world_set_joint, self._id,
                            _parameter(c.OozeJointParam, key), number)


class Emitter(Item):
    """A nozzle."""

    id_type = c.OozeEmitterId

    def set_speed(self, speed: float) -> None:
        """Sets the speed of the jet, m/s, from the next step on."""
        number = param_value([], "speed", speed)
        self._world._change(c.ooze_world_set_emitter_speed, self._id, number)


class Probe(Item):
    """A probe. Its values are those of the last measurement: world.measure()."""

    id_type = c.OozeProbeId

    def _reading(self, function: Any) -> Any:
        """Returns function(reading); the reading points to memory of the world."""
        return self._world._call(lambda pointer: function(c.ooze_world_probe(pointer, self._id)))

    @property
    def every_step(self) -> bool:
        """Measured every step, or else every frame."""
        return self._reading(lambda r: r.every_step)

    @property
    def units(self) -> Mapping[str, str]:
        """Units of the columns."""
        return self._reading(lambda r: {text_of(r.columns[i]) or "": text_of(r.units[i]) or ""
                                        for i in range(r.column_count)})

    @property
    def values(self) -> dict[str, float]:
        """Values of the last measurement by column; NaN before the first."""
        return self._reading(lambda r: {text_of(r.columns[i]) or "":
                                        r.values[i] if r.values else float("nan")
                                        for i in range(r.column_count)})

    def read(self) -> dict[str, float]:
        """Measures the present state with all probes; returns the values of this one."""
        self._world.measure()
        return self.values
