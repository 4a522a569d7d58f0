"""Praat's TextGrid."""
