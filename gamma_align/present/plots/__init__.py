"""Plots for papers, with matplotlib: documents, pairs of annotators, curves.

Each takes Axes, or makes some as wide as a column, and returns them. What colour says, position, a pattern or a number
says too.
"""
