"""import_study and export_study, on a real database."""

import os
from io import StringIO
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from annotation.models import Judgment, Membership, Output, Study
from annotation.selectors.files import study_as_file
from annotation.services.studies import study_import, study_open
from annotation.services.work import assignment_next, draft_save
from annotation.study_files import read_study, zipped
from tests.studies import make_study

FIXTURES = Path(__file__).resolve().parents[3] / "fixtures"
STUDIES = sorted(path.parent for path in FIXTURES.glob("*/study.yaml"))
pytestmark = pytest.mark.django_db


def run(*arguments, **options) -> str:
    out = StringIO()
    call_command(*map(str, arguments), stdout=out, **options)
    return out.getvalue()


@pytest.mark.parametrize("path", STUDIES, ids=lambda path: path.name)
def test_export_of_an_import_equals_it(path, tmp_path):
    slug = run("import_study", path).split()[-1]
    study = Study.objects.get(slug=slug)
    assert study_as_file(study) == read_study(path)
    run("export_study", slug, "--out", tmp_path / "first.zip")
    run("export_study", slug, "--out", tmp_path / "folder")
    assert (tmp_path / "first.zip").read_bytes() == zipped(read_study(path))
    run("import_study", tmp_path / "first.zip", "--replace")
    run("export_study", slug, "--out", tmp_path / "second.zip")
    assert (tmp_path / "second.zip").read_bytes() == (tmp_path / "first.zip").read_bytes()
    assert zipped(read_study(tmp_path / "folder")) == (tmp_path / "first.zip").read_bytes()


def test_units_are_cut_once_at_import():
    run("import_study", FIXTURES / "demo")
    output = Output.objects.filter(document__key="harbour", system__type="baseline").get()
    assert [unit.split()[0] for unit in output.units] == ["Ferries", "The"]
    assert not output.units_given


def test_every_problem_is_printed_and_nothing_is_written(tmp_path):
    for source in (FIXTURES / "demo").iterdir():
        (tmp_path / source.name).write_bytes(source.read_bytes())
    with (tmp_path / "outputs.jsonl").open("a") as file:
        file.write('{"system": "nobody", "document": "nowhere", "text": "x"}\n{"broken\n')
    with pytest.raises(CommandError) as error:
        run("import_study", tmp_path)
    said = str(error.value).splitlines()
    assert [line.partition(" ")[0] for line in said] == [
        "outputs.jsonl:15:",
        "outputs.jsonl:15:",
        "outputs.jsonl:16:",
        "3",
    ]
    assert not Study.objects.exists()


def test_a_study_is_not_replaced_unasked():
    run("import_study", FIXTURES / "see")
    with pytest.raises(CommandError, match="already"):
        run("import_study", FIXTURES / "see")
    first = Study.objects.get()
    run("import_study", FIXTURES / "see", "--replace")
    assert Study.objects.get().pk != first.pk


def test_a_study_with_judgments_is_never_replaced():
    run("import_study", FIXTURES / "see")
    run("simulate_study", "see-clauses", "--seed", "1")
    study = Study.objects.get()
    with pytest.raises(CommandError, match="judgments"):
        run("import_study", FIXTURES / "see", "--replace")
    assert Study.objects.get().pk == study.pk


def test_simulation_counts_judgments_without_practice_and_familiarisation():
    run("import_study", FIXTURES / "likert")
    said = run("simulate_study", "meeting-summaries", "--seed", "1")
    # Two meetings with four summaries each, judged by two people: Judgment also has what nobody counts.
    assert said.startswith("16 judgments made")
    assert Judgment.objects.count() > 16


def test_a_simulation_goes_past_what_somebody_has_begun():
    study = study_import(study_file=read_study(FIXTURES / "likert"))
    study_open(study=study)
    assignment = assignment_next(assessor=study.assessors.select_related("study").first())
    draft_save(assignment=assignment, revision=1, answer={}, advance=True)
    assert run("simulate_study", study.slug, "--seed", "1").startswith("16 judgments made")


def test_an_export_does_not_touch_a_folder_with_other_files(tmp_path):
    run("import_study", FIXTURES / "see")
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(CommandError, match=r"notes\.txt"):
        run("export_study", "see-clauses", "--out", tmp_path)
    assert [child.name for child in tmp_path.iterdir()] == ["notes.txt"]


def test_an_unknown_study_is_named(tmp_path):
    with pytest.raises(CommandError, match="no study “nothing”"):
        run("export_study", "nothing", "--out", tmp_path / "out")


