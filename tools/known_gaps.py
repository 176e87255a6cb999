#!/usr/bin/env python3
"""Lists the figures of acceptance tests that are outside their bounds today: every KNOWN_GAP of
tests, with its bound and the figure on record.

  tools/known_gaps.py          writes docs/known-gaps.md
  tools/known_gaps.py --print  prints it"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/known-gaps.md"
HEAD = """# Known gaps

Figures of the acceptance tests that are outside their bounds today. Such a test does not fail,
unless the figure moves farther away; `make test-all` counts them. A figure that comes within its
bound is reported as a closed gap: it is then held to the bound. Written by `tools/known_gaps.py`.

"""


def arguments(text, start):
    """Splits the arguments of a macro whose opening parenthesis is before `start`."""
    depth, quoted, parts, begin = 1, False, [], start
    at = start
    while depth:
        sign = text[at]
        if quoted:
            at += sign == "\\"
            quoted = sign != '"'
        elif sign == '"':
            quoted = True
        elif sign in "({[":
            depth += 1
        elif sign in ")}]":
            depth -= 1
        if not quoted and (depth == 0 or depth == 1 and sign == ","):
            parts.append(" ".join(text[begin:at].split()))
            begin = at + 1
        at += 1
    return parts


def words(argument):
    """The text of adjacent string literals; anything else as it stands."""
    literals = re.findall(r'"((?:[^"\\]|\\.)*)"', argument)
    text = "".join(literals) if literals else f"`{argument}`"
    return text.replace("|", "\\|")


def figures(argument, before):
    """A figure, the figures of an array that stands before, or those of the full and short form."""
    element = re.fullmatch(r"(\w+)\[.*\]", argument)
    values = element and re.findall(rf"\b{element[1]}\[\w*\] = \{{([^}}]*)\}}", before)
    forms = re.fullmatch(r"(?:full_sweep\(\)|whole|full) \? (\S+) : (\S+)", argument)
    if values:
        return " ".join(values[-1].split())
    return f"{forms[1]} (short form: {forms[2]})" if forms else argument


def gaps():
    for path in sorted((ROOT / "tests").glob("*/*.c")):
        text = path.read_text()
        tests = [(found.start(), found[1]) for found in
                 re.finditer(r"(?m)^static \w[\w *]*?(\w+)\(", text)]
        for found in re.finditer(r"\bKNOWN_GAP\(", text):
            what, _, low, high, today = arguments(text, found.end())
            owner = [name for start, name in tests if start < found.start()][-1]
            before = text[:found.start()]
            yield owner, words(what), low, high, figures(today, before)


def page():
    rows = [f"| `{owner}` | {what} | {low} to {high} | {today} |"
            for owner, what, low, high, today in gaps()]
    table = ["| test | figure | bound | today |", "| --- | --- | --- | --- |", *rows]
    return HEAD + "\n".join(table) + f"\n\n{len(rows)} figures.\n"


def main():
    if sys.argv[1:] == ["--print"]:
        print(page(), end="")
    elif sys.argv[1:]:
        sys.exit(__doc__)
    else:
        PAGE.write_text(page())


if __name__ == "__main__":
    main()
