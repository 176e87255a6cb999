#!/usr/bin/env python3
"""Builds the page of `ooze view` and writes it as a table of bytes in C.

  tools/web_page.py WEB OUT   WEB: the folder web/; OUT: a folder of the build, gets assets.c
  tools/web_page.py WEB OUT MODULE SCENES
                              the page without a server instead, as OUT/../ooze.html; MODULE: the
                              script of the WebAssembly module; SCENES: the folder scenes/

Where npm is missing, or its packages cannot be downloaded, the table is empty and holds the reason:
the program builds all the same, and `ooze view` says it; there is no page without a server then.
Set OOZE_WEB=off to leave the page out.
A page whose types do not fit is an error of the build."""
import gzip
import os
import pathlib
import shutil
import subprocess
import sys

TYPES = {".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8",
         ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml"}
SECONDS = 180  # for a download that never ends


def run(*command, cwd):
    done = subprocess.run(command, cwd=cwd, text=True, capture_output=True, timeout=SECONDS)
    if done.returncode != 0:
        lines = (done.stderr + done.stdout).strip().splitlines()
        told = [line for line in lines
                if line.startswith(("npm ERR!", "npm error")) and " code " not in line]
        told = told or [line for line in lines if "rror" in line] or lines or [""]
        raise OSError(f"{' '.join(str(word) for word in command[:2])} failed: {told[0][:120]}")


def check_types(work):
    """Ends the program where the types of the page do not fit. A compiler that does not run here
    (its package has programs for some processors only) checks nothing."""
    done = subprocess.run(["node_modules/.bin/tsc", "--noEmit", "--pretty", "false"], cwd=work,
                          text=True, capture_output=True, timeout=SECONDS)
    if "error TS" in done.stdout:
        sys.exit(f"Page of ooze view: its types do not fit\n{done.stdout}")
    if done.returncode != 0:
        print("Page of ooze view: its types were not checked, as tsc does not run here")


def prepare(web, out):
    """A folder with the sources of the page and the packages that they need."""
    if os.environ.get("OOZE_WEB") == "off":
        raise OSError("OOZE_WEB is off")
    if not shutil.which("npm") or not shutil.which("node"):
        raise OSError("Node and npm were missing (packages nodejs and npm)")
    work = out / "work"
    work.mkdir(parents=True, exist_ok=True)
    lock = (web / "package-lock.json").read_bytes()
    installed = work / "installed.json"
    for path in web.iterdir():
        if path.is_file():
            shutil.copy(path, work)
    shutil.copytree(web / "src", work / "src", dirs_exist_ok=True)
    if not installed.exists() or installed.read_bytes() != lock:
        run("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=1",
            "--fetch-retry-mintimeout=1000", "--fetch-timeout=20000", cwd=work)
        installed.write_bytes(lock)
    check_types(work)
    return work


def build(web, out):
    """The folder of the finished page."""
    work = prepare(web, out)
    run("node", "build.mjs", cwd=work)
    return work / "dist"


def build_local(web, out, module, scenes):
    """The page without a server."""
    try:
        run("node", "local.mjs", module.resolve(), scenes.resolve(),
            out.resolve().parent / "ooze.html", cwd=prepare(web, out))
    except (OSError, subprocess.TimeoutExpired) as why:
        sys.exit(f"Page without a server: {why}")


def table(files, reason):
    """C source. Each file is compressed, without a date, so that equal pages are equal bytes."""
    lines = ['#include "serve/assets.h"', ""]
    rows = []
    for i, path in enumerate(files):
        data = gzip.compress(path.read_bytes(), mtime=0)
        lines.append(f"static const unsigned char bytes{i}[] = {{")
        lines += ["    " + "".join(f"{byte}," for byte in data[k:k + 24])
                  for k in range(0, len(data), 24)]
        lines.append("};")
        url = "/" if path.name == "index.html" else f"/{path.name}"
        rows.append(f'    {{"{url}", "{TYPES[path.suffix]}", bytes{i}, sizeof bytes{i}}},')
    rows = rows or ["    {0}"]
    reason = "".join(c for c in reason if c.isprintable() and c not in '"\\?')
    return "\n".join(lines + ["const OozeAsset ooze_assets[] = {", *rows, "};",
                              f"const int ooze_asset_count = {len(files)};",
                              f'const char *const ooze_assets_missing = "{reason}";', ""])


def main():
    web, out, *rest = (pathlib.Path(word) for word in sys.argv[1:])
    out.mkdir(parents=True, exist_ok=True)
    if rest:
        build_local(web, out, *rest)
        return
    try:
        files, reason = sorted(build(web, out).iterdir()), ""
    except (OSError, subprocess.TimeoutExpired) as why:
        files, reason = [], str(why)
        print(f"Page of ooze view: left out, as {reason}")
    (out / "assets.c").write_text(table(files, reason))


main()
