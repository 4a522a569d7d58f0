"""Words that people type first, of other tools or of their field, and what does the job here."""

from __future__ import annotations

COMMANDS = {
    "help": "gamma-align --help lists the commands",
    "gamma": "gamma-align measure PATH measures γ",
    "agreement": "gamma-align PATH shows how well annotators agree, and why not",
    "iaa": "gamma-align PATH shows how well annotators agree, and why not",
    "analyze": "gamma-align PATH shows how well annotators agree, and why not",
    "run": "gamma-align PATH shows how well annotators agree, and why not",
    "kappa": "gamma-align items FILE measures κ of predefined items; gamma-align measure PATH measures γ of spans",
    "alpha": "gamma-align items FILE measures α of predefined items; gamma-align measure PATH --coefficients "
    "unitizing-alpha measures uα of spans",
    "krippendorff": "gamma-align items FILE measures α of predefined items; gamma-align measure PATH --coefficients "
    "unitizing-alpha measures uα of spans",
    "fleiss": "gamma-align items FILE measures π of any number of coders, Fleiss' κ",
    "f1": "gamma-align evaluate PATH measures F1 of every two annotators, and against --reference",
    "score": "gamma-align evaluate PATH measures F1 of every two annotators, and against --reference",
    "diff": "gamma-align compare A B measures how far two annotations differ",
    "adjudicate": "gamma-align consensus PATH makes one annotation of all, and gamma-align serve decides in a browser",
    "html": "gamma-align report PATH writes a page",
    "gui": "gamma-align serve opens a page for files",
    "web": "gamma-align serve opens a page for files",
    "version": "gamma-align --version prints the version",
}
"""What each word means here, in place of a command."""
OPTIONS = {
    "-q": "--quiet prints no progress, notes and warnings",
    "-v": "--version prints the version; without --quiet all notes are printed",
    "--verbose": "without --quiet all notes are printed",
    "--metric": "measure and items take --coefficients",
    "--measure": "measure and items take --coefficients",
    "--gold": "gamma-align evaluate PATH --reference NAME compares with a reference",
    "--reference": "gamma-align evaluate PATH --reference NAME compares with a reference",
    "--output-format": "--json, --csv, --markdown and --latex print other forms",
    "--html": "gamma-align report PATH writes a page",
    "--n-jobs": "--jobs N takes N workers",
    "-j": "--jobs N takes N workers",
    "--random-state": "--seed N sets the seed",
    "--models": "--model A,B names annotators that are models",
}
"""What each option is called here, if a command does not have it."""
