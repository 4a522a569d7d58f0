"""RTTM, with UEM beside it."""
