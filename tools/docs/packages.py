"""Draw the packages, each with the first sentence of its docstring, later packages above earlier ones."""

from __future__ import annotations

import ast
from pathlib import Path
from xml.sax.saxutils import escape

from gamma_align.present.figures.palette import TOKENS

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "gamma_align"
WIDTH, HEIGHT, GAP = 980, 40, 8  # pixels


def names() -> list[str]:
    """Return the packages from the first to the last, from the list of the tests of layers, without single modules."""
    tests = ast.parse((ROOT / "tests" / "helpers" / "layers.py").read_text(encoding="utf-8"))
    lists = [node for node in tests.body if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "ORDER"]
    return [name for name in ast.literal_eval(lists[0].value) if (PACKAGE / name).is_dir()]


def sentence(name: str) -> str:
    """Return the first sentence of the docstring of a package."""
    text = ast.get_docstring(ast.parse((PACKAGE / name / "__init__.py").read_text(encoding="utf-8"))) or ""
    return text.split("\n\n")[0].replace("\n", " ")


def picture() -> str:
    """Return the picture as SVG."""
    packages = names()[::-1]
    height = len(packages) * (HEIGHT + GAP) + GAP
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}"',
        f' font-family="sans-serif" font-size="13" fill="{TOKENS["ink"].light}">',
        f'<rect width="{WIDTH}" height="{height}" fill="{TOKENS["paper"].light}"/>',
    ]
    for row, name in enumerate(packages):
        top = GAP + row * (HEIGHT + GAP)
        lines += [
            f'<rect x="{GAP}" y="{top}" width="{WIDTH - 2 * GAP}" height="{HEIGHT}" rx="5"',
            f' fill="{TOKENS["c1t"].light}" stroke="{TOKENS["c1"].light}"/>',
            f'<text x="20" y="{top + 25}" font-weight="bold">{escape(name)}</text>',
            f'<text x="130" y="{top + 25}">{escape(sentence(name))}</text>',
        ]
    return "\n".join([*lines, "</svg>", ""])
