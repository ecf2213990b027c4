"""What is said beside the numbers is decided once, in report.json: which agreement, who is first, what was left out."""

import json
from dataclasses import replace

import pytest

from metrics.report import Options, build_report, printed, records
from metrics.report.html import page
from metrics.report.latex import latex_tables
from metrics.report.said import chosen_agreement
from tests.metrics.human.rows import table
from tests.metrics.report.studies import judgments

COLUMNS = ["task", "criterion", "coefficient", "value"]


def chosen(rows, scales=()):
    agreement = {"columns": COLUMNS, "rows": [list(row) for row in rows]}
    shares = {"columns": ["task", "criterion"], "rows": [list(scale) for scale in scales]}
    return [tuple(row.values())[1:3] for row in records(chosen_agreement(agreement, shares))]


def test_of_a_scale_with_few_values_the_order_counts_of_others_the_distance():
    rows = [
        ("t", criterion, name, 0.5)
        for criterion in ("grade", "share")
        for name in ("alpha-interval", "alpha-ordinal", "percent")
    ]
    assert chosen(rows, [("t", "grade")]) == [("grade", "alpha-ordinal"), ("share", "alpha-interval")]


def test_criteria_that_are_pooled_have_few_values():
    assert chosen([("t", "all criteria", name, 0.5) for name in ("alpha-interval", "alpha-ordinal")]) == [
        ("all criteria", "alpha-ordinal")
    ]


def test_a_coefficient_that_is_defined_comes_before_one_that_is_not():
    assert chosen([("t", "c", "alpha-interval", None), ("t", "c", "percent", 1.0)]) == [("c", "percent")]
    assert chosen([("t", "c", "alpha-interval", None)]) == [("c", "alpha-interval")]


def test_the_sentence_and_the_line_of_agreement_name_the_same_number(of_adequacy):
    """The first sentences and the table at a glance used to choose by rules of their own."""
    data = of_adequacy.data
    (line,) = [row for row in records(data["agreement_chosen"]) if row["criterion"] == "all criteria"]
    assert data["agreement_in_short"] in data["headline"][1]
    cells = next(row for row in printed.chosen_agreement_table(data).rows if "all criteria" in row)
    assert data["agreement_in_short"].startswith(f"α = {cells[3]} {cells[4]}")
    assert line["coefficient"] == "alpha-ordinal"


def test_the_line_of_a_human_score_is_the_first_of_its_table(of_adequacy):
    data = of_adequacy.data
    for line, section, meta in zip(data["overview"], data["human"], data["meta"], strict=True):
        best = records(section["systems"])[0]
        found = (line["human"], line["system"], line["estimate"])
        assert found == (section["id"], best["system"], best["estimate"])
        assert line["metric"]["metric"] == records(meta["summary"])[0]["metric"]
        assert line["not_outperformed"] == len(meta["williams"]["not_outperformed"])


def test_every_table_and_figure_says_which_human_score_it_is_about(of_adequacy):
    ids = {section["id"] for section in of_adequacy.data["human"]}
    for entry in (*of_adequacy.data["tables"], *of_adequacy.data["figures"]):
        of = next((identity for identity in ids if identity.replace("/", "--") in entry["name"]), None)
        assert entry["human"] in ({of} if not entry["name"].startswith(("assessors", "shares")) else {None})


def test_remarks_are_sentences_and_say_what_is_true_of_several_scores_once(of_adequacy):
    remarks = of_adequacy.data["remarks"]
    assert any(row["text"].startswith("1 value: practice never counts") for row in remarks["left_out"])
    texts = [row["text"] for part in remarks.values() for row in part]
    assert len(texts) == len(set(texts))
    html = page(of_adequacy.data)
    assert all(row["why"].split("(")[0][:40] in html for row in remarks["left_out"])


def test_every_human_score_says_what_it_means(of_adequacy):
    said = {
        section["score"]: (section["meaning"], section["definition"]) for section in of_adequacy.data["human"]
    }
    assert said["adequacy"] == ("", "")
    data = build_report(judgments(), options=Options(human=["combined"], n_resamples=50)).data
    (section,) = data["human"]
    assert section["meaning"] == "The mean of adequacy and fluency."
    assert f"combined is {section['definition']}" in " ".join(data["methods"])


@pytest.mark.parametrize("reverse", [False, True])
def test_tasks_come_as_the_study_lists_them(reverse):
    """Not by their names: the first task of a study is its most important one."""
    rows = [
        {
            "task": task,
            "assessor": who,
            "system": system,
            "item": f"i{k}",
            "criterion": "a",
            "value": k % 3 + place,
        }
        for task in ("zebra", "ant", "cow")
        for place, system in enumerate(("s1", "s2"))
        for who in ("p", "q")
        for k in range(4)
    ]
    frame = table(rows, kind="rating")
    tasks = ["cow", "zebra"] if reverse else []
    data = build_report(frame, tasks=tasks, options=Options(n_resamples=50)).data
    expected = ["cow", "zebra", "ant"] if reverse else ["zebra", "ant", "cow"]
    assert list(dict.fromkeys(section["task"] for section in data["human"])) == expected
    for name in ("agreement", "agreement_chosen"):
        assert list(dict.fromkeys(row["task"] for row in records(data[name]))) == expected
    for part in ("distributions", "assessors"):
        assert list(dict.fromkeys(row["task"] for row in records(data["assessors"][part]))) == expected


def test_pages_and_papers_are_views_of_the_json_alone(of_adequacy):
    """Read back from a file, the report gives the same page and the same LaTeX."""
    again = json.loads(json.dumps(of_adequacy.data))
    assert page(again) == page(of_adequacy.data)
    assert latex_tables(again) == latex_tables(replace(of_adequacy, data=again).data)


def test_what_one_assessor_repeats_is_not_called_agreement():
    data = build_report(judgments().query("assessor == 'a1'"), options=Options(n_resamples=50)).data
    assert {row["coefficient"] for row in records(data["agreement_chosen"])} == {"intra-percent"}
    assert data["agreement_in_short"] == ""
    assert not any("agree" in sentence for sentence in data["headline"])
