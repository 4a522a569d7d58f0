"""Pictures of units and of numbers as SVG: one renderer for files, notebooks, the report and the web page.

Same input, same bytes. Hue means label, the wine ramp means disorder, pattern means reason (or is a label's second
mark); nothing else is coloured. Not here: what is counted (`insight.disagreements`), and pages around the pictures
(`page`).
"""
