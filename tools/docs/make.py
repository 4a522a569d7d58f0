"""Run every block of code in README.md and docs/, and fill in what it prints: ``python tools/docs/make.py [PAGE …]``.

A block of ``bash`` or ``python`` stands for itself; a block of ``text`` right after it is what it prints, or the lines
of it that a comment before it names: ``<!-- lines 1-6, 9 -->``. Each block runs in a folder of its own, with
``corpora`` in it. Commands that install are run by the gate, from a fresh checkout.
Measured figures are filled in from their tables (`figures.py`); ``--figures`` does that alone and runs no code.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import figures
import packages

from gamma_align.present.figures import palette

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
PICTURES = ROOT / "docs" / "pictures"
_FAIR = ["corpora/novels_ner", "--document", "VanityFair"]
DRAWN = {
    "alex_paul_suzan.svg": ["corpora/pygamma/AlexPaulSuzan.csv"],
    "front.svg": [*_FAIR, "--from", "2251", "--to", "2635"],
    "stargazer.svg": ["corpora/hearst_kazantseva", "--document", "hearst/stargazer"],
    "vanity_fair.svg": [*_FAIR, "--from", "1816", "--to", "2647"],
    "one_disagreement.svg": [*_FAIR, "--from", "2534", "--to", "2624"],
}
"""The pictures of alignments, with what `align` is asked for."""
CURVES = {"curve.svg": [*_FAIR, "--repetitions", "2", "--samples", "8"]}
"""The pictures of degraded corpora, with what `curve` is asked for."""
FENCE = re.compile(
    r"^```(bash|python)\n(.*?)^```\n(?:\n(?:<!-- lines ([\d, -]+) -->\n\n)?```text\n(.*?)^```\n)?",
    re.DOTALL | re.MULTILINE,
)

PROGRESS = re.compile(r"^gamma-align: +\d+ % \(.*\n", re.MULTILINE)
"""What is printed every ten seconds: a page does not depend on how fast the machine is."""


class Block(NamedTuple):
    """A block of code of a page, and what it prints, None where the page does not show it.

    `lines` are the lines that the page shows, such as "1-6, 9"; None if it shows all.
    """

    language: str
    code: str
    lines: str | None
    printed: str | None


def blocks(text: str) -> list[Block]:
    """Return the blocks of a page that are run, in order."""
    every = [Block(*match.groups()) for match in FENCE.finditer(text)]
    return [block for block in every if "pip install" not in block.code or block.printed is not None]


def output(block: Block) -> str:
    """Return what the page shows of what a block prints, stdout and then stderr.

    Raises
    ------
    CalledProcessError
        If it fails.
    """
    code = block.code.replace(".venv/bin/", "")
    if "pip install" in code:  # the gate has run that; what follows it is the command shown
        code = code[code.rindex("gamma-align") :]
    command = [sys.executable, "-c", code] if block.language == "python" else ["bash", "-euo", "pipefail", "-c", code]
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    variables = {**os.environ, "PATH": path, "PYTHONSAFEPATH": "1", "COLUMNS": "100"}
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "corpora").symlink_to(ROOT / "corpora")
        done = subprocess.run(
            command, cwd=folder, env=variables, capture_output=True, text=True, encoding="utf-8", check=True
        )
    printed = done.stdout + PROGRESS.sub("", done.stderr)
    return printed if block.lines is None else _lines(printed, block.lines)


def _lines(printed: str, chosen: str) -> str:
    """Return the chosen lines, such as "1-6, 9", with "…" where lines are left out."""
    every = printed.splitlines()
    shown = []
    last = 0
    for part in chosen.split(","):
        low, _, high = part.strip().partition("-")
        if int(low) > last + 1:
            shown.append("…")
        last = int(high or low)
        shown += every[int(low) - 1 : last]
    if last < len(every):
        shown.append("…")
    return "".join(f"{line}\n" for line in shown)


def filled(text: str) -> str:
    """Return the page with what its blocks print now."""

    def fill(match: re.Match[str]) -> str:
        block = Block(*match.groups())
        if block.printed is None:
            return match.group()
        lines = "" if block.lines is None else f"<!-- lines {block.lines} -->\n\n"
        return f"```{block.language}\n{block.code}```\n\n{lines}```text\n{output(block)}```\n"

    return FENCE.sub(fill, text)


def draw(folder: Path) -> None:
    """Draw the pictures of the pages."""
    commands = {name: ["align", *arguments] for name, arguments in DRAWN.items()}
    commands |= {name: ["curve", *arguments] for name, arguments in CURVES.items()}
    for name, arguments in commands.items():
        command = [sys.executable, "-P", "-m", "gamma_align.apps.cli", *arguments, "--svg", str(folder / name)]
        subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    (folder / "packages.svg").write_text(packages.picture(), encoding="utf-8")
    for name in (*commands, "packages.svg"):
        light = (folder / name).read_text(encoding="utf-8")
        (folder / name.replace(".svg", "_dark.svg")).write_text(darkened(light), encoding="utf-8")


def darkened(picture: str) -> str:
    """Return a picture of the package with the colours that a dark page has."""
    dark = {token.light: token.dark for token in palette.TOKENS.values()}
    return re.sub("|".join(dark), lambda match: dark[match.group()], picture)


def main() -> None:
    """Rewrite the pages named, or all of them and the pictures."""
    named = [name for name in sys.argv[1:] if name != "--figures"]
    runs_code = "--figures" not in sys.argv
    for page in [Path(name).resolve() for name in named] or PAGES:
        print(page.relative_to(ROOT), flush=True)
        text = figures.filled(page.read_text(encoding="utf-8"), page)
        page.write_text(filled(text) if runs_code else text, encoding="utf-8")
    if runs_code and not named:
        draw(PICTURES)


if __name__ == "__main__":
    main()