def test_a_study_from_the_command_line_belongs_to_the_first_experimenter():
    first = User.objects.create_user("first")
    User.objects.create_user("second")
    run("import_study", FIXTURES / "demo")
    (membership,) = Membership.objects.all()
    assert (membership.user, membership.role) == (first, "owner")


def test_replacing_a_study_keeps_its_owner():
    User.objects.create_user("first")
    second = User.objects.create_user("second")
    study_import(study_file=read_study(FIXTURES / "demo"), owner=second)
    run("import_study", FIXTURES / "demo", "--replace")
    assert [row.user for row in Membership.objects.all()] == [second]


TABLE = "doc_id,source,system,summary\nd1,A long story.,alpha,A story.\nd1,A long story.,beta,One.\nd2,Another story.,alpha,Other.\n"


def test_a_table_and_a_template_make_a_study(tmp_path, capsys):
    path = tmp_path / "My texts.csv"
    path.write_text(TABLE)
    assert run("import_study", path, "--template", "summeval").split()[-1] == "my-texts"
    study = Study.objects.get(slug="my-texts")
    assert (study.name, study.outputs.count(), study.tasks.get().kind) == ("My texts", 3, "rating")
    errors = capsys.readouterr().err
    assert "doc_id = document, source = source, system = system, summary = output" in errors
    assert "Warning: Outputs that are missing: 1 of 4: “beta” on “d2”." in errors
    # What the template made is a study file as any other.
    run("export_study", "my-texts", "--out", tmp_path / "back.zip")
    assert zipped(read_study(tmp_path / "back.zip")) == (tmp_path / "back.zip").read_bytes()


def test_a_table_may_have_sources_in_another_language(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(
        "doc_id,source,system,summary\nd1,Es sank am 3. Mai bei Brod. Niemand starb.,alpha,The end.\n"
    )
    run("import_study", path, "--template", "summeval", "--source-language", "de")
    study = Study.objects.get(slug="t")
    assert (study.language, study.document_language) == ("en", "de")
    assert study.documents.get().units == ["Es sank am 3. Mai bei Brod.", "Niemand starb."]
    with pytest.raises(CommandError, match="“settings source_language” must be a language tag such as en"):
        run("import_study", path, "--template", "summeval", "--slug", "u", "--source-language", "old german")


def test_a_table_with_columns_of_other_names_is_mapped_and_problems_name_its_rows(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(
        "a,b,c\nd1,x,A long story that is a text.\nd1,x,Another long story, again.\n".replace(
            "story, a", "story a"
        )
    )
    mapping = (
        "--map",
        "a=document",
        "--map",
        "b=system",
        "--map",
        "c=output",
        "--template",
        "linguistic-quality",
    )
    with pytest.raises(CommandError) as error:
        run("import_study", path, *mapping)
    assert "t:3: “x” has a text on “d1” already, in row 2" in str(error.value)
    with pytest.raises(CommandError, match="compares with a reference, and there is none for “d1”"):
        path.write_text("a,b,c\nd1,x,A long story that is a text.\n")
        run("import_study", path, *mapping[:-1], "tides")
    assert not Study.objects.exists()


def test_templates_are_listed_and_a_table_without_one_says_so(tmp_path):
    listed = run("import_study", "--list-templates")
    assert {"duc-coverage", "summeval", "mqm", "wmt-ranking"} <= {
        line.split()[0] for line in listed.splitlines()
    }
    path = tmp_path / "t.csv"
    path.write_text(TABLE)
    with pytest.raises(CommandError, match="A table of texts needs --template NAME"):
        run("import_study", path)
    with pytest.raises(CommandError, match="no template “sumeval”; did you mean “summeval”"):
        run("import_study", path, "--template", "sumeval")


def test_an_export_stands_in_nobodys_place(tmp_path):
    """Before: a file in the place of a device or a pipe, and a traceback where there was a folder."""
    study = make_study()
    pipe, folder, file = tmp_path / "pipe.zip", tmp_path / "folder", tmp_path / "file"
    os.mkfifo(pipe)
    folder.mkdir()
    file.write_text("kept")
    for out in (pipe, folder):
        with pytest.raises(CommandError, match="is not a file"):
            call_command("export_judgments", study.slug, "--out", str(out))
    with pytest.raises(CommandError, match="is not a file"):
        call_command("export_study", study.slug, "--out", str(pipe))
    with pytest.raises(CommandError, match="cannot be written"):
        call_command("export_judgments", study.slug, "--out", str(file / "table.csv"))
    assert pipe.is_fifo()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder", "pipe.zip"]
