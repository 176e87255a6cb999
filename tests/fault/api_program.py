"""Writes a C program that calls every public function with invalid arguments.

The headers are parsed: a new function, definition or member is covered without a change here,
unless it takes a new kind of object, which needs an entry in MAKERS. Each function is called with
valid arguments first, then with one argument or one member of an argument spoilt.
"""
import re

# Valid arguments. A new object type needs an entry here.
MAKERS = {
    "OozeWorld": "made.world",
    "OozeScene": "made.scene",
    "OozeFrame": "made.frame",
    "OozeRenderer": "made.renderer",
    "OozeSurface": "made.surface",
}
# By function and parameter, or by parameter.
TEXTS = {
    ("ooze_world_set_param", "key"): '"drag"',
    ("ooze_world_get_param", "key"): '"drag"',
    ("ooze_scene_load", "path"): "scene_path",
    ("ooze_frame_open", "path"): "frame_path",
    ("ooze_frame_write", "path"): "scratch_path",
    ("ooze_scene_load_text", "text"): "scene_text",
    ("ooze_material_preset", "name"): '"honey"',
    ("ooze_frame_field", "name"): '"position"',
    ("ooze_frame_state", "name"): '"materials"',
    "key": '"density"',
    "name": '"thing"',
}
UNKNOWN_TEXT = '"x"'
NUMBERS = {("ooze_scene_load", "override_count"): "1",
           ("ooze_scene_load_text", "length"): "strlen(scene_text)",
           ("ooze_world_advance", "seconds"): "0.002",
           ("ooze_world_add_particles", "n"): "1"}
REALS = ("NAN", "INFINITY", "-1.0", "1e300")
INTEGERS = ("-1", "INT32_MIN", "INT32_MAX", "1000")
SCALARS = {"double", "float", "int", "bool", "size_t", "uint64_t", "uint32_t", "int32_t",
           "uint16_t", "unsigned char", "char", "void"}
# Lengths of arrays: a length beyond the array cannot be detected, a negative one can.
LENGTHS = re.compile(r"(\bn|count|length|components|stride|columns|rows)$")
VECTORS = ("OozeVec3", "OozeQuat")  # one component stands for all
DEPTH_MAX = 3  # of structures within structures


class Type:
    """A C type: `base` with `stars` pointer levels; `const` applies to the base."""

    def __init__(self, text):
        self.const = "const" in text.split("*")[0]
        self.stars = text.count("*")
        self.base = " ".join(re.sub(r"\bconst\b|\*|\bstruct\b", " ", text).split())

    def __str__(self):
        return ("const " if self.const else "") + self.base + " " + "*" * self.stars


def declarators(text):
    """(type, name, array length) of each name that `double x, *y[3]` or the like declares."""
    first, *others = [part.strip() for part in text.split(",")]
    match = re.match(r"(.*?[\s*])(\w+)\s*(?:\[(\w+)\])?$", first, re.S)
    base = match[1].split("*")[0]
    yield Type(match[1]), match[2], match[3]
    for other in others:
        match = re.match(r"((?:\*|const\s)*)\s*(\w+)\s*(?:\[(\w+)\])?$", other)
        yield Type(base + match[1]), match[2], match[3]


