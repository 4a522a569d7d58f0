"""The container of the service is built from the checkout, and answers."""

from __future__ import annotations

import shutil
import subprocess

import httpx
import pytest
from places import ROOT
from process_tree import wait_until

pytestmark = pytest.mark.release
REQUEST = "/api/v1/measure?example=novels_ner&wait=20"


def builder():
    """Return the program that builds containers, or None if none works here."""
    for name in ("podman", "docker"):
        if shutil.which(name) and subprocess.run([name, "info"], capture_output=True, check=False).returncode == 0:
            return name
    return None


def test_the_container_serves():
    program = builder()
    if program is None:
        pytest.skip("neither podman nor docker works here")

    def call(*arguments):
        return subprocess.run([program, *arguments], capture_output=True, text=True, check=True).stdout.strip()

    call("build", "--tag", "gamma-align-tested", "--file", "Containerfile", str(ROOT))
    options = ("--detach", "--publish", "127.0.0.1::8123", "--env", "GAMMA_ALIGN_TOKEN=secret")
    started = call("run", *options, "gamma-align-tested")
    try:
        wait_until(lambda: "http://" in call("logs", started))
        with httpx.Client(base_url=f"http://{call('port', started, '8123')}", timeout=60) as client:
            assert client.post(REQUEST).status_code == 401
            answer = client.post(REQUEST, headers={"authorization": "Bearer secret"})
            assert answer.status_code in (200, 202), answer.text
    finally:
        call("rm", "--force", started)
