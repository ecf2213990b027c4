"""SummEval as a finished study: converted, imported, exported, and the same numbers at the end."""

import json

import pandas as pd
import pytest
from django.core.management import call_command

from annotation.models import Judgment, Study
from metrics.cli import main
from metrics.frames import read_judgments
from tests.metrics.formats.releases import jsonl, release

pytestmark = pytest.mark.django_db
DOCUMENTS = 4
KEY = ["task", "assessor", "system", "item", "criterion", "value"]


def imported(folder):
    call_command("import_study", folder)
    call_command("import_judgments", "summeval", folder / "judgments.csv")
    return Study.objects.get(slug="summeval")


def exported(folder):
    call_command("export_judgments", "summeval", "--names", "--out", folder / "judgments.csv")
    return read_judgments(folder / "judgments.csv")


def sorted_rows(table):
    return table[KEY].sort_values(KEY, ignore_index=True)


def test_a_release_goes_through_the_application_and_comes_back_as_it_was(tmp_path, capsys):
    source, made, kept = tmp_path / "release.jsonl", tmp_path / "made", tmp_path / "kept"
    source.write_text(jsonl(release(systems=("M0", "M22"))), encoding="utf-8")
    assert main(["convert", "summeval", "study", str(source), "--group", "all", "--out", str(made)]) == 0
    study = imported(made)
    assert study.state == Study.State.CLOSED
    assert Judgment.objects.count() == 2 * 2 * (3 + 5)
    call_command("export_study", "summeval", "--out", kept)
    exported(kept)
    back = tmp_path / "back.jsonl"
    assert main(["convert", "study", "summeval", str(kept), "--out", str(back)]) == 0
    expected = {(line["model_id"], line["id"]): line for line in release(systems=("M0", "M22"))}
    lines = [json.loads(line) for line in back.read_text(encoding="utf-8").splitlines()]
    assert {(line["model_id"], line["id"]): line for line in lines} == expected


@pytest.fixture
def subset(shared, tmp_path):
    """The stored data, of the first few documents only."""
    folder = shared / "data" / "summeval"
    texts = json.loads((folder / "texts_16sys_11refs.json").read_text(encoding="utf-8"))
    items = list(texts)[:DOCUMENTS]
    ratings = pd.read_csv(folder / "ratings_long_12sys.csv")
    paths = [tmp_path / "texts.json", tmp_path / "ratings.csv"]
    paths[0].write_text(json.dumps({item: texts[item] for item in items}), encoding="utf-8")
    ratings[ratings["doc"].isin(items)].to_csv(paths[1], index=False)
    return [str(path) for path in paths]


def test_the_stored_data_become_a_finished_study(subset, tmp_path, capsys):
    folder = tmp_path / "study"
    assert main(["convert", "summeval", "study", *subset, "--out", str(folder)]) == 0
    study = imported(folder)
    assert study.systems.count() == 12
    assert study.references.count() == 11 * DOCUMENTS
    assert Judgment.objects.count() == 12 * DOCUMENTS * 3
    before, after = read_judgments(folder / "judgments.csv"), exported(tmp_path)
    pd.testing.assert_frame_equal(sorted_rows(after), sorted_rows(before))
    assert after["seconds"].isna().all()  # nobody knows how long they took: that is not zero seconds
    assert set(after["label"]) <= {"very poor", "poor", "barely acceptable", "good", "very good"}
    agreed = [_agreement(path, capsys) for path in (folder / "judgments.csv", tmp_path / "judgments.csv")]
    assert agreed[0] == agreed[1]
    assert len(agreed[0]) == 4


def _agreement(path, capsys):
    capsys.readouterr()
    assert (
        main(["agreement", str(path), "--coefficient", "alpha-ordinal", "--resamples", "50", "--json"]) == 0
    )
    return json.loads(capsys.readouterr().out)["rows"]


def test_importing_twice_changes_nothing(subset, tmp_path, capsys):
    folder = tmp_path / "study"
    assert main(["convert", "summeval", "study", *subset, "--out", str(folder)]) == 0
    imported(folder)
    count = Judgment.objects.count()
    call_command("import_judgments", "summeval", folder / "judgments.csv")
    assert Judgment.objects.count() == count
    assert f"0 judgments imported, {count} were here already" in capsys.readouterr().out
