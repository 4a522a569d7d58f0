"""Where is the disagreement? Documents worst first, categories, and the unitary alignments that cost most."""

import gamma_align as ga

corpus = ga.read("corpora/novels_ner")
result = ga.gamma(corpus, samples=30, seed=1)

documents = sorted(result.documents, key=lambda document: document.gamma.value)
print("lowest γ:", *(f"{document.document} {document.gamma.value:.2f}" for document in documents[:3]))
print("γk:", *(f"{category} {value.value:.2f}" for category, value in result.gamma_k.items()))

alignment = ga.align(corpus[documents[0].document])
units = alignment.unitary_alignments()
worst = sorted(range(len(units)), key=lambda index: -alignment.unitary_disorders[index])[:5]
for index in worst:
    shown = [f"{u.start:g}–{u.end:g} {u.category}" if u else "–" for u in units[index]]
    print(f"{alignment.unitary_disorders[index]:.2f} ", " | ".join(shown))
