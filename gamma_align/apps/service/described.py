"""The OpenAPI descriptions of requests and responses, with examples."""

from __future__ import annotations

from typing import Any

from gamma_align.apps.service.refusal import STATUS
from gamma_align.apps.service.schemas import reference
from gamma_align.apps.service.settings import schema as settings_schema
from gamma_align.data import Json

_ALWAYS = (400, 401, 403, 429, 500, 503)
"""The statuses of errors that any request may have."""
WITH_DATA = (404, 408, 409, 413, 415, 422, 507)
"""The statuses of further errors of requests that contain or read data."""
_Described = dict[int | str, dict[str, Any]]
_UNITS_EXAMPLE = {
    "units": [
        {"document": "d", "annotator": "ann", "start": 0, "end": 3, "category": "PER"},
        {"document": "d", "annotator": "bob", "start": 0, "end": 4, "category": "PER"},
        {"document": "d", "annotator": "bob", "start": 8, "end": 12, "category": "LOC"},
    ],
    "annotations": [["d", "ann"], ["d", "bob"], ["d", "cy"]],
    "extents": {"d": [0, 40]},
    "settings": {"alpha": 1, "precision": 0.02, "seed": 7},
}
_JUDGMENTS_EXAMPLE = {
    "judgments": [
        {"item": "i1", "annotator": "ann", "category": "yes"},
        {"item": "i1", "annotator": "bob", "category": "no"},
        {"item": "i2", "annotator": "ann", "category": "no"},
        {"item": "i2", "annotator": "bob", "category": "no"},
    ],
    "settings": {"coefficients": ["alpha", "kappa"]},
}
_REQUEST_EXAMPLES = {
    "items": _JUDGMENTS_EXAMPLE,
    "shuffle": {**_UNITS_EXAMPLE, "settings": {"magnitude": 0.5, "annotator": "bob"}},
    "evaluate": {**_UNITS_EXAMPLE, "settings": {"reference": "bob"}},
    "ceiling": {**_UNITS_EXAMPLE, "settings": {"measure": "exact"}},
    "align": {**_UNITS_EXAMPLE, "settings": {"alpha": 2}},
    "look": {**_UNITS_EXAMPLE, "settings": {"samples": 5}},
}
# The fields of an exploded object are parameters, and OpenAPI says of fields alone that they exclude each other.
_SOURCE = {
    "name": "source",
    "in": "query",
    "style": "form",
    "explode": True,
    "schema": {
        "type": "object",
        "properties": {
            "data": {"type": "string", "description": "The id of data that were sent before."},
            "example": {"type": "string", "description": "The name of an example, in place of data."},
        },
        "additionalProperties": False,
        "not": {"required": ["data", "example"]},
    },
}
_LOCATION_HEADER = {"Location": {"description": "Its address.", "schema": {"type": "string"}}}
_RETRY_AFTER = {"Retry-After": {"description": "Seconds until then.", "schema": {"type": "integer"}}}


def success(status: int, text: str, schema: dict[str, Json], *, located: bool = False) -> _Described:
    """Return the description of a response in JSON that is no error."""
    headers = {"headers": _LOCATION_HEADER} if located else {}
    return {status: {"description": text, "content": {"application/json": {"schema": schema}}, **headers}}


def job(status: int, text: str = "The job.") -> _Described:
    """Return the description of a response that is a job."""
    return success(status, text, reference("Job"), located=True)


def refusals(*statuses: int) -> _Described:
    """Return the descriptions of errors that any request may have, and of errors with these statuses."""
    described: _Described = {}
    for status in sorted({*_ALWAYS, *statuses}):
        text = ", ".join(code for code in STATUS if STATUS[code] == status)
        described |= success(status, text, reference("Error"))
        if status == STATUS["busy"]:
            described[status]["headers"] = _RETRY_AFTER
    return described


def request(command: str | None) -> dict[str, Json]:
    """Return the OpenAPI description of a request of a command: its body, and its parameters in the address.

    The body is JSON, a form with a file, or a file. For None, data are only stored, without a parameter `source`.
    """
    name = command or "align"
    form = {
        "type": "object",
        "properties": {
            "file": {"type": "string", "format": "binary"},
            "settings": reference(f"{name.capitalize()}Options"),
        },
        "additionalProperties": False,
        "required": ["file", *(["settings"] if settings_schema(name)["required"] else [])],
    }
    schemas = [reference(f"{name.capitalize()}{kind}") for kind in ("Request", "SettingsRequest")]
    json = {"schema": {"anyOf": schemas}, "example": _REQUEST_EXAMPLES.get(name, _UNITS_EXAMPLE)}
    file = {"schema": {"type": "string", "format": "binary"}}
    parts = {"schema": form, "encoding": {"settings": {"contentType": "application/json"}}}
    content = {"application/json": json, "multipart/form-data": parts, "application/octet-stream": file}
    source = [] if command is None else [_SOURCE]
    return {"requestBody": {"content": content}, "parameters": [*source, address_settings(name)]}


def address_settings(command: str) -> dict[str, Json]:
    """Return the description of settings in the address, which are a text of JSON."""
    schema = reference(f"{command.capitalize()}Options")
    return {
        "name": "settings",
        "in": "query",
        "description": "Settings in JSON, where the body is a file.",
        "content": {"application/json": {"schema": schema}},
    }
