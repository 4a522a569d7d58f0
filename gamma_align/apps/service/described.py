"""The OpenAPI descriptions of requests and responses, with examples."""

from __future__ import annotations

from gamma_align.apps.service.body import Body
from gamma_align.apps.service.refusal import STATUS
from gamma_align.apps.service.settings import schema
from gamma_align.data.json_types import Json

REFUSALS = (400, 401, 403, 404, 408, 409, 413, 415, 422, 429, 500, 503)
"""The statuses of errors that any request may have."""
_ERROR_EXAMPLE = {
    "error": {
        "code": "invalid_input",
        "message": "the unit ends at 3, before its start 5",
        "cure": "swap the boundaries, or check that the columns are start and end, not start and length",
        "where": {"file": "bad.csv", "line": 2},
        "more": 0,
    }
}
_JOB_EXAMPLE = {
    "job": "9f3c1d",
    "command": "measure",
    "state": "running",
    "created": "2026-11-22T00:00:00.000Z",
    "data": "ab12ef",
    "progress": {"samples": [18, 30]},
    "partial": {
        "gamma": {"value": 0.59, "low": 0.55, "high": 0.62, "reason": None, "no_interval": None, "precise": False},
        "gamma_of_documents": {"d": 0.59},
    },
}
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
    "align": {**_UNITS_EXAMPLE, "settings": {"alpha": 2}},
}
_SUCCESS_TEXTS = {
    200: ("The result: what the command prints as JSON.", None),
    201: ("What the data are, and their id.", None),
    202: ("The job, which goes on.", _JOB_EXAMPLE),
}


def responses(*statuses: int) -> dict[int | str, dict[str, Json]]:
    """Return the descriptions of responses with these statuses."""
    described: dict[int | str, dict[str, Json]] = {}
    for status in statuses:
        text, example = _SUCCESS_TEXTS.get(
            status, (", ".join(code for code in STATUS if STATUS[code] == status), _ERROR_EXAMPLE)
        )
        content = {"schema": _error_schema() if status not in _SUCCESS_TEXTS else {}}
        described[status] = {"description": text, "content": {"application/json": content}}
        if example is not None:
            content["example"] = example
    return described


def _error_schema() -> dict[str, Json]:
    text = {"type": "string"}
    properties = {
        "code": {"enum": [*STATUS]},
        "message": text,
        "cure": {"type": ["string", "null"]},
        "where": {"type": "object"},
        "more": {"type": "integer", "minimum": 0},
        "actions": {
            "type": "array",
            "description": "Settings that a client can change and repairs that it can apply.",
            "items": {"type": "object", "properties": {"set": {"type": "object"}, "fix": text}},
        },
        "problems": {"type": "array", "items": {"type": "object"}},
    }
    required = [name for name in properties if name not in ("actions", "problems")]
    error = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    return {"type": "object", "properties": {"error": error}, "required": ["error"], "additionalProperties": False}


def request(command: str | None) -> dict[str, Json]:
    """Return the description of the body of a request: JSON, a form with files, or a file."""
    body = Body.model_json_schema()
    definitions = body.pop("$defs", {})
    # A reference such as "#/$defs/Unit" starts at the root, which is that of the OpenAPI document here.
    properties = {name: _resolve(value, definitions) for name, value in body["properties"].items()}
    body["properties"] = properties | {"settings": schema(command or "align")}
    form = {
        "type": "object",
        "properties": {"file": {"type": "string", "format": "binary"}, "settings": {"type": "string"}},
        "required": ["file"],
    }
    json = {"schema": body, "example": _REQUEST_EXAMPLES.get(command or "align", _UNITS_EXAMPLE)}
    file = {"schema": {"type": "string", "format": "binary"}}
    content = {"application/json": json, "multipart/form-data": {"schema": form}, "application/octet-stream": file}
    return {"requestBody": {"content": content}}


def _resolve(value: object, definitions: dict[str, object]) -> object:
    """Return a JSON Schema in which definitions take the places of references."""
    if isinstance(value, list):
        return [_resolve(item, definitions) for item in value]
    if not isinstance(value, dict):
        return value
    if "$ref" in value:
        return _resolve(definitions[value["$ref"].rpartition("/")[2]], definitions)
    return {name: _resolve(item, definitions) for name, item in value.items()}
