"""Judgments made elsewhere: all of them come in, each once, and a bad table changes nothing."""

import csv

import pytest
from django.core.management import CommandError, call_command

from annotation.designs import Design
from annotation.export import judgment_rows
from annotation.models import Assignment, Judgment, Study
from annotation.services import work
from annotation.services.simulation import study_simulate
from annotation.services.studies import study_import, study_open
from annotation.study_files import read_study
from tests.conftest import ROOT
from tests.studies import SEE, make_study

pytestmark = pytest.mark.django_db


def exported(study, path):
    call_command("export_judgments", study.slug, "--out", str(path))
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def write(rows, path):
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)


def decided(study):
    """What was judged by whom, without when and at which place."""
    names = ("task", "assessor", "system", "item", "unit", "criterion", "value", "label")
    return sorted(
        tuple(str(row[name]) for name in names) for row in judgment_rows(study) if not row["practice"]
    )


@pytest.mark.parametrize("name", ["see", "rating", "likert", "cross_comprehension", "relevance"])
def test_what_one_study_exports_another_takes_in(name, tmp_path):
    study_file = read_study(ROOT / "fixtures" / name)
    first = study_import(study_file=study_file)
    study_simulate(study=first, seed=3)
    rows = exported(first, tmp_path / "first.csv")
    wanted = decided(first)
    Study.objects.filter(pk=first.pk).update(slug="elsewhere")
    second = study_import(study_file=study_file)
    for row in rows:
        row["position"] = ""  # as in a table that was written by hand
    write(rows, tmp_path / "table.csv")
    call_command("import_judgments", second.slug, str(tmp_path / "table.csv"))
    assert decided(second) == wanted
    call_command("import_judgments", second.slug, str(tmp_path / "table.csv"))
    assert decided(second) == wanted


def test_the_same_judgment_at_two_positions_of_a_table_is_refused(tmp_path):
    study = make_study(SEE)
    study_simulate(study=study, seed=3)
    rows = exported(study, tmp_path / "table.csv")
    Study.objects.filter(pk=study.pk).update(slug="elsewhere")
    again = make_study(SEE)
    one = [row | {"position": ""} for row in rows if row["position"] == rows[0]["position"]]
    one = [row for row in one if row["assessor"] == rows[0]["assessor"]]
    write([*one, *(row | {"position": "77"} for row in one)], tmp_path / "twice.csv")
    with pytest.raises(CommandError, match="has judged the same twice"):
        call_command("import_judgments", again.slug, str(tmp_path / "twice.csv"))
    assert not Judgment.objects.filter(assignment__assessor__study=again).exists()


def test_a_value_between_two_points_is_refused_and_not_rounded(tmp_path):
    study_file = read_study(ROOT / "fixtures" / "likert")
    study = study_import(study_file=study_file)
    study_simulate(study=study, seed=3)
    rows = exported(study, tmp_path / "table.csv")
    Study.objects.filter(pk=study.pk).update(slug="elsewhere")
    again = study_import(study_file=study_file)
    next(row for row in rows if row["practice"] == "False")["value"] = "2.5"
    write(rows, tmp_path / "table.csv")
    with pytest.raises(CommandError, match=r"row .*integer"):
        call_command("import_judgments", again.slug, str(tmp_path / "table.csv"))


def test_a_pool_does_not_hand_out_what_was_judged_elsewhere(tmp_path):
    pool = Design(pool=True, assessors_per_item=1)
    study = make_study(SEE, design=pool)
    study_simulate(study=study, seed=3)
    exported(study, tmp_path / "table.csv")
    Study.objects.filter(pk=study.pk).update(slug="elsewhere")
    again = make_study(SEE, design=pool)
    call_command("import_judgments", again.slug, str(tmp_path / "table.csv"))
    again.refresh_from_db()
    study_open(study=again)
    assert Assignment.objects.filter(assessor__study=again).count() == 4
    for assessor in again.assessors.select_related("study"):
        assert work.assignment_next(assessor=assessor) is None
