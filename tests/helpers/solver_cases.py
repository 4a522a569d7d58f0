"""Cases for the solver: documents whose annotators place the same few units differently."""

import gamma_align as ga
from gamma_align.data.batch import Batch

DISSIMILARITY = ga.Dissimilarity()


def corpus_of(rng, documents, annotators, most, *, span=30, spread=3.0):
    """Documents in which annotators place the same few units differently, some on the same bounds."""
    records = []
    for document in range(documents):
        places = rng.integers(0, span, size=most)
        for annotator in range(annotators):
            for place in places[rng.random(most) < 0.8]:
                start = int(place + rng.integers(-spread, spread + 1))
                end = start + int(rng.integers(0, 8))
                records.append((f"d{document}", f"a{annotator:02d}", start, end, "xyz"[rng.integers(3)]))
    seen = [(f"d{document}", f"a{annotator:02d}") for document in range(documents) for annotator in range(annotators)]
    return ga.Corpus.from_records(records, annotations=seen)


def batch_of(corpus):
    batch, _ = Batch.from_corpus(corpus)
    return batch, DISSIMILARITY.bind(corpus.categories)
