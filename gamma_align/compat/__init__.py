"""Layers with the names and the behaviour of other programs, for scripts that were written for them.

`compat.pygamma` takes the place of pygamma-agreement 0.5.9. A layer translates names and data; alignments and pictures
come from the other packages. This package contains no mathematics that gamma_align itself uses, and no other package
imports it. A layer hands on the classes of the program that it stands for.
"""
