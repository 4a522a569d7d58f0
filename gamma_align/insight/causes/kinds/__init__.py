"""The kinds of causes, one module for a kind or for kinds that share their counts."""
