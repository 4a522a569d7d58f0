"""Data made to order: published experiments, run again."""
