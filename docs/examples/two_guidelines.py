"""Do annotators agree better under the second of two guidelines? The difference of γ on the same documents."""

import gamma_align as ga

corpus = ga.read("corpora/novels_ner")  # two pairs of its annotators stand for the two guidelines here
first = corpus.select(annotators=["user1", "user2"])
second = corpus.select(annotators=["user1", "user3"])

result = ga.compare(first, second, samples=30, seed=1)
difference = result["gamma"]
print(f"γ {difference.first:.3f} under the first guideline, {difference.second:.3f} under the second")
print(f"difference {difference}, p = {difference.p:.4f}, {difference.documents} documents")
for cause in result.causes or ():
    print(f"{cause.change:6} {cause.first_share:.2f} {cause.second_share:.2f} {cause.title}")
for document in result.documents[:3]:
    print(f"{document.document:18} {document.coefficient:10} {document.difference:+.3f}")
