"""What OpenAPI says of the service is so, for whatever schemathesis makes of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from jsonschema import Draft202012Validator
from schemathesis import checks
from served import API, ERROR, served

from gamma_align.apps.service.refusal import STATUS

CHECKS = [
    checks.not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_schema_conformance,
    checks.response_headers_conformance,
]
POSITIVE = schemathesis.GenerationMode.POSITIVE
QUICK = {"suppress_health_check": [*HealthCheck], "phases": [Phase.explicit, Phase.generate], "deadline": None}


@pytest.fixture(scope="module")
def client():
    with served("--workers", 1) as one:
        yield one


@pytest.fixture(scope="module")
def published():
    with served("--workers", 1, "--max-seconds", 2, "--max-units", 1000) as one:
        yield schemathesis.openapi.from_url(str(one.base_url.join(f"{API}/openapi.json")))


def answered(case):
    if "wait" in case.query:
        case.query["wait"] = min(case.query["wait"], 1) if isinstance(case.query["wait"], (int, float)) else "x"
    response = case.call(timeout=None)
    assert response.status_code < 500, response.text
    if response.status_code >= 400:
        Draft202012Validator(ERROR).validate(response.json())
    case.validate_response(response, checks=CHECKS)
    return response


def check_any(case):
    answered(case)


def check_right(case):
    """A request that fits the schema is never refused for its form; where a setting is wrong, its field is named."""
    response = answered(case)
    if response.status_code >= 400:
        error = response.json()["error"]
        assert error["code"] != "usage" or "field" in error["where"], response.text


def try_out(published, examples):
    """Send so many requests of each operation, right and wrong ones (not by pytest: its versions differ)."""
    for operation in (result.ok() for result in published.get_all_operations()):
        can_be_wrong = operation.method == "post"  # any text is an id
        for mode in [*schemathesis.GenerationMode][: 1 + can_be_wrong]:
            given_case = given(case=operation.as_strategy(generation_mode=mode))
            settings(max_examples=examples, **QUICK)(given_case(check_right if mode is POSITIVE else check_any))()


def test_some_requests_are_answered_as_published(published):
    try_out(published, 5)


@pytest.mark.release
def test_many_requests_are_answered_as_published(published):
    try_out(published, 150)


@pytest.fixture(scope="module")
def described(client):
    """Return the description, and the function that returns the validator of a schema in it."""
    description = client.get(f"{API}/openapi.json").json()
    components = description["components"]

    def validator(schema):
        return Draft202012Validator({**schema, "components": components})

    return description, validator


def json_schema(response):
    return response["content"]["application/json"]["schema"]


def test_the_examples_are_answered(client, described):
    description, validator = described
    for name in ("measure", "align", "items", "shuffle", "evaluate", "ceiling", "look"):
        operation = description["paths"][f"{API}/{name}"]["post"]
        content = operation["requestBody"]["content"]["application/json"]
        validator(content["schema"]).validate(content["example"])
        answer = client.finish(name, json=content["example"])
        assert answer.status_code == 200, answer.text
        validator(json_schema(operation["responses"]["200"])).validate(answer.json())


def test_a_request_has_its_data_or_settings_alone(described):
    description, validator = described
    unit = {"annotator": "ann", "start": 0, "end": 3}
    judgment = {"item": "i", "annotator": "ann", "category": "x"}
    for command, name, row in (
        ("measure", "units", unit),
        ("items", "judgments", judgment),
        ("look", "units", unit),
        ("look", "judgments", judgment),
    ):
        operation = description["paths"][f"{API}/{command}"]["post"]
        body = validator(operation["requestBody"]["content"]["application/json"]["schema"])
        assert body.is_valid({name: [row]})
        assert body.is_valid({name: [row], "settings": {}})
        assert body.is_valid({"settings": {}})
        assert not body.is_valid({})
        assert not body.is_valid({name: None})
        assert not body.is_valid({"extents": {}, "settings": {}})


def test_data_and_an_example_exclude_each_other(client, described):
    description, validator = described
    [source] = [
        parameter
        for parameter in description["paths"][f"{API}/measure"]["post"]["parameters"]
        if parameter["name"] == "source"
    ]
    assert validator(source["schema"]).is_valid({"example": "novels_ner"})
    assert not validator(source["schema"]).is_valid({"data": "x", "example": "novels_ner"})
    assert client.post(f"{API}/measure?data=x&example=novels_ner").status_code == 400


def test_all_schemas_are_valid_and_every_success_has_one(described):
    description, validator = described
    for schema in description["components"]["schemas"].values():
        Draft202012Validator.check_schema(schema)
        for example in schema.get("examples", ()):
            validator(schema).validate(example)
    for path, operations in description["paths"].items():
        for operation in operations.values():
            for status, response in operation["responses"].items():
                is_empty = status == "204" or path.endswith("/events")
                if status.startswith("2") and not is_empty:
                    assert json_schema(response) not in ({}, {"type": "object"}), (path, status)
                elif not is_empty:
                    assert json_schema(response) == {"$ref": "#/components/schemas/Error"}


def test_a_job_is_as_described_in_each_state(client, described):
    description, validator = described
    responses = description["paths"][f"{API}/measure"]["post"]["responses"]
    job = validator(json_schema(responses["202"]))
    units = [{"annotator": name, "start": 0, "end": 1} for name in ("ann", "bob")]
    for body, state in (({"units": units, "settings": {"samples": 3}}, "done"), ({"units": []}, "failed")):
        # The only worker is busy, so that the job has not ended before the answer.
        other = client.post(f"{API}/measure?wait=0", json={"units": units, "settings": {"samples": 10**6}})
        begun = client.post(f"{API}/measure?wait=0", json=body)
        assert (begun.status_code, begun.json()["state"]) == (202, "queued")
        job.validate(begun.json())
        client.delete(other.headers["location"])
        client.follow(begun)
        ended = client.get(begun.headers["location"]).json()
        assert ended["state"] == state
        job.validate(ended)


def test_every_status_of_errors_is_described(described):
    operations = [operation for path in described[0]["paths"].values() for operation in path.values()]
    statuses = {int(status) for operation in operations for status in operation["responses"]}
    # OpenAPI lists the methods of a path, and 405 is the answer to all others.
    assert set(STATUS.values()) - statuses == {STATUS["method"]}


def test_settings_have_no_defaults_for_a_client_to_send(described):
    """A value that is sent takes precedence over `conventions`, and generated clients send all defaults."""
    schemas = described[0]["components"]["schemas"]
    assert not [name for name, setting in schemas["MeasureOptions"]["properties"].items() if "default" in setting]


PROGRAM = """
import sys

