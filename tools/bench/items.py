"""What coefficients on items cost, side by side with krippendorff, irrCAC and NLTK; see README.md next to it.

Run it with the Python gamma_align is installed for; it makes an environment of their own for the peers.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import os
import platform
import subprocess
import sys
import tempfile
import venv
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import processes
import table

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
REQUIREMENTS = ("krippendorff==0.9.0", "irrCAC==0.4.4", "nltk==3.10.4")
PEERS = ("krippendorff", "irrcac", "nltk")
NAMES = {"krippendorff": "krippendorff", "irrcac": "irrCAC", "nltk": "NLTK"}
WALL_PER_CPU = 6.0
SAME = 1e-9
NOMINAL = {"alpha": PEERS, "ac1": ("irrcac",), "pi": ("irrcac",), "kappa-conger": ("irrcac",), "s": ("irrcac",)}


@dataclass
class Row:
    """One coefficient of one table, by every tool that has it."""

    data: str
    coefficient: str
    distance: str
    cpu_limit: float | None
    peers: tuple[str, ...] = ()
    ours: list[dict[str, Any]] = field(default_factory=list)
    theirs: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def verdict(self) -> str:
        """Whether all values are the same."""
        values = [run["value"] for run in self.ours] + [run["value"] for run in self.theirs.values() if "value" in run]
        if len(values) < len(self.ours) or not self.ours:
            return "ours failed"
        if len(values) == len(self.ours):
            return "ours alone"
        return "same" if max(values) - min(values) <= SAME else "**differ**"


def rows() -> list[Row]:
    big, small = "1,000,000 × 5, 10 categories, 10 % missing", "100,000 × 5, 10 categories, 10 % missing"
    found = [Row(small, "alpha", "nominal", None, PEERS)]
    found += [Row(big, name, "nominal", 1.0, peers) for name, peers in NOMINAL.items()]
    found += [Row(big, "kappa", "nominal", 1.0), Row(big, "kappa-mean", "nominal", 1.0)]
    found += [Row(big, f"{name}+interval", "nominal", None) for name in ("alpha", "kappa")]
    found += [Row(big, "alpha", distance, 1.0, ("krippendorff",)) for distance in ("interval", "ordinal")]
    found += [Row("100 × 2, 200 distinct values", "alpha", d, None, ("krippendorff",)) for d in ("interval", "ordinal")]
    found += [
        Row("500,000 × 2, 1,000,000 distinct values", "alpha", d, 2.0, ("krippendorff",))
        for d in ("interval", "ordinal")
    ]
    return found


def data_of(name: str) -> Any:  # noqa: ANN401
    """Return the table: coders who give the true category 6 times out of 10, or values with an error."""
    draw = np.random.default_rng(1)
    items, coders = (int(part.replace(",", "")) for part in name.split(", ", maxsplit=1)[0].split(" × "))
    if "distinct" in name:
        return draw.normal(size=(items, 1)) + draw.normal(scale=0.3, size=(items, coders))
    true = draw.integers(1, 11, size=(items, 1))
    given = np.where(draw.random((items, coders)) < 0.6, true, draw.integers(1, 11, size=(items, coders)))
    given = given.astype(float)
    given[draw.random(given.shape) < 0.1] = np.nan
    return given


def main() -> int:
    arguments = _parser().parse_args()
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    python = _prepared(arguments.peer_env)
    load, sources = [os.getloadavg()[0]], [table.sources(ROOT)]
    found = rows()
    with tempfile.TemporaryDirectory(prefix="gamma_align-bench-") as scratch:
        files = {}
        for at, name in enumerate(dict.fromkeys(row.data for row in found)):
            files[name] = Path(scratch) / f"{at}.npy"
            np.save(files[name], data_of(name))
        for row in found:
            _measure(row, files[row.data], python, arguments)
    load.append(os.getloadavg()[0])
    sources.append(table.sources(ROOT))
    arguments.output.write_text(_page(found, arguments, load, sources), encoding="utf-8")
    _say(f"written: {arguments.output.name}")
    return 0 if all(row.verdict in ("same", "ours alone") for row in found) else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description="Measure coefficients on items beside peers, each in a process of its own; write a Markdown table.",
        epilog="exit codes: 0 all tools give the same values, 1 they do not (the table says where)",
    )
    parser.add_argument("--repeat", type=int, default=3, metavar="N", help="runs of ours (default: 3)")
    parser.add_argument(
        "--peer-timeout", type=int, default=120, metavar="SECONDS", help="CPU time a peer has (default: 120)"
    )
    parser.add_argument(
        "--peer-env",
        type=Path,
        metavar="DIR",
        default=Path(tempfile.gettempdir()) / "gamma_align-bench-items-peers",
        help="the peers' environment, made if not there (default: a folder among temporary files)",
    )
    parser.add_argument("--note", action="append", default=[], help="a remark for the page, say on other load")
    parser.add_argument("-o", "--output", type=Path, default=HERE / "results" / "items.md", metavar="FILE")
    return parser


def _prepared(folder: Path) -> Path:
    """Return the Python of the peers' environment, which is made if it is not there."""
    python = folder / "bin" / "python"
    check = [str(python), "-c", "import krippendorff, irrCAC.raw, nltk.metrics.agreement"]
    if not python.exists() or subprocess.run(check, capture_output=True, check=False).returncode:
        _say(f"making an environment for {', '.join(REQUIREMENTS)}")
        venv.create(folder, clear=True, with_pip=True)
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", *REQUIREMENTS], check=True)
    return python


