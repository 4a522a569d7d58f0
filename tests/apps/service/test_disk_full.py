"""A full disk of the service: status 507, and the files of the job are gone."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from process_tree import LINUX_ONLY, children
from served import served

pytestmark = LINUX_ONLY
resource = pytest.importorskip("resource", reason="Windows limits no files")
ROWS = "document,annotator,start,end,category\n" + "".join(
    f"d,{name},{at * 10},{at * 10 + 8},x\n" for at in range(100) for name in ("Ann", "Bob")
)


def limit_files(pid, size):
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


def sizes(folder):
    return {path.name: path.stat().st_size for path in Path(folder).rglob("*") if path.is_file()}


def test_upload_and_result_that_do_not_fit(tmp_path):
    # Python does not notice that a compiled module was cut off at the limit, and could not import it again.
    with served("--workers", 1, TMPDIR=str(tmp_path), PYTHONDONTWRITEBYTECODE="1") as client:
        send = {"command": "measure", "query": "name=a.csv&samples=4", "content": ROWS}
        limit_files(client.process.pid, 500)
        refused = client.finish(**send)
        assert (refused.status_code, refused.json()["error"]["code"]) == (507, "disk_full")
        assert [name for name in sizes(tmp_path) if name != ".lock"] == []
        limit_files(client.process.pid, resource.RLIM_INFINITY)
        workers = children(client.process.pid)
        for pid in workers:
            limit_files(pid, 500)
        failed = client.finish(**send)
        assert (failed.status_code, failed.json()["error"]["code"]) == (507, "disk_full")
        assert str(tmp_path) not in failed.text
        kept = sizes(tmp_path)
        assert "result.json" not in kept
        assert all(size <= len(ROWS) for size in kept.values())
        for pid in workers:
            limit_files(pid, resource.RLIM_INFINITY)
        assert client.finish(**send).status_code == 200
        client.process.send_signal(signal.SIGTERM)
        assert client.process.wait() == 0
    assert [*tmp_path.iterdir()] == []
