"""The list of studies, upload, progress, opening and closing, deleting."""

import io
import json
import zipfile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from annotation.models import Judgment, Membership, Study
from annotation.services.assessors import assessor_link
from annotation.services.simulation import study_simulate
from annotation.services.studies import study_close, study_open
from annotation.study_files import zipped
from tests.factories import experimenter, logged_in, member, owner_client, viewer_client
from tests.studies import SEE, TIDES, make_study, practice, study_file

pytestmark = pytest.mark.django_db


def upload(client, data: bytes, **fields):
    file = SimpleUploadedFile("study.zip", data, content_type="application/zip")
    return client.post(reverse("study_upload"), {"file": file, **fields})


def rezipped(data: bytes, **changed: str) -> bytes:
    """The same zip with some files replaced; dots in names are written as double underscores."""
    new = {name.replace("__", "."): text for name, text in changed.items()}
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(buffer, "w") as out:
        for name in old.namelist():
            out.writestr(name, new.get(name, old.read(name)))
    return buffer.getvalue()


# --- upload -------------------------------------------------------------------------------------------------------


def test_an_uploaded_study_is_a_draft_of_its_uploader():
    user = experimenter()
    response = upload(logged_in(user), zipped(study_file()))
    study = Study.objects.get()
    assert response["Location"] == reverse("study", args=["small"])
    assert study.state == Study.State.DRAFT
    assert [(m.user, m.role) for m in study.memberships.all()] == [(user, "owner")]


def test_every_problem_is_listed_with_file_and_line_and_nothing_is_stored():
    lines = [
        '{"system": "qx31", "document": "d1", "text": "A."}',
        "not json",
        '{"system": "qx31", "document": "dX", "text": "B."}',
    ]
    response = upload(
        logged_in(experimenter()), rezipped(zipped(study_file()), outputs__jsonl="\n".join(lines) + "\n")
    )
    assert response.status_code == 422
    found = [(problem.file, problem.line) for problem in response.context["problems"]]
    assert ("outputs.jsonl", 2) in found
    page = response.content.decode()
    assert "Nothing was imported" in page
    assert "<code>outputs.jsonl</code>" in page
    assert Study.objects.count() == 0


def test_what_a_bad_file_says_is_escaped():
    text = '{"system": "<script>alert(1)</script>", "document": "nowhere", "text": "A."}\n'
    response = upload(logged_in(experimenter()), rezipped(zipped(study_file()), outputs__jsonl=text))
    assert response.status_code == 422
    assert "<script>alert" not in response.content.decode()


@pytest.mark.parametrize("data", [b"not a zip at all", b"PK\x03\x04broken"])
def test_a_file_that_is_no_zip_is_a_problem_and_not_a_crash(data):
    response = upload(logged_in(experimenter()), data)
    assert response.status_code == 422
    assert response.context["problems"]


def test_no_file_and_an_empty_file_have_their_messages():
    client = logged_in(experimenter())
    assert "Choose a file first." in client.post(reverse("study_upload")).content.decode()
    assert "The file is empty." in upload(client, b"").content.decode()


def test_a_file_over_the_limit_says_both_sizes(settings):
    settings.STUDY_UPLOAD_MAX_BYTES = 1024 * 1024
    response = upload(logged_in(experimenter()), b"x" * (1024 * 1024 + 10))
    assert response.status_code == 422
    assert "a study file may have 1 MB" in response.content.decode()


def test_a_file_far_over_the_limit_never_reaches_the_view(settings):
    settings.STUDY_UPLOAD_MAX_BYTES = 1024 * 1024
    response = upload(logged_in(experimenter()), b"x" * (3 * 1024 * 1024))
    assert response.wsgi_request.FILES == {}
    assert response.status_code == 422
    page = response.content.decode()
    assert "The file has 3 MB; a study file may have 1 MB." in page
    assert "Choose a file first." not in page


def test_a_taken_slug_is_refused_unless_the_owner_replaces_the_study():
    user = experimenter()
    client = logged_in(user)
    upload(client, zipped(study_file()))
    again = upload(client, zipped(study_file(name="Second try")))
    assert again.status_code == 422
    assert "There is a study “small” already." in again.content.decode()
    upload(client, zipped(study_file(name="Second try")), replace="on")
    assert [study.name for study in Study.objects.all()] == ["Second try"]


