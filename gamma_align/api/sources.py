"""Sources of the public functions: a source is read, or converted, before the function of another package is called."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Concatenate, Generic, NamedTuple, ParamSpec, TypeVar

from gamma_align.data import Continuum, Corpus, Parts, Source, are_paths, is_in_parts, is_path, sources
from gamma_align.errors import InputError, UnknownMeaningError

AnyData = TypeVar("AnyData")
AnySource = TypeVar("AnySource")
Parameters = ParamSpec("Parameters")
Returned = TypeVar("Returned")
Function = TypeVar("Function", bound=Callable[..., object])


def corpus_of(source: object, caller: str) -> Corpus:
    """Return the corpus of a source, read if it is a path or paths; `caller` is the function named in an error.

    Raises
    ------
    InputError
        For an object that is no source, and as `read`.
    """
    if is_path(source) or are_paths(source):
        from gamma_align.reading.read import read

        return read(source)
    try:
        return sources.corpus_of(source, caller)
    except InputError as error:
        # Objects of other programs, and what the data tell, are looked at only if ours is not enough.
        from gamma_align.reading import corpus_of_objects, corpus_told

        corpus = corpus_of_objects(source)
        if corpus is None and isinstance(error, UnknownMeaningError):
            corpus = corpus_told(source, caller)
        if corpus is None:
            raise
        return corpus


def corpus_or_parts(source: Source | Parts, caller: str) -> Corpus | Parts:
    """Return data in parts, or a large data set at a path in parts; any other source as `corpus_of` does."""
    if is_in_parts(source):
        return source
    if is_path(source):
        from gamma_align.reading import large_data_set

        parts = large_data_set(source)
        if parts is not None:
            return parts
    return corpus_of(source, caller)


def corpus_or_document(source: Source, caller: str) -> Corpus | Continuum:
    """Return a document as it is; any other source as `corpus_of` does."""
    return source if isinstance(source, Continuum) else corpus_of(source, caller)


def document_of(source: Source, caller: str) -> Continuum:
    """Return the only document of the source; InputError unless there is exactly one, and as `corpus_of`."""
    return source if isinstance(source, Continuum) else sources.only_document(corpus_of(source, caller), caller)


class Reader(NamedTuple, Generic[AnySource, AnyData]):
    """The function that reads a source for the function named in errors, and the sources it takes, for docstrings."""

    read: Callable[[AnySource, str], AnyData]
    forms: str

    def public(
        self, function: Callable[Concatenate[AnyData, Parameters], Returned], module: str
    ) -> Callable[Concatenate[AnySource, Parameters], Returned]:
        """Return a function of the data as a public function that takes any source, and reads it first.

        It has the name, signature and docstring of the function of the data, and belongs to `module`.
        """
        read = self.read
        name = function.__name__

        def read_and_call(source: AnySource, /, *args: Parameters.args, **kwargs: Parameters.kwargs) -> Returned:
            return function(read(source, name), *args, **kwargs)

        read_and_call.__module__ = module
        return self.described(function)(read_and_call)

    def described(self, function: Callable[..., object]) -> Callable[[Function], Function]:
        """Return a decorator that gives a function the name, signature and docstring of a function of the data.

        The first parameter is the source there.
        """

        def describe(public: Function) -> Function:
            signature = inspect.signature(function)
            first, *further = signature.parameters.values()
            source = first.replace(name="source", kind=first.POSITIONAL_ONLY, annotation="Source")
            public.__name__ = public.__qualname__ = function.__name__
            public.__signature__ = signature.replace(parameters=[source, *further])  # type: ignore[attr-defined]
            text = re.sub(rf"(?m)^( +){first.name} : .*$", rf"\1source : {self.forms}", function.__doc__ or "", count=1)
            public.__doc__ = text.replace(f"`{first.name}`", "`source`") or None
            return public

        return describe


FORMS = "Corpus, Continuum, data frame, records, dict of annotator to spans, or path or paths"
CORPUS: Reader[Source, Corpus] = Reader(corpus_of, FORMS)
CORPUS_OR_PARTS = Reader(corpus_or_parts, FORMS)
CORPUS_OR_DOCUMENT = Reader(corpus_or_document, FORMS)
DOCUMENT = Reader(document_of, "Continuum, or a Corpus, data frame, records or path of one document")
