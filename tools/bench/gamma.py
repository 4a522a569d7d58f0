"""What γ costs as a whole process: CPU, wall time and peak memory, on request side by side with pygamma-agreement.

Run it with the Python gamma_align is installed for; see README.md next to it.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

import peer
import processes
import table
from cases import CASES, Case, Row

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SAMPLES = 30
SEED = 1


def main() -> int:
    arguments = _parser().parse_args()
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    chosen = [case for case in CASES if case.name in arguments.cases]
    load, sources = [os.getloadavg()[0]], [table.sources(ROOT)]
    python = peer.prepare(arguments.peer_env) if arguments.peers else None
    rows = []
    for case in chosen:
        with tempfile.TemporaryDirectory(prefix="gamma_align-bench-") as scratch:
            files = _peer_files(case, Path(scratch)) if python else []
            rows.append(_measure(case, python, files, arguments))
    load.append(os.getloadavg()[0])
    sources.append(table.sources(ROOT))
    table.write(arguments.output, table.render(rows, arguments, load=load, sources=sources))
    return 0 if all(row.fine for row in rows) else 1


def _parser() -> argparse.ArgumentParser:
    names = [case.name for case in CASES]
    parser = argparse.ArgumentParser(
        description=f"Measure `gamma-align measure --samples {SAMPLES}` as whole processes; write a Markdown table.",
        epilog="exit codes: 0 every output is right, 1 one is not (the table says which); time is never judged",
    )
    parser.add_argument("--repeat", type=_whole, default=3, metavar="N", help="runs after one warm-up (default: 3)")
    parser.add_argument("--cases", nargs="+", choices=names, default=names, metavar="CASE", help=", ".join(names))
    parser.add_argument("--peers", action="store_true", help=f"{peer.REQUIREMENT} too, in turn with ours")
    parser.add_argument(
        "--peer-timeout", type=_whole, default=120, metavar="SECONDS", help="CPU time a peer has (default: 120)"
    )
    parser.add_argument(
        "--peer-env",
        type=Path,
        metavar="DIR",
        default=Path(tempfile.gettempdir()) / "gamma_align-bench-peer",
        help="the peer's environment, made if not there (default: a folder among temporary files)",
    )
    parser.add_argument("--note", action="append", default=[], help="a remark for the page, say on other load")
    parser.add_argument("-o", "--output", type=Path, default=HERE / "results" / "gamma.md", metavar="FILE")
    return parser


def _whole(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be 1 or more")
    return number


def _measure(case: Case, python: Path | None, files: list[Path], arguments: argparse.Namespace) -> Row:
    """Warm up, then run ours and the peer's in turn; a peer that was stopped or failed is not tried again."""
    row = Row(case)
    _ours(case)
    for number in range(arguments.repeat):
        row.ours.append(_ours(case))
        _say(f"{case.name} {number + 1}/{arguments.repeat}: {_cost(row.ours[-1])}")
        if python and all(run.cost.code == 0 for run in row.theirs):
            row.theirs.append(peer.measure(python, files, SAMPLES, SEED, arguments.peer_timeout))
            _say(f"{case.name} {number + 1}/{arguments.repeat}: peer {_cost(row.theirs[-1].cost)}")
    row.check()
    _say(f"{case.name}: {row.verdict}")
    return row


def _ours(case: Case) -> processes.Run:
    options = ["--samples", str(SAMPLES), "--seed", str(SEED), "--json"]
    return processes.run([sys.executable, "-m", "gamma_align.cli", "measure", str(case.path(ROOT)), *options], ROOT)


def _peer_files(case: Case, scratch: Path) -> list[Path]:
    """Return the case as files of one document: as they are, or written to `scratch`."""
    path = case.path(ROOT)
    if path.is_file():
        return [path]
    done = processes.run([sys.executable, str(HERE / "export_csv.py"), str(path), str(scratch)], ROOT)
    if done.code != 0:
        raise SystemExit(f"{case.name} cannot be written as CSV:\n{done.stderr}")
    return sorted(scratch.glob("*.csv"))


def _cost(run: processes.Run) -> str:
    end = "" if run.code == 0 else f", ended with {run.code}"
    return f"{run.cpu:.2f} s CPU, {run.wall:.2f} s wall, {run.peak:.0f} MB{end}"


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    raise SystemExit(main())
