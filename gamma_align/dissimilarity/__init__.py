"""How far two units are apart: position, category, both."""
