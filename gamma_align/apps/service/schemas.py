"""The JSON Schemas of OpenAPI: results of commands, jobs, data, errors and requests, each under a name of its own."""

from __future__ import annotations

import json
from pathlib import Path

from gamma_align.apps.service import body
from gamma_align.apps.service.refusal import STATUS
from gamma_align.apps.service.settings import schema as settings_schema
from gamma_align.apps.service.work import COMMANDS
from gamma_align.data.json_types import Json

Schema = dict[str, Json]
_OUTPUT_FILE = Path(__file__).parents[1] / "output.schema.json"
"""The JSON Schema of what commands print with ``--json``."""
_STATES = ("queued", "running", "done", "failed", "cancelled")
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
        "observed": 0.71,
        "gamma_of_documents": {"d": 0.59},
    },
}
_TEXT: Schema = {"type": "string"}
_COUNT: Schema = {"type": "integer", "minimum": 0}
_NUMBER_OR_NULL: Schema = {"type": ["number", "null"]}
_TEXT_OR_NULL: Schema = {"type": ["string", "null"]}


def reference(name: str) -> Schema:
    """Return the reference to a schema of `all_schemas`."""
    return {"$ref": f"#/components/schemas/{name}"}


def name_of(definition: str) -> str:
    """Return the name of a definition of the output: GammaValue for ``gamma_value``, Measure for a command."""
    return "".join(part.capitalize() for part in definition.split("_"))


def all_schemas() -> dict[str, Schema]:
    """Return all schemas by name."""
    named = {name_of(name): schema for name, schema in _results().items()}
    named |= {
        "Error": {**_ERROR, "examples": [_ERROR_EXAMPLE]},
        "Problem": _PROBLEM,
        "Where": _WHERE,
        "Action": _ACTION,
    }
    named |= {
        "Job": {**_JOB, "examples": [_JOB_EXAMPLE]},
        "Progress": _PROGRESS,
        "Partial": _PARTIAL,
        "PartialGamma": _PARTIAL_GAMMA,
    }
    named |= {"Data": _DATA, "DataDocument": _DATA_DOCUMENT, "Format": _FORMAT, "Example": _EXAMPLE}
    return named | _requests()


def _results() -> dict[str, Schema]:
    """Return the definitions of the output that results of the commands of the HTTP API refer to."""
    definitions = json.loads(_OUTPUT_FILE.read_text(encoding="utf-8"))["$defs"]
    found: dict[str, Schema] = {}
    waiting = [*COMMANDS]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found[name] = _renamed(definitions[name], {other: name_of(other) for other in definitions}, waiting)
    return found


def _renamed(value: Json, names: dict[str, str], met: list[str]) -> Json:
    """Return a schema whose references are those of OpenAPI; the definitions that it refers to are added to `met`."""
    if isinstance(value, list):
        return [_renamed(item, names, met) for item in value]
    if not isinstance(value, dict):
        return value
    if "$ref" in value:
        definition = value["$ref"].rpartition("/")[2]
        met.append(definition)
        return reference(names[definition])
    return {name: _renamed(item, names, met) for name, item in value.items()}


def _requests() -> dict[str, Schema]:
    """Return the schemas of requests in JSON, with the settings of each command, and of the records in them."""
    whole = body.Body.model_json_schema()
    names = {"Unit": "RequestUnit", "Judgment": "RequestJudgment"}
    named = {names[name]: _renamed(schema, names, []) for name, schema in whole.pop("$defs").items()}
    properties = _renamed(whole["properties"], names, [])
    for command in COMMANDS:
        title = command.capitalize()
        named[f"{title}Options"] = _without_defaults(settings_schema(command))
        fields = properties | {"settings": reference(f"{title}Options")}
        named[f"{title}Request"] = {**whole, "properties": fields}
    for schema in named.values():
        schema.pop("title", None)  # pydantic's, which is not the name here
    return named


