"""Content units: what is written and judged, what is refused, and REALSumm's votes as a study."""

import json

import pandas as pd
import pytest
from django.core.management import call_command

from annotation.export import ATTRIBUTE_COLUMNS, COLUMNS, attribute_rows, judgment_rows
from annotation.selectors.files import study_as_file
from annotation.services.simulation import study_simulate
from annotation.services.studies import study_import
from annotation.study_files import read_study
from annotation.study_files.schema import (
    DocumentRow,
    Materials,
    OutputRow,
    ReferenceRow,
    StudyFile,
    SystemRow,
    TaskRow,
)
from annotation.tasks.terms import Exhibit, Record, Text
from annotation.tasks.units_present.kind import JUDGING, KIND, WRITING
from annotation.treebank import treebank_tokens
from metrics.formats import FORMATS
from metrics.frames import check_attributes, check_judgments
from metrics.human import human_score
from metrics.meta.agreement import agreement
from tests.annotation.study_files.conftest import problems_of, write_files
from tests.conftest import ROOT
from tests.keyed_studies import play, rows_again, scores_of

FOLDER = ROOT / "fixtures" / "units_present"
SHOWN = {"units": [{"id": "r1/1", "text": "A ferry sank."}, {"id": "r1/2", "text": "It was March."}]}
JUDGED = Exhibit(outputs=(Text("A ferry sank.", ("A ferry sank.",)),), shown=SHOWN, phase=JUDGING)
WRITTEN = Exhibit(reference=Text("One. Two.", ("One.", "Two.")), phase=WRITING)


def said(exhibit, **answer):
    return [entry.message for entry in KIND.missing(KIND.Config(), exhibit, KIND.Answer(**answer))]


def test_every_unit_must_be_answered_and_a_no_is_an_answer():
    assert said(JUDGED) == [
        "Say whether the text has this: “A ferry sank.”",
        "Say whether the text has this: “It was March.”",
    ]
    assert said(JUDGED, present={"r1/1": 0, "r1/2": 1}) == []
    assert said(JUDGED, present={"r1/1": 0, "r1/2": 1, "r1/9": 1}) == ["There is no unit “r1/9” here."]


def test_units_that_are_written_say_something_and_each_its_own():
    unit = {"id": "1", "text": "A ferry sank.", "sentence": 1}
    assert said(WRITTEN) == ["Write at least one unit."]
    assert said(WRITTEN, written=[unit]) == []
    assert said(WRITTEN, written=[unit | {"text": " "}]) == ["Write what this unit says, or remove it."]
    assert said(WRITTEN, written=[unit, unit | {"id": "2", "text": "a ferry  sank."}]) == [
        "“a ferry sank.” is there already; remove one of the two."
    ]
    assert said(WRITTEN, written=[unit | {"sentence": 3}]) == ["There is no sentence 3."]


def test_rows_are_those_of_the_specification():
    record = Record(reference="d1-ref", document="d1", phase=JUDGING)
    answer = KIND.Answer(present={"r1/1": 1, "r1/2": 0})
    assert [tuple(row)[:4] for row in KIND.rows(KIND.Config(), JUDGED, record, answer)] == [
        ("r1/1", "present", 1.0, ""),
        ("r1/2", "present", 0.0, ""),
    ]


def test_a_sample_is_the_same_for_all_outputs_of_a_reference():
    materials = read_study(FOLDER).materials
    config = KIND.Config(sample=4)
    plans = [plan for plan in KIND.subjects(config, materials) if plan.reference == 0]
    assert len(plans) == 3
    assert len({json.dumps(plan.shown) for plan in plans}) == 1
    assert [len(plan.shown["units"]) for plan in plans] == [4, 4, 4]
    every = {
        json.dumps(plan.shown) for plan in KIND.subjects(KIND.Config(), materials) if plan.reference == 0
    }
    assert not every & {json.dumps(plan.shown) for plan in plans}


def test_two_writers_are_joined_with_each_text_once():
    one = KIND.Answer(
        written=[{"id": "1", "text": "B.", "sentence": 2}, {"id": "2", "text": "A.", "sentence": 1}]
    )
    other = KIND.Answer(
        written=[{"id": "1", "text": "B.", "sentence": 2}, {"id": "2", "text": "C.", "sentence": 2}]
    )
    joined = KIND.joined(KIND.Config(), [one, other])
    assert [(unit.id, unit.text) for unit in joined.written] == [("1", "A."), ("2", "B."), ("3", "C.")]


def test_what_is_said_of_a_unit_stands_while_its_words_do():
    now = Exhibit(
        shown={"units": [{"id": "r1/1", "text": "A ferry sank."}, {"id": "r1/2", "text": "In April."}]},
        phase=JUDGING,
    )
    carried = KIND.carried(KIND.Config(), JUDGED, now, KIND.Answer(present={"r1/1": 1, "r1/2": 1}))
    assert carried.present == {"r1/1": 1}


@pytest.mark.parametrize(
    ("file", "text", "problem"),
    [
        ("units.jsonl", '{"id": "1", "reference": "nobody", "text": "x"}', "unknown reference “nobody”"),
        ("units.jsonl", '{"id": "1", "reference": "tram-ada", "text": " "}', "is empty; give a text"),
        ("units.jsonl", '{"id": "1", "text": "x"}', "say what the unit belongs to"),
        (
            "units.jsonl",
            '{"id": "1", "reference": "tram-ada", "text": "x"}\n' * 2,
            "“tram-ada” has a unit “1” already, in line 1",
        ),
        (
            "units.jsonl",
            '{"id": "1/2", "reference": "tram-ada", "text": "x"}',
            "the id “1/2” holds a slash",
        ),
        (
            "units.jsonl",
            '{"id": "1", "reference": "tram-ada", "text": "x"}',
            "reference “lighthouse-ada” has no content units",
        ),
    ],
)
def test_a_study_file_with_bad_units_is_told_so(tmp_path, file, text, problem):
    files = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.iterdir()}
    found = problems_of(write_files(tmp_path, files | {file: text}))
    assert any(problem in one for one in found), found


