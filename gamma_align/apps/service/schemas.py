"""The JSON Schemas of OpenAPI: results of commands, jobs, data, errors and requests, each under a name of its own."""

from __future__ import annotations

import json
from importlib.resources import files

from gamma_align.apps.service import body
from gamma_align.apps.service.refusal import QUESTIONS, STATUS
from gamma_align.apps.service.settings import schema as settings_schema
from gamma_align.apps.service.work import COMMANDS
from gamma_align.data import Json

Schema = dict[str, Json]
_OUTPUT_FILE = "output.schema.json"  # of what commands print with ``--json``
_JOB_STATES = ("queued", "running", "done", "failed", "cancelled")
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
_DATA = {"items": ("judgments",), "look": ("units", "judgments")}
"""What a request measures, if it is not units alone."""
_TEXT_SCHEMA: Schema = {"type": "string"}
_COUNT_SCHEMA: Schema = {"type": "integer", "minimum": 0}
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
        "Error": {**_ERROR_SCHEMA, "examples": [_ERROR_EXAMPLE]},
        "Problem": _PROBLEM_SCHEMA,
        "Where": _WHERE_SCHEMA,
        "Action": _ACTION_SCHEMA,
    }
    named |= {
        "Job": {**_JOB_SCHEMA, "examples": [_JOB_EXAMPLE]},
        "Progress": _PROGRESS_SCHEMA,
        "Partial": _PARTIAL_SCHEMA,
        "PartialGamma": _PARTIAL_GAMMA,
    }
    named |= {
        "Data": _DATA_SCHEMA,
        "DataDocument": _DATA_DOCUMENT,
        "Format": _FORMAT_SCHEMA,
        "Example": _EXAMPLE_SCHEMA,
    }
    return named | _requests()


def _results() -> dict[str, Schema]:
    """Return the definitions of the output that results of the commands of the HTTP API refer to."""
    text = files("gamma_align.apps").joinpath(_OUTPUT_FILE).read_text(encoding="utf-8")
    definitions = json.loads(text)["$defs"]
    schemas: dict[str, Schema] = {}
    waiting = [*COMMANDS]
    while waiting:
        name = waiting.pop()
        if name not in schemas:
            schemas[name] = _renamed(
                definitions[name], {definition: name_of(definition) for definition in definitions}, waiting
            )
    return schemas


def _renamed(value: Json, names: dict[str, str], met: list[str]) -> Json:
    """Return a schema with references as in OpenAPI; the definitions that it refers to are added to `met`."""
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
    """Return the schemas of requests in JSON, with and without data, and of the settings and records in them."""
    body_schema = body.Body.model_json_schema()
    names = {"Unit": "RequestUnit", "Judgment": "RequestJudgment"}
    named = {names[name]: _renamed(schema, names, []) for name, schema in body_schema.pop("$defs").items()}
    properties = _renamed(body_schema["properties"], names, [])
    for command in COMMANDS:
        title = command.capitalize()
        named[f"{title}Options"] = _without_defaults(settings_schema(command))
        settings = {"settings": reference(f"{title}Options")}
        either = _DATA.get(command, ("units",))
        # A field that is needed is a list, never null.
        data = {
            name: {**properties[name]["anyOf"][0], "description": properties[name]["description"]} for name in either
        }
        is_there = [{"required": [name]} for name in either]
        needed: Schema = is_there[0] if len(either) == 1 else {"oneOf": is_there}
        if named[f"{title}Options"]["required"]:
            needed = {"required": [*needed["required"], "settings"]}
        named[f"{title}Request"] = {**body_schema, "properties": properties | data | settings, **needed}
        named[f"{title}SettingsRequest"] = _object("Settings alone: the address names data or an example.", settings)
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


