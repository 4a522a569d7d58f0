"""The page: a table of what was measured, on which machine, and how to read it."""

from __future__ import annotations

import datetime as dt
import hashlib
import os
import platform
import subprocess
import sys
import tempfile
from importlib import metadata
from pathlib import Path
from statistics import fmean, median
from typing import TYPE_CHECKING

from peer import MODES

from gamma_align import kernels

if TYPE_CHECKING:
    import argparse

    from cases import Row
    from peer import PeerRun

_KERNELS = {kernels.COMPILED: "compiled kernels", kernels.PLAIN: "plain Python kernels"}
MEMORY = 300  # MB, what the peak is to stay within
OURS = ("case", "annotators", "units", "CPU s", "(min–max)", "limit", "wall s", "peak MB", "limits kept")
OURS += ("proven", "observed", "output")
THEIRS = ("case", "mode", "CPU s", "of it γ", "wall s", "peak MB", "ratio", "ratio, γ alone", "observed", "above ours")


def render(rows: list[Row], arguments: argparse.Namespace, *, load: list[float], sources: list[str]) -> str:
    """Return the page."""
    lines = ["# γ, whole processes", "", *_about(rows, arguments, load, sources), ""]
    lines += [line(OURS), line(["---"] + ["---:"] * (len(OURS) - 2) + ["---"])]
    lines += [line(_ours(row)) for row in rows]
    if arguments.peers:
        lines += ["", "## Beside pygamma-agreement", "", line(THEIRS)]
        lines += [line(["---", "---"] + ["---:"] * (len(THEIRS) - 2))]
        lines += [line(_theirs(row, mode)) for row in rows if row.theirs for mode in MODES]
    return "\n".join([*lines, "", "How to read this: [README](../README.md).", ""])


