"""Pyramids: what may be built and matched, what is refused, and DUCView's own values from a study of ours."""

import re

import pytest
from django.urls import reverse

from annotation.selectors.files import study_as_file
from annotation.services.simulation import study_simulate
from annotation.services.studies import study_import
from annotation.study_files import read_study
from annotation.tasks.pyramid.checks import uncovered
from annotation.tasks.pyramid.kind import BUILDING, KIND, MATCHING
from annotation.tasks.terms import Exhibit, Record, Row, Text
from metrics.formats import FORMATS
from metrics.human.tables import human_tables
from tests.annotation.study_files.conftest import problems_of, write_files
from tests.conftest import ROOT
from tests.factories import owner_client
from tests.keyed_studies import play, rows_again, scores_of, tables

FOLDER = ROOT / "fixtures" / "pyramid"
DATA = ROOT / "tests" / "data" / "tasks2" / "pyramid"
MODELS = [
    {"id": "t1-anna", "text": "A storm came.\nPorts shut."},
    {"id": "t1/b", "text": "Ports were shut by a storm."},
]
SCU = {
    "id": "1",
    "label": "a storm",
    "contributors": [{"reference": "t1-anna", "parts": [(0, 7)]}, {"reference": "t1/b", "parts": [(19, 26)]}],
}
SECOND = {"id": "2", "label": "ports shut", "contributors": [{"reference": "t1-anna", "parts": [(14, 24)]}]}
BUILT = Exhibit(shown={"models": MODELS, "prefilled": []}, phase=BUILDING)
MATCHED = Exhibit(
    outputs=(Text("x", ("A storm, a storm!", "So they say.")),),
    shown={"models": MODELS, "scus": [SCU, SECOND]},
    phase=MATCHING,
)


def said(exhibit, config=None, **answer):
    parsed = KIND.Answer.model_validate(answer)
    return [entry.message for entry in KIND.missing(config or KIND.Config(), exhibit, parsed)]


def rows(exhibit, **answer):
    return [
        tuple(row)[:4]
        for row in KIND.rows(KIND.Config(), exhibit, Record(), KIND.Answer.model_validate(answer))
    ]


def test_a_unit_has_a_label_and_words_of_each_model_once():
    assert said(BUILT) == ["Make at least one content unit."]
    assert said(BUILT, scus=[SCU, SECOND]) == []
    assert said(BUILT, scus=[SCU | {"label": " "}]) == ["Give the unit of “A storm” a label."]
    assert said(BUILT, scus=[SCU | {"contributors": []}]) == [
        "“a storm” has no words of a model; add some, or remove it."
    ]
    twice = [*SCU["contributors"], {"reference": "t1-anna", "parts": [(14, 19)]}]
    assert said(BUILT, scus=[SCU | {"contributors": twice}]) == [
        "“a storm” has two contributors from one model; join or split them."
    ]
    beyond = [{"reference": "t1-anna", "parts": [(14, 99)]}]
    assert "goes beyond the text" in said(BUILT, scus=[SCU | {"contributors": beyond}])[0]
    assert said(BUILT, scus=[SCU, SCU]) == ["Two content units have the same number, or one has none."]
    stranger = [{"reference": "t9", "parts": [(0, 1)]}]
    assert said(BUILT, scus=[SCU | {"contributors": stranger}]) == ["There is no model “t9” here."]


def test_words_may_serve_several_units_and_a_contributor_may_be_in_parts():
    parted = {
        "id": "3",
        "label": "shut",
        "contributors": [{"reference": "t1/b", "parts": [(0, 5), (11, 15)]}],
    }
    again = SECOND | {"id": "4"}
    assert said(BUILT, scus=[SCU, SECOND, again, parted]) == []
    assert rows(BUILT, scus=[SCU, parted]) == [
        ("1", "scu", None, "a storm"),
        ("1/t1-anna/0:7", "contributor", None, "A storm"),
        ("1/t1/b/19:26", "contributor", None, "a storm"),
        ("3", "scu", None, "shut"),
        ("3/t1/b/0:5+11:15", "contributor", None, "Ports...shut"),
    ]


def test_every_word_is_matched_or_set_aside_unless_the_task_lets_it():
    first = {"scu": "1", "parts": [(0, 7)]}
    assert said(MATCHED, matches=[first]) == ["Match these words, or set them aside: a storm! So they say."]
    assert said(MATCHED, KIND.Config(cover=False), matches=[first]) == []
    whole = {"matches": [first, {"scu": "1", "parts": [(9, 16)]}], "outside": [[(18, 30)]]}
    assert said(MATCHED, **whole) == []
    assert rows(MATCHED, **whole) == [
        ("1", "present", 1.0, ""),
        ("1/0:7", "contributor", 1.0, ""),
        ("1#2", "present", 1.0, "repeat"),
        ("1#2/9:16", "contributor", 1.0, ""),
        ("2", "present", 0.0, ""),
        ("0#1", "present", 1.0, "not in the pyramid"),
        ("0#1/18:30", "contributor", 1.0, ""),
    ]


