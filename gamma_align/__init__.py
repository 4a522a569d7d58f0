"""gamma_align: how far annotators agree on units they place themselves.

The main job::

    import gamma_align as ga

    corpus = ga.read("corpora/hearst_kazantseva")
    result = ga.gamma(corpus, precision=0.02, seed=7)
    print(result.gamma, result.signature)

Predefined items, which everybody categorises::

    items = ga.read_items("ratings.csv")
    print(ga.krippendorff_alpha(items, distance="ordinal"))

The names are imported when they are first used, so that ``import gamma_align`` costs next to nothing; ``__init__.pyi``
says where each is.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
