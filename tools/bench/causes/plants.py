"""The registry of plants: one common cause each, planted in one annotator, and what is to be found."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from made_corpora import Draft

from gamma_align.insight.causes.evidence import binomial_evidence, contrast_evidence


@dataclass(frozen=True)
class Planted:
    """A corpus with a cause, what names it rightly, and the numbers of the oracle.

    `hits` of `total` occasions in the true scope are touched. `rate` is the rate of the same annotator elsewhere.
    """

    draft: Draft
    kinds: tuple[str, ...]
    annotator: int
    documents: tuple[int, ...] | None = None  # None: everywhere, or not judged
    labels: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    direction: str = ""
    touched: int = 0
    nats: float = 0.0
    symmetric: bool = False  # with two annotators either may be named


Apply = Callable[[Draft, int, float, np.random.Generator], Planted]


@dataclass(frozen=True)
class Plant:
    """A cause to plant. `apply(draft, who, size, rng)` plants it with a size between 0 and 1."""

    name: str
    apply: Apply
    kinds: tuple[str, ...] = ("text",)
    signature: bool = False  # a kind that leaves a trace of its own in every unit
    min_annotators: int = 2


def some_documents(draft: Draft, size: float, rng: np.random.Generator, *, least: int = 1) -> np.ndarray:
    n = len(draft.documents)
    count = min(max(round(size * n), least), n)
    return np.sort(rng.choice(n, count, replace=False))


def own_in(draft: Draft, who: int, documents: np.ndarray) -> np.ndarray:
    return (draft.annotator == who) & np.isin(draft.document, documents)


RATE_ELSEWHERE = 0.1  # at which an annotator of the made corpora leaves out what the others have


def contrast_nats(hits: float, total: float, rest: float, rate: float = RATE_ELSEWHERE) -> float:
    """Return the evidence of `hits` of `total` in the true scope, beside errors at a rate there and elsewhere."""
    in_scope = hits + rate * (total - hits)
    return float(contrast_evidence(in_scope, total, rate * rest, rest))


def duplicates(draft: Draft, who: int, size: float, rng: np.random.Generator) -> Planted:
    documents = some_documents(draft, size, rng)
    copies = own_in(draft, who, documents)
    n = int(copies.sum())
    return Planted(draft.add(draft.take(copies)), ("duplicates",), who, tuple(documents), touched=n, nats=10.0 * n)


def lower_case(draft: Draft, who: int, size: float, rng: np.random.Generator) -> Planted:
    own = own_in(draft, who, some_documents(draft, size, rng))
    label = draft.label.copy()
    label[own] = [name.lower() for name in label[own]]
    return Planted(
        draft.change(label=label), ("spelling",), who, touched=int(own.sum()), nats=3.0 * own.sum(), symmetric=True
    )


def times(factor: float) -> Apply:
    def apply(draft: Draft, who: int, size: float, rng: np.random.Generator) -> Planted:
        documents = some_documents(draft, size, rng)
        own = own_in(draft, who, documents)
        start, end = draft.start.copy(), draft.end.copy()
        start[own] *= factor
        end[own] *= factor
        if draft.kind == "text":
            start, end = np.floor(start), np.floor(end)
        return Planted(
            draft.change(start=start, end=end),
            ("scale",),
            who,
            tuple(documents),
            touched=int(own.sum()),
            nats=3.0 * own.sum(),
            symmetric=factor < 1,
        )

    return apply


def shifted(lag: float, *, ends: bool = False, starts: bool = True) -> Apply:
    def apply(draft: Draft, who: int, size: float, rng: np.random.Generator) -> Planted:
        documents = some_documents(draft, size, rng)
        own = own_in(draft, who, documents)
        start, end = draft.start.copy(), draft.end.copy()
        if starts:
            start[own] += lag
        end[own] = np.maximum(end[own] + lag, start[own])
        return Planted(
            draft.change(start=start, end=end),
            ("offset",),
            who,
            tuple(documents),
            direction="ends" if ends else "",
            touched=int(own.sum()),
            nats=2.0 * own.sum(),
            symmetric=draft.texts is None or abs(lag) < 2,
        )

    return apply


def crlf(draft: Draft, who: int, size: float, rng: np.random.Generator) -> Planted:
    own = own_in(draft, who, some_documents(draft, size, rng))
    start, end = draft.start.copy(), draft.end.copy()
    for index in np.flatnonzero(own).tolist():
        text = draft.texts[draft.document[index]]
        start[index] += text[: int(draft.start[index])].count("\n")
        end[index] += text[: int(draft.end[index])].count("\n")
    moved = int((start != draft.start).sum())
    return Planted(draft.change(start=start, end=end), ("growing-offset",), who, touched=moved, nats=3.0 * moved - 10)


def utf8(draft: Draft, who: int, size: float, rng: np.random.Generator) -> Planted:
    own = own_in(draft, who, some_documents(draft, size, rng))
    start, end = draft.start.copy(), draft.end.copy()
    for index in np.flatnonzero(own).tolist():
        text = draft.texts[draft.document[index]]
        for column, source in ((start, draft.start), (end, draft.end)):
            column[index] = len(text[: int(source[index])].encode())
    moved = int((start != draft.start).sum())
    return Planted(draft.change(start=start, end=end), ("growing-offset",), who, touched=moved, nats=3.0 * moved - 10)


def exchanged(draft: Draft, who: int, size: float, rng: np.random.Generator) -> Planted:
    n = len(draft.documents)
    documents = some_documents(draft, size, rng)
    source = (documents + 1 + int(rng.integers(n - 1))) % n
    source = np.where(np.isin(source, documents), (documents + 1) % n, source)
    result = draft.take(~own_in(draft, who, documents))
    total = 0
    for document, other in zip(documents.tolist(), source.tolist(), strict=True):
        units = draft.take(own_in(draft, who, np.array([other])))
        total += len(units.start)
        result = result.add(units.change(document=np.full(len(units.start), document)))
    return Planted(result, ("exchanged",), who, tuple(documents), touched=total, nats=3.0 * total)


def splits(draft: Draft, who: int, size: float, rng: np.random.Generator) -> Planted:
    words = draft.words()
    several = np.flatnonzero(draft.of(who) & np.array([" " in word for word in words]))
    count = max(round(size * len(several)), 1)
    chosen = rng.choice(several, count, replace=False)
    parts = draft.take(chosen)
    middle = parts.start + np.array([words[i].index(" ") for i in chosen])
    kept = np.delete(np.arange(len(words)), chosen)
    result = draft.take(kept).add(parts.change(end=middle)).add(parts.change(start=middle + 1))
    return Planted(result, ("split",), who, touched=count, nats=0.7 * count, symmetric=True)


CUTS_OF_NOISE = 2.7  # boundaries of an annotator in a covered document of the base noise that the others do not have


def cut_nats(n: int, n_documents: int, n_annotators: int) -> float:
    """Return the evidence of so many boundaries of one annotator beside those that all have by the base noise."""
    noise = CUTS_OF_NOISE * n_documents
    return float(binomial_evidence(n + noise, n + n_annotators * noise, 1 / n_annotators))


def finer(draft: Draft, who: int, size: float, rng: np.random.Generator) -> Planted:
    long = np.flatnonzero(draft.of(who) & (draft.end - draft.start >= 120))
    chosen = rng.choice(long, max(round(size * len(long)), 1), replace=False)
    parts = draft.take(chosen)
    middle = parts.start + 30 * np.round((parts.end - parts.start) / 60)
    other = np.array(
        [rng.choice([name for name in np.unique(draft.label) if name != label]) for label in parts.label], dtype=object
    )
    kept = np.delete(np.arange(len(draft.start)), chosen)
    third = np.minimum(middle + 30, parts.end)
    result = draft.take(kept).add(parts.change(end=middle)).add(parts.change(start=middle, end=third, label=other))
    rest = parts.end > third
    result = result.add(parts.take(rest).change(start=third[rest]))
    return Planted(
        result,
        ("granularity",),
        who,
        direction="finer",
        touched=2 * len(chosen),
        nats=cut_nats(2 * len(chosen), len(draft.documents), len(draft.annotators)),
        symmetric=True,
    )


def coarser(draft: Draft, who: int, size: float, rng: np.random.Generator) -> Planted:
    own = np.flatnonzero(draft.of(who))
    own = own[np.lexsort((draft.start[own], draft.document[own]))]
    keep = np.ones(len(draft.start), bool)
    end = draft.end.copy()
    n = 0
    for before, after in itertools.pairwise(own.tolist()):
        if draft.document[before] != draft.document[after] or draft.end[after] - draft.start[after] > 120:
            continue
        if rng.random() < size and keep[before]:
            end[before] = draft.end[after]
            keep[after] = False
            n += 1
    return Planted(
        draft.change(end=end).take(keep),
        ("granularity",),
        who,
        direction="coarser",
        touched=n,
        nats=cut_nats(n, len(draft.documents), len(draft.annotators)),
        symmetric=True,
    )


def _dropped(
    draft: Draft, who: int, hits: np.ndarray, kinds: tuple[str, ...], scope: np.ndarray | None = None, **more: object
) -> Planted:
    """Drop units; `scope` are all units that might have been dropped, by default those that are."""
    n, total = int(hits.sum()), int((hits if scope is None else scope).sum())
    nats = contrast_nats(n, total, int(draft.of(who).sum()) - total)
    return Planted(draft.take(~hits), kinds, who, touched=n, nats=nats, **more)


def silent_documents(draft: Draft, who: int, size: float, rng: np.random.Generator) -> Planted:
    documents = some_documents(draft, size, rng)
    return _dropped(draft, who, own_in(draft, who, documents), ("silence",), documents=tuple(documents))


def silent_from(draft: Draft, who: int, size: float, _: np.random.Generator) -> Planted:
    n = len(draft.documents)
    documents = np.arange(n - max(round(size * n), 1), n)
    return _dropped(draft, who, own_in(draft, who, documents), ("silence",), documents=tuple(documents))


def stops_in_each(draft: Draft, who: int, size: float, _: np.random.Generator) -> Planted:
    cut = np.array(draft.lengths) * (1 - 0.6 * size)
    scope = draft.of(who) & (draft.start >= cut[draft.document])
    return _dropped(draft, who, scope, ("silence",))


def stops_in_one(draft: Draft, who: int, size: float, _: np.random.Generator) -> Planted:
    sizes = np.bincount(draft.document[draft.of(who)], minlength=len(draft.documents))
    document = int(sizes.argmax())
    own = np.flatnonzero(own_in(draft, who, np.array([document])))
    own = own[np.argsort(draft.start[own])]
    count = max(round(len(own) * (0.3 + 0.4 * size)), 3)
    scope = np.zeros(len(draft.start), bool)
    scope[own[-count:]] = True
    return _dropped(draft, who, scope, ("silence",), documents=(document,))


def never_label(draft: Draft, who: int, size: float, _: np.random.Generator) -> Planted:
    names, counts = np.unique(draft.label[draft.of(who)].astype(str), return_counts=True)
    label = names[np.argmin(np.abs(counts - size * counts.max()))]
    scope = draft.of(who) & (draft.label == label)
    return _dropped(draft, who, scope, ("label-use",), labels=(str(label),))


def label_left_out(draft: Draft, who: int, size: float, rng: np.random.Generator) -> Planted:
    names, counts = np.unique(draft.label[draft.of(who)].astype(str), return_counts=True)
    label = names[counts.argmax()]
    scope = draft.of(who) & (draft.label == label)
    hits = scope & (rng.random(len(draft.start)) < size)
    return _dropped(draft, who, hits, ("label-use",), scope, labels=(str(label),))


def some_words(draft: Draft, who: int, size: float, _: np.random.Generator) -> Planted:
    names, counts = np.unique(draft.words()[draft.of(who)].astype(str), return_counts=True)
    order = np.argsort(np.abs(counts - 6 - 14 * size))[:2]
    words = tuple(names[order].tolist())
    scope = draft.of(who) & np.isin(draft.words().astype(str), words)
    return _dropped(draft, who, scope, ("words",), words=words)


def second_mentions(draft: Draft, who: int, size: float, rng: np.random.Generator) -> Planted:
    words = draft.words().astype(str)
    seen, scope, hits = set(), np.zeros(len(words), bool), rng.random(len(words)) < size
    for index in np.lexsort((draft.start, draft.document)).tolist():
        if draft.annotator[index] != who:
            continue
        key = (draft.document[index], words[index])
        scope[index] = key in seen
        seen.add(key)
    return _dropped(draft, who, scope & hits, ("first-mention",), scope)


def long_units(draft: Draft, who: int, size: float, _: np.random.Generator) -> Planted:
    length = draft.end - draft.start
    cut = np.quantile(length[draft.of(who)], 1 - 0.4 * size)
    scope = draft.of(who) & (length >= cut)
    return _dropped(draft, who, scope, ("length",), direction="longer")


def short_units(draft: Draft, who: int, size: float, _: np.random.Generator) -> Planted:
    length = draft.end - draft.start
    cut = np.quantile(length[draft.of(who)], 0.4 * size)
    scope = draft.of(who) & (length <= cut)
    return _dropped(draft, who, scope, ("length",), direction="shorter")


def fewer(draft: Draft, who: int, size: float, rng: np.random.Generator) -> Planted:
    own = draft.of(who)
    hits = own & (rng.random(len(draft.start)) < 0.5 * size)
    n, total = int(hits.sum()), int(own.sum())
    return Planted(draft.take(~hits), ("rate",), who, touched=n, nats=contrast_nats(n, total, total), symmetric=True)


def relabelled(one: str, other: str) -> Apply:
    def apply(draft: Draft, who: int, size: float, rng: np.random.Generator) -> Planted:
        scope = draft.of(who) & (draft.label == one)
        hits = scope & (rng.random(len(draft.start)) < size)
        label = draft.label.copy()
        label[hits] = other
        n, total = int(hits.sum()), int(scope.sum())
        return Planted(
            draft.change(label=label),
            ("confusion",),
            who,
            labels=(one, other),
            touched=n,
            nats=contrast_nats(n, total, int(draft.of(who).sum()) - total, 0.02),
            symmetric=True,
        )

    return apply


def swapped(one: str, other: str) -> Apply:
    def apply(draft: Draft, who: int, size: float, rng: np.random.Generator) -> Planted:
        documents = some_documents(draft, size, rng)
        scope = own_in(draft, who, documents) & np.isin(draft.label, (one, other))
        label = draft.label.copy()
        label[scope] = np.where(draft.label[scope] == one, other, one)
        return Planted(
            draft.change(label=label),
            ("swap",),
            who,
            tuple(np.unique(draft.document[scope])),  # of the documents chosen, those with a unit of either label
            labels=(one, other),
            touched=int(scope.sum()),
            nats=3.0 * scope.sum(),
            symmetric=True,
        )

    return apply


OTHER_NAMES = {"EVT": "Event", "LOC": "Place", "ORG": "Group", "PER": "Human", "WRK": "Title"}
OTHER_NAMES |= {"A": "one", "B": "two", "C": "three", "N1": "light", "N2": "middle", "N3": "deep", "REM": "dream"}


def other_labels(draft: Draft, who: int, _size: float, _rng: np.random.Generator) -> Planted:
    """Give all units of an annotator another name of the same label; other sizes do not exist."""
    own = draft.of(who)
    label = draft.label.copy()
    label[own] = [OTHER_NAMES.get(name, f"stage {name}") for name in label[own]]
    n = int(own.sum())
    return Planted(draft.change(label=label), ("spelling",), who, touched=n, nats=1.0 * n, symmetric=True)


def tokens(draft: Draft, who: int, size: float, rng: np.random.Generator) -> Planted:
    documents = some_documents(draft, size, rng)
    own = own_in(draft, who, documents)
    start, end = draft.start.copy(), draft.end.copy()
    for index in np.flatnonzero(own).tolist():
        text = draft.texts[draft.document[index]]
        start[index] = len(text[: int(draft.start[index])].split())
        end[index] = start[index] + len(text[int(draft.start[index]) : int(draft.end[index])].split())
    n = int(own.sum())
    return Planted(draft.change(start=start, end=end), ("scale",), who, tuple(documents), touched=n, nats=3.0 * n - 10)


def every_second_mention(draft: Draft, who: int, size: float, rng: np.random.Generator) -> Planted:
    words = draft.words().astype(str)
    ranks: dict[tuple, int] = {}
    scope, hits = np.zeros(len(words), bool), rng.random(len(words)) < size
    for index in np.lexsort((draft.start, draft.document)).tolist():
        if draft.annotator[index] != who:
            continue
        key = (draft.document[index], words[index])
        ranks[key] = ranks.get(key, -1) + 1
        scope[index] = ranks[key] % 2 == 1
    return _dropped(draft, who, scope & hits, ("first-mention",), scope)


def noisier(draft: Draft, who: int, size: float, rng: np.random.Generator) -> Planted:
    """Move bounds, change labels and leave out units of an annotator at random."""
    own = draft.of(who)
    rate = 0.75 * size
    draws = rng.random((3, len(draft.start)))
    label, end = draft.label.copy(), draft.end.copy()
    names = np.unique(draft.label.astype(str))
    moved, relabelled, dropped = (own & (row < rate / 3) for row in draws)
    length = draft.end - draft.start
    end[moved] = draft.start[moved] + np.maximum(np.round(length[moved] * 0.5), 1)
    label[relabelled] = [str(rng.choice([other for other in names if other != name])) for name in label[relabelled]]
    n, total = int((moved | relabelled | dropped).sum()), int(own.sum())
    rest = total * (len(draft.annotators) - 1)
    changed = draft.change(label=label, end=end).take(~dropped)
    return Planted(changed, ("noise", "rate"), who, touched=n, nats=contrast_nats(n, total, rest))


def relabelled_from(draft: Draft, who: int, size: float, rng: np.random.Generator) -> Planted:
    """Give the most frequent label another name in three of four units from a document on."""
    names, counts = np.unique(draft.label[draft.of(who)].astype(str), return_counts=True)
    one, other = (str(names[index]) for index in np.argsort(-counts)[:2])
    n = len(draft.documents)
    documents = np.arange(n - max(round(0.6 * size * n), 3), n)
    scope = own_in(draft, who, documents) & (draft.label == one)
    hits = scope & (rng.random(len(draft.start)) < 0.75)
    label = draft.label.copy()
    label[hits] = other
    n_hits, total = int(hits.sum()), int(scope.sum())
    rest = int((draft.of(who) & (draft.label == one)).sum()) - total
    nats = contrast_nats(n_hits, total, rest, 0.02)
    return Planted(
        draft.change(label=label),
        ("drift",),
        who,
        tuple(documents),
        labels=(one, other),
        touched=n_hits,
        nats=nats,
        symmetric=True,
    )


def fewer_from(draft: Draft, who: int, size: float, rng: np.random.Generator) -> Planted:
    """Leave out half of the units from a document on."""
    n = len(draft.documents)
    documents = np.arange(n - max(round(0.6 * size * n), 3), n)
    scope = own_in(draft, who, documents)
    hits = scope & (rng.random(len(draft.start)) < 0.5)
    return _dropped(draft, who, hits, ("drift",), scope, documents=tuple(documents))


def without_the(draft: Draft, who: int, size: float, rng: np.random.Generator) -> Planted:
    words = draft.words().astype(str)
    scope = draft.of(who) & np.char.startswith(words, "the ") & (rng.random(len(words)) < max(size, 0.05))
    start = draft.start + np.where(scope, 4, 0)
    n = int(scope.sum())
    return Planted(
        draft.change(start=start), ("bounds",), who, words=("the",), touched=n, nats=0.69 * n, symmetric=True
    )


def without_titles(draft: Draft, who: int, size: float, rng: np.random.Generator) -> Planted:
    words = draft.words().astype(str)
    start = draft.start.copy()
    chosen = rng.random(len(words)) < max(size, 0.05)
    n = 0
    for title in ("mr ", "mrs ", "dr "):
        scope = draft.of(who) & np.char.startswith(words, title) & chosen
        start[scope] += len(title)
        n += int(scope.sum())
    return Planted(draft.change(start=start), ("bounds",), who, words=("mr",), touched=n, nats=0.69 * n, symmetric=True)


def with_blanks(draft: Draft, who: int, size: float, rng: np.random.Generator) -> Planted:
    scope = draft.of(who) & (rng.random(len(draft.start)) < max(size, 0.05))
    end = draft.end + scope
    n = int(scope.sum())
    return Planted(
        draft.change(end=end), ("bounds",), who, words=("white space",), touched=n, nats=0.69 * n, symmetric=True
    )


PLANTS = (
    Plant("duplicates", duplicates, ("text", "time"), signature=True),
    Plant("labels in lower case", lower_case, ("text", "time", "cover"), signature=True),
    Plant("other names for all labels", other_labels, ("text", "time", "cover"), signature=True),
    Plant("words counted for characters", tokens, signature=True),
    Plant("milliseconds", times(1000), ("time",), signature=True),
    Plant("ten times", times(10), ("text", "time")),
    Plant("half", times(0.5), ("text", "time")),
    Plant("1 late", shifted(1), signature=True),
    Plant("3 late", shifted(3), signature=True),
    Plant("37 late", shifted(37), signature=True),
    Plant("ends 1 short", shifted(-1, ends=True, starts=False), signature=True),
    Plant(".25 s late", shifted(0.25), ("time",)),
    Plant("2 s late", shifted(2.0), ("time",), signature=True),
    Plant("ends .2 s late", shifted(0.2, ends=True, starts=False), ("time",)),
    Plant("30 s late", shifted(30.0), ("cover",), signature=True),
    Plant("CRLF", crlf, signature=True),
    Plant("bytes", utf8, signature=True),
    Plant("other document", exchanged, ("text", "time", "cover"), signature=True),
    Plant("units split", splits, signature=True),
    Plant("finer", finer, ("cover",)),
    Plant("coarser", coarser, ("cover",)),
    Plant("silent documents", silent_documents, ("text", "time"), signature=True),
    Plant("silent from a document on", silent_from, ("text", "time"), signature=True),
    Plant("stops at the same share of each", stops_in_each, ("text", "time"), signature=True),
    Plant("stops in one document", stops_in_one, ("text", "time"), signature=True),
    Plant("a rare label never", never_label, ("text", "time"), signature=True),
    Plant("a label left out in part", label_left_out, ("text", "time")),
    Plant("two words left out", some_words),
    Plant("second mentions left out", second_mentions),
    Plant("every second mention left out", every_second_mention),
    Plant("long units left out", long_units, ("text", "time")),
    Plant("short units left out", short_units, ("time",)),
    Plant("fewer units", fewer, ("text", "time")),
    Plant("ORG for LOC", relabelled("LOC", "ORG")),
    Plant("A for B", relabelled("B", "A"), ("time",)),
    Plant("W for N1", relabelled("N1", "W"), ("cover",)),
    Plant("PER and LOC swapped", swapped("PER", "LOC"), signature=True),
    Plant("another label from a document on", relabelled_from, ("text", "time", "cover")),
    Plant("half the units from a document on", fewer_from, ("text", "time")),
    Plant("noisier than the others", noisier, ("text", "time"), min_annotators=3),
    Plant("the left out", without_the, signature=True),
    Plant("titles left out", without_titles, signature=True),
    Plant("trailing blank", with_blanks, signature=True),
)
