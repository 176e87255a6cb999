#!/usr/bin/env python3
"""Writes python/ooze/c/*.py, the bindings of the Python package, from include/ooze/*.h.

clang reads the headers (its syntax tree as JSON), so that types are those of the compiler;
docstrings are the comments of the headers. Each header gives two modules: HEADER_types.py and
HEADER_functions.py.

    tools/python_bindings.py           writes the modules
    tools/python_bindings.py --check   exits with 1 where a module differs from what it would write
"""
import json
import keyword
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEADERS = ROOT / "include/ooze"
TARGET = ROOT / "python/ooze/c"
# In the order of their dependence.
ORDER = ["status", "types", "shape", "frame", "look", "world", "surface", "scene", "render"]

CTYPES = {"void": None, "_Bool": "c_bool", "bool": "c_bool", "char": "c_char",
          "unsigned char": "c_ubyte", "int": "c_int", "float": "c_float", "double": "c_double",
          "size_t": "c_size_t", "int32_t": "c_int32", "uint8_t": "c_uint8",
          "uint16_t": "c_uint16", "uint32_t": "c_uint32", "uint64_t": "c_uint64"}
HINTS = {"c_bool": "bool", "c_float": "float", "c_double": "float"}


def syntax_tree():
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "all.c"
        source.write_text("#include <ooze/ooze.h>\n")
        done = subprocess.run(["clang", "-std=c17", "-fsyntax-only", "-fparse-all-comments",
                               "-I", HEADERS.parent, "-Xclang", "-ast-dump=json", source],
                              check=True, capture_output=True)
    return json.loads(done.stdout)["inner"]


class Type:
    """A C type: `base`, `stars` levels of pointers, and the length of an array."""

    def __init__(self, text):
        array = re.search(r"\[(\d+)\]", text)
        self.length = int(array[1]) if array else None
        text = re.sub(r"\[\d+\]", "", text)
        self.const = "const" in text.split("*")[0]
        self.stars = text.count("*")
        self.base = " ".join(re.sub(r"\bconst\b|\*|\bstruct\b|\benum\b", " ", text).split())


class Api:
    """What the headers declare."""

    def __init__(self):
        self.texts = {name: (HEADERS / f"{name}.h").read_text() for name in ORDER}
        self.items = {name: [] for name in ORDER}  # (kind, name, node, comment) by header
        self.comments = {}  # by name
        self.enums, self.structs, self.opaque, self.callbacks = set(), set(), set(), set()
        nodes = syntax_tree()
        complete = {n["name"] for n in nodes if n.get("completeDefinition") and "name" in n}
        for node in nodes:
            self.read(node, complete)

    def header_of(self, node, name):
        """The header in which the name stands at the node's offset."""
        at = node["loc"].get("offset")
        size = len(name.encode())
        return next((header for header, text in self.texts.items()
                     if at is not None and text.encode()[at:at + size] == name.encode()), None)

    def comment(self, node, header):
        found = next((n for n in node.get("inner", []) if n["kind"] == "FullComment"), None)
        if not found:
            return ""
        begin, end = found["range"]["begin"]["offset"], found["range"]["end"]["offset"]
        between = self.texts[header].encode()[end:node["loc"]["offset"]]
        if node["kind"] == "EnumConstantDecl" and b"," in between:
            return ""  # that of the constant before it
        text = self.texts[header].encode()[begin:end + 1].decode().strip("/* \n")
        return "" if text.startswith("----") else " ".join(text.split())

    def read(self, node, complete):
        name = node.get("name", "")
        if node["kind"] == "EnumDecl" and not name:
            for constant in node["inner"]:
                header = self.header_of(constant, constant["name"])
                if header:
                    self.items[header].append(("constant", constant["name"], constant, ""))
            return
        if not name.lower().startswith("ooze"):
            return
        header = self.header_of(node, name)
        comment = self.comments[name] = self.comment(node, header)
        if node["kind"] == "FunctionDecl":
            self.items[header].append(("function", name, node, comment))
        elif node["kind"] == "EnumDecl":
            self.enums.add(name)
            self.items[header].append(("enum", name, node, comment))
        elif node["kind"] == "RecordDecl" and node.get("completeDefinition"):
            self.structs.add(name)
            self.items[header].append(("struct", name, node, comment))
        elif node["kind"] == "RecordDecl" and name not in complete | self.opaque:
            self.opaque.add(name)
            self.items[header].append(("opaque", name, node, comment))
        elif node["kind"] == "TypedefDecl" and "(*)" in node["type"]["qualType"]:
            self.callbacks.add(name)
            self.items[header].append(("callback", name, node, comment))

    # ---- types in Python ------------------------------------------------------------------------

    def ctype(self, kind, owner=None):
        """The expression of a type; `owner`: the structure that is being defined."""
        stars = kind.stars
        if kind.base in self.callbacks:
            text = kind.base
        elif kind.base == "void" and stars:
            text, stars = "c_void_p", stars - 1
        elif kind.base == "char" and stars:
            text, stars = "c_char_p", stars - 1
        elif kind.base in self.enums:
            text = "c_int"
        elif kind.base in self.structs | self.opaque:
            text = "own" if kind.base == owner else kind.base
        else:
            text = CTYPES[kind.base] or "None"
        text = "POINTER(" * stars + text + ")" * stars
        text = f"{text} * {kind.length}" if kind.length else text
        return f"lambda own: {text}" if owner and kind.base == owner else text

    def hint(self, kind):
        """The annotation of a member, argument or result."""
        if kind.length or kind.base in self.callbacks:
            return "Any"
        if kind.base in self.enums:
            return "int"
        if kind.base == "char" and kind.stars == 1:
            return "bytes | None"
        if kind.stars:
            return "Any"
        if kind.base in self.structs:
            return kind.base
        return HINTS.get(CTYPES[kind.base], "int")


