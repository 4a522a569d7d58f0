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
LONG = 10.0  # CPU seconds above which a run is not repeated


def main() -> int:
    arguments = _parser().parse_args()
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    chosen = [case for case in CASES if case.name in arguments.cases]
    load, sources = [os.getloadavg()[0]], [table.sources(ROOT)]
    python = peer.prepare(arguments.peer_env) if arguments.peers else None
    rows = []
    for case in chosen:
        with tempfile.TemporaryDirectory(prefix="gamma_align-bench-") as scratch:
            path = _made(case, Path(scratch))
            files = _peer_files(case, path, Path(scratch)) if python and case.peers else []
            rows.append(_measure(case, path, python if case.peers else None, files, arguments))
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


def _measure(case: Case, path: Path, python: Path | None, files: list[Path], arguments: argparse.Namespace) -> Row:
    """Warm up, then run ours and the peer's in turn; what is long, was stopped or failed, not again."""
    row, first = Row(case), _ours(path)
    _say(f"{case.name}: {_cost(first)}")
    if first.cpu > LONG:
        row.ours.append(first)
    for number in range(arguments.repeat):
        if first.cpu <= LONG:
            row.ours.append(_ours(path))
        for mode in peer.MODES if python else ():
            if all(run.cost.code == 0 and run.cost.cpu <= LONG for run in row.theirs if run.mode == mode):
                row.theirs.append(peer.measure(python, files, SAMPLES, SEED, arguments.peer_timeout, mode))
                _say(f"{case.name} {number + 1}/{arguments.repeat}: peer, {mode}: {_cost(row.theirs[-1].cost)}")
    row.check()
    _say(f"{case.name}: {row.verdict}")
    return row


def _ours(path: Path) -> processes.Run:
    options = ["--samples", str(SAMPLES), "--seed", str(SEED), "--json"]
    return processes.run([sys.executable, "-P", "-m", "gamma_align.apps.cli", "measure", str(path), *options], ROOT)


def _made(case: Case, scratch: Path) -> Path:
    """Return where the case is, which is made first if it does not come with the package."""
    path = case.path(ROOT, scratch)
    if case.made_by:
        script, *rest = case.made_by
        _done(case, [sys.executable, str(HERE / script), str(path), *rest])
    return path


def _peer_files(case: Case, path: Path, scratch: Path) -> list[Path]:
    """Return the case as files of one document: as they are, or written to `scratch`."""
    if path.is_file():
        return [path]
    folder = scratch / "peer"
    folder.mkdir()
    _done(case, [sys.executable, str(HERE / "export_csv.py"), str(path), str(folder)])
    return sorted(folder.glob("*.csv"))


def _done(case: Case, command: list[str]) -> None:
    done = processes.run(command, ROOT)
    if done.code != 0:
        raise SystemExit(f"{case.name} cannot be made:\n{done.stderr}")


def _cost(run: processes.Run) -> str:
    end = "" if run.code == 0 else f", ended with {run.code}"
    return f"{run.cpu:.2f} s CPU, {run.wall:.2f} s wall, {run.peak:.0f} MB{end}"


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    raise SystemExit(main())
