"""How often intervals of coefficients on items hold the true value; see README.md next to it.

Tables are drawn from models of coders whose true value is known from a table of very many items. Every kind of interval
is asked for, on every table, of the coefficients it is defined for.
"""

from __future__ import annotations

import argparse
import datetime as dt
import os
import platform
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np
import table

import gamma_align as ga

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SIZES = (5, 10, 20, 40, 60)
KINDS = ("jackknife", "linearised", "bootstrap", "fce", "pairs")
TRUE_ITEMS = 500_000


@dataclass(frozen=True)
class Model:
    """Coders who give an item's true category with probability `right`, and else what `others` says."""

    name: str
    coders: int
    shares: tuple[float, ...]
    right: float
    distance: str = "nominal"
    missing: float = 0.0
    hard: float = 0.0  # share of items on which all coders guess
    coefficients: tuple[str, ...] = ("alpha", "kappa")

    def draw(self, items: int, draw: np.random.Generator) -> ga.ItemTable:
        """Return a table of so many items."""
        size, shape = len(self.shares), (items, self.coders)
        true = draw.choice(size, size=(items, 1), p=self.shares)
        sure = draw.random(shape) < np.where(draw.random((items, 1)) < self.hard, 0.0, self.right)
        other = draw.choice(size, size=shape, p=self.shares)
        if self.distance != "nominal":  # most mistakes are by one step
            near = np.clip(true + draw.choice([-1, 1], size=shape), 0, size - 1)
            other = np.where(draw.random(shape) < 0.15, other, near)
        codes = np.where(sure, true, other)
        codes[draw.random(shape) < self.missing] = -1
        names = tuple(map(str, range(1, self.coders + 1)))
        return ga.ItemTable(codes.astype(np.int8), names, tuple(map(str, range(1, size + 1))), declared=True)

    def kinds(self, name: str) -> tuple[str, ...]:
        """Return the kinds of interval that a coefficient has."""
        fce = name == "kappa" and self.coders == 2 and self.missing == 0
        return tuple(kind for kind in KINDS if {"fce": fce, "pairs": name == "alpha"}.get(kind, True))


EVEN, UNEVEN, THREE, FOUR, FIVE = (
    (0.5, 0.5),
    (0.85, 0.15),
    (0.5, 0.3, 0.2),
    (0.4, 0.3, 0.2, 0.1),
    (0.1, 0.25, 0.3, 0.2, 0.15),
)
EVERY = ("alpha", "pi", "kappa", "s", "ac1", "observed")
MODELS = (
    Model("2 coders, 2 categories", 2, EVEN, 0.6),
    Model("2 coders, 2 uneven categories", 2, UNEVEN, 0.84, coefficients=EVERY),
    Model("2 coders, 4 categories", 2, FOUR, 0.95),
    Model("3 coders, 3 categories", 3, THREE, 0.7, coefficients=EVERY),
    Model("3 coders, 4 categories, 30 % missing", 3, FOUR, 0.95, missing=0.3, coefficients=EVERY),
    Model("5 coders, 4 categories, hard items", 5, FOUR, 0.95, hard=0.1),
    Model("5 coders, 3 categories, 20 % missing", 5, THREE, 0.5, missing=0.2),
    Model("3 coders, 3 categories, 60 % missing", 3, THREE, 0.9, missing=0.6, coefficients=("alpha", "pi", "kappa")),
    Model("5 coders, 2 categories", 5, EVEN, 0.97),
    Model("2 coders, ordinal", 2, FIVE, 0.6, distance="ordinal"),
    Model("3 coders, ordinal", 3, FIVE, 0.9, distance="ordinal"),
    Model("5 coders, ordinal, 20 % missing", 5, FIVE, 0.3, distance="ordinal", missing=0.2),
    Model("2 coders, interval", 2, FIVE, 0.9, distance="interval"),
)


@dataclass
class Cell:
    """What intervals of one kind, of one coefficient of one model at one number of items, did."""

    model: Model
    coefficient: str
    kind: str
    items: int
    truth: float
    tables: int
    valued: int
    widths: list[float]
    held: int

    @property
    def coverage(self) -> float:
        """The share of intervals that hold the true value."""
        return self.held / len(self.widths) if self.widths else float("nan")