class Api:
    def __init__(self, headers):
        self.functions, self.structs, self.enums, self.callbacks = [], {}, {}, set()
        self.declared = 0
        for header in headers:
            self.read(header.read_text())
        self.defaults = {f["returns"].base: f for f in self.functions
                         if f["name"].endswith("_default") and not f["returns"].stars}

    def read(self, text):
        text = re.sub(r"^#.*(?:\\\n.*)*$", "", text, flags=re.M)
        self.declared += len(re.findall(r"\bOOZE_API\b", text))
        declaration = r"OOZE_API\s+([^;{]*?)\b(ooze_\w+)\s*\(([^;]*?)\)\s*;"
        for match in re.finditer(declaration, text, re.S):
            comment = re.search(r"/\*((?:(?!\*/).)*)\*/[^;{}/]*\Z", text[:match.start()], re.S)
            parameters = " ".join(match[3].split())
            self.functions.append({
                "name": match[2], "returns": Type(match[1]),
                "comment": comment[1] if comment else "",
                "parameters": [] if parameters == "void" else
                [next(declarators(p)) for p in parameters.split(",")]})
        bare = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
        for match in re.finditer(r"struct (Ooze\w+)\s*\{(.*?)\}", bare, re.S):
            self.structs[match[1]] = [d for line in match[2].split(";") if line.strip()
                                      for d in declarators(line)]
        for match in re.finditer(r"enum (Ooze\w+)\s*\{(.*?)\}", bare, re.S):
            self.enums[match[1]] = len([v for v in match[2].split(",")
                                        if v.strip() and not v.strip().endswith("_COUNT")])
        self.callbacks |= set(re.findall(r"typedef \w+ \(\*(Ooze\w+)\)", bare))

    # ---- spoilt values ---------------------------------------------------------------------------

    def spoil_value(self, kind, place, depth):
        """Statements, each of which gives the value at `place` one invalid or extreme content."""
        if kind.stars or kind.base in self.callbacks:
            yield f"{place} = NULL;"
        elif kind.base in ("double", "float"):
            yield from (f"{place} = ({kind.base}){value};" for value in REALS)
        elif kind.base in self.enums:
            valid = 0 if kind.base == "OozeFieldType" else self.enums[kind.base]  # a size of data
            for value in (*range(valid), -1, self.enums[kind.base], 1000):
                yield f"{place} = ({kind.base}){value};"
        elif kind.base in self.structs:
            yield from self.spoil_struct(kind.base, place, depth)
        elif kind.base == "bool":
            yield f"{place} = !{place};"
        elif kind.base in SCALARS and LENGTHS.search(place):
            yield f"{place} = 0;"
            if kind.base.startswith("int"):
                yield from (f"{place} = {value};" for value in INTEGERS if value[0] == "-")
                yield f"{place} = INT32_MIN;"
        elif kind.base in SCALARS:
            yield from (f"{place} = ({kind.base}){value};" for value in INTEGERS)
        else:
            raise ValueError(f"{place} has the unknown type {kind}")

    def counters(self, name, members):
        """The member that holds the length of the array `name`."""
        stems = {name, name[:-1], name.replace("ices", "ex"), name.replace("table", "row")}
        return [m for _, m, _ in members if m in {stem + "_count" for stem in stems}]

    def spoil_struct(self, base, place, depth):
        if depth == 0:
            return
        members = self.structs[base]
        if base in VECTORS:
            members = members[:1]
        for kind, name, length in members:
            at = f"{place}.{name}" + ("[0]" if length else "")
            yield from self.spoil_value(kind, at, depth - 1)
            count = self.counters(name, members)
            if not kind.stars or not count:
                continue
            yield f"{at} = NULL; {place}.{count[0]} = 3;"
            if kind.stars == 2:
                yield f"static const char *const none[3]; {at} = none; {place}.{count[0]} = 3;"
            elif kind.base in self.structs:
                number = f"{place}.{count[0]}"
                begin = f"{kind.base} *items = copy_items({at}, (size_t)({at} ? {number} : 0), " \
                        f"sizeof *items); {at} = items; {number} = {number} > 0 ? {number} : 1; "
                for statement in self.spoil_struct(kind.base, "items[0]", depth - 1):
                    yield begin + statement

    # ---- one function ----------------------------------------------------------------------------

    def argument(self, function, kind, name):
        """A declaration of a valid argument, and how it is passed."""
        key = (function["name"], name)
        if kind.base in MAKERS and kind.stars == 1:
            if kind.base == "OozeFrame" and kind.const:
                return f"OozeFrame {name}_value = *made.frame; " \
                       f"const OozeFrame *{name} = &{name}_value;"
            return f"{kind}{name} = {MAKERS[kind.base]};"
        if kind.base == "char" and kind.const and kind.stars == 1:
            return f"{kind}{name} = {TEXTS.get(key) or TEXTS.get(name, UNKNOWN_TEXT)};"
        if kind.base == "char" and kind.const and kind.stars == 2:
            return f'const char *{name}_list[3] = {{"title=x"}}; ' \
                   f"const char *const *{name} = {name}_list;"
        if kind.stars == 1 and kind.base in self.structs:
            return f"{kind.base} {name}_value = {self.initial(kind.base)}; " \
                   f"{kind}{name} = &{name}_value;"
        if kind.base in self.callbacks or \
                kind.stars == 1 and not kind.const and kind.base in ("void", "char"):
            return f"{kind}{name} = NULL;"
        if kind.stars == 1 and kind.base == "unsigned char":
            return f"static unsigned char {name}_buffer[1 << 22]; {kind}{name} = {name}_buffer;"
        if kind.stars:
            return f"{str(kind)[:-1]}{name}_value = {{0}}; {kind}{name} = &{name}_value;"
        if kind.base in self.structs:
            return f"{kind.base} {name} = {self.initial(kind.base)};"
        if kind.base in self.enums or kind.base in SCALARS:
            return f"{kind.base} {name} = ({kind.base}){NUMBERS.get(key, 0)};"
        raise ValueError(f"{function['name']}: no valid argument for {kind}{name}; see MAKERS")

    def initial(self, base):
        default = self.defaults.get(base)
        if not default:
            return "{0}"
        return default["name"] + "(" + ", ".join("0" for _ in default["parameters"]) + ")"

    def is_optional(self, function, kind, name):
        """Whether NULL is allowed: for ids, errors, callbacks, and where a comment says so."""
        comment = " ".join(function["comment"].split())
        return (kind.base.endswith("Id") or kind.base in ("OozeError", "void")
                or kind.base in self.callbacks
                or re.search(rf"`{name}`[^.;]* may be NULL|`{name}` NULL:|NULL `{name}`", comment))

    def variants(self, function):
        """(label, statement, whether the call must fail)."""
        yield "valid arguments", "", False
        fails = function["returns"].base == "OozeStatus"
        for kind, name, _ in function["parameters"]:
            if kind.stars or kind.base in self.callbacks:
                yield (f"{name} = NULL", f"{name} = NULL;",
                       fails and not self.is_optional(function, kind, name))
            if kind.stars == 2 and kind.base == "char" and kind.const:
                yield f"a NULL in {name}", f"{name}_list[0] = NULL;", True
            if kind.stars == 1 and kind.const and kind.base in self.structs:
                place = f"{name}_value"
                for statement in self.spoil_struct(kind.base, place, DEPTH_MAX):
                    yield statement, statement, False
            elif not kind.stars and kind.base not in self.callbacks:
                for statement in self.spoil_value(kind, name, DEPTH_MAX):
                    number = statement.split(")")[-1].strip("; ")
                    nan = number == "NAN" and f"`{name}` may be NAN" not in function["comment"]
                    wrong = fails and (kind.base.endswith("Id") or nan or
                                       kind.base in self.enums and number in ("-1", "1000"))
                    yield statement, statement, wrong

    def caller(self, function):
        """The C function that makes call number `variant`; returns why it is wrong, or NULL."""
        name = function["name"]
        lines = [f"static const char *call_{name}(int variant)", "{", "    bool fails = false;"]
        lines += ["    " + self.argument(function, kind, parameter)
                  for kind, parameter, _ in function["parameters"]]
        lines += ["    switch (variant) {"]
        variants = list(self.variants(function))
        for number, (_, statement, fails) in enumerate(variants):
            lines.append(f"    case {number}: {{ {statement} "
                         f"fails = {str(fails).lower()}; break; }}")
        lines += ["    }"]
        call = f"{name}({', '.join(parameter for _, parameter, _ in function['parameters'])})"
        error = next((parameter for kind, parameter, _ in function["parameters"]
                      if kind.base == "OozeError"), None)
        if function["returns"].base == "OozeStatus" and error:
            lines += [f"    OozeStatus status = {call};",
                      f"    const char *why = judge(status, {error}, fails);"]
        else:
            lines += [f"    {'(void)' if function['returns'].base != 'void' else ''}{call};",
                      "    (void)fails;", "    const char *why = NULL;"]
        if name.endswith(("_destroy", "_free", "_close")) and function["parameters"]:
            kind = function["parameters"][0][0]
            lines += [f"    {MAKERS[kind.base]} = NULL;" if kind.base in MAKERS else ""]
        for kind, parameter, _ in function["parameters"]:
            if kind.stars == 2 and kind.base in MAKERS and not kind.const:
                lines += [f"    if ({parameter} && *{parameter}) {{",
                          f"        free_{kind.base}(*{parameter});", "    }"]
        lines += ["    return why;", "}"]
        labels = ",\n    ".join('"' + label.split("; ")[-1].replace('"', "'").rstrip(";") + '"'
                               for label, _, _ in variants)
        lines += [f"static const char *const labels_{name}[] = {{", f"    {labels}", "};"]
        return "\n".join(lines)

    def row(self, function):
        """The entry of a function in the table of the program."""
        name = function["name"]
        needs = ["0"] + [f"NEEDS_{kind.base}" for kind, _, _ in function["parameters"]
                         if kind.base in MAKERS and kind.stars == 1]
        return f'{{"{name}", call_{name}, labels_{name}, ' \
               f"sizeof labels_{name} / sizeof labels_{name}[0], {' | '.join(needs)}}}"

    def program(self, template):
        rows = ",\n    ".join(self.row(function) for function in self.functions)
        callers = "\n\n".join(self.caller(function) for function in self.functions)
        return template.replace("/* CALLERS */", callers).replace("/* ROWS */", rows)
