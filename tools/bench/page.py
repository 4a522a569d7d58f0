"""How quickly the page shows a document of 10,000 units and moves in it: `page.py [-o FILE.md]`.

Half a minute, Linux, with Chromium (``GAMMA_ALIGN_CHROMIUM``). CPU time of the browser is that of the page's thread:
scripts, styles, layout and painting. Other work on the machine changes it little.
"""

from __future__ import annotations

import argparse
import datetime as dt
import os
import platform
import random
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from operator import sub
from pathlib import Path
from typing import Any

import httpx
from playwright.sync_api import CDPSession, Page, sync_playwright
from service import spent_by
from table import of_numbers, put

from gamma_align.version import __version__

UNITS, PEOPLE, LABELS = 10_000, 4, 6
TIMES = 40
WANTED = {"loading": 2000, "loading again": 2000, "j": 50, "k": 50}
PARTS = ("Script", "Layout", "RecalcStyle", "Task")
SHOWN = "#reading [data-unit]"
UNTIL_DRAWN = """key => new Promise((done) => {
  const began = performance.now();
  new MutationObserver((_, observer) => {
    observer.disconnect();
    requestAnimationFrame(() => setTimeout(() => done(performance.now() - began)));
  }).observe(document.querySelector("#reading"), { childList: true });
  document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
})"""


def units() -> dict[str, Any]:
    """Return a request of one text: everybody marks the same words, here and there others, with other labels."""
    draw = random.Random(1)  # noqa: S311
    words = draw.choices(["of", "and", "house", "Miss", "windows", "stately", "brought"], k=16 * UNITS // PEOPLE)
    starts = [0]
    for word in words:
        starts.append(starts[-1] + len(word) + 1)
    found = []
    for unit in range(UNITS // PEOPLE):
        first, label = 16 * unit, draw.randrange(LABELS)
        for person in range(PEOPLE):
            moved, other = draw.random() < 0.3, draw.random() < 0.2
            last = first + 1 + moved
            found.append(
                {
                    "annotator": f"a{person}",
                    "start": starts[first],
                    "end": starts[last] - 1,
                    "category": f"c{draw.randrange(LABELS) if other else label}",
                }
            )
    return {"units": found, "texts": {"document": " ".join(words)}}


class Meter:
    """CPU milliseconds: of the page's thread by what it does, of the server, and of its workers."""

    def __init__(self, session: CDPSession, process: int) -> None:
        self._session, self._process = session, process
        session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def read(self) -> list[float]:
        """Return what was spent so far."""
        found = {each["name"]: each["value"] for each in self._session.send("Performance.getMetrics")["metrics"]}
        return [1000 * each for each in (*(found[f"{part}Duration"] for part in PARTS), *spent_by(self._process)[:2])]


@contextmanager
def served() -> Iterator[tuple[str, int]]:
    """Start the service; give its address and the id of its process."""
    process = subprocess.Popen(
        [sys.executable, "-m", "gamma_align.apps.cli", "serve"], stdout=subprocess.PIPE, text=True
    )
    try:
        yield process.stdout.readline().strip().rstrip("/"), process.pid
    finally:
        process.terminate()
        process.wait()


def loaded(page: Page, meter: Meter, address: str) -> tuple[float, list[float]]:
    """Return the milliseconds until a new page shows units, and what was spent for it."""
    before, began = meter.read(), time.perf_counter()
    page.goto(address)
    page.wait_for_selector(SHOWN)
    wall, after = 1000 * (time.perf_counter() - began), meter.read()
    mine = len(PARTS)  # the page's thread is a new one
    return wall, [*after[:mine], *map(sub, after[mine:], before[mine:])]


def pressed(page: Page, meter: Meter, key: str) -> tuple[float, list[float]]:
    """Return the milliseconds from a key to the picture that it asks for, of the median, and what each spent."""
    before = meter.read()
    walls = [page.evaluate(UNTIL_DRAWN, key) for _ in range(TIMES)]
    return statistics.median(walls), [each / TIMES for each in map(sub, meter.read(), before)]


def measured() -> Iterator[tuple[str, str, float, list[float]]]:
    """Yield of what, what is done, the milliseconds until it is seen, and CPU milliseconds."""
    with served() as (address, process), sync_playwright() as playwright:
        path = os.environ.get("GAMMA_ALIGN_CHROMIUM") or shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        for kind, request in (("text", units()), ("no text", units() | {"texts": {}})):
            data = httpx.post(f"{address}/api/v1/data", json=request, timeout=60).json()["data"]
            for name in ("loading", "loading again"):
                page = browser.new_page(viewport={"width": 1280, "height": 900})
                meter = Meter(page.context.new_cdp_session(page), process)
                # the coarsest precision: what is looked at is the page
                yield kind, name, *loaded(page, meter, f"{address}/?data={data}&precision=0.9")
                page.wait_for_selector("body[data-state=done]", timeout=120_000)
            page.keyboard.press("w")
            page.wait_for_selector("#card .card")
            for key in ("j", "k"):
                yield kind, key, *pressed(page, meter, key)
        browser.close()


def main() -> int:
    """Measure, and print or write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", type=Path)
    arguments = parser.parse_args()
    load = os.getloadavg()[0]
    rows = [
        [f"{kind}, {name}", str(WANTED[name]), f"{wall:.0f}", *(f"{each:.1f}" for each in spent)]
        for kind, name, wall, spent in measured()
    ]
    day = dt.datetime.now(dt.UTC)
    head = ["what", "wanted ms", "seen after ms", "CPU ms: scripts", "layout", "styles", "all of the page's thread"]
    head += ["server", "workers"]
    text = f"""# The page with {UNITS:,} units

- {day:%Y-%m-%d}; gamma_align {__version__}; Python {platform.python_version()}; {os.cpu_count()} cores;
  load average {load:.1f} before.
- One document, {PEOPLE} annotators, {LABELS} labels, {UNITS:,} units. Loading ends when the page shows units; again is
  with a service that has aligned them. A key ends when the picture that it asks for is drawn; {TIMES} times each.

{of_numbers(head, rows)}"""
    put(text, arguments.output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
