"""Writing: what is written comes back equal, always in the same bytes, whole or not at all."""

import io
import json
import resource
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotation.designs import Design
from annotation.study_files import Occupied, read_study, write_study, zipped
from annotation.study_files import write as writing
from annotation.study_files.schema import (
    AssessorRow,
    DocumentRow,
    Materials,
    OutputRow,
    PracticeRow,
    QuestionRow,
    ReferenceRow,
    ScoreRow,
    Settings,
    StudyFile,
    SystemRow,
    TaskRow,
    TopicRow,
)
from annotation.study_files.yaml_lines import load
from tests.annotation.study_files.conftest import GOOD, write_files

FIXTURES = Path(__file__).resolve().parents[3] / "fixtures"
STUDIES = sorted(path.parent for path in FIXTURES.glob("*/study.yaml"))

# --- any study ------------------------------------------------------------------------------------------------------

NASTY = "\r\n\t \"',;=+-@#:|>&*!%`{}[]\\/\u2028\u2029\x85\u00a0\u200b\u200f\ufeff\x07🦉שלוםنعم語no~0"
any_text = st.text(
    st.one_of(st.sampled_from(NASTY), st.characters(exclude_categories=["Cs"], exclude_characters="\0")),
    max_size=30,
)
texts = any_text.filter(lambda text: text.strip())
lines = st.text(
    st.one_of(
        st.sampled_from("\"',;=+-@#:|>&*!%`{}[]\\/ \u200bשל語🦉no~09.e"),
        st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]),
    ),
    max_size=20,
).map(str.strip)
ids = lines.filter(bool)
designs = st.builds(
    Design,
    assessors_per_item=st.integers(1, 5),
    order=st.sampled_from(["random", "fixed", "latin-square", "blocked"]),
    pool=st.booleans(),
)
steps = st.lists(
    st.integers(-3, 3) | st.floats(-5, 5).map(lambda x: round(x, 3)), min_size=2, max_size=4, unique=True
)


@st.composite
def rating_configs(draw):
    names = draw(
        st.lists(
            st.from_regex(r"[a-z0-9][a-z0-9_-]{0,5}", fullmatch=True), min_size=1, max_size=2, unique=True
        )
    )
    return {
        "guideline": draw(any_text),
        "criteria": [
            {
                "steps": [{"label": draw(any_text), "value": value} for value in draw(steps)],
                "name": name,
                "question": draw(any_text),
            }
            for name in names
        ],
    }


@st.composite
def item_texts(draw, keys):
    whole = draw(st.booleans())
    text = {"text": draw(texts)} if whole else {"units": tuple(draw(st.lists(texts, min_size=1, max_size=3)))}
    return {"document": draw(st.sampled_from(keys)), "author": draw(lines)} | text


@st.composite
def study_files(draw):
    topics, documents, systems = (draw(st.lists(ids, min_size=1, max_size=3, unique=True)) for _ in range(3))
    documents = [key for key in documents if key not in topics] or ["d"]
    references = draw(st.lists(ids, min_size=1, max_size=3, unique=True))
    people = draw(st.lists(ids, max_size=3, unique=True))
    criteria = draw(rating_configs())
    tasks = [
        TaskRow(kind="rating", name="free", config=criteria, design=draw(st.none() | designs)),
        TaskRow(kind="rating", name="quality", config={"preset": "duc2005"}),
    ]
    outputs = [
        OutputRow(
            system=system,
            kind=draw(lines),
            target=draw(st.none() | st.integers(1, 500)),
            **draw(item_texts([key])),
        )
        for key in documents
        for system in systems
    ]
    practised = draw(st.sampled_from(outputs)) if len(outputs) > 1 else None
    value = criteria["criteria"][0]["steps"][0]["value"]
    keys = st.none() | st.just({"values": {criteria["criteria"][0]["name"]: value}}) | st.just({})
    return StudyFile(
        name=draw(ids),
        slug="s",
        seed=draw(st.integers(0, 2**63 - 1)),
        language=draw(st.sampled_from(["en", "no", "zh-Hant"])),
        instructions=draw(any_text),
        consent=draw(any_text),
        contact=draw(lines),
        settings=Settings(
            revise=draw(st.booleans()), source_language=draw(st.sampled_from(["", "de", "zh-Hant"]))
        ),
        design=draw(designs),
        tasks=tuple(tasks),
        practice=(
            PracticeRow(
                task="free",
                system=practised.system,
                document=practised.document,
                kind=practised.kind,
                key=draw(keys),
            ),
        )
        if practised
        else (),
        assessors=tuple(AssessorRow(name=name, group=draw(lines), author=draw(lines)) for name in people),
        materials=Materials(
            topics=tuple(
                TopicRow(
                    id=key,
                    title=draw(any_text),
                    description=draw(any_text),
                    gold={documents[0]: draw(st.booleans())},
                )
                for key in topics
            ),
            documents=tuple(
                DocumentRow(
                    id=key, topic=draw(st.sampled_from(["", *topics])), title=draw(any_text), text=draw(texts)
                )
                for key in documents
            ),
            references=tuple(ReferenceRow(id=key, **draw(item_texts(documents))) for key in references),
            outputs=tuple(outputs),
            questions=tuple(
                QuestionRow(document=documents[0], author=draw(ids), question=draw(texts), answer=draw(texts))
                for _ in range(draw(st.integers(0, 2)))
            ),
            systems=tuple(
                SystemRow(
                    id=key, name=draw(lines), type=draw(st.sampled_from(["system", "baseline", "human"]))
                )
                for key in systems
            ),
            metric_scores=tuple(
                ScoreRow(
                    metric="m",
                    system=system,
                    item=draw(st.sampled_from(["", documents[0]])),
                    score=draw(st.none() | st.floats(-1e100, 1e100)),
                    higher_is_better=False,
                )
                for system in systems
            ),
        ),
    )


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
@given(study_files())
def test_what_is_written_is_read_back_equal(study):
    again = read_study(io.BytesIO(zipped(study)))
    assert again == study
    assert writing.files_of(again) == writing.files_of(study)


