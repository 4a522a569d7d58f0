"""WebAnno TSV 3."""
