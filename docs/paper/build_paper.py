"""Build the paper: ``python docs/paper/build_paper.py paper.pdf``. It needs the group ``paper`` and the extra ``plot``.

The second figure is drawn from the tables of results. Measured figures in the text are links to these tables, which the
documentation checks; the PDF has their numbers without the links.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import figures
import pypandoc
import typst
from matplotlib.axes import Axes
from matplotlib.figure import Figure

FOLDER = Path(__file__).parent
ROOT = FOLDER.parents[1]
PAPER = FOLDER / "paper.md"
RESULTS = ROOT / "tools" / "bench" / "results"


def draw_results(path: Path) -> None:
    """Draw CPU seconds beside those of pygamma-agreement, and the coverage of intervals over documents."""
    plot = Figure(figsize=(7, 2.6), layout="constrained")
    times, coverage = plot.subplots(1, 2)
    _draw_times(times)
    _draw_coverage(coverage)
    plot.savefig(path)


def rows_below(page: str, heading: str) -> list[dict[str, str]]:
    """Return the rows of the tables below a heading of a page of results."""
    text = (RESULTS / page).read_text(encoding="utf-8")
    return [row.cells for row in figures.table_rows(text) if row.heading == heading]


def _draw_times(axes: Axes) -> None:
    ours = {row["case"]: float(row["CPU s"]) for row in rows_below("gamma.md", "# γ, whole processes")}
    peers = [row for row in rows_below("gamma.md", "## Beside pygamma-agreement") if row["mode"] == "exact"]
    peers = [row for row in peers if not row["case"].startswith("llm_span")]  # both were stopped
    names = [row["case"] for row in peers]
    axes.semilogy(names, [ours[name] for name in names], "o", label="gamma_align")
    for stopped, marker, label in ((False, "s", "pygamma-agreement"), (True, "^", "stopped")):
        chosen = [row for row in peers if row["CPU s"].startswith(">") == stopped]
        seconds = [float(row["CPU s"].lstrip("> ")) for row in chosen]
        chosen_names = [row["case"] for row in chosen]
        axes.semilogy(chosen_names, seconds, marker, color="C1", mfc="none" if stopped else None, label=label)
    axes.set_ylabel("CPU s")
    axes.tick_params(axis="x", rotation=40, labelsize=7)
    axes.legend(fontsize=7)


def _draw_coverage(axes: Axes) -> None:
    rows = rows_below("coverage.md", "## Real populations, all together")
    for method, label in (("before", "plain jackknife"), ("now", "gamma_align")):
        chosen = [row for row in rows if row["method"] == method]
        counts, shares = ([float(row[name]) for row in chosen] for name in ("documents", "mean coverage"))
        axes.semilogx(counts, shares, "o-", label=label, color="C1" if method == "before" else "C0")
    axes.axhline(0.95, color="grey", linewidth=0.8)
    axes.set_xticks(counts, [f"{count:.0f}" for count in counts], minor=False)
    axes.minorticks_off()
    axes.set_xlabel("documents")
    axes.set_ylabel("mean coverage")
    axes.legend(fontsize=7)


def typst_source() -> str:
    """Return the paper as a Typst document; measured figures are no links."""
    text = PAPER.read_text(encoding="utf-8")
    text = figures.LINK.sub(lambda match: match["shown"], text)
    text = text.replace("](../pictures/front.svg)", "](front.svg)")
    arguments = ["--standalone", "--citeproc", f"--resource-path={FOLDER}"]
    # Pandoc reads the bibliography of the header relative to the folder that it runs in.
    text = text.replace("[../../gamma_align/", f"[{ROOT.as_posix()}/gamma_align/")
    text = text.replace("others.bib]", f"{FOLDER.as_posix()}/others.bib]")
    return pypandoc.convert_text(text, "typst", format="markdown", extra_args=arguments)


def build(target: Path) -> None:
    """Write the paper as a PDF."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        draw_results(folder / "results.svg")
        (folder / "front.svg").write_bytes((ROOT / "docs" / "pictures" / "front.svg").read_bytes())
        (folder / "paper.typ").write_text(typst_source(), encoding="utf-8")
        target.write_bytes(typst.compile(folder / "paper.typ"))


if __name__ == "__main__":
    build(Path(sys.argv[1]))
