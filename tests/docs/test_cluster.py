"""The files of docs/do/cluster.md run, with a Slurm of one machine, and give what one process gives."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import fake_slurm
import pytest
from places import CORPORA, ROOT
from process_tree import wait_until

import gamma_align as ga

PAGE = (ROOT / "docs" / "do" / "cluster.md").read_text(encoding="utf-8")
SAMPLES = {"samples": 30, "seed": 7}


@pytest.fixture
def cluster(tmp_path, monkeypatch):
    """Return a folder with the files of the page and a small corpus, `news`; jobs are ended afterwards."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "jobs").mkdir()
    fake_slurm.install(tmp_path / "bin")
    (tmp_path / "bin" / "hostname").write_text("#!/bin/sh\necho 127.0.0.1\n", encoding="utf-8")
    (tmp_path / "bin" / "hostname").chmod(0o755)
    paths = [tmp_path / "bin", Path(sys.executable).parent, os.environ["PATH"]]
    monkeypatch.setenv("PATH", os.pathsep.join(map(str, paths)))
    monkeypatch.setenv("FAKE_SLURM", str(tmp_path / "jobs"))
    for block in re.findall(r"^```(?:py|sh)\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL):
        (tmp_path / re.search(r"^# (\w+\.(?:py|sh)):", block, re.MULTILINE)[1]).write_text(block, encoding="utf-8")
    corpus = ga.read(CORPORA / "btc_crowd")
    ga.write(corpus.select(documents=corpus.documents[:60]), tmp_path / "news")
    yield tmp_path
    for path in (tmp_path / "jobs").glob("*.pid"):
        with suppress(ProcessLookupError):
            os.killpg(int(path.read_text(encoding="utf-8")), signal.SIGKILL)


def run(folder, *command, **variables):
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert not done.returncode, done.stderr
    return done.stdout


def submitted(folder, *command):
    """Submit a job and wait for its end; return its log."""
    run(folder, "sbatch", *command)
    return ended(folder, 1)


def ended(folder, number):
    """Wait for the end of a job, which must be a success; return its log."""
    path = folder / "jobs" / f"{number}.ended"
    wait_until(path.exists)
    log = (folder / "jobs" / f"{number}.log").read_text(encoding="utf-8")
    assert path.read_text(encoding="utf-8") == "0", log
    return log


def test_one_node(cluster):
    text = (cluster / "one_node.sh").read_text(encoding="utf-8")
    (cluster / "one_node.sh").write_text(text.replace("--cpus-per-task=16", "--cpus-per-task=2"), encoding="utf-8")
    submitted(cluster, "one_node.sh", "news")
    found = json.loads((cluster / "news.json").read_text(encoding="utf-8"))
    assert found["documents"] == plain(ga.gamma(cluster / "news"))["documents"]


def plain(result):
    return json.loads(json.dumps(result.to_dict()))


def test_workers_that_slurm_starts(cluster):
    pytest.importorskip("dask_jobqueue")
    text = (cluster / "on_slurm.py").read_text(encoding="utf-8")
    text = text.replace("cores=8", "cores=2").replace("processes=8", "processes=2").replace("16GB", "4GB")
    (cluster / "on_slurm.py").write_text(text.replace("maximum_jobs=4", "maximum_jobs=1"), encoding="utf-8")
    local = json.dumps({"host": "127.0.0.1", "dashboard_address": None})
    printed = run(
        cluster,
        sys.executable,
        "on_slurm.py",
        "news",
        DASK_JOBQUEUE__SLURM__SCHEDULER_OPTIONS=local,
        TMPDIR=str(cluster),
    )
    assert printed.strip() == str(ga.gamma(cluster / "news", **SAMPLES))
    assert [*(cluster / "jobs").glob("*.job")]


def test_a_dask_cluster_of_ones_own(cluster):
    pytest.importorskip("distributed")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    text = (cluster / "dask.sh").read_text(encoding="utf-8").replace("8786", str(port))
    (cluster / "dask.sh").write_text(text, encoding="utf-8")
    submitted(cluster, "dask.sh", "news")
    found = json.loads((cluster / "news.json").read_text(encoding="utf-8"))
    assert found["documents"] == plain(ga.gamma(cluster / "news"))["documents"]


def test_an_array_job(cluster):
    run(cluster, "bash", "array.sh", "news", "3")
    ended(cluster, 1)
    ended(cluster, 2)
    assert (cluster / "news.txt").read_text(encoding="utf-8").strip() == str(ga.gamma(cluster / "news", **SAMPLES))

    (cluster / "news.rows" / "1.parquet").unlink()
    refused = subprocess.run(
        [sys.executable, "pool_parts.py", "3", "news.rows"], cwd=cluster, capture_output=True, text=True, check=False
    )
    assert (refused.returncode, refused.stderr) == (1, "measure these parts again: 1\n")


def test_parts_without_a_scheduler(cluster):
    run(cluster, "bash", "no_scheduler.sh", "news", "2")
    assert (cluster / "news.txt").read_text(encoding="utf-8").strip() == str(ga.gamma(cluster / "news", **SAMPLES))


def test_slurm_refuses_options_it_does_not_know(cluster):
    (cluster / "job.sh").write_text("#!/bin/sh\n#SBATCH --cores=4\ntrue\n", encoding="utf-8")
    done = subprocess.run(["sbatch", "job.sh"], cwd=cluster, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "--cores=4" in done.stderr
