"""What to cite."""

from __future__ import annotations

import gamma_align as ga

BIBTEX = f"""\
@article{{mathet-etal-2015-gamma,
  author  = {{Mathet, Yann and Widlöcher, Antoine and Métivier, Jean-Philippe}},
  title   = {{The Unified and Holistic Method Gamma ($\\gamma$) for Inter-Annotator Agreement Measure
             and Alignment}},
  journal = {{Computational Linguistics}},
  volume  = {{41}},
  number  = {{3}},
  pages   = {{437--479}},
  year    = {{2015}},
  doi     = {{10.1162/COLI_a_00227}},
}}

@article{{mathet-2017-gammacat,
  author  = {{Mathet, Yann}},
  title   = {{The Agreement Measure $\\gamma_{{cat}}$ a Complement to $\\gamma$ Focused on Categorization
             of a Continuum}},
  journal = {{Computational Linguistics}},
  volume  = {{43}},
  number  = {{3}},
  pages   = {{661--681}},
  year    = {{2017}},
  doi     = {{10.1162/COLI_a_00296}},
}}

@article{{krippendorff-etal-2016-unitizing,
  author  = {{Krippendorff, Klaus and Mathet, Yann and Bouvry, Stéphane and Widlöcher, Antoine}},
  title   = {{On the reliability of unitizing textual continua: Further developments}},
  journal = {{Quality \\& Quantity}},
  volume  = {{50}},
  number  = {{6}},
  pages   = {{2347--2364}},
  year    = {{2016}},
  doi     = {{10.1007/s11135-015-0266-1}},
}}

@software{{gamma-align,
  author  = {{{{The gamma\\_align developers}}}},
  title   = {{gamma\\_align: how far annotators agree on units they place themselves}},
  version = {{{ga.__version__}}},
}}
"""
