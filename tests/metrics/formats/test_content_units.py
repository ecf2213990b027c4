"""RoSE, LitePyramid and nuggetizer files as judgments, and back."""

import json

import pandas as pd
import pytest

from metrics.cli import main
from metrics.errors import BadInput
from metrics.formats import FORMATS
from metrics.human import human_score
from metrics.meta.agreement import agreement
from tests.conftest import ROOT
from tests.metrics.human.rows import attributes

FOLDER = ROOT / "tests" / "data" / "tasks2"
ROSE = json.loads((FOLDER / "acu" / "rose_example.json").read_text())
NUGGETS = json.loads((FOLDER / "nuggets" / "nuggets.json").read_text())["autonuggetizer"]
TABLES = {"judgments": "csv", "references": "jsonl", "outputs": "jsonl"}
LETTERS = {"v": "vital", "o": "okay", "s": "support", "p": "partial_support", "n": "not_support"}


def rose_file(folder):
    units = [f"Unit {n}." for n in range(ROSE["acus"])]
    labels = {
        name: {
            "acu_labels": one["labels"],
            "acu": sum(one["labels"]) / len(one["labels"]),
            "normalized_acu": one["normalized_acu"],
        }
        for name, one in ROSE["systems"].items()
    }
    document = {
        "example_id": ROSE["example_id"],
        "reference": "It rained — a lot.",
        "reference_acus": units,
        "system_outputs": {name: f"{name} wrote\nthis 🌊" for name in labels},
        "annotations": labels,
    }
    path = folder / "rose.jsonl"
    path.write_text(json.dumps(document) + "\n")
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
    """Texts, units, labels and both scores, by way of our tables."""
    path, again = rose_file(tmp_path), tmp_path / "again.jsonl"
    files = {name: str(tmp_path / f"{name}.{end}") for name, end in TABLES.items()}
    for table, file in files.items():
        assert main(["convert", "rose", table, str(path), "--out", file]) == 0
    texts = [f"--{name}={files[name]}" for name in ("references", "outputs")]
    assert main(["convert", "judgments", "rose", files["judgments"], *texts, "--out", str(again)]) == 0
    assert json.loads(again.read_text()) == json.loads(path.read_text())


