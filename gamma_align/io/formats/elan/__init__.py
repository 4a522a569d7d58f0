"""ELAN's `.eaf` files."""
