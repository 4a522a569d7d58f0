"""Corpora with noise and without a cause: text with names, events in time, and recordings that are covered."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace

import numpy as np

import gamma_align as ga

ANNOTATORS = ("ann", "ben", "cat", "dan", "eve", "fay")
LABELS = ("EVT", "LOC", "ORG", "PER", "WRK")
COMMON = tuple(
    """and of to in was that it with as on for at by had from this but were not they which are one all there been would
    so what could time into
    them some then out now up when about more no who other said only people over after first
    made did many before through back years where much way well down should because each just those water
    long""".split()  # noqa: SIM905
)
BARE = tuple(
    """Anders Berlin Cairo Dublin Essex Fulda Geneva Hamlet Iris Jena Kiel Lima Madrid Nora Oslo Paris Quito
    Rhodes""".split()  # noqa: SIM905
)
SECOND = ("Press", "Street", "Brothers", "Bridge", "Smith", "Park", "Bank", "Hill", "Jones", "Fields")
TITLES = ("Mr", "Mrs", "Dr")


@dataclass(frozen=True)
class Noise:
    """The probability of each error of an annotator, for each true unit."""

    missing: float = 0.06
    bounds: float = 0.06
    labels: float = 0.03
    spurious: float = 0.03
    sigma: float = 0.04  # seconds, of every bound in time

    def times(self, factor: float) -> Noise:
        return Noise(*(min(value * factor, 0.9) for value in (self.missing, self.bounds, self.labels, self.spurious)))


@dataclass(frozen=True)
class Draft:
    """Units as columns that plants change; codes of documents and annotators, and labels as text."""

    documents: tuple[str, ...]
    annotators: tuple[str, ...]
    document: np.ndarray
    annotator: np.ndarray
    start: np.ndarray
    end: np.ndarray
    label: np.ndarray
    texts: tuple[str, ...] | None
    lengths: tuple[float, ...]
    kind: str

    def take(self, index: np.ndarray) -> Draft:
        columns = ("document", "annotator", "start", "end", "label")
        return replace(self, **{name: getattr(self, name)[index] for name in columns})

    def add(self, other: Draft) -> Draft:
        columns = ("document", "annotator", "start", "end", "label")
        return replace(self, **{name: np.concatenate([getattr(self, name), getattr(other, name)]) for name in columns})

    def change(self, **columns: np.ndarray) -> Draft:
        return replace(self, **columns)

    def of(self, annotator: int) -> np.ndarray:
        return self.annotator == annotator

    def words(self) -> np.ndarray:
        return np.array(
            [
                self.texts[d][int(s) : int(e)].lower()
                for d, s, e in zip(self.document, self.start, self.end, strict=True)
            ],
            dtype=object,
        )

    def corpus(self) -> ga.Corpus:
        names, people = np.array(self.documents, dtype=object), np.array(self.annotators, dtype=object)
        n, k = len(names), len(people)
        corpus = ga.Corpus.from_columns(
            {
                "document": names[self.document],
                "annotator": people[self.annotator],
                "start": self.start,
                "end": self.end,
                "category": self.label,
            },
            annotations={"document": np.repeat(names, k), "annotator": np.tile(people, n)},
            documents={"document": names, "length": np.array(self.lengths, dtype=float)},
            outside="extend",
        )
        return replace(corpus, texts=self.texts, notes=())


def make_text(rng: np.random.Generator, n_annotators: int, n_documents: int, noise: Noise | list[Noise]) -> Draft:
    """Return documents of about six names each: one word or two, some with "the" or a title, some of them again."""
    names = [*BARE]
    rng.shuffle(names)
    lexicon = []
    for index, name in enumerate(names):
        # Two rare labels, of names that are less frequent.
        label = {9: "WRK", 14: "EVT"}.get(index, ("LOC", "ORG", "PER")[index % 3])
        two = rng.random() < 0.4
        lexicon.append((name + (" " + SECOND[index % len(SECOND)] if two else ""), label))
    weight = 1 / np.arange(2, len(lexicon) + 2)
    weight /= weight.sum()
    columns: dict[str, list] = {"document": [], "start": [], "end": [], "label": []}
    texts, tokens_of = [], []
    for document in range(n_documents):
        tokens, truth = [], []
        n_names = int(rng.integers(4, 9))
        here = rng.choice(len(lexicon), size=max(n_names - 2, 2), p=weight)
        for place in range(n_names):
            tokens += rng.choice(COMMON, size=int(rng.integers(4, 11))).tolist()
            name, label = lexicon[int(here[place % len(here)])]
            first = len(tokens)
            if label == "PER" and rng.random() < 0.5:
                tokens.append(str(rng.choice(TITLES)))
            elif label != "PER" and rng.random() < 0.4:
                tokens.append("the")
            tokens += name.split()
            truth.append((first, len(tokens), label))
            if rng.random() < 0.25:
                tokens.append(".\n" if rng.random() < 0.5 else "café")
        tokens += rng.choice(COMMON, size=5).tolist()
        starts = np.concatenate([[0], np.cumsum([len(token) + 1 for token in tokens])])
        ends = starts[1:] - 1
        texts.append(" ".join(tokens))
        tokens_of.append((starts, ends))
        for first, last, label in truth:
            columns["document"].append(document)
            columns["start"].append(first)
            columns["end"].append(last)
            columns["label"].append(label)
    truth_columns = {
        name: np.array(values, dtype=object if name == "label" else int) for name, values in columns.items()
    }
    noises = noise if isinstance(noise, list) else [noise] * n_annotators
    parts = [_noisy_tokens(rng, truth_columns, tokens_of, noises[a]) for a in range(n_annotators)]
    document = np.concatenate([part[0] for part in parts])
    start = np.array([tokens_of[d][0][i] for d, i in zip(document, np.concatenate([p[1] for p in parts]), strict=True)])
    end = np.array(
        [tokens_of[d][1][i - 1] for d, i in zip(document, np.concatenate([p[2] for p in parts]), strict=True)]
    )
    return Draft(
        documents=tuple(f"doc_{index:03}" for index in range(n_documents)),
        annotators=ANNOTATORS[:n_annotators],
        document=document,
        annotator=np.repeat(np.arange(n_annotators), [len(part[0]) for part in parts]),
        start=start.astype(float),
        end=end.astype(float),
        label=np.concatenate([part[3] for part in parts]),
        texts=tuple(texts),
        lengths=tuple(float(len(text)) for text in texts),
        kind="text",
    )


def _noisy_tokens(
    rng: np.random.Generator, truth: dict[str, np.ndarray], tokens_of: list, noise: Noise
) -> list[np.ndarray]:
    """Return document, first token, last token + 1 and label of one annotator's units."""
    n = len(truth["document"])
    first, last, label = truth["start"].copy(), truth["end"].copy(), truth["label"].copy()
    size = np.array([len(tokens_of[d][1]) for d in truth["document"]])
    changed = np.flatnonzero(rng.random(n) < noise.bounds)
    for index in changed.tolist():
        side, grows = rng.random() < 0.5, rng.random() < 0.5
        if last[index] - first[index] == 1:
            grows = True
        if side:
            first[index] = max(first[index] + (-1 if grows else 1), 0)
        else:
            last[index] = min(last[index] + (1 if grows else -1), size[index])
    wrong = np.flatnonzero(rng.random(n) < noise.labels)
    for index in wrong.tolist():
        label[index] = str(rng.choice([name for name in LABELS if name != label[index]]))
    kept = rng.random(n) >= noise.missing
    extra = np.flatnonzero(rng.random(n) < noise.spurious)
    lengths = rng.permutation(truth["end"] - truth["start"])[: len(extra)]
    document = truth["document"][extra]
    low = np.array(
        [int(rng.integers(0, max(size[i] - length, 1))) for i, length in zip(extra, lengths, strict=True)], int
    )
    parts = [
        np.concatenate([truth["document"][kept], document]),
        np.concatenate([first[kept], low]),
        np.concatenate([last[kept], np.minimum(low + lengths, size[extra])]),
        np.concatenate([label[kept], truth["label"][extra]]),
    ]
    return [parts[0].astype(int), parts[1].astype(int), parts[2].astype(int), parts[3]]


