"""One call scores a collection: same numbers on any executor, lost workers survived, missing texts
defined."""

import multiprocessing
import os
import signal
import sys
import warnings
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest

from metrics.automatic import executors, registry
from metrics.automatic.run import CHUNK, score
from metrics.automatic.work import Chunk
from metrics.errors import BadInput, UndefinedScoreWarning

METRICS = ["rouge-[2w]*-stem-f", "rouge-l-stop-r"]


def collection(items=90, systems=("a", "b", "c"), references=2, seed=3):
    """Texts over a small vocabulary, systems and items mixed."""
    rng = np.random.default_rng(seed)
    words = np.array(
        ["harbour", "storms", "delayed", "ferry", "crossing", "the", "again", "near", "old", "pier"]
    )

    def text():
        return "Harbour " + " ".join(rng.choice(words, size=rng.integers(3, 25)))

    outputs = [{"system": s, "item": f"i{n}", "text": text()} for n in range(items) for s in systems]
    referees = [
        {"item": f"i{n}", "reference": str(r), "text": text()}
        for n in range(items)
        for r in range(references)
    ]
    return pd.DataFrame(outputs).sample(frac=1, random_state=seed), pd.DataFrame(referees)


@pytest.fixture(scope="module")
def texts():
    return collection()


@pytest.fixture(scope="module")
def here(texts):
    """The scores when this process does all the work."""
    return score(*texts, metrics=METRICS, processes=1).table()


def test_the_default_is_a_pool_of_processes_with_the_same_numbers(texts, here):
    pd.testing.assert_frame_equal(score(*texts, metrics=METRICS, processes=2).table(), here)


def test_any_executor_gives_the_same_numbers(texts, here):
    with ThreadPoolExecutor(3) as pool:
        pd.testing.assert_frame_equal(score(*texts, metrics=METRICS, executor=pool).table(), here)
        assert pool.submit(str, 1).result() == "1", "the caller's executor is left open"


def test_threads_leave_the_filters_of_warnings_as_they_were(texts):
    before = list(warnings.filters)
    with ThreadPoolExecutor(4) as pool:
        score(*texts, metrics=["rouge-1-f"], executor=pool)
    assert warnings.filters == before


def test_the_cut_into_chunks_does_not_change_the_numbers(texts, here, monkeypatch):
    monkeypatch.setattr("metrics.automatic.run.CHUNK", 7)
    pd.testing.assert_frame_equal(score(*texts, metrics=METRICS, processes=1).table(), here)


def test_a_killed_process_of_the_pool_is_replaced(texts, here):
    told, others = [], set(multiprocessing.active_children())

    def kill_one(done, total):
        if not told:
            next(child for child in multiprocessing.active_children() if child not in others).kill()
        told.append((done, total))

    again = score(*texts, metrics=METRICS, processes=2, progress=kill_one).table()
    pd.testing.assert_frame_equal(again, here)
    assert told[-1] == (len(texts[0]), len(texts[0]))


def test_an_executor_that_stays_broken_is_given_up():
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("forkserver")) as pool:
        pool.submit(os._exit, 1).exception()
        with pytest.raises(executors.WorkersLostError, match="3 times"):
            score(*collection(5), metrics=METRICS, executor=pool)


@pytest.fixture(scope="module")
def dask():
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        yield client


@pytest.mark.slow
def test_a_dask_cluster_gives_the_same_numbers(texts, here, dask):
    assert len(set(dask.run(os.getpid).values())) == 2
    again = score(*texts, metrics=METRICS, executor=dask.get_executor()).table()
    pd.testing.assert_frame_equal(again, here)


@pytest.mark.slow
def test_a_dask_cluster_runs_metrics_on_parses_without_a_parser_of_its_own(dask):
    names = ["bewte", "hwcm-4", "dtkm", "tvm-8", "queen-rouge-1-f+bewte", "pourpre"]
    few = collection(items=12, references=3)
    alone = score(*few, metrics=names, processes=1)
    again = score(*few, metrics=names, executor=dask.get_executor())
    pd.testing.assert_frame_equal(again.table(), alone.table())
    assert again.signatures() == alone.signatures()
    assert not any(dask.run(lambda: "spacy" in sys.modules).values())


@pytest.mark.slow
def test_a_dask_worker_killed_midway_is_survived(texts, here, dask):
    killed = []

    def kill_one(done, total):
        if not killed and done < total:
            killed.append(next(iter(dask.run(os.getpid).values())))
            os.kill(killed[0], signal.SIGKILL)

    again = score(*texts, metrics=METRICS, executor=dask.get_executor(), progress=kill_one).table()
    assert killed
    pd.testing.assert_frame_equal(again, here)


