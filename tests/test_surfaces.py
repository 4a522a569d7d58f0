"""Core tests start no process and no server, so that they are quick and alike on every machine."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import PurePath

import pytest
from surfaces import SurfaceError, core, is_in_a_folder_of_surfaces


def serve():
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))


@pytest.mark.parametrize("start", [serve, lambda: subprocess.run([sys.executable, "-c", ""], check=True)])
def test_a_core_test_that_starts_something_fails(start):
    with pytest.raises(SurfaceError), core():
        start()


@pytest.mark.surfaces
def test_other_tests_may_start_processes_and_servers():
    serve()
    subprocess.run([sys.executable, "-c", ""], check=True)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="Windows has no fork")
def test_a_fork_is_a_process():
    with pytest.raises(SurfaceError):
        os.fork()


def test_the_folder_of_a_test_decides_first():
    tests = PurePath("tests")
    assert is_in_a_folder_of_surfaces(tests / "apps" / "service" / "test_page.py", tests)
    assert not is_in_a_folder_of_surfaces(tests / "apps" / "cli" / "test_cli.py", tests)