# ---- text ---------------------------------------------------------------------------------------

def docstring(text, indent):
    text = text.replace("\\", "\\\\")
    text = text[:1].upper() + text[1:]
    text += "" if not text or text.endswith(".") else "."
    lines = textwrap.wrap('"""' + text, 99 - len(indent)) if text else ['"""']
    closed = lines[-1] + '"""'
    if len(lines) == 1 and len(indent + closed) <= 100:
        return [indent + closed]
    return [indent + line for line in lines + ['"""']]


def python_name(name):
    return name + "_" if keyword.iskeyword(name) else name


def enum_lines(api, name, node, header, comment):
    yield f"class {name}(IntEnum):"
    yield from docstring(comment or f"The C enumeration {name}", "    ")
    value = 0
    for constant in node["inner"]:
        if constant["kind"] != "EnumConstantDecl":
            continue
        given = next((n for n in constant.get("inner", []) if n["kind"] == "ConstantExpr"), None)
        value = int(given["value"]) if given else value
        for line in textwrap.wrap(api.comment(constant, header), 92):
            yield f"    # {line}"
        yield f"    {constant['name']} = {value}"
        value += 1


def struct_lines(api, name, node, header, comment):
    yield "@structure"
    yield f"class {name}(Structure):"
    yield from docstring(comment or f"The C structure {name}", "    ")
    for field in node.get("inner", []):
        if field["kind"] != "FieldDecl":
            continue
        kind = Type(field["type"]["qualType"])
        member = f"    {python_name(field['name'])}: {api.hint(kind)} = member("
        if kind.base in api.enums:
            member = member[:-len("member(")] + f"enumerated({kind.base}, "
        ctype, text = api.ctype(kind, name), json.dumps(api.comment(field, header))
        line = f"{member}{ctype}, {text})" if text != '""' else f"{member}{ctype})"
        if len(line) <= 100:
            yield line
            continue
        yield f"{member}{ctype},"
        pieces = textwrap.wrap(text[1:-1], 85, drop_whitespace=False)
        for number, piece in enumerate(pieces):
            yield f'        "{piece}"' + (")" if number == len(pieces) - 1 else "")


def callback_lines(api, name, node, comment):
    result, parameters = re.match(r"(.*?)\(\*\)\((.*)\)", node["type"]["qualType"]).groups()
    types = [api.ctype(Type(t)) for t in [result, *parameters.split(",")]]
    for line in textwrap.wrap(comment, 97):
        yield f"# {line}"
    yield f"{name} = CFUNCTYPE({', '.join(types)})"


