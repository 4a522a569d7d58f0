"""Colours and patterns of pictures in files, in the report and in the web interface.

Conventions
-----------
* The six most frequent labels of the corpus have a colour and a pattern each; the seventh has the first colour with the
  second pattern, and so on. A label therefore looks the same in all pictures, and labels differ without colour too.
* Disorder has five steps of wine: none; below 0.35, 0.6 and 0.9 of the cost Δ of an empty unit; and above.
* Reasons are patterns in wine: missing is solid, position hatched, category dotted.
* Pictures in files contain the colours of the light theme, because viewers and converters do not support CSS variables;
  pictures in a page refer to the variables of the page (`palette_css`), and follow its theme.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gamma_align.columns import FloatArray, IntArray
from gamma_align.data import Continuum, Corpus
from gamma_align.present.figures.elements import element


class Token(NamedTuple):
    """A colour in the light and in the dark theme."""

    light: str
    dark: str


TOKENS: dict[str, Token] = {
    "paper": Token("#ffffff", "#171a1f"),
    "ground": Token("#f6f6f3", "#101216"),
    "ink": Token("#1b1f24", "#e8eaed"),
    "soft": Token("#4d5661", "#a9b1bb"),
    "line": Token("#d9dce0", "#343a43"),
    "grid": Token("#eceef0", "#262b32"),
    "link": Token("#0b57a4", "#7db8f0"),
    "remark": Token("#fdf3dc", "#33290f"),
    "c1": Token("#0072b2", "#4ba3dc"),
    "c2": Token("#d55e00", "#f08a4b"),
    "c3": Token("#332288", "#f4e9c1"),
    "c4": Token("#8a3ffc", "#a58bff"),
    "c5": Token("#5c3b1e", "#9a7b4f"),
    "c6": Token("#00857a", "#c2e66a"),
    "c1t": Token("#d6e8f4", "#173a52"),
    "c2t": Token("#fbe3d3", "#4d2a14"),
    "c3t": Token("#dfdcf0", "#45422f"),
    "c4t": Token("#ebdffe", "#352c57"),
    "c5t": Token("#e8e0d9", "#3a2f1f"),
    "c6t": Token("#d3ebe9", "#37441d"),
    "d0": Token("#eef0f2", "#262b32"),
    "d1": Token("#e9cbd2", "#4a2834"),
    "d2": Token("#cf8298", "#8a3f57"),
    "d3": Token("#a63a5c", "#c9607f"),
    "d4": Token("#7a1136", "#f096ae"),
}
"""The colours by name; ``c1t`` is the tint of ``c1`` behind text in ink, ``d0`` … ``d4`` are the steps of disorder."""

PATTERNS = ("solid", "diagonal", "dots", "vertical", "horizontal", "cross")
"""The patterns of labels 1 to 6."""
COLOURS = tuple(f"c{number}" for number in range(1, len(PATTERNS) + 1))
"""The colours of labels 1 to 6."""
_STEP_THRESHOLDS = (0.35, 0.6, 0.9)  # as shares of Δ
_PATTERN_REFERENCE = re.compile(r"url\(#([\w-]+)\)")  # the id of a pattern in a fill
_PATTERN_TILES = {
    "diagonal": ("6", "M-1.5 1.5l3-3M0 6L6 0M4.5 7.5l3-3"),
    "dots": ("5", "M1.5 2.5a1 1 0 1 0 2 0a1 1 0 1 0-2 0"),
    "vertical": ("5", "M2.5 0V5"),
    "horizontal": ("4", "M0 2H4"),
    "cross": ("6", "M-1.5 1.5l3-3M0 6L6 0M4.5 7.5l3-3M-1.5 4.5l3 3M0 0L6 6M4.5-1.5l3 3"),
}
"""Size of the tile of each pattern in pixels, and the path drawn in it."""
_TILE_UNITS = {"patternUnits": "userSpaceOnUse"}  # tiles of the same size in all bars


class Mark(NamedTuple):
    """Colour and pattern of a label: names in `TOKENS` and `PATTERNS`."""

    colour: str
    pattern: str

    @property
    def tint(self) -> str:
        """Name of the tint of the colour."""
        return f"{self.colour}t" if self.colour in COLOURS else "d0"

    @property
    def classes(self) -> str:
        """CSS classes of marked text in a page: the colour, and the pattern, which determines the line."""
        return f"{self.colour} {self.pattern}"


_NO_LABEL = Mark("soft", "solid")


def label_order(data: Corpus | Continuum) -> tuple[str, ...]:
    """Return the labels, the most frequent first; ties are sorted by name.

    Examples
    --------
    >>> label_order(ga.Continuum.from_records([("ann", 0, 1, "b"), ("ann", 2, 3, "c"), ("ann", 4, 5, "c")]))
    ('c', 'b')
    """
    counts: IntArray = np.bincount(data.category[data.category >= 0], minlength=len(data.categories))
    return tuple(data.categories[code] for code in np.argsort(-counts, kind="stable").tolist())


@dataclass(frozen=True, slots=True)
class Palette:
    """The colours and patterns of pictures.

    Attributes
    ----------
    labels : tuple of str
        The labels of the corpus, the most frequent first (`label_order`).
    in_page : bool
        Whether colours are CSS variables of the page, and patterns are defined once, by the page (`definitions`).

    Examples
    --------
    >>> palette = Palette(("PERX", "PERSON"))
    >>> palette["ink"], palette.mark("PERSON"), palette.fill("PERSON")
    ('#1b1f24', Mark(colour='c2', pattern='diagonal'), 'url(#file-c2-diagonal)')
    >>> Palette(in_page=True)["ink"]
    'var(--ink)'
    """

    labels: tuple[str, ...] = ()
    in_page: bool = False

    @property
    def prefix(self) -> str:
        """Prefix of the ids of patterns, which have different colours in a page and in a file."""
        return "page" if self.in_page else "file"

    def __getitem__(self, token: str) -> str:
        return f"var(--{token})" if self.in_page else TOKENS[token].light

    def mark(self, label: str | None) -> Mark:
        """Return the colour and pattern of a label; units without a label (None) are grey."""
        return _NO_LABEL if label is None else mark_of(self.labels.index(label))

    def fill(self, label: str | None) -> str:
        """Return the fill of units with a label."""
        return self.paint(self.mark(label))

    def paint(self, mark: Mark) -> str:
        """Return the fill of a mark: its colour if it is solid, otherwise a reference to a pattern."""
        is_solid = mark.pattern == PATTERNS[0]
        return self[mark.colour] if is_solid else f"url(#{self.prefix}-{mark.colour}-{mark.pattern})"

    def reason(self, reason: str) -> str:
        """Return the fill of a reason: "missing", "position" or "category"."""
        return self["d3"] if reason == "missing" else f"url(#{self.prefix}-{reason})"

    def definitions(self, content: str | None = None) -> str:
        """Return the patterns that `content` refers to (default: of all labels), as a ``<defs>`` element."""
        if content is None:
            paints = [self.paint(mark_of(number)) for number in range(len(self.labels))]
            content = " ".join([*map(self.reason, ("position", "category")), *paints])
        names = dict.fromkeys(_PATTERN_REFERENCE.findall(content))  # unique, in the order of their first use
        patterns = [self._pattern(name) for name in names if name.startswith(f"{self.prefix}-")]
        return element("defs", "".join(patterns)) if patterns else ""

    def _pattern(self, name: str) -> str:
        colour, _, pattern = name.removeprefix(f"{self.prefix}-").partition("-")
        if colour in ("position", "category"):
            strong = self["d3"] if colour == "position" else self["d4"]
            return _tile(name, self["d1"], "diagonal" if colour == "position" else "dots", strong, 2.2, 1.0)
        return _tile(name, self[colour], pattern, self["paper"], 1.0 if pattern == "cross" else 1.4, 0.65)


def mark_of(number: int) -> Mark:
    """Return the colour and pattern of a label; `number` is its rank by frequency, from 0."""
    cycle, colour = divmod(number, len(COLOURS))
    # each cycle pairs the colours with other patterns, so that 36 labels differ
    return Mark(COLOURS[colour], PATTERNS[(colour + cycle) % len(PATTERNS)])


def _tile(name: str, ground: str, pattern: str, ink: str, width: float, opacity: float) -> str:
    """Return a ``<pattern>`` element: lines or dots in ink on a ground."""
    size, path = _PATTERN_TILES[pattern]
    if pattern == "dots":
        shape = element("path", None, d=path, fill=ink, fill_opacity=opacity)
    else:
        shape = element("path", None, d=path, stroke=ink, stroke_width=width, stroke_opacity=opacity)
    box = {"width": size, "height": size}
    return element("pattern", element("rect", None, **box, fill=ground) + shape, id=name, **box, **_TILE_UNITS)


def disorder_steps(disorder: FloatArray, delta_empty: float) -> IntArray:
    """Return the step, 0 to 4, of each disorder; `delta_empty` is the disorder of a unit aligned with nothing.

    Examples
    --------
    >>> disorder_steps(np.array([0.0, 0.1, 0.5, 0.8, 1.0]), 1.0).tolist()
    [0, 1, 2, 3, 4]
    """
    relative = disorder / delta_empty if delta_empty > 0 else disorder
    steps: IntArray = np.where(disorder > 0, 1 + np.searchsorted(_STEP_THRESHOLDS, relative, side="right"), 0)
    return steps


def palette_css() -> str:
    """Return the colours as CSS variables: light, dark if the browser or the page requests it, light in print.

    The page requests a theme with ``data-theme`` of its root, "light" or "dark".

    Examples
    --------
    >>> palette_css().startswith(":root{color-scheme:light;--paper:#ffffff;")
    True
    """
    light, dark = (
        f"color-scheme:{theme};" + "".join(f"--{name}:{getattr(token, theme)};" for name, token in TOKENS.items())
        for theme in Token._fields
    )
    return (
        f":root{{{light}}}\n"
        f"@media screen and (prefers-color-scheme:dark){{:root:not([data-theme=light]){{{dark}}}}}\n"
        f"@media screen{{:root[data-theme=dark]{{{dark}}}}}\n"
    )
