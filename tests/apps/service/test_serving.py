"""The process that serves: many clients, slow ones, cancelled jobs, lost workers, its end and its next start."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import numpy as np
import pytest
import uvicorn
from command_line import IN_A_CALL, command, in_a_process, run
from places import CORPORA
from process_tree import LINUX_ONLY, children, has_new_process, wait_until, worker_at_work
from served import API, Served, served
from uvicorn.server import ServerState

from gamma_align.apps.service.jobs import FINAL
from gamma_align.apps.service.pool import remove_folder
from gamma_align.apps.service.protocol import Protocol

LONG = CORPORA / "pygamma" / "3by500.csv"
SMALL = {
    "units": [
        {"annotator": "ann", "start": 0, "end": 3, "category": "x"},
        {"annotator": "bob", "start": 1, "end": 4, "category": "x"},
    ],
    "settings": {"samples": 5},
}


@pytest.fixture(scope="module")
def client():
    with served("--workers", 1) as one:
        yield one


@pytest.fixture(scope="module")
def strict():
    """Return the client of a service that closes slow connections soon."""
    with served("--workers", 1, "--upload-seconds", 1) as one:
        yield one


def begun(client, **settings):
    """Start a job that takes very long, and return its address."""
    settings = {"samples": 10_000, **settings}
    with LONG.open("rb") as file:
        answer = client.post(
            f"{API}/measure?wait=0", files={"file": ("long.csv", file)}, data={"settings": json.dumps(settings)}
        )
    assert answer.status_code == 202, answer.text
    return answer.headers["location"]


def until(client, address, *states):
    """Return the job once its state is one of these; a final state that is none of them is an error."""
    while (job := client.get(address).json())["state"] not in states:
        assert job["state"] not in FINAL, job
        time.sleep(0.02)
    return job


def until_gone(folder, processes):
    wait_until(lambda: not (folder.exists() or any(Path(f"/proc/{process}").exists() for process in processes)))


@LINUX_ONLY
def test_a_cancelled_job_frees_its_worker(client):
    first = begun(client)
    until(client, first, "running")
    second = begun(client, seed=1)
    assert client.get(second).json()["state"] == "queued"
    worker = worker_at_work(client.process.pid)
    assert client.delete(first).status_code == 202
    assert until(client, second, "running")
    assert worker not in children(client.process.pid)
    cancelled = client.get(first).json()
    assert (cancelled["state"], cancelled["error"]["code"]) == ("cancelled", "cancelled")
    assert client.delete(second).json()["state"] == "cancelled"
    assert client.finish("measure", json=SMALL).status_code == 200


def test_a_job_takes_the_place_of_another(client):
    first = begun(client)
    name = first.rpartition("/")[2]
    answer = client.finish("measure", f"replaces={name}", json=SMALL)
    assert (answer.status_code, client.get(first).json()["state"]) == (200, "cancelled")


@LINUX_ONLY
def test_a_job_whose_worker_is_killed_is_tried_again(client):
    first = begun(client)
    until(client, first, "running")
    second = client.post(f"{API}/measure?wait=0", json=SMALL).headers["location"]
    worker = worker_at_work(client.process.pid)
    os.kill(worker, signal.SIGKILL)
    wait_until(lambda: worker not in children(client.process.pid))
    until(client, first, "running")
    assert client.get(second).json()["state"] == "queued"
    os.kill(worker_at_work(client.process.pid), signal.SIGKILL)
    error = until(client, first, "failed")["error"]
    assert (error["code"], client.get(f"{first}/result").status_code) == ("failed", 500)
    assert (
        "was killed by SIGKILL (the system does this if memory runs out) while it worked on 'measure' of"
        in (error["message"])
    )
    assert "'long.csv', also when it was tried again" in error["message"]
    assert "fewer documents" in error["cure"]
    until(client, second, "done")


@LINUX_ONLY
def test_a_second_try_has_all_the_memory():
    with served("--workers", 2) as client:
        jobs = [begun(client), begun(client, seed=1)]
        for job in jobs:
            until(client, job, "running")
        third = client.post(f"{API}/measure?wait=0", json=SMALL).headers["location"]
        before = {*children(client.process.pid)}
        os.kill(worker_at_work(client.process.pid), signal.SIGKILL)
        wait_until(lambda: "queued" in [client.get(job).json()["state"] for job in jobs])
        [killed] = [job for job in jobs if client.get(job).json()["state"] == "queued"]
        [other] = {*jobs} - {killed}
        wait_until(lambda: has_new_process(client.process.pid, before))  # which could begin the third job
        assert [client.get(job).json()["state"] for job in (killed, third)] == ["queued", "queued"]
        before = {*children(client.process.pid)}
        client.delete(other)
        until(client, killed, "running")
        wait_until(lambda: has_new_process(client.process.pid, before))
        assert client.get(third).json()["state"] == "queued"
        client.delete(killed)
        until(client, third, "done")


@LINUX_ONLY
def test_a_job_that_waits_for_its_second_try_can_be_cancelled():
    with served("--workers", 2) as client:
        jobs = [begun(client), begun(client, seed=1)]
        for job in jobs:
            until(client, job, "running")
        os.kill(worker_at_work(client.process.pid), signal.SIGKILL)
        wait_until(lambda: "queued" in [client.get(job).json()["state"] for job in jobs])
        [killed] = [job for job in jobs if client.get(job).json()["state"] == "queued"]
        assert client.delete(killed).json()["state"] == "cancelled"
        assert client.finish("measure", json=SMALL).status_code == 200


def test_progress_and_partial_values_come_while_a_job_runs(client):
    address = begun(client)
    told = []
    with client.stream("GET", f"{address}/events") as events:
        for line in events.iter_lines():
            if line.startswith("data: "):
                told.append(json.loads(line.removeprefix("data: ")))
            known = [each for each in told if each.get("gamma", {}).get("value") is not None]
            if len(known) == 2:
                client.delete(address)
    progress = [each["samples"] for each in told if "samples" in each]
    assert 0 < progress[0][0] < progress[-1][0] < 10_000
    assert all(each["gamma"]["low"] < each["gamma"]["value"] < each["gamma"]["high"] for each in known)
    assert (known[0]["gamma"]["precise"], known[0]["observed"]) == (False, known[1]["observed"])
    assert told[-1]["state"] == "cancelled"


def test_more_listeners_than_there_may_be_are_refused():
    with served("--workers", 1, "--streams", 1) as client:
        address = begun(client)
        with client.stream("GET", f"{address}/events"):
            assert client.get(f"{address}/events").status_code == 429
            client.delete(address)
        wait_until(lambda: client.get(f"{address}/events").status_code == 200)  # once the service notices the end


def test_work_that_takes_too_long_ends():
    with served("--workers", 1, "--max-seconds", 0.5) as client:
        late = until(client, begun(client), "failed")
        assert (late["error"]["code"], "0.5 s" in late["error"]["message"]) == ("too_large", True)


def test_more_than_memory_and_queue_hold_is_refused():
    with served("--workers", 1, "--max-memory", 1024, "--queue", 1) as client:
        huge = client.finish("measure", json={**SMALL, "settings": {"samples": 10**9}})
        assert (huge.status_code, huge.json()["error"]["code"]) == (413, "too_large")
        until(client, begun(client), "running")
        waiting = begun(client)
        busy = client.post(f"{API}/measure?wait=0", json=SMALL)
        assert (busy.status_code, busy.json()["error"]["code"]) == (429, "busy")
        assert int(busy.headers["retry-after"]) > 0
        assert client.get(waiting).json()["state"] == "queued"


@LINUX_ONLY
@pytest.mark.release
def test_a_worker_that_needed_much_memory_makes_way_for_a_new_one():
    with served("--workers", 1, "--max-memory", 1024) as client:
        assert client.finish("measure", json=SMALL).status_code == 200
        before = children(client.process.pid)
        rows = "".join(f"{who},{n},{n + 1},{n}\n" for n in range(50_000) for who in "ab")
        large = client.post(f"{API}/align?wait=0&name=a.csv", content=f"annotator,start,end,category\n{rows}")
        assert before == children(client.process.pid)
        until(client, large.headers["location"], "done")
        assert client.finish("measure", json=SMALL).status_code == 200
        assert before != children(client.process.pid)


def test_many_at_once_are_all_answered():
    def ask(number):
        units = [{"annotator": name, "start": number, "end": number + 1} for name in ("ann", "bob")]
        with Served(str(client.base_url), client.process) as own:
            answer = own.finish("align", json={"units": units})
        assert answer.status_code == 200, answer.text
        return answer.json()["documents"][0]["extent"][0]

    with served("--queue", 200, "--streams", 200) as client, ThreadPoolExecutor(200) as pool:
        assert list(pool.map(ask, range(200))) == list(range(200))


def spoken(client, text):
    """Return what the service says to bytes."""
    url = client.base_url
    with socket.create_connection((url.host, url.port)) as connection:
        connection.sendall(text)
        answer = b""
        while piece := connection.recv(65536):
            answer += piece
    return answer


def test_nonsense_and_slow_clients_are_closed(strict):
    client = strict
    assert b'"code": "usage"' in spoken(client, b"what is this\r\n\r\n")
    head = b"POST /api/v1/align?name=a.csv HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10000\r\n\r\nab"
    url = client.base_url
    with socket.create_connection((url.host, url.port)) as silent, ThreadPoolExecutor(2) as pool:
        slow = pool.submit(spoken, client, head)
        silent.sendall(b"GET / HT")
        assert silent.recv(10) == b""  # closed
        assert client.get(f"{API}/formats").status_code == 200
        assert b'"code":"too_slow"' in slow.result()


@contextlib.contextmanager
def asking(client, path, content, length=None):
    """Send a request and do not read the response; yield the connection."""
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {length or len(content)}\r\n\r\n"
    with socket.create_connection((client.base_url.host, client.base_url.port)) as connection:
        connection.sendall(head.encode() + content)
        yield connection


def test_a_job_whose_client_left_before_it_knew_the_id_is_cancelled(client):
    path = f"{API}/measure?wait=20&name=long.csv&settings=%7B%22samples%22%3A10000%7D"
    with contextlib.ExitStack() as connections:
        for _ in range(2):
            connections.enter_context(asking(client, path, LONG.read_bytes()))
        wait_until(lambda: client.post(f"{API}/measure?wait=0", json=SMALL).json()["state"] == "queued")
    assert client.finish("measure", json=SMALL).status_code == 200


@LINUX_ONLY
def test_a_client_that_leaves_while_it_sends_is_no_bug():
    with served("--workers", 1) as client:
        with asking(client, f"{API}/align?name=a.csv", b"annotator,start", length=1000):
            pass
        assert client.finish("align", json={"units": SMALL["units"]}).status_code == 200
        client.process.send_signal(signal.SIGINT)
        assert client.process.communicate()[1] == ""


def test_bodies_that_arrive_slowly_take_no_place_in_the_queue():
    with served("--workers", 1, "--queue", 2) as client, contextlib.ExitStack() as connections:
        for _ in range(100):
            connections.enter_context(asking(client, f"{API}/align?name=a.csv", b"annotator,start", length=1000))
        assert client.post(f"{API}/measure?wait=0", json=SMALL).status_code == 202


def test_the_largest_body_makes_way_if_all_that_arrive_are_too_large():
    with served("--workers", 1, "--max-body", 1, "--keep", 1) as client, contextlib.ExitStack() as connections:
        path, half = f"{API}/align?name=a.csv", b"x" * (600 << 10)
        larger = connections.enter_context(asking(client, path, half + half[:1000], length=1 << 20))
        smaller = connections.enter_context(asking(client, path, half, length=len(half) + 10))
        assert b"429" in larger.recv(1000).partition(b"\r\n")[0]
        assert client.finish("measure", json=SMALL).status_code == 200
        smaller.sendall(b"x" * 10)
        assert b"422" in smaller.recv(1000).partition(b"\r\n")[0]


def is_open(client, port):
    """Whether the service has the connection from this port open: what it has closed is no file any more."""
    ends = f":{client.base_url.port:04X}", f":{port:04X}"
    rows = [row.split() for row in Path("/proc/net/tcp").read_text().splitlines()]
    return any(row[1].endswith(ends[0]) and row[2].endswith(ends[1]) and row[9] != "0" for row in rows)


def test_a_client_that_does_not_read_is_closed(strict):
    client, url = strict, strict.base_url
    with socket.socket() as deaf:
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        deaf.connect((url.host, url.port))
        port = deaf.getsockname()[1]
        deaf.sendall(f"GET {API}/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n".encode() * 400)
        wait_until(lambda: is_open(client, port))
        wait_until(lambda: not is_open(client, port))
    assert client.get(f"{API}/formats").status_code == 200


def test_more_connections_than_there_may_be_are_refused(client):
    url = client.base_url
    with contextlib.ExitStack() as opened:
        many = [opened.enter_context(socket.create_connection((url.host, url.port))) for _ in range(510)]
        assert b"429" in many[-1].recv(1000).partition(b"\r\n")[0]
    assert client.get(f"{API}/formats").status_code == 200


@LINUX_ONLY
def test_it_ends_while_somebody_listens_and_leaves_nothing(tmp_path):
    with served(TMPDIR=str(tmp_path)) as client:
        address = begun(client)
        folder = next(tmp_path.glob("gamma-align-tmp-*"))
        processes = [client.process.pid, *children(client.process.pid)]
        with client.stream("GET", f"{address}/events") as events:
            client.process.send_signal(signal.SIGINT)
            said = list(events.iter_lines())
        assert client.process.wait() == 0
    assert '"stopping"' in said[-2]
    assert not folder.exists()
    until_gone(folder, processes)


@LINUX_ONLY
def test_killed_it_takes_its_workers_and_files_along_and_starts_again(tmp_path):
    with served(TMPDIR=str(tmp_path)) as client:
        until(client, begun(client), "running")
        folder = next(tmp_path.glob("gamma-align-tmp-*"))
        processes = children(client.process.pid)
        port = client.base_url.port
        client.process.kill()
        client.process.wait()
    until_gone(folder, processes)
    with served("--port", port) as client:
        assert client.finish("measure", json=SMALL).status_code == 200


def test_a_cancelled_measurement_goes_on_from_where_it_was(tmp_path):
    def first_report(address):
        """Return the number of samples that a job reports first."""
        with client.stream("GET", f"{address}/events") as events:
            for line in events.iter_lines():
                if line.startswith('data: {"samples"'):
                    return json.loads(line.removeprefix("data: "))["samples"][0]
        raise AssertionError(address)

    def stored():
        """Return the number of samples in the files of unfinished work."""
        return sum(len(np.load(path)["document"]) for path in tmp_path.rglob("*-aligned-*.npz"))

    with served("--workers", 1, TMPDIR=str(tmp_path)) as client:
        first = begun(client)
        anew = first_report(first)
        wait_until(lambda: stored() > 2 * anew)
        client.delete(first)
        job = until(client, first, "cancelled")
        n_stored = stored()
        again = client.post(f"{API}/measure?wait=0&data={job['data']}", json={"settings": {"samples": 10_000}})
        assert first_report(again.headers["location"]) >= n_stored
        client.delete(again.headers["location"])


def test_files_are_taken_away_while_a_worker_writes_more(tmp_path):
    home, begun_writing = tmp_path / "home", threading.Event()
    home.mkdir()

    def write():
        with contextlib.suppress(FileNotFoundError):  # the folder is gone
            for number in range(50_000):
                (home / str(number)).write_bytes(b"")
                begun_writing.set()

    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    begun_writing.wait()
    remove_folder(home)
    writer.join()
    assert [*tmp_path.iterdir()] == []


def test_a_corpus_can_be_named_at_the_start():
    with served(CORPORA / "hearst_kazantseva") as client:
        query = client.headers["x-address"].partition("?")[2]
        answer = client.finish("measure", query, json={"settings": {"samples": 3}})
        assert answer.text == run("measure", CORPORA / "hearst_kazantseva", "--samples", 3, "--json").stdout


@pytest.mark.skipif(sys.platform == "win32", reason="Python has no Unix domain sockets there")
def test_a_socket_of_a_proxy_is_a_file(tmp_path):
    file = tmp_path / "gamma.sock"
    with socket.socket(socket.AF_UNIX) as left:  # as by a server that was killed
        left.bind(str(file))
    process = subprocess.Popen(command("serve", "--uds", file), stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout.readline() == f"unix:{file}:/\n"
        with httpx.Client(transport=httpx.HTTPTransport(uds=str(file)), base_url="http://localhost") as client:
            assert client.post(f"{API}/measure?wait=20", json=SMALL).status_code == 200
        second = run("serve", "--uds", file)
        assert (second.returncode, "in use" in second.stderr) == (2, True)
        process.send_signal(signal.SIGINT)
        assert process.wait() == 0
        assert not file.exists()
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("options", [("--port", 80), ("--host", "0.0.0.0"), ("--open",)])  # noqa: S104
def test_a_socket_that_is_a_file_has_no_port(options, tmp_path):
    refused = run("serve", "--uds", tmp_path / "gamma.sock", *options)
    assert (refused.returncode, "--uds" in refused.stderr) == (2, True)


@pytest.mark.parametrize("prefix", ["agreement", "/a?b", "/a b", "//a"])
def test_a_prefix_is_a_path(prefix):
    refused = run("serve", "--root-path", prefix)
    assert (refused.returncode, "/agreement" in refused.stderr) == (2, True)


def test_other_computers_need_a_token():
    with served("--host", "0.0.0.0") as client:  # noqa: S104
        token = client.headers["x-address"].partition("token=")[2]
        assert len(token) > 20
        local = httpx.URL(f"http://127.0.0.1:{client.base_url.port}{API}/formats")
        assert httpx.get(local).status_code == 401
        assert httpx.get(local, headers={"authorization": f"Bearer {token}"}).status_code == 200


def test_what_cannot_be_served_is_refused():
    assert in_a_process("serve", "nothing").returncode == 3
    with socket.create_server(("127.0.0.1", 0)) as taken:
        refused = in_a_process("serve", "--port", taken.getsockname()[1])
    assert (refused.returncode, "--port" in refused.stderr) == (2, True)
    beyond = in_a_process("serve", "--port", 80000)
    assert (beyond.returncode, "--port: must be from 0 to 65535, not 80000" in beyond.stderr) == (2, True)
    hidden = (
        "import sys; sys.modules['fastapi'] = None; from gamma_align.apps.cli import main; sys.exit(main(['serve']))"
    )
    missing = subprocess.run([sys.executable, "-c", hidden], capture_output=True, text=True, check=False)
    assert (missing.returncode, "gamma-align[web]" in missing.stderr) == (2, True)


@pytest.mark.parametrize("file", ["service/server.py", "service/pool.py", "uvicorn/server.py", "starlette/routing.py"])
def test_ctrl_c_at_the_start_is_clean(file):
    program = [sys.executable, "-c", IN_A_CALL.format(file=file), "serve"]
    done = subprocess.run(program, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 130)
    assert "Traceback" not in done.stderr


def test_a_body_does_not_wait_until_its_head_is_acknowledged():
    async def is_sent_at_once():
        protocol = Protocol(uvicorn.Config(None, http=Protocol, ws="none", lifespan="off"), ServerState(), {})
        with socket.create_server(("127.0.0.1", 0)) as listener, socket.create_connection(listener.getsockname()):
            accepted, _ = listener.accept()
            transport, _ = await asyncio.get_running_loop().connect_accepted_socket(lambda: protocol, accepted)
            transport.close()
            return accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)

    assert asyncio.run(is_sent_at_once())