@pytest.mark.parametrize("role", [None, Membership.Role.VIEWER])
def test_nobody_but_an_owner_replaces_a_study(role):
    study = make_study()
    owner_client(study)
    user = member(study, role) if role else experimenter()
    response = upload(logged_in(user), zipped(study_file(name="Taken over")), replace="on")
    assert response.status_code == 422
    assert Study.objects.get().name == "A small study"
    assert not Membership.objects.filter(user=user, role="owner").exists()


def test_a_study_with_judgments_is_not_replaced():
    study = make_study(SEE)
    client = owner_client(study)
    study_simulate(study=study, seed=1)
    response = upload(client, zipped(study_file(name="Second try")), replace="on")
    assert response.status_code == 422
    assert "judgments are never deleted" in response.content.decode()
    assert Judgment.objects.exists()


# --- list ---------------------------------------------------------------------------------------------------------


def test_the_list_shows_only_ones_own_studies_with_progress_and_role():
    mine = make_study(SEE, slug="mine", name="Mine")
    make_study(SEE, slug="theirs", name="Theirs")
    study_simulate(study=mine, seed=1)
    client = viewer_client(mine)
    page = client.get(reverse("study_list"))
    row = page.context["page"].object_list[0]
    assert (row.slug, row.role, row.done, row.wanted) == ("mine", "viewer", 4, 4)
    assert row.last_judgment == Judgment.objects.latest("submitted_at").submitted_at
    assert "Theirs" not in page.content.decode()


def test_practice_is_no_progress():
    study = make_study(SEE, practice=(practice("coverage", reference="r-d1"),))
    client = owner_client(study)
    study_open(study=study)
    row = client.get(reverse("study_list")).context["page"].object_list[0]
    assert (row.done, row.wanted) == (0, 3)


def test_the_list_sorts_by_every_column_and_ignores_nonsense():
    user = experimenter()
    for slug, name in (("one", "Beta"), ("two", "Alpha"), ("three", "Gamma")):
        study = make_study(SEE, slug=slug, name=name)
        study.memberships.create(user=user, role="owner")
    study_simulate(study=Study.objects.get(slug="two"), seed=1)
    client = logged_in(user)

    def order(sort: str) -> list[str]:
        page = client.get(reverse("study_list"), {"sort": sort})
        return [row.slug for row in page.context["page"].object_list]

    assert order("name") == ["two", "one", "three"]
    assert order("-name") == ["three", "one", "two"]
    assert order("progress")[0] == order("-progress")[0] == "two"
    assert order("-last")[0] == "two"
    assert order("created") == ["one", "two", "three"]
    assert order("password") == order("-created")


def test_a_long_list_has_pages_and_a_page_out_of_range_is_the_last():
    user = experimenter()
    for number in range(53):
        study = Study.objects.create(slug=f"s{number}", name=f"Study {number}", seed=1)
        study.memberships.create(user=user, role="owner")
    client = logged_in(user)
    assert len(client.get(reverse("study_list")).context["page"].object_list) == 50
    for asked in ("2", "99"):
        page = client.get(reverse("study_list"), {"page": asked, "sort": "name"})
        assert len(page.context["page"].object_list) == 3
    assert "sort=name" in page.content.decode(), "a page keeps the order"


def test_without_studies_the_list_says_what_to_do():
    page = logged_in(experimenter()).get(reverse("study_list")).content.decode()
    assert "You have no study yet" in page
    assert reverse("study_upload") in page


def test_a_name_is_text_and_not_markup():
    study = make_study(SEE, name="<b>Bold</b> & co")
    client = owner_client(study)
    for name, args in (("study_list", []), ("study", [study.slug]), ("study_settings", [study.slug])):
        page = client.get(reverse(name, args=args)).content.decode()
        assert "&lt;b&gt;Bold&lt;/b&gt; &amp; co" in page
        assert "<b>Bold" not in page


# --- the study page -----------------------------------------------------------------------------------------------


