"""WMT's relative rankings, in and out. The real file is WMT 2016 English–Turkish (github cfedermann/wmt16, ``data/collapsed``)."""

import csv
import gzip
import io

import pytest

from metrics.cli import main
from metrics.errors import BadInput
from metrics.formats import FORMATS
from metrics.frames import read_judgments
from metrics.human import human_score
from tests.metrics.formats.texts import write

READ = FORMATS["wmt-ranking"].reads["judgments"]
WRITE = FORMATS["wmt-ranking"].writes["judgments"]

FIVE = (
    "srclang,trglang,srcIndex,documentId,segmentId,judgeID,system1Id,system1rank,system2Id,system2rank,"
    "system3Id,system3rank,system4Id,system4rank,system5Id,system5rank\r\n"
    "cs,en,17,news-1,3,anna,alpha,2,beta,1,gamma,2,delta,5,epsilon,-1\r\n"
    "cs,en,17,news-1,3,boris,epsilon,1,delta,1,gamma,3,beta,4,alpha,2\r\n"
)
PAIRS = (
    "srclang,trglang,srcIndex,segmentId,judgeID,system1Id,system1rank,system2Id,system2rank,rankingID\r\n"
    "eng,tur,541,541,judge1,alpha+beta,2,gamma,1,77\r\n"
    "eng,tur,541,541,judge1,alpha+beta,2,delta,3,77\r\n"
    "eng,tur,541,541,judge1,gamma,1,delta,3,77\r\n"
    "eng,tur,541,541,judge2,delta,1,gamma,1,78\r\n"
)


def cells(text):
    return list(csv.reader(io.StringIO(text)))


def test_a_ranking_of_five_becomes_a_row_for_each_system(tmp_path):
    rows = READ([write(tmp_path / "five.csv", FIVE)], identical="expanded")
    first = rows[rows["assessor"] == "anna"]
    assert first["system"].tolist() == ["alpha", "beta", "gamma", "delta", "epsilon"]
    assert first["value"].fillna(-1).tolist() == [2, 1, 2, 5, -1]
    assert first["label"].tolist() == ["", "", "", "", "skipped"]
    assert first["place"].tolist() == [1, 2, 3, 4, 5]
    assert set(rows["kind"]) == {"ranking"}
    assert set(rows["task"]) == {"cs-en"}
    assert rows["unit"].unique().tolist() == ["s1", "s2"]
    assert WRITE(rows, identical="expanded", layout="sets") == FIVE


def test_pairs_of_one_number_are_one_ranking_and_merged_systems_share_a_place(tmp_path):
    rows = READ([write(tmp_path / "pairs.csv", PAIRS)], identical="merged")
    ranked = rows[rows["unit"] == "77"]
    assert list(zip(ranked["system"], ranked["value"], ranked["place"], strict=True)) == [
        ("alpha", 2, 1),
        ("beta", 2, 1),
        ("gamma", 1, 2),
        ("delta", 3, 3),
    ]
    assert WRITE(rows, identical="merged") == PAIRS
    # Alpha and beta never met: two wins of gamma over them, and one of each over delta.
    assert human_score(rows, "wins-half").pooled.to_dict() == {
        "alpha": 0.5,
        "beta": 0.5,
        "gamma": pytest.approx(3.5 / 4),
        "delta": pytest.approx(0.5 / 4),
    }


def test_expanded_files_list_each_system_tied_with_those_of_the_same_text(tmp_path):
    rows = READ([write(tmp_path / "pairs.csv", PAIRS)], identical="merged")
    expanded = WRITE(rows, identical="expanded")
    assert cells(expanded)[1] == ["eng", "tur", "541", "541", "judge1", "alpha", "2", "beta", "2", "77"]
    assert len(cells(expanded)) == 1 + 6 + 1
    again = READ([write(tmp_path / "expanded.csv", expanded)], identical="expanded")
    assert WRITE(again, identical="expanded") == expanded
    assert again.loc[again["unit"] == "77", "place"].tolist() == [1, 2, 3, 4]