@given(any_text)
def test_any_text_survives_in_study_yaml(text):
    data = {"a": text, "b": [{"c": text}]}
    written = writing.yaml.dump(data, Dumper=writing._Dumper, allow_unicode=True, width=2**31)
    assert load(written).value == data


# --- the fixtures ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("study", STUDIES, ids=lambda path: path.name)
def test_an_export_read_and_exported_again_has_equal_bytes(study, tmp_path):
    first, second = tmp_path / "first.zip", tmp_path / "second.zip"
    write_study(read_study(study), first)
    write_study(read_study(first), second)
    assert first.read_bytes() == second.read_bytes()
    write_study(read_study(first), tmp_path / "folder")
    write_study(read_study(tmp_path / "folder"), second)
    assert first.read_bytes() == second.read_bytes()


def test_time_and_place_leave_no_trace_in_a_zip(folder):
    data = zipped(read_study(folder))
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert archive.namelist()[0] == "study.yaml"


def test_the_order_of_keys_in_a_database_does_not_show(folder):
    write_files(
        folder,
        {
            "study.yaml": GOOD["study.yaml"].replace(
                "preset: tides",
                "criteria:\n      - {name: fluency, question: Q, steps: [{value: 1, label: a}, {value: 5, label: b}]}",
            )
        },
    )
    study = read_study(folder)

    def shuffled(value):
        """As jsonb gives it back: shorter keys first."""
        if isinstance(value, dict):
            return {
                key: shuffled(value[key])
                for key in sorted(value, key=lambda key: (len(key), key), reverse=True)
            }
        return [shuffled(entry) for entry in value] if isinstance(value, list) else value

    stored = replace(
        study,
        tasks=tuple(task.model_copy(update={"config": shuffled(task.config)}) for task in study.tasks),
        practice=tuple(row.model_copy(update={"key": shuffled(row.key)}) for row in study.practice),
    )
    assert json.dumps(stored.tasks[1].config) != json.dumps(study.tasks[1].config)
    assert writing.files_of(stored) == writing.files_of(study)


# --- whole or not at all --------------------------------------------------------------------------------------------


def test_an_earlier_export_is_replaced(folder, tmp_path):
    study = read_study(folder)
    out = tmp_path / "out"
    write_study(study, out)
    write_study(replace(study, instructions=""), out)
    assert not (out / "instructions.md").exists()
    assert read_study(out).instructions == ""
    assert [child.name for child in tmp_path.iterdir() if child.name.startswith(".")] == []


def test_an_empty_folder_is_filled(folder, tmp_path):
    (tmp_path / "out").mkdir()
    write_study(read_study(folder), tmp_path / "out")
    assert read_study(tmp_path / "out") == read_study(folder)


def test_a_folder_with_other_files_is_left_alone(folder, tmp_path):
    out = write_files(tmp_path / "out", {"study.yaml": "mine", "thesis.tex": "do not lose"})
    with pytest.raises(Occupied, match=r"thesis\.tex"):
        write_study(read_study(folder), out)
    assert (out / "study.yaml").read_text() == "mine"
    assert sorted(child.name for child in out.iterdir()) == ["study.yaml", "thesis.tex"]


def test_a_file_is_not_taken_for_a_folder(folder, tmp_path):
    (tmp_path / "out").write_text("mine")
    with pytest.raises(Occupied):
        write_study(read_study(folder), tmp_path / "out")
    assert (tmp_path / "out").read_text() == "mine"


@pytest.mark.parametrize("name", ["out", "out.zip"])
def test_a_write_that_fails_leaves_what_was_there(folder, tmp_path, name):
    study = read_study(folder)
    out = tmp_path / "target" / name
    out.parent.mkdir()
    write_study(study, out)
    before = read_study(out)
    # A lone surrogate cannot be written as UTF-8, so that writing breaks off on the way.
    spoilt = replace(study, name="Other", instructions="\ud800")
    with pytest.raises(UnicodeEncodeError):
        write_study(spoilt, out)
    assert read_study(out) == before
    assert [child.name for child in out.parent.iterdir()] == [name]


@pytest.mark.parametrize("name", ["out", "out.zip"])
def test_a_full_disk_leaves_what_was_there(folder, tmp_path, name):
    study = read_study(folder)
    out = tmp_path / "target" / name
    write_study(study, out)
    before = read_study(out)
    # No file may grow beyond this: for the writer it is as if the disk were full.
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (300, hard))
    try:
        with pytest.raises(OSError, match="File too large"):
            write_study(replace(study, name="Other"), out)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert read_study(out) == before
    assert [child.name for child in out.parent.iterdir()] == [name]


def test_missing_folders_on_the_way_are_made(folder, tmp_path):
    write_study(read_study(folder), tmp_path / "a" / "b" / "out")
    write_study(read_study(folder), tmp_path / "c" / "d" / "out.zip")
    assert read_study(tmp_path / "a" / "b" / "out") == read_study(tmp_path / "c" / "d" / "out.zip")
