"""gamma_align: how far annotators agree on units they place themselves.

The main job::

    import gamma_align as ga

    corpus = ga.read("corpora/novels_ner")
    result = ga.gamma(corpus)
    print(result.gamma, result.gamma_cat, result.gamma_k["PERSON"])
    print(result.signature)

Predefined items, which everybody categorises::

    items = ga.read_items("ratings.csv")
    print(ga.krippendorff_alpha(items, distance="ordinal"))

The names are imported when they are first used, so that ``import gamma_align`` costs next to nothing; ``__init__.pyi``
says where each is.
"""

import sys

PROVIDERS = {
    "read": "gamma_align.reading.read:read",
    "read in parts": "gamma_align.reading.data_sets:large_data_set",
    "read decisions": "gamma_align.reading.decisions_file:read_decisions",
    "read items": "gamma_align.reading.tables.item_tables:read_items",
    "kept work": "gamma_align.reading.work_folder:kept_work",
    "text of a result": "gamma_align.present.printed:result_text",
    "tables of a result": "gamma_align.present.notebook:result_html",
    "alignment picture": "gamma_align.present.figures.draw:alignment_svg",
    "pygamma alignments": "gamma_align.compat.pygamma.solving:best_alignments",
    "pygamma disorders": "gamma_align.compat.pygamma.solving:unitary_disorders_of",
    "pygamma sampler": "gamma_align.compat.pygamma.sampler:StatisticalContinuumSampler",
    "pygamma alignment picture": "gamma_align.compat.pygamma.notebook:alignment_picture",
    "pygamma continuum picture": "gamma_align.compat.pygamma.notebook:continuum_picture",
    "gamma-align serve": "gamma_align.apps.service.serve:run",
}
"""Functions of later packages that earlier ones call by their purpose: see `gamma_align.data.provided`."""


def __getattr__(name: str) -> object:
    """Return a public name; at the first one, the names and what imports them are found.

    Not before: the command line is to catch Ctrl-C while anything is imported.
    """
    if "_import_name" not in globals():
        import lazy_loader

        public = lazy_loader.attach_stub(__name__, __file__)
        globals().update(zip(("_import_name", "__dir__", "__all__"), public, strict=True))
    names = globals()["__all__"]
    if name == "__all__":
        return names
    if name in names:
        return globals()["_import_name"](name)
    from importlib.util import find_spec

    # Programs try names with underscores, and Python tries modules before it imports them: these need no suggestion.
    if name.startswith("_") or find_spec(f"{__name__}.{name}") is not None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from gamma_align.errors import did_you_mean

    raise AttributeError(f"module {__name__!r} has no attribute {name!r}{did_you_mean(name, names)}")


def __dir__() -> list[str]:
    """Return the public names."""
    return [*sys.modules[__name__].__all__]
