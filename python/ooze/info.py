"""What the library has: version, features, methods, presets and looks."""
from __future__ import annotations

from typing import Any

from ooze import c
from ooze.c._support import text_of


def _plain(structure: Any) -> dict[str, Any]:
    """Numbers and texts of a structure."""
    plain = {}
    for name, kind in structure._fields_:
        value = getattr(structure, name)
        if isinstance(value, (bytes, type(None))):
            plain[name] = text_of(value)
        elif isinstance(value, (bool, int, float)):
            plain[name] = value
    return plain


def version() -> str:
    """Version of the library."""
    return text_of(c.ooze_version().text) or ""


def features() -> dict[str, bool]:
    """Libraries and optional features, and whether this build has them."""
    return {text_of(item.name) or "": item.present for item in c.ooze_features()}


def _params(items: Any, count: int) -> dict[str, dict[str, Any]]:
    return {text_of(items[i].key) or "": _plain(items[i]) for i in range(count)}


def methods() -> dict[str, dict[str, Any]]:
    """Methods by name, with their settings in `params`."""
    found = {}
    for i in range(c.ooze_method_count()):
        info = c.ooze_method_info(i).contents
        found[text_of(info.name) or ""] = {**_plain(info),
                                           "params": _params(info.params, info.param_count)}
    return found


def material_numbers() -> dict[str, dict[str, Any]]:
    """The numbers of a material by key, with units, ranges and descriptions."""
    items = c.ooze_material_params()
    return _params(items, len(items))


def presets() -> dict[str, dict[str, Any]]:
    """Predefined materials by name; `numbers` holds their values."""
    found = {}
    for i in range(c.ooze_preset_count()):
        info = c.ooze_preset_info(i).contents
        numbers = {text_of(info.numbers[k].key) or "": info.numbers[k].value
                   for k in range(info.number_count)}
        found[text_of(info.name) or ""] = {**_plain(info), "numbers": numbers}
    return found


def looks() -> dict[str, dict[str, Any]]:
    """Appearances by name."""
    return {text_of(look.name) or "": _plain(look) for look in c.ooze_looks()}
