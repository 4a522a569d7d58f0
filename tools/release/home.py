"""Write the public address of the repository wherever it belongs, once it has one.

    python tools/release/home.py https://HOST/OWNER/NAME

The address goes to `[project.urls]` of pyproject.toml, to CITATION.cff, and before the links of README.md, which a page
on a package index shows outside of the repository. The host must have files under /blob/ and /raw/, as GitHub has.
Written again, it replaces the address before.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PICTURES = (".svg", ".png")


def in_project(text: str, home: str) -> str:
    """Return pyproject.toml with the address."""
    text = re.sub(r"\[project\.urls\]\nSource = .*\n\n", "", text)
    return text.replace("[project.scripts]", f'[project.urls]\nSource = "{home}"\n\n[project.scripts]', 1)


def in_citation(text: str, home: str) -> str:
    """Return CITATION.cff with the address."""
    text = re.sub(r"repository-code: .*\n", "", text)
    return text.replace("license: ", f"repository-code: {home}\nlicense: ", 1)


def in_readme(text: str, home: str) -> str:
    """Return README.md, in which links and pictures of the repository have the address before them."""

    def absolute(match: re.Match[str]) -> str:
        path = re.sub(r"^https?://.*?/(?:blob|raw)/HEAD/", "", match[1])
        if re.match(r"https?://|#", path):
            return match[0]
        kind = "raw" if path.endswith(PICTURES) else "blob"
        return f"]({home}/{kind}/HEAD/{path})"

    return re.sub(r"\]\(([^)\s]+)\)", absolute, text)


WRITERS = {"pyproject.toml": in_project, "CITATION.cff": in_citation, "README.md": in_readme}


def main() -> None:
    """Write the address into each file."""
    if len(sys.argv) != 2 or not re.match(r"https://\S+[^/\s]$", sys.argv[1]):
        sys.exit("home: give the address of the repository, which begins with https:// and has no slash at its end")
    for name, write in WRITERS.items():
        path = ROOT / name
        path.write_text(write(path.read_text(encoding="utf-8"), sys.argv[1]), encoding="utf-8")


if __name__ == "__main__":
    main()
