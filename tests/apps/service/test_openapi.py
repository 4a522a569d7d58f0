"""What OpenAPI says of the service is so, for whatever schemathesis makes of it."""

from __future__ import annotations

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from jsonschema import Draft202012Validator
from schemathesis import checks
from served import API, ERROR, served

CHECKS = [
    checks.not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_schema_conformance,
    checks.response_headers_conformance,
]
QUICK = {"suppress_health_check": [*HealthCheck], "phases": [Phase.explicit, Phase.generate], "deadline": None}


@pytest.fixture(scope="module")
def client():
    with served("--workers", 1, "--max-seconds", 2, "--max-units", 1000) as one:
        yield one


@pytest.fixture(scope="module")
def published(client):
    return schemathesis.openapi.from_url(str(client.base_url.join(f"{API}/openapi.json")))


def checked(case):
    if "wait" in case.query:
        case.query["wait"] = min(case.query["wait"], 1) if isinstance(case.query["wait"], (int, float)) else "x"
    response = case.call()
    assert response.status_code < 500, response.text
    if response.status_code >= 400:
        Draft202012Validator(ERROR).validate(response.json())
    case.validate_response(response, checks=CHECKS)


def try_out(published, examples):
    """Send so many requests of each operation, right and wrong ones (not by pytest: its versions differ)."""
    for operation in (result.ok() for result in published.get_all_operations()):
        can_be_wrong = operation.method == "post"  # any text is an id
        for mode in [*schemathesis.GenerationMode][: 1 + can_be_wrong]:
            given_case = given(case=operation.as_strategy(generation_mode=mode))
            settings(max_examples=examples, **QUICK)(given_case(checked))()


def test_some_requests_are_answered_as_published(published):
    try_out(published, 5)


@pytest.mark.scheduled
def test_many_requests_are_answered_as_published(published):
    try_out(published, 150)


def test_the_examples_are_answered(client):
    published = client.get(f"{API}/openapi.json").json()["paths"]
    for name in ("measure", "align", "items", "shuffle", "evaluate"):
        content = published[f"{API}/{name}"]["post"]["requestBody"]["content"]["application/json"]
        Draft202012Validator(content["schema"]).validate(content["example"])
        answer = client.post(f"{API}/{name}?wait=20", json=content["example"])
        assert answer.status_code == 200, answer.text