def test_what_contradicts_itself_is_refused():
    config = KIND.Config(cover=False)
    first = {"scu": "1", "parts": [(0, 7)]}
    assert said(MATCHED, config, matches=[first, {"scu": "1", "parts": [(2, 7)]}]) == [
        "“storm” is matched with “a storm” twice."
    ]
    assert said(MATCHED, config, matches=[first], outside=[[(0, 7)]]) == [
        "“A storm” is set aside, and something else too."
    ]
    assert said(MATCHED, config, matches=[{"scu": "9", "parts": [(0, 7)]}]) == ["There is no unit “9” here."]
    assert "goes beyond" in said(MATCHED, config, matches=[{"scu": "1", "parts": [(0, 99)]}])[0]


def test_uncovered_words_need_a_letter_or_a_digit():
    assert uncovered("Two – 2 – ferries.", [((0, 3),)]) == [(6, 18)]
    assert uncovered("港は閉鎖", [((0, 2),)]) == [(2, 4)]
    assert uncovered("…!", []) == []


def test_weights_are_hidden_unless_the_task_shows_them_and_the_order_tells_none():
    shown = KIND.content(KIND.Config(), MATCHED, None)["scus"]
    assert all("weight" not in scu for scu in shown)
    shown = KIND.content(KIND.Config(show_weights=True), MATCHED, None)["scus"]
    assert [scu["weight"] for scu in shown] == [2, 1]
    turned = Exhibit(outputs=MATCHED.outputs, shown={"models": MODELS, "scus": [SECOND, SCU]}, phase=MATCHING)
    assert [scu["id"] for scu in KIND.content(KIND.Config(), turned, None)["scus"]] == ["1", "2"]


def test_rows_that_do_not_fit_are_refused_in_words():
    def refused(*given):
        with pytest.raises(ValueError) as refusal:
            KIND.answer(KIND.Config(), MATCHED, Record(), [Row(*row) for row in given])
        return str(refusal.value)

    assert refused(("1", "present", 1.0, ""), ("2", "present", 0.0, "")) == (
        "unit 1 is present, and no row “contributor” says where"
    )
    assert refused(("1", "present", 0.0, "")) == "unit 2 has no row “present”"
    assert refused(("7", "present", 0.0, "")) == "“7” is no unit of this pyramid"
    assert "no span such as" in refused(
        ("1", "present", 1.0, ""), ("2", "present", 0.0, ""), ("1/x", "contributor", 1.0, "")
    )


def test_pyramids_of_two_builders_are_joined_with_equal_units_once():
    joined = KIND.joined(
        KIND.Config(),
        [KIND.Answer(scus=[SCU]), KIND.Answer(scus=[SCU | {"id": "7", "label": "other words"}, SECOND])],
    )
    assert [(scu.id, scu.label) for scu in joined.scus] == [("1", "a storm"), ("2", "ports shut")]


def test_a_new_version_keeps_matches_of_units_with_the_same_label():
    now = Exhibit(
        outputs=MATCHED.outputs,
        shown={"models": MODELS, "scus": [SCU, SECOND | {"label": "harbours shut"}]},
        phase=MATCHING,
    )
    answer = KIND.Answer(
        matches=[{"scu": "1", "parts": [(0, 7)]}, {"scu": "2", "parts": [(9, 16)]}], outside=[[(18, 30)]]
    )
    carried = KIND.carried(KIND.Config(), MATCHED, now, answer)
    assert [match.scu for match in carried.matches] == ["1"]
    assert carried.outside == answer.outside


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('"parts": [[0, 23]]', '"parts": [[0, 999]]', "goes beyond the text"),
        (
            '"reference": "harbour-boris"',
            '"reference": "harbour-anna"',
            "has two contributors from “harbour-anna”",
        ),
        ('"reference": "harbour-boris"', '"reference": "library-anna"', "is about “library”, not “harbour”"),
        ('"id": "1", "topic": "harbour"', '"id": "0", "topic": "harbour"', "“0” cannot be the id"),
        ('"topic": "library", "text"', '"topic": "harbour", "text"', "has a unit “1” already"),
    ],
)
def test_a_pyramid_in_the_study_file_that_cannot_be_is_named(tmp_path, old, new, problem):
    files = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.iterdir()}
    assert old in files["units.jsonl"]
    found = problems_of(
        write_files(tmp_path, files | {"units.jsonl": files["units.jsonl"].replace(old, new, 1)})
    )
    assert any(problem in one for one in found), found


