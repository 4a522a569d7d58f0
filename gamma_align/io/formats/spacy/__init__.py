"""spaCy's `.spacy` files and `Doc` objects."""
