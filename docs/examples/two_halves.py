"""Did agreement rise from the first half of the documents to the second? γ of both, with their intervals."""

import gamma_align as ga

corpus = ga.read("corpora/novels_ner")
middle = len(corpus) // 2
for name, half in (
    ("first half", corpus.documents_between(0, middle)),
    ("second half", corpus.documents_between(middle, len(corpus))),
):
    result = ga.gamma(half, samples=30, seed=1)
    print(f"{name:12} {len(half)} documents  γ {result.gamma}  γcat {result.gamma_cat}")
print("The intervals are those of documents like these: where they overlap much, the difference may be chance.")
