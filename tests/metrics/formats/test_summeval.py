"""SummEval: the release with texts of our own, and the stored data (Fabbri et al. 2021) against what is known of them."""

import json

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.errors import BadInput
from metrics.formats.study import read_study, study_files
from metrics.formats.summeval import FORMAT, write_study
from metrics.human import human_score
from metrics.meta.agreement import agreement
from tests.metrics.formats.releases import CRITERIA, annotation, jsonl, release
from tests.metrics.formats.texts import SPACED, write


@pytest.fixture
def path(tmp_path):
    lines = [{"filepath": "stories/1.story", **line} for line in release()]
    return write(tmp_path / "release.jsonl", jsonl(lines))


def test_experts_are_slots_of_a_task(path):
    table = FORMAT.reads["judgments"]([path])
    assert len(table) == 3 * 2 * 3 * 4
    assert set(table["task"]) == {"expert"}
    assert set(table["assessor"]) == {"expert-1", "expert-2", "expert-3"}
    first = table[(table["system"] == "M0") & (table["item"] == "storm") & (table["assessor"] == "expert-2")]
    assert dict(zip(first["criterion"], first["value"], strict=True)) == annotation(4, 5, 1, 2)
    assert first["position"].tolist() == [1] * 4


def test_the_crowd_is_a_task_of_its_own(path):
    assert set(FORMAT.reads["judgments"]([path], group="crowd")["assessor"]) == {
        f"crowd-{n}" for n in range(1, 6)
    }
    assert set(FORMAT.reads["judgments"]([path], group="all")["task"]) == {"expert", "crowd"}
    with pytest.raises(BadInput, match="expected --group expert, crowd, all, found 'turker'"):
        FORMAT.reads["judgments"]([path], group="turker")


def test_texts_are_outputs_and_references(path):
    outputs, references = FORMAT.reads["outputs"]([path]), FORMAT.reads["references"]([path])
    assert list(outputs.columns) == ["system", "item", "text"]
    assert len(outputs) == 6
    assert references["reference"].tolist() == ["storm-0", "storm-1", "harvest-0", "harvest-1"]


def test_a_release_comes_back_byte_by_byte_through_the_folder_of_a_study(path, tmp_path):
    files = study_files(FORMAT.reads["study"]([path], group="all"))
    folder = tmp_path / "study"
    for name, text in files.items():
        write(folder / name, text)
    assert write_study(read_study(folder)) == jsonl(release())


TEXT = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=12)
MARK = st.integers(1, 5) | st.floats(1, 5).map(lambda mark: int(mark) if mark.is_integer() else mark)


@st.composite
def releases(draw):
    """Any texts, line ends and quotes included; every system and document is there once."""
    systems = draw(st.lists(SPACED, min_size=1, max_size=2, unique=True))
    experts, crowd = draw(st.integers(1, 2)), draw(st.integers(1, 2))
    lines = []
    for item in draw(st.lists(SPACED, min_size=1, max_size=2, unique=True)):
        source, references = draw(TEXT), draw(st.lists(TEXT, min_size=1, max_size=2))
        for system in systems:
            marks = [annotation(*(draw(MARK) for _ in CRITERIA)) for _ in range(experts + crowd)]
            given = {"expert_annotations": marks[:experts], "turker_annotations": marks[experts:]}
            head = {"id": item, "model_id": system, "decoded": draw(TEXT), "references": references}
            lines.append({**head, **given, "text": source})
    return lines


@given(lines=releases())
@settings(max_examples=20, deadline=None)
def test_any_release_comes_back_as_it_was(lines, tmp_path_factory):
    folder = tmp_path_factory.mktemp("summeval")
    source = write(folder / "release.jsonl", jsonl(lines))
    for name, text in study_files(FORMAT.reads["study"]([source], group="all")).items():
        write(folder / name, text)
    back = write_study(read_study(folder))
    assert [json.loads(line) for line in back.split("\n")[:-1]] == lines


def test_the_folder_holds_a_study_file(path):
    files = study_files(FORMAT.reads["study"]([path]))
    assert files["systems.csv"] == (
        'id,name,type\nM0,Lead-3,baseline\nM22,BART,system\n"tuned, “best”","tuned, “best”",system\n'
    )
    assert files["assessors.csv"] == "name,group\nexpert-1,expert\nexpert-2,expert\nexpert-3,expert\n"
    assert json.loads(files["references.jsonl"].splitlines()[1]) == {
        "id": "storm-1",
        "document": "storm",
        "text": "Ships wait till Monday.",
    }


