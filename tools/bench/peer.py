"""pygamma-agreement in an environment of its own: make it, run it, read what it says."""

from __future__ import annotations

import json
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import processes

REQUIREMENT = "pygamma-agreement==0.5.9"
FASTER_SOLVER = "cylp"  # CBC, from wheels only: a build needs CBC's headers. Without it: GLPK, with cvxopt
WALL_PER_CPU = 6.0  # a CPU second may take so long on a machine that others use too
MODES = ("exact", "fast")
MEMORY = 12_000  # MB of data it may ask for: with many annotators it would ask for all there is
HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class PeerRun:
    """A run of pygamma-agreement over the documents of a case."""

    mode: str  # one of MODES
    cost: processes.Run
    about: dict[str, Any]  # versions, cost of its import
    documents: list[dict[str, Any]]  # those that were done

    @property
    def gamma_cpu(self) -> float:
        """CPU seconds after its import; 0 if it did not come so far."""
        spent: float = self.about.get("import_cpu", self.cost.cpu)
        return self.cost.cpu - spent

    @property
    def no_memory(self) -> bool:
        """Whether it asked for more memory than there was for it."""
        return self.cost.code != 0 and "MemoryError" in self.cost.stderr

    @property
    def solver(self) -> str:
        """The solver that was asked first, and whether another one had to help."""
        if not self.about.get("versions", {}).get("cylp"):
            return "GLPK_MI"
        return "CBC, GLPK_MI in part" if any(entry["fallbacks"] for entry in self.documents) else "CBC"


def prepare(folder: Path) -> Path:
    """Return the Python of the environment, which is made if it is not there."""
    python = folder / "bin" / "python"
    if not python.exists() or _runs(python) is not None:
        _say(f"making an environment for {REQUIREMENT}")
        venv.create(folder, clear=True, with_pip=True)
        pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        _install([*pip, REQUIREMENT])
        if not _install([*pip, "--only-binary", ":all:", FASTER_SOLVER], needed=False):
            _say(f"{FASTER_SOLVER} cannot be had as a wheel: GLPK_MI will be used")
    problem = _runs(python)
    if problem is not None:
        raise SystemExit(f"{REQUIREMENT} does not run in its environment:\n{problem}")
    return python


def measure(python: Path, paths: list[Path], samples: int, seed: int, limit: int, mode: str) -> PeerRun:
    """Measure the γ of each file in one process, stopped after `limit` CPU seconds; its solvers print lines too."""
    script = str(HERE / "peer_pygamma.py")
    settings = [f"--samples={samples}", f"--seed={seed}", f"--cpu-limit={limit}"]
    settings += [f"--memory-limit={MEMORY}", f"--mode={mode}"]
    command = [str(python), script, *settings, *map(str, paths)]
    cost = processes.run(command, HERE, wall_limit=limit * WALL_PER_CPU)
    lines = [json.loads(line) for line in cost.stdout.splitlines() if line.startswith("{") and line.endswith("}")]
    return PeerRun(mode, cost, lines[0] if lines else {}, lines[1:])


def _runs(python: Path) -> str | None:
    """Return why it does not run; this also leaves its bytecode compiled and its files in memory."""
    command = [str(python), str(HERE / "peer_pygamma.py")]
    done = subprocess.run(command, cwd=HERE, capture_output=True, text=True, check=False)
    return None if done.returncode == 0 else done.stderr


def _install(command: list[str], *, needed: bool = True) -> bool:
    done = subprocess.run(command, cwd=HERE, capture_output=True, text=True, check=False)
    if needed and done.returncode != 0:
        raise SystemExit(f"pip failed:\n{done.stderr}")
    return done.returncode == 0


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
