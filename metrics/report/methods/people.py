"""What was judged by whom, how values became scores, and how far assessors agree."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from metrics.human.registry import coefficients
from metrics.human.registry import kinds as known_kinds
from metrics.meta.agreement import FEW_ITEMS
from metrics.report.assessors import POOLED, pooling_kinds
from metrics.report.book import records
from metrics.report.decided import decided_sentences
from metrics.report.numbers import counted, listed, percent, whole

NORMALISATIONS = {
    "z": "brought to mean 0 and standard deviation 1",
    "mean": "brought to mean 0",
    "rank": "replaced by their ranks among the assessor's own, as shares",
}
COEFFICIENTS = {
    "percent": "the share of agreeing pairs of judgments",
    "alpha-ordinal": "Krippendorff's α with ordinal distances",
    "alpha-interval": "Krippendorff's α with interval distances",
    "alignment-f1": "the F1 of the pairs of units that two assessors marked",
    "intra-percent": "the share of repeated judgments that equal the assessor's first",
}


def study(data: dict[str, Any]) -> Iterator[str]:
    counts = data["counts"]
    if not counts["judgments"]:
        yield "No judgment counts."
    else:
        yield (
            f"{counted(counts['assessors'], 'assessor')} judged outputs of {counted(counts['systems'], 'system')} on "
            f"{counted(counts['items'], 'item')} in {counted(counts['tasks'], 'task')}; "
            f"{counted(counts['judgments'], 'value')} {'counts' if counts['judgments'] == 1 else 'count'}."
        )
    yield from _pages(data["pages"])
    yield from decided_sentences(data.get("adjudication", {}))
    left = [row for row in data["left_out"] if row["what"] == "values"]
    if left:
        yield (
            "Not counted: "
            + ", ".join(f"{counted(row['count'], 'value')} ({row['why']})" for row in left)
            + "."
        )


LANGUAGES = {"ar": "Arabic", "de": "German", "es": "Spanish", "fr": "French", "zh": "Chinese"}
AIDS = {
    "shared_words": "words shared with the current unit were highlighted",
    "scroll_together": "texts side by side scrolled together",
    "highlighter": "assessors had a highlighter of their own",
}


def _pages(pages: dict[str, str]) -> Iterator[str]:
    """What assessors saw that may matter: the language of the pages, and aids to reading."""
    if pages["interface"]:
        yield f"The assessors' pages were in {LANGUAGES.get(pages['interface'], pages['interface'])}."
    if pages["aids"]:
        aids = [AIDS.get(name, name) for name in pages["aids"].split()]
        yield f"Reading aids were on: {listed(aids, most=len(aids))}."


def scores(data: dict[str, Any]) -> Iterator[str]:
    people = data["human"]
    if not people:
        return
    definitions = {section["score"]: section["definition"] for section in people}
    meanings = [f"{name} is {definition}" for name, definition in definitions.items() if definition]
    plain = [name for name, definition in definitions.items() if not definition]
    if plain:
        meanings.insert(0, f"{listed(plain, most=len(plain))}: values as the assessors gave them")
    yield f"Human scores: {'; '.join(meanings)}."
    yield from _normalisation(data)
    kinds = dict.fromkeys(section["kind"] for section in people)
    declared = (known_kinds().get(kind) for kind in kinds)
    first = [f"{kind.first_over} (kind {kind.slug})" for kind in declared if kind and kind.first_over]
    if first:
        yield f"For each assessor, values are first averaged {listed(first)}."
    people = [section for section in people if section["comparison"]["method"] != "bootstrap-items"]
    if not people:
        return
    if any(section["assessors"] > 1 for section in people):
        yield "The score of an output is the mean over the assessors who judged it, and a system's score the mean over its items."
    else:
        yield "A system's score is the mean over its items."


def _normalisation(data: dict[str, Any]) -> Iterator[str]:
    how = NORMALISATIONS.get(data["options"]["normalise"])
    without = [row["human"] for row in data["missing"] if row["section"] == "normalisation"]
    if how is None or len(without) == len(data["human"]):
        yield "Values were not normalised per assessor."
        return
    but = f"; not so for {listed(without, most=len(without))}, where it has no meaning" if without else ""
    yield f"Before averaging, the values of every assessor on a criterion of a task were {how}{but}."


def agreement(data: dict[str, Any]) -> Iterator[str]:
    if data["agreement"] is None:
        return
    rows = [row for row in records(data["agreement"]) if row["value"] is not None]
    found = {row["coefficient"] for row in rows}
    declared = {name: one.definition for name, one in coefficients().items()}
    names = [text for name, text in (COEFFICIENTS | declared).items() if name in found]
    yield f"Agreement between assessors is given as {listed(names)}, by task and criterion."
    if any(row["criterion"] == POOLED for row in rows):
        yield (
            f"Where all criteria of a {' or '.join(pooling_kinds())} task have the same lowest and highest value, they are also taken "
            "together: a judgment is only compared with judgments on the same criterion, and disagreement by chance is that within "
            "a criterion."
        )
    known = [row for row in rows if row["low"] is not None]
    if known:
        options = data["options"]
        drawn = f"percentiles of {whole(options['n_resamples'])} resamples of the items"
        left_out = (
            "by the jackknife over items, with t on the scale of log(1 − coefficient), the error of n items multiplied by "
            "√(n / (n − 2)) because it is too small of few, and no lower than −1 (shares: 0)"
        )
        few = [row["items"] < FEW_ITEMS for row in known]
        how = f"{drawn}, below {FEW_ITEMS} items {left_out}" if any(few) else drawn
        yield f"Intervals ({percent(options['confidence_level'])}) are {left_out if all(few) else how}."


def assessors(data: dict[str, Any]) -> Iterator[str]:
    section = data["assessors"]
    if not section["distributions"]["rows"]:
        return
    how = section["normalise"]
    unused = "" if data["options"]["normalise"] != "none" else ", which enters no score"
    yield (
        "The distribution of each assessor's values is shown as given and after normalisation "
        f"({how}: values {NORMALISATIONS[how]}{unused})."
    )
    if any(row["compared"] for row in records(section["assessors"])):
        yield (
            "An assessor's bias is the mean difference from the mean of the others who judged the same; the correlation with "
            "that mean is Pearson's r."
        )
