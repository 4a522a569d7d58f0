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

if TYPE_CHECKING:
    import argparse

    from cases import Row
    from peer import PeerRun

OURS = ("case", "annotators", "units", "CPU s", "(min–max)", "limit", "wall s", "peak MB", "observed")
THEIRS = ("peer CPU s", "of it γ", "peer peak MB", "ratio", "ratio, γ alone", "peer observed")


def render(rows: list[Row], arguments: argparse.Namespace, *, load: list[float], sources: list[str]) -> str:
    """Return the page."""
    head = (*OURS, *(THEIRS if arguments.peers else ()), "output")
    lines = ["# γ, whole processes", "", *_about(rows, arguments, load, sources), ""]
    lines += [line(head), line(["---"] + ["---:"] * (len(head) - 2) + ["---"])]
    for row in rows:
        cells = [*_ours(row), *(_theirs(row) if arguments.peers else ())]
        lines.append(line([*cells, row.verdict]))
    return "\n".join([*lines, "", "How to read this: [README](../README.md).", ""])


def line(cells: list[str] | tuple[str, ...]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _ours(row: Row) -> list[str]:
    counts = sorted({entry["annotators"] for entry in row.documents})
    cpu = [run.cpu for run in row.ours]
    return [
        row.case.name,
        "–".join(str(count) for count in dict.fromkeys([*counts[:1], *counts[-1:]])),
        str(sum(entry["units"] for entry in row.documents)),
        f"{median(cpu):.2f}",
        f"{min(cpu):.2f}–{max(cpu):.2f}",
        f"{row.case.limit:g}",
        f"{median(run.wall for run in row.ours):.2f}",
        f"{median(run.peak for run in row.ours):.0f}",
        _observed([entry["observed"] for entry in row.documents], len(row.documents)),
    ]


def _theirs(row: Row) -> list[str]:
    failed = [run for run in row.theirs if run.cost.code != 0]
    if any(not run.cost.stopped for run in failed):
        return ["failed", *["–"] * (len(THEIRS) - 1)]
    runs = failed or row.theirs
    more = "> " if failed else ""
    ours = median(run.cpu for run in row.ours)
    cpu = median(run.cost.cpu for run in runs)
    alone = median(run.gamma_cpu for run in runs)
    return [
        f"{more}{cpu:.1f}",
        f"{more}{alone:.1f}",
        f"{more}{median(run.cost.peak for run in runs):.0f}",
        f"{more}{cpu / ours:.0f}",
        f"{more}{alone / ours:.0f}",
        _observed([entry["observed"] for entry in runs[0].documents], len(row.documents)),
    ]


def _observed(values: list[float], documents: int) -> str:
    """Return the value, or for several documents the mean if all are there and their number otherwise."""
    if len(values) < documents or not values:
        return f"{len(values)} of {documents} documents" if documents > 1 else "–"
    return f"{fmean(values):.6f}" + (f" (mean of {documents})" if documents > 1 else "")


def _about(rows: list[Row], arguments: argparse.Namespace, load: list[float], sources: list[str]) -> list[str]:
    runs = [run for row in rows for run in row.theirs]
    return [*about(arguments, load, sources), *_about_peer(runs, arguments), *(f"- {note}" for note in arguments.note)]


def about(arguments: argparse.Namespace, load: list[float], sources: list[str]) -> list[str]:
    """Return when, with what and on which machine it was measured."""
    today = dt.datetime.now(dt.UTC).date()
    ours = f"gamma_align {metadata.version('gamma-align')}{_state(sources)}"
    packages = ", ".join(f"{name} {metadata.version(name)}" for name in ("numpy", "scipy", "ortools"))
    cores = os.cpu_count()
    return [
        f"- {today}; {ours}; median of {arguments.repeat} after one warm-up.",
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
    return [f"- Peer: {found}; solver {solvers}; exact mode, shuffle sampler; {how}."]


def _state(sources: list[str]) -> str:
    first, last = sources[0], sources[-1]
    if first == last:
        return f" ({first})"
    return f" (**its sources changed during the run**: {first} before, {last} after)"


def sources(root: Path) -> str:
    """Return which sources are measured: the commit, whether they differ from it, and a digest of what they are."""
    digest = hashlib.sha256()
    for path in sorted((root / "gamma_align").rglob("*.py")):
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
