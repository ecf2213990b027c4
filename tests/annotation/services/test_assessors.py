"""Assessors and their pseudonyms: a pseudonym means one person, here and in every copy of the study."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.errors import Refused
from annotation.models import Assessor, Assignment, Subject
from annotation.selectors.files import study_as_file
from annotation.services.assessors import assessor_create, assessor_remove, pseudonyms
from annotation.services.dealing import phase_open
from annotation.services.studies import study_import, study_open
from annotation.study_files.schema import AssessorRow
from tests.annotation.services.test_handing_on import finish
from tests.studies import SEE, make_study, study_file

CROSS = {"kind": "cross_comprehension", "name": "crossing", "questions_min": 1}
WORDS = st.sampled_from(["", "A01", "A02", "A03", "A10", "ida", "jo"])


@given(
    people=st.lists(st.tuples(WORDS.filter(bool), WORDS), unique_by=lambda row: row[0], max_size=6),
    others=st.sets(WORDS),
)
@settings(max_examples=200, deadline=None)
def test_a_pseudonym_means_nobody_else(people, others):
    given_names = pseudonyms(people, others)
    assert len(set(given_names)) == len(people)
    for pseudonym, (name, _) in zip(given_names, people, strict=True):
        assert pseudonym not in others
        assert pseudonym not in {author for _, author in people}
        assert pseudonym not in {other for other, _ in people} - {name}


def named(study):
    return list(study.assessors.order_by("pk").values_list("name", "pseudonym"))


@pytest.mark.django_db
def test_an_author_who_is_called_like_a_pseudonym_is_not_taken_for_somebody_else():
    people = (AssessorRow(name="p1"), AssessorRow(name="p2", author="A01"), AssessorRow(name="p3"))
    study = study_import(study_file=replace(study_file(CROSS, documents=1, systems=()), assessors=people))
    assert named(study) == [("p1", "A02"), ("p2", "A03"), ("p3", "A04")]
    study_open(study=study)
    finish(study, "p1", "p2", "p3")
    phase_open(task=study.tasks.get())
    authors = {
        row["summary_author"]
        for row in Subject.objects.filter(phase="judging").values_list("noted", flat=True)
    }
    assert authors == {"A02", "A01", "A04"}


@pytest.mark.django_db
def test_an_output_by_somebody_called_like_a_pseudonym_can_be_judged_by_all():
    made = study_file(SEE, assessors=1)
    outputs = tuple(row.model_copy(update={"author": "A01"}) for row in made.materials.outputs)
    study = study_import(study_file=replace(made, materials=replace(made.materials, outputs=outputs)))
    study_open(study=study)
    assert Assignment.objects.filter(assessor__name="p1").count() == len(outputs)


@pytest.mark.django_db
def test_pseudonyms_follow_the_order_of_people_so_that_the_study_file_gives_them_again():
    study = make_study(SEE, assessors=3)
    assessor_remove(assessor=study.assessors.get(name="p1"))
    assessor_create(study=study, name="late")
    assert named(study) == [("p2", "A01"), ("p3", "A02"), ("late", "A03")]
    study_open(study=study)
    assessor_create(study=study, name="later", author="A07")
    again = study_import(study_file=replace(study_as_file(study), slug="again"))
    assert named(again) == named(study) == [("p2", "A01"), ("p3", "A02"), ("late", "A03"), ("later", "A04")]


@pytest.mark.django_db
@pytest.mark.parametrize("fields", [{"name": "A01"}, {"name": "new", "author": "A01"}])
def test_nobody_joins_an_open_study_under_the_pseudonym_of_another(fields):
    study = make_study(SEE, assessors=2)
    study_open(study=study)
    with pytest.raises(Refused, match="what exports call another assessor"):
        assessor_create(study=study, **fields)
    assert Assessor.objects.count() == 2


@pytest.mark.django_db
def test_whoever_is_named_like_a_pseudonym_has_it():
    study = make_study(SEE, assessors=1)
    assessor_create(study=study, name="A01")
    assert named(study) == [("p1", "A02"), ("A01", "A01")]
