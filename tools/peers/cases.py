"""The same small data for gamma_align and for the programs that it is compared with, as plain values."""

from __future__ import annotations

# pygamma-agreement, DKPro, INCEpTION: annotator, start, end, label
UNITS = [
    ("Alex", 2, 9, "1"), ("Alex", 11, 17, "2"), ("Alex", 24, 30, "5"), ("Alex", 32, 36, "6"), ("Alex", 36, 44, "6"),
    ("Alex", 44, 60, "7"), ("Paul", 2, 9, "1"), ("Paul", 11, 17, "3"), ("Paul", 19, 25, "5"), ("Paul", 32, 44, "6"),
    ("Suzan", 2, 9, "1"), ("Suzan", 11, 17, "4"), ("Suzan", 21, 27, "5"), ("Suzan", 32, 36, "6"),
    ("Suzan", 36, 40, "6"), ("Suzan", 40, 44, "6"),
]  # fmt: skip

# Krippendorff 2011: items × coders, None for no judgment
JUDGMENTS = [
    ["1", "1", None, "1"], ["2", "2", "3", "2"], ["3", "3", "3", "3"], ["3", "3", "3", "3"], ["2", "2", "2", "2"],
    ["1", "2", "3", "4"], ["4", "4", "4", "4"], ["1", "1", "2", "1"], ["2", "2", "2", "2"], [None, "5", "5", "5"],
    [None, None, "1", "1"], [None, None, "3", None],
]  # fmt: skip

# two coders, no missing judgment
TWO = [list(row) for row in zip("1123231231222311223312", "1122231231212311223322", strict=True)]

# three coders, no missing judgment
THREE = [[*row, third] for row, third in zip(TWO, "1123231131222321222312", strict=True)]

# two coders, two categories
BINARY = [["1" if label == "1" else "2" for label in row] for row in TWO]

# sets of labels, joined by "|", of two coders
SETS = [["a|b", "a|b|c"], ["a", "a"], ["b|c", "a|c"], ["c", "c"], ["b", "b|c"], ["a|b|c", "a|b|c"]]

# the documents of INCEpTION's own tests of γ (GammaAgreementMeasureTest), with the values that they expect
INCEPTION = {
    "testTwoWithoutLabel": (
        [("1", 0, 1, ""), ("1", 1, 2, ""), ("1", 3, 4, "A"), ("2", 0, 1, ""), ("2", 2, 3, ""), ("2", 3, 4, "B")],
        0.3548,
    ),
    "multiValueStringPartialAgreement": ([("1", 0, 4, "a"), ("2", 0, 4, "a"), ("2", 0, 4, "b")], 0.2214),
    "selfOverlappingAgreement": (
        [("1", 0, 4, "a"), ("1", 0, 7, "a"), ("1", 0, 7, "b"), ("2", 0, 4, "a"), ("2", 0, 4, "b")], 0.5788,
    ),
}  # fmt: skip

# sequence labels in the scheme IOB2, a sentence each: reference and system
TAGS = (
    [["B-PER", "I-PER", "O", "B-LOC", "O", "B-LOC"], ["O", "B-ORG", "I-ORG", "I-ORG", "O"], ["B-PER", "O"]],
    [["B-PER", "I-PER", "O", "B-ORG", "O", "O"], ["O", "B-ORG", "I-ORG", "O", "O"], ["B-PER", "B-LOC"]],
)

# lengths of segments: reference and system
MASSES = ([5, 5, 5, 5], [5, 4, 6, 5])

# diarization: start, end, speaker
TALK = (
    [(0, 10, "A"), (12, 20, "B"), (24, 27, "A"), (30, 40, "C")],
    [(2, 13, "a"), (13, 14, "d"), (14, 20, "b"), (22, 38, "c"), (38, 40, "d")],
)

# the same, with two speakers at once in the reference
OVERLAPPING_TALK = ([*TALK[0], (8, 14, "B"), (38, 42, "A")], TALK[1])
