"""WMT 2021 direct assessment (FLORES): raw → z → segment → system scores, through the long table.

Source: the campaign's own result files (``ad-*-good-stnd.csv``, ``ad-seg-scores-*.csv``, ``ad-sys-scores-*.csv``),
made by its R scripts: z per evaluator and language pair with the sample deviation over all judgments. Their scripts pass
mean and deviation on as printed text of seven digits (``ad-*-trk-mean-sd.txt``), so their z differs from the exact one by
a few millionths; with the printed values it is reproduced to 1e-12.
"""

import re

import pandas as pd
import pytest

from metrics.frames import JUDGMENT_COLUMNS, check_judgments
from metrics.human import human_score
from metrics.human.normalise import distributions, normalised

PAIRS = ("bn-hi", "hi-bn", "xh-zu", "zu-xh")


def raw_judgments(folder):
    """The raw file mixes tabs and spaces as separators; every line has twelve cells."""
    header, *lines = (folder / "ad-good-raw.csv").read_text().splitlines()
    names = re.split(r"[\t ]", header)
    raw = pd.DataFrame([re.split(r"[\t ]", line) for line in lines], columns=names)
    return pd.DataFrame(
        {
            "study": "wmt21",
            "task": raw["Input.src"] + "-" + raw["Input.trg"],
            "kind": "rating",
            "assessor": raw["WorkerId"],
            "system": raw["sys_id"].str.strip('"'),
            "item": raw["sid"],
            "criterion": "adequacy",
            "value": raw["score"],
        }
    ).reindex(columns=list(JUDGMENT_COLUMNS))


@pytest.fixture(scope="module")
def folder(shared):
    return shared / "data" / "wmt21_da_flores"


@pytest.fixture(scope="module")
def judgments(folder):
    return check_judgments(raw_judgments(folder))


def test_all_raw_judgments_are_read(judgments):
    assert len(judgments) == 14_443
    assert judgments["assessor"].nunique() == 6


@pytest.fixture(scope="module")
def both(judgments, folder):
    """Our judgments beside their z, per language pair."""
    joined = {}
    for pair in PAIRS:
        theirs = pd.read_csv(folder / f"ad-{pair.replace('-', '')}-good-stnd.csv", sep="\t")
        ours = judgments[judgments["task"] == pair]
        ours = ours.assign(z=normalised(ours, method="z"))
        key = {"assessor": "WorkerId", "system": "sys_id", "item": "sid"}
        joined[pair] = ours.merge(theirs, left_on=list(key), right_on=list(key.values()))
        assert len(joined[pair]) == len(theirs) == len(ours)
    return joined


def printed_means(folder, pair):
    """Blocks of three printed lines: evaluator, mean, standard deviation."""
    lines = (folder / f"ad-{pair.replace('-', '')}-trk-mean-sd.txt").read_text().splitlines()
    cells = [line.removeprefix("[1] ").strip('"') for line in lines]
    return {cells[n]: (float(cells[n + 1]), float(cells[n + 2])) for n in range(0, len(cells), 3)}


@pytest.mark.parametrize("pair", PAIRS)
def test_mean_and_sample_deviation_of_every_evaluator_are_those_printed(both, folder, pair):
    table = distributions(both[pair])
    raw = table[table["stage"] == "raw"].set_index("assessor")
    for assessor, (mean, deviation) in printed_means(folder, pair).items():
        assert float(f"{raw.loc[assessor, 'mean']:.7g}") == mean
        assert float(f"{raw.loc[assessor, 'deviation']:.7g}") == deviation


@pytest.mark.parametrize("pair", PAIRS)
def test_z_of_single_judgments_is_theirs_up_to_their_rounding(both, folder, pair):
    largest = (both[pair]["z"] - both[pair]["score"]).abs().max()
    print(f"{pair}: largest difference of a z score {largest:.2e}")
    assert largest < 5e-6
    printed = printed_means(folder, pair)
    mean = both[pair]["assessor"].map({name: values[0] for name, values in printed.items()})
    deviation = both[pair]["assessor"].map({name: values[1] for name, values in printed.items()})
    rounded = (both[pair]["value"] - mean) / deviation
    assert (rounded - both[pair]["score"]).abs().max() < 1e-12


@pytest.mark.parametrize("pair", PAIRS)
def test_segment_and_system_scores_are_theirs(judgments, folder, pair):
    segments = pd.read_csv(folder / f"ad-seg-scores-{pair}.csv", sep=" ", index_col=False)
    systems = pd.read_csv(folder / f"ad-sys-scores-{pair}.csv", sep=" ", index_col=False)
    largest = {}
    for normalise, column in (("none", "RAW.SCR"), ("z", "Z.SCR")):
        score = human_score(judgments, "adequacy", task=pair, normalise=normalise)
        of_items = score.scores.merge(segments, left_on=["system", "item"], right_on=["SYS", "SID"])
        of_systems = score.system_scores().merge(systems, left_on="system", right_on="SYS")
        assert len(of_items) == len(segments) == len(score.scores)
        assert len(of_systems) == len(systems)
        largest[f"{normalise} segment"] = (of_items["score"] - of_items[column]).abs().max()
        largest[f"{normalise} system"] = (of_systems["score"] - of_systems[column]).abs().max()
    print(pair, {name: f"{difference:.2e}" for name, difference in largest.items()})
    assert largest["none segment"] == 0
    assert largest["none system"] < 1e-12
    assert max(largest.values()) < 5e-6
