"""Judgments made elsewhere: all of them come in, each once, and a bad table changes nothing."""

import csv
from dataclasses import replace
from io import StringIO

import pyarrow as pa
import pytest
from django.core.management import CommandError, call_command
from pyarrow import parquet

from annotation.analysis import BadInput, judgment_table
from annotation.analysis.judgments import MOST_ROWS
from annotation.designs import Design
from annotation.export import attribute_rows, judgment_rows
from annotation.export_files import export_write
from annotation.models import Assignment, Judgment, Study
from annotation.selectors.files import study_as_file
from annotation.selectors.progress import study_progress
from annotation.services import work
from annotation.services.imports import judgments_import
from annotation.services.simulation import study_simulate
from annotation.services.studies import study_close, study_import, study_open
from annotation.study_files import read_study, zipped
from annotation.study_files.schema import AssessorRow
from tests.conftest import ROOT
from tests.studies import SEE, make_study, study_file

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


CROSS = {"kind": "cross_comprehension", "name": "crossing", "judges_per_pair": 2}


def authored():
    """A study in which people write, and then judge what others wrote; one writes under an author id of her own."""
    made = study_file(CROSS, SEE, documents=2, assessors=4)
    return replace(made, assessors=(*made.assessors, AssessorRow(name="Ida", author="ida")))


STUDIES = {
    **{
        name: lambda name=name: read_study(ROOT / "fixtures" / name)
        for name in ("demo", "see", "rating", "likert", "cross_comprehension", "relevance")
    },
    "authored": authored,
}


@pytest.mark.parametrize(
    ("name", "ending"),
    [
        *((name, "csv") for name in STUDIES if name != "authored"),
        ("rating", "jsonl"),
        ("authored", "parquet"),
    ],
)
def test_export_import_export_is_the_identity(name, ending, tmp_path):
    """All but practice, which enters no result and is left out on the way in."""
    first = study_import(study_file=STUDIES[name]())
    study_simulate(study=first, seed=3)
    table = tmp_path / f"table.{ending}"
    export_write(first, format=ending, out=table)
    wanted = [row for row in judgment_rows(first) if not row["practice"]]
    attributes = list(attribute_rows(first))
    written = zipped(study_as_file(first))
    Study.objects.filter(pk=first.pk).update(slug="elsewhere")
    (tmp_path / "study.zip").write_bytes(written)
    second = study_import(study_file=read_study(tmp_path / "study.zip"))
    for _ in range(2):  # the second time changes nothing
        judgments_import(study=second, rows=judgment_table(table))
        assert list(judgment_rows(second)) == wanted
        assert list(attribute_rows(second)) == attributes
        assert zipped(study_as_file(second)) == written
    second.refresh_from_db()
    assert second.state == Study.State.CLOSED
    assert study_progress(second).left == 0


def test_what_was_written_elsewhere_can_come_in_before_it_is_judged(tmp_path):
    first = study_import(study_file=authored())
    study_simulate(study=first, seed=3)
    rows = exported(first, tmp_path / "all.csv")
    wanted = decided(first)
    Study.objects.filter(pk=first.pk).update(slug="elsewhere")
    second = study_import(study_file=authored())
    for name, part in (("written", [row for row in rows if not row["system"]]), ("all", rows)):
        write(part, tmp_path / f"{name}.csv")
        call_command("import_judgments", second.slug, str(tmp_path / f"{name}.csv"))
    assert decided(second) == wanted


def test_answers_about_texts_that_nobody_wrote_are_refused(tmp_path):
    first = study_import(study_file=authored())
    study_simulate(study=first, seed=3)
    rows = exported(first, tmp_path / "all.csv")
    Study.objects.filter(pk=first.pk).update(slug="elsewhere")
    second = study_import(study_file=authored())
    write([row for row in rows if row["assessor"] != "A02"], tmp_path / "some.csv")
    with pytest.raises(CommandError, match=r"row \d+: task crossing has nothing of system"):
        call_command("import_judgments", second.slug, str(tmp_path / "some.csv"))
    second.refresh_from_db()
    assert second.state == Study.State.DRAFT
    assert not Judgment.objects.filter(assignment__assessor__study=second).exists()


def test_answers_to_pairs_of_an_open_study_wait_for_the_experimenter(tmp_path):
    first = study_import(study_file=authored())
    study_simulate(study=first, seed=3)
    exported(first, tmp_path / "all.csv")
    Study.objects.filter(pk=first.pk).update(slug="elsewhere")
    second = study_import(study_file=authored())
    study_open(study=second)
    with pytest.raises(CommandError, match="its phase “judging” is not open"):
        call_command("import_judgments", second.slug, str(tmp_path / "all.csv"))


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


def test_a_small_file_that_unpacks_to_far_too_much_is_refused_before_it_is_read(tmp_path):
    """Rows that are all the same take next to no room in Parquet."""
    path = tmp_path / "judgments.parquet"
    parquet.write_table(pa.table({"study": pa.array(["x"]).take(pa.array([0] * (MOST_ROWS + 1)))}), path)
    assert path.stat().st_size < 1_000_000
    with pytest.raises(BadInput, match="has 1,000,001 rows; import at most 1,000,000 at once"):
        next(judgment_table(path))


def test_many_new_people_are_added_at_once(tmp_path, django_assert_max_num_queries):
    """Before: one by one, with everybody else read again each time; nobody could judge for minutes while 4,000 came in."""
    study = make_study()
    study_simulate(study=study, seed=3)
    study_close(study=study)
    rows = [row for row in exported(study, tmp_path / "one.csv") if row["practice"] == "False"]
    first = [row for row in rows if row["assessor"] == rows[0]["assessor"]]
    many = [dict(row, assessor=f"newcomer {number:03}") for number in range(60) for row in first]
    write(many, tmp_path / "many.csv")
    before = study.assessors.count()
    table = list(judgment_table(tmp_path / "many.csv"))
    with django_assert_max_num_queries(150):  # one for each newcomer, and what all need together
        judgments_import(study=study, rows=table)
    names = list(study.assessors.order_by("pk").values_list("name", flat=True))[before:]
    assert names == [f"newcomer {number:03}" for number in range(60)]


@pytest.mark.parametrize("name", ["see", "rating", "likert", "cross_comprehension", "relevance"])
def test_what_was_here_already_and_says_something_else_is_told(name, tmp_path):
    """Before: it was counted as known, as if the table had been taken."""
    study = study_import(study_file=read_study(ROOT / "fixtures" / name))
    study_simulate(study=study, seed=3)
    path = tmp_path / "judgments.csv"
    rows = exported(study, path)
    wanted = decided(study)
    again = judgments_import(study=study, rows=judgment_table(path))
    assert (again.judgments, again.differing, again.known > 0) == (0, 0, True)
    if name != "rating":
        return
    values = sorted({row["value"] for row in rows if row["criterion"] == rows[0]["criterion"]})
    changed = next(
        row for row in rows if row["value"] == values[0] and row["criterion"] == rows[0]["criterion"]
    )
    changed["value"], changed["label"] = next(
        (row["value"], row["label"])
        for row in rows
        if row["value"] == values[-1] and row["criterion"] == changed["criterion"]
    )
    write(rows, path)
    out = StringIO()
    call_command("import_judgments", study.slug, str(path), stdout=out)
    assert "1 of those that were here already say something else in the table" in out.getvalue()
    assert decided(study) == wanted