# --- whole studies --------------------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_the_example_goes_out_and_comes_in_again_as_it_was():
    study = study_import(study_file=read_study(FOLDER))
    assert study_as_file(study) == read_study(FOLDER)
    study_simulate(study=study, seed=5)
    first, again = rows_again(study)
    assert {row["criterion"] for row in first} == {"present", "unit", "sentence"}
    assert first == again


@pytest.mark.django_db
def test_a_study_with_known_answers_gives_exactly_those_scores():
    """By hand: ku4410 has 3 of 6 sampled units of each reference, or 1 of the 3 of one; ob9925 all; the third none."""
    study = study_import(study_file=read_study(FOLDER))
    found = {"ku4410": 0.5, "ob9925": 1.0, "tz6172": 0.0}

    def answer(assignment, exhibit):
        if exhibit.phase == WRITING:
            return KIND.simulate(None, exhibit, Record(), qualities=[1], rng=None).model_dump(mode="json")
        units = [unit["id"] for unit in exhibit.shown["units"]]
        share = found[assignment.subject.output.system.key]
        return {"present": {key: int(n < share * len(units)) for n, key in enumerate(units)}}

    play(study, answer)
    # Six units of ada's two, three of ben's; ada's are cut to samples. Of three units, two are above a half.
    ku4410 = {"lighthouse": (3 / 6 + 2 / 3) / 2, "tram": 3 / 6}
    scores = scores_of(study, "acu", task="units")
    assert scores == pytest.approx(
        {("ku4410", item): value for item, value in ku4410.items()}
        | {("ob9925", item): 1.0 for item in ku4410}
        | {("tz6172", item): 0.0 for item in ku4410}
    )
    normalised = scores_of(study, "acu-normalized", task="units")
    assert all(normalised[cell] <= scores[cell] for cell in scores)


@pytest.mark.django_db
def test_votes_of_realsumm_come_out_of_a_study_as_they_went_in(shared, tmp_path):
    """Ten documents of REALSumm (Bhandari et al. 2020): scores and α are those of the release's own table, whose published values
    tests/metrics/formats/test_content_units.py finds on all of it.
    """
    folder = shared / "data" / "realsumm"
    parts = []
    for kind in ("abs", "ext"):
        files = sorted(folder.glob(f"SCU_rating_results_{kind}_systems/*.csv"))
        part = FORMATS["litepyramid"].reads["judgments"](files)
        parts.append(
            part.assign(system=part["system"].where(part["system"] == "", part["system"] + f"/{kind}"))
        )
    votes = pd.concat(parts, ignore_index=True)
    votes = votes.drop_duplicates(["assessor", "system", "item", "unit", "criterion"])
    votes = votes[votes["item"].isin(sorted(set(votes["item"]))[:10])]
    present = votes[votes["criterion"] == "present"]
    items, systems = sorted(set(votes["item"])), sorted(set(present["system"]))
    materials = Materials(
        documents=tuple(DocumentRow(id=item, text="The source.") for item in items),
        references=tuple(
            ReferenceRow(id=f"{item}-ref", document=item, text="A reference.") for item in items
        ),
        systems=tuple(SystemRow(id=system) for system in systems),
        outputs=tuple(
            OutputRow(system=system, document=item, text=f"A summary by {system}.")
            for system, item in sorted(set(zip(present["system"], present["item"], strict=True)))
        ),
    )
    study = study_import(
        study_file=StudyFile(
            name="REALSumm",
            slug="realsumm",
            seed=1,
            materials=materials,
            tasks=(TaskRow(kind="units_present", name="units", config={"writing": True}),),
        )
    )
    votes.assign(study="").to_csv(tmp_path / "votes.csv", index=False)
    call_command("import_judgments", study.slug, str(tmp_path / "votes.csv"))
    out = check_judgments(pd.DataFrame(list(judgment_rows(study)), columns=COLUMNS))
    known = check_attributes(pd.DataFrame(list(attribute_rows(study)), columns=ATTRIBUTE_COLUMNS))
    score = human_score(out, "acu", votes="majority", attributes=known).system_scores()
    of_the_release = human_score(present, "acu", votes="majority").system_scores()
    assert len(systems) > 20
    assert score.set_index("system")["score"].to_dict() == pytest.approx(
        of_the_release.set_index("system")["score"].to_dict()
    )
    found = [
        agreement(
            table[table["criterion"] == "present"], coefficients=["alpha-nominal"], n_resamples=0, rng=1
        )
        for table in (out, present)
    ]
    assert found[0]["value"].iloc[0] == pytest.approx(found[1]["value"].iloc[0])
    assert 0.5 < found[0]["value"].iloc[0] < 0.9


def test_word_tokens_are_those_of_nltks_treebank_tokenizer():
    """NLTK 3 ``TreebankWordTokenizer``, on the texts of all example studies and on a hard line."""
    from nltk.tokenize import TreebankWordTokenizer

    texts = ["'Tis gonna rain; they've \"3,000\" dogs' -- can't (won't), more'n enough... ok? yes!"]
    for path in sorted((ROOT / "fixtures").glob("*/*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            texts += [row["text"]] if isinstance(row.get("text"), str) else row.get("units", [])
    theirs = TreebankWordTokenizer()
    assert len(texts) > 100
    assert [treebank_tokens(text) for text in texts] == [theirs.tokenize(text) for text in texts]
