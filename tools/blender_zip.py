#!/usr/bin/env python3
"""Packs the Blender add-on: tools/blender_zip.py FILE.zip. Equal sources give equal bytes."""
import pathlib
import sys
import zipfile

SOURCE = pathlib.Path(__file__).resolve().parent.parent / "blender" / "ooze"


def pack(target):
    target.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(SOURCE.iterdir()):
            if path.suffix in (".py", ".toml"):
                entry = zipfile.ZipInfo(f"ooze/{path.name}", (2020, 1, 1, 0, 0, 0))
                entry.compress_type = zipfile.ZIP_DEFLATED
                entry.external_attr = 0o644 << 16
                archive.writestr(entry, path.read_bytes())


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    pack(pathlib.Path(sys.argv[1]))
