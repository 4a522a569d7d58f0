"""CoNLL's columns of tags."""