def test_a_fault_of_a_metric_is_raised_as_it_is():
    chunk = Chunk(("no-such-metric",), ((("a",),),), ({},), ((0, ("a",)),))
    with pytest.raises(BadInput, match="no-such-metric"):
        executors.work_all([chunk], processes=1)


def test_progress_counts_outputs_up_to_all(texts):
    told = []
    score(*texts, metrics=["rouge-1-f"], processes=1, progress=lambda *now: told.append(now))
    assert [total for _, total in told] == [270] * len(told)
    assert [done for done, _ in told] == [*range(CHUNK, 270, CHUNK), 270]


def test_outputs_keep_their_order(texts, here):
    first = here[here["metric"] == "rouge-2-stem-f"]
    assert first["system"].tolist() == texts[0]["system"].tolist()
    assert first["item"].tolist() == texts[0]["item"].tolist()


def test_system_scores_are_means_and_medians_of_items(texts):
    scores = score(*texts, metrics=["rouge-2-f"], processes=1)
    items = scores.table().groupby("system")["score"]
    systems = scores.table("system").pivot_table(index="system", columns="metric", values="score")
    pd.testing.assert_series_equal(systems["rouge-2-f-mean"], items.mean(), check_names=False)
    pd.testing.assert_series_equal(systems["rouge-2-f-median"], items.median(), check_names=False)


def test_system_scores_of_corpus_metrics_come_from_summed_rows(texts):
    name = next(
        (n for n, m in registry.metrics().items() if m.aggregates == ("corpus",) and not m.slow), None
    )
    if name is None:
        pytest.skip("no corpus-level metric in the registry")
    scores = score(*texts, metrics=[name], processes=1)
    metric = registry.metric(name)
    summed = scores.rows[name][(scores.outputs["system"] == "b").to_numpy()].sum(axis=0, keepdims=True)
    expected = registry.families()[metric.family].score(metric, summed)[0]
    table = scores.table("system").set_index("system")["score"]
    assert table["b"] == pytest.approx(expected)
    assert table["a"] != table["b"]


def frames(outputs, references):
    return (
        pd.DataFrame(outputs, columns=["system", "item", "text"]),
        pd.DataFrame(references, columns=["item", "reference", "text"]),
    )


def test_an_item_without_references_is_nan_and_said_and_left_out_of_the_system_score():
    texts = frames(
        [("s", "1", "a cat sat"), ("s", "2", "a dog ran")],
        [("1", "x", "a cat"), ("3", "x", "unused")],
    )
    with pytest.warns(UndefinedScoreWarning, match=r"1 of 2 outputs have no reference.*system s, item 2"):
        scores = score(*texts, metrics=["rouge-1-r"], processes=1)
    with pytest.warns(UndefinedScoreWarning, match="1 of 2 scores are undefined"):
        assert np.isnan(scores.table()["score"]).tolist() == [False, True]
    assert scores.table("system")["score"].tolist() == [1.0, 1.0]
    assert "|n:1|" in scores.signatures()["rouge-1-r"]


def test_an_empty_output_is_scored_and_said():
    texts = frames([("s", "1", " ")], [("1", "x", "a cat")])
    with pytest.warns(UndefinedScoreWarning) as caught:
        assert score(*texts, metrics=["rouge-1-r"], processes=1).items("rouge-1-r") == [0]
    assert any("an empty text" in str(warning.message) for warning in caught)


def test_no_outputs_give_an_empty_table():
    texts = frames([], [("1", "x", "a cat")])
    table = score(*texts, metrics=["rouge-1-r"]).table()
    assert list(table.columns) == ["metric", "system", "item", "score"]
    assert table.empty


def test_sentences_are_taken_as_given_and_a_plain_text_is_one():
    outputs, references = frames(
        [("s", "1", "w1 w2 w6 w7 w8 w1 w3 w8 w9 w5")], [("1", "x", "w1 w2 w3 w4 w5")]
    )
    cut = outputs.assign(sentences=[["w1 w2 w6 w7 w8", "w1 w3 w8 w9 w5"]])
    # Lin (2004) §3.2: the union LCS with two sentences hits w1 w2 w3 w5.
    assert score(cut, references, metrics=["rouge-l-r"]).items("rouge-l-r") == [0.8]
    assert score(outputs, references, metrics=["rouge-l-p"]).items("rouge-l-p") == [0.4]


def test_the_signature_says_what_was_used(texts):
    scores = score(*texts, metrics=["rouge-su4-stem-stop-f"], processes=1)
    assert scores.signatures("system")["rouge-su4-stem-stop-f-median"].startswith(
        "rouge-su4-stem-stop-f|rouge:su4|stem:wordnet2.0-exceptions+porter|stop:rouge1.5.5|measure:f|alpha:0.5|"
        "multi-reference:sum|jackknife:no|references:2|level:system|aggregation:median|n:90|"
    )
