"""The cases that are measured, what is asked of them, and whether what came out is right."""

from __future__ import annotations

import json
import signal
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from peer import PeerRun
    from processes import Run

TOLERANCE = 1e-5  # relative; the peer computes in single precision


@dataclass(frozen=True)
class Case:
    """Something to measure, and the CPU seconds it is to stay within."""

    name: str
    place: str  # below corpora/, or the name of what is made
    limit: float
    made_by: tuple[str, ...] = ()  # a script next to this one and what it is given after the place
    gap: float = 0.0  # the largest gap that is still fine
    peers: bool = True  # whether peers are tried

    def path(self, root: Path, scratch: Path) -> Path:
        """Return where it is, or is to be made."""
        return scratch / self.place if self.made_by else root / "corpora" / self.place


def _llm(number: int) -> Case:
    made_by = ("one_document.py", "corpora/llm_span_d2t_iaa", str(number))
    return Case(f"llm_span {number + 1}", f"llm{number}", 60.0, made_by, gap=0.01, peers=number == 0)


CASES = (
    Case("2by1000", "pygamma/2by1000.csv", 0.8),
    Case("2by5000", "pygamma/2by5000.csv", 1.5),
    Case("3by100", "pygamma/3by100.csv", 0.8),
    Case("3by500", "pygamma/3by500.csv", 2.2),
    Case("5by100", "pygamma/5by100.csv", 4.0),
    Case("hearst_kazantseva", "hearst_kazantseva", 10.0),
    *(
        Case(f"10 × 30, {n}", "10by30.csv", 30.0, ("noisy.py", "10", "30", n, "1"), peers=n == "0.3")
        for n in ("0.1", "0.3", "0.6")
    ),
    *map(_llm, range(12)),
)


@dataclass
class Row:
    """The runs of a case, and what is wrong with their output."""

    case: Case
    ours: list[Run] = field(default_factory=list)
    theirs: list[PeerRun] = field(default_factory=list)
    documents: list[dict[str, Any]] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)  # of ours
    peer_problems: list[str] = field(default_factory=list)

    @property
    def fine(self) -> bool:
        """Whether our own output is right."""
        return not self.problems

    @property
    def gap(self) -> float:
        """The largest gap of a document, its samples included."""
        return max((entry["gap"] for entry in self.documents), default=0.0)

    @property
    def verdict(self) -> str:
        return "; ".join(self.problems + self.peer_problems) or "ok"

    def check(self) -> None:
        """Look at every output: it ended well, is JSON, all optimal, the same each time, and as the peer's."""
        outputs = [self._parsed(run) for run in self.ours]
        if any(output != outputs[0] for output in outputs):
            self.problems.append("not the same output each time")
        self.documents = outputs[0]
        unproven = sum(not entry["optimal"] for entry in self.documents)
        if unproven and self.gap > self.case.gap:
            self.problems.append(f"{unproven} of {len(self.documents)} documents not proven, gap {self.gap:.2%}")
        self.problems = list(dict.fromkeys(self.problems))
        for run in self.theirs:
            self._compare(run)
        self.peer_problems = list(dict.fromkeys(self.peer_problems))

    def _parsed(self, run: Run) -> list[dict[str, Any]]:
        if run.code != 0:
            self.problems.append(f"exit code {run.code}")
        try:
            documents: list[dict[str, Any]] = json.loads(run.stdout)["documents"]
        except (ValueError, KeyError, TypeError):
            self.problems.append("output is not the JSON expected")
            return []
        return documents

    def _compare(self, run: PeerRun) -> None:
        """Compare the documents the peer has done: their units, and the observed disorders in ascending order."""
        if run.cost.code == -signal.SIGKILL:
            self.peer_problems.append(f"peer, {run.mode}: killed, for wall time or for want of memory")
        elif run.no_memory:
            self.peer_problems.append(f"peer, {run.mode}: its own memory error")
        elif run.cost.code != 0 and not run.cost.stopped:
            self.peer_problems.append(f"peer, {run.mode}: exit code {run.cost.code}")
        if len(run.documents) != len(self.documents):
            return
        ours = sorted((d["units"], d["gamma"]["observed"]) for d in self.documents)
        theirs = sorted((d["units"], d["observed"]) for d in run.documents)
        for (units, observed), (peer_units, peer_observed) in zip(ours, theirs, strict=True):
            if units != peer_units:
                self.peer_problems.append(f"peer: {peer_units} units, not {units}")
            elif self._differs(run, observed, peer_observed):
                self.peer_problems.append(
                    f"peer, {run.mode}: observed disorder {peer_observed:.6f}, not {observed:.6f}"
                )

    def _differs(self, run: PeerRun, observed: float, peer_observed: float) -> bool:
        """Whether the peer's disorder cannot be: not ours, or below it in fast mode, which may miss the least."""
        difference = (peer_observed - observed) / max(observed, 1.0)
        return difference < -TOLERANCE or (run.mode == "exact" and difference > TOLERANCE)
