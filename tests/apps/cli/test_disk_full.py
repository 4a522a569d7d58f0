"""No space on a disk is an error of its own: nothing is half-written, and what was kept stays.

A limit of the size of files stands for a full disk: it needs no mount, and the system reports it in the same way.
"""

from __future__ import annotations

import os
from functools import partial

import pytest
from command_line import in_a_process, run
from places import CORPORA

pytestmark = pytest.mark.surfaces

resource = pytest.importorskip("resource", reason="Windows limits no files")
CORPUS = CORPORA / "hearst_kazantseva"
LITTLE = 2500  # bytes: enough for a manifest, not for a result


# Python does not notice that a compiled module was cut off at the limit, and could not import it again.
ENVIRONMENT = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}


def limit_files(size=LITTLE):
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


@pytest.mark.parametrize(
    ("arguments", "output"),
    [
        (("measure", CORPUS, "--samples", "4", "--json", "-o", "OUT"), "out.json"),
        (("report", CORPUS, "--samples", "4", "-o", "OUT"), "out.html"),
        (("align", CORPUS, "--document", "hearst/stargazer", "--svg", "OUT"), "out.svg"),
        (("convert", CORPUS, "OUT"), "out"),
        (("convert", CORPUS, "OUT"), "out.jsonl"),
        (("convert", CORPUS, "OUT", "--to", "pygamma", "--drop", "length-unit"), "folder"),
        (("shuffle", "--synthetic", "500", "-m", "0.5", "-o", "OUT"), "made"),
    ],
    ids=lambda value: value if isinstance(value, str) else value[0],
)
def test_output_that_does_not_fit_leaves_nothing(tmp_path, arguments, output):
    path = tmp_path / output
    named = [path if argument == "OUT" else argument for argument in arguments]
    done = in_a_process(*named, "--quiet", env=ENVIRONMENT, preexec_fn=partial(limit_files, 1000))
    assert done.returncode == 7, done.stderr
    assert done.stderr.startswith(f"gamma-align: error: cannot write {path}")
    assert done.stderr.endswith("File too large; free space there, or name a place on another disk\n")
    assert [*tmp_path.iterdir()] == []


def test_a_full_device_is_a_full_disk():
    done = in_a_process("measure", CORPUS, "--samples", "4", "--quiet", "-o", "/dev/full")
    assert done.returncode == 7
    assert "No space left on device; free space there" in done.stderr


def test_a_result_that_nobody_gets_is_an_error(tmp_path):
    close = partial(os.close, 1)
    done = in_a_process("measure", CORPUS, "--samples", "4", "--quiet", preexec_fn=close)
    assert done.returncode == 2
    assert "cannot write the result" in done.stderr
    path = tmp_path / "out.json"
    assert in_a_process("measure", CORPUS, "--samples", "4", "--quiet", "-o", path, preexec_fn=close).returncode == 0
    assert path.exists()


@pytest.mark.parametrize("jobs", [1, 2])
def test_work_that_is_kept_stays_and_is_resumed(tmp_path, jobs):
    folder = tmp_path / "work"
    arguments = ("measure", CORPUS, "--samples", "4", "--json", "--quiet", "--jobs", jobs, "--work", folder)
    done = in_a_process(*arguments, env=ENVIRONMENT, preexec_fn=limit_files)
    assert (done.returncode, done.stdout) == (7, "")
    assert f"cannot write {folder}" in done.stderr
    assert [path.name for path in folder.iterdir() if path.suffix == ".tmp"] == []
    assert run(*arguments).stdout == run(*arguments[:-2]).stdout


def test_standard_input_that_does_not_fit_leaves_nothing(tmp_path):
    rows = "document,annotator,start,end\n" + "d,Ann,1,2\n" * 500
    environment = {**ENVIRONMENT, "TMPDIR": str(tmp_path)}
    done = in_a_process("validate", "-", input=rows, env=environment, preexec_fn=limit_files)
    assert done.returncode == 7, done.stderr
    assert f"cannot write {tmp_path}" in done.stderr
    assert [*tmp_path.iterdir()] == []