def line(cells: list[str] | tuple[str, ...]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _ours(row: Row) -> list[str]:
    counts = sorted({entry["annotators"] for entry in row.documents})
    cpu = [run.cpu for run in row.ours]
    peak = median(run.peak for run in row.ours)
    return [
        row.case.name,
        "–".join(str(count) for count in dict.fromkeys([*counts[:1], *counts[-1:]])),
        str(sum(entry["units"] for entry in row.documents)),
        f"{median(cpu):.2f}",
        f"{min(cpu):.2f}–{max(cpu):.2f}",
        f"{row.case.limit:g}",
        f"{median(run.wall for run in row.ours):.2f}",
        f"{peak:.0f}",
        "yes" if median(cpu) <= row.case.limit and peak <= MEMORY else "**no**",
        f"gap {row.gap:.2%}" if row.gap else "yes",
        _observed([entry["gamma"]["observed"] for entry in row.documents], len(row.documents)),
        row.verdict,
    ]


def _theirs(row: Row, mode: str) -> list[str]:
    runs = [run for run in row.theirs if run.mode == mode]
    failed = [run for run in runs if run.cost.code != 0]
    if any(not run.cost.stopped for run in failed):
        what = "memory error" if failed[-1].no_memory else "failed"
        return [row.case.name, mode, f"{what} after {failed[-1].cost.cpu:.1f}", *["–"] * (len(THEIRS) - 3)]
    runs = failed or runs
    more = "> " if failed else ""
    ours = median(run.cpu for run in row.ours)
    cpu = median(run.cost.cpu for run in runs)
    alone = median(run.gamma_cpu for run in runs)
    found = [entry["observed"] for entry in runs[0].documents]
    return [
        row.case.name,
        mode,
        f"{more}{cpu:.1f}",
        f"{more}{alone:.1f}",
        f"{more}{median(run.cost.wall for run in runs):.1f}",
        f"{more}{median(run.cost.peak for run in runs):.0f}",
        f"{more}{cpu / ours:.0f}",
        f"{more}{alone / ours:.0f}",
        _observed(found, len(row.documents)),
        _above(found, [entry["gamma"]["observed"] for entry in row.documents]),
    ]


def _above(theirs: list[float], ours: list[float]) -> str:
    """Return by how much the mean disorder is above ours, to the digits that single precision has."""
    if len(theirs) < len(ours):
        return "–"
    return f"{max(0.0, fmean(theirs) / fmean(ours) - 1.0):.3%}"


def _observed(values: list[float], documents: int) -> str:
    """Return the value, or for several documents the mean if all are there and their number otherwise."""
    if len(values) < documents or not values:
        return f"{len(values)} of {documents} documents" if documents > 1 else "–"
    return f"{fmean(values):.6f}" + (f" (mean of {documents})" if documents > 1 else "")


def _about(rows: list[Row], arguments: argparse.Namespace, load: list[float], sources: list[str]) -> list[str]:
    runs = [run for row in rows for run in row.theirs]
    how = f"median of {arguments.repeat} after one warm-up, one run where it takes over ten seconds"
    peak = f"- 30 samples a document; peak memory is to stay within {MEMORY} MB."
    notes = [f"- {note}" for note in arguments.note]
    return [*about(arguments, load, sources, how), peak, *_about_peer(runs, arguments), *notes]


def about(arguments: argparse.Namespace, load: list[float], sources: list[str], how: str | None = None) -> list[str]:
    """Return when, with what, on which machine and how it was measured."""
    today = dt.datetime.now(dt.UTC).date()
    ours = f"gamma_align {metadata.version('gamma-align')}, {_KERNELS[kernels.kind()]}{_state(sources)}"
    packages = ", ".join(f"{name} {metadata.version(name)}" for name in ("numpy", "scipy", "ortools"))
    cores = os.cpu_count()
    return [
        f"- {today}; {ours}; {how or f'median of {arguments.repeat} after one warm-up'}.",
        f"- {cores} cores, {_processor()}, {platform.system()}; Python {platform.python_version()}, {packages}.",
        f"- Load average {load[0]:.1f} before and {load[1]:.1f} after; ours is 1 of it.",
    ]


def _about_peer(runs: list[PeerRun], arguments: argparse.Namespace) -> list[str]:
    versions = next((run.about["versions"] for run in runs if run.about), None)
    if versions is None:
        return []
    solvers = "; ".join(sorted({run.solver for run in runs}))
    found = ", ".join(f"{name} {version}" for name, version in versions.items() if version)
    limit = f"stopped after {arguments.peer_timeout} s of CPU and not run again then"
    how = f"in turn with ours, up to {os.cpu_count()} of the load, {limit}"
    return [f"- Peer: {found}; solver {solvers}; exact and fast mode, shuffle sampler; {how}."]


def _state(sources: list[str]) -> str:
    first, last = sources[0], sources[-1]
    if first == last:
        return f" ({first})"
    return f" (**its sources changed during the run**: {first} before, {last} after)"


def sources(root: Path) -> str:
    """Return which sources are measured: the commit, whether they differ from it, and a digest of what they are."""
    digest = hashlib.sha256()
    for path in sorted(path for kind in ("*.py", "*.hpp", "*.cpp") for path in (root / "gamma_align").rglob(kind)):
        digest.update(path.read_bytes())
    return f"{_commit(root)}sources {digest.hexdigest()[:8]}"


def _commit(root: Path) -> str:
    """Return the last commit that touched the package, so that one of tests or pages alone changes nothing."""
    git = ["git", "-C", str(root)]
    try:
        head = subprocess.check_output([*git, "log", "-1", "--format=%h", "--", "gamma_align"], text=True)
        changes = subprocess.check_output([*git, "status", "--porcelain", "--", "gamma_align"], text=True)
    except (OSError, subprocess.CalledProcessError):
        return ""
    return f"commit {head.strip()}{' with changes' if changes.strip() else ''}, "


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def of_numbers(head: list[str], rows: list[list[str]]) -> str:
    """Return a table with names in its first column and numbers in the others."""
    return "\n".join([line(head), line(["---"] + ["---:"] * (len(head) - 1)), *map(line, rows), ""])


def put(text: str, output: Path | None) -> None:
    """Write a page where that was asked for, and print it where not."""
    if output is None:
        print(text)
    else:
        write(output, text)


def write(path: Path, text: str) -> None:
    """Write all or nothing."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    print(f"written: {path.name}", file=sys.stderr, flush=True)
