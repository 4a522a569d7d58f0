"""γ beside uα on one corpus, and what each pair of categories contributes to both (Mathet 2017, table 3)."""
