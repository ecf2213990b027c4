"""What can be wrong with study.yaml and the files it names: changed files, and what is said about them."""

from tests.annotation.study_files.conftest import spoilt

STUDY_YAML = {
    # study.yaml
    "unknown key": (
        spoilt("study.yaml", "seed: 7", "seed: 7\nsead: 8"),
        "study.yaml:6: unknown key “sead”; did you mean “seed”?",
    ),
    "unknown key far from any": (
        spoilt("study.yaml", "  systems: systems.csv", "  systems: systems.csv\n  xyzzy: a.csv"),
        "study.yaml:12: unknown key “materials xyzzy”; there are topics, documents,",
    ),
    "unknown key of a design": (
        spoilt("study.yaml", "  order: random", "  ordre: random"),
        "study.yaml:24: unknown key “design ordre”; did you mean “order”?",
    ),
    "number too large to count with": (
        spoilt("study.yaml", "seed: 7", "seed: 1.0e+308"),
        "study.yaml:5: the number 1.0e+308 is too large.",
    ),
    "more time than there is": (  # before: a page that failed for whoever asked for work
        spoilt("study.yaml", "seed: 7", "seed: 7\nsettings: {abandon_after_minutes: 99999999999}"),
        "study.yaml:6: “settings abandon_after_minutes” must be 5256000 or less; it is 99999999999.",
    ),
    "more assessors than a database counts": (
        spoilt("study.yaml", "  assessors_per_item: 1", "  assessors_per_item: 99999999999999999999"),
        "study.yaml:23: “design assessors_per_item” must be 100000 or less; it is 99999999999999999999.",
    ),
    "key twice": (
        spoilt("study.yaml", "seed: 7", "seed: 7\nseed: 8"),
        "study.yaml:6: the key “seed” is there twice (first in line 5).",
    ),
    "missing key": (spoilt("study.yaml", "name: Small\n", ""), "study.yaml:1: “name” is missing."),
    "bad slug": (
        spoilt("study.yaml", "slug: small", "slug: Small Study"),
        "study.yaml:2: “slug” may hold only small letters, digits, - and _",
    ),
    "bad language": (
        spoilt("study.yaml", "language: en", "language: en_GB!"),
        "study.yaml:3: “language” must be a language tag such as en or pt-BR; it is “en_GB!”",
    ),
    "bad language of sources": (
        spoilt("study.yaml", "seed: 7", "seed: 7\nsettings:\n  source_language: en_GB!"),
        "study.yaml:7: “settings source_language” must be a language tag such as en or pt-BR; it is “en_GB!”",
    ),
    "number for text": (
        spoilt("study.yaml", "name: Small", "name: 2005"),
        'study.yaml:1: “name” must be text; put it in quotes: "2005".',
    ),
    "rows for a file": (
        spoilt("study.yaml", "seed: 7", "seed: 7\nprefilled: [{system: s1}]"),
        "study.yaml:6: “prefilled” must be the name of a file; what is written here goes into that file.",
    ),
    "text for number": (
        spoilt("study.yaml", "seed: 7", "seed: seven"),
        "study.yaml:5: “seed” must be a whole number; it is “seven”.",
    ),
    "number too small": (
        spoilt("study.yaml", "  assessors_per_item: 1", "  assessors_per_item: 0"),
        "study.yaml:23: “design assessors_per_item” must be 1 or more; it is 0.",
    ),
    "not one of the choices": (
        spoilt("study.yaml", "order: random", "order: randon"),
        "study.yaml:24: “design order” cannot be “randon”; did you mean “random”?",
    ),
    "not a list": (
        {"study.yaml": "name: A\nslug: a\nmaterials: {}\ntasks: see\n"},
        "study.yaml:4: “tasks” must be a list; it is “see”.",
    ),
    "no task": (
        {"study.yaml": "name: A\nslug: a\nmaterials: {}\ntasks: []\n"},
        "study.yaml:4: “tasks” is empty.",
    ),
    "broken YAML": (
        spoilt("study.yaml", "seed: 7", "seed: [7"),
        "study.yaml:6: this is not YAML: a list [ … ] is not closed, or a comma is missing in it.",
    ),
    "tab": (spoilt("study.yaml", "  order: random", "\torder: random"), "Indent with spaces, not tabs."),
    "alias": (
        spoilt("study.yaml", "slug: small", "slug: &a small\ncontact: *a"),
        "study.yaml:3: aliases (*name) are not supported",
    ),
    "tag": (
        spoilt("study.yaml", "name: Small", "name: !!python/object/apply:os.getcwd []"),
        "study.yaml:1: the tag tag:yaml.org,2002:python/object/apply:os.getcwd is not supported",
    ),
    "too deep": (
        spoilt("study.yaml", "seed: 7", "seed: " + "[" * 100_000),
        "study.yaml:5: this is nested too deeply.",
    ),
    "control character in YAML": (
        spoilt("study.yaml", "seed: 7", "seed: \x07"),
        "study.yaml:5: the character U+0007 is not allowed here.",
    ),
    "a list for study.yaml": ({"study.yaml": "- a\n"}, "study.yaml:1: must be a mapping"),
    "an empty study.yaml": ({"study.yaml": ""}, "study.yaml:1: must be a mapping"),
    "huge study.yaml": ({"study.yaml": "#" * 140_000}, "study.yaml: has more than 131,072 bytes"),
    # tasks
    "unknown kind": (
        spoilt("study.yaml", "kind: see", "kind: sea"),
        "study.yaml:14: unknown task kind “sea”; did you mean “see”?",
    ),
    "unknown kind far from any": (
        spoilt("study.yaml", "kind: see", "kind: karaoke"),
        "study.yaml:14: unknown task kind “karaoke”; there are attribution, best_worst, cross_comprehension",
    ),
    "unknown key of a task": (
        spoilt("study.yaml", "    scale: duc2001", "    scales: duc2001"),
        "study.yaml:16: unknown key “scales”; did you mean “scale”?",
    ),
    "bad value of a task": (
        spoilt("study.yaml", "    scale: duc2001", "    scale: duc1999"),
        "study.yaml:16: “scale” cannot be “duc1999”; there are duc2001, duc2002.",
    ),
    "unknown preset": (
        spoilt("study.yaml", "preset: tides", "preset: tide"),
        "study.yaml:17: unknown preset “tide”; there are tides, duc2004,",
    ),
    "neither preset nor criteria": (
        spoilt("study.yaml", "    preset: tides\n", ""),
        "study.yaml:17: name a preset (tides,",
    ),
    "bad criterion": (
        spoilt("study.yaml", "    preset: tides\n", "    criteria:\n      - name: good\n"),
        "study.yaml:20: criterion “good” needs either steps or a slider.",
    ),
    "unknown key of a step": (
        spoilt(
            "study.yaml",
            "    preset: tides\n",
            "    criteria:\n      - name: good\n        steps:\n          - {value: 1, lable: x}\n",
        ),
        "study.yaml:22: unknown key “criteria no. 1 steps no. 1 lable”; did you mean “label”?",
    ),
    "same name twice": (
        spoilt("study.yaml", "name: fluent", "name: coverage"),
        "study.yaml:18: there is a task “coverage” already",
    ),
    "task without a name": (
        spoilt("study.yaml", "    name: coverage\n", ""),
        "study.yaml:14: “name” is missing.",
    ),
    "shared items in a pool": (
        spoilt("study.yaml", "  order: random", "  order: random\n  pool: true\n  shared: [d2]"),
        "a pool deals nothing beforehand, so nothing can be “shared”; leave out one of the two.",
    ),
    "shared item that is none": (
        spoilt("study.yaml", "  order: random", "  order: random\n  shared: [d2, d9]"),
        "study.yaml:25: “shared” names an unknown item, “d9”.",
    ),
    # files
    "missing file": (
        spoilt("study.yaml", "outputs: outputs.jsonl", "outputs: output.jsonl"),
        "study.yaml:10: “materials outputs”: there is no file “output.jsonl” in the study; did you mean “outputs.jsonl”?",
    ),
    "missing instructions": (
        spoilt("study.yaml", "instructions: instructions.md", "instructions: read.me"),
        "study.yaml:4: “instructions”: there is no file “read.me”",
    ),
    "absolute path": (
        spoilt("study.yaml", "practice: practice.jsonl", "practice: /etc/passwd"),
        "study.yaml:25: “practice”: “/etc/passwd” is an absolute path",
    ),
    "path that climbs": (
        spoilt("study.yaml", "practice: practice.jsonl", "practice: a/../../b.jsonl"),
        "study.yaml:25: “practice”: “a/../../b.jsonl” points outside the folder",
    ),
    "path with a drive": (
        spoilt("study.yaml", "practice: practice.jsonl", "practice: 'C:b.jsonl'"),
        "absolute path",
    ),
    "path with backslashes": (
        spoilt("study.yaml", "practice: practice.jsonl", "practice: 'a\\b.jsonl'"),
        "study.yaml:25: “practice”: “a\\b.jsonl” has a backslash",
    ),
    "address": (
        spoilt("study.yaml", "practice: practice.jsonl", "practice: https://example.org/p.jsonl"),
        "study.yaml:25: “practice”: nothing is fetched from the network",
    ),
    "unknown ending": (
        spoilt("study.yaml", "practice: practice.jsonl", "practice: instructions.md"),
        "instructions.md: a table is a file that ends in .jsonl, .csv, .tsv, .json, .xlsx; save it as one.",
    ),
    # checks
    "unknown key of checks": (
        spoilt("study.yaml", "seed: 7", "seed: 7\nchecks:\n  repeat: 0.06"),
        "study.yaml:7: unknown key “checks repeat”; did you mean “repeats”?",
    ),
    "unknown method of checks": (
        spoilt("study.yaml", "seed: 7", "seed: 7\nchecks:\n  methods: [drop, suffle]"),
        "study.yaml:7: “checks methods no. 2” cannot be “suffle”; did you mean “shuffle”?",
    ),
    "too many check items": (
        spoilt("study.yaml", "seed: 7", "seed: 7\nchecks: {repeats: 0.5}"),
        "study.yaml:6: “checks repeats” must be 0.25 or less; it is 0.5.",
    ),
    "unknown key of a rule": (
        spoilt("study.yaml", "seed: 7", "seed: 7\nchecks:\n  warm_up: {shares: 0.5}"),
        "study.yaml:7: unknown key “checks warm_up shares”; did you mean “share”?",
    ),
    "unknown outcome of a rule": (
        spoilt("study.yaml", "seed: 7", "seed: 7\nchecks:\n  on_failure: pose"),
        "study.yaml:7: “checks on_failure” cannot be “pose”; did you mean “pause”?",
    ),
    "a rule about gold without gold": (
        spoilt("study.yaml", "seed: 7", "seed: 7\nchecks:\n  agreement: {share: 0.6}"),
        "study.yaml:7: “agreement” goes by gold and attention items, and there are none",
    ),
}
