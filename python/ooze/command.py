"""The command `ooze`: runs, plots, the viewer, and fits to rheometer data."""
from __future__ import annotations

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import weakref
from typing import Any, Mapping, Sequence

import numpy

from ooze import _library
from ooze.errors import ArgumentError, CommandError, UnsupportedError


def path() -> str:
    """Path of the command."""
    found = _library.command_path()
    if found is None:
        raise UnsupportedError("the command `ooze` is not installed",
                               "build it with `make`, or set OOZE_COMMAND to its path")
    return found


def _options(options: Mapping[str, Any]) -> list[str]:
    """frames=3, mesh=True, log="x" as options of the command."""
    arguments = []
    for key, value in options.items():
        name = "--" + key.rstrip("_").replace("_", "-")
        if value is True:
            arguments.append(name)
        elif value is not None and value is not False:
            values = value if isinstance(value, (list, tuple)) else [value]
            for one in values:
                arguments += [name, str(one)]
    return arguments


def command(*arguments: Any, **options: Any) -> str:
    """Runs `ooze ARGUMENTS --OPTION VALUE` to its end; returns what it prints. CommandError holds
    the message of a command that fails."""
    done = subprocess.run([path(), *map(str, arguments), *_options(options)], text=True,
                          stdin=subprocess.DEVNULL, capture_output=True)
    if done.returncode:
        lines = [line for line in done.stderr.strip().split("\n") if line.strip()]
        raise CommandError("\n".join(lines) or f"ooze {arguments[0]} failed "
                           f"with exit code {done.returncode}",
                           f"ooze help {arguments[0]} lists its options" if arguments else "")
    return done.stdout


def main() -> int:
    """The script `ooze` of the wheel: the command itself."""
    try:
        os.execv(path(), ["ooze", *sys.argv[1:]])
    except (UnsupportedError, OSError) as failure:
        print(f"ooze: error: {failure}", file=sys.stderr)
        return 1


def _scene_file(scene: Any, folder: str) -> str:
    """The file of a scene, or its text in a file of `folder`."""
    file = pathlib.Path(folder) / "scene.yaml"
    file.write_text(scene.yaml)
    return str(file)


def run_scene(scene: Any, folder: str | os.PathLike, **options: Any) -> Any:
    """Simulates a scene into a folder."""
    from ooze.run import Run
    with tempfile.TemporaryDirectory(prefix="ooze-") as scratch:
        command("run", _scene_file(scene, scratch), "-o", os.fspath(folder), "--quiet", **options)
    return Run(folder)


class Plot:
    """A figure: `svg` is its text. Notebooks show it."""

    def __init__(self, svg: str):
        self.svg = svg

    def save(self, file: str | os.PathLike) -> None:
        """Writes the SVG file."""
        pathlib.Path(file).write_text(self.svg, encoding="utf-8")

    def _repr_svg_(self) -> str:
        return self.svg


def _plot(*arguments: Any, **options: Any) -> Plot:
    with tempfile.TemporaryDirectory(prefix="ooze-") as scratch:
        file = pathlib.Path(scratch) / "plot.svg"
        command("plot", *arguments, "-o", file, **options)
        return Plot(file.read_text(encoding="utf-8"))


def plot_run(run: Any, *probes: str, **options: Any) -> Plot:
    """Readings of a run over time."""
    names = probes or [n for n in run.probes.dtype.names
                       if n not in ("frame", "step", "time", "particles")]
    return _plot(run.folder, *[part for name in names for part in ("--probe", name)], **options)


def plot(columns: Mapping[str, Sequence[float]], *, points: Mapping[str, Sequence[float]]
         | None = None, **options: Any) -> Plot:
    """Columns over the first of them: plot({"time [s]": t, "height [m]": h}). A unit in brackets
    labels the axis. `points`: a table of the same form, drawn as markers. Options are those of
    `ooze plot`: title="...", log="xy", size="600x400"."""
    def write(table: Mapping[str, Sequence[float]], file: pathlib.Path) -> None:
        values = [numpy.asarray(v, dtype=float).ravel() for v in table.values()]
        if any(re.search(r'[,"\n]', name) for name in table):
            raise ArgumentError("names of columns hold no commas, quotes and new lines",
                                "use other names")
        if len({len(v) for v in values}) != 1 or len(values) < 2:
            raise ArgumentError("a plot needs two or more columns of equal lengths",
                                "the first is the x axis")
        rows = [",".join(repr(float(v)) for v in row) for row in zip(*values)]
        file.write_text("\n".join([",".join(table), *rows]) + "\n", encoding="utf-8")
    with tempfile.TemporaryDirectory(prefix="ooze-") as scratch:
        file = pathlib.Path(scratch) / "table.csv"
        write(columns, file)
        names = [re.sub(r" \[.*\]$", "", name) for name in columns]
        if points is not None:
            write(points, pathlib.Path(scratch) / "points.csv")
            options["reference"] = pathlib.Path(scratch) / "points.csv"
        return _plot(file, *[part for name in names[1:] for part in ("--probe", name)],
                     x=names[0], **options)


def fit_rheometer(file: str | os.PathLike) -> dict:
    """Fits a material to rheometer data by `ooze rheo --fit`; see docs/rheology.md."""
    return json.loads(command("rheo", fit=os.fspath(file), json=True))


def measure_rheometer(scene: Any, **options: Any) -> dict:
    """Measures a material in the virtual rheometer by `ooze rheo`: a scene or the name of a preset.
    Options are those of the command: quick=True, material="honey"."""
    if isinstance(scene, str):
        return json.loads(command("rheo", scene, json=True, **options))
    with tempfile.TemporaryDirectory(prefix="ooze-") as scratch:
        return json.loads(command("rheo", _scene_file(scene, scratch), json=True, **options))


def _end(process: subprocess.Popen, scratch: tempfile.TemporaryDirectory) -> None:
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    process.stdout.close()
    scratch.cleanup()


class View:
    """The viewer, `ooze view`, of a scene (live) or of a run: a page at `url`. Notebooks show it
    inline. It ends with close(), or when the object is no longer used."""

    def __init__(self, source: Any, *, height: int = 600, **options: Any):
        from ooze.run import Run
        #: Height in a notebook, pixels.
        self.height = height
        scratch = tempfile.TemporaryDirectory(prefix="ooze-")
        target = source.folder if isinstance(source, Run) else _scene_file(source, scratch.name)
        process = subprocess.Popen([path(), "view", str(target), "--no-browser", "--embed",
                                    *_options(options)], text=True, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self._process = process
        self._end = weakref.finalize(self, _end, process, scratch)
        printed = []
        for line in process.stdout:
            printed.append(line)
            found = re.search(r"https?://\S+", line)
            if found:
                #: Address of the page; it holds a secret token.
                self.url = found[0]
                return
        self.close()
        raise CommandError("the viewer did not start: " + "".join(printed).strip(),
                           "ooze version lists whether the part 'view' is there")

    def close(self) -> None:
        """Ends the viewer."""
        self._end()

    def __enter__(self) -> "View":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def _repr_html_(self) -> str:
        return (f'<iframe src="{self.url}" width="100%" height="{self.height}" '
                'style="border: 0"></iframe>')
