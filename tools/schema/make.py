"""Write gamma_align/apps/output.schema.json, the JSON Schema of what commands print, from `outputs`.

    python tools/schema/make.py

A result's rows are declared by its class: their properties are its fields, and types follow from annotations. NaN and
infinity are null in JSON, and so is every number with decimals that may be one.
"""

from __future__ import annotations

import json
import types
import typing
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path

import numpy as np
from outputs import CLASSES, COMMANDS, DEFINITIONS
from shapes import Described, Either, Record, Ref, Rows, Words

FILE = Path(__file__).parents[2] / "gamma_align" / "apps" / "output.schema.json"
_NAMES = {str: "string", int: "integer", bool: "boolean", types.NoneType: "null", None: "null", dict: "object"}
_NAMES |= {list: "array"}


def text() -> str:
    """Return the text of the file."""
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "What gamma-align prints with --json, by command",
        "description": "Each command's output is the definition of its name. NaN and infinity are null.",
        "anyOf": [schema_of(Ref(command)) for command in COMMANDS],
        "$defs": {name: schema_of(shape) for name, shape in DEFINITIONS.items()},
    }
    return json.dumps(schema, indent=1, ensure_ascii=False) + "\n"


def schema_of(shape: object) -> dict[str, object]:
    """Return the JSON Schema of a shape: an annotation of Python, or one of `shapes`."""
    if isinstance(shape, type) and shape in CLASSES:
        return schema_of(Ref(CLASSES[shape]))
    if isinstance(shape, type) and (is_dataclass(shape) or hasattr(shape, "_fields")):
        return schema_of(Rows(shape))
    match shape:
        case Ref(name):
            schema: dict[str, object] = {"$ref": f"#/$defs/{name}"}
        case Described(inner, description):
            schema = {"description": description, **schema_of(inner)}
        case Words(words):
            schema = {"const": words[0]} if len(words) == 1 else {"enum": [*words]}
        case Either(shapes):
            schema = {"anyOf": [*map(schema_of, shapes)]}
        case Record(description, properties, optional, is_open):
            schema = _object(description, properties, optional)
            if is_open:
                del schema["additionalProperties"]
        case Rows(kind, description, replaced):
            schema = _object(description, {**_fields_of(kind), **replaced}, ())
        case _:
            schema = _schema_of_annotation(shape)
    return schema


def _schema_of_annotation(shape: object) -> dict[str, object]:
    """Return the JSON Schema of an annotation; a KeyError names one that has no rule."""
    origin = typing.get_origin(shape)
    arguments = typing.get_args(shape)
    if origin is None:
        return {"type": ["number", "null"] if shape is float else _NAMES[shape]}  # type: ignore[index]
    if origin in (typing.Union, types.UnionType):
        return _schema_of_union([schema_of(argument) for argument in arguments])
    if issubclass(origin, Mapping):
        return {"type": "object", "additionalProperties": schema_of(arguments[1])}
    if origin is np.ndarray:
        return {"type": "array", "items": schema_of(int)}
    if origin is tuple and arguments[-1] is not Ellipsis:
        cells = [schema_of(argument) for argument in arguments]
        are_equal = all(cell == cells[0] for cell in cells)
        items = {"items": cells[0]} if are_equal else {"prefixItems": cells}
        return {"type": "array", **items, "minItems": len(cells), "maxItems": len(cells)}
    return {"type": "array", "items": schema_of(arguments[0])}


def _schema_of_union(schemas: Sequence[dict[str, object]]) -> dict[str, object]:
    """Return one schema for several: with several types if only types differ."""
    names = [*dict.fromkeys(name for schema in schemas for name in _types(schema))]
    others = [schema for schema in schemas if set(schema) != {"type"}]
    if not others:
        return {"type": names}
    if len(others) == 1 and len(schemas) == 2 and "type" in others[0] and {"type": "null"} in schemas:
        return {**others[0], "type": names}
    return {"anyOf": [*schemas]}


def _types(schema: Mapping[str, object]) -> Iterator[str]:
    named = schema.get("type", ())
    yield from [named] if isinstance(named, str) else named  # type: ignore[misc]


def _object(description: str, properties: Mapping[str, object], optional: Sequence[str]) -> dict[str, object]:
    return {
        **({"description": description} if description else {}),
        "type": "object",
        "properties": {name: schema_of(shape) for name, shape in properties.items()},
        "required": [name for name in properties if name not in optional],
        "additionalProperties": False,
    }


def _fields_of(kind: type) -> dict[str, object]:
    """Return the annotation of each field of a class of rows."""
    names = [field.name for field in fields(kind)] if is_dataclass(kind) else kind._fields  # type: ignore[attr-defined]
    hints = typing.get_type_hints(kind)
    return {name: hints[name] for name in names}


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
