"""Citations contain the numbers of the results and entries for all papers and the software."""

import re

import pytest
from command_line import run
from places import CORPORA

import gamma_align as ga
from gamma_align.errors import SettingsError
from gamma_align.measures.items.spec import SPECS
from gamma_align.present.bibliography import GAMMA_PAPERS, ITEM_PAPERS, UNITIZING_PAPERS, bibtex

UNITS_OF_TWO = [("d1", "ann", 0, 4, "x"), ("d1", "bob", 1, 5, "x"), ("d2", "ann", 2, 5, "y"), ("d2", "bob", 2, 6, "y")]
SIGNATURE = r"gamma_align 0\.1\.0, signature "
ENTRY = re.compile(r"^@\w+\{([\w-]+),$(.*?)^\}$", re.MULTILINE | re.DOTALL)


def keys_of(text):
    return [key for key, _ in ENTRY.findall(text)]


def test_sentence_has_the_values_and_the_size_of_the_data():
    result = ga.gamma(CORPORA / "novels_ner", samples=8)
    sentence = ga.citation(result).sentence
    value, cat = result.gamma, result.gamma_cat
    assert sentence == (
        f"γ = {value:.2f} (95 % interval {value.low:.2f} to {value.high:.2f}), "
        f"γcat = {cat:.2f} ({cat.low:.2f} to {cat.high:.2f}); 12 documents, 3 annotators each; "
        f"gamma_align {ga.__version__}, signature {result.signature}"
    )
    assert sentence.startswith("γ = 0.88 (")


def test_values_below_zero_have_a_minus_sign():
    far = [("d1", "ann", 0, 4, "x"), ("d1", "bob", 50, 54, "x"), ("d2", "ann", 0, 4, "x"), ("d2", "bob", 60, 64, "x")]
    result = ga.gamma([*far, *((document, name, 90, 99, "y") for document, name, *_ in far[::2])], samples=30)
    assert result.gamma < -0.01
    assert (
        f"γ = \u2212{-result.gamma.value:.2f} (no interval: fewer than three documents" in ga.citation(result).sentence
    )


def test_missing_values_have_their_reason():
    apart = [("d", "ann", 0, 4, "x"), ("d", "bob", 50, 54, "x")]
    result = ga.gamma(apart, samples=8)
    assert "γcat not available (no two units are aligned); 1 document, 2 annotators; " in ga.citation(result).sentence


def test_different_numbers_of_annotators_are_a_range():
    units = [*UNITS_OF_TWO, ("d2", "eve", 2, 6, "y")]
    assert "2 documents, 2 to 3 annotators each" in ga.citation(ga.unitizing_alpha(units)).sentence


def test_layers_have_one_value():
    result = ga.unitizing_alpha([*UNITS_OF_TWO, ("d1", "ann", 2, 5, "y")], overlap="layers")
    sentence = ga.citation(result).sentence
    assert re.match(
        rf"uα = \S+ \(no interval: fewer than three .*?\); 2 documents, 2 annotators each; {SIGNATURE}", sentence
    )


def test_several_results_have_one_line_each_and_share_the_software_entry():
    cited = ga.citation(ga.gamma(UNITS_OF_TWO, samples=8), ga.unitizing_alpha(UNITS_OF_TWO))
    assert [line[0] for line in cited.sentence.splitlines()] == ["γ", "u"]
    assert keys_of(cited.bibtex) == [*GAMMA_PAPERS, *UNITIZING_PAPERS, "gamma-align"]
    assert str(cited).count("@software") == 1


def test_method_contains_the_settings():
    options = {"alpha": 3, "min_distance": "half", "seed": 5, "samples": 9, "distance": "edit"}
    method = ga.citation(ga.gamma(UNITS_OF_TWO, **options)).method
    for words in ("sporadic+edit with α = 3, β = 1", "from 9 random", "half the mean length", "seed 5", "all proven"):
        assert words in method
    assert "jackknife over documents" in method
    assert "sampling error" in ga.citation(ga.gamma(UNITS_OF_TWO[:2], samples=9)).method


def test_items_cite_the_papers_of_the_requested_coefficients():
    items = ga.ItemTable.from_matrix([["a", "a"], ["b", "b"], ["a", "b"], ["b", "b"]])
    cited = ga.citation(ga.item_agreement(items, coefficients=["kappa", "observed"], level=0.9))
    assert keys_of(cited.bibtex) == ["cohen-1960-kappa", "gamma-align"]
    assert "κ = 0.50 (90 % interval " in cited.sentence
    assert "4 items, 2 coders" in cited.sentence
    weighted = ga.item_agreement(
        ga.ItemTable.from_matrix([[1, 2], [2, 2]]), coefficients=["kappa"], distance="interval"
    )
    assert keys_of(ga.citation(weighted).bibtex) == ["cohen-1968-weighted-kappa", "gamma-align"]
    without = ga.citation(ga.item_agreement(items, coefficients=["kappa"], interval=None))
    assert "κ = 0.50; 4 items" in without.sentence
    assert "Intervals: none." in without.method


def test_all_symbols_of_items_have_papers_with_an_entry():
    symbols = {
        spec.symbol(distance, coders) for spec in SPECS.values() for distance in ("nominal", "x") for coders in (2, 3)
    }
    assert symbols - {"A_o"} == set(ITEM_PAPERS)
    keys = [*GAMMA_PAPERS, *UNITIZING_PAPERS, *(key for keys in ITEM_PAPERS.values() for key in keys)]
    text = bibtex(keys)
    assert sorted(keys_of(text)) == sorted({*keys, "gamma-align"})
    assert text.count("{") == text.count("}")
    for key, body in ENTRY.findall(text):
        fields = set(re.findall(r"^  (\w+) +=", body, re.MULTILINE))
        assert {"author", "title"} <= fields, key
        assert key == "gamma-align" or {"year"} | fields & {"doi", "url"} > {"year"}, key


@pytest.mark.parametrize("results", [(), (3,)])
def test_other_results_are_refused(results):
    with pytest.raises(SettingsError, match=r"citation\(\) takes"):
        ga.citation(*results)


def test_measure_and_items_print_the_citation(tmp_path):
    path = tmp_path / "units.csv"
    path.write_text("annotator,start,end,category\nann,0,4,x\nbob,1,5,x\n", encoding="utf-8")
    done = run("measure", path, "--samples", 8, "--cite")
    assert done.stdout == str(ga.citation(ga.gamma(path, samples=8)))
    assert run("measure", path, "--cite", "--json").returncode == 2
    path.write_text("item,annotator,category\ni,a,x\ni,b,x\nj,a,x\nj,b,y\n", encoding="utf-8")
    done = run("items", path, "--cite", "--coefficients", "pi")
    assert done.stdout == str(ga.citation(ga.item_agreement(ga.read_items(path), coefficients=["pi"])))
