"""Nuggets: keys and judgments, what is refused, who judges, and known answers from file to score."""

import json

import pandas as pd
import pytest
from django.urls import reverse

from annotation.analysis.inputs import report_inputs
from annotation.models import Assignment, Subject
from annotation.selectors.files import study_as_file
from annotation.selectors.runs import newest_data
from annotation.services.dealing import phase_extend, phase_open
from annotation.services.keys import key_choose
from annotation.services.simulation import study_simulate
from annotation.services.studies import study_import, study_open
from annotation.study_files import read_study
from annotation.tasks.nuggets.kind import JUDGING, KEY, KIND
from annotation.tasks.terms import Exhibit, Record, Row, Text
from metrics.cli import main
from metrics.human.tables import human_tables
from metrics.report import Options, build_report
from tests.annotation.study_files.conftest import problems_of, write_files
from tests.conftest import ROOT
from tests.factories import owner_client
from tests.keyed_studies import answer_all, play, rows_again, scores_of, tables
from tests.studies import make_study

FOLDER = ROOT / "fixtures" / "nuggets"
NUGGETS = [
    {"id": "n1", "text": "a storm", "status": "vital"},
    {"id": "n2", "text": "Friday", "status": "okay"},
]
MAKING = Exhibit(shown={"strings": ["A storm.", "On Friday."], "prefilled": []}, phase=KEY)
JUDGED = Exhibit(outputs=(Text("x", ("A storm.", "It rained.")),), shown={"nuggets": NUGGETS}, phase=JUDGING)


def said(exhibit, config=None, **answer):
    parsed = KIND.Answer.model_validate(answer)
    return [entry.message for entry in KIND.missing(config or KIND.Config(), exhibit, parsed)]


def support(**values):
    return {key: {"value": value, "strings": strings} for key, (value, strings) in values.items()}


def test_a_key_needs_a_status_for_each_of_its_nuggets():
    assert said(MAKING) == ["Make at least one nugget."]
    assert said(MAKING, nuggets=NUGGETS) == []
    assert said(MAKING, nuggets=[NUGGETS[0] | {"status": ""}]) == ["Say whether “a storm” is vital or okay."]
    assert said(MAKING, nuggets=[NUGGETS[0] | {"text": ""}]) == ["Write what this nugget says, or remove it."]
    assert said(MAKING, nuggets=[NUGGETS[0], NUGGETS[1] | {"text": "A  storm"}]) == [
        "“A  storm” is there already; merge the two."
    ]
    assert said(MAKING, KIND.Config(max_nuggets=1), nuggets=NUGGETS) == ["Keep the 1 most important nugget."]


def test_every_nugget_is_judged_with_strings_where_they_are_required():
    assert said(JUDGED) == [
        "Say whether the response supports “a storm”.",
        "Say whether the response supports “Friday”.",
    ]
    whole = support(n1=(1, []), n2=(0.5, [2]))
    assert said(JUDGED, support=whole) == []
    assert said(JUDGED, KIND.Config(evidence="required"), support=whole) == [
        "Choose the strings that show “a storm”."
    ]
    assert said(JUDGED, KIND.Config(partial=False), support=whole) == [
        "0.5 is no answer here; there are 0, 1."
    ]
    assert said(JUDGED, support=support(n1=(1, [3]), n2=(0, []))) == ["The response has 2 strings."]
    assert said(JUDGED, support=support(n1=(1, []), n2=(0, [1]))) == [
        "“Friday” is not supported, but strings are chosen that show it."
    ]
    assert said(JUDGED, support=whole | support(n9=(1, []))) == ["There is no nugget “n9” here."]
    assert said(JUDGED, support=support(n1=(0.7, []), n2=(0, []))) == [
        "0.7 is no answer here; there are 0, 0.5, 1."
    ]


