"""Results as text, CSV and SVG. Not here: pages and files, which the command line writes."""
