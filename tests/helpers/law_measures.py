"""All public measures, with the laws that each obeys and the exceptions, each with its reason.

A measure is registered with a call on data, a way to draw data for it, and what `tests/measures/test_laws.py` has to
know of it. A public function that measures and is not here fails a test there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations_with_replacement, product
from typing import Any

from law_data import CATEGORIES, Pair, draw_judgments, draw_units

import gamma_align as ga
from gamma_align import distances
from gamma_align.measures.items.spec import SPECS
from gamma_align.measures.reference.reference_options import MEASURES as REFERENCE_MEASURES

SAMPLES = 4  # of each document: laws hold for any number


@dataclass(frozen=True)
class Measure:
    """A measure and its laws.

    Attributes
    ----------
    function : str
        The public function.
    call : callable
        From the data of `draw` to a result.
    draw : callable
        From a seed to data.
    exceptions : mapping of law to (pattern, reason)
        The paths of the leaves for which a law does not hold, and why. A test checks that each is needed.
    same, doubled : str
        Patterns of the leaves that are the same, or twice as large, if each document (item) is there twice. All leaves
        of the first copies of documents are the same, too.
    perfect : mapping of pattern to value
        The leaves that are known if all annotators agree.
    within : mapping of pattern to (low, high)
        Limits of leaves.
    is_numeric : bool
        Whether the data have numbers that can be moved and scaled: positions of units, or labels of items.
    reference : str
        The argument of the call that is the name of the annotator `data.reference`, if there is one.
    """

    function: str
    call: Callable[..., Any]
    draw: Callable[[int], Any]
    exceptions: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    same: str = "$^"
    doubled: str = "$^"
    perfect: Mapping[str, float] = field(default_factory=dict)
    within: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    is_numeric: bool = True
    reference: str = ""

    def result(self, data: Any) -> Any:
        """Return the result for data as `draw` returns them."""
        options = {self.reference: data.reference} if self.reference else {}
        return self.call(data.data(), **options)


# ------------------------------------------------------------------------------------------------------------- corpora

SAMPLED = r"/(value|low|high|standard_error|expected|expected_error|expected_precision|samples|rests_on|no_interval"
SAMPLED += r"|interval_note|precision_note|reason|difference|p|sampling_error|alignments_of_samples)$"
OF_SAMPLES = rf"{SAMPLED}|/(documents|pairs|observed)$|/notes/"  # also of γcat, which may lack documents
NAMED_STREAMS = (SAMPLED, "random samples are addressed by the name of the document")
WHOLE_OFFSETS = (SAMPLED, "samples of whole numbers are shifted by whole numbers")
SHARE = (0.0, 1.0)
AT_MOST_1 = (-1e9, 1.0)
GAMMA_RANGES = {r"/gamma(_cat|_k/\w+)?/value$": AT_MOST_1, r"/observed$": (0.0, 1e9), r"/gap$": SHARE}
GAMMA = {
    "same": r"^/corpus/.*/observed$",
    "doubled": r"^/corpus/.*/(pairs|documents)$",
    "perfect": {r"/gamma(_cat|_k/\w+)?/(value)$": 1.0, r"/gamma(_cat|_k/\w+)?/observed$": 0.0},
    "within": GAMMA_RANGES,
}


def _gamma(draw: Callable[[int], Any], exceptions: Mapping[str, tuple[str, str]], **settings: Any) -> Measure:
    call = partial(ga.gamma, samples=SAMPLES, **settings)
    return Measure("gamma", call, draw, {"names of documents": NAMED_STREAMS, **exceptions}, **GAMMA)


whole = draw_units
fractions = partial(draw_units, step=0.375)
overlapping = partial(draw_units, overlap=True)
segments = partial(draw_units, gaps=False)
numbers = partial(draw_units, labels=("1", "2", "5"))

OF_GAMMA = {
    "gamma": _gamma(whole, {"scaling": WHOLE_OFFSETS}),
    "gamma of fractions": _gamma(fractions, {}),
    "gamma of overlapping units": _gamma(
        partial(overlapping, step=0.375),
        {"names of categories": (r"/(gamma_cat|gamma_k)/", "ties of units with the same bounds follow their order")},
    ),
    "gamma with a distance of numbers": _gamma(partial(numbers, step=0.375), {}, distance="interval"),
    "gamma with the conventions of pygamma": _gamma(
        fractions,
        {"translation": (OF_SAMPLES, "pygamma-agreement takes the start of the first unit as a gap, from 0")},
        conventions="pygamma",
    ),
    "gamma of covers": _gamma(fractions, {}, alignment="cover"),
    "gamma with samples of other documents": _gamma(
        fractions,
        {"duplication": (SAMPLED, "the documents that samples are made of include the copies")},
        sampler="documents",
    ),
    "gamma with pooled chance": _gamma(
        fractions, {"duplication": (SAMPLED, "documents share an expected disorder")}, chance="pooled"
    ),
    "gamma with precision of documents": Measure(
        "gamma",
        partial(ga.gamma, precision=0.2, precision_of="documents"),
        fractions,
        {"names of documents": (rf"{SAMPLED}|/pair_samples$", NAMED_STREAMS[1])},
        **GAMMA,
    ),
    "pairwise": Measure(
        "pairwise",
        partial(ga.pairwise, samples=SAMPLES),
        fractions,
        {"names of documents": NAMED_STREAMS},
        same=r"/observed$",
        doubled=r"/(pairs|documents)$",
        perfect=GAMMA["perfect"],
        within=GAMMA_RANGES,
    ),
}

UNIT_OF_LENGTH = "uα and |uα depend on the unit of length: self-pairings of gaps grow with their length (K16)"
NO_SELF_PAIRING = "self-pairings, which the expected disagreement leaves out, are a smaller share of more data"
U_RANGES = {r"/(u|bar_u|cu)/value$": AT_MOST_1, r"/coverage(_k/\w+)?$": SHARE, r"/observed/": (0.0, 2.0)}
U_PERFECT = {r"^/(\w+/)*corpus/(u|bar_u|cu)/value$": 1.0, r"^/(\w+/)*corpus/ku/\w+/value$": 1.0}
OF_UNITIZING = {
    "unitizing_alpha": Measure(
        "unitizing_alpha",
        ga.unitizing_alpha,
        whole,
        {"scaling": (r"/(u|bar_u)(/|$)", UNIT_OF_LENGTH)},
        same=r"^/corpus/(coverage|observed/|coverage_k/)",
        perfect=U_PERFECT,
        within=U_RANGES,
    ),
    "unitizing_alpha with a distance of numbers": Measure(
        "unitizing_alpha",
        partial(ga.unitizing_alpha, distance="interval"),
        numbers,
        {"scaling": (r"/(u|bar_u)(/|$)", UNIT_OF_LENGTH)},
        same=r"^/corpus/(coverage|observed/|coverage_k/)",
        perfect=U_PERFECT,
        within={r"/(u|bar_u|cu)/value$": AT_MOST_1, r"/coverage(_k/\w+)?$": SHARE},
    ),
    "unitizing_alpha of layers": Measure(
        "unitizing_alpha",
        partial(ga.unitizing_alpha, overlap="layers"),
        overlapping,
        {"scaling": (r"/(u|bar_u|layers)(/|$)", UNIT_OF_LENGTH)},
        same=r"^/corpus/(coverage$|observed/u$)",
        perfect={r"^/corpus/u/value$": 1.0},
        within={r"/(u|layers/\w+)/value$": AT_MOST_1},
    ),
    "unitizing_alpha_2004": Measure(
        "unitizing_alpha_2004",
        ga.unitizing_alpha_2004,
        whole,
        {"scaling": (r"/(alpha|expected|value)(/|$)", "αU (1995, 2004) counts the positions that a unit could have")},
        perfect={r"/alpha/value$": 1.0, r"/observed$": 0.0},
        within={r"/alpha/value$": AT_MOST_1},
    ),
    "families": Measure(
        "families",
        partial(ga.families, samples=SAMPLES),
        fractions,
        {"names of documents": NAMED_STREAMS, "scaling": (r"/(u|bar_u)(/|$)", UNIT_OF_LENGTH)},
        same=r"^/gamma/corpus/.*/observed$|^/unitizing_alpha/corpus/coverage",
        perfect={**GAMMA["perfect"], **U_PERFECT},
        within={r"/(value)$": AT_MOST_1},
    ),
}

SCORES = r"/(p_k|window_diff|weighted_window_diff|lamprier|b|s)/value$"
OF_REFERENCE = {
    f"evaluate: {measure}": Measure(
        "evaluate",
        partial(ga.evaluate, measures=[measure], samples=SAMPLES, cases=measure == "spans"),
        segments if measure == "segmentation" else fractions,
        {
            "spans": {},
            "gamma": {"names of documents": NAMED_STREAMS},
            "unitizing-alpha": {"scaling": (r"/u(/|$)", UNIT_OF_LENGTH)},
            "segmentation": {"scaling": (r"/segmentation/", "segmentation counts atoms, whose length is a setting")},
            "diarization": {},
        }[measure],
        same=r"/(spans|segmentation|diarization)/.*/value$|^/systems/.*/(precision|recall|f1)/value$",
        doubled=r"^/systems/[^/]*/(documents|units|reference_units|counts/\w+)$",
        perfect={
            r"/(precision|recall|f1)/value$": 1.0,
            r"/(gamma|gamma_cat|u)/value$": 1.0,
            r"/(p_k|window_diff|weighted_window_diff|lamprier)/value$": 0.0,
            r"/segmentation/(\w+/)*(b|s)/value$": 1.0,
            r"/diarization/(\w+/)*(error_rate|der|jer)/value$": 0.0,
        },
        within={r"/(precision|recall|f1|b|s|p_k|window_diff|lamprier)/value$": SHARE, r"/gamma\w*/value$": AT_MOST_1},
        reference="reference",
    )
    for measure in REFERENCE_MEASURES
}
OF_REFERENCE |= {
    "segmentation": Measure(
        "segmentation",
        ga.segmentation,
        segments,
        {"scaling": (r"/(scores|mean)/", "segmentation counts atoms, whose length is a setting")},
        same=r"/value$",
        doubled=r"/(windows|matched|moved|substituted|left|documents)$",
        perfect={r"/(p_k|window_diff|weighted_window_diff|lamprier)/value$": 0.0, r"/(b|s)/value$": 1.0},
        within={r"/(p_k|window_diff|lamprier|b|s)/value$": SHARE},
    ),
    "pairwise_f1": Measure(
        "pairwise_f1",
        ga.pairwise_f1,
        fractions,
        {"names of annotators": (r"/(first|second)_units$", "first and second follow the order of the names")},
        same=r"/value$",
        doubled=r"/(first_units|second_units|documents)$",
        perfect={r"/value$": 1.0},
        within={r"/value$": SHARE},
    ),
}

OF_ALIGNMENTS = {
    "align": Measure(
        "align",
        ga.align,
        fractions,
        same="$^",
        perfect={r"/disorder$": 0.0},
        within={r"/disorder$": (0.0, 1e9), r"/gap$": SHARE},
    ),
    "consensus": Measure("consensus", ga.consensus, fractions, within={r"/\w*confidence$": SHARE}),
    "consensus of weighted annotators": Measure(
        "consensus", partial(ga.consensus, weigh="dawid-skene"), fractions, within={r"/\w*confidence$": SHARE}
    ),
    "disagreements": Measure(
        "disagreements",
        partial(ga.disagreements, samples=SAMPLES, pairs=True),
        fractions,
        {
            "names of documents": (
                rf"{SAMPLED}|^/to_settle/\*/(settled|examples/|alignments/)",
                "values without a disagreement need the samples; examples are the first ones by name",
            ),
            "names of categories": (
                r"^/kinds/|^/to_settle/\*/title$",
                "of more than two labels, equally frequent, a kind has the first two by name",
            ),
            "duplication": (
                r"/(share|before|after|gamma)|^/to_settle/\*/examples/",
                "shares are those of the disorder of all documents, and examples the first ones",
            ),
        },
        perfect={r"^/gamma/value$": 1.0, r"^/disorder/disorder$": 0.0},
        within={r"/share$": SHARE, r"/value$": AT_MOST_1},
    ),
    "compare: gamma": Measure(
        "compare",
        lambda pair: ga.compare(*pair, measure="gamma", samples=SAMPLES, replicates=40),
        lambda seed: Pair(fractions(seed), fractions(seed + 1000)),
        {
            "names of documents": (
                rf"{SAMPLED}|/(first|second|change|gamma_before|gamma_after)$|_cost$",
                NAMED_STREAMS[1],
            )
        },
        perfect={r"^/differences/.*/value$": 0.0},
        within={r"/p$": SHARE},
    ),
    "rounds": Measure(
        "rounds",
        lambda pair: ga.rounds({"one": pair[0], "two": pair[1]}, samples=SAMPLES, replicates=40),
        lambda seed: Pair(fractions(seed), fractions(seed + 1000)),
        {"names of documents": (rf"{SAMPLED}|/(first|second|p_holm)$", NAMED_STREAMS[1])},
        perfect={r"^/differences/.*/value$": 0.0},
        within={r"/p(_holm)?$": SHARE},
    ),
    "unit_changes": Measure(
        "unit_changes",
        lambda pair: ga.unit_changes(*pair),
        lambda seed: Pair(whole(seed), whole(seed + 1000)),
    ),
    "compare: unitizing-alpha": Measure(
        "compare",
        lambda pair: ga.compare(*pair, measure="unitizing-alpha", replicates=40),
        lambda seed: Pair(whole(seed), whole(seed + 1000)),
        {"scaling": (r"^/(differences|documents)/", UNIT_OF_LENGTH)},
        perfect={r"^/differences/.*/value$": 0.0},
        within={r"/p$": SHARE},
    ),
}

REPLACED = {
    "within": {r"/(p|omega|rho)(/value)?$": SHARE, r"/(omega|rho)/(low|high)$": SHARE},
    "reference": "annotator",
}
OF_MODELS = {
    "ceiling": Measure(
        "ceiling",
        ga.ceiling,
        fractions,
        same=r"^/score/(another/value|low|high|others_together)$",
        doubled=r"/units$",
        perfect={r"/(another/value|low|high)$": 1.0},
        within={r"/(value|low|high|others_together)$": SHARE},
    ),
    "replaceable": Measure(
        "replaceable",
        partial(ga.replaceable, replicates=40, min_instances=3, margin=0.1, samples=SAMPLES),
        fractions,
        {"names of documents": (r"/equivalence/", NAMED_STREAMS[1])},
        **REPLACED,
    ),
    "judges": Measure(
        "judges",
        ga.judges,
        partial(draw_judgments, missing=0.1),
        doubled=r"/items$",
        within={r"/value$": AT_MOST_1},
        is_numeric=False,
        reference="judges",
    ),
    "replaceable: items": Measure(
        "replaceable",
        partial(ga.replaceable, replicates=40, min_instances=3),
        partial(draw_judgments, missing=0.1),
        is_numeric=False,
        **REPLACED,
    ),
}

# --------------------------------------------------------------------------------------------------------------- items

three = partial(draw_judgments, missing=0.1)
two = partial(draw_judgments, coders=2)
binary = partial(draw_judgments, labels=("cat1", "cat2"))
numeric = partial(draw_judgments, labels=(1.0, 2.0, 4.0, 8.0), missing=0.1)
SETS = tuple(map(frozenset, ("", "a", "ab", "bc", "abc")))
TREE = {"animal": ["dog", "cat"], "dog": ["poodle", "pug"]}
TAXONOMY = distances.Taxonomy.of(TREE)

FEWER = "α corrects for the number of values"
COEFFICIENT = {
    "perfect": {r"^/value$": 1.0, r"^/observed$": 0.0},
    "within": {r"^/value$": AT_MOST_1, r"^/observed$": (0.0, 1e9), r"^/(low|high)$": (-1e9, 1.0)},
}
OF_ITEMS = {
    f"items: {name}": Measure(
        "item_coefficient",
        partial(ga.item_coefficient, name=name),
        binary if name == "pabak" else three,
        same=r"^/observed$" if name == "alpha" else r"^/(value|observed|expected)$",
        doubled=r"^/(items|pairable)$",
        is_numeric=False,
        **COEFFICIENT,
    )
    for name in SPECS
}

LABELS = {
    "numbers": (1.0, 2.0, 4.0, 8.0),
    "names": CATEGORIES,
    "sets": SETS,
    "nodes": ("animal", "dog", "cat", "poodle", "pug"),
}
IN_UNITS = (r"^/(observed|expected)$", "the distance is in the unit of the numbers")
DISTANCES: dict[str, tuple[distances.AnyDistance, str, dict[str, tuple[str, str]]]] = {
    "nominal": ("nominal", "names", {}),
    "ordinal": ("ordinal", "numbers", {}),
    "gwet-ordinal": ("gwet-ordinal", "numbers", {}),
    "interval": ("interval", "numbers", {"scaling": IN_UNITS}),
    "linear": ("linear", "numbers", {"scaling": IN_UNITS}),
    "ratio": ("ratio", "numbers", {"translation": (r"/\w+$", "ratios depend on the zero of the scale")}),
    "bipolar": ("bipolar", "numbers", {}),
    "circular": (distances.Circular(16), "numbers", {"scaling": (r"/\w+$", "the period remains as it is")}),
    "edit": ("edit", "names", {"names of categories": (r"/\w+$", "the distance is of the characters of the names")}),
    **{name: (name, "sets", {}) for name in ("jaccard", "dice", "passonneau", "masi", "masi-product")},
    "melamed-resnik": (distances.MelamedResnik(TAXONOMY), "nodes", {}),
    "path": (distances.TaxonomyPath(TAXONOMY), "nodes", {}),
    "extended-senses": (distances.ExtendedSenses(TAXONOMY), "nodes", {}),
}
"""A distance of each kind, the kind of labels that it is of, and exceptions from laws."""

OF_DISTANCES = {
    f"alpha with the distance {name}": Measure(
        "krippendorff_alpha",
        partial(ga.krippendorff_alpha, distance=distance),
        partial(draw_judgments, labels=LABELS[labels], missing=0.1),
        exceptions,
        doubled=r"^/(items|pairable)$",
        is_numeric=labels == "numbers",
        **COEFFICIENT,
    )
    for name, (distance, labels, exceptions) in DISTANCES.items()
}


def _cells(rows: Any, names: Sequence[str]) -> list[dict[str, Any]]:
    """Return the cells of a symmetric matrix with the names of row and column; None for a value that is missing."""
    pairs = combinations_with_replacement(range(len(names)), 2)
    cells = ((names[a], names[b], float(rows[a, b])) for a, b in pairs)
    return [{"annotators": [a, b], "value": None if math.isnan(cell) else cell} for a, b, cell in cells]


def _coder_agreement(table: ga.ItemTable) -> list[dict[str, Any]]:
    return _cells(ga.coder_agreement(table), table.coders)


def _coincidences(table: ga.ItemTable) -> list[dict[str, Any]]:
    return _cells(ga.coincidence_matrix(table), table.categories)


def _confusions(table: ga.ItemTable) -> dict[str, float]:
    """Return the cells of the confusion matrices of all coders, each as the first and as the second one."""
    return {
        f"{first} {a} {second} {b}": cell
        for first, second in product(table.coders, repeat=2)
        for a, row in zip(table.categories, ga.confusion_matrix(table, first, second).tolist(), strict=True)
        for b, cell in zip(table.categories, row, strict=True)
    }


def _of_items(function: str, call: Callable[[Any], Any], draw: Callable[[int], Any] = three, **laws: Any) -> Measure:
    return Measure(function, call, draw, is_numeric=False, **laws)


OF_TABLES = {
    "item_agreement": _of_items(
        "item_agreement",
        ga.item_agreement,
        same=r"^/coefficients/(observed|s|pi|kappa|ac1)/(value|observed|expected)$",
        perfect={r"/value$": 1.0},
        within={r"/value$": AT_MOST_1},
    ),
    "aickin": _of_items("aickin", ga.aickin, two, within={r"^/value$": AT_MOST_1}),  # its correction avoids 1
    "aickin without correction": _of_items(
        "aickin",
        partial(ga.aickin, correction=False),
        two,
        same=r"^/value$",
        perfect={r"^/value$": 1.0},
        within={r"^/value$": AT_MOST_1},
    ),
    "latent_classes": _of_items("latent_classes", ga.latent_classes, within={r"/(shares|response/\w+)": SHARE}),
    "chance_report": _of_items(
        "chance_report",
        ga.chance_report,
        two,
        same=r"/(value|bias|kappa_max|prevalence/\w+)$",
        perfect={r"/value$": 1.0, r"/bias$": 0.0},
        within={r"/value$": AT_MOST_1, r"/bias$": SHARE, r"/prevalence/": SHARE},
    ),
    "by_category": _of_items(
        "by_category",
        ga.by_category,
        same=r"/(pi|kappa|specific)/value$",
        doubled=r"/judgments$",
        perfect={r"/value$": 1.0},
        within={r"/value$": AT_MOST_1, r"/specific/value$": SHARE},
    ),
    "by_item": _of_items("by_item", ga.by_item, perfect={r"/disagreement/": 0.0}, within={r"/disagreement/": SHARE}),
    "by_pair": _of_items(
        "by_pair",
        ga.by_pair,
        same=r"/(value|kappa_max)$",
        doubled=r"/items$",
        perfect={r"/(value|kappa_max)$": 1.0},
        within={r"/(value|kappa_max)$": AT_MOST_1},
    ),
    "coder_agreement": _of_items(
        "coder_agreement",
        _coder_agreement,
        same=r"/value$",
        perfect={r"/value$": 1.0},
        within={r"/value$": AT_MOST_1},
    ),
    "coincidence_matrix": _of_items(
        "coincidence_matrix",
        _coincidences,
        doubled=r"/value$",
        perfect={r"/\w+ \w+/value$": 0.0},
        within={r"/value$": (0.0, 1e9)},
    ),
    "confusion_matrix": _of_items(
        "confusion_matrix", _confusions, doubled="", perfect={r"/\w+ (\w+) \w+ (?!\1)": 0.0}, within={"": (0.0, 1e9)}
    ),
    "compare: items": _of_items(
        "compare",
        lambda pair: ga.compare(*pair, measure=["kappa", "alpha"]),
        lambda seed: Pair(three(seed), three(seed + 1000)),
        same=r"^/differences/\*/(first|second)$",
        exceptions={"duplication": (r"/(first|second)$", FEWER)},
        perfect={r"^/differences/.*/value$": 0.0},
        within={r"/p$": SHARE},
    ),
}

MEASURES: dict[str, Measure] = {
    **OF_GAMMA,
    **OF_UNITIZING,
    **OF_REFERENCE,
    **OF_ALIGNMENTS,
    **OF_MODELS,
    **OF_ITEMS,
    **OF_DISTANCES,
    **OF_TABLES,
}
"""All measures by name."""

NOT_MEASURES = {
    "documents of results": ("alignment_svg", "citation", "experiment_svg", "html_changes", "html_report"),
    "plots of results": ("plot_curve", "plot_documents", "plot_pairs"),
    "data": ("from_pyannote", "from_spacy", "read", "read_decisions", "read_items", "validate", "write"),
    "simulations": (
        *("curve", "experiment", "plan", "plan_difference", "shuffle", "shuffle_grid", "synthetic_reference"),
        "kappa_sample_size",
    ),
    "sentences on measures that are here": ("look",),
    "parts of measures that are here": ("document_statistics", "given_alignment", "pool"),
}
"""Public functions that measure nothing themselves, by what they are for."""
