"""Write what gamma_align computes on every corpus of the repository, or compare two such folders to the last bit.

python tools/values/values.py write before             # with the gamma-align beside this Python
python tools/values/values.py write after
python tools/values/values.py compare before after
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent.parent
CORPORA = ROOT / "corpora"
SAMPLES = {"dreem_sleep_epochs": 2, "toxic_spans": 2, "qamr": 3}  # the others draw ten
LONG = {"ami_diarization", "llm_span_d2t_iaa"}  # γ takes many minutes: the unitizing family alone
READING = ("--overlap", "layers", "--outside", "extend")
ITEMS = CORPORA / "items" / "dreem_dodh_epochs.parquet"


def commands() -> dict[str, tuple[str, ...]]:
    """Return the arguments of each run, by the name of its file."""
    folders = sorted(path.parent for path in CORPORA.glob("*/units.parquet"))
    tables = sorted((CORPORA / "pygamma").glob("*.csv"))
    runs: dict[str, tuple[str, ...]] = {}
    for path in (*folders, *tables):
        families = "unitizing-alpha" if path.name in LONG else "gamma,unitizing-alpha"
        samples = ("--samples", str(SAMPLES.get(path.name, 10)), "--seed", "1", "--json")
        runs[f"measure_{path.stem}"] = ("measure", str(path), *samples, "--coefficients", families, *READING)
    for path in tables:
        runs[f"align_{path.stem}"] = ("align", str(path), "--json")
    for name in ("novels_ner", "dreem_sleep_dodh"):
        runs[f"families_{name}"] = ("families", str(CORPORA / name), "--samples", "5", "--json")
        runs[f"precision_{name}"] = ("measure", str(CORPORA / name), "--conventions", "authors", "--json")
    runs["control_hearst"] = ("measure", str(CORPORA / "hearst_kazantseva"), "--precision", "0.05", "--json")
    runs["items"] = ("items", str(ITEMS), "--by-category", "--by-item", "--by-pair", "--json")
    for interval in ("linearised", "bootstrap"):
        runs[f"items_{interval}"] = ("items", str(ITEMS), "--interval", interval, "--replicates", "50", "--json")
    reference = str(CORPORA / "novels_ner")
    runs["curve"] = ("curve", reference, "--document", "Emma", "--samples", "3", "--repetitions", "1", "--json")
    for path in sorted((CORPORA / "formats").glob("*/*")):
        if path.suffix != ".md":
            runs[f"convert_{path.parent.name}_{path.name}"] = ("convert", str(path), "OUT.jsonl")
    return runs


def write(folder: Path, only: str) -> int:
    """Run each command and keep its exit code and what it computed."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, arguments in commands().items():
        if only not in name:
            continue
        out = folder / f"{name}.out.jsonl"
        words = [str(out) if word == "OUT.jsonl" else word for word in arguments]
        command = [sys.executable, "-P", "-m", "gamma_align.apps.cli", *words]
        run = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
        data = json.loads(run.stdout) if run.stdout else None
        text = json.dumps({"exit": run.returncode, "result": data}, ensure_ascii=False, indent=1, sort_keys=True)
        (folder / f"{name}.json").write_text(text, encoding="utf-8")
        print(run.returncode, name, flush=True)
    return 0


def compare(before: Path, after: Path) -> int:
    """Print where the two differ; messages are left out, they may be worded anew."""
    names = sorted({path.name for folder in (before, after) for path in folder.iterdir()})
    different = 0
    for name in names:
        left, right = before / name, after / name
        if not (left.exists() and right.exists()):
            print(f"{name}: only in {before if left.exists() else after}")
            different += 1
        elif name.endswith(".out.jsonl"):
            different += left.read_bytes() != right.read_bytes() and not print(f"{name}: other bytes")
        else:
            places = list(differences(json.loads(left.read_text("utf-8")), json.loads(right.read_text("utf-8")), "$"))
            different += bool(places)
            print(*(f"{name}: {place}" for place in places[:5]), sep="\n", end="\n" if places else "")
    print(f"{len(names)} files, {different} differ")
    return int(different > 0)


def differences(left: object, right: object, path: str) -> Iterator[str]:
    """Yield the paths at which two JSON values differ, notes and reasons aside."""
    if isinstance(left, dict) and isinstance(right, dict):
        for key in sorted(left.keys() | right.keys()):
            if key in left and key in right:
                if key not in ("notes", "reason", "no_interval"):
                    yield from differences(left[key], right[key], f"{path}.{key}")
            else:
                yield f"{path}.{key}: only in one"
    elif isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
        for index, (one, other) in enumerate(zip(left, right, strict=True)):
            yield from differences(one, other, f"{path}[{index}]")
    elif left != right:
        yield f"{path}: {left!r:.80} and {right!r:.80}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parts = parser.add_subparsers(dest="part", required=True)
    writing = parts.add_parser("write")
    writing.add_argument("folder", type=Path)
    writing.add_argument("--only", default="", help="runs whose names have this in them")
    comparing = parts.add_parser("compare")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    arguments = parser.parse_args()
    if arguments.part == "write":
        return write(arguments.folder, arguments.only)
    return compare(arguments.before, arguments.after)


if __name__ == "__main__":
    raise SystemExit(main())
