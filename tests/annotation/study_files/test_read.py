"""What a valid study file says."""

import json
import time

import pytest

from annotation.designs import Design
from annotation.study_files import read_study
from annotation.study_files.schema import OutputRow, Settings, SystemRow, TopicRow
from tests.annotation.study_files.conftest import GOOD, problems_of, write_files


def test_a_study_is_read(folder):
    study = read_study(folder)
    assert (study.name, study.slug, study.language, study.seed) == ("Small", "small", "en", 7)
    assert study.instructions == "Read *well*.\n"
    assert [task.name for task in study.tasks] == ["coverage", "fluent"]
    assert study.tasks[0].config == {"scale": "duc2001"}
    assert study.tasks[1].config == {"preset": "tides"}
    assert study.tasks[1].design == Design(assessors_per_item=2)
    assert study.materials.references[1].units == ("One,", "two.")
    assert study.materials.references[0].units is None
    assert study.materials.outputs[1] == OutputRow(
        system="s2", document="d1", text="Another one.", author="ben", target=10
    )
    assert [score.score for score in study.materials.metric_scores] == [0.5, None]
    assert [person.author for person in study.assessors] == ["", "ben"]
    assert study.settings == Settings()


def test_practice_without_a_reference_gets_the_one_its_task_takes(folder):
    assert [row.reference for row in read_study(folder).practice] == ["r3", "r3"]


def test_practice_is_ordered_by_task(folder):
    lines = GOOD["practice.jsonl"].splitlines(keepends=True)
    expected = read_study(folder)
    write_files(folder, {"practice.jsonl": "".join(reversed(lines))})
    assert read_study(folder) == expected


def test_a_byte_order_mark_and_windows_lines_change_nothing(folder):
    expected = read_study(folder)
    changed = {
        name: b"\xef\xbb\xbf" + (text if name == "instructions.md" else text.replace("\n", "\r\n")).encode()
        for name, text in GOOD.items()
    }
    write_files(folder, changed)
    assert read_study(folder) == expected


def test_csv_says_the_same_as_json_lines(folder):
    expected = read_study(folder)
    write_files(
        folder,
        {
            "study.yaml": GOOD["study.yaml"].replace(".jsonl", ".csv"),
            "topics.csv": 'id,title,description,gold\nt1,Topic,About.,"{""d1"": true}"\n',
            "documents.csv": "id,topic,title,text\nd1,t1,One,First story. It goes on.\nd2,,,Second story.\nd3,,,To practise on.\n",
            "references.csv": 'id,document,author,text,units\nr1,d1,anna,First. Second.,\nr2,d2,,,"[""One,"", ""two.""]"\nr3,d3,,Practise. Well.,\n',
            "outputs.csv": "system,document,text,author,target\ns1,d1,An output. Of two units.,,\ns2,d1,Another one.,ben,10\n"
            "s1,d2,More.,,\ns2,d2,Even more.,,\n\ns1,d3,Practice one. Practice two.,,\n",
            "practice.csv": "task,system,document,reference,key\n"
            'coverage,s1,d3,r3,"{""units"": [{""marks"": [0], ""grade"": 1}]}"\nfluent,s1,d3,,"{""values"": {""fluency"": 5}}"\n',
        },
    )
    assert read_study(folder) == expected


def test_without_a_file_of_systems_outputs_name_them(folder):
    write_files(folder, {"study.yaml": GOOD["study.yaml"].replace("  systems: systems.csv\n", "")})
    assert read_study(folder).materials.systems == (SystemRow(id="s1"), SystemRow(id="s2"))


def test_without_a_file_of_topics_documents_name_them(folder):
    text = GOOD["study.yaml"].replace("  topics: topics.jsonl\n", "")
    outputs = GOOD["outputs.jsonl"] + '{"system": "s2", "topic": "t1", "text": "a"}\n'
    references = GOOD["references.jsonl"] + '{"id": "r4", "topic": "t1", "text": "a"}\n'
    write_files(folder, {"study.yaml": text, "outputs.jsonl": outputs, "references.jsonl": references})
    assert read_study(folder).materials.topics == (TopicRow(id="t1"),)
    write_files(folder, {"outputs.jsonl": outputs + '{"system": "s1", "topic": "t2", "text": "a"}\n'})
    assert problems_of(folder) == ["outputs.jsonl:7: unknown topic “t2”: study.yaml names no file of topics."]


def test_nulls_and_keys_without_a_value_say_nothing(folder):
    expected = read_study(folder)
    rows = [json.loads(line) for line in GOOD["outputs.jsonl"].splitlines()]
    whole = [{"topic": None, "units": None, "author": None, "target": None} | row for row in rows]
    write_files(
        folder,
        {
            "study.yaml": GOOD["study.yaml"] + "consent:\ncontact: ~\n",
            "outputs.jsonl": "".join(json.dumps(row) + "\n" for row in whole),
        },
    )
    assert read_study(folder) == expected


def test_words_of_yaml_that_are_not_english_stay_words(folder):
    text = (
        GOOD["study.yaml"].replace("language: en", "language: no").replace("name: Small", "name: 2005-06-29")
    )
    write_files(folder, {"study.yaml": text})
    study = read_study(folder)
    assert (study.language, study.name) == ("no", "2005-06-29")


def test_line_separators_within_texts_do_not_end_rows(folder):
    line = json.dumps({"system": "s2", "document": "d3", "text": "a\u2028b\x85c\rd"}, ensure_ascii=False)
    write_files(folder, {"outputs.jsonl": GOOD["outputs.jsonl"] + line + "\n"})
    assert read_study(folder).materials.outputs[-1].text == "a\u2028b\x85c\rd"


def test_a_long_document_fits_into_a_csv_cell(folder):
    text = GOOD["study.yaml"].replace("documents.jsonl", "documents.csv")
    long = "word " * 100_000
    rows = f"id,text\nd1,{long}\nd2,b\nd3,c\n"
    write_files(folder, {"study.yaml": text.replace("  topics: topics.jsonl\n", ""), "documents.csv": rows})
    assert read_study(folder).materials.documents[0].text == long


@pytest.mark.slow
def test_fifty_thousand_outputs_are_read_in_seconds(folder):
    documents = [{"id": f"d{n}", "text": "A story. It goes on."} for n in range(5000)]
    references = [{"id": f"r{n}", "document": f"d{n}", "text": "A story."} for n in range(5000)]
    outputs = [
        {"system": f"s{s}", "document": f"d{n}", "text": "An output."} for n in range(5000) for s in range(10)
    ]
    text = GOOD["study.yaml"]
    for line in ("  topics: topics.jsonl\n", "  systems: systems.csv\n", "  metric_scores: scores.csv\n"):
        text = text.replace(line, "")
    files = {"documents.jsonl": documents, "references.jsonl": references, "outputs.jsonl": outputs}
    write_files(
        folder,
        {"study.yaml": text}
        | {name: "".join(json.dumps(row) + "\n" for row in rows) for name, rows in files.items()},
    )
    start = time.perf_counter()
    study = read_study(folder)
    assert len(study.materials.outputs) == 50_000
    assert time.perf_counter() - start < 30
