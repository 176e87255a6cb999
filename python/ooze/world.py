"""The world: a simulation."""
from __future__ import annotations

import ctypes
import os
import weakref
from typing import Any, Callable, Iterator

import numpy

from ooze import c
from ooze._definitions import (closest, enum_value, fill, param_value, time_value,
                               whole_number)
from ooze._object import Object
from ooze.c._support import encoded, text_of
from ooze.errors import ArgumentError, Error, OutOfMemoryError, UnsupportedError
from ooze.fields import Lease, pointer_to, vectors
from ooze.frame import Frame, Snapshot
from ooze.items import Emitter, Item, Joint, Material, Probe, Solid

FINDERS = {Material: c.ooze_world_find_material, Solid: c.ooze_world_find_solid,
           Emitter: c.ooze_world_find_emitter, Probe: c.ooze_world_find_probe}
LEVELS = {c.OozeLogLevel.OOZE_LOG_DEBUG: "debug", c.OozeLogLevel.OOZE_LOG_INFO: "info",
          c.OozeLogLevel.OOZE_LOG_WARNING: "warning"}


class _Log:
    """Passes lines of the log to a function; an exception in it is raised after the call."""

    def __init__(self, function: Callable[[str, str], Any] | None):
        self.failure: BaseException | None = None
        self.callback = c.OozeLogCallback()
        if function is not None:
            def receive(_: Any, level: int, line: bytes) -> None:
                try:
                    function(LEVELS.get(level, "info"), text_of(line) or "")
                except BaseException as failure:  # must not pass through C code
                    self.failure = failure
            self.callback = c.OozeLogCallback(receive)

    def raise_failure(self) -> None:
        failure, self.failure = self.failure, None
        if failure is not None:
            raise failure