def test_rows_are_those_of_the_specification():
    config = KIND.Config()

    def rows(exhibit, **answer):
        parsed = KIND.Answer.model_validate(answer)
        return [tuple(row)[:4] for row in KIND.rows(config, exhibit, Record(), parsed)]

    assert rows(MAKING, nuggets=NUGGETS[:1]) == [
        ("n1", "nugget", None, "a storm"),
        ("n1", "status", None, "vital"),
    ]
    assert rows(JUDGED, support=support(n1=(1, [1, 2]), n2=(0.5, []))) == [
        ("n1", "present", 1.0, "support"),
        ("n1/1", "evidence", 1.0, ""),
        ("n1/2", "evidence", 1.0, ""),
        ("n2", "present", 0.5, "partial support"),
    ]
    with pytest.raises(ValueError, match="no string of a nugget that is judged"):
        KIND.answer(config, JUDGED, Record(), [Row("n1/2", "evidence", 1.0, "")])


def test_a_string_shows_a_nugget_once_however_often_it_was_named():
    answer = KIND.Answer.model_validate({"support": support(n1=(1, [2, 1, 2]), n2=(0, []))})
    rows = [row.unit for row in KIND.rows(KIND.Config(), JUDGED, Record(), answer)]
    assert rows == ["n1", "n1/1", "n1/2", "n2"]


def test_the_status_is_hidden_unless_the_task_shows_it():
    page = json.dumps(KIND.content(KIND.Config(), JUDGED, None))
    assert "vital" not in page and "okay" not in page
    assert "vital" in json.dumps(KIND.content(KIND.Config(show_status=True), JUDGED, None))


def test_the_pool_has_every_string_once_in_an_order_of_its_own():
    materials = read_study(FOLDER).materials
    orla = next(iter(KIND.subjects(KIND.Config(), materials)))
    strings = orla.shown["strings"]
    assert sorted(strings) == sorted(
        {unit for output in materials.outputs if output.topic == "orla" for unit in output.units}
    )
    assert strings != sorted(strings)
    assert next(iter(KIND.subjects(KIND.Config(), materials))).shown == orla.shown
    assert orla.shown["prefilled"] == []
    draft = next(iter(KIND.subjects(KIND.Config(prefilled=True), materials))).shown["prefilled"]
    assert [nugget["id"] for nugget in draft] == ["n1", "n2", "n3", "n4"]


def test_two_keys_are_joined_and_one_who_finds_a_nugget_vital_decides():
    other = [
        {"id": "n1", "text": "Friday", "status": "vital"},
        {"id": "n2", "text": "rain", "status": "okay"},
    ]
    joined = KIND.joined(KIND.Config(), [KIND.Answer(nuggets=NUGGETS), KIND.Answer(nuggets=other)])
    assert [(nugget.id, nugget.text, nugget.status) for nugget in joined.nuggets] == [
        ("n1", "a storm", "vital"),
        ("n2", "Friday", "vital"),
        ("n3", "rain", "okay"),
    ]


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        (', "status": "vital"', "", "nugget “n1” has no “status”; say vital or okay."),
        ('"status": "vital"', '"status": "great"', "“status” cannot be “great”"),
        ('"id": "n1"', '"id": "n/1"', "“n/1” cannot be the id of a nugget"),
    ],
)
def test_a_key_in_the_study_file_that_cannot_be_is_named(tmp_path, old, new, problem):
    files = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.iterdir()}
    found = problems_of(
        write_files(tmp_path, files | {"units.jsonl": files["units.jsonl"].replace(old, new, 1)})
    )
    assert any(problem in one for one in found), found


def test_a_question_without_a_key_is_named(tmp_path):
    files = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.iterdir()}
    lines = [line for line in files["units.jsonl"].splitlines() if '"kelp"' not in line]
    found = problems_of(write_files(tmp_path, files | {"units.jsonl": "\n".join(lines)}))
    assert any("“kelp” has no nuggets" in one for one in found), found


