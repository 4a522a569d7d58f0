"""Small UIMA files, as text: a type system, annotations of one text as XMI and as JSON, archives of them."""

from __future__ import annotations

import re
import zipfile

NS = (
    'xmlns:xmi="http://www.omg.org/XMI" xmlns:cas="http:///uima/cas.ecore" xmlns:tcas="http:///uima/tcas.ecore" '
    'xmlns:x="http:///my/types.ecore" xmlns:noNamespace="http:///uima/noNamespace.ecore"'
)
TYPES = {
    "my.types.Entity": ("uima.tcas.Annotation", {"value": "uima.cas.String", "score": "uima.cas.Integer"}),
    "my.types.Person": ("my.types.Entity", {"sure": "uima.cas.Boolean"}),
    "my.types.Chunk": ("uima.tcas.Annotation", {"kind": "my.types.Kind", "role": "uima.cas.String"}),
    "my.types.Kind": ("uima.cas.String", {}),
    "my.types.Bare": ("uima.tcas.Annotation", {"list": "uima.cas.StringArray", "score": "uima.cas.Integer"}),
    "my.types.Arrow": (
        "uima.tcas.Annotation",
        {"Governor": "my.types.Entity", "Dependent": "my.types.Entity", "value": "uima.cas.String"},
    ),
    "my.types.Link": (
        "uima.tcas.Annotation",
        {"referenceType": "uima.cas.String", "referenceRelation": "uima.cas.String", "next": "my.types.Link"},
    ),
    "Plain": ("uima.tcas.Annotation", {}),
    "my.types.Word": ("uima.tcas.Annotation", {}),
}
TEXT = '<cas:Sofa xmi:id="1" sofaNum="1" sofaID="_InitialView" mimeType="text" sofaString="Ada 😊 met Bob"/>'


def descriptor(types=TYPES):
    lines = ['<typeSystemDescription xmlns="http://uima.apache.org/resourceSpecifier"><types>']
    for name, (parent, features) in types.items():
        its = "".join(
            f"<featureDescription><name>{feature}</name><rangeTypeName>{kind}</rangeTypeName></featureDescription>"
            for feature, kind in features.items()
        )
        lines.append(
            f"<typeDescription><name> {name} </name><supertypeName>{parent}</supertypeName>"
            f"<features>{its}</features></typeDescription>"
        )
    return "\n".join([*lines, "</types></typeSystemDescription>"])


def xmi(*elements, sofas=TEXT, members=None, more=""):
    """Return a file with the elements from line 3 on, all of them in the view."""
    ids = re.findall(r'xmi:id="(\d+)"', "".join(elements)) if members is None else members
    view = f'<cas:View sofa="1" members="{" ".join(ids)}"/>{more}'
    return "\n".join([f"<xmi:XMI {NS}>", sofas, *elements, view, "</xmi:XMI>"])


ADA = '<x:Entity xmi:id="2" sofa="1" begin="0" end="3" value="PER" score="7"/>'
BOB = '<x:Person xmi:id="3" sofa="1" begin="11" end="14" value="PER" sure="true"/>'
SMILE = '<x:Entity xmi:id="4" sofa="1" begin="4" end="6"/>'


def as_json(elements, text="Ada 😊 met Bob", **more):
    """Return the same as CAS JSON; each element a type and its values."""
    types = {
        name: {"%NAME": name, "%SUPER_TYPE": parent}
        | {
            feature: {"%NAME": feature, "%RANGE": kind.replace("StringArray", "String[]")}
            for feature, kind in its.items()
        }
        for name, (parent, its) in TYPES.items()
    }
    structures = [{"%ID": 1, "%TYPE": "uima.cas.Sofa", "sofaNum": 1, "sofaID": "_InitialView", "sofaString": text}]
    structures += [{"%ID": at, "%TYPE": kind, "@sofa": 1, **its} for at, (kind, its) in enumerate(elements, 2)]
    views = {"_InitialView": {"%SOFA": 1, "%MEMBERS": [each["%ID"] for each in structures[1:]]}}
    return {"%TYPES": types, "%FEATURE_STRUCTURES": structures, "%VIEWS": views} | more


def archive(path, files):
    with zipfile.ZipFile(path, "w") as out:
        for name, text in files.items():
            out.writestr(name, text)
    return path