def test_pairs_that_make_no_whole_ranking_stay_pairs(tmp_path):
    partial = "".join(PAIRS.splitlines(keepends=True)[:3])
    rows = READ([write(tmp_path / "pairs.csv", partial)], identical="merged")
    assert rows["unit"].unique().tolist() == ["77.1", "77.2"]
    assert WRITE(rows, identical="merged") == partial


def test_wmt_2016_goes_in_and_comes_out_equal(shared, tmp_path):
    packed = shared / "data/tasks2/comparison/wmt16.collapsed.eng-tur.csv.gz"
    # The file that we were given ends its lines twice (\r\r\n); the cells are what is compared.
    text = gzip.decompress(packed.read_bytes()).decode().replace("\r\r\n", "\r\n")
    source, table = write(tmp_path / "wmt16.csv", text), tmp_path / "judgments.csv"
    back = tmp_path / "back.csv"
    assert (
        main(
            ["convert", "wmt-ranking", "judgments", str(source), "--identical", "merged", "--out", str(table)]
        )
        == 0
    )
    assert read_judgments(table)["unit"].nunique() == 1013
    assert (
        main(["convert", "judgments", "wmt-ranking", str(table), "--identical", "merged", "--out", str(back)])
        == 0
    )
    assert cells(back.read_text(encoding="utf-8")) == cells(text)
    assert len(cells(text)) == 10_096


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("alpha+beta,2,gamma", "alpha+beta,best,gamma", r"row 2, column system1rank: expected a number"),
        ("alpha+beta,2,gamma", "alpha+beta,,gamma", "expected a rank, or −1"),
        ("alpha+beta,2,gamma", "gamma+beta,2,gamma", "expected each system of a ranking once"),
        ("rankingID", "ranking", None),
        ("system2rank", "rank2", "expected the columns"),
    ],
)
def test_a_bad_cell_is_named(old, new, message, tmp_path):
    path = write(tmp_path / "pairs.csv", PAIRS.replace(old, new, 1))
    if message is None:  # without a number of the ranking each pair stands for itself
        assert READ([path], identical="merged")["unit"].nunique() == 4
        return
    with pytest.raises(BadInput, match=message):
        READ([path], identical="merged")


def test_the_reader_must_be_told_what_became_of_identical_outputs(tmp_path, capsys):
    path = write(tmp_path / "pairs.csv", PAIRS)
    assert main(["convert", "wmt-ranking", "judgments", str(path)]) == 2
    assert "expected --identical" in capsys.readouterr().err
    with pytest.raises(BadInput, match="expected --identical merged or expanded"):
        READ([path], identical="both")


def test_what_has_no_place_in_such_a_file_is_refused(tmp_path):
    rows = READ([write(tmp_path / "pairs.csv", PAIRS)], identical="merged")
    with pytest.raises(BadInput, match="--identical expanded"):
        WRITE(rows.assign(system=rows["system"] + "+"), identical="merged")
    with pytest.raises(BadInput, match="of a best and a worst the others have no rank"):
        WRITE(rows.assign(kind="best_worst"), identical="merged")
    with pytest.raises(BadInput, match="expected --layout pairs or sets"):
        WRITE(rows, identical="merged", layout="wide")
    with pytest.raises(BadInput, match="expected rankings by fluency, found rank"):
        WRITE(rows, identical="merged", criterion="fluency")


def test_preferences_between_two_are_rankings_of_two(tmp_path):
    rows = READ([write(tmp_path / "pairs.csv", PAIRS)], identical="merged")
    pair = rows[rows["unit"] == "78"].assign(kind="pairwise", value=[2.0, -2.0])
    assert cells(WRITE(pair, identical="merged"))[1][5:] == ["delta", "1", "gamma", "2", "78"]