def make_time(rng: np.random.Generator, n_annotators: int, n_documents: int, noise: Noise | list[Noise]) -> Draft:
    """Return recordings of 120 s with about twelve events each, whose bounds are off by σ in every annotator."""
    labels = np.array(["A", "B", "C"], dtype=object)
    noises = noise if isinstance(noise, list) else [noise] * n_annotators
    rows: list[tuple] = []
    for document in range(n_documents):
        gaps, lengths = rng.exponential(7.0, 14) + 0.5, rng.lognormal(0.8, 0.4, 14)
        start = np.cumsum(gaps + lengths) - lengths
        inside = start + lengths < 120
        start, lengths = start[inside], lengths[inside]
        label = rng.choice(labels, len(start), p=[0.5, 0.3, 0.2])
        for annotator in range(n_annotators):
            own = noises[annotator]
            for s, length, name in zip(start, lengths, label, strict=True):
                if rng.random() < own.missing:
                    continue
                low, high = s + rng.normal(0, own.sigma), s + length + rng.normal(0, own.sigma)
                if rng.random() < own.bounds:
                    high = low + (high - low) * rng.uniform(0.6, 1.5)
                is_wrong = rng.random() < own.labels
                used = rng.choice([other for other in labels if other != name]) if is_wrong else name
                rows.append((document, annotator, round(max(low, 0.0), 3), round(high, 3), used))
            for _ in range(rng.binomial(len(start), own.spurious)):
                low, length = rng.uniform(0, 110), rng.choice(lengths)
                name = rng.choice(labels, p=[0.5, 0.3, 0.2])
                rows.append((document, annotator, round(low, 3), round(low + length, 3), name))
    return _from_rows(rows, n_annotators, n_documents, 130.0, "time", "rec")


