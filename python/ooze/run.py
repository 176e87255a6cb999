"""Run folders, as `ooze run` writes them."""
from __future__ import annotations

import os
import pathlib
import re
from typing import Any, Iterator, Sequence

import numpy

from ooze import c
from ooze.errors import FileError, FormatError
from ooze.frame import Frame
from ooze.scene import Scene


class Frames(Sequence[Frame]):
    """The frames of a run, each read when it is asked for. Negative indices count from the last."""

    def __init__(self, folder: pathlib.Path):
        self._paths = sorted(folder.glob("frame_*.h5"))

    @property
    def paths(self) -> list[pathlib.Path]:
        """The frame files."""
        return list(self._paths)

    def __len__(self) -> int:
        return len(self._paths)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [Frame(path) for path in self._paths[index]]
        return Frame(self._paths[index])

    def __iter__(self) -> Iterator[Frame]:
        return map(Frame, self._paths)


def read_table(path: pathlib.Path) -> numpy.ndarray:
    """A table of readings as a structured array. `units` of the result's dtype.metadata holds the
    units of the columns."""
    with open(path, encoding="utf-8") as file:
        head = file.readline().rstrip("\n").split(",")
        rows = [line.rstrip("\n").split(",") for line in file if line.strip()]
    names, units = [], {}
    for column in head:
        name, unit = re.fullmatch(r"(.*?)(?: \[(.*)\])?", column).groups()
        names.append(name)
        units[name] = unit or ""
    whole = {"frame", "step", "particles"}
    kind = numpy.dtype([(name, "i8" if name in whole else "f8") for name in names],
                       metadata={"units": units})
    table = numpy.empty(len(rows), dtype=kind)
    try:
        for i, row in enumerate(rows):
            if len(row) != len(names):
                raise ValueError(f"row {i + 1} has {len(row)} values")
            table[i] = tuple(int(v) if n in whole else float(v) for n, v in zip(names, row))
    except ValueError as wrong:
        raise FormatError(f"'{path}' is no table of readings: {wrong}",
                          "make it again with `ooze run`") from None
    return table


class _RunScene(Scene):
    """The scene of a run, which an earlier version may have written."""

    _load = staticmethod(c.ooze_scene_load_run)


class Run:
    """A run folder: its scene, frames and readings of probes."""

    def __init__(self, folder: str | os.PathLike):
        #: The folder.
        self.folder = pathlib.Path(folder)
        if not (self.folder / "scene.yaml").exists():
            raise FileError(f"'{self.folder}' is no run folder: it has no scene.yaml",
                            "make a run with ooze.Scene.run or `ooze run SCENE -o DIR`")
        self._scene: Scene | None = None

    @property
    def scene(self) -> Scene:
        """The scene of the run."""
        if self._scene is None:
            self._scene = _RunScene(self.folder / "scene.yaml")
        return self._scene

    @property
    def frames(self) -> Frames:
        """The frames that are there now."""
        return Frames(self.folder / "frames")

    def __len__(self) -> int:
        return len(self.frames)

    def _table(self, name: str) -> numpy.ndarray:
        path = self.folder / name
        if not path.exists():
            raise FileError(f"the run has no table '{name}'",
                            "probes of the scene write it; `every_step: true` writes "
                            "probes_steps.csv")
        return read_table(path)

    @property
    def probes(self) -> numpy.ndarray:
        """Readings of every frame: a structured array with `frame`, `step`, `time`, `particles`
        and the columns of the probes."""
        return self._table("probes.csv")

    @property
    def probe_steps(self) -> numpy.ndarray:
        """Readings of every step."""
        return self._table("probes_steps.csv")

    def dataframe(self, steps: bool = False) -> Any:
        """The readings as a pandas DataFrame with the time as its index; needs pandas."""
        import pandas
        table = self.probe_steps if steps else self.probes
        return pandas.DataFrame({name: table[name] for name in table.dtype.names}
                                ).set_index("time")

    def hash(self) -> str:
        """Hash of the last frame, as `ooze info --hash` prints it."""
        return self._frame(-1).hash()

    def _frame(self, index: int) -> Frame:
        frames = self.frames
        if not -len(frames) <= index < len(frames):
            raise FileError(f"the run has no frame {index}", f"it has {len(frames)} frames")
        return frames[index]

    def picture(self, frame: int = -1, **settings: Any) -> Any:
        """A picture of a frame; see ooze.World.picture."""
        from ooze.picture import render
        with self._frame(frame) as opened:
            return opened._read(lambda data: render(self.scene, data, settings))

    def plot(self, *probes: str, **options: Any) -> Any:
        """Readings over time as SVG, by the command `ooze plot`; see ooze.Plot. Options are those
        of the command: title="...", log="x"."""
        from ooze.command import plot_run
        return plot_run(self, *probes, **options)

    def view(self, **options: Any) -> Any:
        """Plays the run in the viewer; see ooze.View."""
        from ooze.command import View
        return View(self, **options)

    def _repr_png_(self) -> bytes:
        """For notebooks: a quick picture of the last frame."""
        return self.picture(size=(640, 400), preview=True).png

    def __repr__(self) -> str:
        return f"<ooze.Run '{self.folder}': {len(self)} frames>"
