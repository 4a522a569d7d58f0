"""However the command is ended, its workers end with it, and neither files nor shared memory are left."""

from __future__ import annotations

import os
import shutil
import signal
from pathlib import Path

import pytest
from command_line import in_a_process
from places import CORPORA
from process_tree import LINUX_ONLY, children, is_alive, running, shared_memory, wait_until

pytestmark = LINUX_ONLY
CORPUS = CORPORA / "btc_crowd"
LONG = ("--samples", "5000", "--jobs", "2", "--quiet")
OUTPUT = {signal.SIGTERM: (143, "gamma-align: error: terminated\n"), signal.SIGKILL: (-9, "")}
COMMANDS = {
    "measure": ("measure", CORPUS, *LONG),
    "compare": ("compare", CORPUS, "COPY", *LONG),
    "curve": ("curve", CORPUS, *LONG),
    "report": ("report", CORPUS, *LONG),
    "disagreements": ("disagreements", CORPUS, *LONG),
}


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    return shutil.copytree(CORPUS, tmp_path_factory.mktemp("copy") / "btc_crowd")


@pytest.mark.parametrize(
    ("number", "subcommand"),
    [(signal.SIGKILL, "measure"), *((signal.SIGTERM, subcommand) for subcommand in COMMANDS)],
    ids=str,
)
def test_workers_end_with_the_command(tmp_path, copy, number, subcommand):
    arguments = [copy if argument == "COPY" else argument for argument in COMMANDS[subcommand]]
    with running(tmp_path / "temporary", *arguments, "-o", tmp_path / "out") as process:
        workers = children(process.pid)
        assert [shared_memory(pid) for pid in [process.pid, *workers]] == [[], [], []]
        process.send_signal(number)
        out, err = process.communicate()
        assert (process.returncode, out, err) == (OUTPUT[number][0], "", OUTPUT[number][1])
        wait_until(lambda: not any(map(is_alive, workers)))
    assert [path.name for path in tmp_path.rglob("*")] == ["temporary"]


def test_threads_end_with_the_command(tmp_path):
    arguments = (*COMMANDS["measure"], "--backend", "threading")
    with running(tmp_path / "temporary", *arguments, workers=0) as process:
        wait_until(lambda: len([*_threads(process.pid)]) > 2)
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate()
    assert (process.returncode, out, err) == (143, "", OUTPUT[signal.SIGTERM][1])


def _threads(pid):
    return Path(f"/proc/{pid}/task").iterdir()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL], ids=str)
def test_dask_workers_end_with_the_command(tmp_path, number):
    pytest.importorskip("distributed")
    temporary = tmp_path / "temporary"
    arguments = (*COMMANDS["measure"], "--backend", "dask")
    with running(temporary, *arguments, workers=3) as process:
        workers = children(process.pid)
        process.send_signal(number)
        out, err = process.communicate()
        assert (process.returncode, out) == (OUTPUT[number][0], "")
        wait_until(lambda: not any(map(is_alive, workers)))
    if number == signal.SIGTERM:
        assert err == OUTPUT[number][1]
    else:  # the next command that needs a temporary folder deletes those of killed ones
        assert len([*temporary.iterdir()]) == 1
        environment = {**os.environ, "TMPDIR": str(temporary)}
        in_a_process("validate", "-", input="annotator,start,end\nAnn,0,1\n", env=environment)
    assert [*temporary.iterdir()] == []
