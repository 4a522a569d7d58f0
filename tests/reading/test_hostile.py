"""Reading any file of any format returns a corpus or raises an `InputError`, never another exception.

More of the same, for longer: tools/fuzz.
"""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest
from fuzzing import (
    agrees_with_validate,
    every_sample,
    made,
    placed,
    readable_first,
    reads_or_refuses,
    samples,
    try_one,
    writes_or_refuses,
)
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from places import TESTS

import gamma_align as ga
from gamma_align.reading import formats
from gamma_align.reading.tables import table_formats

FORMATS = list(formats.formats())
RELEASE = pytest.mark.release

LARGE = 100_000
"""Bytes of a sample that is changed only in tools/fuzz."""


@pytest.mark.parametrize("mutations", [8, pytest.param(200, marks=RELEASE)])
@pytest.mark.parametrize("name", FORMATS)
def test_changed_samples_are_read_or_refused(name, mutations, tmp_path):
    rng = random.Random(name)  # noqa: S311
    own = [path for path in samples()[name] if path.stat().st_size <= LARGE] + made(tmp_path / "made").get(name, [])
    own = readable_first(name, own)
    targets = [placed(path, tmp_path / str(at)) for at, path in enumerate(own)]
    contents = [path.read_bytes() for path in own]
    for _ in range(mutations if own else 0):
        at = rng.randrange(len(own))
        try_one(name, own[at], targets[at], rng, rng.choices(contents, k=2))


def test_there_are_samples_to_change():
    known = samples()
    assert not [name for name in FORMATS if not known[name] and name not in table_formats.TABLES]


@pytest.mark.parametrize("step", [5, pytest.param(1, marks=RELEASE)])
@pytest.mark.parametrize("name", FORMATS)
def test_samples_of_all_formats_are_read_or_refused(name, step):
    # each format has another fifth of the samples, so that the core reads each with a fifth of the formats
    for path in [*every_sample()][FORMATS.index(name) % step :: step]:
        actual = reads_or_refuses(path, format=name)
        if isinstance(actual, ga.Corpus):
            writes_or_refuses(actual)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(max_size=200) | st.text(max_size=100).map(lambda text: text.encode("utf-8", "surrogatepass")),
       name=st.sampled_from([None, *FORMATS]), suffix=st.sampled_from(
           sorted({suffix for fmt in formats.formats().values() for suffix in fmt.suffixes})))  # fmt: skip
def test_any_bytes_are_read_or_refused(tmp_path, data, name, suffix):
    path = tmp_path / f"any{suffix}"
    path.write_bytes(data)
    reads_or_refuses(path, format=name)


@pytest.mark.parametrize("annotator", ["anna", "{file}", "{annotator}", None])
def test_validate_and_read_agree_on_tables_without_annotators(tmp_path, annotator):
    path = tmp_path / "units.csv"
    path.write_text("title,start,end,category\nd,1,2,x\n")
    settings = {} if annotator is None else {"annotator": annotator}
    agrees_with_validate(path, reads_or_refuses(path, **settings), settings)


@pytest.mark.surfaces
@pytest.mark.skipif(sys.platform == "win32", reason="memory is bounded by what Unix has for it")
@pytest.mark.parametrize("size", [3_000, pytest.param(50_000, marks=RELEASE)])
def test_malicious_files_are_refused_in_bounded_memory_and_time(size, tmp_path):
    script = TESTS / "helpers" / "hostile_files.py"
    run = subprocess.run([sys.executable, script, tmp_path, str(size)], capture_output=True, text=True, check=False)
    assert (run.stdout, run.stderr[-2000:], run.returncode) == ("", "", 0)


@pytest.mark.parametrize("name", [None, *FORMATS])
def test_folders_named_like_files_are_read_or_refused(name, tmp_path):
    for suffix in sorted({suffix for fmt in formats.formats().values() for suffix in fmt.suffixes}):
        (tmp_path / f"d{suffix}" / f"e{suffix}").mkdir(parents=True)
        reads_or_refuses(tmp_path / f"d{suffix}", format=name)
    reads_or_refuses(tmp_path, format=name)
    reads_or_refuses(Path(f"{tmp_path}/{{document}}.{{_}}"), format=name)


@RELEASE
@pytest.mark.skipif(sys.platform == "win32", reason="processes are forked")
def test_commands_on_changed_samples_print_no_traceback_and_end():
    script = TESTS.parent / "tools" / "fuzz" / "commands.py"
    options = ("--inputs", "150", "--seed", "5", "--formats", "csv", "brat", "conll", "textgrid", "jsonl", "parquet")
    run = subprocess.run([sys.executable, script, *options], capture_output=True, text=True, check=False)
    assert (run.stderr, run.returncode) == ("", 0), run.stdout
    assert "150 inputs, 0 defects" in run.stdout