def _measure(row: Row, file: Path, python: Path, arguments: argparse.Namespace) -> None:
    for _ in range(arguments.repeat):
        done = _run(sys.executable, "ours", row, file, None)
        if "value" in done:
            row.ours.append(done)
    for peer in row.peers:
        row.theirs[peer] = _run(str(python), peer, row, file, arguments.peer_timeout)
    _say(f"{row.data}, {row.coefficient} {row.distance}: {row.verdict}")


def _run(python: str, tool: str, row: Row, file: Path, limit: int | None) -> dict[str, Any]:
    """Return what one process says, or how it ended."""
    more = [] if limit is None else ["--cpu-limit", str(limit)]
    command = [python, str(HERE / "items_run.py"), tool, str(file), row.coefficient, row.distance, *more]
    done = processes.run(command, HERE, wall_limit=None if limit is None else limit * WALL_PER_CPU)
    if done.code == 0:
        return dict(json.loads(done.stdout))
    if done.stopped:
        return {"end": f"> {limit} s"}
    return {"end": "memory error" if "MemoryError" in done.stderr else "failed"}


def _page(found: list[Row], arguments: argparse.Namespace, load: list[float], sources: list[str]) -> str:
    head = ["table", "coefficient", "CPU s", "limit", "MB", "value"]
    head += [f"{NAMES[peer]} {what}" for peer in PEERS for what in ("CPU s", "MB", "ratio")] + ["values"]
    lines = ["# Coefficients on items", "", *_about(found, arguments, load, sources), ""]
    lines += [_line(head), _line(["---", "---"] + ["---:"] * (len(head) - 3) + ["---"])]
    lines += [_line(_cells(row)) for row in found]
    return "\n".join([*lines, "", "How to read this: [README](../README.md).", ""])


def _about(found: list[Row], arguments: argparse.Namespace, load: list[float], sources: list[str]) -> list[str]:
    versions = {}
    for row in found:
        versions |= {NAMES[peer]: run["version"] for peer, run in row.theirs.items() if "version" in run}
    told = ", ".join(f"{name} {version}" for name, version in versions.items())
    state = sources[0] if sources[0] == sources[1] else f"**sources changed during the run**: {sources}"
    return [
        f"- {dt.datetime.now(dt.UTC).date()}; gamma_align ({state}); ours is the median of {arguments.repeat}.",
        f"- {os.cpu_count()} cores, {platform.system()}; Python {platform.python_version()}, numpy {np.__version__}.",
        f"- Peers: {told}; one run each, stopped after {arguments.peer_timeout} s of CPU.",
        f"- Load average {load[0]:.1f} before and {load[1]:.1f} after.",
        *(f"- {note}" for note in arguments.note),
    ]


def _cells(row: Row) -> list[str]:
    name, _, more = row.coefficient.partition("+")
    what = name if row.distance == "nominal" else f"{name}, {row.distance}"
    cells = [row.data, what + (" with jackknife interval" if more else "")]
    if not row.ours:
        return [*cells, *["failed"] * 4, *["–"] * 9, row.verdict]
    cpu = median(run["cpu"] for run in row.ours)
    limit = "" if row.cpu_limit is None else f"{row.cpu_limit:g}"
    cells += [f"{cpu:.3f}", limit, f"{median(run['peak'] for run in row.ours):.0f}", f"{row.ours[0]['value']:.6f}"]
    for peer in PEERS:
        run = row.theirs.get(peer)
        if run is None:
            cells += ["–"] * 3
        elif "end" in run:
            cells += [run["end"], "–", "–"]
        else:
            cells += [f"{run['cpu']:.2f}", f"{run['peak']:.0f}", f"{run['cpu'] / cpu:.0f}"]
    return [*cells, row.verdict]


def _line(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    raise SystemExit(main())
