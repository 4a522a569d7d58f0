"""Is a system as close to the annotators as they are to each other? γ of every pair, differences, and F1."""

import gamma_align as ga

corpus = ga.read("corpora/novels_ner")
people, system = ["user1", "user2"], "user3"  # the third annotator stands for a system here

for pair, result in ga.pairwise(corpus, samples=30, seed=1).pairs.items():
    print(f"{pair[0]} and {pair[1]}: γ {result.gamma}, γcat {result.gamma_cat}")

between_people = corpus.select(annotators=people)
for person in people:
    with_system = corpus.select(annotators=[person, system])
    difference = ga.compare(between_people, with_system, causes=False, samples=30, seed=1)["gamma"]
    print(f"γ of {system} and {person}, less γ of the two people: {difference}")

for person in people:
    scores = ga.evaluate(corpus, reference=person, measures="spans").systems
    print(f"F1 against {person}:", *(f"{score.system} {score.spans['strict'].f1}" for score in scores))
