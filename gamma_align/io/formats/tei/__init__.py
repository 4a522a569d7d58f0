"""TEI: inline, standoff, and CATMA's export."""
