"""USDA read by a parser of its grammar (metadata, prims, attributes, time samples): every value,
and a stage whose clips play the frames in order."""

import os
import re

import numpy

from samples import FRAMES, Samples, check, check_equal

TOKEN = re.compile(r'\s+|"(?:[^"\\]|\\.)*"|@[^@]*@(?:</[^>]*>)?|[A-Za-z_][\w:.]*(?:\[\])?'
                   r'|[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|inf|nan)|[()\[\]{}=,:]')


class Parser:
    def __init__(self, text):
        head, _, body = text.partition("\n")
        check(head == "#usda 1.0", "USDA head")
        self.tokens, at = [], 0
        while at < len(body):
            match = TOKEN.match(body, at)
            check(match is not None, f"USDA: what is {body[at:at + 30]!r}?")
            if not match.group().isspace():
                self.tokens.append(match.group())
            at = match.end()
        self.at = 0

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def take(self, expected=None):
        token = self.peek()
        check(token is not None and expected in (None, token), f"USDA: {token!r}, not {expected!r}")
        self.at += 1
        return token

    def value(self):
        token = self.take()
        if token in "([":
            items, end = [], {"(": ")", "[": "]"}[token]
            while self.peek() != end:
                items.append(self.value())
                if self.peek() != end:
                    self.take(",")
            self.take(end)
            return items
        if token == "{":
            return self.dictionary()
        if token[0] in '"@':
            return token if token[0] == "@" else re.sub(r"\\(.)", r"\1", token[1:-1])
        return float(token) if re.search(r"[.enif]", token) else int(token)

    def dictionary(self):
        """After the brace: typed entries, or samples by time code."""
        entries = {}
        while self.peek() != "}":
            first = self.take()
            if re.match(r"[-\d.]+$", first):
                self.take(":")
                entries[float(first)] = self.value()
                self.take(",")
            else:
                name = self.take()
                self.take("=")
                entries[name] = self.value()
        self.take("}")
        return entries

    def metadata(self):
        entries = {}
        if self.peek() == "(":
            self.take()
            while self.peek() != ")":
                name = self.take()
                if name == "prepend":
                    name = self.take()
                self.take("=")
                entries[name] = self.value()
            self.take()
        return entries

    def prim(self):
        self.take("def")
        prim = {"type": self.take(), "name": self.value(), "metadata": self.metadata(),
                "prims": {}, "attributes": {}, "types": {}, "about": {}}
        self.take("{")
        while self.peek() != "}":
            if self.peek() == "def":
                child = self.prim()
                check(child["name"] not in prim["prims"], "USDA: two prims of one name")
                prim["prims"][child["name"]] = child
                continue
            kind = self.take()
            kind = self.take() if kind in ("uniform", "custom") else kind
            name = self.take()
            if self.peek() == "=":
                self.take()
                prim["attributes"][name] = self.value()
                prim["types"][name] = kind
            about = self.metadata()
            if about:
                prim["about"][name] = about
        self.take("}")
        return prim

    def stage(self):
        metadata = self.metadata()
        prim = self.prim()
        check(self.peek() is None, "USDA: nothing after the root")
        return metadata, prim


def read(path):
    with open(path, encoding="utf-8") as file:
        return Parser(file.read()).stage()


def check_array(points, name, kind, expected, interpolation=None):
    samples = points["attributes"][f"{name}.timeSamples"]
    check(list(samples) == [0.0], f"one sample of {name}")
    check(points["types"][f"{name}.timeSamples"] == kind, f"type of {name}")
    width = expected.shape[1] if re.search(r"\d", kind.replace("64", "")) else 1
    got = numpy.array(samples[0.0], expected.dtype).reshape(-1, width)
    check_equal(got, expected.reshape(-1, width), f"USDA {name}")
    if interpolation:
        about = points["about"][name]
        check(about["interpolation"] == interpolation, f"interpolation of {name}")
        check(about.get("elementSize", 1) == expected.shape[1] // width, f"element size of {name}")


def check_frame(samples, number):
    metadata, root = read(samples.export_path("usda", number))
    check(metadata["upAxis"] == "Z" and metadata["metersPerUnit"] == 1, "axes and unit")
    check(metadata["defaultPrim"] == "ooze" == root["name"], "default prim")
    check(metadata["timeCodesPerSecond"] > 0, "time codes per second")
    check(metadata["customLayerData"]["time"] == 0.125 * number + 0.001, "time of the frame")
    fields, points = samples.fields(number), root["prims"]["particles"]
    check(points["type"] == "Points", "particles are Points")
    check_array(points, "points", "point3f[]", fields["position"])
    check_array(points, "velocities", "vector3f[]", fields["velocity"])
    check_array(points, "ids", "int64[]", fields["id"])
    kinds = {"material": "int[]", "density": "float[]", "stress": "float[]", "age": "double[]",
             "flags": "int[]", "bonds": "int64[]"}
    for name, kind in kinds.items():
        check_array(points, f"primvars:{name}", kind, fields[name], "vertex")
    colors = numpy.array([[0.9, 0.6, 0.1], [0, 0, 1], [1, 1, 1]])[fields["material"][:, 0]]
    check_array(points, "primvars:displayColor", "color3f[]", colors)
    check(points["attributes"]["widths"] == [0.01], "widths")
    check(points["about"]["widths"]["interpolation"] == "constant", "widths are constant")
    if len(fields["id"]):
        low, high = (numpy.array(x) for x in points["attributes"]["extent.timeSamples"][0.0])
        check((low < fields["position"].min(0)).all() and (high > fields["position"].max(0)).all(),
              "extent")
    solids = root["prims"]["solids"]["prims"]
    check(list(solids) == ["bowl", "L__ffel_____spoon__"], "names of solids")
    check(solids["L__ffel_____spoon__"]["metadata"]["displayName"] == 'Löffel & "<spoon>"',
          "a solid's own name")
    bowl = solids["bowl"]["attributes"]
    check(bowl["xformOpOrder"] == ["xformOp:translate", "xformOp:orient"], "order of operations")
    check(bowl["xformOp:translate.timeSamples"] == {0.0: [1, 2, 3]}, "position of a solid")
    check(bowl["xformOp:orient.timeSamples"] == {0.0: [0.8, 0, 0.6, 0]},
          "rotation of a solid, real part first")


def check_stage(samples):
    metadata, root = read(samples.path("usda", "run.usda"))
    check(metadata["upAxis"] == "Z" and metadata["timeCodesPerSecond"] == 8,
          "stage: 8 frames a second")
    codes = [8 * (0.125 * n + 0.001) for n in range(FRAMES)]
    check(numpy.allclose([metadata["startTimeCode"], metadata["endTimeCode"]],
                         [codes[0], codes[-1]]),
          "stage: range")
    clips = root["metadata"]["clips"]["default"]
    check(clips["primPath"] == "/ooze", "clips: prim")
    for n, path in enumerate(clips["assetPaths"]):
        name = path.strip("@")
        check(os.path.basename(name) == f"frame_{n:06d}.usda", "clips: order")
        check(os.path.exists(samples.path("usda", name)), "clips: file")
    check(clips["manifestAssetPath"] == clips["assetPaths"][0], "clips: manifest")
    check(numpy.allclose(clips["active"], [[c, n] for n, c in enumerate(codes)]), "clips: active")
    check(numpy.allclose(clips["times"], [[c, 0] for c in codes]), "clips: times")
    check(root["metadata"]["references"] == clips["assetPaths"][0] + "</ooze>", "stage: reference")


with Samples() as made:
    for frame in range(FRAMES):
        check_frame(made, frame)
    check_stage(made)
print("USDA holds every value")