LINE = release()[0]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "row 2: expected JSON"),
        (LINE | {"model_id": "x", "decoded": None}, "row 2, column decoded: expected a text"),
        (LINE | {"model_id": ""}, "row 2, column model_id: expected a text"),
        (LINE, "row 2, column model_id: expected one line for M0 on storm, found another"),
        (LINE | {"model_id": "x", "references": ["Other."]}, "row 2, column references: expected the same references"),
        (LINE | {"model_id": "x", "references": "Other."}, "row 2, column references: expected a list of texts"),
        (LINE | {"model_id": "x", "text": "Other."}, "row 2, column text: expected the same source as before for storm"),
        (LINE | {"model_id": "x", "expert_annotations": [{"coherence": 3}]},
         "row 2, column expert_annotations: expected a number for consistency"),
        (LINE | {"model_id": "x", "turker_annotations": [annotation(1, 2, 3, True)]},
         "row 2, column turker_annotations: expected a number for relevance"),
        (LINE | {"model_id": "x", "turker_annotations": [annotation(1, 2, 3, 10**400)]},
         "row 2, column turker_annotations: expected a number for relevance"),
        (LINE | {"model_id": "x", "expert_annotations": 3}, "column expert_annotations: expected a list of annotations"),
    ],
)  # fmt: skip
def test_a_bad_file_is_one_line_with_its_row(tmp_path, line, message):
    text = jsonl([LINE]) + (line if isinstance(line, str) else json.dumps(line)) + "\n"
    with pytest.raises(BadInput) as problem:
        FORMAT.reads["judgments"]([write(tmp_path / "release.jsonl", text)])
    assert message in str(problem.value)
    assert "release.jsonl" in str(problem.value)


def test_a_study_needs_sources_and_ratings(tmp_path):
    unpaired = [{key: value for key, value in line.items() if key != "text"} for line in release()]
    path = write(tmp_path / "release.jsonl", jsonl(unpaired))
    assert len(FORMAT.reads["judgments"]([path])) == 72
    with pytest.raises(BadInput, match="pair the release with the articles first"):
        FORMAT.reads["study"]([path])
    silent = write(tmp_path / "silent.jsonl", jsonl(release(experts=0)))
    with pytest.raises(BadInput, match="expected ratings of expert, found none"):
        FORMAT.reads["study"]([silent])


def test_other_files_than_those_of_the_release_are_refused(tmp_path):
    odd = write(tmp_path / "release.txt", "")
    with pytest.raises(BadInput, match=r"expected the release \(\.jsonl\), or texts"):
        FORMAT.reads["judgments"]([odd])
    texts = write(tmp_path / "texts.json", '{"d1": {"src": "A."}}')
    with pytest.raises(BadInput, match=r"texts\.json: expected \{document:"):
        FORMAT.reads["outputs"]([texts])
    table = write(tmp_path / "ratings.csv", "system,doc,group,rater,coherence\n")
    with pytest.raises(BadInput, match="column consistency: expected the columns system, doc"):
        FORMAT.reads["judgments"]([table])


# --- the stored data ------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def stored(shared):
    folder = shared / "data" / "summeval"
    return [folder / "texts_16sys_11refs.json", folder / "ratings_long_12sys.csv"]


@pytest.fixture(scope="module")
def study(stored):
    return FORMAT.reads["study"](stored, group="all")


def test_the_stored_data_give_a_study_of_12_systems_100_documents_and_11_references(study):
    assert len(study.documents) == 100
    assert study.references.groupby("item").size().tolist() == [11] * 100
    assert study.outputs.groupby("system").size().tolist() == [100] * 12
    assert len(study.systems) == 12
    assert study.judgments.groupby("task").size().to_dict() == {"expert": 14_400, "crowd": 24_000}


def test_the_human_scores_are_the_expert_means_that_were_published(study, shared):
    """Source: expert_means_16sys.csv, from the scores stored with the texts."""
    published = pd.read_csv(shared / "data" / "summeval" / "expert_means_16sys.csv")
    for name in CRITERIA:
        ours = human_score(study.judgments, name, task="expert").scores
        both = ours.merge(published, left_on=["system", "item"], right_on=["system", "doc"])
        assert len(both) == len(ours) == 1200
        assert (both["score"] - both[name]).abs().max() < 1e-12


@pytest.mark.parametrize(
    ("task", "coefficient", "expected"),
    [("expert", "alpha-ordinal", 0.7135), ("expert", "alpha-interval", 0.7334), ("crowd", "alpha-ordinal", 0.4546)],
)  # fmt: skip
def test_agreement_over_all_criteria_is_what_is_known(study, task, coefficient, expected):
    """Known values of the data set; over all criteria, a criterion is one more thing that is rated."""
    pooled = study.judgments.assign(unit=study.judgments["criterion"], criterion="all")
    found = agreement(pooled, coefficients=[coefficient], task=task, n_resamples=0)
    assert found["value"].round(4).tolist() == [expected]
