"""Published experiments and worked examples, run again."""
