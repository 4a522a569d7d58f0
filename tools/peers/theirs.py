"""Print what other programs give for the data of `cases`, as JSON. Run by `compare.py` in their own environment."""

from __future__ import annotations

import importlib.metadata
import json
import sys
import warnings

from cases import JUDGMENTS, MASSES, OVERLAPPING_TALK, TAGS, TALK, THREE, TWO, UNITS

warnings.simplefilter("ignore")


def pygamma() -> dict[str, float]:
    import numpy as np
    from pyannote.core import Segment
    from pygamma_agreement import CombinedCategoricalDissimilarity, Continuum

    continuum = Continuum()
    for annotator, start, end, label in UNITS:
        continuum.add(annotator, Segment(start, end), label)
    dissimilarity = CombinedCategoricalDissimilarity()
    np.random.seed(4772)
    result = continuum.compute_gamma(dissimilarity)
    np.random.seed(4772)
    soft = continuum.compute_gamma(dissimilarity, soft=True)
    return {
        "observed disorder": result.observed_disorder, "gamma": result.gamma, "gamma_cat": result.gamma_cat,
        "gamma_k(6)": result.gamma_k("6"), "soft: observed disorder": soft.observed_disorder, "soft: gamma": soft.gamma,
    }  # fmt: skip


def nltk() -> dict[str, float]:
    from nltk.metrics import binary_distance, jaccard_distance, masi_distance, pk, windowdiff
    from nltk.metrics.agreement import AnnotationTask

    data = [(coder, str(item), row[coder]) for item, row in enumerate(TWO) for coder in (0, 1)]
    task = AnnotationTask(data, distance=binary_distance)
    three = AnnotationTask([(coder, str(item), row[coder]) for item, row in enumerate(THREE) for coder in (0, 1, 2)])
    squares = AnnotationTask(data, distance=lambda first, second: (int(first) - int(second)) ** 2)
    missing = [(c, str(i), label) for i, row in enumerate(JUDGMENTS) for c, label in enumerate(row) if label]
    first, second = (boundaries(masses) for masses in MASSES)
    return {
        "avg_Ao()": task.avg_Ao(), "S()": task.S(), "pi()": task.pi(), "kappa()": task.kappa(),
        "multi_kappa()": task.multi_kappa(), "kappa() (three coders)": three.kappa(),
        "multi_kappa() (three coders)": three.multi_kappa(),
        "weighted_kappa() (squared distance)": squares.weighted_kappa(),
        "weighted_kappa(max_distance=4) (squared distance)": squares.weighted_kappa(max_distance=4.0),
        "alpha()": AnnotationTask(missing).alpha(),
        "masi_distance({a,b},{a,b,c})": masi_distance({"a", "b"}, {"a", "b", "c"}),
        "jaccard_distance({a,b},{a,b,c})": jaccard_distance({"a", "b"}, {"a", "b", "c"}),
        "pk(ref, hyp)": pk(first, second), "pk(ref, hyp, k=2)": pk(first, second, k=2),
        "windowdiff(ref, hyp, k=2)": windowdiff(first, second, 2),
    }  # fmt: skip


def boundaries(masses: list[int]) -> str:
    places = ["0"] * (sum(masses) - 1)
    position = 0
    for mass in masses[:-1]:
        position += mass
        places[position - 1] = "1"
    return "".join(places)


def krippendorff() -> dict[str, float]:
    import krippendorff as peer
    import numpy as np

    data = np.array([[np.nan if label is None else float(label) for label in row] for row in JUDGMENTS]).T
    levels = ("nominal", "ordinal", "interval", "ratio")
    return {f"alpha(…, {level!r})": peer.alpha(reliability_data=data, level_of_measurement=level) for level in levels}


def irrcac() -> dict[str, float]:
    import pandas as pd
    from irrCAC.raw import CAC

    frame = pd.DataFrame(JUDGMENTS)
    result = {}
    for name, data in (("", pd.DataFrame(TWO)), (" (missing judgments)", frame)):
        cac = CAC(data)
        for measure in ("bp", "fleiss", "conger", "krippendorff", "gwet"):
            result[f"{measure}(){name}"] = getattr(cac, measure)()["est"]["coefficient_value"]
    weighted = CAC(pd.DataFrame(TWO).astype(int), weights="ordinal")
    result["gwet() (ordinal weights)"] = weighted.gwet()["est"]["coefficient_value"]
    return result


def seqeval() -> dict[str, float]:
    from seqeval.metrics import f1_score, precision_score, recall_score

    reference, system = TAGS
    return {
        "precision_score": precision_score(reference, system), "recall_score": recall_score(reference, system),
        "f1_score": f1_score(reference, system),
        "f1_score(average='macro')": f1_score(reference, system, average="macro"),
    }  # fmt: skip


def nervaluate() -> dict[str, float]:
    from nervaluate.evaluator import Evaluator

    overall = Evaluator(*TAGS, tags=["PER", "LOC", "ORG"], loader="list").evaluate()["overall"]
    return {name: overall[name].f1 for name in ("strict", "exact", "partial", "ent_type")}


def segeval() -> dict[str, float]:
    import segeval as peer

    reference, system = (tuple(masses) for masses in MASSES)
    return {
        "pk": float(peer.pk(system, reference)), "window_diff": float(peer.window_diff(system, reference)),
        "boundary_similarity": float(peer.boundary_similarity(system, reference)),
        "segmentation_similarity": float(peer.segmentation_similarity(system, reference)),
    }  # fmt: skip


def speaker_turns(talk: tuple[list[tuple[float, float, str]], ...]) -> list[object]:
    from pyannote.core import Annotation, Segment

    result = []
    for units in talk:
        annotation = Annotation()
        for number, (start, end, speaker) in enumerate(units):
            annotation[Segment(start, end), number] = speaker
        result.append(annotation)
    return result


def pyannote_metrics() -> dict[str, float]:
    from pyannote.metrics.diarization import DiarizationErrorRate, JaccardErrorRate

    plain, overlapping = speaker_turns(TALK), speaker_turns(OVERLAPPING_TALK)
    return {
        "DiarizationErrorRate": DiarizationErrorRate()(*plain),
        "DiarizationErrorRate(collar=2)": DiarizationErrorRate(collar=2)(*plain),
        "DiarizationErrorRate (overlap)": DiarizationErrorRate()(*overlapping),
        "DiarizationErrorRate(skip_overlap=True)": DiarizationErrorRate(skip_overlap=True)(*overlapping),
        "JaccardErrorRate": JaccardErrorRate()(*plain),
    }


PROGRAMS = {
    "pygamma-agreement": pygamma, "nltk": nltk, "krippendorff": krippendorff, "irrCAC": irrcac, "seqeval": seqeval,
    "nervaluate": nervaluate, "segeval": segeval, "pyannote.metrics": pyannote_metrics,
}  # fmt: skip

if __name__ == "__main__":
    values = {}
    for name, function in PROGRAMS.items():
        try:
            values[name] = {"version": importlib.metadata.version(name), "values": function()}
        except ImportError as error:
            values[name] = {"missing": str(error)}
    json.dump(values, sys.stdout, default=float)
