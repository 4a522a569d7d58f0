"""Pictures of units and of numbers as SVG, for files, notebooks, the report and the web interface.

The same input gives the same bytes. A hue stands for a label, the wine ramp for disorder and a pattern for a reason (or
for a label, in addition to its hue); nothing else is coloured. The numbers are computed in `insight.disagreements`, and
the pages around the pictures are rendered in `page`.
"""

from gamma_align.lazy import door

_NAMES = {
    "draw": ("alignment_svg",),
    "elements": ("shortened",),
    "palette": ("COLOURS", "PATTERNS", "Palette", "label_order", "palette_css"),
    "picture": ("figure",),
    "scene": ("Address", "Scene", "Window"),
}

__getattr__, __all__ = door(__name__, _NAMES)
