"""γ beside uα on one corpus, and what each pair of categories contributes to γcat and cuα (Mathet 2017, table 3).

Not here: either measure itself (`gammas`, `unitizing`).
"""
