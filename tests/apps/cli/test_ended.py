"""However the command is ended, its workers end with it, and neither files nor shared memory are left."""

from __future__ import annotations

import shutil
import signal

import pytest
from places import CORPORA
from process_tree import LINUX_ONLY, children, is_alive, running, shared_memory, wait_until

pytestmark = [pytest.mark.surfaces, LINUX_ONLY]
CORPUS = CORPORA / "btc_crowd"
LONG = ("--samples", "5000", "--jobs", "2", "--quiet")
OUTPUT = {"SIGTERM": (143, "gamma-align: error: terminated\n"), "SIGKILL": (-9, "")}
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
    ("name", "subcommand"),
    [("SIGKILL", "measure"), *(("SIGTERM", subcommand) for subcommand in COMMANDS)],
)
def test_workers_end_with_the_command(tmp_path, copy, name, subcommand):
    arguments = [copy if argument == "COPY" else argument for argument in COMMANDS[subcommand]]
    with running(tmp_path / "temporary", *arguments, "-o", tmp_path / "out") as process:
        workers = children(process.pid)
        assert [shared_memory(pid) for pid in [process.pid, *workers]] == [[], [], []]
        process.send_signal(signal.Signals[name])
        out, err = process.communicate()
        assert (process.returncode, out, err) == (OUTPUT[name][0], "", OUTPUT[name][1])
        wait_until(lambda: not any(map(is_alive, workers)))
    assert [path.name for path in tmp_path.rglob("*")] == ["temporary"]
