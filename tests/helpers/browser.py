"""A headless Chromium: Debian's, driven by Playwright; what pages ask for is noted."""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager

import pytest

PATIENCE = 300_000  # milliseconds; against hanging alone: what a page never shows ends its test, not the whole run
CHROMIUM = "GAMMA_ALIGN_CHROMIUM"
"""Names the browser; the gate sets it, so that its tests are not passed over there."""
ARGUMENTS = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
]


def chromium():
    """Return the path of the browser; without one the test is skipped.

    The headless shell is a Chromium without windows, tabs and menus: a page takes a third of the time to open.
    """
    path = os.environ.get(CHROMIUM) or shutil.which("chromium-headless-shell") or shutil.which("chromium")
    if path is None:
        pytest.skip(f"no chromium; install it (apt-get install chromium-headless-shell), or name it in {CHROMIUM}")
    return path


@contextmanager
def browser():
    """Yield a browser."""
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
        try:
            yield running
        finally:
            running.close()


@contextmanager
def opened(running, location, *, width=1280, height=900, **settings):
    """Yield a page of a file or address, with `requests` and `messages`: what it asked for, and what it logged."""
    context = running.new_context(viewport={"width": width, "height": height}, **settings)
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.requests, page.messages = [], []
    page.on("request", lambda request: page.requests.append(request.url))
    page.on("console", lambda message: page.messages.append(message.text))
    page.on("pageerror", lambda error: page.messages.append(str(error)))
    try:
        page.goto(location if isinstance(location, str) else location.as_uri())
        yield page
    finally:
        context.close()


_CUT_TEXT = """selector => {
  const cut = [];
  for (const root of document.querySelectorAll(selector)) {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let node; (node = walker.nextNode()); ) {
      if (!node.data.trim() || node.parentElement.closest(".unseen, .dot-plot, script, style")) continue;
      const clips = [];
      for (let box = node.parentElement; box; box = box.parentElement) {
        const { overflowX, overflowY } = getComputedStyle(box);
        if ([overflowX, overflowY].some((overflow) => ["hidden", "clip"].includes(overflow)))
          clips.push(box.getBoundingClientRect());
      }
      let hidden = "";
      for (let i = 0; i < node.length; i++) {
        if (!node.data[i].trim()) continue;
        const range = new Range();
        range.setStart(node, i);
        range.setEnd(node, i + 1);
        const { left, right, top, bottom, width } = range.getBoundingClientRect();
        const [x, y] = [(left + right) / 2, (top + bottom) / 2];
        if (!width || clips.some((clip) => x < clip.left || x > clip.right || y < clip.top || y > clip.bottom))
          hidden += node.data[i];
      }
      if (hidden) cut.push([node.parentElement.className, node.data, hidden]);
    }
  }
  return cut;
}"""


def cut_text(page, selector):
    """Return the texts below a selector that have characters without a visible place: class, text, characters.

    Text that a person can scroll to is visible. Text for screen readers alone is passed over, and so is the column of
    dots, which narrow pages leave out because its numbers are in the next column.
    """
    return page.evaluate(_CUT_TEXT, selector)


def violations(page):
    """Return the rules of accessibility, of any impact, that a page breaks, each with the first elements that do."""
    from axe_playwright_python.sync_playwright import Axe

    # A report has tens of thousands of elements that pass, and to name them takes most of the time.
    broken = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    return [(rule["id"], rule["impact"], [node["html"][:200] for node in rule["nodes"][:3]]) for rule in broken]
