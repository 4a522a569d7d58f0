"""A headless Chromium: Debian's, driven by Playwright; what pages ask for is noted."""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager

import pytest

PATIENCE = 60_000  # milliseconds, however busy the machine is
CHROMIUM = "GAMMA_ALIGN_CHROMIUM"
"""Names the browser; the gate sets it, so that its tests are not passed over there."""
ARGUMENTS = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
]


def chromium():
    """Return the path of the browser; without one the test is skipped."""
    path = os.environ.get(CHROMIUM) or shutil.which("chromium")
    if path is None:
        pytest.skip("no chromium; install it (apt-get install chromium), or name it in GAMMA_ALIGN_CHROMIUM")
    return path


@contextmanager
def browser():
    """Yield a browser."""
    from playwright.sync_api import expect, sync_playwright  # noqa: PLC0415

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
