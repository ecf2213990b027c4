"""SummEval (Fabbri et al. 2021): summaries of news by neural systems, each rated by 3 experts and 5 crowd workers.

The release is JSON Lines, one summary a line: ``id, model_id, filepath, decoded, references [11], expert_annotations
[3], turker_annotations [5]``, and ``text`` once it has been paired with the articles. Also read: the texts as one JSON
object by document (``src, ref_summs, sys_summs``) and the ratings as CSV (``system, doc, group, rater`` and the four
criteria). A rater's number is a slot, not a person: which expert came first differs from summary to summary, so nothing
that compares a rater with themself (z scores, intra-assessor agreement) means anything here.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from metrics.errors import BadInput
from metrics.formats.base import Format, json_lines, ratings_table
from metrics.formats.study import Study, System, Task
from metrics.formats.summeval_files import ANNOTATIONS, CRITERIA, CROWD, EXPERT, Release, load
from metrics.frames import scored

GROUPS = {EXPERT: (EXPERT,), CROWD: (CROWD,), "all": (EXPERT, CROWD)}
SLUG = "summeval"

NAMES = {
    "M0": "Lead-3",
    "M1": "NEUSUM",
    "M2": "BanditSum",
    "M3": "LATENT",
    "M4": "REFRESH",
    "M5": "RNES",
    "M6": "JECS",
    "M7": "STRASS",
    "M8": "Pointer Generator",
    "M9": "Fast-abs-rl",
    "M10": "Bottom-Up",
    "M11": "Improve-abs",
    "M12": "Unified-ext-abs",
    "M13": "ROUGESal",
    "M14": "Multi-task (Ent + QG)",
    "M15": "Closed book decoder",
    "M16": "SENECA",
    "M17": "T5",
    "M18": "NeuralTD",
    "M19": "BertSum-abs",
    "M20": "GPT-2 (zero-shot)",
    "M21": "UniLM",
    "M22": "BART",
    "M23": "Pegasus",
}
"""The systems as the paper calls them; M0 to M7 extract sentences."""

INSTRUCTIONS = """Ratings of SummEval (Fabbri et al. 2021), made elsewhere and imported.

