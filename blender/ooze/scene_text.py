"""Reads the scene file of a run folder and writes scenes, without a YAML library, which Blender
does not have. `ooze run` writes scene.yaml in one form: maps and lists in blocks of two spaces,
lists of numbers in brackets, texts in double quotes."""
import json
import math

import numpy


class SceneTextError(Exception):
    """One sentence about a scene file that is not in that form."""


def read(text):
    lines = [line for line in text.split("\n") if line.strip() and not line.startswith("#")]
    value, end = read_block(lines, 0, 0)
    if end != len(lines):
        raise SceneTextError(f"This line of a scene file is not understood: {lines[end].strip()}")
    return value


def indent_of(line):
    return len(line) - len(line.lstrip(" "))


def read_block(lines, at, indent):
    """The map or list that begins at line `at`, and the line behind it."""
    if at >= len(lines) or indent_of(lines[at]) < indent:
        return None, at
    indent = indent_of(lines[at])
    if lines[at].lstrip().startswith("- "):
        return read_list(lines, at, indent)
    return read_map(lines, at, indent)


def read_list(lines, at, indent):
    items = []
    while at < len(lines) and lines[at].startswith(" " * indent + "- "):
        # the rest of the line is the first line of a block two columns further right
        lines[at] = lines[at].replace("- ", "  ", 1)
        if ": " in lines[at] or lines[at].endswith(":"):
            item, at = read_block(lines, at, indent + 2)
        else:
            item, at = read_scalar(lines[at].strip()), at + 1
        items.append(item)
    return items, at


def read_map(lines, at, indent):
    entries = {}
    while at < len(lines) and indent_of(lines[at]) == indent and \
            not lines[at].lstrip().startswith("- "):
        key, colon, rest = split_key(lines[at].strip())
        if not colon:
            raise SceneTextError(f"This line of a scene file has no key: {lines[at].strip()}")
        at += 1
        if rest:
            entries[key] = read_scalar(rest)
        else:
            entries[key], at = read_block(lines, at, indent + 1)
    return entries, at


def split_key(line):
    if line.startswith('"'):
        key, end = json.JSONDecoder().raw_decode(line)
        return key, line[end:end + 1], line[end + 1:].strip()
    key, colon, rest = line.partition(":")
    return key, colon, rest.strip()


def read_scalar(text):
    if text.startswith("[") and text.endswith("]"):
        inner = text[1:-1].strip()
        return [read_scalar(part.strip()) for part in inner.split(",")] if inner else []
    if text.startswith('"'):
        return json.loads(text)
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return {"true": True, "false": False}.get(text, text)


def number(value):
    """A number as text: in single precision, which Blender's properties have, as short as
    reading it back allows; others with nine digits."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    single = numpy.float32(value)
    return str(single) if float(single) == value else f"{value:.9g}"


class Expression(str):
    """Arithmetic that a scene takes in place of a number, such as 11/24."""


def times(frames, fps, fps_base):
    """The keys for so many frames after the first. A rounded duration could end before the last."""
    if fps_base == 1:
        return {"duration": Expression(f"{frames}/{fps}"), "frame_rate": fps}
    base = number(fps_base)
    return {"duration": Expression(f"{frames}*{base}/{fps}"),
            "frame_rate": Expression(f"{fps}/{base}")}


def write_scalar(value):
    if isinstance(value, Expression):
        return value
    if isinstance(value, (bool, int, float)):
        return number(value)
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(write_scalar(item) for item in value) + "]"
    return json.dumps(value, ensure_ascii=False)


def is_scalar(value):
    return not isinstance(value, dict) and not (
        isinstance(value, list) and value and isinstance(value[0], dict))


def write(entries, indent=0):
    """A map as YAML text."""
    text, pad = "", " " * indent
    for key, value in entries.items():
        if is_scalar(value):
            text += f"{pad}{key}: {write_scalar(value)}\n"
        elif isinstance(value, dict):
            text += f"{pad}{key}:\n{write(value, indent + 2)}"
        else:
            text += f"{pad}{key}:\n"
            for item in value:
                block = write(item, indent + 4)
                text += f"{pad}  - {block[indent + 4:]}"
    return text
