"""Coefficients on predefined items: S, π, κ, K, α, β, AC₁ and their relatives.

A table of items becomes counts and patterns, a coefficient is an entry of `spec`, its errors and intervals are made in
`intervals` and `replicates`. Not here: reading tables (`reading.tables`) and building them (`data`).
"""