def test_judgments_of_a_study_go_out_to_rose_with_the_normalised_score_by_lengths(tmp_path):
    judgments = FORMATS["rose"].reads["judgments"]([rose_file(tmp_path)]).drop(columns="normalized_acu")
    known, item = tmp_path / "attributes.csv", ROSE["example_id"]
    lengths = [f"reference,{item}-ref,treebank_tokens,{ROSE['reference_tokens']}"]
    lengths += [
        f"output,{name}/{item},treebank_tokens,{one['tokens']}" for name, one in ROSE["systems"].items()
    ]
    known.write_text("\n".join(["scope,id,name,value", *lengths]))
    bare = json.loads(FORMATS["rose"].writes["judgments"](judgments))
    assert all("normalized_acu" not in one for one in bare["annotations"].values())
    found = json.loads(FORMATS["rose"].writes["judgments"](judgments, attributes=known))["annotations"]
    assert {name: one["normalized_acu"] for name, one in found.items()} == pytest.approx(
        {name: one["normalized_acu"] for name, one in ROSE["systems"].items()}, abs=1e-6
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
            "query": f"what of {run}?",
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


def test_nuggetizer_files_come_back_as_they_were(nuggets_file, tmp_path):
    table, again = tmp_path / "judgments.csv", tmp_path / "again.jsonl"
    assert main(["convert", "nuggetizer", "judgments", str(nuggets_file), "--out", str(table)]) == 0
    assert main(["convert", "judgments", "nuggetizer", str(table), "--out", str(again)]) == 0
    assert [json.loads(line) for line in again.read_text().splitlines()] == [
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


def test_realsumm_votes_as_labels_of_lite2_3_pyramid_give_the_same_scores(shared, tmp_path):
    """Zhang & Bansal 2021 keep what most of REALSumm's voters say as SYSTEM.label, a line a document, with SCUs.txt and ids.txt beside."""
    folder = shared / "data" / "realsumm"
    votes = FORMATS["litepyramid"].reads["judgments"](
        sorted(folder.glob("SCU_rating_results_ext_systems/*.csv"))[:2]
    )
    present = votes[votes["criterion"] == "present"]
    share = present.groupby(["system", "item", "unit"], sort=False)["value"].mean()
    ids = list(dict.fromkeys(present["item"]))
    units = votes[votes["criterion"] == "unit"]
    said = {item: dict(zip(own["unit"], own["label"], strict=True)) for item, own in units.groupby("item")}
    files = [tmp_path / "SCUs.txt"]
    files[0].write_text("".join("\t".join(said[item].values()) + "\n" for item in ids), encoding="utf-8")
    (tmp_path / "ids.ids").write_text("".join(f"{item}\n" for item in ids))
    for system in dict.fromkeys(present["system"]):
        lines = ["\t".join(str(int(share[system, item, unit] > 0.5)) for unit in said[item]) for item in ids]
        files.append(tmp_path / f"{system}.label")
        files[-1].write_text("\n".join(lines) + "\n")
    labels = FORMATS["litepyramid"].reads["judgments"](files, items=tmp_path / "ids.ids")
    ours, theirs = (human_score(table, "acu", votes="majority").scores for table in (labels, votes))
    assert len(ours) == present["system"].nunique() * len(ids) >= 200
    pd.testing.assert_frame_equal(
        ours.sort_values(["system", "item"], ignore_index=True)[["system", "item", "score"]],
        theirs.sort_values(["system", "item"], ignore_index=True)[["system", "item", "score"]],
    )


def test_units_of_litepyramid_alone_are_those_that_were_voted_on(shared):
    folder = shared / "data" / "realsumm"
    read = FORMATS["litepyramid"].reads["judgments"]
    listed = read([folder / "SCUs_list.csv"])
    voted = read(sorted(folder.glob("SCU_rating_results_abs_systems/*.csv"))[:3])
    known = listed.set_index("unit")["label"]
    voted = voted[voted["criterion"] == "unit"]
    assert set(listed["criterion"]) == {"unit"} and len(voted) > 300
    assert known.loc[voted["unit"]].tolist() == voted["label"].tolist()


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.label", "1\t2\n0\n", "row 1: expected 0 or 1, found '2'"),
        ("a.label", "1\t0\n", "expected 2 lines, one for each item, found 1"),
        ("a.label", "1\t0\n1\t1\n", "expected the text of unit e-ref/2, of which a has a label"),
        ("SCUs.txt", "One.\t\nTwo.\n", "row 1: expected unit 2, found nothing"),
    ],
)
def test_labels_that_do_not_fit_are_named(name, text, message, tmp_path):
    files = {"SCUs.txt": "One.\tTwo.\nThree.\n", "a.label": "1\t0\n1\n", "ids.ids": "d\ne\n"} | {name: text}
    for file, content in files.items():
        (tmp_path / file).write_text(content)
    with pytest.raises(BadInput, match=message):
        FORMATS["litepyramid"].reads["judgments"](
            [tmp_path / "SCUs.txt", tmp_path / "a.label"], items=tmp_path / "ids.ids"
        )


def test_files_that_name_no_task_hold_one(tmp_path, nuggets_file):
    """Before: labels of two tasks were averaged, and a key that two people made was written as neither's."""
    rose = FORMATS["rose"].reads["judgments"]([rose_file(tmp_path)])
    nuggets = FORMATS["nuggetizer"].reads["judgments"]([nuggets_file])
    for name, judgments in (("rose", rose), ("nuggetizer", nuggets)):
        two = pd.concat([judgments, judgments.assign(task="again")], ignore_index=True)
        with pytest.raises(BadInput, match=r"expected the judgments of one task, found .*, again"):
            FORMATS[name].writes["judgments"](two)


def test_units_of_several_people_or_references_have_no_place_in_rose(tmp_path):
    judgments = FORMATS["rose"].reads["judgments"]([rose_file(tmp_path)])
    units = judgments[judgments["criterion"] == "unit"].assign(assessor="bea", label="Another.")
    with pytest.raises(BadInput, match=r"expected one list of units of .*, found those of several people"):
        FORMATS["rose"].writes["judgments"](pd.concat([judgments, units], ignore_index=True))
    others = judgments.assign(unit="other-ref/" + judgments["unit"].str.rpartition("/")[2])
    with pytest.raises(
        BadInput, match=r"expected one reference of .*, which is all the format has, found several"
    ):
        FORMATS["rose"].writes["judgments"](pd.concat([judgments, others], ignore_index=True))
