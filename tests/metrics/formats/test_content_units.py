"""RoSE, LitePyramid and nuggetizer files as judgments, and back."""

import json

import pandas as pd
import pytest

from metrics.errors import BadInput
from metrics.formats import FORMATS
from metrics.human import human_score
from metrics.meta.agreement import agreement
from tests.conftest import ROOT
from tests.metrics.human.rows import attributes

FOLDER = ROOT / "tests" / "data" / "units"
ROSE = json.loads((FOLDER / "rose_example.json").read_text())
NUGGETS = json.loads((FOLDER / "nuggets.json").read_text())["autonuggetizer"]
LETTERS = {"v": "vital", "o": "okay", "s": "support", "p": "partial_support", "n": "not_support"}


def rose_file(folder):
    units = [f"Unit {n}." for n in range(ROSE["acus"])]
    labels = {
        name: {"acu_labels": one["labels"], "acu": sum(one["labels"]) / len(one["labels"])}
        for name, one in ROSE["systems"].items()
    }
    path = folder / "rose.jsonl"
    path.write_text(
        json.dumps({"example_id": ROSE["example_id"], "reference_acus": units, "annotations": labels}) + "\n"
    )
    return path


def test_rose_acu_and_normalised_acu_of_all_twelve_systems(tmp_path):
    """Labels and token counts of one document, and the values that RoSE's own notebook prints for them."""
    judgments = FORMATS["rose"].reads["judgments"]([rose_file(tmp_path)])
    item = ROSE["example_id"]
    known = attributes(
        ("reference", f"{item}-ref", "treebank_tokens", ROSE["reference_tokens"]),
        *(
            ("output", f"{name}/{item}", "treebank_tokens", one["tokens"])
            for name, one in ROSE["systems"].items()
        ),
    )
    acu = human_score(judgments, "acu").scores.set_index("system")["score"]
    normalised = human_score(judgments, "acu-normalized", attributes=known).scores.set_index("system")[
        "score"
    ]
    assert len(acu) == 12
    for name, one in ROSE["systems"].items():
        assert acu[name] == pytest.approx(one["acu"], abs=1e-6)
        assert normalised[name] == pytest.approx(one["normalized_acu"], abs=1e-6)


def test_rose_files_come_back_as_they_were(tmp_path):
    path = rose_file(tmp_path)
    form = FORMATS["rose"]
    assert json.loads(form.writes["judgments"](form.reads["judgments"]([path]))) == json.loads(
        path.read_text()
    )


def test_rose_labels_must_fit_the_units(tmp_path):
    path = rose_file(tmp_path)
    path.write_text(path.read_text().replace('"acu_labels": [1, ', '"acu_labels": [', 1))
    with pytest.raises(BadInput, match="expected 0 or 1 for each of 10 units of bart"):
        FORMATS["rose"].reads["judgments"]([path])


@pytest.fixture
def nuggets_file(tmp_path):
    lines = [
        {
            "qid": f"q-{run}",
            "nuggets": [
                {"text": f"nugget {n}", "importance": LETTERS[status], "assignment": LETTERS[support]}
                for n, (status, support) in enumerate(case["nuggets"])
            ],
            "run_id": run,
        }
        for run, case in NUGGETS.items()
    ]
    path = tmp_path / "runs.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


@pytest.mark.parametrize(
    ("score", "theirs"),
    [
        ("nuggets-vital", "vital_score"),
        ("nuggets-vital-strict", "strict_vital_score"),
        ("nuggets-all", "all_score"),
        ("nuggets-all-strict", "strict_all_score"),
    ],
)
@pytest.mark.filterwarnings("ignore:.*undefined for 1 outputs")
def test_scores_are_those_of_autonuggetizer(nuggets_file, score, theirs):
    """castorini/nuggetizer's own function, run unchanged. It writes 0 where no nugget is vital; ours is undefined."""
    judgments = FORMATS["nuggetizer"].reads["judgments"]([nuggets_file])
    ours = human_score(judgments, score).scores.set_index("system")["score"]
    for run, case in NUGGETS.items():
        without = "vital" in score and not any(nugget[0] == "v" for nugget in case["nuggets"])
        assert ours[run] == (
            pytest.approx(float("nan"), nan_ok=True) if without else pytest.approx(case[theirs])
        )


def test_nuggetizer_files_come_back_as_they_were(nuggets_file):
    form = FORMATS["nuggetizer"]
    again = form.writes["judgments"](form.reads["judgments"]([nuggets_file]))
    assert [json.loads(line) for line in again.splitlines()] == [
        json.loads(line) for line in nuggets_file.read_text().splitlines()
    ]


def test_an_answer_key_alone_goes_in_and_out(nuggets_file):
    form = FORMATS["nuggetizer"]
    key = [json.loads(line) for line in nuggets_file.read_text().splitlines()]
    for line in key:
        del line["run_id"]
        for nugget in line["nuggets"]:
            del nugget["assignment"]
    nuggets_file.write_text("".join(json.dumps(line) + "\n" for line in key))
    again = form.writes["judgments"](form.reads["judgments"]([nuggets_file]))
    assert [json.loads(line) for line in again.splitlines()] == key


def test_realsumm_votes_give_the_published_alpha_and_scores(shared):
    """REALSumm (Bhandari et al. 2020): α of all votes as computed from the release by another package, and the stored LitePyramid
    scores: the share of units that most voters found. Abstractive ``bart_out`` is stored as a copy of the extractive one.
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
    votes = votes[votes["criterion"] == "present"]
    score = human_score(votes, "acu", votes="majority").system_scores().set_index("system")["score"]
    score["bart_out/abs"] = score["bart_out/ext"]
    assert len(score) == 25
    assert round(score.mean(), 6) == 0.461623
    alpha = agreement(votes, coefficients=["alpha-nominal"], n_resamples=0, rng=1)
    assert round(alpha["value"].iloc[0], 4) == 0.7195
