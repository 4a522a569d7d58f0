"""What gamma_align gives for the data of `cases`, in rows beside the names of other programs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from cases import JUDGMENTS, MASSES, OVERLAPPING_TALK, TAGS, TALK, THREE, TWO, UNITS

import gamma_align as ga
from gamma_align.compat import pygamma


class Row(NamedTuple):
    """A name of another program, the name here, the value here, and why the values differ if they do.

    Values that rest on samples have a `tolerance`: they are compared within the errors of their samples.
    """

    theirs: str
    name: str
    value: float
    why: str = ""
    tolerance: float | None = None


def pygamma_rows() -> list[Row]:
    continuum = pygamma.Continuum()
    for annotator, start, end, label in UNITS:
        continuum.add(annotator, pygamma.Segment(start, end), label)
    np.random.seed(4772)
    layer = continuum.compute_gamma()
    np.random.seed(4772)
    soft = continuum.compute_gamma(soft=True)
    corpus = ga.Corpus.from_records([("d", *unit) for unit in UNITS])
    alike = ga.gamma(corpus, conventions="pygamma")
    other = "other random numbers: a seed is one of gamma_align"
    lone = "a unit aligned with nothing has no category to compare (M17); there it counts as disagreement"
    return [
        Row("observed disorder", "`ga.align(…).disorder`", ga.align(corpus).disorder),
        Row("soft: observed disorder", '`ga.align(…, alignment="cover").disorder`',
            ga.align(corpus, alignment="cover").disorder),
        Row("gamma", "`compat.pygamma`: `compute_gamma().gamma`", layer.gamma),
        Row("gamma_cat", "`compat.pygamma`: `.gamma_cat`", layer.gamma_cat),
        Row("gamma_k(6)", '`compat.pygamma`: `.gamma_k("6")`', layer.gamma_k("6")),
        Row("soft: gamma", "`compat.pygamma`: `compute_gamma(soft=True).gamma`", soft.gamma),
        Row("gamma", '`ga.gamma(…, conventions="pygamma").gamma`', float(alike.gamma), other),
        Row("gamma", "`ga.gamma(…).gamma`", float(ga.gamma(corpus).gamma), "samples are shifts (M15 §5.2)"),
        Row("soft: gamma", '`ga.gamma(…, alignment="cover").gamma`',
            float(ga.gamma(corpus, alignment="cover").gamma), "samples are shifts (M15 §5.2)"),
        Row("gamma_cat", '`ga.gamma(…, conventions="pygamma").gamma_cat`', float(alike.gamma_cat), lone),
    ]  # fmt: skip


def nltk_rows() -> list[Row]:
    values = {
        name: value.value for name, value in ga.item_agreement(ga.ItemTable.from_matrix(TWO)).coefficients.items()
    }
    three = ga.ItemTable.from_matrix(THREE)
    weighted = ga.item_coefficient(ga.ItemTable.from_matrix(TWO), "kappa", distance="interval").value
    missing = ga.krippendorff_alpha(ga.ItemTable.from_matrix(JUDGMENTS)).value
    segments = ga.segmentation(tiles("reference", MASSES[0]) + tiles("system", MASSES[1]), reference="reference")
    score = segments.scores[0]
    window = "k is half the mean length of a segment; NLTK's default divides by boundaries in place of segments"
    masi = ga.distances.as_distance("masi").matrix(["a|b", "a|b|c"])[0, 1]
    jaccard = ga.distances.as_distance("jaccard").matrix(["a|b", "a|b|c"])[0, 1]
    product = ga.distances.as_distance("masi-product").matrix(["a|b", "a|b|c"])[0, 1]
    return [
        Row("avg_Ao()", '`ga.item_agreement(…)`: `"observed"`', values["observed"]),
        Row("S()", '`"s"`', values["s"]),
        Row("pi()", '`"pi"`', values["pi"]),
        Row("kappa()", '`"kappa"`', values["kappa"]),
        Row("multi_kappa()", '`"kappa"`', values["kappa"]),
        Row("kappa() (three coders)", '`"kappa-mean"`', ga.item_coefficient(three, "kappa-mean").value),
        Row("multi_kappa() (three coders)", '`"kappa"`', ga.item_coefficient(three, "kappa").value),
        Row("weighted_kappa() (squared distance)", '`"kappa"`, `distance="interval"`', weighted),
        Row("weighted_kappa(max_distance=4) (squared distance)", '`"kappa"`, `distance="interval"`', weighted,
            "only the expected disagreement is divided by max_distance there"),
        Row("alpha()", "`ga.krippendorff_alpha(…)`, with missing judgments", missing),
        Row("masi_distance({a,b},{a,b,c})", '`distance="masi"`', float(masi)),
        Row("masi_distance({a,b},{a,b,c})", '`distance="masi-product"`', float(product),
            "d_P·d_J, as Artstein & Poesio 2008 print it"),
        Row("jaccard_distance({a,b},{a,b,c})", '`distance="jaccard"`', float(jaccard)),
        Row("pk(ref, hyp)", "`ga.segmentation(…)`: `p_k`", score.p_k.value, window),
        Row("pk(ref, hyp, k=2)", "`p_k`", score.p_k.value),
        Row("windowdiff(ref, hyp, k=2)", "`window_diff`", score.window_diff.value),
    ]  # fmt: skip


def tiles(name: str, masses: list[int]) -> list[tuple[str, str, int, int]]:
    ends = np.cumsum(masses).tolist()
    return [("d", name, end - mass, end) for end, mass in zip(ends, masses, strict=True)]


def krippendorff_rows() -> list[Row]:
    table = ga.ItemTable.from_matrix(JUDGMENTS)
    levels = ("nominal", "ordinal", "interval", "ratio")
    return [
        Row(f"alpha(…, {level!r})", f'`ga.krippendorff_alpha(…, distance="{level}")`',
            ga.krippendorff_alpha(table, distance=level).value)
        for level in levels
    ]  # fmt: skip


def irrcac_rows() -> list[Row]:
    names = {"bp": "s", "fleiss": "pi", "conger": "kappa-conger", "krippendorff": "alpha", "gwet": "ac1"}
    rows = []
    for suffix, data in (("", TWO), (" (missing judgments)", JUDGMENTS)):
        table = ga.ItemTable.from_matrix(data)
        result = ga.item_agreement(table, coefficients=[*names.values()]).coefficients
        for (theirs, name), value in zip(names.items(), result.values(), strict=True):
            rows.append(Row(f"{theirs}(){suffix}", f'`"{name}"`', value.value))
    ordinal = ga.item_coefficient(ga.ItemTable.from_matrix(TWO), "ac1", distance="gwet-ordinal")
    rows.append(Row("gwet() (ordinal weights)", '`"ac1"`, `distance="gwet-ordinal"`', ordinal.value))
    return rows


def span_units(reference: list[list[str]], system: list[list[str]]) -> list[tuple[str, str, int, int, str]]:
    """Return tags in the scheme IOB2 as units, one document for each sentence."""
    units = []
    for annotator, sentences in (("reference", reference), ("system", system)):
        for number, tags in enumerate(sentences):
            start = label = None
            for position, tag in enumerate([*tags, "O"]):
                if start is not None and not tag.startswith("I-"):
                    units.append((f"sentence {number}", annotator, start, position, label))
                    start = None
                if tag.startswith("B-"):
                    start, label = position, tag[2:]
    return units


def seqeval_rows() -> list[Row]:
    (system,) = ga.evaluate(span_units(*TAGS), reference="reference", measures="spans").systems
    strict = system.spans["strict"]
    return [
        Row("precision_score", '`spans["strict"].precision`', strict.precision.value),
        Row("recall_score", '`spans["strict"].recall`', strict.recall.value),
        Row("f1_score", '`spans["strict"].f1`', strict.f1.value),
        Row("f1_score(average='macro')", '`macro["strict"]["f1"]`', system.macro["strict"]["f1"].value),
    ]


def nervaluate_rows() -> list[Row]:
    (system,) = ga.evaluate(span_units(*TAGS), reference="reference", measures="spans").systems
    names = {"strict": "strict", "exact": "exact", "partial": "partial", "ent_type": "type"}
    return [Row(theirs, f'`spans["{name}"].f1`', system.spans[name].f1.value) for theirs, name in names.items()]


def segeval_rows() -> list[Row]:
    units = tiles("reference", MASSES[0]) + tiles("system", MASSES[1])
    score = ga.segmentation(units, reference="reference").scores[0]
    names = {"pk": "p_k", "window_diff": "window_diff", "boundary_similarity": "b", "segmentation_similarity": "s"}
    return [
        Row(theirs, f"`ga.segmentation(…)`: `{name}`", getattr(score, name).value) for theirs, name in names.items()
    ]


def pyannote_rows() -> list[Row]:
    def score(talk: tuple[list[tuple[float, float, str]], ...], **options: object):  # noqa: ANN202
        units = [("d", name, *unit) for name, part in zip(("reference", "system"), talk, strict=True) for unit in part]
        return ga.evaluate(units, reference="reference", measures="diarization", **options).systems[0].diarization

    plain, der = score(TALK), "`diarization.der`"
    skipping = score(OVERLAPPING_TALK, skip_overlap=True)
    return [
        Row("DiarizationErrorRate", der, plain.der.value),
        Row("DiarizationErrorRate(collar=2)", f"`collar=2`: {der}", score(TALK, collar=2.0).der.value),
        Row("DiarizationErrorRate (overlap)", der, score(OVERLAPPING_TALK).der.value),
        Row("DiarizationErrorRate(skip_overlap=True)", f"`skip_overlap=True`: {der}", skipping.der.value),
        Row("JaccardErrorRate", "`diarization.jer`", plain.jer.value),
    ]


ROWS = {
    "pygamma-agreement": pygamma_rows, "nltk": nltk_rows, "krippendorff": krippendorff_rows, "irrCAC": irrcac_rows,
    "seqeval": seqeval_rows, "nervaluate": nervaluate_rows, "segeval": segeval_rows, "pyannote.metrics": pyannote_rows,
}  # fmt: skip
