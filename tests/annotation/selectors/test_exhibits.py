"""What kinds and pages know of a subject: shared by threads, so nothing in it can be changed."""

from dataclasses import FrozenInstanceError, fields

import pytest

from annotation.models import Assignment
from annotation.selectors.exhibits import facts_of, facts_of_subject
from annotation.services.studies import study_open
from annotation.tasks.terms import Exhibit
from tests.studies import make_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def assignments():
    study = make_study()
    study_open(study=study)
    return list(Assignment.objects.filter(assessor__study=study).select_related("assessor__study"))


def test_what_is_kept_in_a_process_cannot_be_changed(assignments):
    facts = facts_of(assignments[0])
    assert facts_of(Assignment.objects.select_related("assessor__study").get(pk=assignments[0].pk)) is facts
    for part in (facts, facts.exhibit, facts.record, facts.exhibit.output):
        with pytest.raises(FrozenInstanceError):
            setattr(part, fields(part)[0].name, None)
    with pytest.raises(TypeError):
        facts.exhibit.shown["x"] = 1
    with pytest.raises(TypeError):
        facts.record.noted["x"] = 1


def test_what_stands_deeper_in_it_cannot_be_changed_either(assignments):
    subject = assignments[0].subject
    subject.shown = {"window": [2, 3], "texts": [{"title": "one"}]}
    subject.noted = {"kinds": ["a", "b"]}
    facts = facts_of_subject(subject)
    assert list(facts.exhibit.shown["window"]) == [2, 3]
    for part in (facts.exhibit.shown["window"], facts.exhibit.shown["texts"], facts.record.noted["kinds"]):
        assert not hasattr(part, "append")
    with pytest.raises(TypeError):
        facts.exhibit.shown["texts"][0]["title"] = "two"


def test_the_kept_facts_are_those_of_the_stored_subject(assignments):
    for assignment in assignments:
        kept, stored = facts_of(assignment), facts_of_subject(assignment.subject)
        assert (kept.exhibit, kept.record, kept.config) == (stored.exhibit, stored.record, stored.config)


def test_an_exhibit_has_no_field_for_what_only_the_export_knows(assignments):
    """A page is made of an exhibit alone; ids, systems and authors are not in it."""
    assert {field.name for field in fields(Exhibit)} == {
        "outputs", "reference", "document", "topic", "shown", "phase", "elapsed"
    }  # fmt: skip
    said = repr(facts_of(assignments[0]).exhibit)
    for hidden in ("qx31", "wv77", "anna", "r-d1"):
        assert hidden not in said
