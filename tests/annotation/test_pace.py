"""Assessors ask as often as they like, and a script gone wild does not."""

import pytest

from annotation.pace import Paces
from annotation.services.studies import study_open
from tests.factories import assessor_client
from tests.studies import make_study


def test_whoever_asks_too_often_is_told_to_wait_and_others_are_not():
    paces = Paces(burst=5, per_second=0.001)
    assert [paces.too_fast(1) for _ in range(7)] == [False] * 5 + [True] * 2
    assert not paces.too_fast(2)


@pytest.mark.django_db
def test_the_answer_says_when_to_go_on(monkeypatch):
    study = make_study()
    study_open(study=study)
    client = assessor_client(study.assessors.first())
    monkeypatch.setattr("annotation.views.guards._paces", Paces(burst=1, per_second=0.001))
    assert client.get(f"/work/{study.slug}/").status_code == 200
    told = client.get(f"/work/{study.slug}/")
    assert (told.status_code, told["Retry-After"]) == (429, "60")
    assert "too often" in told.json()["message"]