class Function:
    """A function of the API, and how its arguments appear in Python."""

    def __init__(self, api, name, node, comment):
        self.api, self.name, self.comment = api, name, comment
        self.returns = Type(node["type"]["qualType"].split("(")[0])
        self.parameters = [(Type(n["type"]["qualType"]), n["name"])
                           for n in node.get("inner", []) if n["kind"] == "ParmVarDecl"]
        self.checked = bool(self.parameters) and self.parameters[-1][0].base == "OozeError"
        self.outputs = [(k, n) for k, n in self.parameters if self.is_output(k)]
        self.inputs = [(k, n) for k, n in self.parameters
                       if not self.is_output(k) and k.base != "OozeError"]

    def is_output(self, kind):
        """A pointer through which the function returns a value: of an object, an id, a number."""
        if kind.const or kind.stars == 0 or kind.base in ("OozeError", "void", "unsigned char"):
            return False
        if kind.stars == 2:
            return True
        returned = kind.base.endswith(("Id", "Reading", "Stats"))
        return returned or kind.base in ("double", "int", "uint64_t")

    def lists(self):
        """Whether it returns an array, and its length through `count`."""
        return self.returns.stars == 1 and [n for _, n in self.outputs] == ["count"]

    def argument_type(self, kind):
        if kind.base == "char" and kind.stars == 1 and kind.const:
            return "Text"
        if kind.base == "char" and not kind.const:  # memory of the library, not bytes of Python
            return "POINTER(" * (kind.stars - 1) + "c_void_p" + ")" * (kind.stars - 1)
        return self.api.ctype(kind)

    def argument_hint(self, kind):
        if kind.base == "char" and kind.stars == 1 and kind.const:
            return "str | bytes | None"
        if kind.base in self.api.structs and kind.stars == 1:
            return f"{kind.base} | Any"
        return self.api.hint(kind)

    def result_of(self, kind):
        """Expression of a new variable for an output, its value, and its annotation."""
        if kind.base == "char" and kind.stars == 2:
            return "c_void_p()", "take_text({})", "str"
        if kind.stars == 2:
            return f"POINTER({kind.base})()", "{}", "Any"
        if kind.base in self.api.structs:
            return f"{kind.base}()", "{}", kind.base
        return f"{self.api.ctype(Type(kind.base))}()", "{}.value", self.api.hint(Type(kind.base))

    def derived_comment(self):
        """For a function without a comment: one derived from its name, or that of its argument."""
        if self.name.endswith("_default"):
            return f"The default values of {self.returns.base}"
        if self.name.endswith(("_free", "_destroy", "_close")):
            return f"Frees the {self.parameters[0][0].base.removeprefix('Ooze').lower()}"
        about = [self.api.comments.get(k.base) for k, _ in self.inputs if k.const]
        return next(filter(None, about), self.name.removeprefix("ooze_").replace("_", ": ", 1)
                    .replace("_", " "))

    def result_hint(self):
        if self.lists():
            return f"list[{self.returns.base}]"
        if self.checked:
            hints = [self.result_of(k)[2] for k, _ in self.outputs]
            return " | ".join(hints) if hints else "None"
        if self.outputs:
            return self.result_of(self.outputs[0][0])[2]
        if self.returns.base == "char" and self.returns.stars:
            return "str | None"
        return "None" if self.returns.base == "void" else self.api.hint(self.returns)

    def lines(self):
        types = [self.argument_type(k) for k, _ in self.parameters]
        result = "c_int" if self.checked else self.api.ctype(self.returns)
        yield from wrapped(f"_{self.name} = bind(", [f'"{self.name}"', result, *types], ")")
        inputs = [f"{python_name(n)}: {self.argument_hint(k)}" for k, n in self.inputs]
        yield from wrapped(f"def {self.name}(", inputs, f") -> {self.result_hint()}:")
        yield from docstring(self.comment or self.derived_comment(), "    ")
        for kind, name in self.outputs:
            yield f"    {name} = {self.result_of(kind)[0]}"
        # ctypes refuses None for a callback
        arguments = [f"{python_name(n)} or {k.base}()" if k.base in self.api.callbacks
                     else "byref(" + n + ")" if self.is_output(k) else python_name(n)
                     for k, n in self.parameters if k.base != "OozeError"]
        values = ", ".join(self.result_of(k)[1].format(n) for k, n in self.outputs)
        if self.checked:
            names = [n for _, n in self.outputs]
            extra = [f"outputs=({', '.join(names)},)"] if names else []
            yield from wrapped("    check(", [f"_{self.name}", *arguments, *extra], ")")
            if values:
                yield f"    return {values}"
        elif self.lists():
            yield from wrapped(f"    items = _{self.name}(", arguments, ")")
            yield "    return [items[i] for i in range(count.value)]"
        elif values:
            yield from wrapped(f"    _{self.name}(", arguments, ")")
            yield f"    return {values}"
        elif self.returns.base == "char" and self.returns.stars:
            yield from wrapped(f"    return text_of(_{self.name}(", arguments, "))")
        else:
            start = "    " if self.returns.base == "void" else "    return "
            yield from wrapped(f"{start}_{self.name}(", arguments, ")")


def wrapped(start, items, end):
    """The items after `start`, in lines of at most 100 columns."""
    line, indent = start, " " * len(start)
    for number, item in enumerate(items):
        piece = item + (end if number == len(items) - 1 else ", ")
        if len((line + piece).rstrip()) > 100:
            yield line.rstrip()
            line = indent
        line += piece
    yield line if items else start + end