The numbers of raters are slots, not persons: the same number need not be the same person on another summary.
"""


def read_judgments(paths: Sequence[Path], *, group: str = EXPERT) -> pd.DataFrame:
    """The long table: a task per group, an assessor per slot."""
    groups = _groups(group)
    return _judgments(load(paths), groups)


def read_outputs(paths: Sequence[Path]) -> pd.DataFrame:
    """``system, item, text`` of every summary."""
    outputs = load(paths).outputs
    if outputs is None:
        raise BadInput("expected texts: the release (.jsonl) or the texts by document (.json)")
    return outputs


def read_references(paths: Sequence[Path]) -> pd.DataFrame:
    """``item, reference, text``: eleven of each document."""
    references = load(paths).references
    if references is None:
        raise BadInput("expected texts: the release (.jsonl) or the texts by document (.json)")
    return references


def read_study(paths: Sequence[Path], *, group: str = EXPERT) -> Study:
    """A finished study: the systems that were rated, their texts, sources, references, and the ratings."""
    groups = _groups(group)
    release = load(paths)
    documents, references, outputs = release.documents, release.references, release.outputs
    if documents is None or references is None or outputs is None:
        raise BadInput("expected texts with their sources: pair the release with the articles first")
    judgments = _judgments(release, groups)
    rated = judgments[["system", "item"]].drop_duplicates()
    kept = outputs[outputs["system"].isin(set(rated["system"])) & outputs["item"].isin(set(rated["item"]))]
    silent = rated.merge(kept, how="left").query("text.isna()")
    if not silent.empty:
        system, item = silent.iloc[0][["system", "item"]]
        raise BadInput(f"expected a text for every rating, found none of {system} on {item}")
    items = set(kept["item"])
    return Study(
        name="SummEval",
        slug=SLUG,
        instructions=INSTRUCTIONS,
        documents=documents[documents["id"].isin(items)],
        references=references[references["item"].isin(items)],
        outputs=kept,
        systems=tuple(_system(name) for name in dict.fromkeys(kept["system"])),
        tasks=tuple(
            Task(name, SLUG, tuple(dict.fromkeys(judgments.loc[judgments["task"] == name, "assessor"])))
            for name in groups
        ),
        judgments=judgments,
    )


def _groups(group: str) -> tuple[str, ...]:
    if group not in GROUPS:
        raise BadInput(f"expected --group {', '.join(GROUPS)}, found {group!r}")
    return GROUPS[group]


def _system(model: str) -> System:
    return System(model, NAMES.get(model, model), "baseline" if model == "M0" else "system")


def _judgments(release: Release, groups: tuple[str, ...]) -> pd.DataFrame:
    if release.ratings is None:
        raise BadInput("expected ratings: the release (.jsonl) or a table of them (.csv)")
    rows = release.ratings[release.ratings["group"].isin(groups)]
    if rows.empty:
        raise BadInput(f"expected ratings of {' and '.join(groups)}, found none")
    assessor = rows["group"] + "-" + (rows["rater"] + 1).astype("str")
    rows = rows.assign(assessor=assessor, position=rows.groupby(assessor, sort=False).cumcount() + 1)
    keys = ["group", "assessor", "system", "item", "position"]
    long = rows.melt(keys, list(CRITERIA), "criterion", "value", ignore_index=False).sort_index(kind="stable")
    long = long.rename(columns={"group": "task"}).assign(study=SLUG, document=long["item"])
    return ratings_table(long.reset_index(drop=True))


def write_study(study: Study) -> str:
    """The release: a line per output; the task ``crowd`` is the crowd's, any other rating task the experts'."""
    sources = dict(zip(study.documents["id"], study.documents["text"], strict=True))
    references = study.references.groupby("item", sort=False)["text"].agg(list).to_dict()
    annotations = _by_output(study.judgments)
    lines = []
    for system, item, text in study.outputs[["system", "item", "text"]].itertuples(index=False):
        if item not in sources:
            raise BadInput(f"expected a source for {item}, found none")
        given = {key: annotations.get((group, system, item), []) for group, key in ANNOTATIONS.items()}
        head = {"id": item, "model_id": system, "decoded": text, "references": references.get(item, [])}
        lines.append({**head, **given, "text": sources[item]})
    return json_lines(lines)


def _by_output(judgments: pd.DataFrame) -> dict[tuple[str, str, str], list[dict[str, float]]]:
    """The annotations of each output by group, assessors in the order in which they come in the table."""
    rows = scored(judgments)
    rows = rows[(rows["kind"] == "rating") & rows["value"].notna()]
    rows = rows.assign(group=rows["task"].eq(CROWD).map({True: CROWD, False: EXPERT}))
    if rows.empty:
        raise BadInput("expected ratings, found none")
    order = {name: n for n, name in enumerate(dict.fromkeys(rows["assessor"]))}
    rows = rows.assign(order=rows["assessor"].map(order)).sort_values("order", kind="stable")
    found: dict[tuple[str, str, str], dict[int, dict[str, float]]] = {}
    for group, system, item, assessor, name, value in rows[
        ["group", "system", "item", "order", "criterion", "value"]
    ].itertuples(index=False):
        answers = found.setdefault((group, system, item), {}).setdefault(assessor, {})
        if name in answers:
            raise BadInput(f"expected one {name} of {system} on {item} from each assessor, found two")
        answers[name] = int(value) if float(value).is_integer() else float(value)
    return {key: list(answers.values()) for key, answers in found.items()}


FORMAT = Format(
    "SummEval: the release (JSON Lines), or texts (JSON) and ratings (CSV)",
    reads={
        "judgments": read_judgments,
        "outputs": read_outputs,
        "references": read_references,
        "study": read_study,
    },
    writes={"study": write_study},
)
