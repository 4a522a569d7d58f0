"""The command line: run in this process, which is quick, or in one of its own where that is the point."""

from __future__ import annotations

import contextlib
import io
import math
import os
import select
import signal
import subprocess
import sys
import warnings
from typing import TYPE_CHECKING
from unittest import mock

from gamma_align.apps.cli import main
from gamma_align.errors import GammaAlignWarning

if TYPE_CHECKING:
    from pathlib import Path


def command(*arguments: object) -> list[str]:
    """Return the program of a process that runs the command line."""
    return [sys.executable, "-m", "gamma_align.apps.cli", *map(str, arguments)]


INTERRUPTED = """
import os, signal, sys
from gamma_align.apps.cli import main

calls = 0

def interrupt(frame, event, _):
    global calls
    if event == "call" and frame.f_code.co_filename.endswith({file!r}):
        calls += 1
        if calls == 3:
            sys.setprofile(None)
            os.kill(os.getpid(), signal.SIGINT)

sys.setprofile(interrupt)
sys.exit(main(sys.argv[1:]))
"""


def interrupted_in(file: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run the command line in a process of its own, with Ctrl-C at the third call of a function of a file."""
    program = [sys.executable, "-c", INTERRUPTED.format(file=file), *map(str, arguments)]
    return subprocess.run(program, capture_output=True, text=True, encoding="utf-8", check=False)


IN_A_CALL = """
import importlib.machinery, importlib.util, os, signal, sys  # the first two are what an editable install takes
from gamma_align.apps.cli import program

def interrupt(frame, event, _):
    a_function = frame.f_code.co_flags & 1  # not a module that is imported, nor the body of a class
    if event == "call" and a_function and frame.f_code.co_filename.endswith({file!r}):
        sys.setprofile(None)
        os.kill(os.getpid(), signal.SIGINT)

sys.setprofile(interrupt)
sys.exit(program())
"""
"""The program as a process runs it, with Ctrl-C at the first call of a function of a file."""


def in_a_process(*arguments: object, **options: object) -> subprocess.CompletedProcess[str]:
    """Run the command line in a process of its own."""
    settings = {"capture_output": True, "text": True, "encoding": "utf-8", "check": False, **options}
    return subprocess.run(command(*arguments), **settings)  # noqa: PLW1510  (among the settings)


def run(*arguments: object, cwd: Path | str = ".") -> subprocess.CompletedProcess[str]:
    """Run the command line in this process, as if in the folder `cwd`."""
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()  # stdout takes bytes too
    with (
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        contextlib.chdir(cwd),
        warnings.catch_warnings(),
        mock.patch("gamma_align.apps.cli._messages._LINE_SECONDS", math.inf),  # however slow the machine is
    ):
        warnings.simplefilter("default", GammaAlignWarning)  # pytest makes them errors
        code = main([*map(str, arguments)])
        out.flush()
    return subprocess.CompletedProcess(arguments, code, out.buffer.getvalue().decode(), err.getvalue())


def on_a_terminal(program, *, until=None, **environment):
    """Return exit code, stdout and what a terminal at stderr got; interrupt once it got `until`."""
    import pty  # not on Windows, where other functions of this module are used

    ours, theirs = pty.openpty()
    env = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "FORCE_COLOR", "TERM")}
    process = subprocess.Popen(
        program, stdout=subprocess.PIPE, stderr=theirs, env={**env, "TERM": "xterm", **environment}
    )
    os.close(theirs)
    got = bytearray()
    try:
        while True:
            if select.select([ours], [], [], 0.1)[0]:
                try:
                    piece = os.read(ours, 65536)
                except OSError:  # how Linux says that the other end is closed
                    break
                got += piece
            if until is not None and until in got:
                process.send_signal(signal.SIGINT)
                until = None
        out = process.communicate()[0]
    finally:
        process.kill()
        process.wait()
        os.close(ours)
    return process.returncode, out.decode(), got.decode()