_WHERE_SCHEMA = _object(
    "Where a problem is: a field of the request, or a file with its line or its place.",
    {},
    {"field": _TEXT_SCHEMA, "file": _TEXT_SCHEMA, "line": {"type": "integer"}, "place": _TEXT_SCHEMA},
)
_ACTION_SCHEMA = _object(
    "A setting that a client can change, or a repair that it can apply.",
    {},
    {"set": {"type": "object"}, "fix": _TEXT_SCHEMA},
)
_PROBLEM_FIELDS: Schema = {"message": _TEXT_SCHEMA, "cure": _TEXT_OR_NULL, "where": reference("Where")}
_ACTIONS_SCHEMA: Schema = {"actions": _list(reference("Action"))}
_PROBLEM_SCHEMA = _object("One of several problems of data.", _PROBLEM_FIELDS, _ACTIONS_SCHEMA)
_ERROR_SCHEMA = _object(
    "The shape of every error.",
    {
        "error": _object(
            "What is wrong, where, and what to do; `more` is the number of further problems of the data. `asks` is the "
            "kind of a question about files, and `proposals` are values of the setting `map` that answer it.",
            {"code": {"type": "string", "enum": [*STATUS]}, **_PROBLEM_FIELDS, "more": _COUNT_SCHEMA},
            {
                **_ACTIONS_SCHEMA,
                "problems": _list(reference("Problem")),
                "asks": {"type": "string", "enum": [*QUESTIONS]},
                "proposals": _list({"type": "object"}),
            },
        )
    },
)
_PROGRESS_SCHEMA = _object(
    "Samples drawn and needed; documents with a value so far, and documents that can have one.",
    {"samples": _list(_COUNT_SCHEMA, minItems=2, maxItems=2)},
    {"documents": _list(_COUNT_SCHEMA, minItems=2, maxItems=2)},
)
_PARTIAL_GAMMA = _object(
    "γ of the samples so far.",
    {
        **dict.fromkeys(("value", "low", "high"), _NUMBER_OR_NULL),
        **dict.fromkeys(("reason", "no_interval"), _TEXT_OR_NULL),
        "precise": {"type": "boolean"},
    },
)
_PARTIAL_SCHEMA = _object(
    "Values that are not precise yet: γ of the corpus and of documents, and the observed disorder.",
    {
        "gamma": reference("PartialGamma"),
        "observed": _NUMBER_OR_NULL,
        "gamma_of_documents": {"type": "object", "additionalProperties": _NUMBER_OR_NULL},
    },
    {"documents": _list(_COUNT_SCHEMA, minItems=2, maxItems=2)},
)
_JOB_SCHEMA = _object(
    "A job: its state, its progress, and the address of its result or its error.",
    {
        "job": _TEXT_SCHEMA,
        "command": {"type": "string", "enum": [*COMMANDS]},
        "state": {"type": "string", "enum": [*_JOB_STATES]},
        "created": {"type": "string", "format": "date-time"},
        "data": _TEXT_SCHEMA,
        "progress": _or_null(reference("Progress")),
        "partial": _or_null(reference("Partial")),
    },
    {"result": _TEXT_SCHEMA, "error": _ERROR_SCHEMA["properties"]["error"]},
)
_DATA_DOCUMENT = _object(
    "A document of data.", {"document": _TEXT_SCHEMA, "annotators": _COUNT_SCHEMA, "units": _COUNT_SCHEMA}
)
_DATA_SCHEMA = _object(
    "Stored data: their id, and what is in them.",
    {
        **dict.fromkeys(("data", "name"), _TEXT_SCHEMA),
        "documents": _list(reference("DataDocument")),
        **dict.fromkeys(("annotators", "categories"), _list(_TEXT_SCHEMA)),
        "units": _COUNT_SCHEMA,
        "length_unit": _TEXT_OR_NULL,
        "has_texts": {"type": "boolean"},
        "notes": _list(_TEXT_SCHEMA),
    },
)
_FORMAT_SCHEMA = _object(
    "A format of files.",
    {"name": _TEXT_SCHEMA, "description": _TEXT_SCHEMA, "suffixes": _list(_TEXT_SCHEMA), "extra": _TEXT_OR_NULL},
)
_EXAMPLE_SCHEMA = _object(
    "A corpus that comes with the service.", dict.fromkeys(("name", "title", "text"), _TEXT_SCHEMA)
)
