"""Parses: read beside a text, made once by an installed parser, kept on disk; and what happens where there is none."""

import json
import sqlite3

import numpy as np
import pandas as pd
import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st

from metrics.automatic.materials import materials
from metrics.automatic.run import score
from metrics.automatic.syntax import embeddings, parsers
from metrics.automatic.syntax.lemmas import LEMMATISER, RULER, Lemmas
from metrics.automatic.syntax.names import RECOGNISER, Names
from metrics.automatic.syntax.parse import Entity, Sentence, Token, read_conllu, write_conllu
from metrics.automatic.syntax.store import FILE, ParseStore
from metrics.automatic.syntax.trees import Tree, read_trees, without_root
from metrics.errors import BadInput, UndefinedScoreWarning
from metrics.frames import read_texts_outputs, read_texts_references

CONLLU = """# text = Ada's cat slept.
1\tAda\tAda\tPROPN\tNNP\t_\t3\tposs\t_\tNER=B-PERSON
2\t's\t's\tPART\tPOS\t_\t1\tcase\t_\t_
3\tcat\tcat\tNOUN\tNN\t_\t4\tnsubj\t_\t_
4\tslept\tsleep\tVERB\tVBD\t_\t0\tROOT\t_\t_
5\t.\t.\tPUNCT\t.\t_\t4\tpunct\t_\t_
"""


def frames(**beside):
    outputs = pd.DataFrame([{"system": "s", "item": "1", "text": "Ada's cat slept.", **beside}])
    references = pd.DataFrame([{"item": "1", "reference": "a", "text": "Ada's cat slept.", **beside}])
    return outputs, references


def test_conllu_is_read_with_names_and_lemmas():
    (sentence,) = read_conllu(CONLLU)
    assert sentence.forms == ("Ada", "'s", "cat", "slept", ".")
    assert sentence.lemmas[3] == "sleep"
    assert sentence.heads == (3, 1, 4, 0, 4)
    assert sentence.entities == (Entity("PERSON", 1, 1),)
    assert read_conllu("# nothing\n\n") == ()


@given(
    st.lists(
        st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["NN", "VB"])), min_size=1, max_size=5),
        max_size=3,
    )
)
def test_conllu_that_is_written_is_read_again(texts):
    parse = tuple(
        Sentence.of(
            [Token(form, tag, "dep", place, form) for place, (form, tag) in enumerate(words)],
            [Entity("ORG", 1, len(words))],
        )
        for words in texts
    )
    assert read_conllu(write_conllu(parse)) == parse


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("1 Ada NNP", "line 1: expected 10 fields divided by tabs, found 1"),
        ("1\ta\ta\t_\tNN\t_\t7\tdep\t_\t_", "line 1: expected another head from 0 to 1, found 7"),
        ("1\ta\ta\t_\tNN\t_\t²\tdep\t_\t_", "line 1: expected another head from 0 to 1, found ²"),
        ("2\ta\ta\t_\tNN\t_\t0\tdep\t_\t_", "line 1: expected word 1, found 2"),
        ("²\ta\ta\t_\tNN\t_\t0\tdep\t_\t_", "line 1: expected word 1, found ²"),
        ("x\ta\ta\t_\tNN\t_\t0\tdep\t_\t_", "line 1: expected word 1, found x"),
        (7, "line 1: expected 10 fields divided by tabs, found 1"),
        (
            "1\ta\ta\t_\tNN\t_\t2\tdep\t_\t_\n2\tb\tb\t_\tNN\t_\t1\tdep\t_\t_",
            "sentence from line 1: heads go round in a circle",
        ),
    ],
)
def test_bad_conllu_is_refused_with_its_place(wrong, message):
    with pytest.raises(BadInput, match=message):
        read_conllu(str(wrong))
    with pytest.raises(BadInput, match=rf"system s, item 1: .*{message}"):
        score(*frames(conllu=wrong), metrics=["bewte"])


def test_trees_are_read_and_lose_the_node_above():
    (tree,) = read_trees("(ROOT (S (NP (NN fox)) (VP (VBD slept))))")
    assert without_root(tree).label == "S"
    assert read_trees("(A b) (C)") == (Tree("A", (Tree("b"),)), Tree("C"))
    for wrong, message in (
        ("(S (NP", "2 more closing brackets"),
        ("fox", "expected a tree"),
        ("(S))", "expected a tree"),
        ("(S " * 3000 + "x" + ")" * 3000, "at most 200 levels"),
    ):
        with pytest.raises(BadInput, match=message):
            read_trees(wrong)


def test_a_given_parse_is_read_first_and_named_in_the_signature():
    scores = score(*frames(conllu=CONLLU), metrics=["bewte"], processes=1)
    assert scores.items("bewte").tolist() == [1.0]
    assert "|parser:conllu|" in scores.signatures()["bewte"]