def make_cover(rng: np.random.Generator, n_annotators: int, n_documents: int, noise: Noise | list[Noise]) -> Draft:
    """Return recordings of 240 epochs of 30 s, each of which every annotator gives a stage; equal ones are joined."""
    labels = np.array(["N1", "N2", "N3", "REM", "W"], dtype=object)
    noises = noise if isinstance(noise, list) else [noise] * n_annotators
    rows: list[tuple] = []
    n_epochs = 240
    for document in range(n_documents):
        stages = np.repeat(rng.choice(len(labels), 40), np.maximum(rng.geometric(0.12, 40), 2))[:n_epochs]
        stages = np.pad(stages, (0, n_epochs - len(stages)), mode="edge")
        for annotator in range(n_annotators):
            own = stages.copy()
            cuts = np.flatnonzero(np.diff(own)) + 1
            for cut in cuts.tolist():  # a stage begins an epoch earlier or later
                if rng.random() < 3 * noises[annotator].bounds:
                    if rng.random() < 0.5:
                        own[cut - 1] = own[cut]
                    else:
                        own[cut] = own[cut - 1]
            for epoch in np.flatnonzero(rng.random(n_epochs) < noises[annotator].labels / 3).tolist():
                own[epoch : epoch + int(rng.integers(1, 4))] = rng.integers(len(labels))
            begins = np.concatenate([[0], np.flatnonzero(np.diff(own)) + 1, [n_epochs]])
            for low, high in itertools.pairwise(begins.tolist()):
                rows.append((document, annotator, 30.0 * low, 30.0 * high, labels[own[low]]))
    return _from_rows(rows, n_annotators, n_documents, 30.0 * n_epochs, "cover", "night")


def _from_rows(rows: list[tuple], n_annotators: int, n_documents: int, length: float, kind: str, prefix: str) -> Draft:
    document, annotator, start, end, label = (np.array(column) for column in zip(*rows, strict=True))
    return Draft(
        documents=tuple(f"{prefix}_{index:03}" for index in range(n_documents)),
        annotators=ANNOTATORS[:n_annotators],
        document=document.astype(int),
        annotator=annotator.astype(int),
        start=start.astype(float),
        end=end.astype(float),
        label=label.astype(object),
        texts=None,
        lengths=(length,) * n_documents,
        kind=kind,
    )


def make_independent(
    rng: np.random.Generator, n_annotators: int, n_documents: int, lengths: str, n_labels: int
) -> Draft:
    """Return documents in which all annotators place about as many units at random, whatever the others do.

    `lengths` names the distribution of lengths: short, long, or whole words of a text, or any numbers of seconds.
    """
    rows: list[tuple] = []
    texts, size = [], 300
    for document in range(n_documents):
        words = rng.choice(COMMON, size=70).tolist()
        begins = np.concatenate([[0], np.cumsum([len(word) + 1 for word in words])])
        texts.append(" ".join(words))
        for annotator in range(n_annotators):
            n = int(rng.poisson(10))
            start, length = rng.uniform(0, size - 1, n), rng.lognormal(1.5, 0.5, n)
            if lengths == "words":
                first = rng.integers(0, len(words), n)
                start = begins[first]
                length = begins[np.minimum(first + rng.geometric(0.6, n), len(words))] - 1 - start
            elif lengths != "seconds":
                start = np.floor(start)
                length = rng.integers(1, 5, n) if lengths == "short" else np.ceil(length * 4)
            label = rng.integers(n_labels, size=n)
            rows += sorted({(document, annotator, *row) for row in zip(start, start + length, label, strict=True)})
    draft = _from_rows(rows, 1, n_documents, 2.0 * size, "independent", "doc")
    return replace(
        draft,
        annotators=tuple(f"annotator_{index}" for index in range(n_annotators)),
        label=np.array(["ABCD"[row[-1]] for row in rows], dtype=object),
        texts=tuple(texts) if lengths == "words" else None,
    )


# Annotators, documents, distribution of lengths and number of labels of corpora of independent annotators.
INDEPENDENT_FORMS = tuple(
    (*shape, lengths, n_labels)
    for shape in ((2, 1), (2, 12), (2, 40), (3, 12), (6, 6), (13, 3))
    for lengths in ("short", "long", "words", "seconds")
    for n_labels in (1, 3)
)

MAKERS = {"text": make_text, "time": make_time, "cover": make_cover}
