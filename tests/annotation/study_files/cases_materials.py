"""What can be wrong with rows, texts, practice and people: changed files, and what is said about them."""

import json

from tests.annotation.study_files.conftest import GOOD, spoilt, with_line

MATERIALS = {
    # rows
    "broken JSON": (
        with_line("outputs.jsonl", '{"system": "s1", "document": "d3" "text": "x"}'),
        "outputs.jsonl:6: this is not JSON: Expecting ',' delimiter (character 35).",
    ),
    "JSON with a key twice": (
        with_line("documents.jsonl", '{"id": "d4", "text": "x", "text": "y"}'),
        "documents.jsonl:4: this is not JSON: the key “text” is there twice.",
    ),
    "JSON with NaN": (
        with_line("outputs.jsonl", '{"system": "s2", "document": "d3", "text": "x", "target": NaN}'),
        "outputs.jsonl:6: this is not JSON: NaN is not a number.",
    ),
    "JSON too deep": (
        with_line("documents.jsonl", "[" * 100_000),
        "documents.jsonl:4: this is not JSON: nested too deeply.",
    ),
    "JSON that is no object": (
        with_line("documents.jsonl", "[1]"),
        "documents.jsonl:4: each line must be an object",
    ),
    "JSON that is one list": (
        {"documents.jsonl": '[\n  {"id": "d1"}\n]\n'},
        "documents.jsonl:1: write one object per line",
    ),
    "unknown key in a row": (
        with_line("documents.jsonl", '{"id": "d4", "txt": "x"}'),
        "documents.jsonl:4: unknown key “txt”; did you mean “text”?",
    ),
    "id twice": (
        with_line("documents.jsonl", '{"id": "d1", "text": "x"}'),
        "documents.jsonl:4: the id “d1” is there already, in line 1; ids must differ.",
    ),
    "id of a topic": (
        with_line("documents.jsonl", '{"id": "t1", "text": "x"}'),
        "documents.jsonl:4: the id “t1” is a topic’s too (topics.jsonl:1)",
    ),
    "numeric id": (
        with_line("documents.jsonl", '{"id": 4, "text": "x"}'),
        'documents.jsonl:4: “id” must be text; put it in quotes: "4".',
    ),
    "two outputs that tables would name alike": (
        with_line("documents.jsonl", '{"id": "b/d1", "text": "x"}')
        | {
            "systems.csv": "id,name\ns1,One\ns2,Two\ns1/b,Three\n",
            "outputs.jsonl": GOOD["outputs.jsonl"]
            + '{"system": "s1/b", "document": "d1", "text": "x"}\n{"system": "s1", "document": "b/d1", "text": "y"}\n',
        },
        "outputs.jsonl:7: tables would call this output “s1/b/d1”, and another one, too",
    ),
    "long id": (
        with_line("documents.jsonl", '{"id": "%s", "text": "x"}' % ("x" * 201)),
        "documents.jsonl:4: “id” has 201 characters; at most 200 are allowed.",
    ),
    "a text of megabytes": (
        with_line("documents.jsonl", '{"id": "d4", "text": "%s"}' % ("x" * 1_000_001)),
        "documents.jsonl:4: the text has 1,000,001 characters; at most 1,000,000 are allowed.",
    ),
    "more units than a page can show": (
        with_line("documents.jsonl", json.dumps({"id": "d4", "units": ["a"] * 20_001})),
        "documents.jsonl:4: the text has 20,001 units; at most 20,000 are allowed.",
    ),
    "units of megabytes": (
        with_line("documents.jsonl", '{"id": "d4", "units": ["%s", "b"]}' % ("x" * 1_000_000)),
        "documents.jsonl:4: the text has 1,000,001 characters; at most 1,000,000 are allowed.",
    ),
    "empty id": (
        with_line("documents.jsonl", '{"id": "", "text": "x"}'),
        "documents.jsonl:4: “id” is empty.",
    ),
    "id with a line break": (
        with_line("documents.jsonl", '{"id": "a\\nb", "text": "x"}'),
        "documents.jsonl:4: “id” holds the control character U+000A; remove it.",
    ),
    "id with spaces around": (
        with_line("documents.jsonl", '{"id": "d4 ", "text": "x"}'),
        "documents.jsonl:4: “id” has white space at its start or end",
    ),
    "NUL": (
        with_line("documents.jsonl", '{"id": "d4", "text": "a\\u0000b"}'),
        "documents.jsonl:4: a text holds the character NUL",
    ),
    "NUL in CSV": (
        with_line("systems.csv", "s3,a\0b,system"),
        "systems.csv:4: a text holds the character NUL",
    ),
    "NUL in instructions": ({"instructions.md": "a\nb\0"}, "instructions.md:2: holds the character NUL"),
    "half a character": (
        with_line("outputs.jsonl", '{"system": "s2", "document": "d3", "units": ["a", "\\ud83d"]}'),
        "outputs.jsonl:6: a text holds half a character",
    ),
    "half a character in YAML": (
        spoilt("study.yaml", "name: Small", 'name: "\\ud83d"'),
        "study.yaml:1: a text holds half a character",
    ),
    "not UTF-8": (
        {"documents.jsonl": GOOD["documents.jsonl"].encode().replace(b"Second", b"Caf\xe9")},
        "documents.jsonl:2: byte 26 of the line (0xE9) is not UTF-8; save the file as UTF-8.",
    ),
    "study.yaml not UTF-8": (
        {"study.yaml": GOOD["study.yaml"].encode().replace(b"Small", b"Sm\xe4ll")},
        "study.yaml:1: byte 9 of the line (0xE4) is not UTF-8",
    ),
    "UTF-16": (
        {"systems.csv": GOOD["systems.csv"].encode("utf-16")},
        "systems.csv: this is UTF-16; save it as UTF-8.",
    ),
    # texts
    "no text": (
        with_line("outputs.jsonl", '{"system": "s2", "document": "d3"}'),
        "outputs.jsonl:6: the text is empty; give “text” or “units”.",
    ),
    "blank text": (
        with_line("outputs.jsonl", '{"system": "s2", "document": "d3", "text": " \\n"}'),
        "outputs.jsonl:6: the text is empty",
    ),
    "blank document": (
        with_line("documents.jsonl", '{"id": "d4", "text": " "}'),
        "documents.jsonl:4: “text” is empty; give a text.",
    ),
    "text and units": (
        with_line("outputs.jsonl", '{"system": "s2", "document": "d3", "text": "a", "units": ["a"]}'),
        "outputs.jsonl:6: give either “text” or “units”, not both.",
    ),
    "no units": (
        with_line("outputs.jsonl", '{"system": "s2", "document": "d3", "units": []}'),
        "outputs.jsonl:6: “units” is an empty list",
    ),
    "empty unit": (
        with_line("outputs.jsonl", '{"system": "s2", "document": "d3", "units": ["a", " "]}'),
        "outputs.jsonl:6: unit 2 is empty; remove it.",
    ),
    "units that are text": (
        with_line("outputs.jsonl", '{"system": "s2", "document": "d3", "units": "a b"}'),
        "outputs.jsonl:6: “units” must be a list; it is “a b”.",
    ),
    "about nothing": (
        with_line("outputs.jsonl", '{"system": "s2", "text": "a"}'),
        "outputs.jsonl:6: say what the text is about: give “document” or “topic”.",
    ),
    "about both": (
        with_line("outputs.jsonl", '{"system": "s2", "document": "d3", "topic": "t1", "text": "a"}'),
        "outputs.jsonl:6: give either “document” or “topic”, not both.",
    ),
    "bad target": (
        with_line("outputs.jsonl", '{"system": "s2", "document": "d3", "text": "a", "target": 0}'),
        "outputs.jsonl:6: “target” must be 1 or more; it is 0.",
    ),
    # across files
    "output for an unknown document": (
        with_line("outputs.jsonl", '{"system": "s2", "document": "d33", "text": "a"}'),
        "outputs.jsonl:6: unknown document “d33”: documents.jsonl has no such id. Did you mean “d3”?",
    ),
    "output for an unknown topic": (
        with_line("outputs.jsonl", '{"system": "s2", "topic": "t", "text": "a"}'),
        "outputs.jsonl:6: unknown topic “t”: topics.jsonl has no such id.",
    ),
    "output of an unknown system": (
        with_line("outputs.jsonl", '{"system": "s3", "document": "d3", "text": "a"}'),
        "outputs.jsonl:6: unknown system “s3”: systems.csv has no such id.",
    ),
    "output twice": (
        with_line("outputs.jsonl", '{"system": "s1", "document": "d3", "text": "a"}'),
        "outputs.jsonl:6: system “s1” has an output for “d3” already, in line 5; remove one of them.",
    ),
    "reference for an unknown document": (
        with_line("references.jsonl", '{"id": "r4", "document": "e7", "text": "a"}'),
        "references.jsonl:4: unknown document “e7”",
    ),
    "document of an unknown topic": (
        with_line("documents.jsonl", '{"id": "d4", "topic": "t2", "text": "a"}'),
        "documents.jsonl:4: unknown topic “t2”",
    ),
    "gold for an unknown document": (
        with_line("topics.jsonl", '{"id": "t2", "gold": {"d8": false}}'),
        "topics.jsonl:2: unknown document “d8”",
    ),
    "no file of documents": (
        spoilt("study.yaml", "  documents: documents.jsonl\n", ""),
        "outputs.jsonl:1: unknown document “d1”: study.yaml names no file of documents.",
    ),
    "item without a reference": (
        {"references.jsonl": "".join(GOOD["references.jsonl"].splitlines(keepends=True)[::2])},
        "outputs.jsonl:3: task “coverage” compares with a reference, and there is none for “d2”.",
    ),
    "source of a topic": (
        spoilt("study.yaml", "preset: tides", "preset: summeval")
        | with_line("outputs.jsonl", '{"system": "s2", "topic": "t1", "text": "a"}')
        | with_line("references.jsonl", '{"id": "r4", "topic": "t1", "text": "a"}')
        | spoilt("practice.jsonl", '{"fluency": 5}', "{}"),
        "outputs.jsonl:6: task “fluent” shows the source, and this output is about a topic",
    ),
    "nothing to judge": (
        {
            "outputs.jsonl": GOOD["outputs.jsonl"].splitlines(keepends=True)[-1],
            "scores.csv": "metric,system,score\n",
        },
        "study.yaml:14: task “coverage” finds nothing to judge; give more outputs, or others",
    ),
    "question without an answer": (
        spoilt("study.yaml", "  systems: systems.csv", "  systems: systems.csv\n  questions: questions.jsonl")
        | {"questions.jsonl": '{"document": "d1", "author": "anna", "question": "Who?", "answer": " "}\n'},
        "questions.jsonl:1: “answer” is empty",
    ),
    "question about an unknown document": (
        spoilt("study.yaml", "  systems: systems.csv", "  systems: systems.csv\n  questions: questions.jsonl")
        | {"questions.jsonl": '{"document": "d8", "author": "anna", "question": "Who?", "answer": "She."}\n'},
        "questions.jsonl:1: unknown document “d8”",
    ),
    # scores
    "score of an unknown system": (
        with_line("scores.csv", "m,s9,d1,1"),
        "scores.csv:4: unknown system “s9”.",
    ),
    "score of an unknown item": (with_line("scores.csv", "m,s1,d9,1"), "scores.csv:4: unknown item “d9”."),
    "score twice": (
        with_line("scores.csv", "m,s1,d1,1"),
        "scores.csv:4: “m” has a score for “s1” on “d1” already, in line 2",
    ),
    "score that is no number": (
        with_line("scores.csv", "m,s1,d2,good"),
        "scores.csv:4: “score” must be a number; it is “good”.",
    ),
    "infinite score": (
        with_line("scores.csv", "m,s1,d2,inf"),
        "scores.csv:4: “score” must be a number; it is “inf”.",
    ),
    "score too large to count with": (
        with_line("scores.csv", "m,s1,d2,1e308"),
        "scores.csv:4: the number 1e+308 is too large.",
    ),
    "two directions": (
        {"scores.csv": "metric,system,item,score,higher_is_better\nm,s1,d1,1,true\nm,s2,d1,1,false\n"},
        "scores.csv:3: higher_is_better must be the same for all scores of “m”.",
    ),
    # CSV
    "unknown column": (
        {"systems.csv": "id,nmae\ns1,x\ns2,y\n"},
        "systems.csv:1: unknown column “nmae”; did you mean “name”?",
    ),
    "column twice": ({"systems.csv": "id,id\ns1,x\n"}, "systems.csv:1: the column “id” is there twice."),
    "missing column": (
        {"scores.csv": "metric,system\nm,s1\n"},
        "scores.csv:1: the column “score” is missing.",
    ),
    "empty CSV": (
        {"assessors.csv": ""},
        "assessors.csv:1: the first line must name the columns, of name, group, author.",
    ),
    "semicolons": ({"systems.csv": "id;name\ns1;x\n"}, "systems.csv:1: columns must be separated by commas."),
    "too many cells": (
        with_line("systems.csv", "s3,x,system,y"),
        "systems.csv:4: 4 cells, but the header has 3.",
    ),
    "open quote": (
        with_line("systems.csv", 's3,"x'),
        "systems.csv:4: this is not CSV: unexpected end of data.",
    ),
    "open quote, lines above the end": (
        {
            "systems.csv": 'id,name,type\ns1,"x\ny, ""z""",system\ns2,"a\nb","system\ns3,x,system\ns4,y,system\n'
        },
        "systems.csv:5: this is not CSV: unexpected end of data.",
    ),
    "open quote, and the next one ends it": (
        {"systems.csv": 'id,name,type\r\ns1,"x,system\r\ns2,"y",system\r\n'},
        "systems.csv:2: this is not CSV: ',' expected after '\"'.",
    ),
    "open quote in the header": (
        {"systems.csv": 'id,"name,type\ns1,x,system\n'},
        "systems.csv:1: this is not CSV: unexpected end of data.",
    ),
    "bad type": (
        with_line("systems.csv", "s3,,sistem"),
        "systems.csv:4: “type” cannot be “sistem”; did you mean “system”?",
    ),
    "line after a cell of two lines": (
        {"systems.csv": 'id,name,type\ns1,x,system\ns2,"a\nb",system\ns3,,robot\n'},
        "systems.csv:5: “type” cannot be “robot”",
    ),
    "units in CSV that are no JSON": (
        spoilt("study.yaml", "references: references.jsonl", "references: references.csv")
        | {"references.csv": 'id,document,units\nr1,d1,a b\nr2,d2,"[""a""]"\nr3,d3,"[""a""]"\n'},
        "references.csv:2: the column “units” must hold JSON: Expecting value (character 1).",
    ),
    # practice and people
    "practice of an unknown task": (
        with_line("practice.jsonl", '{"task": "coverag", "system": "s1", "document": "d3"}'),
        "practice.jsonl:3: unknown task “coverag”. Did you mean “coverage”?",
    ),
    "practice on an output that is none": (
        with_line("practice.jsonl", '{"task": "coverage", "system": "s2", "document": "d3"}'),
        "practice.jsonl:3: there is no output of system “s2” for “d3”.",
    ),
    "practice with an unknown reference": (
        with_line(
            "practice.jsonl", '{"task": "coverage", "system": "s1", "document": "d3", "reference": "r9"}'
        ),
        "practice.jsonl:3: unknown reference “r9”",
    ),
    "practice with a reference of another item": (
        with_line(
            "practice.jsonl", '{"task": "coverage", "system": "s1", "document": "d3", "reference": "r1"}'
        ),
        "practice.jsonl:3: reference “r1” is about “d1”, not “d3”.",
    ),
    "key of another shape": (
        with_line(
            "practice.jsonl", '{"task": "fluent", "system": "s1", "document": "d3", "key": {"fluency": 5}}'
        ),
        "practice.jsonl:3: the key does not fit task “fluent” (rating): unknown key “fluency”; there are values, confirmed.",
    ),
    "key for an unknown criterion": (
        with_line(
            "practice.jsonl",
            '{"task": "fluent", "system": "s1", "document": "d3", "key": {"values": {"charm": 5}}}',
        ),
        "practice.jsonl:3: the key cannot be right: There is no criterion “charm”.",
    ),
    "key off the scale": (
        with_line(
            "practice.jsonl",
            '{"task": "fluent", "system": "s1", "document": "d3", "key": {"values": {"fluency": 9}}}',
        ),
        "practice.jsonl:3: the key cannot be right: 9 is not on the scale of fluency.",
    ),
    "key with more units than the reference": (
        spoilt(
            "practice.jsonl", '[{"marks": [0], "grade": 1}]', '[{"grade": 0}, {"grade": 0}, {"grade": 0}]'
        ),
        "practice.jsonl:1: the key cannot be right: The answer has more units than the model text.",
    ),
    "key that marks what is not there": (
        spoilt("practice.jsonl", '"marks": [0]', '"marks": [7]'),
        "practice.jsonl:1: the key cannot be right: The marks of unit 1 are not units of the peer text.",
    ),
    "assessor twice": (
        with_line("assessors.csv", "Ada,,"),
        "assessors.csv:4: there is an assessor “Ada” already, in line 2",
    ),
    "assessor with a tab": (
        with_line("assessors.csv", '"A\tB",,'),
        "assessors.csv:4: “name” holds the control character U+0009",
    ),
}
