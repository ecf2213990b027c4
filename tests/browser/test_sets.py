"""Sets of outputs in a browser, by a kind made for tests: everybody sees their own order, and the answer goes with the place.

What was judged there goes out and comes in again as it was.
"""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from annotation.export import judgment_rows
from annotation.models import Assessor, Judgment
from annotation.services.studies import study_import, study_open
from tests.annotation.test_sets_study import (
    favourite,  # noqa: F401 - a fixture that every test here uses
    imported_again,
    sets_file,
)
from tests.browser.conftest import place, ready

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize("size", [2, 3, 5])
def test_a_set_is_judged_by_its_places(come_in, size):
    study = study_import(study_file=sets_file(size, documents=1))
    study_open(study=study)
    for assessor in Assessor.objects.filter(study=study).select_related("study"):
        page = come_in(assessor)
        texts = page.locator(".favourite .reading").all_inner_texts()
        assert len(set(texts)) == size
        page.keyboard.press(str(size))
        first = place(page)
        page.keyboard.press("Enter")
        page.wait_for_function(
            "(first) => document.getElementById('item').dataset.place !== first", arg=first
        )
        ready(page)
        expect(page.locator(".favourite h2")).to_have_count(size)
        judgment = Judgment.objects.get(assignment__assessor=assessor)
        assert judgment.answer["best"] == size - 1
        rows = [row for row in judgment_rows(study) if row["assessor"] == assessor.pseudonym]
        (best,) = [row for row in rows if row["value"]]
        assert best["place"] == size
        output = study.outputs.get(system__key=best["system"])
        assert output.text.strip() == texts[size - 1].strip(), (
            "the row names the system whose text stood there"
        )
    imported_again(study, sets_file(size, documents=1))
