"""CATMA's projects."""
