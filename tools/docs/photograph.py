"""Photograph the page as docs/look_up/page.md shows it: ``python tools/docs/photograph.py``, with a chromium."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import Page, Playwright, sync_playwright

FOLDER = Path(__file__).parents[2] / "docs" / "look_up" / "page"
NOVEL = "/?example=novels_ner&document=VanityFair&seed=7"
_WRONG = "document,annotator,start,end,category\nd,ann,5,3,PER\nd,bob,0,4,PER\nd,ann,9,6,LOC\n"


class Picture(NamedTuple):
    """A state of the page: where it is, what is done there, and the window."""

    address: str
    act: Callable[[Page], None]
    width: int = 1280
    height: int = 720
    scheme: str = "light"
    is_whole: bool = False


def _done(page: Page) -> None:
    page.wait_for_selector("body[data-state=done]", timeout=60_000)


def _card(page: Page) -> None:
    _done(page)
    page.wait_for_selector("#card .card")


def _changed(page: Page) -> None:
    _done(page)
    page.fill("#precision", "0.1")  # so precise that the work is seen
    page.wait_for_selector("#state:text('of about')")


def _worst(page: Page) -> None:
    _done(page)
    page.keyboard.press("w")
    page.wait_for_selector("#card .card")


def _wrong(page: Page) -> None:
    _done(page)
    page.set_input_files("#files", {"name": "bad.csv", "mimeType": "text/csv", "buffer": _WRONG.encode()})
    page.wait_for_selector("#message:not([hidden])")


def _narrow_worst(page: Page) -> None:
    _done(page)
    page.select_option("#document", index=1)
    page.wait_for_selector("#reading [data-unit]")
    _worst(page)


PICTURES = {
    "report": Picture("/?example=novels_ner&seed=7", _done, height=1100),
    "open": Picture("/", lambda page: page.wait_for_selector("#empty:not([hidden])"), height=480),
    "results": Picture(f"{NOVEL}&at=66", _card, is_whole=True),
    "changed": Picture(NOVEL, _changed, height=520),
    "narrow": Picture("/?example=sleep_stages&seed=7", _narrow_worst, 390, 844, "dark", is_whole=True),
    "wrong": Picture("/?example=hearst_kazantseva", _wrong, height=520),
}
"""The pictures by name; each is a file in docs/page."""


def main() -> None:
    """Start the service, and write the pictures that are named, or all of them."""
    serving = [sys.executable, "-P", "-m", "gamma_align.apps.cli", "serve"]
    with subprocess.Popen(serving, stdout=subprocess.PIPE, text=True) as served, sync_playwright() as playwright:
        try:
            _photograph(playwright, served.stdout.readline().strip().rstrip("/"))
        finally:  # otherwise leaving `Popen` would wait for the service without end
            served.terminate()


def _photograph(playwright: Playwright, address: str) -> None:
    browser_path = os.environ.get("GAMMA_ALIGN_CHROMIUM") or shutil.which("chromium")
    browser = playwright.chromium.launch(executable_path=browser_path, args=["--no-sandbox"])
    for name in sys.argv[1:] or PICTURES:
        picture = PICTURES[name]
        page = browser.new_page(
            viewport={"width": picture.width, "height": picture.height}, color_scheme=picture.scheme
        )
        page.goto(address + picture.address)
        picture.act(page)
        page.screenshot(path=FOLDER / f"{name}.png", full_page=picture.is_whole)
        page.close()
    browser.close()


if __name__ == "__main__":
    main()