# --- whole studies --------------------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_the_example_goes_out_and_comes_in_again_as_it_was():
    study = study_import(study_file=read_study(FOLDER))
    assert study_as_file(study) == read_study(FOLDER)
    study_simulate(study=study, seed=5)
    first, again = rows_again(study)
    assert {row["criterion"] for row in first} == {"nugget", "status", "present", "evidence"}
    assert first == again


@pytest.mark.django_db
def test_known_answers_give_the_four_shares_and_f_of_the_paper():
    """AutoNuggetizer's four and Lin & Demner-Fushman's F(3), by hand: bd7731 on orla has n1 fully and n3 in part."""
    study = study_import(study_file=read_study(FOLDER))
    known = {
        ("bd7731", "orla"): {"n1": (1, [1]), "n3": (0.5, [2]), "n4": (1, [3])},
        ("fj4026", "kelp"): {"n2": (1, [1])},
    }

    def answer(assignment, exhibit):
        if exhibit.phase == KEY:
            return {"nuggets": exhibit.shown["prefilled"]}
        output = assignment.subject.output
        said = known.get((output.system.key, output.topic.key), {})
        return {"support": support(**{n["id"]: said.get(n["id"], (0, [])) for n in exhibit.shown["nuggets"]})}

    play(study, answer)
    output = study.outputs.get(system__key="bd7731", topic__key="orla")
    length = len("".join(output.text.split()))
    precision = 1 - (length - 200) / length if length >= 200 else 1.0
    recall = 1 / 2
    f = 10 * precision * recall / (9 * precision + recall)
    for task in ("given", "made"):
        cell = ("bd7731", "orla")
        assert scores_of(study, "nuggets-vital", task=task)[cell] == pytest.approx(1 / 2)
        assert scores_of(study, "nuggets-all", task=task)[cell] == pytest.approx(2.5 / 4)
        assert scores_of(study, "nuggets-all-strict", task=task)[cell] == pytest.approx(2 / 4)
        assert scores_of(study, "nuggets-vital-strict", task=task)["fj4026", "kelp"] == pytest.approx(1 / 2)
        assert scores_of(study, "nugget-f", task=task)[cell] == pytest.approx(f)
        assert scores_of(study, "nuggets-all", task=task)["xn1958", "orla"] == 0


@pytest.mark.django_db
def test_who_made_the_key_judges_all_responses_unless_the_design_is_blocked():
    study = study_import(study_file=read_study(FOLDER))
    study_open(study=study)
    answer_all(study, lambda assignment, exhibit: plausible_key(exhibit))
    task = study.tasks.get(name="made")
    phase_open(task=task)
    makers = {
        row.subject.topic.key: row.assessor.name
        for row in Assignment.objects.filter(subject__task=task, subject__phase=KEY).select_related(
            "assessor", "subject__topic"
        )
    }
    judges = {
        (row.subject.output.topic.key, row.assessor.name)
        for row in Assignment.objects.filter(subject__task=task, subject__phase=JUDGING).select_related(
            "assessor", "subject__output__topic"
        )
    }
    assert judges == set(makers.items())


def plausible_key(exhibit):
    if exhibit.phase == KEY:
        return {"nuggets": exhibit.shown["prefilled"]}
    return {"support": {n["id"]: {"value": 0, "strings": []} for n in exhibit.shown["nuggets"]}}


