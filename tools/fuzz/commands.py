"""Measure and validate changed samples with the command line, and list every run that ended badly.

Samples are annotations, for `validate` and `measure`, and tables of items, for `items`.

An input is a defect if a command prints a traceback, ends with exit code 70 or by a signal, needs more than 1 GiB of
memory or more than a minute of CPU time, prints JSON that is none, or prints a control character in a message. See
README.md beside.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import json
import os
import pkgutil
import random
import re
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from importlib import import_module
from pathlib import Path
from typing import NamedTuple, NoReturn, TextIO

# OpenBLAS would start a thread for each processor, and a process with threads cannot fork safely.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "helpers"))

import fuzzing

import gamma_align
from gamma_align.apps.cli import main as command_line
from gamma_align.data.wording import counted
from gamma_align.reading.tables import table_formats

MAX_MEMORY = 1 << 30  # bytes of resident memory of a run
MAX_SECONDS = 60  # of CPU time of a run; inputs are small, and most need some hundredths
MAX_WALL_SECONDS = 600  # of a run that waits for something that never comes
# Fine, usage, invalid input, not available, not proven, documents left out, and more memory than there is: a count may
# become large. The limit of memory is checked besides.
ALLOWED_CODES = (0, 2, 3, 4, 5, 6, 7)
ITEM_TABLES = "items"  # in place of the name of a format
BATCH = 25  # inputs for a process
SEEDS = 12  # samples of a format, the smallest: larger ones take longer
MAX_SAMPLE_BYTES = 200_000
CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")

READING = {
    "elan": ["--layers * --annotators-from {layer}"],
    "textgrid": ["--annotators-from {layer}"],
    "inception": ["--layers NamedEntity:value"],
    "jams": ["--layers segment_salami_lower"],
    "mqm": ["--layers target"],
    "tei": ["--option annotator=resp", "--option annotator=ana/catma_markupauthor", "--layers persName,placeName,name"],
    "webanno-tsv": ["--layers NamedEntity:value"],
}
"""Options with which the samples of a format are read, besides those of all formats."""
FOLDERS = {"catma": "catma/CATMA_3D0C54C8_fox", "brat": "brat/multi_annotator_project"}
"""Samples that are folders: each of their files is changed."""
ANY_FORMAT = ["", "--layers *"]
CHANCE = [
    *([""] * 5),
    *("--chance pooled", "--sampler documents", "--sampler statistical", "--trim", "--conventions pygamma"),
    *("--min-distance half --integer-offsets yes", "--distance edit", "--distance jaccard", "--distance ordinal"),
    *("--coefficients gamma,unitizing-alpha", "--coefficients unitizing-alpha --overlap layers"),
]
ITEMS = [
    *(
        "",
        "",
        "--distance interval",
        "--distance ordinal",
        "--distance circular:4",
        "--distance jaccard",
        "--distance masi",
    ),
    *("--interval bootstrap --replicates 20", "--interval linearised", "--interval pairs", "--interval fce"),
    *(
        "--interval none --by-category",
        "--missing PL",
        "--missing RM",
        "--by-item",
        "--by-pair",
        "--aickin --coders anna,bert",
    ),
    *("--latent-classes 2", "--threshold 0.5", "--level 0.9", "--judges gpt*", "--scale landis-koch", "--na a"),
    "--coefficients s,pi,kappa,kappa-conger,kappa-mean,alpha,ac1,pabak,observed",
    *(
        "--order a,b,c,yes,no,maybe,x,y,z --distance ordinal",
        "--distance interval:position --order a,b,c,yes,no,maybe,x,y,z",
    ),
    *("--distance edit", "--distance dice", "--distance passonneau", "--set-separator ;"),
]
"""Options of `items`."""
FORMS = ["--json", "--json", "", "--csv", "--markdown", "--latex", "--cite"]


class Seed(NamedTuple):
    """A sample that can be measured, its format and the options it takes."""

    name: str
    sample: Path
    options: list[str]
    is_doubled: bool = False  # read with an unchanged copy as a second annotator
    root: Path | None = None  # the folder that is read, if the sample is only one of its files
    is_items: bool = False  # a table of judgments of items

    def place(self, data: bytes, folder: Path) -> Path:
        """Write the sample with this content to a new folder, and return the path to measure."""
        if self.root is not None:
            shutil.copytree(self.root, folder)
            (folder / self.sample.relative_to(self.root)).write_bytes(data)
            return folder
        if not self.is_doubled:
            target = fuzzing.placed(self.sample, folder)
            target.write_bytes(data)
            return target
        folder.mkdir()
        for annotator, content in (("anna", data), ("bert", self.sample.read_bytes())):
            fuzzing.placed(self.sample, folder / annotator).write_bytes(content)
        return folder / "{annotator}" / self.sample.name


class Run(NamedTuple):
    """How a run of the command line ended."""

    code: int  # negative: the number of a signal
    out: str
    err: str
    seconds: float
    memory: int  # bytes

    def defect(self, *, prints_json: bool) -> str | None:
        """Return what is wrong with the run; None if nothing is."""
        faults = {
            f"ended by {signal.Signals(-self.code).name}" if self.code < 0 else "": self.code < 0,
            f"exit code {self.code}": self.code >= 0 and self.code not in ALLOWED_CODES,
            "a traceback": "Traceback" in self.err or "a bug of" in self.err,
            f"{self.memory >> 20} MiB": self.memory > MAX_MEMORY,
            "a control character in a message": CONTROL.search(self.err) is not None,
            "no message": self.code > 0 and not self.err.strip(),
            "no JSON": prints_json and self.code == 0 and not _is_json(self.out),
        }
        return next((fault for fault, is_there in faults.items() if is_there), None)


def _is_json(text: str) -> bool:
    try:
        json.loads(text, parse_constant=_refuse_constant)
    except ValueError:
        return False
    return True


def _refuse_constant(name: str) -> None:
    raise ValueError(name)


def runs(commands: list[list[str]], scratch: Path) -> list[Run]:
    """Run commands in forked processes, which have imported everything and have limits.

    One process runs many commands, since a fork takes as long as a run. After a run that ends the process, another
    process runs the others. If one of the runs takes too much memory, each command has a process of its own.
    """
    ended: list[Run] = []
    while len(ended) < len(commands):
        ended += _runs_of_a_process(commands[len(ended) :], scratch)
    if len(commands) > 1 and max(run.memory for run in ended) > MAX_MEMORY:
        return [run for command in commands for run in runs([command], scratch)]
    return ended


def _runs_of_a_process(commands: list[list[str]], scratch: Path) -> list[Run]:
    child = os.fork()
    if child == 0:
        _run_here(commands, scratch)
    _, status, usage = os.wait4(child, 0)
    ended: list[Run] = []
    for number, _ in enumerate(commands):
        out, err, done = (scratch / f"{name}{number}" for name in ("out", "err", "done"))
        printed = [file.read_text(encoding="utf-8", errors="surrogateescape") for file in (out, err)]
        memory = usage.ru_maxrss * 1024
        if not done.exists():
            code = os.waitstatus_to_exitcode(status)
            return [*ended, Run(code, *printed, usage.ru_utime + usage.ru_stime, memory)]
        code, seconds = json.loads(done.read_text())
        ended.append(Run(code, *printed, seconds, memory))
        done.unlink()
    return ended


def _run_here(commands: list[list[str]], scratch: Path) -> NoReturn:
    """Run commands in this process, write what they print and their exit codes to files, and end the process."""
    resource.setrlimit(resource.RLIMIT_CPU, (MAX_SECONDS, MAX_SECONDS))
    # Address space is more than memory: a run may reserve what it never touches.
    resource.setrlimit(resource.RLIMIT_AS, (4 * MAX_MEMORY, 4 * MAX_MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.alarm(MAX_WALL_SECONDS)
    os.environ["GAMMA_ALIGN_TRACEBACK"] = "1"
    try:
        for number, arguments in enumerate(commands):
            with (
                (scratch / f"out{number}").open("w", encoding="utf-8", errors="backslashreplace") as out,
                (scratch / f"err{number}").open("w", encoding="utf-8", errors="backslashreplace") as err,
            ):
                begun = time.process_time()
                code = _code_of(arguments, out, err)
                seconds = time.process_time() - begun
            (scratch / f"done{number}").write_text(json.dumps([code, seconds]))
    finally:
        os._exit(0)


def _code_of(arguments: list[str], out: TextIO, err: TextIO) -> int:
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            return command_line(arguments)
        except SystemExit as end:
            return end.code if isinstance(end.code, int) else 1
        except BaseException:  # noqa: BLE001  (the runs of the command line end without one)
            traceback.print_exc()
            return 70


def seeds(folder: Path, names: list[str]) -> dict[str, list[Seed]]:
    """Return the smallest samples of each format that `measure` measures, with the options it takes."""
    small = fuzzing.made(folder / "made")
    known = {name: [*paths, *small.get(name, [])] for name, paths in fuzzing.samples().items() if name in names}
    found: dict[str, list[Seed]] = {}
    for path, options in fuzzing.item_tables(folder / "items") if ITEM_TABLES in names else ():
        seed = Seed(f"{ITEM_TABLES}, {path.suffix[1:]}", path, options.split(), is_items=True)
        [done] = runs([["items", str(path), *seed.options]], folder)
        if done.code != 0:
            raise RuntimeError(f"items {path.name}: {done.err}")
        found.setdefault(seed.name, []).append(seed)
    for name, paths in known.items():
        for path in sorted(paths, key=lambda path: path.stat().st_size):
            seed = _seed(name, path, folder) if len(found.get(name, [])) < SEEDS else None
            if seed is not None:
                found.setdefault(name, []).append(seed)
        if name in FOLDERS:
            root = fuzzing.SAMPLES / FOLDERS[name]
            inside = sorted(path for path in root.rglob("*") if path.is_file() and path.stat().st_size)
            found.setdefault(name, []).extend(Seed(name, path, [], root=root) for path in inside)
    return found


def _seed(name: str, path: Path, folder: Path) -> Seed | None:
    """Return the seed of a sample, with the first options by which it is measured."""
    if path.stat().st_size > MAX_SAMPLE_BYTES:
        return None
    own_options = [*READING.get(name, []), *ANY_FORMAT]
    named = [f"{options} --documents-from {{file}}" for options in own_options]
    alone = [Seed(name, path, ["--format", name, *options.split()]) for options in own_options]
    doubled = [
        Seed(name, path, ["--format", name, *options.split()], is_doubled=True) for options in (*named, *own_options)
    ]
    with tempfile.TemporaryDirectory(dir=folder) as place:
        for number, tried in enumerate((alone, doubled)):
            target = tried[0].place(path.read_bytes(), Path(place) / str(number))
            commands = [["measure", str(target), *seed.options, "--samples", "2"] for seed in tried]
            for seed, done in zip(tried, runs(commands, folder), strict=True):
                if done.code == 0:
                    return seed
    return None


def import_everything() -> None:
    """Import all modules, so that no forked process does; modules of missing extras cannot be imported."""
    for module in pkgutil.walk_packages(gamma_align.__path__, "gamma_align."):
        if not module.name.endswith("__main__"):
            with contextlib.suppress(ImportError):
                import_module(module.name)


def main() -> int:
    arguments = _arguments()
    import_everything()
    gc.freeze()  # a collection would touch all objects, and each forked process copy them
    rng = random.Random(arguments.seed)  # noqa: S311
    begun = _cpu_seconds()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        known = seeds(folder, arguments.formats)
        total = sum(map(len, known.values()))
        print(f"{total} samples of {len(known)} formats pass; {_cpu_seconds() - begun:.0f} s", flush=True)
        print(
            "none of", ", ".join(name for name in arguments.formats if not any(one.startswith(name) for one in known))
        )
        table = Table(arguments.keep)
        for first in range(0, arguments.inputs, BATCH):
            tries = []
            for number in range(first, min(first + BATCH, arguments.inputs)):
                name = list(known)[number % len(known)]
                samples = [seed.sample for seed in known[name]]
                tries.append(_one_try(rng.choice(known[name]), samples, rng, folder / str(number)))
            ended = iter(runs([command for one in tries for command in one.commands], folder))
            for one in tries:
                for command in one.commands:
                    table.add(one.seed, command, next(ended), one.data)
                shutil.rmtree(one.folder)
            if not first % (10 * BATCH):
                seconds = _cpu_seconds() - begun
                print(f"{first + BATCH} inputs, {len(table.defects)} defects, {seconds:.0f} s", flush=True)
    print(table.text(_cpu_seconds() - begun))
    return 1 if table.defects else 0


class Try(NamedTuple):
    """A changed sample, and the commands to run on it."""

    seed: Seed
    data: bytes
    folder: Path
    commands: list[list[str]]


def _one_try(seed: Seed, samples: list[Path], rng: random.Random, folder: Path) -> Try:
    """Change a sample, and choose the options of both commands."""
    others = [path.read_bytes() for path in rng.choices(samples, k=2)]
    content = seed.sample.read_bytes()
    # Half of the changes are small, so that more of the inputs come past the reader.
    is_text = not content.startswith((b"PK", b"PAR1", b"\x78"))
    data = (
        _slightly(content, rng)
        if is_text and rng.random() < (0.8 if seed.is_items else 0.5)
        else fuzzing.mutated(content, rng, others)
    )
    target = seed.place(data, folder)
    reading = list(seed.options)
    if seed.is_items:
        if rng.random() < 0.2:
            reading = []
        chosen = " ".join(rng.sample(ITEMS, rng.choice((0, 1, 1, 2))))
        return Try(seed, data, folder, [["items", str(target), *reading, *chosen.split(), *rng.choice(FORMS).split()]])
    if rng.random() < 0.8:
        reading += ["--outside", "extend", *([] if seed.name in table_formats.TABLES else ["--mismatch", "keep"])]
    form = rng.choice(FORMS).split()
    checking = ["validate", str(target), *reading, *(form if form == ["--json"] else [])]
    chance = rng.choice(CHANCE).split()
    measuring = ["measure", str(target), *reading, *form, *chance, "--samples", str(rng.choice((1, 3, 8)))]
    return Try(seed, data, folder, [checking, measuring])


def _slightly(data: bytes, rng: random.Random) -> bytes:
    """Return data with a number, or a word, in the place of one to three others."""
    for _ in range(rng.choice((1, 1, 2, 3))):
        tokens = [*re.finditer(rb"\d+(?:\.\d+)?|[A-Za-z_]{2,}", data)]
        if not tokens:
            return data
        token, other = rng.choice(tokens), rng.choice(tokens)[0]
        if token[0][:1].isdigit():
            other = rng.choice(
                (b"0", b"7", b"12.5", b"1e6", b"1e15", b"123456789", token[0] + b"0", token[0][:-1] or b"1")
            )
        elif rng.random() < 0.3:
            other = rng.choice(
                (b"=1+1", b"\x1b[31mred", "\u0301\u202e\U0001f642".encode(), b"a,b", b'""', token[0] * 50)
            )
        data = data[: token.start()] + other + data[token.end() :]
    return data


class Table:
    """The runs of each format, by exit code, with the largest time and memory, and the defects."""

    def __init__(self, keep: Path | None) -> None:
        self._keep = keep
        self._codes: dict[str, Counter[tuple[str, int]]] = {}
        self._largest: dict[str, tuple[float, int]] = {}
        self.defects: dict[str, int] = {}

    def add(self, seed: Seed, command: list[str], run: Run, data: bytes) -> None:
        """Count a run, and print and keep its input if it is a defect of a new kind."""
        self._codes.setdefault(seed.name, Counter())[command[0], run.code] += 1
        seconds, memory = self._largest.get(seed.name, (0.0, 0))
        self._largest[seed.name] = max(seconds, run.seconds), max(memory, run.memory)
        defect = run.defect(prints_json="--json" in command)
        if defect is None:
            return
        lines = [line for line in run.err.splitlines() if line.strip()]
        places = [line.strip() for line in lines if line.strip().startswith("File ") and "gamma_align" in line]
        key = f"{defect} {places[-1] if places else ''}"
        self.defects[key] = self.defects.get(key, 0) + 1
        if self.defects[key] > 1:
            return
        last = lines[-1][:300] if lines else ""
        print(f"{seed.name}: {key}\n  {' '.join(command)}\n  {last}", flush=True)
        if self._keep is not None:
            self._keep.mkdir(parents=True, exist_ok=True)
            kept = self._keep / f"{len(self.defects)}-{seed.sample.name}"
            kept.write_bytes(data)
            kept.with_name(f"{kept.name}.txt").write_text(f"{' '.join(command)}\n{run.err}", encoding="utf-8")

    def text(self, seconds: float) -> str:
        """Return the table in Markdown."""
        lines = [
            "| format | inputs | read | measured | refused | longest, s | most memory, MiB |",
            "|---|" + "---:|" * 6,
        ]
        totals = Counter[str]()
        for name, codes in sorted(self._codes.items()):
            command = "items" if name.startswith(ITEM_TABLES) else "measure"
            inputs = sum(count for (other, _), count in codes.items() if other == command)
            row = {
                "inputs": inputs,
                "read": codes["validate", 0],
                "measured": sum(codes[command, code] for code in (0, 5, 6)),
                "refused": sum(codes[command, code] for code in (2, 3, 4, 7)),
            }
            totals.update(row)
            longest, memory = self._largest[name]
            lines.append(f"| {name} | {' | '.join(map(str, row.values()))} | {longest:.1f} | {memory >> 20} |")
        longest = max((pair[0] for pair in self._largest.values()), default=0.0)
        memory = max((pair[1] for pair in self._largest.values()), default=0)
        lines.append(f"| all | {' | '.join(map(str, totals.values()))} | {longest:.1f} | {memory >> 20} |")
        defects = counted(len(self.defects), "defect")
        return "\n".join([*lines, "", f"{totals['inputs']} inputs, {defects}, {seconds:.0f} s of CPU time"])


def _cpu_seconds() -> float:
    """Return the CPU time of this process and of all that it forked."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=int, default=5000, help="how many changed samples (5000)")
    parser.add_argument("--seed", type=int, default=0, help="another one, other changes (0)")
    parser.add_argument(
        "--formats",
        nargs="+",
        default=[*fuzzing.formats.formats(), ITEM_TABLES],
        help="only these; tables of items are called items",
    )
    parser.add_argument("--keep", type=Path, help="folder for the inputs that are defects")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
