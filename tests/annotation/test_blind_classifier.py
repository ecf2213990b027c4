"""A classifier is given all that an assessor's browser receives but the words, and asks: which system?

It sees tags, attributes, white space, punctuation, places and sizes of the page. What it cannot see is what people read.
Texts of all systems have the same words in another order, so that only their way of coming could tell them apart.
"""

from __future__ import annotations

import random
import re

import numpy as np
import pytest
from django.utils import timezone
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score

from annotation.models import Assignment
from annotation.selectors import exhibits
from annotation.services.studies import study_import, study_open
from annotation.study_files.schema import Materials, OutputRow, SystemRow
from tests.factories import assessor_client
from tests.studies import study_file

pytestmark = pytest.mark.django_db

SYSTEMS = ("alpha", "beta", "gamma")
DOCUMENTS = 30
WORDS = [f"word{letter}" for letter in "abcdefghijklmnopqrstuvwx"]
KINDS = {
    "one text": {"kind": "rating", "name": "quality", "preset": "summeval"},
    "a set": {"kind": "pairwise", "name": "better", "sets": {"pick": "all"}},
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


def pages(kind: dict) -> tuple[list[str], list[str]]:
    """What the browser gets for every piece, and the system behind it (of a set, the first one's)."""
    plain = study_file(kind, documents=DOCUMENTS, assessors=1)
    materials = Materials(
        documents=plain.materials.documents,
        outputs=outputs(),
        systems=tuple(SystemRow(id=system) for system in SYSTEMS),
    )
    study = study_import(study_file=study_file(kind, documents=DOCUMENTS, assessors=1, materials=materials))
    study_open(study=study)
    assessor = study.assessors.get()
    client = assessor_client(assessor)
    client.post(f"/work/{study.slug}/start/")
    Assignment.objects.update(shown_at=timezone.now())
    html, systems = [], []
    for assignment in assessor.assignments.select_related("subject__output__system").order_by("position"):
        page = client.get(f"/work/{study.slug}/item/{assignment.public_id}/")
        assert page.status_code == 200
        html.append(without_words(page.content.decode()))
        subject = assignment.subject
        texts = exhibits.outputs_of(subject)
        first = texts[assignment.places[0] if assignment.places else 0][0]
        systems.append(first.system.key)
    return html, systems


def without_words(html: str) -> str:
    """The page with every word of a text replaced by the same one, and white space made visible."""
    html = re.sub(r"(?i)word[a-x]\b", "w", html)
    return html.replace("\n", " ⏎ ").replace("  ", " ␣ ")


def accuracy(html: list[str], systems: list[str]) -> float:
    features = HashingVectorizer(token_pattern=r"\S+", ngram_range=(1, 2), n_features=2**16, lowercase=False)
    folds = StratifiedKFold(5, shuffle=True, random_state=1)
    model = LogisticRegression(C=100, max_iter=300)
    return float(np.mean(cross_val_score(model, features.transform(html), systems, cv=folds)))


@pytest.mark.parametrize("what", KINDS)
def test_nothing_but_the_words_tells_the_system(what):
    html, systems = pages(KINDS[what])
    assert len(html) >= 60
    # Chance is a third; with so many pages guessing reaches 0.55 once in ten thousand times.
    assert accuracy(html, systems) < 0.55


def test_the_classifier_would_have_noticed_the_layout(monkeypatch):
    """As it was: units each on a line, texts as they came."""
    monkeypatch.setattr(exhibits, "_laid_out", lambda text, lines: text)
    assert accuracy(*pages(KINDS["one text"])) > 0.6