def test_progress_by_assessor_and_by_item():
    study = make_study(SEE, TIDES, documents=3)
    client = owner_client(study)
    study_simulate(study=study, seed=1)
    by_assessor = client.get(reverse("study", args=[study.slug])).context["page"].object_list
    assert [(row.name, row.done, row.total) for row in by_assessor] == [("p1", 6, 6), ("p2", 6, 6)]
    assert all(row.seconds > 0 for row in by_assessor)
    by_item = client.get(reverse("study_items", args=[study.slug])).context["page"].object_list
    assert [(row["item_key"], row["done"], row["wanted"]) for row in by_item] == [
        ("d1", 4, 4),
        ("d2", 4, 4),
        ("d3", 4, 4),
    ]


def test_what_to_do_next_is_said_where_something_is_to_be_done():
    study = make_study(SEE, assessors=0)
    client = owner_client(study)
    url = reverse("study", args=[study.slug])
    assert "This study has no assessors yet" in client.get(url).content.decode()
    study.delete()

    study = make_study(SEE)
    client = owner_client(study)
    assert "2 assessors wait for the study to open" in client.get(url).content.decode()
    study_open(study=study)
    assert "No assessor has a link yet" in client.get(url).content.decode()
    assessor_link(assessor=study.assessors.first())
    assert "No assessor has a link yet" not in client.get(url).content.decode()


def test_opening_deals_closing_stops_and_a_closed_study_opens_again():
    study = make_study(SEE)
    client = owner_client(study)
    assert client.post(reverse("study_open", args=[study.slug]), {"sure": "1"})["Location"] == reverse(
        "study_people", args=[study.slug]
    )
    study.refresh_from_db()
    assert study.state == Study.State.OPEN
    for action, state in (("study_close", Study.State.CLOSED), ("study_open", Study.State.OPEN)):
        client.post(reverse(action, args=[study.slug]))
        study.refresh_from_db()
        assert study.state == state


def test_a_study_that_cannot_open_says_why_and_stays_a_draft():
    study = make_study(SEE, assessors=0)
    client = owner_client(study)
    page = client.post(reverse("study_open", args=[study.slug]), {"sure": "1"}, follow=True)
    assert "There are no assessors yet" in page.content.decode()
    study.refresh_from_db()
    assert study.state == Study.State.DRAFT


def test_closing_twice_is_refused_in_words():
    study = make_study(SEE)
    client = owner_client(study)
    study_open(study=study)
    study_close(study=study)
    page = client.post(reverse("study_close", args=[study.slug]), follow=True)
    assert "Only an open study can be closed." in page.content.decode()


# --- deleting -----------------------------------------------------------------------------------------------------


def test_a_study_is_deleted_only_by_its_name():
    study = make_study(SEE)
    client = owner_client(study)
    url = reverse("study_delete", args=[study.slug])
    wrong = client.post(url, {"name": "small"})
    assert wrong.status_code == 422
    assert "This is not the name." in wrong.content.decode()
    assert Study.objects.exists()
    assert client.post(url, {"name": study.name})["Location"] == reverse("study_list")
    assert not Study.objects.filter(deleted_at=None).exists()


def test_instructions_are_shown_sanitised():
    study = make_study(SEE, instructions="Judge *well*. <script>alert(1)</script> [x](javascript:alert(1))")
    page = owner_client(study).get(reverse("study_settings", args=[study.slug])).content.decode()
    assert "<em>well</em>" in page
    assert "<script>alert" not in page
    assert 'href="javascript:' not in page


def test_a_viewer_sees_no_button_that_would_be_refused():
    study = make_study(SEE)
    client = viewer_client(study)
    pages = ("study", "study_people", "study_plan", "study_materials", "study_flags", "study_settings")
    for name in pages:
        page = client.get(reverse(name, args=[study.slug])).content.decode()
        forms = [part.split('"')[0] for part in page.split('method="post" action="')[1:]]
        assert forms == [reverse("logout")], name


def test_the_context_holds_no_token_or_hash_of_one():
    study = make_study(SEE)
    client = owner_client(study)
    token = assessor_link(assessor=study.assessors.first())
    stored = study.assessors.first().token_hash
    for name in ("study", "study_people", "study_settings", "study_downloads"):
        page = client.get(reverse(name, args=[study.slug])).content.decode()
        assert token not in page
        assert stored not in page
    assert token not in json.dumps(list(Study.objects.values()), default=str)
