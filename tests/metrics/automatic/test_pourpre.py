"""POURPRE against the vectors, an independent computation; and from files of nuggets to scores."""

import json
import math

import pandas as pd
import pytest

from metrics.automatic.pourpre import (
    DocumentFrequencies,
    Nugget,
    pourpre,
    read_document_frequencies,
    terms_of,
)
from metrics.automatic.run import score
from metrics.errors import BadInput
from metrics.frames import read_texts_references
from tests.metrics.automatic.scoring import item_score
from tests.metrics.automatic.vectors import lines

TABLE, *ROWS = lines("pourpre.jsonl")
FREQUENCIES = DocumentFrequencies(TABLE["N"], TABLE["df"])


def equal(found, expected):
    return math.isnan(found) if expected is None else found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["name"])
def test_scores_are_those_of_the_vectors(row):
    nuggets = [Nugget(terms_of(text), status == "vital") for status, text in row["nuggets"]]
    answers = [terms_of(answer) for answer in row["answers"]]
    length = len("".join("".join(row["answers"]).split()))
    for how, expected in row["expected"].items():
        weights, recall, beta = how.split("-")[:3]
        result = pourpre(
            nuggets,
            answers,
            length,
            frequencies=FREQUENCIES if weights == "idf" else None,
            micro=recall == "micro",
            beta=float(beta.removeprefix("beta")),
        )
        if expected is None:
            assert math.isnan(result.f)
            continue
        assert equal(result.f, expected["f"]), how
        if expected["f"] is not None:
            assert list(result.matches) == pytest.approx(expected["match"], abs=1e-12)
            assert equal(result.recall, expected["recall"])
            assert equal(result.precision, expected["precision"])
            assert equal(result.allowance, expected["allowance"])
            assert length == expected["length"]


LIGHTHOUSE = ROWS[0]


def frames():
    outputs = pd.DataFrame([{"system": "s", "item": "q", "sentences": LIGHTHOUSE["answers"], "text": ""}])
    references = pd.DataFrame(
        [
            {"item": "q", "reference": str(n), "text": text, "status": status}
            for n, (status, text) in enumerate(LIGHTHOUSE["nuggets"])
        ]
    )
    return outputs, references


def test_files_of_nuggets_score_as_the_worked_example():
    names = {"pourpre": "idf-macro-beta5", "pourpre-count-micro-beta3": "count-micro-beta3"}
    scores = score(*frames(), metrics=names, corpus={"pourpre": FREQUENCIES}, processes=1)
    for name, how in names.items():
        assert scores.items(name)[0] == pytest.approx(LIGHTHOUSE["expected"][how]["f"])


def test_without_a_table_document_frequencies_are_those_of_the_nugget_lists():
    outputs, references = frames()
    more = references.assign(item="r", text=["tarn island", "tallest hill", "grey"])
    scores = score(outputs, pd.concat([references, more]), metrics=["pourpre"], processes=1)
    alone = score(outputs, references, metrics=["pourpre", "pourpre-count"], processes=1)
    assert alone.items("pourpre")[0] == alone.items("pourpre-count")[0], (
        "one question: every idf is 0, terms count alike"
    )
    terms = [
        terms_of(" ".join(text for _, text in LIGHTHOUSE["nuggets"])),
        terms_of("tarn island tallest hill grey"),
    ]
    own = DocumentFrequencies(
        2, {term: sum(term in document for document in terms) for term in set().union(*terms)}
    )
    expected = score(outputs, references, metrics=["pourpre"], corpus={"pourpre": own}, processes=1).items(
        "pourpre"
    )
    assert own.counts["tarn"] == 2
    # Only the question that was answered counts: its nugget list is the one document of this run.
    assert scores.items("pourpre")[0] == alone.items("pourpre")[0] != expected[0]


def test_halves_of_a_nugget_in_two_strings_do_not_add_up():
    nugget = [Nugget(terms_of("red white"), vital=True)]
    assert pourpre(nugget, [terms_of("red"), terms_of("white")], 8).recall == 0.5


def test_stems_match_where_words_do_not():
    assert item_score("pourpre-count", "The painters paint.", ["painting"]) == 0
    assert item_score("pourpre-count-stem", "The painters paint.", ["painting"]) > 0


def test_plain_references_are_nuggets_by_the_sentence():
    text = "The lighthouse was built in 1850. It is the tallest on the coast."
    assert item_score("pourpre", text, [text]) == 1
    half = item_score("pourpre-count", "The lighthouse was built in 1850.", [text])
    assert 0 < half < 1


def test_status_is_read_and_checked(tmp_path):
    file = tmp_path / "nuggets.jsonl"
    row = {"item": "q", "text": "built 1850"}
    file.write_text(json.dumps(row | {"status": "Vital"}) + "\n", encoding="utf-8")
    assert read_texts_references(file)["status"].tolist() == ["vital"]
    file.write_text(json.dumps(row | {"status": "essential"}) + "\n", encoding="utf-8")
    with pytest.raises(BadInput, match="row 1, column status: expected vital or okay"):
        read_texts_references(file)


def test_a_table_of_document_frequencies_is_read_and_checked(tmp_path):
    file = tmp_path / "df.txt"
    file.write_text("100\nthe 100\ntarn 1\n\n", encoding="utf-8")
    found = read_document_frequencies(file)
    assert (found.documents, found.counts) == (100, {"the": 100, "tarn": 1})
    assert found.idf("the") == 0
    assert found.idf("unknown") == pytest.approx(math.log(100))
    for wrong, row in (("x", 1), ("²", 1), ("9" * 5000, 1), ("5\nthe", 2), ("5\nthe 0", 2), ("5\nthe ²", 2)):
        file.write_text(wrong, encoding="utf-8")
        with pytest.raises(BadInput, match=f"row {row}: expected"):
            read_document_frequencies(file)