class World(Snapshot, Object):
    """A simulation: of a scene, World(scene) or scene.world(), or of items that are added to
    World(method="conformation", spacing=0.01, time_step=1/480, ...), whose arguments are the
    members of OozeWorldDef.

    `threads` 0: one per core. `device`: "auto", "cpu" or "cuda". `log(level, line)` receives lines
    of the log. Fields are views of the world's memory, see ooze.FieldView: world.position,
    world["velocity"]. Several threads may call a world; they wait for each other.
    """

    _kind = "world"

    def __init__(self, scene: Any = None, *, threads: int = 0, device: str | int = "auto",
                 log: Callable[[str, str], Any] | None = None, **definition: Any):
        #: The scene that the world was built from, or None.
        self.scene = scene
        self._log = _Log(log)
        device = enum_value(c.OozeDevice, device, "device")
        if scene is not None:
            if definition:
                key = next(iter(definition))
                members = [name for name, _ in c.OozeWorldDef._fields_]
                raise ArgumentError(f"a world of a scene takes no '{key}'",
                                    "change the scene instead" if key in members else
                                    closest(key, ["threads", "device", "log"]))
            options = fill(c.OozeBuildOptions(), {"threads": threads, "device": device})
            options.log = self._log.callback
            pointer = scene._call(c.ooze_scene_build, options)
            #: Seconds of a step.
            self.time_step = scene.time_step
            needs: tuple[Any, ...] = (self._log, scene._holder)
        else:
            values = fill(c.ooze_world_def_default(),
                          {**definition, "threads": threads, "device": device})
            values.log = self._log.callback
            pointer = c.ooze_world_create(values)
            self.time_step = values.time_step
            needs = (self._log,)
        self._own(pointer, c.ooze_world_destroy, needs)
        #: Steps taken.
        self.step_count = 0
        self._leases: list[Any] = []  # weak references
        self._keeps, self._current_lease = False, None
        self._forces: list[Callable[[World], Any]] = []
        self._callbacks: list[Callable[[World], Any]] = []
        self._calling = False
        self._log.raise_failure()

    # ---- calls ----------------------------------------------------------------------------------

    def _call(self, function: Callable, *arguments: Any) -> Any:
        try:
            return super()._call(function, *arguments)
        finally:
            if self._log.failure is not None:
                self._log.raise_failure()

    def _change(self, function: Callable, *arguments: Any) -> Any:
        """A call that changes the world: views become invalid. While any of them is in use, the
        memory that it shows is not freed."""
        with self._lock:
            self._get()
            lease = self._current_lease() if self._current_lease else None
            if lease is not None:
                lease.valid = False
            self._current_lease = None
            del lease
            self._leases = [one for one in self._leases if one() is not None]
            keep = bool(self._leases)
            if keep or self._keeps:
                self._call(c.ooze_world_keep_arrays, keep)
                self._keeps = keep
            return self._call(function, *arguments)

    def _lease(self) -> Lease:
        lease = self._current_lease() if self._current_lease else None
        if lease is None:
            lease = Lease(self._holder)
            self._current_lease = weakref.ref(lease)
            self._leases.append(self._current_lease)
        return lease

    def _read(self, function: Any) -> Any:
        def read(pointer: Any) -> Any:
            frame = c.ooze_world_frame(pointer)
            if not frame:
                raise OutOfMemoryError("the state of the world cannot be shown",
                                       "close other worlds or use fewer particles")
            return function(frame.contents)
        return self._call(read)

    def close(self) -> None:
        """Ends the world. Views of it become invalid; see ooze.FieldView."""
        if not self.closed:
            with self._lock:
                lease = self._current_lease() if self._current_lease else None
                super().close()
                if lease is not None:
                    lease.valid = False

    # ---- time -----------------------------------------------------------------------------------

    @property
    def time(self) -> float:
        """Simulated seconds since the start."""
        return self.step_count * self.time_step

    def step(self, count: int = 1) -> None:
        """Takes steps: forces act, the step is taken, then the step callbacks are called. A
        callback that returns False ends the call after the current step."""
        for _ in range(whole_number(count, "count")):
            if not self._one_step():
                return

    def run(self, until: float | None = None, *, seconds: float | None = None) -> None:
        """Takes steps until a time, or for a number of seconds, or to the end of the scene. It
        ends at the step nearest to that time, and takes none where that time has passed."""
        if until is not None and seconds is not None:
            raise ArgumentError("a world runs until a time or for some seconds, not both",
                                "give 'until' or 'seconds'")
        if until is not None:
            until = time_value(until, "until")
        elif seconds is not None:
            until = self.time + time_value(seconds, "seconds")
        elif self.scene is not None:
            until = self.scene.duration
        else:
            raise ArgumentError("a world without a scene has no end",
                                "use run(until=1.0) or run(seconds=1.0)")
        self._get()
        while self.time + 0.5 * self.time_step < until:
            if not self._one_step():
                return

    def frames(self, count: int | None = None) -> Iterator[int]:
        """Simulates the frames of the scene as `ooze run` does, probes included, so that the hash
        is the same: yields 0 before the first step, then the number of each frame."""
        if self.scene is None:
            raise ArgumentError("a world without a scene has no frames", "use step() or run()")
        if self.step_count % self.scene.steps_per_frame:
            raise ArgumentError(f"step {self.step_count} is not that of a frame",
                                "call frames() at the beginning, or where a frame was restored")
        last = self.scene.frame_count if count is None else whole_number(count, "count")
        number = self.step_count // self.scene.steps_per_frame
        if number == 0:
            self.measure()
            yield 0
        every_step = any(probe.every_step for probe in self.probes)
        while number < last:
            for step in range(self.scene.steps_per_frame):
                stop = not self._one_step()
                at_frame = step + 1 == self.scene.steps_per_frame
                if at_frame or every_step:
                    self._call(c.ooze_world_measure, not at_frame)
                if stop:
                    return
            number += 1
            yield number

    def _one_step(self) -> bool:
        """False: a callback ends the run."""
        with self._lock:
            if self._calling:
                raise Error("a callback cannot take steps of the world that called it",
                            "take steps outside of forces and step callbacks")
            self._calling = True
            try:
                self._apply_forces()
                self._change(c.ooze_world_step)
                self.step_count += 1
                results = [callback(self) for callback in list(self._callbacks)]
            finally:
                self._calling = False
        return not any(result is False for result in results)

    # ---- callbacks ------------------------------------------------------------------------------

    def on_step(self, callback: Callable[["World"], Any]) -> Callable[["World"], Any]:
        """Calls callback(world) after each step; it may return False to end the run. Usable as a
        decorator. `remove` ends it."""
        self._get()
        self._callbacks.append(callback)
        return callback

    def force(self, acceleration: Callable[["World"], Any]) -> Callable[["World"], Any]:
        """Adds a force: acceleration(world) is called before each step and returns m/s2 for each
        particle, (particles, 3), or one vector for all. Usable as a decorator. It acts in addition
        to gravity, on the velocities at the beginning of the step (semi-implicit Euler)."""
        self._get()
        self._forces.append(acceleration)
        return acceleration

    def remove(self, callback: Callable[["World"], Any]) -> None:
        """Removes a step callback or a force."""
        for functions in (self._callbacks, self._forces):
            if callback in functions:
                functions.remove(callback)
                return
        raise ArgumentError("this function was not added", "use what on_step or force was given")

    def _apply_forces(self) -> None:
        if not self._forces:
            return
        count = self.particle_count
        total = numpy.zeros((count, 3))
        for force in list(self._forces):
            total += vectors(force(self), count, "accelerations")
        self.add_velocities(total * self.time_step)

    def add_velocities(self, velocities: Any) -> None:
        """Adds a velocity, m/s, to each particle: (particles, 3), or one vector for all."""
        with self._lock:
            array = vectors(velocities, self.particle_count, "velocities")
            if len(array):
                self._change(c.ooze_world_add_velocities, len(array),
                             pointer_to(array, c.OozeVec3))

    # ---- items ----------------------------------------------------------------------------------

    def _resolve(self, kind: Any, value: Any) -> int:
        """Index of an item that is given as the item, its name or its index."""
        if isinstance(value, Item):
            if value._world is not self or value.id_type is not kind:
                raise ArgumentError(f"{value!r} is not an item of that kind of this world",
                                    "use items of the same world")
            return value.index
        if isinstance(value, str):
            owner = next((k for k in FINDERS if k.id_type is kind), None)
            if owner is None:
                raise ArgumentError(f"'{value}' cannot be found by name", "use its index")
            return self._call(FINDERS[owner], value).index
        try:
            return ctypes.c_int32(int(value)).value
        except (TypeError, ValueError):
            raise ArgumentError(f"{value!r} is no item", "use an item, its name or its index"
                                ) from None

    def _find(self, kind: Any, name: str | int) -> Any:
        if isinstance(name, str):
            return kind(self, self._call(FINDERS[kind], name).index, name)
        return kind(self, ctypes.c_int32(int(name)).value, "")

    def material(self, name: str | int) -> Material:
        """The material of that name or index."""
        return self._find(Material, name)

    def solid(self, name: str | int) -> Solid:
        """The solid of that name or index."""
        return self._find(Solid, name)

    def emitter(self, name: str | int) -> Emitter:
        """The emitter of that name or index."""
        return self._find(Emitter, name)

    def probe(self, name: str | int) -> Probe:
        """The probe of that name or index."""
        return self._find(Probe, name)

    @property
    def probes(self) -> tuple[Probe, ...]:
        """All probes."""
        def read(pointer: Any) -> list[str]:
            return [text_of(c.ooze_world_probe(pointer, c.OozeProbeId(i)).name) or ""
                    for i in range(c.ooze_world_probe_count(pointer))]
        return tuple(Probe(self, i, name) for i, name in enumerate(self._call(read)))

    def measure(self) -> dict[str, float]:
        """Measures the present state with all probes: values by column, such as
        "top.height"."""
        self._call(c.ooze_world_measure, False)
        return {column: value for probe in self.probes
                for column, value in probe.values.items()}

    def _add(self, default: Callable, add: Callable, values: dict[str, Any]) -> Any:
        definition = fill(default(), values, self._resolve)
        return self._change(add, definition)

    def add_material(self, name: str = "", *, preset: str | None = None,
                     **numbers: Any) -> Material:
        """Adds a material: add_material("honey", density=1400, viscosity=10), or one with the
        numbers of a preset. Also color, look and temperature_table (dicts with a temperature).

        In methods other than conformation the first step replaces the numbers of a preset by those
        of the method, as in a scene file, for the fluids, emitters and solids that the world has
        then and for its `duration`; numbers that are given here, or set later, stay."""
        definition = c.ooze_material_def_default()
        if preset is not None:
            c.ooze_material_preset(preset, definition)
        members = {key: numbers.pop(key) for key in ("color", "look", "temperature_table")
                   if key in numbers}
        fill(definition, members)
        if name or not preset:
            definition.name = encoded(name)
        for key, value in numbers.items():
            number = param_value(c.ooze_material_params(), key, value)
            c.ooze_material_def_set(definition, key, number)
        index = self._change(c.ooze_world_add_material, definition).index
        return Material(self, index, name or preset or "")

    def add_solid(self, name: str = "", **values: Any) -> Solid:
        """Adds a solid: add_solid("floor", shape={"type": "plane"}, friction=0.3). Arguments are
        the members of OozeSolidDef; `motion` is a dict."""
        added = self._add(c.ooze_solid_def_default, c.ooze_world_add_solid,
                          {"name": name, **values})
        return Solid(self, added.index, name)

    def add_joint(self, name: str = "", **values: Any) -> Joint:
        """Adds a joint; arguments are the members of OozeJointDef."""
        added = self._add(c.ooze_joint_def_default, c.ooze_world_add_joint,
                          {"name": name, **values})
        return Joint(self, added.index, name)

    def add_emitter(self, name: str = "", **values: Any) -> Emitter:
        """Adds a nozzle: add_emitter(material="honey", radius=0.01, position=[0, 1, 0],
        speed=0.5). Arguments are the members of OozeEmitterDef."""
        added = self._add(c.ooze_emitter_def_default, c.ooze_world_add_emitter,
                          {"name": name, **values})
        return Emitter(self, added.index, name)

    def add_probe(self, name: str = "", **values: Any) -> Probe:
        """Adds a probe: add_probe("top", kind="height"). Arguments are the members of
        OozeProbeDef."""
        added = self._add(c.ooze_probe_def_default, c.ooze_world_add_probe,
                          {"name": name, **values})
        return Probe(self, added.index, name)

    def add_fluid(self, **values: Any) -> int:
        """Fills a shape with particles: add_fluid(material="honey", shape={...}); returns their
        number. Arguments are the members of OozeFluidDef."""
        return self._add(c.ooze_fluid_def_default, c.ooze_world_add_fluid, values)

    def add_particles(self, material: Any, positions: Any, velocities: Any = None) -> None:
        """Adds particles at positions (n, 3), m, with velocities (n, 3), m/s, or at rest."""
        x = vectors(positions, None, "positions")
        v = None if velocities is None else vectors(velocities, len(x), "velocities")
        self._change(c.ooze_world_add_particles,
                     c.OozeMaterialId(self._resolve(c.OozeMaterialId, material)), len(x),
                     pointer_to(x, c.OozeVec3), None if v is None else pointer_to(v, c.OozeVec3))

    def add_sink(self, name: str = "", **values: Any) -> None:
        """Adds a volume that removes particles; arguments are the members of OozeSinkDef."""
        self._add(c.ooze_sink_def_default, c.ooze_world_add_sink, {"name": name, **values})

    def add_heat_source(self, name: str = "", **values: Any) -> None:
        """Adds a volume that heats; arguments are the members of OozeHeatSourceDef."""
        self._add(c.ooze_heat_source_def_default, c.ooze_world_add_heat_source,
                  {"name": name, **values})

    def add_push(self, **values: Any) -> None:
        """Adds velocity to the particles near a point at a time, by default now; arguments are the
        members of OozePushDef: position, radius, velocity, time."""
        self._add(c.ooze_push_def_default, c.ooze_world_add_push, {"time": self.time, **values})

    def add_change(self, **values: Any) -> None:
        """Changes a number at a time; arguments are the members of OozeChangeDef."""
        self._add(c.ooze_change_def_default, c.ooze_world_add_change, values)

    # ---- settings -------------------------------------------------------------------------------

    def set(self, path: str, value: Any, *, time: float | None = None, ramp: float = 0.0) -> None:
        """Changes a number of a world of a scene as a row of `changes` does: set("gravity.y", 0),
        set("materials.honey.viscosity", 5, ramp=0.5), set("solids.bowl.position.x", 0.1)."""
        if self.scene is None:
            raise ArgumentError("a world without a scene has no paths",
                                "use set_param, material[key], solid[key] or add_change")
        if isinstance(value, bool):
            value = "true" if value else "false"
        number = value if isinstance(value, str) else repr(param_value([], path, value))
        change = c.OozeSceneChangeText(encoded(path), encoded(number),
                                       self.time if time is None else float(time), float(ramp))
        self.scene._call(lambda scene: self._change(
            lambda world: c.ooze_scene_change_world(scene, world, change)))

    def _method_params(self) -> list[c.OozeParamInfo]:
        name = self.method
        for i in range(c.ooze_method_count()):
            info = c.ooze_method_info(i).contents
            if text_of(info.name) == name:
                return [info.params[k] for k in range(info.param_count)]
        return []

    def set_param(self, key: str, value: Any) -> None:
        """Sets a setting of the method; choices by their names."""
        number = param_value(self._method_params(), key, value)
        self._change(c.ooze_world_set_param, key, number)

    def get_param(self, key: str) -> float:
        """A setting of the method; the number of a choice."""
        return self._call(c.ooze_world_get_param, key)

    # ---- state ----------------------------------------------------------------------------------

    def restore(self, frame: Frame | str | os.PathLike) -> None:
        """Sets the state to that of a frame or of a frame file (`save`). The frame's world must
        have had the same definition and items."""
        if not isinstance(frame, Frame):
            with Frame(frame) as opened:
                return self.restore(opened)
        frame._call(lambda saved: self._change(c.ooze_world_restore, saved))
        self.step_count = frame.step
        return None

    def stats(self) -> dict[str, Any]:
        """Numbers of particles, memory, errors of the last step, and times of stages."""
        def read(pointer: Any) -> dict[str, Any]:
            s = c.ooze_world_stats(pointer)
            plain = {name: getattr(s, name) for name, kind in s._fields_
                     if not hasattr(kind, "contents") and not name.endswith("_count")}
            plain["device"] = text_of(s.device) or ""
            plain["stages"] = {text_of(s.stages[i].name): s.stages[i].seconds
                               for i in range(s.stage_count)}
            plain["parts"] = {(text_of(s.parts[i].stage), text_of(s.parts[i].name)):
                              s.parts[i].seconds for i in range(s.part_count)}
            return plain
        return self._call(read)

    def picture(self, **settings: Any) -> Any:
        """A picture of the present state; see ooze.Picture. Settings are the members of
        OozeRenderDef, such as size=(640, 360), samples=64, preview=True, camera_position."""
        from ooze.picture import render
        if self.scene is None:
            raise UnsupportedError("a world without a scene cannot be drawn",
                                   "build the world from an ooze.Scene")
        return self._read(lambda frame: render(self.scene, frame, settings))

    def _repr_png_(self) -> bytes:
        """For notebooks: a quick picture."""
        return self.picture(size=(640, 400), preview=True).png

    def __repr__(self) -> str:
        if self.closed:
            return "<ooze.World, closed>"
        return f"<ooze.World at {self.time:g} s: {self.particle_count} particles>"