def main() -> int:
    arguments = _parser().parse_args()
    jobs = [
        (at, items, arguments.repetitions, arguments.replicates) for at, items in product(range(len(MODELS)), SIZES)
    ]
    before = table.sources(ROOT)
    with ProcessPoolExecutor(arguments.workers) as pool:
        cells = []
        for found in pool.map(_measured, jobs):
            cells += found
            print(f"{found[0].model.name}, {found[0].items} items", file=sys.stderr, flush=True)
    state = before if before == table.sources(ROOT) else f"**sources changed during the run**: {before}"
    arguments.output.write_text(_page(cells, arguments, state), encoding="utf-8")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Measure what intervals of coefficients on items cover; write a page.")
    parser.add_argument("--repetitions", type=int, default=1000, metavar="N", help="tables a cell (default: 1000)")
    parser.add_argument("--replicates", type=int, default=999, metavar="N", help="of a bootstrap (default: 999)")
    parser.add_argument("--workers", type=int, default=os.cpu_count(), metavar="N", help="processes (default: cores)")
    parser.add_argument("-o", "--output", type=Path, default=HERE / "results" / "coverage_items.md", metavar="FILE")
    return parser


def _measured(job: tuple[int, int, int, int]) -> list[Cell]:
    """Return the cells of one model at one number of items; the same whatever else is measured."""
    at, items, repetitions, replicates = job
    model = MODELS[at]
    draw = np.random.default_rng([2024, at, items])
    large = model.draw(TRUE_ITEMS, np.random.default_rng([2024, at]))
    cells = []
    for name in model.coefficients:
        truth = ga.item_coefficient(large, name, distance=model.distance, interval=None).value
        cells += [Cell(model, name, kind, items, truth, 0, 0, [], 0) for kind in model.kinds(name)]
    for number in range(repetitions):
        drawn = model.draw(items, draw)
        for cell in cells:
            resamples = cell.kind in ("bootstrap", "pairs")
            if resamples and number >= repetitions // 4:
                continue
            _count(cell, drawn, replicates)
    return cells


def _count(cell: Cell, drawn: ga.ItemTable, replicates: int) -> None:
    options = {"distance": cell.model.distance, "interval": cell.kind, "replicates": replicates}
    found = ga.item_coefficient(drawn, cell.coefficient, **options)
    cell.tables += 1
    cell.valued += found.is_available
    if not np.isnan(found.low):
        cell.widths.append(found.high - found.low)
        cell.held += found.low <= cell.truth <= found.high


def _page(cells: list[Cell], arguments: argparse.Namespace, state: str) -> str:
    about = (
        f"- {dt.datetime.now(dt.UTC).date()}; gamma_align ({state}); Python {platform.python_version()}, numpy "
        f"{np.__version__}.\n"
        f"- {arguments.repetitions} tables a cell, a quarter of them for bootstraps, of {arguments.replicates} "
        f"replicates; the true value is that of {TRUE_ITEMS:,} items.\n"
        "- A cell: the share of 95 % intervals that hold the true value; in brackets the median width and, if it is "
        "below 1, for which share of the tables that have a value there is an interval."
    )
    lines = [
        "# What intervals of coefficients on items cover",
        "",
        about,
        "",
        "## All models and coefficients together",
        "",
        *_summary(cells),
    ]
    for kind in KINDS:
        lines += ["", f"## {kind}", "", *_of_kind([cell for cell in cells if cell.kind == kind])]
    return "\n".join([*lines, "", "How to read this: [README](../README.md).", ""])


def _summary(cells: list[Cell]) -> list[str]:
    """Return the lowest, mean and highest coverage of each kind of interval."""
    lines = _head("interval")
    for kind in KINDS:
        row = [kind]
        for items in SIZES:
            found = np.array([cell.coverage for cell in cells if (cell.kind, cell.items) == (kind, items)])
            row.append(f"{np.nanmin(found):.3f} – {np.nanmean(found):.3f} – {np.nanmax(found):.3f}")
        lines.append(_line(row))
    return [*lines, "", "Lowest, mean and highest coverage over models and coefficients."]


def _of_kind(cells: list[Cell]) -> list[str]:
    lines = _head("model", "coefficient", "true")
    rows: dict[tuple[str, str], list[Cell]] = {}
    for cell in cells:
        rows.setdefault((cell.model.name, cell.coefficient), []).append(cell)
    for (model, coefficient), row in rows.items():
        lines.append(_line([model, coefficient, f"{row[0].truth:.3f}", *map(_cell, row)]))
    return lines


def _cell(cell: Cell) -> str:
    if not cell.widths:
        return "–"
    share = len(cell.widths) / cell.valued
    more = f"; {share:.2f}" if share < 0.995 else ""
    return f"{cell.coverage:.3f} ({np.median(cell.widths):.2f}{more})"


def _head(*names: str) -> list[str]:
    head = [*names, *(f"{items} items" for items in SIZES)]
    return [_line(head), _line(["---"] * len(names) + ["---:"] * len(SIZES))]


def _line(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"


if __name__ == "__main__":
    raise SystemExit(main())
