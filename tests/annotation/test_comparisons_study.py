"""Studies of comparisons: the sets that are picked, the plan, and the way out and in again."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from annotation.analysis.inputs import report_inputs
from annotation.analysis.standings import tables_of
from annotation.designs import Design
from annotation.export import judgment_rows
from annotation.models import SetMember, Study, Subject
from annotation.selectors.plan_tables import plan_tables
from annotation.selectors.runs import newest_data
from annotation.services.imports import judgments_import
from annotation.services.simulation import study_simulate
from annotation.services.studies import study_import, study_open
from annotation.study_files import read_study
from annotation.study_files.schema import OutputRow
from metrics.report import Options, build_report, records
from tests.conftest import ROOT
from tests.studies import study_file

pytestmark = pytest.mark.django_db
SEVEN = tuple(f"k{number}-sys" for number in range(7))


def described(study):
    (table,) = plan_tables(study).tasks
    return table.description


def test_seven_systems_in_sets_of_four_meet_exactly_twice_in_seven_items():
    task = {"kind": "ranking", "name": "order", "sets": {"size": 4}}
    study = study_import(study_file=study_file(task, systems=SEVEN, documents=7))
    assert "Any two systems meet in 2 sets." in described(study)
    study_open(study=study)
    assert "Any two systems meet in 2 sets." in described(Study.objects.get())
    assert Subject.objects.count() == 7
    shown = Counter(SetMember.objects.values_list("output__system__key", flat=True))
    assert set(shown.values()) == {4}


def test_the_plan_says_least_and_most_meetings_where_they_differ():
    task = {"kind": "pairwise", "name": "better"}
    study = study_import(study_file=study_file(task, systems=SEVEN[:3], documents=4))
    assert "Any two systems meet in 1 to 2 sets." in described(study)


def test_the_seed_of_the_study_draws_the_sets():
    task = {"kind": "ranking", "name": "order", "sets": {"size": 3, "pick": "random"}}
    drawn = []
    for seed in (1, 1, 2):
        study = study_import(
            study_file=study_file(task, systems=SEVEN, documents=6, seed=seed, slug=f"s{len(drawn)}")
        )
        study_open(study=study)
        members = SetMember.objects.filter(subject__task__study=study)
        drawn.append(sorted(members.values_list("output__document__key", "output__system__key")))
    assert drawn[0] == drawn[1] != drawn[2]


def test_nobody_gets_a_comparison_with_a_text_of_their_own():
    task = {"kind": "best_worst", "name": "best", "sets": {"size": 3, "pick": "all"}}
    file = study_file(task, systems=SEVEN[:4], documents=2, design=Design(assessors_per_item=1))
    outputs = tuple(
        row.model_copy(update={"author": "ada"}) if row.system == SEVEN[0] else row
        for row in file.materials.outputs
    )
    people = (file.assessors[0].model_copy(update={"author": "ada"}), *file.assessors[1:])
    study = study_import(
        study_file=replace(file, materials=replace(file.materials, outputs=outputs), assessors=people)
    )
    study_open(study=study)
    met = SetMember.objects.filter(subject__assignments__assessor__author="ada")
    assert met.exists()
    assert not met.filter(output__author="ada").exists()


@pytest.mark.parametrize("name", ["pairwise", "ranking", "best_worst"])
def test_judgments_of_an_example_go_out_and_come_in_again_as_they_were(name):
    file = read_study(ROOT / "fixtures" / name)
    study = study_import(study_file=file)
    study_simulate(study=study, seed=3)
    wanted = [{**row, "study": ""} for row in judgment_rows(study)]
    Study.objects.update(slug="first")
    again = study_import(study_file=file)
    judgments_import(study=again, rows=[{**row, "row": number} for number, row in enumerate(wanted, start=2)])
    assert [{**row, "study": ""} for row in judgment_rows(again)] == wanted
    assert {row["kind"] for row in wanted} == {name}


def test_systems_with_one_text_have_one_place_and_one_rank():
    file = study_file({"kind": "ranking", "name": "order"}, systems=SEVEN[:4], documents=1)
    outputs = tuple(
        OutputRow(
            system=row.system, document=row.document, text="The same." if number < 2 else f"Text {number}."
        )
        for number, row in enumerate(file.materials.outputs)
    )
    study = study_import(study_file=replace(file, materials=replace(file.materials, outputs=outputs)))
    assert "Any two systems meet in 0 to 1 sets." in described(study)
    study_simulate(study=study, seed=1)
    said = {row["system"]: (row["place"], row["value"]) for row in judgment_rows(study)}
    assert len(said) == 4
    assert said[SEVEN[0]] == said[SEVEN[1]]
    assert len({place for place, _ in said.values()}) == 3


def test_a_report_without_references_does_not_say_that_there_are_no_texts():
    file = study_file({"kind": "ranking", "name": "order"}, systems=SEVEN[:3], documents=2)
    study = study_import(study_file=replace(file, materials=replace(file.materials, references=())))
    study_simulate(study=study, seed=1)
    report = build_report(
        **report_inputs(study, newest_data(study)), options=Options(human=("order/wins",), n_resamples=100)
    )
    (why,) = (row["why"] for row in report.data["missing"] if row["section"] == "computed-scores")
    assert why == "no references were given: outputs and references are needed to compute metrics"


def test_the_monitor_tells_two_systems_apart_by_the_reports_own_test():
    """In resamples that one system won throughout, its strength lies far out: a t-test by their deviation found nothing."""
    file = study_file({"kind": "ranking", "name": "order"}, systems=SEVEN[:3], documents=8)
    study = study_import(study_file=replace(file, materials=replace(file.materials, references=())))
    study_simulate(study=study, seed=2)
    report = build_report(**report_inputs(study, newest_data(study)))
    told = {section["score"]: records(section["pairs"])[0] for section in report.data["human"]}
    live = {row["score"]: row["apart"] for row in tables_of(study)["standings"]}
    assert set(live) == set(told)
    for score, pair in told.items():
        assert live[score]["systems"] == [pair["system_a"], pair["system_b"]]
        assert live[score]["pvalue"] == pytest.approx(pair["pvalue_adjusted"])
