"""A Dask cluster, with worker processes of its own, does the work as one process does: the same bytes."""

from __future__ import annotations

import json
import subprocess
import sys
from types import SimpleNamespace

import pytest
from command_line import in_a_process, run
from places import CORPORA, TESTS

import gamma_align as ga
from gamma_align.work.dask_workers import dask_results

pytestmark = pytest.mark.surfaces

CORPUS = CORPORA / "btc_crowd"
CLUSTER = str(TESTS / "helpers" / "dask_cluster.py")

WITH_A_WORKER_KILLED = """
import json, os, signal, sys
import gamma_align as ga
from distributed import Client
from gamma_align.work.workers import Workers
from joblib import parallel_config

address, pid, path = sys.argv[1:]
calls = []

def progress(done, needed):
    calls.append((done, needed))
    if len(calls) == 2:
        os.kill(int(pid), signal.SIGKILL)

with Client(address, set_as_default=True) as client, parallel_config(backend="dask"):
    workers = Workers(None).n_workers  # one would not ask Dask; the killed one may not be replaced yet when all is done
    result = ga.gamma(path, samples=20, seed=3, progress=progress)
    pids = list(client.run(os.getpid).values())
print(json.dumps({"workers": workers, "killed at": calls[1], "pids": pids, "result": result.to_dict()}))
"""


@pytest.fixture(scope="module")
def cluster():
    """Return the address of a cluster, the process numbers of its workers, and what tells how far its tasks moved."""
    command = [sys.executable, CLUSTER]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, text=True, **pipes) as process:
        address, *pids = process.stdout.readline().split()

        def moved():
            process.stdin.write("?\n")
            process.stdin.flush()
            return int(process.stdout.readline())

        yield address, pids, moved
        process.stdin.close()


def test_killed_worker_does_not_change_the_result(cluster):
    address, pids, _ = cluster
    command = [sys.executable, "-c", WITH_A_WORKER_KILLED, address, pids[0], str(CORPUS)]
    client = subprocess.run(command, capture_output=True, text=True, check=False)
    assert not client.returncode, client.stderr
    output = json.loads(client.stdout)
    assert output["workers"] == 2
    done, needed = output["killed at"]
    assert 0 < done < needed
    assert int(pids[0]) not in output["pids"]
    expected = ga.gamma(CORPUS, samples=20, seed=3)
    assert json.dumps(output["result"]) == json.dumps(expected.to_dict())


def test_command_line_uses_the_cluster_at_an_address(cluster):
    address, _, moved = cluster
    arguments = ("measure", CORPUS, "--samples", "4", "--json", "--quiet")
    before = moved()
    on_cluster = in_a_process(*arguments, "--dask", address)
    assert not on_cluster.returncode, on_cluster.stderr
    assert on_cluster.stdout == run(*arguments).stdout
    assert moved() > before


@pytest.mark.parametrize(("status", "expected"), [("closed", ga.WorkerError), ("running", OSError)])
def test_a_scheduler_that_ends_between_two_calls_is_a_lost_cluster(status, expected, monkeypatch):
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr(distributed, "as_completed", lambda: SimpleNamespace(add=None, futures=()))

    def submit(*_, **__):
        raise distributed.comm.CommClosedError("in <TCP (closed)>")

    client = SimpleNamespace(submit=submit, status=status, cancel=None)
    with pytest.raises(expected):
        next(dask_results(client, 2, abs, [1, 2], str))