def test_only_a_new_line_ends_a_line_and_what_is_no_word_is_passed_over():
    odd = CONLLU.replace("cat\tcat", "c\u2028t\tc\x85t").replace("\n", "\r\n")
    (sentence,) = read_conllu("1-2\tAda's" + "\t_" * 8 + "\n" + odd + "5.1\tand" + "\t_" * 8)
    assert sentence.forms == ("Ada", "'s", "c\u2028t", "slept", ".")
    assert sentence.lemmas[2] == "c\x85t"


@pytest.mark.parametrize("ending", ["jsonl", "parquet"])
def test_a_list_of_sentences_is_a_parse_in_any_format_of_files(ending, tmp_path):
    """Parquet hands lists out as arrays."""
    own = {"conllu": [CONLLU, CONLLU], "trees": ["(S (NNP Ada))", "(S (VBD slept))"]}
    files = []
    for name, table in zip(("outputs", "references"), frames(), strict=True):
        rows = [{**row, **own} for row in table.to_dict("records")]
        files.append(tmp_path / f"{name}.{ending}")
        if ending == "parquet":
            pd.DataFrame(rows).to_parquet(files[-1])
        else:
            files[-1].write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    texts = read_texts_outputs(files[0]), read_texts_references(files[1])
    scores = score(*texts, metrics=["bewte", "stm-1"], processes=1)
    assert (scores.items("bewte")[0], scores.items("stm-1")[0]) == (1, 1)
    assert len(materials(*texts, needs=["dependencies"]).outputs[0].beside["dependencies"]) == 2


def test_parses_from_two_sources_are_refused():
    outputs, references = frames(conllu=CONLLU)
    with pytest.raises(BadInput, match=r"some texts have conllu and others have not .*reference 1 of item 1"):
        score(outputs, references.drop(columns="conllu"), metrics=["bewte"])


def test_an_installed_parser_is_named_with_its_model_and_versions():
    scores = score(*frames(), metrics=["bewte"], processes=1)
    assert scores.items("bewte").tolist() == [1.0]
    assert f"|parser:{parsers.spacy_parser().name}|" in scores.signatures()["bewte"]
    assert parsers.spacy_parser().name.startswith("spacy-3.")


def test_without_parses_scores_are_undefined_and_one_line_says_what_to_install(monkeypatch):
    monkeypatch.setattr(parsers, "spacy_parser", lambda: None)
    with pytest.warns(UndefinedScoreWarning) as said:
        scores = score(*frames(), metrics=["bewte*", "rouge-1-f"], processes=1)
        assert scores.items("rouge-1-f").tolist() == [1.0]
        assert pd.isna(scores.items("bewte")).all()
    lines = [str(w.message) for w in said if "install" in str(w.message)]
    assert len(lines) == 1
    assert "bewte, bewte-root, bewte-total and 1 more" in lines[0]
    assert "pip install 'touchstone[syntax]'" in lines[0]
    assert "parser:none" in scores.signatures()["bewte"]


def test_a_text_is_parsed_once_and_then_read_from_disk(tmp_path):
    made = []

    def make(texts):
        made.extend(texts)
        return [[list(text)] for text in texts]

    store = ParseStore("parser-1", tmp_path)
    first = store.get([("a", "b"), ("c",), ("a", "b")], make)
    assert made == [("a", "b"), ("c",)]
    assert store.get([("c",), ("d",)], make) == {("c",): first["c",], ("d",): [["d"]]}
    assert made == [("a", "b"), ("c",), ("d",)]
    ParseStore("parser-2", tmp_path).get([("c",)], make)
    assert made[-1] == ("c",), "another parser's parses are its own"


def test_a_folder_that_cannot_be_written_and_a_broken_file_do_no_harm(tmp_path):
    (tmp_path / "file").write_text("")
    (tmp_path / FILE).write_text("no database")
    for folder in (tmp_path / "file", tmp_path):
        store = ParseStore("p", folder)
        assert store.get([("a",)], lambda texts: [1 for _ in texts]) == {("a",): 1}


def test_metrics_and_runs_share_one_parse(tmp_path, monkeypatch):
    monkeypatch.setenv("TOUCHSTONE_PARSES", str(tmp_path))
    outputs, references = frames()
    materials(outputs, references, needs=["dependencies", "dependencies"])
    with sqlite3.connect(tmp_path / FILE) as database:
        assert database.execute("SELECT count(*) FROM parse").fetchone() == (1,)
    monkeypatch.setattr(parsers, "_loaded", lambda model: pytest.fail("a kept text is not parsed again"))
    again = materials(outputs, references, needs=["dependencies"])
    assert again.outputs[0].beside["dependencies"][0].forms == ("Ada", "'s", "cat", "slept", ".")