@pytest.mark.django_db
def test_scores_stand_on_the_key_that_was_chosen_though_two_were_made():
    made = make_study(
        {"kind": "nuggets", "name": "facts", "builders_per_item": 2, "design": {"order": "blocked"}},
        documents=1,
        assessors=2,
    )
    study_open(study=made)

    def answer(assignment, exhibit):
        if exhibit.phase == KEY:
            texts = ["one"] if assignment.assessor.name == "p1" else ["one", "two"]
            return {
                "nuggets": [{"id": f"n{n}", "text": text, "status": "vital"} for n, text in enumerate(texts)]
            }
        return {
            "support": {
                n["id"]: {"value": int(n["text"] == "two"), "strings": []} for n in exhibit.shown["nuggets"]
            }
        }

    answer_all(made, answer)
    task = made.tasks.get()
    key_choose(task=task, about="d1", author=made.assessors.get(name="p2").pseudonym)
    phase_open(task=task)
    answer_all(made, answer)
    assert Subject.objects.filter(phase=JUDGING).count() == 2
    assert set(scores_of(made, "nuggets-vital").values()) == {0.5}
    (table,) = human_tables(*tables(made))["facts"]
    assert [row[1] for row in table.rows] == ["one", "two"]
    # Another is chosen: until it is judged by, scores stand on the one that was.
    key_choose(task=task, about="d1", author=made.assessors.get(name="p1").pseudonym)
    assert set(scores_of(made, "nuggets-vital").values()) == {0.5}
    assert phase_extend(task=task) == 2
    answer_all(made, answer)
    assert set(scores_of(made, "nuggets-vital").values()) == {0.0}


@pytest.mark.django_db
def test_pourpre_takes_the_key_that_people_made_from_the_files_of_the_study_and_in_its_report(tmp_path):
    """By hand, fj4026 on kelp: of two vital nuggets it has all six words of one and neither of “is eaten”, and one word of three of
    the okay one: recall 1/2, 84 characters of 133 allowed, F(5) = 26 · ½/25½."""
    study = study_import(study_file=read_study(FOLDER))
    play(study, lambda assignment, exhibit: plausible_key(exhibit))
    client, table = owner_client(study), tmp_path / "facts.csv"
    addresses = {
        table: reverse("download_judgments", args=[study.slug, "csv"]),
        tmp_path / "facts.csv.attributes.csv": reverse("download_attributes", args=[study.slug]),
    }
    for file, address in addresses.items():
        file.write_bytes(b"".join(client.get(address).streaming_content))
    command = ["score", "--outputs", str(FOLDER / "outputs.jsonl")]
    of_key = [*command, "--nuggets", str(table), "--task", "made"]
    assert main([*of_key, "--metric", "pourpre-count", "--out", str(tmp_path / "scores.csv")]) == 0
    scores = pd.read_csv(tmp_path / "scores.csv").set_index(["system", "item"])["score"]
    assert scores["fj4026", "kelp"] == pytest.approx(26 * 0.5 / 25.5)

    # The key of the study file is a file of references as it is.
    given = [*command, "--references", str(FOLDER / "units.jsonl"), "--metric", "pourpre-count"]
    assert main([*given, "--out", str(tmp_path / "given.csv")]) == 0
    assert pd.read_csv(tmp_path / "given.csv").set_index(["system", "item"])["score"].equals(scores)
    assert main(of_key[:-2]) == 2  # two tasks have keys

    inputs = report_inputs(study, newest_data(study))
    report = build_report(**inputs, options=Options(n_resamples=100, seed=1))
    found = next(table.frame for table in report.tables if table.name == "metric-scores-item")
    rows = {(row.metric, row.system, row.item): row.score for row in found.itertuples()}
    assert rows["pourpre-count", "fj4026", "kelp"] == pytest.approx(26 * 0.5 / 25.5)
    assert {metric for metric, *_ in rows} == {"pourpre", "pourpre-count"}
    assert "from 6 outputs and 7 nuggets of the answer key" in str(report.data["methods"])
    assert "POURPRE compares outputs with the nuggets of the task given" in str(report.data["notes"])


@pytest.mark.django_db
def test_the_results_page_has_a_table_of_marks():
    study = study_import(study_file=read_study(FOLDER))
    study_simulate(study=study, seed=5)
    (table,) = human_tables(*tables(study))["given"]
    marks = {cell.mark for line in table.lines() for cell in line}
    assert {"●", "○", "◐"} & marks
    assert {cell.mark for line in table.lines() for cell in line if not cell.is_number} == {""}
    page = owner_client(study).get(reverse("study_results", args=[study.slug])).content.decode()
    assert '<span aria-hidden="true">●</span>' in page
