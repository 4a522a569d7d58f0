"""Where is the disagreement? Documents worst first, categories, the worst unitary alignments, and what to settle."""

import gamma_align as ga

result = ga.disagreements("corpora/novels_ner", samples=30, seed=1)

documents = sorted(result.gamma.documents, key=lambda document: document.gamma.value)
print("lowest γ:", *(f"{document.document} {document.gamma.value:.2f}" for document in documents[:3]))
print("most disorder:", *(f"{row.document} {row.disorder.share:.0%}" for row in result.documents[:3]))
print("γk:", *(f"{category} {value.value:.2f}" for category, value in result.gamma.gamma_k.items()))

for worst in result.disagreements[:5]:
    shown = [f"{unit.annotator} {unit.start:g}–{unit.end:g} {unit.category}" for unit in worst.units]
    print(f"{worst.disorder.disorder:.2f} {worst.reason:8} “{worst.words}”:", " | ".join(shown))

for finding in result.to_settle:
    print(f"{finding.title}: γ {finding.gamma_before:.2f} → {finding.gamma_after:.2f}")
