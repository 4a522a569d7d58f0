"""Read changed samples for as long as wanted, and tell what ended in neither a corpus nor a refusal.

See README.md beside.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "helpers"))

import fuzzing

from gamma_align.reading import formats


def main() -> int:
    arguments = _arguments()
    warnings.simplefilter("error")
    rng = random.Random(arguments.seed)  # noqa: S311
    tries: Counter[str] = Counter()
    corpora: Counter[str] = Counter()
    seen: set[str] = set()
    begun = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        small = fuzzing.made(Path(folder) / "made")
        known = {
            name: [*paths, *small.get(name, [])]
            for name, paths in fuzzing.samples().items()
            if name in arguments.formats
        }
        known = {name: fuzzing.readable_first(name, paths) for name, paths in known.items() if paths}
        contents = {path: path.read_bytes() for paths in known.values() for path in paths}
        targets: dict[Path, Path] = {}
        while time.process_time() - begun < arguments.seconds:
            name = rng.choice(list(known))
            sample = rng.choice(known[name])
            if len(contents[sample]) > arguments.large and rng.random() < 0.9:
                continue
            target = targets.setdefault(sample, Path(folder) / str(len(targets)) / sample.name)
            if not target.parent.exists():
                fuzzing.placed(sample, target.parent)
            others = [contents[path] for path in rng.choices(known[name], k=2)]
            before = time.process_time()
            try:
                corpora[name] += fuzzing.try_one(name, sample, target, rng, others) is not None
            except Exception as error:  # noqa: BLE001  (any at all is what is looked for)
                _keep(error, name, target, arguments.keep, seen)
            tries[name] += 1
            taken = time.process_time() - before
            if taken > arguments.slow:
                _keep(TimeoutError(f"{taken:.1f} s"), name, target, arguments.keep, seen)
    for name in known:
        print(f"{name:15} {tries[name]:7} read, {corpora[name]:6} corpora")
    print(f"{sum(tries.values())} files, {len(seen)} defects")
    return 1 if seen else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60, help="of CPU time (60)")
    parser.add_argument("--seed", type=int, default=0, help="another one, other changes (0)")
    parser.add_argument("--formats", nargs="+", default=list(formats.formats()), help="only these")
    parser.add_argument("--slow", type=float, default=5, help="seconds of CPU time after which a file is a defect (5)")
    parser.add_argument("--large", type=int, default=100_000, help="bytes from which a sample is taken seldom")
    parser.add_argument("--keep", type=Path, help="folder for the files that are defects")
    return parser.parse_args()


def _keep(error: Exception, name: str, target: Path, folder: Path | None, seen: set[str]) -> None:
    """Tell a defect once for each place in the code, and keep its file."""
    places = [f"{frame.filename}:{frame.lineno}" for frame in traceback.extract_tb(error.__traceback__)]
    ours = next((place for place in reversed(places) if "gamma_align" in place), name)
    key = f"{type(error).__name__} {ours}"
    if key in seen:
        return
    seen.add(key)
    print(f"{key}\n  {name}: {str(error)[:300]}\n  {' '.join(getattr(error, '__notes__', []))}", flush=True)
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{len(seen)}-{name}{target.suffix}").write_bytes(target.read_bytes())


if __name__ == "__main__":
    sys.exit(main())