def _without_defaults(settings: Schema) -> Schema:
    """Return the schema of settings without defaults, which are in the descriptions.

    A generated client sends all defaults that it finds, and a value that is sent takes precedence over `conventions`.
    """
    options = {
        name: {key: value for key, value in option.items() if key != "default"}
        for name, option in settings["properties"].items()
    }
    return {**settings, "properties": options}


def _object(description: str, required: Schema, optional: Schema | None = None) -> Schema:
    """Return the schema of an object with these fields and no others."""
    return {
        "type": "object",
        "description": description,
        "properties": {**required, **(optional or {})},
        "required": [*required],
        "additionalProperties": False,
    }


def _list(items: Schema, **limits: int) -> Schema:
    return {"type": "array", "items": items, **limits}


def _or_null(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


_WHERE = _object(
    "Where a problem is: a field of the request, or a file with its line or its place.",
    {},
    {"field": _TEXT, "file": _TEXT, "line": {"type": "integer"}, "place": _TEXT},
)
_ACTION = _object(
    "A setting that a client can change, or a repair that it can apply.", {}, {"set": {"type": "object"}, "fix": _TEXT}
)
_PROBLEM_FIELDS: Schema = {"message": _TEXT, "cure": _TEXT_OR_NULL, "where": reference("Where")}
_ACTIONS: Schema = {"actions": _list(reference("Action"))}
_PROBLEM = _object("One of several problems of data.", _PROBLEM_FIELDS, _ACTIONS)
_ERROR = _object(
    "The shape of every error.",
    {
        "error": _object(
            "What is wrong, where, and what to do; `more` is the number of further problems of the data.",
            {"code": {"type": "string", "enum": [*STATUS]}, **_PROBLEM_FIELDS, "more": _COUNT},
            {**_ACTIONS, "problems": _list(reference("Problem"))},
        )
    },
)
_PROGRESS = _object(
    "Samples drawn and needed; documents with a value so far, and documents that can have one.",
    {"samples": _list(_COUNT, minItems=2, maxItems=2)},
    {"documents": _list(_COUNT, minItems=2, maxItems=2)},
)
_PARTIAL_GAMMA = _object(
    "γ of the samples so far.",
    {
        **dict.fromkeys(("value", "low", "high"), _NUMBER_OR_NULL),
        **dict.fromkeys(("reason", "no_interval"), _TEXT_OR_NULL),
        "precise": {"type": "boolean"},
    },
)
_PARTIAL = _object(
    "Values that are not precise yet: γ of the corpus and of documents, and the observed disorder.",
    {
        "gamma": reference("PartialGamma"),
        "observed": _NUMBER_OR_NULL,
        "gamma_of_documents": {"type": "object", "additionalProperties": _NUMBER_OR_NULL},
    },
    {"documents": _list(_COUNT, minItems=2, maxItems=2)},
)
_JOB = _object(
    "A job: its state, its progress, and the address of its result or its error.",
    {
        "job": _TEXT,
        "command": {"type": "string", "enum": [*COMMANDS]},
        "state": {"type": "string", "enum": [*_STATES]},
        "created": {"type": "string", "format": "date-time"},
        "data": _TEXT,
        "progress": _or_null(reference("Progress")),
        "partial": _or_null(reference("Partial")),
    },
    {"result": _TEXT, "error": _ERROR["properties"]["error"]},
)
_DATA_DOCUMENT = _object("A document of data.", {"document": _TEXT, "annotators": _COUNT, "units": _COUNT})
_DATA = _object(
    "Stored data: their id, and what is in them.",
    {
        **dict.fromkeys(("data", "name"), _TEXT),
        "documents": _list(reference("DataDocument")),
        **dict.fromkeys(("annotators", "categories"), _list(_TEXT)),
        "units": _COUNT,
        "length_unit": _TEXT_OR_NULL,
        "has_texts": {"type": "boolean"},
        "notes": _list(_TEXT),
    },
)
_FORMAT = _object(
    "A format of files.", {"name": _TEXT, "description": _TEXT, "suffixes": _list(_TEXT), "extra": _TEXT_OR_NULL}
)
_EXAMPLE = _object("A corpus that comes with the service.", dict.fromkeys(("name", "title", "text"), _TEXT))
