"""A Slurm of one machine: `sbatch`, `srun`, `scancel` and `squeue` that check their arguments and run jobs at once.

    python fake_slurm.py FOLDER          write these commands into a folder, for the search path
    python fake_slurm.py sbatch ...      what they run

Jobs run in the background, and write to a log in the folder FAKE_SLURM. A job waits for the jobs that it depends on.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

COMMANDS = ("sbatch", "srun", "scancel")


def install(folder: Path) -> None:
    """Write the commands into a folder."""
    for name in COMMANDS:
        path = folder / name
        path.write_text(
            f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {shlex.quote(__file__)} {name} "$@"\n', encoding="utf-8"
        )
        path.chmod(0o755)


def options() -> argparse.ArgumentParser:
    """Return the options of sbatch that are known; others are refused, as Slurm does."""
    parser = argparse.ArgumentParser(allow_abbrev=False)
    for name in ("--array", "--dependency", "--wrap", "--mem-per-cpu"):
        parser.add_argument(name)
    parser.add_argument("--cpus-per-task", type=int, default=1)
    parser.add_argument("--ntasks", "-n", type=int, default=1)
    parser.add_argument("--mem", type=amount)
    parser.add_argument("--time", "-t", type=duration)
    parser.add_argument("--job-name", "-J")
    parser.add_argument("--partition", "-p")
    parser.add_argument("--account", "-A")
    parser.add_argument("--parsable", action="store_true")
    parser.add_argument("--requeue", action="store_true")
    parser.add_argument("script", nargs="*")
    return parser


def amount(text: str) -> str:
    """Return an amount of memory as Slurm takes it."""
    if not re.fullmatch(r"\d+[KMGT]?", text):
        raise argparse.ArgumentTypeError(f"invalid memory {text!r}")
    return text


def duration(text: str) -> str:
    """Return a limit of time as Slurm takes it."""
    if not re.fullmatch(r"(\d+-)?\d+(:\d\d){0,2}", text):
        raise argparse.ArgumentTypeError(f"invalid time {text!r}")
    return text


def sbatch(arguments: list[str]) -> None:
    """Start the tasks of a job, and print its number."""
    given = options().parse_args(arguments)
    folder = Path(os.environ["FAKE_SLURM"])
    number = 1 + sum(1 for _ in folder.glob("*.job"))
    if given.wrap is None:
        text = Path(given.script[0]).read_text(encoding="utf-8")
        if not text.startswith("#!"):
            sys.exit("sbatch: error: This does not look like a batch script.")
        directives = [shlex.split(line) for line in re.findall(r"^#SBATCH (.*)$", text, re.MULTILINE)]
        given = options().parse_args([*(word for words in directives for word in words), *arguments])
        copy = folder / f"{number}.sh"  # a script may be removed when sbatch has ended
        copy.write_text(text, encoding="utf-8")
        command = ["bash", str(copy), *given.script[1:]]
    else:
        command = ["sh", "-c", given.wrap]
    (folder / f"{number}.job").write_text(" ".join(arguments), encoding="utf-8")
    waits_for = [folder / f"{name}.ended" for name in re.findall(r"\d+", given.dependency or "")]
    runner = [sys.executable, __file__, "run", str(number), given.array or "", *map(str, waits_for), "--", *command]
    variables = {**os.environ, "SLURM_CPUS_PER_TASK": str(given.cpus_per_task), "SLURM_JOB_ID": str(number)}
    with (folder / f"{number}.log").open("w", encoding="utf-8") as log:
        process = subprocess.Popen(
            runner, env=variables, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
        )
    (folder / f"{number}.pid").write_text(str(process.pid), encoding="utf-8")
    print(number if given.parsable else f"Submitted batch job {number}")  # noqa: T201


def run(arguments: list[str]) -> None:
    """Run the tasks of a job one after the other, when the jobs that it depends on have ended well."""
    end = arguments.index("--")
    (number, array, *waits_for), command = arguments[:end], arguments[end + 1 :]
    while not all(Path(path).exists() for path in waits_for):
        time.sleep(0.1)
    codes = [int(Path(path).read_text(encoding="utf-8")) for path in waits_for]
    for task in [None] if not array else tasks(array):
        variables = {} if task is None else {"SLURM_ARRAY_TASK_ID": str(task)}
        if not any(codes):
            codes.append(subprocess.run(command, env={**os.environ, **variables}, check=False).returncode)
    ended = Path(os.environ["FAKE_SLURM"]) / f"{number}.ended"
    unfinished = ended.with_suffix(".writing")
    unfinished.write_text(str(int(any(codes))), encoding="utf-8")
    unfinished.replace(ended)


def tasks(array: str) -> list[int]:
    """Return the numbers of the tasks of an array: 0-3 or 3,17."""
    ranges = [part.split("-") for part in array.split(",")]
    return [number for bounds in ranges for number in range(int(bounds[0]), int(bounds[-1]) + 1)]


def scancel(arguments: list[str]) -> None:
    """End jobs."""
    for number in arguments:
        pid = int((Path(os.environ["FAKE_SLURM"]) / f"{number}.pid").read_text(encoding="utf-8"))
        with suppress(ProcessLookupError):  # it has ended
            os.killpg(pid, signal.SIGTERM)


def main() -> None:
    name, *arguments = sys.argv[1:]
    if name in {"sbatch", "run", "scancel"}:
        globals()[name](arguments)
    elif name == "srun":
        sys.exit(subprocess.run(arguments, check=False).returncode)
    else:
        install(Path(name))


if __name__ == "__main__":
    main()
