"""What another package gives for a task of `peers.py`: ``python peers_theirs.py TASK FOLDER``, in a process of its own.

Runs in an environment of its own and needs nothing of this repository. CPU seconds up to the end of the imports are
told apart.
"""

from __future__ import annotations

import contextlib
import json
import logging
import sys
import time
import warnings
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

Values = dict[str, float]
Task = Callable[[Path], Values]

REFERENCE = "ref_only_words"  # of the meetings


def gamma() -> Task:
    """Return the task of pygamma-agreement in its exact mode."""
    return _gamma(fast=False)


def gamma_fast() -> Task:
    """Return the task of pygamma-agreement in its fast mode."""
    return _gamma(fast=True)


def _gamma(*, fast: bool) -> Task:
    import numpy as np
    import pygamma_agreement as peer
    from pyannote.core import Segment

    def run(folder: Path) -> Values:
        np.random.seed(1)  # noqa: NPY002  (the only state that it draws from)
        continuum = peer.Continuum()
        for _, annotator, start, end, label in _read(folder, "continuum"):
            continuum.add(annotator, Segment(start, end), label)
        dissimilarity = peer.CombinedCategoricalDissimilarity(alpha=1, beta=1, delta_empty=1)
        sampler = peer.ShuffleContinuumSampler()
        result = continuum.compute_gamma(dissimilarity, n_samples=30, precision_level=None, sampler=sampler, fast=fast)
        return {"observed disorder": float(result.observed_disorder), "gamma": float(result.gamma)}

    return run


def alpha() -> Task:
    """Return the task of krippendorff."""
    import krippendorff
    import numpy as np

    def run(folder: Path) -> Values:
        data = np.load(folder / "judgments.npy").T
        levels = ("nominal", "interval")
        return {f"alpha, {level}": float(krippendorff.alpha(reliability_data=data, level_of_measurement=level))
                for level in levels}  # fmt: skip

    return run


def f1() -> Task:
    """Return the task of seqeval."""
    from seqeval.metrics.sequence_labeling import precision_recall_fscore_support

    def run(folder: Path) -> Values:
        reference, system = _read(folder, "tags")
        precision, recall, score, _ = precision_recall_fscore_support(reference, system, average="micro")
        macro = precision_recall_fscore_support(reference, system, average="macro")[2]
        return {"precision": precision, "recall": recall, "f1": score, "macro f1": macro}

    return run


def f1_by_definition() -> Task:
    """Return the task of nervaluate."""
    from nervaluate.evaluator import Evaluator

    def run(folder: Path) -> Values:
        reference, system = _read(folder, "tags")
        labels = sorted({tag[2:] for tags in reference for tag in tags if tag != "O"})
        overall = Evaluator(reference, system, tags=labels, loader="list").evaluate()["overall"]
        return {name: overall[name].f1 for name in ("strict", "exact", "partial", "ent_type")}

    return run


def segmentation() -> Task:
    """Return the task of segeval."""
    import segeval

    def run(folder: Path) -> Values:
        reference, system = (tuple(masses) for masses in _read(folder, "masses"))
        names = ("pk", "window_diff", "boundary_similarity", "segmentation_similarity")
        return {name: float(getattr(segeval, name)(system, reference)) for name in names}

    return run


def diarization() -> Task:
    """Return the task of pyannote.metrics."""
    from pyannote.core import Annotation, Segment
    from pyannote.metrics.diarization import DiarizationErrorRate, JaccardErrorRate

    def run(folder: Path) -> Values:
        turns: dict[str, dict[str, Any]] = {}
        for number, (document, annotator, start, end, speaker) in enumerate(_read(folder, "turns")):
            annotation = turns.setdefault(annotator, {}).setdefault(document, Annotation(uri=document))
            annotation[Segment(start, end), number] = speaker
        references = turns.pop(REFERENCE)
        values = {}
        for name, documents in sorted(turns.items()):
            for key, metric in (("der", DiarizationErrorRate()), ("jer", JaccardErrorRate())):
                for document, annotation in documents.items():
                    metric(references[document], annotation)
                values[f"{key}, {name}"] = float(abs(metric))
        return values

    return run


def _read(folder: Path, name: str) -> Any:  # noqa: ANN401
    return json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))


TASKS: dict[str, tuple[str, Callable[[], Task]]] = {
    "gamma": ("pygamma-agreement", gamma),
    "gamma-fast": ("pygamma-agreement", gamma_fast),
    "alpha": ("krippendorff", alpha),
    "f1": ("seqeval", f1),
    "definitions": ("nervaluate", f1_by_definition),
    "segmentation": ("segeval", segmentation),
    "diarization": ("pyannote.metrics", diarization),
}
"""The package of each task, and what imports it and returns the task."""


def main() -> None:
    """Run a task, or import the package alone if no folder is named, and print JSON."""
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    package, load = TASKS[sys.argv[1]]
    with contextlib.redirect_stdout(sys.stderr):  # solvers print lines
        task = load()
        imported = time.process_time()
        values = task(Path(sys.argv[2])) if len(sys.argv) > 2 else {}
    print(json.dumps({"version": metadata.version(package), "import_cpu": imported, "values": values}))


if __name__ == "__main__":
    main()
