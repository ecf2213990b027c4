"""The plan before and after opening, texts and units."""

import pytest
from django.urls import reverse

from annotation.designs import Design
from annotation.models import Assignment
from annotation.services import work
from annotation.services.studies import study_open
from annotation.study_files.schema import (
    DocumentRow,
    Materials,
    OutputRow,
    ReferenceRow,
    SystemRow,
    TopicRow,
)
from tests.factories import owner_client, viewer_client
from tests.studies import SEE, TIDES, make_study, practice

pytestmark = pytest.mark.django_db


def url(name: str, study, *args) -> str:
    return reverse(name, args=[study.slug, *args])


def numbers(page) -> dict[str, list[tuple[str, int, list[int]]]]:
    """Task → rows of the plan: assessor, all, of each system."""
    return {
        table.name: [(assessor.name, total, counts) for assessor, total, counts in grid]
        for table, grid in page.context["tables"]
    }


def test_the_plan_of_a_draft_is_what_opening_deals():
    study = make_study(SEE, TIDES, documents=4, assessors=3, design=Design(assessors_per_item=2))
    client = owner_client(study)
    before = numbers(client.get(url("study_plan", study)))
    assert sum(total for _, total, _ in before["coverage"]) == 4 * 2 * 2
    assert all(sum(counts) == total for rows in before.values() for _, total, counts in rows)
    assert not Assignment.objects.exists(), "looking at the plan writes nothing"
    client.post(url("study_open", study), {"sure": "1"})
    assert numbers(client.get(url("study_plan", study))) == before


def test_the_plan_says_who_gets_what_in_words_and_counts_practice_apart():
    study = make_study(SEE, practice=(practice("coverage", reference="r-d1"),))
    page = owner_client(study).get(url("study_plan", study)).content.decode()
    assert "Each of the 3 pieces goes to 1 of the 2 assessors" in page
    assert "1 practice item comes first." in page


def test_a_plan_that_cannot_be_dealt_names_the_problem_and_offers_no_opening():
    study = make_study(SEE, assessors=1, design=Design(assessors_per_item=2))
    page = owner_client(study).get(url("study_plan", study)).content.decode()
    assert "The study cannot open like this." in page
    assert url("study_open", study) not in page


def test_a_pool_is_not_dealt_beforehand_and_shows_what_was_leased():
    study = make_study(SEE, design=Design(pool=True))
    client = owner_client(study)
    assert "A pool is not dealt beforehand." in client.get(url("study_plan", study)).content.decode()
    study_open(study=study)
    work.assignment_next(assessor=study.assessors.select_related("study").first())
    rows = numbers(client.get(url("study_plan", study)))["coverage"]
    assert [total for _, total, _ in rows] == [1, 0]


# --- texts --------------------------------------------------------------------------------------------------------


def test_materials_list_documents_with_their_texts():
    study = make_study(SEE)
    client = viewer_client(study)
    rows = client.get(url("study_materials", study)).context["page"].object_list
    assert [(row.key, row.reference_count, row.output_count) for row in rows] == [("d1", 1, 2), ("d2", 1, 2)]
    page = client.get(url("study_item", study, "document", rows[0].pk)).content.decode()
    for words in ("Long story of d1.", "r-d1", "First of d1.", "qx31", "Peer 0 says d1.", "wv77"):
        assert words in page


def test_materials_can_be_searched_by_id_and_title():
    study = make_study(SEE, documents=3)
    client = viewer_client(study)
    found = client.get(url("study_materials", study), {"q": "Story d3"}).context["page"].object_list
    assert [row.key for row in found] == ["d3"]
    assert "No document has “zzz”" in client.get(url("study_materials", study), {"q": "zzz"}).content.decode()


def topical_study():
    """A study on topics: outputs answer a topic of several documents."""
    materials = Materials(
        topics=(TopicRow(id="t1", title="Ferries", description="All about ferries."),),
        documents=(DocumentRow(id="d1", topic="t1", text="A source."),),
        references=(ReferenceRow(id="r1", topic="t1", units=("One.", "Two.")),),
        outputs=(OutputRow(system="qx31", topic="t1", units=("Peer one.", "Peer two.")),),
        systems=(SystemRow(id="qx31"),),
    )
    return make_study(SEE, materials=materials)


def test_topics_have_pages_like_documents():
    study = topical_study()
    client = owner_client(study)
    (topic,) = client.get(url("study_materials", study) + "?topics").context["page"].object_list
    assert (topic.key, topic.reference_count, topic.output_count) == ("t1", 1, 1)
    page = client.get(url("study_item", study, "topic", topic.pk)).content.decode()
    assert "All about ferries." in page
    assert "Peer one." in page
    study_open(study=study)
    (row,) = client.get(url("study_items", study)).context["page"].object_list
    assert (row["item_key"], row["item_title"], row["wanted"]) == ("t1", "Ferries", 1)


def test_texts_are_escaped_and_keep_their_direction():
    study = make_study(SEE)
    output = study.outputs.first()
    output.units = ["<img src=x onerror=alert(1)>", "مرحبا"]
    output.save()
    page = viewer_client(study).get(url("study_item", study, "document", output.document_id)).content.decode()
    assert "<img src=x" not in page
    assert 'dir="auto"' in page


# --- units --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["output", "reference"])
def test_units_are_cut_by_hand_one_per_line(kind):
    study = make_study(SEE)
    client = owner_client(study)
    text = getattr(study, f"{kind}s").first()
    joined = " ".join(text.units)
    response = client.post(
        url("study_units", study, kind, text.pk), {"units": joined.replace(" ", "\r\n", 1)}
    )
    assert response["Location"] == url("study_item", study, "document", text.document_id)
    text.refresh_from_db()
    assert text.units == joined.split(" ", 1)


@pytest.mark.parametrize("sent", ["Other words altogether.", ""])
def test_units_must_stay_the_same_text(sent):
    study = make_study(SEE)
    client = owner_client(study)
    output = study.outputs.first()
    response = client.post(url("study_units", study, "output", output.pk), {"units": sent})
    assert response.status_code == 422
    assert "same text as before" in response.content.decode()
    before = output.units
    output.refresh_from_db()
    assert output.units == before


def test_units_are_fixed_once_the_study_is_open():
    study = make_study(SEE)
    client = owner_client(study)
    output = study.outputs.first()
    study_open(study=study)
    address = url("study_units", study, "output", output.pk)
    assert "only before the study opens" in client.get(address).content.decode()
    assert client.post(address, {"units": "\n".join(output.units)}).status_code == 422
    assert (
        "Re-cut" not in client.get(url("study_item", study, "document", output.document_id)).content.decode()
    )
