"""The tables that everything else works on: judgments, scores, texts and attributes, checked once, at the edge.

A checked table has text columns with "" for an empty cell and number columns with NaN; the rest of the package
relies on it. Practice never enters a result; control items never enter a score (they may take part in an assessor's
mean and deviation, see ``human.normalise``); every metric has a direction.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import pandas as pd

from metrics.choices import Adjudicated
from metrics.errors import BadInput
from metrics.tables import Columns, read_table, readable
from metrics.text_cells import first_of, items_and_texts

if TYPE_CHECKING:
    from metrics.human.kind import HumanKind

JUDGMENT_COLUMNS = (
    "study",
    "task",
    "kind",
    "assessor",
    "system",
    "document",
    "item",
    "unit",
    "criterion",
    "value",
    "label",
    "revision",
    "position",
    "practice",
    "control",
    "shown_at",
    "submitted_at",
    "seconds",
)
PLACE = "place"
"""Where an output stood in a set of several that were judged together, 1 = left or top; empty elsewhere."""
LONGEST = 10**9  # seconds, some thirty years: nobody judges for longer
RAW_SECONDS = "raw_seconds"
"""Seconds with the page open, idle or not; ``seconds`` are the active ones among them."""
EXCLUDED = "excluded"
"""Why the judgment is left out of results; empty: it counts."""
TEXT_VERSION = "text_version"
"""Of the instructions that the assessor had read; empty: there was only one."""
ADJUDICATION = "adjudication"
"""Where an adjudicator decided: ``decision`` in the rows of the decision, ``raw`` in those of the judgments it was about."""
OPTIONAL_COLUMNS = (PLACE, RAW_SECONDS, EXCLUDED, TEXT_VERSION, ADJUDICATION)
"""They follow ``JUDGMENT_COLUMNS``. A table need not have them; where it does, they are checked."""
PLAIN_COLUMNS = ("assessor", "system", "item", "criterion", "value")
"""What a plain table of ratings needs."""

SCORE_COLUMNS = ("metric", "system", "item", "score")
ATTRIBUTE_COLUMNS = ("scope", "id", "name", "value")
USES: tuple[str, ...] = get_args(Adjudicated)
CONTROLS = ("", "gold", "repeat", "degraded", "attention")

DECISION = ("study", "task", "assessor", "system", "item", "unit", "criterion")
"""What an assessor decides once; a second time it is a control item (``repeat``), or a revision at the same position."""

DUPLICATES = ("refuse", "each", "mean", "newest")
"""How several judgments of one person about one thing count: not at all, each, by their mean, or the newest."""

ASSIGNMENT = ("study", "task", "assessor", "system", "document", "item", "position", "practice", "control")
"""What one assessor was shown at one position: its newest revision counts. See :func:`assignments` on sets."""


def read_judgments(
    path: str | Path, *, duplicates: str = "refuse", count_repeats: bool = False, use: str | None = "raw"
) -> pd.DataFrame:
    """The long table of judgments from a CSV, JSON Lines or Parquet file, checked.

    ``duplicates`` says how several judgments of one person about one thing count (:data:`DUPLICATES`); with
    ``count_repeats`` what was shown again on purpose is one of them. ``use`` says whether decisions of adjudicators count
    (:func:`adjudicated`); with None the table stays whole, and its column says which is which.
    """
    if duplicates not in DUPLICATES:
        raise BadInput(f"expected duplicates among {', '.join(DUPLICATES)}, found {duplicates!r}")
    raw = _read(path, "judgments")
    judgments = check_judgments(raw, file=str(path))
    if count_repeats:
        judgments = with_repeats(judgments)
    if duplicates == "refuse":
        _refuse_second_judgments(judgments, rows=raw.index, file=str(path))
    settled = settle_duplicates(judgments, duplicates)
    return settled if use is None else adjudicated(settled, use)


def settle_duplicates(judgments: pd.DataFrame, duplicates: str) -> pd.DataFrame:
    """The judgments with what one person decided several times counted as ``duplicates`` says.

    ``each`` marks them as given in different sittings, so that each counts by itself; ``mean`` puts their mean in place of the
    first, and refuses what has none; ``newest`` keeps the last by time, place or row, as a whole.
    """
    if duplicates == "refuse":
        return judgments
    counted = ~judgments["practice"] & (judgments["control"] == "") & ~is_excluded(judgments)
    if duplicates == "each":
        sitting = _sittings(judgments[counted])
        return judgments.assign(sitting=sitting.reindex(judgments.index, fill_value=1).astype("int64"))
    # Revisions of one judgment are no duplicates: the newest of each is settled first.
    newest = _newest(judgments[counted])
    kept = _means(newest) if duplicates == "mean" else _last(newest)
    return pd.concat([kept, judgments[~counted]]).sort_index().reset_index(drop=True)


OUTPUT = list(DECISION[:5])
"""Who judged what; of it a judgment decides units and criteria."""


def _places(judgments: pd.DataFrame) -> pd.Series[str]:
    """Which of several judgments of one thing a row belongs to."""
    place = judgments["document"].fillna("") + "\0" + judgments["position"].astype("str").fillna("")
    # Without a position an item and what was shown again of it stand at one place.
    key = [*(judgments[name] for name in (*DECISION, "revision")), place]
    return place + "\0" + place.groupby(key, dropna=False, sort=False).cumcount().astype("str")


def _judged_again(rows: pd.DataFrame) -> list[list[dict[int, tuple[str, str]]]]:
    """The judgments of each output on which something was decided twice, the oldest first by time, place or row: rows and decisions."""
    order = rows.assign(place=_places(rows), row=range(len(rows)))
    order = order.sort_values(["submitted_at", "position", "row"], na_position="first")
    older = order.duplicated(list(DECISION), keep="last")
    again = order[older.groupby([order[name] for name in OUTPUT], dropna=False, sort=False).transform("any")]
    judged: dict[tuple[str, ...], dict[str, dict[int, tuple[str, str]]]] = {}
    for row, *who, place, unit, criterion in again[[*OUTPUT, "place", "unit", "criterion"]].itertuples():
        judged.setdefault(tuple(who), {}).setdefault(place, {})[row] = unit, criterion
    return [list(places.values()) for places in judged.values()]


def _sittings(rows: pd.DataFrame) -> pd.Series[int]:
    """The how-manieth judgment of the same each row is of; all that was marked in one belongs to it."""
    numbers: dict[int, int] = {}
    for judgments in _judged_again(rows):
        latest: dict[tuple[str, str], int] = {}
        for own in judgments:
            number = 1 + max(latest.get(decision, 0) for decision in own.values())
            latest |= dict.fromkeys(own.values(), number)
            numbers |= dict.fromkeys(own, number)
    return pd.Series([numbers.get(row, 1) for row in rows.index], index=rows.index, dtype="int64")


def _last(rows: pd.DataFrame) -> pd.DataFrame:
    """The newest judgment of each thing by time, place or row, as a whole: what an older one marked beside does not stay."""
    replaced: list[int] = []
    for judgments in _judged_again(rows):
        decided: set[tuple[str, str]] = set()
        for own in reversed(judgments):
            if not decided.isdisjoint(own.values()):
                replaced += own
            decided.update(own.values())  # what was replaced replaces what is older still
    return rows.drop(index=replaced)


def _means(rows: pd.DataFrame) -> pd.DataFrame:
    """Means in place of the first; BadInput where two judgments differ in what has no mean."""
    key = list(DECISION)
    again = rows.duplicated(key, keep=False)
    _refuse_without_mean(rows, again)
    value = rows.groupby(key, dropna=False, sort=False)["value"].transform("mean")
    return rows.assign(value=value)[~rows.duplicated(key)]


def _refuse_without_mean(rows: pd.DataFrame, again: pd.Series[bool]) -> None:
    """Answers such as found or not have no mean, nor has what was marked in one of two judgments only, or marked otherwise."""
    twice = rows[again]
    judged = twice.groupby(list(DECISION), dropna=False, sort=False)
    differ, otherwise = (judged[name].transform("nunique") > 1 for name in ("value", "label"))
    answers = twice["kind"].isin(_kinds_that(lambda kind: not kind.has_means))
    # An error that was major and then minor; notes, which have no value, may differ.
    marks = twice["kind"].isin(_kinds_that(lambda kind: kind.marked is not None)) & twice["value"].notna()
    bad = twice[(differ & answers) | (otherwise & marks)]
    beside = rows[~again].merge(twice[OUTPUT].drop_duplicates(), on=OUTPUT)
    # A criterion that was left open once is no mark: its unit is in both.
    places = twice.assign(place=_places(twice))[[*OUTPUT, "place"]].drop_duplicates()
    marked = beside.assign(place=_places(beside)).merge(places, on=[*OUTPUT, "place"])
    units = twice[[*OUTPUT, "unit"]].drop_duplicates()
    marked = marked.merge(units, on=[*OUTPUT, "unit"], how="left", indicator=True)
    bad = pd.concat([bad, marked[marked["_merge"] == "left_only"]])
    if len(bad):
        first = bad.iloc[0]
        raise BadInput(
            f"{first['assessor']} has judged {first['system']} on {first['item']} twice, and not alike: judgments of kind "
            f"{first['kind']} have no mean, expected --duplicates each or newest"
        )


def with_repeats(judgments: pd.DataFrame) -> pd.DataFrame:
    """What was shown again on purpose as a judgment like any other, as campaigns count it."""
    return judgments.assign(control=judgments["control"].where(judgments["control"] != "repeat", ""))


def check_judgments(frame: pd.DataFrame, *, file: str | None = None) -> pd.DataFrame:
    """The long table with every column typed, columns in the order of ``JUDGMENT_COLUMNS``, ``OPTIONAL_COLUMNS`` if there, any others."""
    if _is_plain(frame):
        Columns(frame, file=file).need(PLAIN_COLUMNS)
    columns = Columns(_with_defaults(frame), file=file)
    columns.need(JUDGMENT_COLUMNS)
    control = columns.text("control", among=CONTROLS)
    kind = columns.text("kind", needed=True)
    value = columns.number("value")
    # What somebody wrote (a summary, a question) is no judgment of a system's output: it has a label and no value.
    of_system = (control == "") & value.notna() & ~kind.isin(_kinds_that(lambda kind: not kind.needs_system))
    typed = pd.DataFrame(
        {
            "study": columns.text("study"),
            "task": columns.text("task", needed=True),
            "kind": kind,
            "assessor": columns.text("assessor", needed=True),
            "system": columns.text("system", needed=of_system),
            "document": columns.text("document"),
            "item": columns.text("item", needed=of_system),
            "unit": columns.text("unit"),
            "criterion": columns.text("criterion", needed=True),
            "value": value,
            "label": columns.text("label"),
            "revision": columns.number("revision", lowest=1, whole=True).astype("Int64"),
            "position": columns.number("position", whole=True).astype("Int64"),
            "practice": columns.truth("practice", default=False),
            "control": control,
            "shown_at": columns.moment("shown_at"),
            "submitted_at": columns.moment("submitted_at"),
            "seconds": columns.number("seconds", lowest=0, highest=LONGEST),
        }
    )
    if columns.has(PLACE):
        typed[PLACE] = columns.number(PLACE, lowest=1, whole=True).astype("Int64")
    if columns.has(RAW_SECONDS):
        typed[RAW_SECONDS] = columns.number(RAW_SECONDS, lowest=0, highest=LONGEST)
    if columns.has(EXCLUDED):
        typed[EXCLUDED] = columns.text(EXCLUDED)
    if columns.has(TEXT_VERSION):
        typed[TEXT_VERSION] = columns.number(TEXT_VERSION, lowest=1, whole=True).astype("Int64")
    if columns.has(ADJUDICATION):
        typed[ADJUDICATION] = columns.text(ADJUDICATION, among=("", "raw", "decision"))
    columns.unique([*ASSIGNMENT, "unit", "criterion", "revision"], typed)
    others = [name for name in columns.frame.columns if name not in (*JUDGMENT_COLUMNS, *OPTIONAL_COLUMNS)]
    return pd.concat([typed, columns.frame[others]], axis="columns")


def _kinds_that(holds: Callable[[HumanKind], bool]) -> list[str]:
    # A kind declares what its judgments are; kinds read tables, so that they cannot be imported before this.
    from metrics.human.registry import kinds_that  # noqa: PLC0415

    return kinds_that(holds)


def _is_plain(frame: pd.DataFrame) -> bool:
    return not {"task", "kind", "revision", "practice"} & set(frame.columns)


def _with_defaults(frame: pd.DataFrame) -> pd.DataFrame:
    """A plain table of ratings (assessor, system, item, criterion, value) with what else the long table has.

    Only a table that says nothing of a task, its kind or anything that came about in an application is taken for one: a long
    table that lacks a column has lost it.
    """
    if not _is_plain(frame):
        return frame
    kind = _kinds_that(lambda kind: kind.criterion_score is not None)[
        0
    ]  # its criteria are scores as they stand
    given: dict[str, Any] = {"task": "ratings", "kind": kind, "revision": 1, "practice": False}
    missing: dict[str, Any] = {
        name: given.get(name) for name in JUDGMENT_COLUMNS if name not in frame.columns
    }
    return frame.assign(**missing)


def _refuse_second_judgments(judgments: pd.DataFrame, *, rows: pd.Index, file: str) -> None:
    """Two answers of one person about one thing are neither averaged nor chosen from: the file must tell them apart.

    Practice, control items and what is excluded may come again, since they never enter a score.
    """
    counted = judgments[~judgments["practice"] & (judgments["control"] == "") & ~is_excluded(judgments)]
    places = counted[[*DECISION, "document", "position"]].drop_duplicates()
    again = places.index[places.duplicated(list(DECISION))]
    if again.empty:
        return
    decision = places.loc[again[0], list(DECISION)]
    first = places.index[(places[list(DECISION)] == decision).all(axis="columns")][0]
    what = ", ".join(f"{name} {cell}" for name, cell in decision.drop("assessor").items() if cell)
    raise BadInput(
        f"{decision['assessor']} has judged the same twice, here and in row {rows[first]} ({what}): "
        "expected one judgment, or control repeat where it was shown again on purpose; "
        "--duplicates each, mean or newest says how both count",
        file=file,
        row=int(rows[again[0]]),
    )


def one_row_per_text(judgments: pd.DataFrame) -> pd.DataFrame:
    """Rows of sets without those of further systems with the same text, which stood at the same place and were judged once."""
    if PLACE not in judgments.columns:
        return judgments
    key = ["study", "task", "assessor", "item", "unit", "criterion", "control", "position", PLACE]
    again = judgments[PLACE].notna() & judgments.duplicated(key)
    return judgments[~again]


def is_excluded(judgments: pd.DataFrame) -> pd.Series[bool]:
    """Which rows somebody has left out of results, with a reason."""
    if EXCLUDED not in judgments.columns:
        return pd.Series(False, index=judgments.index)
    return judgments[EXCLUDED].fillna("").astype(str) != ""


def adjudicated(judgments: pd.DataFrame, use: str) -> pd.DataFrame:
    """The judgments that results are made of: ``raw`` ones, ``adjudicated`` decisions alone, or ``both``.

    With ``both`` the decision takes the place of all raw judgments of its piece; pieces that nobody decided count as they were
    judged. The column is gone afterwards: what is left counts.
    """
    if use not in USES:
        raise BadInput(f"expected one of {', '.join(USES)}, found {use!r}")
    if ADJUDICATION not in judgments.columns:
        if use == "adjudicated":
            raise BadInput("nothing was adjudicated: expected decisions in the column adjudication")
        return judgments
    said = judgments[ADJUDICATION].fillna("").astype(str)
    chosen = {"raw": said != "decision", "adjudicated": said == "decision", "both": said != "raw"}[use]
    if use == "adjudicated" and not chosen.any():
        raise BadInput("nothing was adjudicated: expected decisions in the column adjudication")
    return judgments[chosen].drop(columns=ADJUDICATION).reset_index(drop=True)


def scored(judgments: pd.DataFrame, *, controls: bool = False) -> pd.DataFrame:
    """The judgments that count: newest revision, not excluded, no practice, no control items unless ``controls`` keeps them."""
    missing = [name for name in JUDGMENT_COLUMNS if name not in judgments.columns]
    if missing:
        raise BadInput("expected the long table of judgments", column=missing[0])
    judgments = adjudicated(judgments, "raw")  # unless somebody has chosen before
    counted = judgments[~judgments["practice"].astype(bool) & ~is_excluded(judgments)]
    if not controls:
        counted = counted[counted["control"] == ""]
    return _newest(counted).reset_index(drop=True)


def assignments(judgments: pd.DataFrame) -> pd.DataFrame:
    """What each row belongs to: the columns ``ASSIGNMENT``, equal for all rows of one judgment.

    The rows of a set, which have a place, are one judgment about several systems: theirs are left empty. Without a position
    nothing tells one set from another, and each output stands for itself.
    """
    key = judgments[list(ASSIGNMENT)]
    if PLACE not in judgments.columns:
        return key
    in_set = judgments[PLACE].notna() & judgments["position"].notna()
    return key.assign(system=key["system"].mask(in_set, ""))


def _newest(judgments: pd.DataFrame) -> pd.DataFrame:
    revision = judgments["revision"].fillna(1)
    if (revision == 1).all():
        return judgments
    # Without a position the assignments of one output cannot be told apart, and each row stands for itself.
    alone = judgments[["unit", "criterion"]].where(judgments["position"].isna(), "")
    key = [column for _, column in assignments(judgments).items()] + [alone["unit"], alone["criterion"]]
    return judgments[revision == revision.groupby(key, dropna=False, sort=False).transform("max")]


def read_scores(path: str | Path) -> pd.DataFrame:
    """A score table from a CSV, JSON Lines or Parquet file, checked."""
    return check_scores(_read(path, "scores"), file=str(path))


def check_scores(frame: pd.DataFrame, *, file: str | None = None) -> pd.DataFrame:
    """``metric, system, item, score, higher_is_better``; ``item`` is "" for a system-level score."""
    columns = Columns(frame, file=file)
    columns.need(("metric", "system", "score"))
    system_level = pd.Series("", index=columns.frame.index, dtype="str")
    typed = pd.DataFrame(
        {
            "metric": columns.text("metric", needed=True),
            "system": columns.text("system", needed=True),
            "item": columns.text("item") if columns.has("item") else system_level,
            "score": columns.number("score"),
            "higher_is_better": (
                columns.truth("higher_is_better", default=True) if columns.has("higher_is_better") else True
            ),
        }
    )
    if columns.has("document"):
        typed["document"] = columns.text("document")
    columns.unique(("metric", "system", "item"), typed)
    if columns.has("higher_is_better"):
        first = typed.groupby("metric")["higher_is_better"].transform("first")
        columns.refuse(
            typed["higher_is_better"] != first, "higher_is_better", "one direction for all scores of a metric"
        )
    return typed


def oriented(scores: pd.DataFrame) -> pd.DataFrame:
    """The score table with lower-is-better metrics negated, so that higher is better throughout."""
    if "higher_is_better" not in scores.columns:
        return scores
    higher = scores["higher_is_better"].astype(bool)
    # Taken from 0, so that no score becomes −0.
    return scores.assign(score=scores["score"].where(higher, 0.0 - scores["score"]), higher_is_better=True)


def score_matrix(scores: pd.DataFrame, metric: str) -> pd.DataFrame:
    """System × item, both sorted, NaN where a score is missing."""
    rows = _of_metric(scores, metric)
    rows = rows[_item_level(rows)]
    if rows.empty:
        raise BadInput(f"expected item scores of {metric}, found system scores only", column="item")
    if rows.duplicated(["system", "item"]).any():
        raise BadInput(f"expected one score of {metric} per system and item, found several")
    return rows.pivot_table(index="system", columns="item", values="score", aggfunc="first", dropna=False)


def system_scores(scores: pd.DataFrame, metric: str) -> pd.Series[float]:
    """One score per system, sorted: its system-level row where there is one, else the mean over its items."""
    rows = _of_metric(scores, metric)
    at_items = _item_level(rows)
    of_items = rows[at_items].groupby("system")["score"].mean()
    given = rows[~at_items].groupby("system")["score"].mean()
    return given.combine_first(of_items).sort_index().rename(metric).rename_axis("system")


def _item_level(rows: pd.DataFrame) -> pd.Series[bool]:
    return rows["item"].notna() & (rows["item"] != "")


def _of_metric(scores: pd.DataFrame, metric: str) -> pd.DataFrame:
    rows = scores[scores["metric"] == metric]
    if rows.empty:
        known = ", ".join(sorted(scores["metric"].astype(str).unique()))
        raise BadInput(f"expected a score of {metric}, found {known or 'none at all'}", column="metric")
    return rows


def _read(path: str | Path, what: str) -> pd.DataFrame:
    """Raw cells of a file with at least one row; what cannot be a table is said as a user would say it."""
    path = Path(path)
    if path.is_dir():
        raise BadInput(f"expected a file of {what}, found a folder", file=str(path))
    if not path.is_file():
        raise BadInput("no such file", file=str(path))
    if path.suffix == ".json":
        raise BadInput(
            f"expected {what} as CSV, JSON Lines (.jsonl) or Parquet (.parquet), found .json", file=str(path)
        )
    head = _head(path)
    if head == b"":
        raise BadInput(f"expected {what}, found an empty file", file=str(path))
    if b"\0" in head and path.suffix != ".parquet":
        raise BadInput(f"expected {what} as text in UTF-8, found a binary file", file=str(path))
    table = read_table(path)
    if not len(table):
        raise BadInput(f"expected {what}, found no row", file=str(path))
    return table


def _head(path: Path) -> bytes:
    """The first bytes of a file, which tell text from anything else."""
    with readable(path), path.open("rb") as stream:
        return stream.read(4096)


def read_attributes(path: str | Path) -> pd.DataFrame:
    """What scores need beside judgments: ``scope, id, name, value``, all text."""
    return check_attributes(read_table(path), file=str(path))


def check_attributes(frame: pd.DataFrame, *, file: str | None = None) -> pd.DataFrame:
    """``scope, id, name, value`` as text. Saying a thing twice is harmless (two tasks may), contradicting it is not."""
    columns = Columns(frame, file=file)
    columns.need(ATTRIBUTE_COLUMNS)
    typed = pd.DataFrame({name: columns.text(name, needed=name != "value") for name in ATTRIBUTE_COLUMNS})
    first = typed.groupby(["scope", "id", "name"], sort=False)["value"].transform("first")
    columns.refuse(typed["value"] != first, "value", "the same value as before for this attribute")
    return typed.drop_duplicates(ignore_index=True)


def read_texts_outputs(path: str | Path) -> pd.DataFrame:
    """``system, item, text, sentences`` of the outputs; ``sentences`` is a list, or None where only text is given."""
    columns = Columns(_read(path, "outputs"), file=str(path))
    columns.need(("system",))
    texts = pd.DataFrame({"system": columns.text("system", needed=True), **items_and_texts(columns)})
    columns.unique(("system", "item"), texts)
    return texts


def read_texts_references(path: str | Path) -> pd.DataFrame:
    """``item, reference, text, sentences``; a reference without a ``reference`` takes its ``id``, else its number."""
    columns = Columns(_read(path, "references"), file=str(path))
    texts = pd.DataFrame(items_and_texts(columns))
    number = (texts.groupby("item").cumcount() + 1).astype("str")
    name = first_of(columns, ("reference", "id"))
    texts.insert(1, "reference", name.where(name != "", number))
    if columns.has("status"):
        texts["status"] = columns.text("status").str.lower()
        columns.refuse(~texts["status"].isin(["", "vital", "okay"]), "status", "vital or okay")
    columns.unique(("item", "reference"), texts)
    return texts
