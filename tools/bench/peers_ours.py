"""What gamma_align gives for a task of `peers.py`: ``python peers_ours.py TASK FOLDER``, in a process of its own."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import gamma_align as ga

DEFINITIONS = {"strict": "strict", "exact": "exact", "partial": "partial", "ent_type": "type"}
SEGMENTATION = {"pk": "p_k", "window_diff": "window_diff", "boundary_similarity": "b", "segmentation_similarity": "s"}


def gamma(folder: Path) -> dict[str, float]:
    """Return γ with 30 samples, as the peer's notebook draws them."""
    result = ga.gamma(ga.Corpus.from_records(_rows(folder, "continuum")), samples=30, seed=1)
    (document,) = result.documents
    return {"observed disorder": document.gamma.observed, "gamma": float(result.gamma)}


def alpha(folder: Path) -> dict[str, float]:
    """Return Krippendorff's α for two levels of measurement."""
    table = ga.ItemTable.from_matrix(np.load(folder / "judgments.npy"))
    levels = ("nominal", "interval")
    return {f"alpha, {level}": ga.krippendorff_alpha(table, distance=level, interval=None).value for level in levels}


def f1(folder: Path) -> dict[str, float]:
    """Return precision, recall and F1 of entities."""
    system = _evaluated(_rows(folder, "entities"), "spans")[0]
    strict = system.spans["strict"]
    return {
        "precision": strict.precision.value,
        "recall": strict.recall.value,
        "f1": strict.f1.value,
        "macro f1": system.macro["strict"]["f1"].value,
    }


def f1_by_definition(folder: Path) -> dict[str, float]:
    """Return F1 of entities for the definitions of MUC and SemEval."""
    spans = _evaluated(_rows(folder, "entities"), "spans")[0].spans
    return {theirs: spans[name].f1.value for theirs, name in DEFINITIONS.items()}


def segmentation(folder: Path) -> dict[str, float]:
    """Return the measures of a segmentation."""
    (score,) = ga.segmentation(_rows(folder, "segments"), reference="reference").scores
    return {theirs: getattr(score, name).value for theirs, name in SEGMENTATION.items()}


def diarization(folder: Path) -> dict[str, float]:
    """Return the error rates of each system."""
    systems = _evaluated(_rows(folder, "turns"), "diarization", "ref_only_words")
    return {f"{name}, {system.system}": getattr(system.diarization, name).value
            for system in systems for name in ("der", "jer")}  # fmt: skip


def _rows(folder: Path, name: str) -> list[list[Any]]:
    rows: list[list[Any]] = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    return rows


def _evaluated(rows: list[list[Any]], measures: str, reference: str = "reference") -> Any:  # noqa: ANN401
    annotators = {row[1] for row in rows}
    # All annotators saw all documents: those without a unit count, too.
    annotations = [(name, annotator) for name in {row[0] for row in rows} for annotator in annotators]
    corpus = ga.Corpus.from_records(rows, annotations=annotations)
    return ga.evaluate(corpus, reference=reference, measures=measures).systems


TASKS: dict[str, Callable[[Path], dict[str, float]]] = {
    "gamma": gamma,
    "gamma-fast": gamma,
    "alpha": alpha,
    "f1": f1,
    "definitions": f1_by_definition,
    "segmentation": segmentation,
    "diarization": diarization,
}


if __name__ == "__main__":
    imported = time.process_time()
    values = TASKS[sys.argv[1]](Path(sys.argv[2]))
    print(json.dumps({"import_cpu": imported, "values": values}))
