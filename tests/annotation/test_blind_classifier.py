"""A classifier is given all that an assessor's browser receives but the words, and asks: which system?

It sees tags, attributes, white space, punctuation, places and sizes of the page, its headers and address, and in which turn it
comes. What it cannot see is what people read.
Texts of all systems have the same words in another order, so that only their way of coming could tell them apart.
"""

from __future__ import annotations

import random
import re
import uuid
from collections.abc import Iterable

import numpy as np
import pytest
from django.test import Client
from django.utils import timezone
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from annotation.designs import Design
from annotation.models import Adjudication, Assignment, Judgment, Study, Subject
from annotation.selectors import exhibits
from annotation.services.adjudication import adjudications_give, adjudicator_link, adjudicators_add
from annotation.services.studies import study_import, study_open
from annotation.study_files.schema import Materials, OutputRow, SystemRow
from tests.factories import assessor_client
from tests.studies import plausible, study_file

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

SYSTEMS = ("alpha", "beta", "gamma")
DOCUMENTS = 24
WORDS = [f"word{letter}" for letter in "abcdefghijklmnopqrstuvwx"]
ONE = {"kind": "rating", "name": "quality", "preset": "summeval"}
SET = {"kind": "pairwise", "name": "better", "sets": {"pick": "all"}}
Seen = tuple[str, str]
"""The turn in which a piece comes with the size of its page, and the page without its words."""
KINDS = {
    "one text": (ONE, "assessor"),
    "a set": (SET, "assessor"),
    "one text, decided": (ONE, "adjudicator"),
    "a set, decided": (SET, "adjudicator"),
}


def outputs() -> tuple[OutputRow, ...]:
    """Each system's texts come in a way of its own: as units, as text that flows, as text with a line for each sentence."""
    made = []
    for number in range(1, DOCUMENTS + 1):
        for system in SYSTEMS:
            words = random.Random(f"{system}{number}").sample(WORDS, len(WORDS))
            sentences = [" ".join(words[start : start + 6]).capitalize() + "." for start in range(0, 24, 6)]
            given = {
                "alpha": {"units": tuple(sentences)},
                "beta": {"text": " ".join(sentences)},
                "gamma": {"text": "\n".join(sentences) + "\n"},
            }[system]
            made.append(OutputRow(system=system, document=f"d{number}", **given))
    return tuple(made)


def opened(kind: dict, people: int) -> Study:
    materials = Materials(
        documents=study_file(kind, documents=DOCUMENTS).materials.documents,
        outputs=outputs(),
        systems=tuple(SystemRow(id=system) for system in SYSTEMS),
    )
    design = Design(assessors_per_item=people)
    file = study_file(kind, documents=DOCUMENTS, assessors=people, materials=materials, design=design)
    study = study_import(study_file=file)
    study_open(study=study)
    return study


def pages(kind: dict, who: str) -> tuple[list[Seen], list[str]]:
    """What the browser gets for every piece, in the order in which it comes, and the system behind it (of a set, the first one's)."""
    return decided_pages(opened(kind, 2)) if who == "adjudicator" else judged_pages(opened(kind, 1))


def judged_pages(study: Study) -> tuple[list[Seen], list[str]]:
    assessor = study.assessors.get()
    client = assessor_client(assessor)
    client.post(f"/work/{study.slug}/start/")
    Assignment.objects.update(shown_at=timezone.now())
    rows = assessor.assignments.select_related("subject__output__system").order_by("position")
    return received(client, rows, f"/work/{study.slug}/item")


def decided_pages(study: Study) -> tuple[list[Seen], list[str]]:
    """Two people have judged everything, always alike; the pieces are given as a list that is sorted by document and system."""
    now = timezone.now()
    rows = Assignment.objects.filter(assessor__study=study).select_related("assessor__study")
    kept: dict[int, dict] = {}
    for row in rows.order_by("subject", "pk"):
        answer = kept.setdefault(0, plausible(row)[0])
        Judgment.objects.create(
            assignment=row,
            client_key=uuid.uuid4(),
            revision=1,
            answer=answer,
            shown_at=now,
            submitted_at=now,
            seconds=1,
        )
    rows.update(state=Assignment.State.DONE)
    (dora,) = adjudicators_add(study=study, names=["Dora"])
    subjects = sorted(
        Subject.objects.filter(task__study=study),
        key=lambda subject: [
            (text.document.key, text.system.key) for text, *_ in exhibits.outputs_of(subject)
        ],
    )
    adjudications_give(study=study, subjects=subjects, adjudicator=dora)
    client = Client()
    client.get(f"/join/{adjudicator_link(adjudicator=dora)}/")
    return received(client, dora.adjudications.order_by("number"), f"/decide/{study.slug}/item")


def received(
    client: Client, rows: Iterable[Assignment | Adjudication], at: str
) -> tuple[list[Seen], list[str]]:
    seen, systems = [], []
    for turn, row in enumerate(rows):
        page = client.get(f"{at}/{row.public_id}/")
        assert page.status_code == 200
        head = " ".join(f"{name}:{value}" for name, value in page.headers.items())
        turn_and_size = f"turn:{turn % len(SYSTEMS)} size:{len(page.content) // 8}"
        seen.append(
            (turn_and_size, f"{page.request['PATH_INFO']} {head} {without_words(page.content.decode())}")
        )
        texts = exhibits.outputs_of(row.subject)
        systems.append(texts[row.places[0] if row.places else 0][0].system.key)
    return seen, systems


def without_words(html: str) -> str:
    """The page with every word of a text replaced by the same one, and white space made visible."""
    html = re.sub(r"(?i)word[a-x]\b", "w", html)
    return html.replace("\n", " ⏎ ").replace("  ", " ␣ ")


def accuracy(seen: list[Seen], systems: list[str]) -> float:
    """Of two classifiers the better one: one word among thousands of a page would hardly count beside them."""
    return max(_accuracy(list(alike), systems) for alike in zip(*seen, strict=True))


def _accuracy(html: list[str], systems: list[str]) -> float:
    # What stands on less than three pages (ids, tokens against forgery) can tell nothing; all else counts by how much it varies.
    features = CountVectorizer(token_pattern=r"\S+", ngram_range=(1, 2), min_df=3, lowercase=False)
    folds = StratifiedKFold(5, shuffle=True, random_state=1)
    model = make_pipeline(StandardScaler(with_mean=False), LogisticRegression(C=0.1, max_iter=300))
    return float(np.mean(cross_val_score(model, features.fit_transform(html), systems, cv=folds)))


@pytest.mark.parametrize("what", KINDS)
def test_nothing_but_the_words_tells_the_system(what):
    seen, systems = pages(*KINDS[what])
    assert len(seen) >= 60
    # Chance is a third; with so many pages guessing reaches 0.55 once in ten thousand times.
    assert accuracy(seen, systems) < 0.55


def test_the_classifier_would_have_noticed_the_layout(monkeypatch):
    """As it was: units each on a line, texts as they came."""
    monkeypatch.setattr(exhibits, "_laid_out", lambda text, lines: text)
    assert accuracy(*pages(*KINDS["one text"])) > 0.8


def test_the_classifier_would_have_noticed_the_order(monkeypatch):
    """As it was: an adjudicator got the pieces as they stand in a list."""
    monkeypatch.setattr(random.Random, "shuffle", lambda *_: None)
    assert accuracy(*pages(*KINDS["one text, decided"])) > 0.8
