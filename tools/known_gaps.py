#!/usr/bin/env python3
"""Lists the figures of acceptance tests that are outside their bounds today: every KNOWN_GAP of
tests, with its bound and the figure on record.

  tools/known_gaps.py          writes docs/known-gaps.md
  tools/known_gaps.py --print  prints it

It fails where a text is not literal, a bound or figure is neither a number nor arithmetic with
numbers and constants of the file, a figure is inside its bounds, or a KNOWN_GAP stands in a
function that is no test."""
import math
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
NUMBER = r"-?\d[\d.]*(?:e-?\d+)?"


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
    """The text of adjacent string literals."""
    if not re.fullmatch(r'("(?:[^"\\]|\\.)*" ?)+', argument):
        raise ValueError(f"the text is not a literal: {argument}")
    return "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', argument)).replace("|", "\\|")


def constants(text):
    """The numbers that `#define`, `const` and `enum` give names to; the last of a name counts."""
    lists = re.findall(r"\bconst (?:double|float|int) ([^;()]*);|\benum(?: \w+)? \{([^}]*)\}", text)
    listed = ", ".join(["".join(one) for one in lists]) + ","
    found = re.findall(rf"\b(\w+) = ({NUMBER}),", " ".join(listed.split()).replace(" ,", ","))
    return dict(re.findall(rf"(?m)^#define (\w+) ({NUMBER})$", text) + found)


def number(argument, names):
    """The number as it stands, or the value of arithmetic with numbers and their names."""
    if re.fullmatch(NUMBER, argument):
        return argument
    known = {name: float(value) for name, value in names.items()}
    try:
        value = eval(argument, {"__builtins__": {}}, {**known, "sqrt": math.sqrt})
        return f"{value:.4g}"
    except Exception as error:
        raise ValueError(f"cannot be resolved: {argument}") from error


def figures(argument, before, names):
    """A figure, the figures of an array that stands before, or those of the full and short form;
    and how they are shown."""
    element = re.fullmatch(r"(\w+)\[\w+\]", argument)
    forms = re.fullmatch(r"(?:full_sweep\(\)|whole|full) \? (\S+) : (\S+)", argument)
    if element:
        arrays = re.findall(rf"\b{element[1]}\[\w*\] = \{{([^}}]*)\}}", before)
        values = arrays[-1].split(",") if arrays else [argument]
        shown = ", ".join(["{}"] * len(values))
    elif forms:
        values, shown = forms.groups(), "{} (short form: {})"
    else:
        values, shown = [argument], "{}"
    return [number(value.strip(), names) for value in values], shown


def owner_of(path, text, at):
    """The test, and its text, that the macro at `at` stands in."""
    functions = [found for found in re.finditer(r"(?m)^static [\w *]*\b(\w+)\(([^)]*)\)\n\{", text)
                 if found.start() < at]
    if not functions or "\n}\n" in text[functions[-1].end():at]:
        raise ValueError("stands in no function")
    name, arguments_of = functions[-1].groups()
    if arguments_of != "void **state" or \
            path.parent.name == "physics" and not re.search(r"_T\d+_", name):
        raise ValueError(f"stands in {name}(), which is no test")
    return name, functions[-1].end()


def gap(path, text, found):
    """The columns of a row: test, figure, bounds, today's figures."""
    what, _, low, high, today = arguments(text, found.end())
    owner, begin = owner_of(path, text, found.start())
    before = text[begin:found.start()]
    # names of the file, without those of other functions, and of the test
    names = constants(re.sub(r"(?ms)^\{$.*?^\}$", "", text)) | constants(before)
    low, high = number(low, names), number(high, names)
    recorded, shown = figures(today, before, names)
    for figure in recorded:
        if float(low) <= float(figure) <= float(high):
            raise ValueError(f"{figure} is inside {low} to {high}: use MEASURED")
    return owner, words(what), low, high, shown.format(*recorded)


def gaps():
    """The rows of all tests, in order; ends with what cannot be resolved, if anything."""
    wrong = []
    for path in sorted((ROOT / "tests").glob("*/*.c*")) + sorted((ROOT / "tests").glob("*/*.h")):
        text = path.read_text()
        for found in re.finditer(r"\bKNOWN_GAP\(", text):
            try:
                yield gap(path, text, found)
            except ValueError as error:
                line = text.count("\n", 0, found.start()) + 1
                wrong.append(f"{path.relative_to(ROOT)}:{line}: KNOWN_GAP {error}")
    if wrong:
        sys.exit("\n".join(wrong))


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