def test_lemmas_by_word_are_those_of_the_whole_pipeline():
    """Also where patterns of two words fit (let's, there are, gonna), and where labels decide (it, had, that)."""
    texts = [
        "Let's go: there are cats, and there's a dog that ain't ours. THAT is what she'd've said.",
        "I'm gonna stay, y'all gotta leave.\n\n  You had been had; it did it, but the men's geese were lying.",
        "a\x00b 今天 😀 nothin' doin', c'mon!",
    ]
    pipeline = parsers._loaded(parsers.spacy_parser().model)
    by_word = parsers._lemmas(parsers.spacy_parser().model)
    assert by_word is not None
    whole = [pipeline(text) for text in texts]
    parsed = [pipeline(text, disable=[RULER, LEMMATISER]) for text in texts]
    assert by_word.of(parsed) == parsers._own_lemmas(whole)
    with pipeline.select_pipes(disable=[RULER]):
        assert not Lemmas.fit(pipeline), "a pipeline that is built otherwise finds its lemmas itself"


def test_names_are_those_of_the_whole_pipeline():
    """Names of one and of many words, at the end of a sentence and of a text, across line breaks, in texts of nothing but names."""
    texts = [
        "Angela Merkel met the President of the United States of America on Monday, 3 March 2014 in New York City. Bank of England",
        "ITV4 paid $ 3.5 million to Manchester United F.C.\n\nLuis van\nGaal left  the   European Central Bank .",
        "Real Madrid Barcelona Jose Mourinho 1 2 3 July Paris Saint-Germain",
        "",
        "  \n ",
        "nothing here",
    ]
    model = parsers.spacy_parser().model
    pipeline, names = parsers._loaded(model), parsers._names(model)
    assert names is not None
    expected = parsers._own_names([pipeline(text) for text in texts])
    assert sum(map(len, expected)) > 10
    assert {name.end - name.first > 2 for found in expected for name in found} == {True, False}
    assert names.of([pipeline(text, disable=[RECOGNISER]) for text in texts]) == expected
    assert names.of([pipeline("")]) == [[]]
    with pipeline.select_pipes(disable=[RECOGNISER]):
        assert not Names.fit(pipeline), "a pipeline that is built otherwise finds its names itself"


def test_words_are_looked_up_and_the_vectors_are_those_of_the_model(monkeypatch):
    """Beside a pipeline that spaCy loads by itself, also after everything was forgotten; parses follow from the vectors."""
    texts = ["The cat slept, and the cat woke.", "", "A cat  slept.\n\nTHE END 今天", " "]
    model = parsers.spacy_parser().model
    ours, theirs = parsers._loaded(model), spacy.load(model)
    for most in (embeddings.MOST, 0, 0):
        monkeypatch.setattr(embeddings, "MOST", most)
        for stage in ("tok2vec", RECOGNISER):
            found, expected = (
                pipeline.get_pipe(stage).model.get_ref("tok2vec")
                if stage == RECOGNISER
                else pipeline.get_pipe(stage).model
                for pipeline in (ours, theirs)
            )
            documents = [theirs.make_doc(text) for text in texts]
            pairs = zip(found.predict(documents), expected.predict(documents), strict=True)
            for own, known in pairs:
                np.testing.assert_allclose(own, known, atol=1e-4)


def test_a_text_of_any_length_is_parsed_in_parts(monkeypatch):
    """spaCy refuses texts above a limit of its own, by default a million characters."""
    parser = parsers.spacy_parser()
    pipeline = parsers._loaded(parser.model)
    sentences = ["The cat slept.", "A dog barked at it.", "Nobody came."]
    text = "\n\n".join([" ".join(sentences)] * 3)
    monkeypatch.setattr(pipeline, "max_length", 60)
    with pytest.raises(ValueError, match="E088"):
        pipeline(text)
    monkeypatch.setattr(parsers, "LONGEST", 60)
    (parse,) = parsers._parsed(parser, [(text,)])
    assert [" ".join(forms) for forms, *_ in parse] == [line.replace(".", " .") for line in sentences] * 3


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("One two. Three\n\nfour.", ["One two. Three\n\n", "four."]),
        ("One two. Three four five.", ["One two. ", "Three four five."]),
        ("one two three four five", ["one two three ", "four five"]),
        ("x" * 40, ["x" * 18, "x" * 18, "x" * 4]),
        ("", [""]),
    ],
)
def test_long_texts_are_cut_where_they_break_anyway(text, parts, monkeypatch):
    monkeypatch.setattr(parsers, "LONGEST", 18)
    assert [*parsers._parts(text)] == parts


def test_few_texts_and_few_characters_are_worked_on_together(monkeypatch):
    monkeypatch.setattr(parsers, "LONGEST", 10)
    monkeypatch.setattr(parsers, "BATCH", 3)
    assert [*map(len, parsers._groups(["a"] * 7))] == [3, 3, 1]
    assert [*map(len, parsers._groups(["a" * 6, "b" * 4, "c", "d" * 10]))] == [2, 1, 1]


def test_odd_texts_are_parsed_without_harm():
    parser = parsers.spacy_parser()
    texts = [("",), ("   \n ",), ("a\x00b",), ("\ud800",), ("one.", "two.")]
    found = parsers.dependencies(parser, [text for text in texts if "\ud800" not in text[0]])
    assert found["",] == ()
    assert len(found["one.", "two."]) == 2
    assert json.dumps(found["a\x00b",])
