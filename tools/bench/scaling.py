"""How cost grows: with units per annotator, with annotators, with documents; curves, slopes, a page and a drawing.

Run it with the Python gamma_align is installed for, and matplotlib; see README.md next to it.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import processes
import table

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
NOISE = 0.3
UNITS = (10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000)
ANNOTATORS = (2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20)
DOCUMENTS = (1, 3, 10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 80_000)
FEW = 6  # units of the reference of a small document
SAMPLES = 30
MEANT = 1.15  # the slope to stay within


@dataclass
class Curve:
    """CPU seconds and peak memory by size; the slope is fitted from a size on where fixed costs no longer count."""

    name: str
    panel: str  # "units", "annotators" or "documents"
    sizes: tuple[int, ...]
    fit_from: int | None
    commands: list[list[str]] = field(default_factory=list)
    points: list[dict[str, Any]] = field(default_factory=list)
    stopped: str = ""
    failed: bool = False

    @property
    def seconds(self) -> list[float]:
        return [min(point["cpu"]) for point in self.points]

    @property
    def slope(self) -> float | None:
        """Least squares on log-log."""
        if self.fit_from is None:
            return None
        pairs = [(p["size"], s) for p, s in zip(self.points, self.seconds, strict=True) if p["size"] >= self.fit_from]
        return float(np.polyfit(*np.log(np.array(pairs).T), 1)[0]) if len(pairs) > 1 else None

    @property
    def steepest(self) -> float | None:
        """The steepest step between two neighbours among the points fitted."""
        pairs = zip(self.points, self.seconds, strict=True)
        fitted = [(p["size"], s) for p, s in pairs if self.fit_from and p["size"] >= self.fit_from]
        return max((np.log(d / b) / np.log(c / a) for (a, b), (c, d) in pairwise(fitted)), default=None)


def curves() -> list[Curve]:
    found = [
        Curve(f"{n} annotators", "units", UNITS, 1000, [[str(n), str(m), str(NOISE)] for m in UNITS])
        for n in (2, 3, 5, 8)
    ]
    of = [[str(n), "30", str(NOISE)] for n in ANNOTATORS]
    found.append(Curve("30 units each", "annotators", ANNOTATORS, None, of))
    few = [["3", str(FEW), str(NOISE), f"--documents={number}"] for number in DOCUMENTS]
    found.append(Curve("alignments alone", "documents", DOCUMENTS, 1000, few))
    chance = [[*one, f"--samples={SAMPLES}"] for one in few]
    found.append(Curve(f"γ, {SAMPLES} samples", "documents", DOCUMENTS, 1000, chance))
    return found


def main() -> int:
    arguments = _parser().parse_args()
    import matplotlib as mpl

    mpl.use("svg")
    load, sources, chosen = [os.getloadavg()[0]], [table.sources(ROOT)], curves()
    for curve in chosen:
        _measure(curve, arguments)
    load.append(os.getloadavg()[0])
    sources.append(table.sources(ROOT))
    arguments.output.mkdir(parents=True, exist_ok=True)
    _draw(chosen, arguments.output / "scaling.svg")
    table.write(arguments.output / "scaling.md", _page(chosen, arguments, load, sources))
    return 1 if any(curve.failed for curve in chosen) else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description="Measure how cost grows; write scaling.md and scaling.svg (needs matplotlib).",
        epilog="exit codes: 0 every process ended well, 1 one did not; time is never judged",
    )
    parser.add_argument(
        "--longest", type=float, default=60.0, metavar="SECONDS", help="stop a curve above so much CPU (default: 60)"
    )
    parser.add_argument("--note", action="append", default=[], help="a remark for the page, say on other load")
    parser.add_argument("-o", "--output", type=Path, default=HERE / "results", metavar="FOLDER")
    return parser


def _measure(curve: Curve, arguments: argparse.Namespace) -> None:
    """Measure each size in a process of its own, up to the first that takes too long."""
    for size, options in zip(curve.sizes, curve.commands, strict=True):
        command = [sys.executable, str(HERE / "solve_run.py"), *options, "--enough=1"]
        done = processes.run(command, HERE, wall_limit=20 * arguments.longest)
        if done.code:
            curve.failed = not done.stopped
            curve.stopped = f"**failed** at {size:,}" if curve.failed else f"stopped at {size:,}"
            return
        curve.points.append({**json.loads(done.stdout), "size": size, "peak": done.peak})
        cost = min(curve.points[-1]["cpu"])
        print(f"{curve.panel}, {curve.name}, {size:,}: {cost:.4f} s", file=sys.stderr, flush=True)
        if cost > arguments.longest and size != curve.sizes[-1]:
            curve.stopped = f"not above {size:,}, which took over {arguments.longest:g} s"
            return


def _draw(chosen: list[Curve], path: Path) -> None:
    import matplotlib.pyplot as plt
    from matplotlib.ticker import FuncFormatter

    plt.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "gamma_align", "font.size": 9})
    figure, panels = plt.subplots(1, 3, figsize=(11, 3.8), layout="constrained", sharey=True)
    titles = {
        "units": "one alignment, by units per annotator",
        "annotators": "one alignment, by annotators",
        "documents": f"3 annotators × {FEW} units, by documents",
    }
    for axes, (panel, title) in zip(panels, titles.items(), strict=True):
        for curve in (one for one in chosen if one.panel == panel and one.points):
            label = curve.name + ("" if curve.slope is None else f" (slope {curve.slope:.2f})")
            axes.plot([point["size"] for point in curve.points], curve.seconds, marker="o", markersize=3, label=label)
        axes.set(xscale="log", yscale="log", title=title)
        axes.grid(visible=True, which="major", linewidth=0.3)
        axes.legend(frameon=False, fontsize=8)
    panels[0].set(xlabel="units of the reference", ylabel="CPU seconds")
    panels[1].set(xlabel="annotators", xticks=[2, 3, 5, 10, 20])
    panels[1].xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    panels[1].minorticks_off()
    panels[2].set(xlabel="documents")
    figure.savefig(path, metadata={"Date": None, "Creator": None})
    plt.close(figure)


def _page(chosen: list[Curve], arguments: argparse.Namespace, load: list[float], sources: list[str]) -> str:
    how = "best of up to five runs, each size a process of its own"
    lines = ["# Growth", "", *table.about(arguments, load, sources, how)]
    lines += [*(f"- {note}" for note in arguments.note), "", "![CPU seconds by size](scaling.svg)", ""]
    head = ("curve", "sizes", "slope", "steepest step", f"slope ≤ {MEANT:g}", "remark")
    lines += [table.line(head), table.line(["---", "---", "---:", "---:", "---", "---"])]
    lines += [table.line(_slopes(curve)) for curve in chosen]
    for curve in chosen:
        lines += ["", f"## {curve.name}, by {curve.panel}", ""]
        lines += [table.line((curve.panel, "units in all", "CPU s", "peak MB", "proven"))]
        lines += [table.line(["---:"] * 4 + ["---"])]
        lines += [table.line(_cells(point)) for point in curve.points]
    return "\n".join([*lines, "", "How to read this: [README](../README.md#growth).", ""])


def _slopes(curve: Curve) -> list[str]:
    sizes = f"{curve.points[0]['size']:,}–{curve.points[-1]['size']:,}" if curve.points else "–"
    slope, steepest = curve.slope, curve.steepest
    if slope is None or steepest is None:
        return [f"{curve.name}, by {curve.panel}", sizes, "", "", "", curve.stopped]
    kept = "yes" if slope <= MEANT else "**no**"
    return [f"{curve.name}, by {curve.panel}", sizes, f"{slope:.2f}", f"{steepest:.2f}", kept, curve.stopped]


def _cells(point: dict[str, Any]) -> list[str]:
    proven = "yes" if point["proven"] else f"gap {point['gap']:.2%}"
    return [f"{point['size']:,}", f"{point['units']:,}", f"{min(point['cpu']):.4f}", f"{point['peak']:.0f}", proven]


if __name__ == "__main__":
    raise SystemExit(main())
