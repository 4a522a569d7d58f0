"""Options of γ, γcat and γk, and the conventions that decide the options that are not set.

Conventions follow the papers (M15, M17), the authors' program, or pygamma-agreement 0.5.9. The options cover the
weights, pairing confidence, number of samples and default sampler of pygamma-agreement, and the offsets of its
shuffling sampler. They do not cover its samples without aligned units, which are 0 for γcat and 1 for γk of a category
that they lack, nor its unaligned units, which count as disagreement for γcat.
"""

from __future__ import annotations

from gamma_align.alignment import ALIGNMENT, PROOF_OPTIONS
from gamma_align.chance import chance_options as chance
from gamma_align.distances import listed
from gamma_align.options import EMPTY_COST, WEIGHT, Choice, Control, Group, Option, Text, all_options

# The other options have the values of these conventions unless they are set.
CONVENTIONS = Option(
    "conventions",
    Choice(("m15", "authors", "pygamma")),
    "source of the defaults: the papers, the authors' program, or pygamma-agreement",
    default="m15",
    explanation="Source of the value of each option that is not given: the papers, the authors' program (α = 3, "
    "weighted confidence, integer offsets half a mean length apart), or pygamma-agreement (confidence likewise, 30 "
    "samples of its statistical sampler without control), as far as it can be set: see "
    "`gamma_align.measures.gamma.gamma_options`.",
    control=Control(
        "Measure",
        "Conventions",
        choices={"m15": "γ, γcat and γk", "authors": "as the authors’ program", "pygamma": "as pygamma-agreement"},
        affects="alignment",
        is_title_hidden=True,
    ),
)
# The weight of d_pos in d = α·d_pos + β·d_cat (M15 §4.2); the authors' program has 3.
ALPHA = Option(
    "alpha",
    WEIGHT,
    "weight of the position",
    default=1.0,
    conventions={"authors": 3.0},
    metavar="X",
    explanation="α, the weight of the position.",
    control=Control("Disorder", "Weight of position", symbol="α", affects="alignment"),
)
# The weight of d_cat in the same sum.
BETA = Option(
    "beta",
    WEIGHT,
    "weight of the category",
    default=1.0,
    conventions={},
    metavar="X",
    explanation="β, the weight of the category.",
    control=Control("Disorder", "Weight of category", symbol="β", affects="alignment"),
)
DELTA_EMPTY = Option(
    "delta_empty",
    EMPTY_COST,
    "Δ, the cost of an empty unit",
    default=1.0,
    conventions={},
    metavar="X",
    explanation="Δ, the dissimilarity of a unit to the empty unit.",
    control=Control("Disorder", "Cost of leaving alone", symbol="Δ", affects="alignment"),
)
DISTANCE = Option(
    "distance",
    Text(python="AnyDistance"),
    f"distance of categories: {listed()}",
    metavar="NAME",
    shown_default="nominal",
    explanation="Distance between categories, as a name, Distance, table or function: see "
    "`gamma_align.distances.as_distance`.",
    control=Control("Disorder", "Distance of categories", affects="alignment"),
)
# Python alone: an object has no form on a command line.
DISSIMILARITY = Option(
    "dissimilarity",
    Text(python="Dissimilarity"),
    "d with its weights",
    explanation="d with its weights, in place of `distance`, `alpha`, `beta` and `delta_empty`.",
    is_argument=False,
)
# The papers have one expected disorder for each document.
CHANCE = Option(
    "chance",
    Choice(("documents", "pooled")),
    "whether each document has an expected disorder of its own, or documents with the same number of annotators share"
    " one, so that very short documents have a value, too",
    default="documents",
    conventions={},
    explanation="Whether each document has an expected disorder of its own, or documents with as many annotators share "
    "one: for documents so short that their own values are noise, or not available. Documents too short for the "
    "offsets of their samples contribute only if all of them are.",
)

WEIGHT_OPTIONS = Group((CONVENTIONS, ALPHA, BETA, DELTA_EMPTY), "dissimilarity", "more")
DISTANCE_OPTIONS = Group((DISTANCE, DISSIMILARITY))
SAMPLING_OPTIONS = chance.SAMPLING_OPTIONS
CHANCE_OPTIONS = Group(
    (
        *(chance.PRECISION_OF, chance.CONFIDENCE, chance.EMPTY_SAMPLES, chance.SAMPLER, CHANCE, chance.MIN_DISTANCE),
        *(chance.INTEGER_OFFSETS, chance.MAX_SAMPLES, chance.CONTROL, *PROOF_OPTIONS),
    ),
    "chance and γcat",
    "more",
)
ALIGNMENT_OPTIONS = Group((ALIGNMENT,), "alignment", "more")
GAMMA_OPTIONS = all_options((WEIGHT_OPTIONS, DISTANCE_OPTIONS, SAMPLING_OPTIONS, CHANCE_OPTIONS, ALIGNMENT_OPTIONS))
CONVENTION_VALUES = {
    conventions: {
        option.name: option.value_under(conventions) for option in GAMMA_OPTIONS if option.conventions is not None
    }
    for conventions in CONVENTIONS.words
}
"""The value of each option that conventions decide, by conventions."""
