"""Photograph "What to settle" of the report on novels_ner, light and dark: ``python docs/pictures/what_to_settle.py``.

It needs a chromium, which `GAMMA_ALIGN_CHROMIUM` names if it is not on the path.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

import gamma_align as ga

FOLDER = Path(__file__).parent
CORPUS = Path(__file__).parents[2] / "corpora" / "novels_ner"
WIDTH = 800  # pixels: somewhat wider than the column of a page, which shows it smaller
FINDINGS = 2  # of the list: the most important ones


def main() -> None:
    """Write the two pictures."""
    browser_path = os.environ.get("GAMMA_ALIGN_CHROMIUM") or shutil.which("chromium")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        report = Path(folder) / "report.html"
        ga.html_report(CORPUS).write(report)
        browser = playwright.chromium.launch(executable_path=browser_path, args=["--no-sandbox"])
        for scheme in ("light", "dark"):
            page = browser.new_page(viewport={"width": WIDTH, "height": 1200}, color_scheme=scheme)
            page.goto(report.as_uri())
            top = page.locator("h2", has_text="What to settle").bounding_box()
            end = page.locator("#settle .finding").nth(FINDINGS - 1).bounding_box()
            height = end["y"] + end["height"] - top["y"]
            clip = {"x": 0, "y": top["y"] - 16, "width": WIDTH, "height": height + 16}
            page.screenshot(path=FOLDER / f"what_to_settle_{scheme}.png", clip=clip, full_page=True)
        browser.close()


if __name__ == "__main__":
    main()
