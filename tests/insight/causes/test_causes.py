"""Causes of disagreement: what was planted is named first, noise gives none, and shares are of realigned repairs."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest
from bench import count_documents, exchange_roles
from judging import SETTINGS, findings, is_right, sized, view_of
from made_corpora import MAKERS, Noise
from places import CORPORA
from plants import PLANTS

import gamma_align as ga
from gamma_align.insight.causes.cause import Candidate, Cause, Sentence, Tier, name_of
from gamma_align.insight.causes.evidence import MIN_NET, binomial_evidence, contrast_evidence
from gamma_align.insight.causes.kinds import confusion, drift
from gamma_align.insight.causes.label_cells import LabelCells
from gamma_align.insight.causes.pursuit import MIN_SHARE, pursue
from gamma_align.insight.causes.registry import CAUSES
from gamma_align.insight.causes.repair import Repair, repaired_units
from gamma_align.insight.causes.view import View
from gamma_align.insight.disagreements.unitary_alignments import unitary_alignments

NOVELS = CORPORA / "novels_ner"
SHARE = 0.4  # of the disorder: what is planted is no doubt there
SHAPES = {"text": (2, 40), "time": (3, 12), "cover": (3, 12)}


@cache
def base(kind, min_annotators=2):
    n, n_documents = SHAPES[kind]
    shape = (n, n_documents) if n >= min_annotators else (min_annotators, 12)
    draft = MAKERS[kind](np.random.default_rng([1, 7]), *shape, Noise())
    return draft, view_of(draft).disorder


@pytest.mark.parametrize(
    ("plant", "kind"),
    [(plant, kind) for plant in PLANTS for kind in plant.kinds],
    ids=lambda value: getattr(value, "name", value),
)
def test_a_planted_cause_is_found_first(plant, kind):
    draft, disorder = base(kind, plant.min_annotators)
    planted = sized(plant, draft, disorder, 1, SHARE, 0)
    found = findings(planted.view)
    assert found
    assert is_right(found[0], planted.planted), [step.sentence.title for group in found for step in group]


@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize("factor", [1.0, 3.0])
@pytest.mark.parametrize("seed", range(2))
def test_noise_gives_no_finding(kind, factor, seed):
    draft = MAKERS[kind](np.random.default_rng([seed, 99]), 3, 12, Noise().times(factor))
    assert [step.sentence.title for group in findings(view_of(draft)) for step in group] == []


def test_the_share_of_a_cause_is_that_of_the_realigned_repair():
    draft, disorder = base("text")
    plant = next(plant for plant in PLANTS if plant.name == "silent documents")
    view = sized(plant, draft, disorder, 1, SHARE, 0).view
    steps, last = pursue(view, SETTINGS.dissimilarity, SETTINGS.limits)
    assert len(steps) >= 1
    again = unitary_alignments(last.corpus, SETTINGS.dissimilarity, SETTINGS.limits)
    assert last.disorder == pytest.approx(float(again.disorder.sum()))
    assert view.disorder - sum(step.removed for step in steps) == pytest.approx(last.disorder)
    assert np.array_equal(again.group, last.alignments.group)
    assert all(step.removed >= MIN_SHARE * view.disorder for step in steps)


@pytest.mark.parametrize("plant", [plant for plant in PLANTS if plant.signature], ids=lambda plant: plant.name)
def test_a_repair_keeps_units_in_order_and_labels_in_use(plant):
    kind = plant.kinds[0]
    draft, disorder = base(kind)
    view = sized(plant, draft, disorder, 1, SHARE, 0).view
    for cause in CAUSES:
        for candidate in cause.propose(view):
            corpus, origin = repaired_units(view.corpus, view.origin, candidate.repair(view))
            assert (corpus.end >= corpus.start).all()
            assert (np.diff(View(corpus, view.alignments).lane) >= 0).all()
            assert origin.max() < view.corpus.n_units
            assert corpus.unit_offsets[-1] == corpus.n_units == len(origin)
            assert corpus.category.max() < len(corpus.categories)


def test_findings_of_the_novels():
    result = ga.disagreements(NOVELS, samples=3)
    first, second, *_ = result.to_settle
    assert (first.kind, first.annotator, first.direction) == ("words", "user2", "leaves out")
    assert first.words[:5] == ("his", "my", "her", "your", "their")
    assert first.share == pytest.approx(0.325, abs=0.005)
    assert (second.kind, second.annotator, second.documents) == ("silence", "user1", ("VanityFair",))
    assert second.stretch[0] == 2164
    assert second.share == pytest.approx(0.133, abs=0.003)
    gamma = float(result.gamma.gamma)
    assert first.gamma_before == pytest.approx(gamma)
    assert second.gamma_before == first.gamma_after
    assert result.to_settle[-1].gamma_after == pytest.approx(
        1 - (1 - gamma) * (1 - sum(finding.share for finding in result.to_settle))
    )
    assert all(len(finding.examples) <= 3 and 0 <= finding.p <= np.exp(-5) for finding in result.to_settle)
    assert first.examples[0].text.lower() in first.words


def test_exchanged_roles_name_nobody_over_several_documents():
    corpus = exchange_roles(ga.read(NOVELS), np.random.default_rng([0, 11]))
    view = View(corpus, unitary_alignments(corpus, SETTINGS.dissimilarity, SETTINGS.limits))
    groups = findings(view)
    named = [group[0] for group in groups if group[0].candidate.annotator >= 0]
    assert [step.sentence.title for step in named if count_documents(view, step.units) > 1] == []


def test_findings_of_an_annotator_are_those_of_all():
    everybody = ga.disagreements(NOVELS, samples=3).to_settle
    titles = [finding.title for finding in everybody if finding.annotator == "user1"]
    assert [finding.title for finding in ga.disagreements(NOVELS, samples=3, annotator="user1").to_settle] == titles


def test_leaves_out_is_said_only_where_no_unit_overlaps():
    draft, disorder = base("text")
    plant = next(plant for plant in PLANTS if plant.name == "units split")
    view = sized(plant, draft, disorder, 1, SHARE, 0).view
    assert not any("leaves out" in step.sentence.title for group in findings(view) for step in group)
    rows, chances = view.rows, view.chances
    for alignment, annotator in zip(
        chances.alignment[chances.hit].tolist(), chances.annotator[chances.hit].tolist(), strict=True
    ):
        document = view.alignments.document[alignment]
        own = (view.corpus.annotator == annotator) & (view.unit_document == document)
        low, high = view.alignments.start[alignment], view.alignments.end[alignment]
        assert not (own & (view.corpus.start < high) & (view.corpus.end > low)).any()
    assert len(rows) == view.document_size[view.alignments.document].sum()


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Points(Candidate):
    """Units without length, which are dropped."""

    units: np.ndarray

    def repair(self, view):
        return Repair(self.units, view.units.take(slice(0, 0)))

    def sentence(self, view):
        return Sentence(f"{name_of(view, self.annotator)} has {len(self.units)} points", "None of the others has any.")

    def question(self, view):  # noqa: ARG002  (the interface)
        return "Are points meant?"


def propose_points(view):
    is_point = view.corpus.start == view.corpus.end
    for annotator in np.unique(view.corpus.annotator[is_point]).tolist():
        units = np.flatnonzero(is_point & (view.corpus.annotator == annotator))
        yield Points(annotator=annotator, net=5.0 * len(units), units=units)


def test_a_new_kind_of_cause_takes_a_module_and_a_line_in_the_registry():
    points = Cause("points", Tier.FILE, "units without length", "drops them", propose_points)
    units = [("d", name, start, start + 4, "x") for name in ("ann", "bob") for start in range(0, 100, 10)]
    corpus = ga.Corpus.from_records([*units, *(("d", "bob", place, place, "x") for place in (5, 15, 35, 75))])
    view = View(corpus, unitary_alignments(corpus, SETTINGS.dissimilarity, SETTINGS.limits))
    steps, last = pursue(view, SETTINGS.dissimilarity, SETTINGS.limits, (*CAUSES, points))
    assert [(step.cause.name, step.sentence.title) for step in steps] == [("points", "bob has 4 points")]
    assert last.disorder == 0


@pytest.mark.parametrize("name", ["salami", "novels_ner"])
def test_detectors_after_repairs_propose_what_they_propose_of_a_fresh_view(name):
    corpus = ga.read(CORPORA / name)
    corpus = corpus.select(documents=corpus.documents[:200:2]) if name == "salami" else corpus
    first = View(corpus, unitary_alignments(corpus, SETTINGS.dissimilarity, SETTINGS.limits))
    _, last = pursue(first, SETTINGS.dissimilarity, SETTINGS.limits)
    assert last is not first
    fresh = View(last.corpus, last.alignments, last.origin, first)
    assert last.rows == fresh.rows  # those of untouched documents come from earlier views
    assert np.array_equal(last.bounds_of_others, fresh.bounds_of_others)
    for cause in CAUSES:
        if cause.obstacle(first) is None:
            assert summaries(cause, last) == summaries(cause, fresh)


def summaries(cause, view):
    """Return the evidence and the keys of the candidates of a cause."""
    return [(candidate.key, candidate.net, candidate.documents.tolist()) for candidate in cause.propose(view)]


@pytest.mark.parametrize("seed", range(8))
def test_exchanged_units_are_those_counted_pair_by_pair(seed):
    draw = np.random.default_rng(seed)
    unit = np.arange(240)
    cells = LabelCells(5, unit, *(np.sort(draw.integers(0, 2, len(unit))), draw.integers(0, 9, len(unit))),
                       *(draw.integers(0, 4, len(unit)) for _ in range(2)))  # fmt: skip
    expected, expected_documents = [], []
    for annotator, (first, second) in itertools.product(range(2), itertools.combinations(range(5), 2)):
        columns = (cells.annotator, cells.document, cells.label_of_others, cells.own_label)
        places = [*enumerate(zip(*(column.tolist() for column in columns), strict=True))]
        n_documents = set()
        for document in range(9):
            of_labels = {
                index: others != own
                for index, (person, at, others, own) in places
                if (person, at) == (annotator, document) and {others, own} <= {first, second}
            }
            n_documents |= {document} if of_labels else set()
            exchanged = [index for index, is_exchanged in of_labels.items() if is_exchanged]
            if exchanged:
                expected.append((annotator, first, second, document, len(exchanged), len(of_labels), exchanged))
        if any(entry[:3] == (annotator, first, second) for entry in expected):
            expected_documents.append(len(n_documents))
    found = confusion._Exchanges.of(cells)
    entries = [
        (*(int(column[pair]) for column in (found.annotator, found.first, found.second)), *counts)
        for pair, *counts in zip(
            *(column.tolist() for column in (found.pair, found.document, found.hits, found.total)),
            [part.tolist() for part in np.split(found.cells, found.begin[1:-1])],
            strict=True,
        )
    ]
    assert entries == expected
    assert found.n_documents.tolist() == expected_documents


def swap_pair_by_pair(cells, pair, price):
    """Return the evidence and the exchanged units of two labels that an only annotator has swapped; None if not."""
    first, second = pair
    table = cells.table()
    part = cells.take(np.isin(cells.label_of_others, pair) & np.isin(cells.own_label, pair))
    is_exchanged = part.own_label != part.label_of_others
    documents = sorted(set(part.document.tolist()))
    counts = {
        at: (int((is_exchanged & (part.document == at)).sum()), int((part.document == at).sum())) for at in documents
    }
    swapped = [at for at, (hits, total) in counts.items() if hits > 0.6 * total]
    n = sum(counts[at][0] for at in swapped)
    rest_hits, rest_total = (sum(counts[at][column] for at in documents if at not in swapped) for column in (0, 1))
    kept, exchanged = table[first, first] + table[second, second], table[first, second] + table[second, first]
    n_third = int(np.count_nonzero(table.sum(axis=0) + table.sum(axis=1))) - 2
    to_third = (table[first].sum() + table[second].sum() - kept - exchanged) / n_third
    usual = (to_third + 0.5) / (to_third + max(kept, exchanged) + 1.0)
    other_pairs = [other for other in itertools.combinations(range(len(table)), 2) if set(other) != set(pair)]
    other_exchanged = sum(table[one, two] + table[two, one] for one, two in other_pairs)
    other_kept = sum(table[one, one] + table[two, two] for one, two in other_pairs if max(one, two) < n_third + 2)
    usual = max(usual, (other_exchanged + 0.5) / (other_exchanged + other_kept + 1.0))
    rate = min(max((rest_hits + usual) / (rest_total + 1.0), usual), 0.5)
    rates = [table[one, other] / max(table[one].sum(), 1) for one, other in (pair, pair[::-1])]
    is_everywhere = min(rates) >= 0.3 and n >= 0.6 * exchanged > 0.36 * (exchanged + kept)
    price_of_document = math.log(2 if is_everywhere else max(len(documents), 1))
    gains = {at: float(binomial_evidence(*counts[at], rate)) - price_of_document for at in swapped}
    net = math.fsum(gain for gain in gains.values() if gain > 0) - price
    if n < 3 or net < MIN_NET:
        return None
    touched = part.take(is_exchanged & np.isin(part.document, [at for at, gain in gains.items() if gain > 0]))
    return (net, touched.unit.tolist()) if confusion._exchanged_directions(cells, touched, first, second) else None


@pytest.mark.parametrize("n_labels", [3, 8])
def test_swaps_are_those_found_pair_by_pair(n_labels):
    """No swap is missed because its evidence seems to be too small."""
    corpus, n_swaps = SimpleNamespace(seen=np.zeros(0)), 0
    view = SimpleNamespace(corpus=corpus, has_three_annotators=True, n_annotators=18)
    for seed in range(40):
        draw = np.random.default_rng(seed)
        unit = np.arange(300)
        document, others = np.sort(draw.integers(0, 20, 300)), draw.integers(0, n_labels, 300)
        own = np.where(draw.random(300) < 0.1, draw.integers(0, n_labels, 300), others)
        is_swapped = (document < draw.integers(0, 5)) & (others < 2)
        own[is_swapped] = 1 - others[is_swapped]
        cells = LabelCells(n_labels + 1, unit, np.zeros_like(unit), document, others, own)
        price = math.log(math.comb(n_labels, 2) * 18)
        found = {frozenset(swap.labels): (swap.net, swap.units.tolist()) for swap in confusion._find_swaps(view, cells)}
        expected = {
            frozenset(pair): swap_pair_by_pair(cells, pair, price)
            for pair in itertools.combinations(range(n_labels), 2)
        }
        expected = {labels: swap for labels, swap in expected.items() if swap is not None}
        assert found.keys() == expected.keys()
        for labels, (net, units) in expected.items():
            assert found[labels] == (pytest.approx(net, rel=1e-12), units)
        n_swaps += len(expected)
    assert n_swaps > 10


def best_part_of(seen, totals, price):
    """Return direction, net evidence and documents of the best part of one candidate, looked for cut by cut."""
    documents = sorted(totals)
    hits, total = (np.array([totals[document][column] for document in documents], dtype=float) for column in (0, 1))
    best = None
    for direction in (drift.LATER, drift.EARLIER):
        evidence = {}
        for cut, document in enumerate(documents[:-1]):
            n_before = sum(other <= document for other in seen)
            before, after = slice(None, cut + 1), slice(cut + 1, None)
            rest_hits, part_hits, rest_total, part_total = (
                float(column[part].sum()) for column in (hits, total) for part in (before, after)
            )
            if direction == drift.EARLIER:
                part_hits, part_total, rest_hits, rest_total = rest_hits, rest_total, part_hits, part_total
            is_habit = n_before >= 3 and len(seen) - n_before >= 3
            if is_habit and part_hits * rest_total >= 2.0 * rest_hits * part_total:
                evidence[cut] = float(contrast_evidence(part_hits, part_total, rest_hits, rest_total))
        if not evidence:
            continue
        cut = max(evidence, key=evidence.get)
        phi = drift._dispersion_beside(hits, total, cut)
        net = evidence[cut] / phi - math.log(2 * len(documents)) - price
        members = documents[cut + 1 :] if direction == drift.LATER else documents[: cut + 1]
        if net >= MIN_NET and (best is None or net > best[1]):
            best = direction, net, members
    return best


def test_best_parts_are_those_found_cut_by_cut():
    n_documents, price, n_found = 14, 0.5, 0
    for seed in range(60):
        draw = np.random.default_rng(seed)
        seen = [np.flatnonzero(draw.random(n_documents) < 0.9) for _ in range(3)]
        annotator = draw.integers(0, 3, 7)
        rows = []
        for candidate, code in enumerate(annotator.tolist()):
            change = draw.integers(0, n_documents)
            document = draw.choice(seen[code], 60)
            is_there = (document >= change) ^ (candidate % 2 == 0)
            rows += [
                (candidate, at, draw.random() < (0.8 if there else 0.1))
                for at, there in zip(document, is_there, strict=True)
            ]
        candidate, document, hit = (np.array(column) for column in zip(*rows, strict=True))
        view = SimpleNamespace(
            corpus=SimpleNamespace(documents=tuple(f"d{index}" for index in range(n_documents))),
            documents_seen=(np.concatenate(seen), np.cumsum([len(documents) for documents in seen])),
        )
        places = drift._Places(candidate, document, hit)
        found = dict(drift._find_best_parts(view, annotator, places, np.arange(n_documents), price))
        for index, code in enumerate(annotator.tolist()):
            totals = {}
            for at, is_hit in zip(document[candidate == index].tolist(), hit[candidate == index].tolist(), strict=True):
                hits, total = totals.get(at, (0, 0))
                totals[at] = hits + is_hit, total + 1
            expected = best_part_of(seen[code].tolist(), totals, price)
            part = found.pop(index, None)
            assert (part is None) == (expected is None)
            if part is not None:
                assert (part.direction, part.net, part.documents.tolist()) == expected
                n_found += 1
        assert not found
    assert n_found > 100
