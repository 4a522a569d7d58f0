"""Published experiments and worked examples, run again, with their tables."""