# --- whole studies --------------------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_the_example_goes_out_and_comes_in_again_as_it_was():
    study = study_import(study_file=read_study(FOLDER))
    assert study_as_file(study) == read_study(FOLDER)
    study_simulate(study=study, seed=5)
    first, again = rows_again(study)
    assert {row["criterion"] for row in first} == {"scu", "contributor", "present"}
    assert first == again


@pytest.mark.django_db
def test_ducviews_peers_matched_here_score_what_ducview_prints():
    """DUCView 1.5's printed values (tests/data/tasks2/pyramid): quality, coverage, comprehensive of three peers."""
    files = sorted(DATA.glob("harbour.*.pan"))
    theirs = FORMATS["ducview"].reads["judgments"]([DATA / "harbour.pyr", *files])
    names = {"mh5307": "alpha", "rv8819": "beta", "wq2240": "gamma"}
    study = study_import(study_file=read_study(FOLDER))

    def answer(assignment, exhibit):
        """As their annotator has it; of the other topic everything is outside."""
        subject = assignment.subject
        if exhibit.phase == BUILDING:
            return {"scus": exhibit.shown["prefilled"]}
        if subject.output.topic.key != "harbour":
            whole = "\n".join(exhibit.output.units)
            return {"matches": [], "outside": [[[0, len(whole)]]]}
        peer = theirs[theirs["system"] == names[subject.output.system.key]]
        given = [Row(row.unit, row.criterion, row.value, "") for row in peer.itertuples()]
        return KIND.answer(KIND.Config(), exhibit, Record(), given).model_dump(mode="json")

    play(study, answer)
    for task in ("given", "built"):
        found = {
            score: {
                names[system]: round(value, 4)
                for (system, item), value in scores_of(study, score, task=task).items()
                if item == "harbour"
            }
            for score in ("pyramid", "pyramid-coverage", "pyramid-comprehensive")
        }
        assert found == {
            "pyramid": {"alpha": 0.7857, "beta": 0.3333, "gamma": 0.0},
            "pyramid-coverage": {"alpha": 1.0, "beta": 0.3333, "gamma": 0.0},
            "pyramid-comprehensive": {"alpha": 0.88, "beta": 0.3333, "gamma": 0.0},
        }
    modified = scores_of(study, "pyramid-modified", task="given")
    assert modified["rv8819", "harbour"] == pytest.approx(3 / 11, abs=1e-4)
    floored = scores_of(study, "pyramid-modified", task="given", average="floor")
    assert floored["rv8819", "harbour"] == pytest.approx(1 / 3)
    # What goes out is what DUCView's reader made of their files, but for the names.
    ours, _ = tables(study)
    ours = ours[(ours["task"] == "given") & (ours["item"] == "harbour")]
    ours = ours.assign(system=ours["system"].map(names))
    columns = ["system", "unit", "criterion", "value"]
    peers = theirs[theirs["system"] != ""]
    assert sorted(map(tuple, ours[columns].to_numpy())) == sorted(map(tuple, peers[columns].to_numpy()))


@pytest.mark.django_db
def test_the_results_page_draws_the_pyramid_with_its_tiers_and_who_contributed():
    study = study_import(study_file=read_study(FOLDER))
    study_simulate(study=study, seed=5)
    given = next(table for table in human_tables(*tables(study))["given"] if table.name == "units")
    harbour = next(one for one in given.drawn() if one.item == "harbour")
    assert [(weight, len(bricks)) for weight, bricks in harbour.tiers] == [
        ("4", 1),
        ("3", 1),
        ("2", 3),
        ("1", 2),
    ]
    top = harbour.tiers[0][1][0]
    assert top.label == "The port was closed by a storm"
    assert top.below == "harbour-anna, harbour-boris, harbour-clara, harbour-dan"
    page = owner_client(study).get(reverse("study_results", args=[study.slug])).content.decode()
    assert 'class="brick"' in page and "harbour-clara" in page
    # A figure has two rows: what is drawn and its table stand in one of them, not over each other.
    figures = re.findall(r"<figure[^>]*>(.*?)</figure>", page, re.DOTALL)
    drawn = [figure for figure in figures if 'class="brick"' in figure]
    assert drawn
    assert all(
        figure.index('class="shown"') < figure.index('class="brick"') < figure.index("<table")
        for figure in drawn
    )
