"""How quickly the service answers small requests, one after the other and 200 at a time: `service.py [-o FILE.md]`.

Half a minute. Linux alone: memory is that of all processes of the service, what they share counted once.
"""

from __future__ import annotations

import argparse
import datetime as dt
import http.client
import json
import os
import platform
import statistics
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from operator import sub
from pathlib import Path

from table import of_numbers, put

import gamma_align as ga
from gamma_align.apps.service import Limits
from gamma_align.version import __version__

WANTED = 0.5  # second, p95 of small requests that come together
TOGETHER = 200
CASES = {
    "align": ("align", {}),
    "γ of 5 samples": ("measure", {"samples": 5}),
    "γ by default": ("measure", {}),
}
"""What is asked for: the command and its settings."""


def small(seed: int, settings: dict[str, object]) -> bytes:
    """Return a request of two annotators and ten units."""
    reference = ga.synthetic_reference(units=5, seed=seed)
    copies = ga.shuffle(reference, magnitude=0.3, annotators=2, seed=seed)
    units = [
        {"annotator": unit.annotator, "start": unit.start, "end": unit.end, "category": unit.category}
        for unit in copies.units()
    ]
    return json.dumps({"units": units, "settings": settings}).encode()


def memory(process: int) -> float:
    """Return the MB of a process and all below it, what they share counted once."""
    try:
        text = Path(f"/proc/{process}/smaps_rollup").read_text()
        children = [
            p for task in Path(f"/proc/{process}/task").iterdir() for p in (task / "children").read_text().split()
        ]
    except OSError:  # it has just ended
        return 0.0
    pss = next(int(row.split()[1]) for row in text.splitlines() if row.startswith("Pss:"))
    return pss * 1024 / 1e6 + sum(memory(int(child)) for child in children)


class Peak(threading.Thread):
    """Looks at the memory of a process and those below it, ten times a second."""

    def __init__(self, process: int) -> None:
        super().__init__(daemon=True)
        self._process, self.highest = process, 0.0
        self.start()

    def run(self) -> None:
        while True:
            self.highest = max(self.highest, memory(self._process))
            time.sleep(0.1)


class Clients(threading.local):
    """The clients of a service: each thread has a connection that is kept."""

    def __init__(self, address: str) -> None:
        self._connection = http.client.HTTPConnection(address.strip("/").removeprefix("http://"), timeout=120)

    def ask(self, command: str, body: bytes) -> float:
        """Return the seconds of a request; RuntimeError if it is not answered with a result."""
        began = time.perf_counter()
        self._connection.request("POST", f"/api/v1/{command}?wait=20", body, {"Content-Type": "application/json"})
        answer = self._connection.getresponse()
        text = answer.read()
        seconds = time.perf_counter() - began
        if answer.status != http.client.OK or len(json.loads(text)["documents"]) != 1:
            raise RuntimeError(text.decode())
        return seconds


def measured(name: str, seconds: list[float], whole: float, spent: tuple[float, ...]) -> list[str]:
    """Return the row of a case, of whose requests the CPU seconds of server, workers and clients were spent."""
    ordered = sorted(seconds)
    p95 = ordered[int(0.95 * len(ordered)) - 1]
    shown = [f"{1000 * each:.0f}" for each in (statistics.median(ordered), p95, ordered[-1])]
    each = [f"{1000 * cpu / len(seconds):.1f}" for cpu in spent]
    return [name, str(len(seconds)), *shown, f"{len(seconds) / whole:.0f}", *each]


def spent_by(process: int) -> tuple[float, ...]:
    """Return the CPU seconds of the server, of its workers, and of the clients, which are threads of this process."""
    server, below = cpu_of(process)
    return server, below, time.process_time()


def cpu_of(process: int) -> tuple[float, float]:
    """Return the CPU seconds of a process and of those below it that are still there."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        children = [
            p for task in Path(f"/proc/{process}/task").iterdir() for p in (task / "children").read_text().split()
        ]
    except OSError:
        return 0.0, 0.0
    own = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return own, sum(sum(cpu_of(int(child))) for child in children)


def main() -> int:
    """Measure, and print or write the page; requests that are lost are errors."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", type=Path)
    arguments = parser.parse_args()
    load = os.getloadavg()[0]
    process = subprocess.Popen(
        [sys.executable, "-m", "gamma_align.apps.cli", "serve"], stdout=subprocess.PIPE, text=True
    )
    try:
        address = process.stdout.readline().strip()
        bodies = {name: [small(seed, settings) for seed in range(TOGETHER)] for name, (_, settings) in CASES.items()}
        before, peak = memory(process.pid), Peak(process.pid)
        rows, p95 = [], {}
        for name, at_once in ((name, at_once) for name in CASES for at_once in (1, TOGETHER)):
            clients = Clients(address)
            clients.ask(CASES[name][0], bodies[name][0])
            began, spent = time.perf_counter(), spent_by(process.pid)
            with ThreadPoolExecutor(at_once) as pool:
                times = [*pool.map(partial(clients.ask, CASES[name][0]), bodies[name])]
            whole, spent = time.perf_counter() - began, tuple(map(sub, spent_by(process.pid), spent))
            rows.append(measured(f"{name}, {at_once} at a time", times, whole, spent))
            p95[name] = sorted(times)[int(0.95 * len(times)) - 1]
        after = memory(process.pid)
    finally:
        process.terminate()
        process.wait()
    head = ["requests", "number", "median ms", "p95 ms", "longest ms", "a second", "CPU ms each: server"]
    head += ["workers", "clients"]
    day = dt.datetime.now(dt.UTC)
    kept = [name for name in CASES if p95[name] <= WANTED]
    page = f"""# Small requests to the service

- {day:%Y-%m-%d}; gamma_align {__version__}; Python {platform.python_version()}; {os.cpu_count()} cores; load average
  {load:.1f} before.
- A request has two annotators and ten units, on a connection that is kept; the clients are threads of one process on
  the same machine. {TOGETHER} at a time wait for {Limits().workers} workers: the last has the time of all.
- Memory of all processes of the service: {before:.0f} MB before the first request, {peak.highest:.0f} MB at most,
  {after:.0f} MB at the end.
- Wanted: none lost, and p95 of {TOGETHER} at a time within {WANTED:g} s; kept by: {", ".join(kept) or "none"}.

{of_numbers(head, rows)}"""
    put(page, arguments.output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
