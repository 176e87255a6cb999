"""Named looks of Ooze, as docs/rendering.md shows them, and which of them a material has."""
import math

CLEAR, TRANSLUCENT, OPAQUE, METAL = "clear", "translucent", "opaque", "metal"

# kind, colour of its own or None (that of the material), depth as a share of the fluid's extent,
# index of refraction, roughness, coat, cloudiness, translucency: src/solids/look.c has the same
TABLE = {
    "honey": (CLEAR, (0.87, 0.60, 0.065), 0.30, 1.49, 0.0, 1.0, 0.12, 0.0),
    "syrup": (CLEAR, (0.66, 0.17, 0.012), 0.30, 1.46, 0.0, 1.0, 0.0, 0.0),
    "caramel": (TRANSLUCENT, (0.62, 0.25, 0.05), 0.10, 1.46, 0.12, 1.0, 0.0, 0.45),
    "cream": (TRANSLUCENT, (0.93, 0.87, 0.74), 0.10, 1.35, 0.35, 0.6, 0.0, 0.35),
    "chocolate": (OPAQUE, (0.085, 0.030, 0.012), 0.0, 1.55, 0.14, 1.0, 0.0, 0.0),
    "dough": (OPAQUE, (0.72, 0.55, 0.33), 0.0, 1.4, 0.6, 0.25, 0.0, 0.0),
    "clay": (OPAQUE, (0.40, 0.16, 0.085), 0.0, 1.4, 0.7, 0.2, 0.0, 0.0),
    "lava": (OPAQUE, (0.030, 0.025, 0.022), 0.0, 1.5, 0.5, 0.6, 0.0, 0.0),
    "mud": (OPAQUE, (0.13, 0.085, 0.05), 0.0, 1.33, 0.25, 0.9, 0.0, 0.0),
    "wax": (TRANSLUCENT, None, 0.12, 1.43, 0.3, 0.7, 0.0, 0.3),
    "water": (CLEAR, (0.62, 0.90, 0.95), 1.0, 1.333, 0.0, 1.0, 0.0, 0.0),
    "oil": (CLEAR, (0.85, 0.72, 0.10), 0.5, 1.47, 0.0, 1.0, 0.0, 0.0),
    "jelly": (CLEAR, None, 0.25, 1.36, 0.0, 1.0, 0.15, 0.0),
    "slime": (CLEAR, None, 0.20, 1.36, 0.0, 1.0, 2.0, 0.0),
    "glossy": (OPAQUE, None, 0.0, 1.5, 0.18, 1.0, 0.0, 0.0),
    "matte": (OPAQUE, None, 0.0, 1.5, 1.0, 0.0, 0.0, 0.0),
    "metal": (METAL, None, 0.0, 1.5, 0.2, 1.0, 0.0, 0.0),
    "glass": (CLEAR, (0.90, 0.96, 0.93), 1.0, 1.5, 0.0, 1.0, 0.0, 0.0),
    "wood": (OPAQUE, (0.38, 0.20, 0.085), 0.0, 1.5, 0.45, 0.4, 0.0, 0.0),
    "toast": (OPAQUE, (0.50, 0.26, 0.08), 0.0, 1.4, 0.9, 0.0, 0.0, 0.0),
    "ceramic": (OPAQUE, (0.83, 0.82, 0.79), 0.0, 1.5, 0.08, 1.0, 0.0, 0.0),
    "marble": (OPAQUE, (0.80, 0.79, 0.77), 0.0, 1.5, 0.12, 1.0, 0.0, 0.0),
    "plate": (OPAQUE, (0.84, 0.83, 0.80), 0.0, 1.5, 0.06, 1.0, 0.0, 0.0),
    "cloth": (OPAQUE, None, 0.0, 1.4, 1.0, 0.0, 0.0, 0.0),
}
DARKEST = 1e-4  # a colour of 0 would absorb without limit


class Look:
    """Numbers of a look, with lengths in metres."""

    def __init__(self, name, own, color, extent):
        """`own`: the map `look:` of the scene; `color`: of the material; `extent`: edge of a cube
        of the fluid's volume."""
        row = TABLE[name]
        self.name, self.kind = name, row[0]
        self.color = tuple(own.get("color") or row[1] or color)
        self.depth = own.get("depth", row[2] * extent)
        self.refraction = own.get("refraction", row[3])
        self.roughness = own.get("roughness", row[4])
        self.coat = own.get("coat", row[5])
        self.cloudiness = own.get("cloudiness", row[6])
        self.translucency = own.get("translucency", row[7])

    def absorption(self):
        """Beer's law, per metre: white light has the colour after the depth."""
        return tuple(-math.log(max(c, DARKEST)) / self.depth for c in self.color)

    def scattering(self):
        return self.cloudiness / self.depth

    def specular(self):
        """Of Principled BSDF before Blender 4: 0.08 times it is the reflectance along the
        normal."""
        return self.coat * ((self.refraction - 1.0) / (self.refraction + 1.0)) ** 2 / 0.08


def choose(name, entries, fallback, extent):
    """The look of a material or solid: `look.type`, the one of its name, or the fallback."""
    own = entries.get("look") or {}
    own = {"type": own} if isinstance(own, str) else own
    kind = own.get("type", "auto")
    if kind not in TABLE:
        kind = name if name in TABLE else fallback
    return Look(kind, own, entries.get("color") or (0.6, 0.6, 0.6), extent)