HEAD = ('"""{text}\n\n'
        'Written by tools/python_bindings.py from include/ooze/{header}.h; edit that.\n"""')


def used_names(lines, names):
    words = set(re.findall(r"\w+", "\n".join(line.split("#")[0] for line in lines)))
    return sorted(words & set(names))


CTYPES_NAMES = ["CFUNCTYPE", "POINTER", "Structure", "byref", "c_void_p", "c_char_p",
                *filter(None, CTYPES.values())]
SUPPORT_NAMES = ["Text", "bind", "check", "enumerated", "member", "structure", "take_text",
                 "text_of"]


def module(header, text, lines, owners, own):
    """A module: head, imports of what the lines use, and the lines."""
    body = "\n".join(lines)
    out = [HEAD.format(text=text, header=header), "from __future__ import annotations", ""]
    imports = [("ctypes", used_names(lines, set(CTYPES_NAMES))),
               ("enum", ["IntEnum"] if "IntEnum" in body else []),
               ("typing", ["Any"] if re.search(r"\bAny\b", body) else []),
               ("ooze.c._support", used_names(lines, SUPPORT_NAMES))]
    for other, names in owners.items():
        if other != own:
            imports.append((f"ooze.c.{other}", used_names(lines, names)))
    for place, names in imports:
        if names:
            out += wrapped(f"from {place} import (", names, ")") if len(names) > 4 else [
                f"from {place} import {', '.join(names)}"]
    return "\n".join(out) + "\n" + body.rstrip("\n") + "\n"


def type_lines(api, header):
    writers = {"enum": enum_lines, "struct": struct_lines}
    for kind, name, node, comment in api.items[header]:
        if kind in writers:
            yield from ["", "", *writers[kind](api, name, node, header, comment)]
        elif kind == "opaque":
            yield from ["", "", f"class {name}(Structure):",
                        *docstring(comment or f"An object of the library: {name}", "    ")]
        elif kind == "callback":
            yield from ["", "", *callback_lines(api, name, node, comment)]
        elif kind == "constant":
            value = next(n for n in node["inner"] if n["kind"] == "ConstantExpr")["value"]
            yield from ["", "", f"{name} = {value}"]


def modules():
    """Every module as {file name: text}."""
    api, files, owners = Api(), {}, {}
    for header in ORDER:
        names = [n for k, n, _, _ in api.items[header] if k != "function"]
        if names:
            owners[f"{header}_types"] = names
    public = []
    for header in ORDER:
        first = " ".join(re.match(r"/\*(.*?)\*/", api.texts[header], re.S)[1].split())
        title = re.split(r"[.:,] ", first.split(": ", 1)[-1])[0].rstrip(".")
        types = list(type_lines(api, header))
        if types:
            own = f"{header}_types"
            text = module(header, f"Types: {title}.", types, owners, own)
            files[own + ".py"] = text
            public += [(own, name) for name in owners[own]]
        functions = []
        for kind, name, node, comment in api.items[header]:
            if kind == "function":
                functions += ["", "", *Function(api, name, node, comment).lines()]
                public.append((f"{header}_functions", name))
        if functions:
            text = module(header, f"Functions: {title}.", functions, owners, None)
            files[f"{header}_functions.py"] = text
    files["__init__.py"] = package(public)
    return files


def package(public):
    lines = ['"""The whole C API of the library, as ctypes; `ooze` itself is easier to use.',
             "", "A function raises ooze.Error where the C function returns a status, and returns "
             "what it", "would write through pointers. Objects must be freed, and pointers to "
             "freed objects crash, as", "in C. Written by tools/python_bindings.py.", '"""']
    for place in dict.fromkeys(place for place, _ in public):
        names = [name for where, name in public if where == place]
        lines += wrapped(f"from ooze.c.{place} import (", sorted(names), ")")
    version = re.search(r"project\(ooze VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
    lines += ["", "# Of the headers: a library of another version may lay structures out "
              "differently.",
              f'VERSION = "{version}"']
    lines += ["", *wrapped("__all__ = [", [f'"{name}"' for _, name in public], "]")]
    return "\n".join(lines) + "\n"


def main():
    differing = []
    for name, text in modules().items():
        path = TARGET / name
        if not path.exists() or path.read_text() != text:
            differing.append(str(path.relative_to(ROOT)))
            if "--check" not in sys.argv:
                path.write_text(text)
    if differing and "--check" in sys.argv:
        print("differ from the headers; run tools/python_bindings.py:", *differing)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
