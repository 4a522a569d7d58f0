"""Is a system as close to the annotators as they are to each other? γ of every pair."""

import itertools

import gamma_align as ga

corpus = ga.read("corpora/novels_ner")
SYSTEM = corpus.annotators[-1]  # stands for one here


def only(names: set[str]) -> ga.Corpus:
    """Return the corpus with the units of these annotators alone."""
    return ga.Corpus.from_records(
        ((d, *unit) for d in corpus for unit in corpus[d].units() if unit.annotator in names),
        annotations=[(d, name) for d in corpus for name in corpus[d].annotators if name in names],
        extents={d: corpus[d].extent for d in corpus},
    )


for pair in itertools.combinations(corpus.annotators, 2):
    result = ga.gamma(only(set(pair)), samples=30, seed=1)
    marker = "system" if SYSTEM in pair else ""
    print(f"{pair[0]:12} {pair[1]:12} γ {result.gamma}  γcat {result.gamma_cat}  {marker}")
