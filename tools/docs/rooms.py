"""Draw the rooms of the package, each with the first sentence of its docstring, later ones above earlier ones."""

from __future__ import annotations

import ast
from pathlib import Path
from xml.sax.saxutils import escape

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "gamma_align"
GROUND = ("errors", "options", "columns", "version")  # single files
WIDTH, HEIGHT, GAP = 980, 40, 8


def order() -> list[str]:
    """Return the rooms from the ground up, as the test of the order lists them."""
    tests = ast.parse((ROOT / "tests" / "test_layers.py").read_text(encoding="utf-8"))
    lists = [node for node in tests.body if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "ORDER"]
    return [name for name in ast.literal_eval(lists[0].value) if name not in GROUND]


def sentence(room: str) -> str:
    """Return the first line of a room's docstring."""
    folder = PACKAGE / room
    path = folder / "__init__.py" if folder.is_dir() else PACKAGE / f"{room}.py"
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return text.split("\n\n")[0].replace("\n", " ")


def picture() -> str:
    """Return the picture as SVG."""
    rooms = order()[::-1]
    height = len(rooms) * (HEIGHT + GAP) + GAP
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}"',
        ' font-family="sans-serif" font-size="13">',
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
    ]
    for number, room in enumerate(rooms):
        top = GAP + number * (HEIGHT + GAP)
        lines += [
            f'<rect x="{GAP}" y="{top}" width="{WIDTH - 2 * GAP}" height="{HEIGHT}" rx="5"',
            ' fill="#eef3f8" stroke="#7890a8"/>',
            f'<text x="20" y="{top + 25}" font-weight="bold">{escape(room)}</text>',
            f'<text x="130" y="{top + 25}">{escape(sentence(room))}</text>',
        ]
    return "\n".join([*lines, "</svg>", ""])
