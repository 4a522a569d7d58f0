"""CoNLL and tables of tokens: a token a row, its tags in columns."""