from made.api.default import job_events, job_result, job_state, measure
from made.client import Client
from made.models import Error, Gamma, Job, MeasureOptions, MeasureOptionsConventions, MeasureRequest, RequestUnit
from made.models import MeasureSource


def result(body: MeasureRequest, client: Client) -> object:
    answer = measure.sync(client=client, body=body, wait=0)
    if not isinstance(answer, Job):
        return answer
    job_events.sync_detailed(answer.job, client=client)  # they end with the job
    return job_result.sync(answer.job, client=client)


def main(address: str) -> None:
    client = Client(address)
    units = [RequestUnit("ann", 0, 3, "d", "PER"), RequestUnit("bob", 0, 4, "d", "PER")]
    settings = MeasureOptions(samples=5, conventions=MeasureOptionsConventions.AUTHORS)
    right = result(MeasureRequest(units=units, settings=settings), client)
    assert isinstance(right, Gamma)
    gamma: float | None = right.corpus.gamma.value
    wrong = result(MeasureRequest(units=[RequestUnit("ann", 5, 3)]), client)
    assert isinstance(wrong, Error)
    job = measure.sync(client=client, source=MeasureSource(example="novels_ner"), wait=0)
    assert isinstance(job, Job)
    state = job_state.sync(job.job, client=client)
    assert isinstance(state, Job)
    print(gamma, right.signature, wrong.error.code.value, wrong.error.where.field, state.command.value)


main(sys.argv[1])
"""


@pytest.mark.release
def test_a_generated_client_is_typed_and_works(client, described, tmp_path):
    (tmp_path / "openapi.json").write_text(json.dumps(described[0]), encoding="utf-8")
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    options = ("--path", "openapi.json", "--meta", "none", "--output-path", "made", "--fail-on-warning")
    run_module("openapi_python_client", "generate", *options, cwd=tmp_path)
    # The code that is made has errors of its own under --strict, of which only those of the program matter.
    run_module("mypy", "--strict", "--follow-imports=silent", "program.py", cwd=tmp_path)
    printed = run_module("program", str(client.base_url).rstrip("/"), cwd=tmp_path)
    value, signature, *others = printed.split()
    body = {"units": [{"annotator": "ann", "start": 0, "end": 3, "document": "d", "category": "PER"},
                      {"annotator": "bob", "start": 0, "end": 4, "document": "d", "category": "PER"}],
            "settings": {"samples": 5, "conventions": "authors"}}  # fmt: skip
    answer = client.finish("measure", json=body).json()
    assert (float(value), signature) == (answer["corpus"]["gamma"]["value"], answer["signature"])
    assert others == ["invalid_input", "units[0]", "measure"]


def run_module(*arguments, cwd):
    # The generator formats what it makes with ruff, which is beside it.
    environment = {**os.environ, "PYTHONPATH": str(cwd)}
    environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    program = [sys.executable, "-m", *arguments]
    done = subprocess.run(program, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
