"""From aligned units to γ, γcat and γk: additive numbers, pure functions, intervals."""
