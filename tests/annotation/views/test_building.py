"""Building a study in the browser, step by step, from a table of texts to an open study."""

from __future__ import annotations

import io
import zipfile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from openpyxl import Workbook

from annotation.designs import Design
from annotation.models import AuditEntry, Judgment, Membership, Study, TextTable
from annotation.selectors import outlook
from annotation.selectors.building import still_missing
from annotation.selectors.files import study_as_file
from annotation.services import simulation
from annotation.services.assessors import assessors_create
from annotation.services.simulation import study_simulate
from annotation.services.studies import study_import, study_open
from annotation.study_files import read_study, zipped
from annotation.study_files.schema import AssessorRow
from annotation.tasks import TEMPLATES
from tests.factories import experimenter, logged_in, member
from tests.studies import SEE, make_study, practice

pytestmark = pytest.mark.django_db

ROWS = [
    (f"d{d}", f"The long story of {d}. It goes on.", s, f"What {s} says of {d}. It is short.")
    for d in range(1, 4)
    for s in ("alpha", "beta")
]


def tsv(*rows: tuple[str, ...]) -> str:
    return "\n".join("\t".join(row) for row in (("doc_id", "source", "system", "summary"), *rows))


@pytest.fixture
def client():
    return logged_in(experimenter("ada"))


def begin(client, *rows: tuple[str, ...], **fields) -> Study:
    sent = {"name": "Two summarisers", "language": "en", "pasted": tsv(*(rows or ROWS)), **fields}
    response = client.post(reverse("study_new"), sent)
    assert response.status_code == 302, response.content.decode()
    study = Study.objects.get(slug=response["Location"].split("/")[2])
    assert response["Location"] == reverse("build_texts", args=[study.slug])
    return study


def act(client, study: Study, name: str = "build_texts", *, status: int = 302, **fields):
    version = TextTable.objects.get(study=study).version
    response = client.post(reverse(name, args=[study.slug]), {"version": version, **fields})
    assert response.status_code == status, response.content.decode()
    return response


def page(client, study: Study, name: str = "build_texts") -> str:
    response = client.get(reverse(name, args=[study.slug]))
    assert response.status_code == 200
    return response.content.decode()


def test_from_pasted_cells_to_an_open_study(client):
    study = begin(client)
    assert (study.state, study.memberships.get().role) == (Study.State.DRAFT, Membership.Role.OWNER)
    assert "3 documents" in page(client, study)
    act(client, study, use="1")
    assert study.outputs.count() == 6
    assert "Four qualities of a summary" in page(client, study, "build_task")
    act(client, study, "build_task", template="summeval")
    study.refresh_from_db()
    assert "Coherence" in study.instructions
    assert study.design["assessors_per_item"] == 2
    assert client.get(reverse("preview", args=[study.slug, "summeval", 1])).status_code == 200
    assessors_create(study=study, rows=[AssessorRow(name="p1"), AssessorRow(name="p2")])
    study_open(study=study)
    assert study.state == Study.State.OPEN


def test_what_was_built_is_a_study_file_and_comes_back_the_same(client):
    study = begin(client)
    act(client, study, use="1")
    act(client, study, "build_task", template="side-by-side")
    built = study_as_file(study)
    assert read_study(io.BytesIO(zipped(built))) == built


def test_problems_stand_beside_their_rows_and_are_mended_there(client):
    study = begin(client, *ROWS, ("d1", ROWS[0][1], "alpha", "Another text."))
    shown = page(client, study)
    assert "1 problem to mend" in shown
    assert "“alpha” has a text on “d1” already, in row 2" in shown
    assert "Use these texts" not in shown
    act(client, study, use="1", status=409)
    assert not study.outputs.exists()
    act(client, study, mend="6", cell=["d4", "A fourth story.", "alpha", "Another text."])
    assert "Use these texts" in page(client, study)
    act(client, study, use="1")
    assert study.outputs.count() == 7


def test_a_draft_that_is_half_built_says_so_on_its_page(client):
    study = begin(client)
    assert "Go on building" in page(client, study, "study")
    act(client, study, use="1")
    act(client, study, "build_task", template="arena")
    assert "Go on building" not in page(client, study, "study")


def test_a_row_can_be_left_out(client):
    study = begin(client, *ROWS, ("", "x", "alpha", "Another text."))
    act(client, study, drop="6")
    act(client, study, use="1")
    assert study.outputs.count() == 6


def test_columns_can_be_something_else_and_the_first_row_no_header(client):
    study = begin(client)
    act(client, study, role=["ignore", "ignore", "system", "output"], header="on")
    assert "6 outputs" in page(client, study)
    act(client, study, role=["document", "source", "system", "output"])
    table = TextTable.objects.get(study=study)
    assert table.summary["rows"] == 7
    act(client, study, role=["nonsense"] * 4, status=409)


def test_two_experimenters_at_one_table_do_not_undo_each_other(client):
    study = begin(client, *ROWS, ("", "x", "alpha", "Another text."))
    other = logged_in(member(study))
    act(other, study, drop="6")
    stale = client.post(
        reverse("build_texts", args=[study.slug]), {"version": 1, "mend": "6", "cell": ["d1"] * 4}
    )
    assert stale.status_code == 409
    assert "Somebody else has changed this in the meantime" in stale.content.decode()
    act(client, study, use="1")


def test_missing_double_and_identical_cells_are_shown(client):
    rows = [
        *ROWS[:-1],
        ("d2", ROWS[2][1], "beta", "Again."),
        ("d4", "Four.", "alpha", "Same."),
        ("d4", "Four.", "beta", "Same."),
    ]
    shown = page(client, begin(client, *rows))
    for word in ("missing", "double", "identical"):
        assert f'<td class="{word}">{word}</td>' in shown


def test_another_table_replaces_texts_and_keeps_what_was_cut_by_hand(client):
    from annotation.services.studies import units_cut

    study = begin(client)
    act(client, study, use="1")
    cut = study.outputs.get(system__key="alpha", document__key="d1")
    units_cut(text=cut, units=["What alpha", "says of 1. It is short."])
    table = SimpleUploadedFile("more.tsv", tsv(*ROWS, ("d9", "Nine.", "alpha", "New one.")).encode())
    act(client, study, upload="1", tables=table)
    act(client, study, use="1")
    assert study.outputs.count() == 7
    assert study.outputs.get(system__key="alpha", document__key="d1").units == [
        "What alpha",
        "says of 1. It is short.",
    ]


def test_a_table_that_cannot_be_read_is_refused_and_no_study_is_made(client):
    for sent, said in (
        ({"name": "X", "language": "en"}, "Choose a file, or paste your table below."),
        ({"name": "X", "language": "en", "pasted": '[{"a": {"b": 1}}]'}, "holds an object"),
        ({"name": "X", "language": "english please", "pasted": "a"}, "language tag"),
        (
            {"name": "X", "language": "en", "source_language": "old german", "pasted": "a"},
            "This must be a language tag such as en or pt-BR; it is “old german”.",
        ),
        ({"name": "", "language": "en", "pasted": "a\tb"}, "Give the study a name."),
        ({"name": "X", "language": "en", "tables": SimpleUploadedFile("t.xls", b"x")}, "Save it as .xlsx"),
    ):
        response = client.post(reverse("study_new"), sent)
        assert response.status_code == 422
        assert said in response.content.decode()
    assert not Study.objects.exists()


def test_sources_in_another_language_are_cut_by_its_rules(client):
    row = ("d1", "Es sank am 3. Mai bei Brod. Niemand starb.", "alpha", "It sank on 3 May. Nobody died.")
    study = begin(client, row, language="ar", source_language=" de ")
    act(client, study, use="1")
    assert (study.language, study.document_language) == ("ar", "de")
    assert study.documents.get().units == ["Es sank am 3. Mai bei Brod.", "Niemand starb."]
    assert begin(client).document_language == "en"


def test_a_study_file_is_taken_as_one_and_its_problems_are_listed(client, tmp_path):
    made = make_study(SEE, slug="other")
    data = zipped(study_as_file(made))
    made.delete()
    response = client.post(
        reverse("study_new"), {"language": "en", "tables": SimpleUploadedFile("study.zip", data)}
    )
    assert response["Location"] == reverse("study", args=["other"])
    broken = io.BytesIO()
    with zipfile.ZipFile(broken, "w") as archive:
        archive.writestr("study.yml", "name: [")
    response = client.post(
        reverse("study_new"), {"language": "en", "tables": SimpleUploadedFile("study.zip", broken.getvalue())}
    )
    assert response.status_code == 422
    assert "this is not YAML" in response.content.decode()


def test_a_template_that_lacks_something_says_what(client):
    study = begin(client)
    act(client, study, use="1")
    shown = page(client, study, "build_task")
    assert "It compares with a reference, and the table has none." in shown


def test_a_task_can_be_removed_with_its_draft_of_the_instructions(client):
    study = begin(client)
    act(client, study, use="1")
    act(client, study, "build_task", template="arena")
    assert client.post(reverse("build_task_remove", args=[study.slug, "arena"])).status_code == 302
    study.refresh_from_db()
    assert (study.tasks.count(), study.instructions) == (0, "")


def test_an_open_study_is_not_built_any_more(client):
    study = begin(client)
    act(client, study, use="1")
    act(client, study, "build_task", template="arena")
    assessors_create(study=study, rows=[AssessorRow(name="p1"), AssessorRow(name="p2")])
    study_open(study=study)
    act(client, study, use="1", status=409)
    assert study.outputs.count() == 6
    act(client, study, "build_task", template="arena", status=409)
    client.post(reverse("build_task_remove", args=[study.slug, "arena"]))
    assert study.tasks.count() == 1


def test_texts_that_practice_names_are_not_replaced_by_a_table():
    study = make_study(SEE, practice=(practice("coverage", reference="r-d1"),))
    client = logged_in(member(study))
    response = client.post(reverse("build_texts", args=[study.slug]), {"upload": "1", "pasted": tsv(*ROWS)})
    assert response.status_code == 302
    refused = act(client, study, use="1", status=409)
    assert "Change the file, and" in refused.content.decode()
    assert study.outputs.count() == 4


def test_texts_that_content_units_name_are_not_replaced_by_a_table(settings):
    """Before, the units went with the texts, and nobody was told."""
    study = study_import(study_file=read_study(settings.BASE_DIR / "fixtures" / "pyramid"))
    units = study.contentunits.count()
    client = logged_in(member(study))
    client.post(reverse("build_texts", args=[study.slug]), {"upload": "1", "pasted": tsv(*ROWS)})
    refused = act(client, study, use="1", status=409)
    assert "content units, that name its texts" in refused.content.decode()
    assert study.contentunits.count() == units > 0


def test_slugs_of_the_same_name_differ(client):
    assert {begin(client).slug, begin(client).slug} == {"two-summarisers", "two-summarisers-2"}


# --- settings of a task ---------------------------------------------------------------------------------------------


@pytest.fixture
def built(client):
    study = begin(client)
    act(client, study, use="1")
    act(client, study, "build_task", template="summeval")
    return study


def settings_form(client, study: Study) -> dict[str, str]:
    """The settings of its task, as a browser would send them untouched."""
    from annotation.config_form import form_fields, full_values
    from annotation.overtaken import fingerprint
    from annotation.tasks import KINDS
    from tests.annotation.test_config_form import sent_by

    task = study.tasks.get()
    model = KINDS[task.kind].Config
    return {**sent_by(form_fields(model, full_values(model, task.config))), "seen": fingerprint(task.config)}


def test_settings_are_saved_as_a_study_file_would_say_them(client, built):
    address = reverse("build_settings", args=[built.slug, "summeval"])
    assert 'value="coherence"' in client.get(address).content.decode()
    sent = settings_form(client, built) | {"guideline": "Read the source first."}
    reply = client.post(address, {**sent, "live": "1"})
    assert (reply.status_code, reply.json()["errors"]) == (200, {})
    assert built.tasks.get().config == {"preset": "summeval", "guideline": "Read the source first."}
    assert (
        "Read the source first."
        in client.get(reverse("preview", args=[built.slug, "summeval", 1])).content.decode()
    )


def test_criteria_are_added_and_removed_and_nothing_is_saved_before_it_is_whole(client, built):
    address = reverse("build_settings", args=[built.slug, "summeval"])
    sent = settings_form(client, built)
    grown = client.post(address, {**sent, "add": "criteria"}).content.decode()
    assert 'name="criteria-4-name"' in grown
    assert "Not saved yet." in grown
    shrunk = client.post(address, {**sent, "remove": "criteria-0"}).content.decode()
    assert 'name="criteria-3-name"' not in shrunk
    assert built.tasks.get().config == {"preset": "summeval"}
    bad = client.post(address, {**sent, "criteria-0-name": "Not a slug"})
    assert bad.status_code == 422
    assert "small letters" in bad.content.decode()
    assert built.tasks.get().config == {"preset": "summeval"}


def test_settings_that_somebody_else_has_changed_are_not_overwritten(client, built):
    address = reverse("build_settings", args=[built.slug, "summeval"])
    mine = settings_form(client, built)
    other = logged_in(member(built))
    assert other.post(address, {**mine, "guideline": "Theirs."}).status_code == 302
    late = client.post(address, {**mine, "guideline": "Mine.", "live": "1"})
    assert late.status_code == 422
    assert "Somebody else has changed this" in late.json()["errors"][""][0]
    assert built.tasks.get().config["guideline"] == "Theirs."


def test_only_the_preview_may_stand_in_a_frame_and_only_in_ours(client, built):
    shown = client.get(reverse("preview", args=[built.slug, "summeval", 1]))
    assert shown["X-Frame-Options"] == "SAMEORIGIN"
    assert "frame-ancestors 'self'" in shown["Content-Security-Policy"]
    page = client.get(reverse("build_settings", args=[built.slug, "summeval"]))
    assert page["X-Frame-Options"] == "DENY"
    assert "frame-src 'self'" in page["Content-Security-Policy"]


# --- the later steps ------------------------------------------------------------------------------------------------


def seen(client, study: Study, name: str) -> str:
    import re

    return re.search(r'name="seen" value="([0-9a-f]+)"', page(client, study, name))[1]


def test_all_texts_are_cut_otherwise_at_once(client, built):
    assert "Split or join" in page(client, built, "build_units")
    assert {len(output.units) for output in built.outputs.all()} == {2}
    for how, units in (("whole", 1), ("lines", 1), ("sentences", 2)):
        assert client.post(reverse("build_units", args=[built.slug]), {"how": how}).status_code == 302
        assert {len(output.units) for output in built.outputs.all()} == {units}
    client.post(reverse("build_units", args=[built.slug]), {"how": "nonsense"})
    assert {len(output.units) for output in built.outputs.all()} == {2}


def test_words_are_kept_and_shown_as_assessors_read_them(client, built):
    address = reverse("build_words", args=[built.slug])
    sent = {
        "name": "Another name",
        "contact": "ada@example.org",
        "instructions": "Read **well**.\r\n",
        "consent": "<script>",
    }
    reply = client.post(address, {**sent, "seen": seen(client, built, "build_words"), "live": "1"})
    assert reply.status_code == 200
    assert reply.json()["html"] == {
        "instructions": "<p>Read <strong>well</strong>.</p>\n",
        "consent": "<p>&lt;script&gt;</p>\n",
    }
    built.refresh_from_db()
    assert (built.name, built.instructions, built.consent) == (
        "Another name",
        "Read **well**.\n",
        "<script>\n",
    )
    late = client.post(address, {**sent, "seen": "0" * 16})
    assert late.status_code == 422
    assert "Somebody else has changed this" in late.content.decode()
    assert client.post(address, {**sent, "name": "", "seen": "x", "live": "1"}).json()["errors"]["name"]


def test_a_design_says_what_follows(client, built):
    shown = page(client, built, "build_design")
    assert "6 on 3 documents" in shown
    assert "12 in all, about 4 each" in shown  # two judgments of six pieces by three people
    assert "of the scale or more" in shown
    assert "6 % that an assessor likes a system more than others do" in shown
    address = reverse("build_design", args=[built.slug])
    sent = {"assessors_per_item": 1, "order": "blocked", "seen": seen(client, built, "build_design")}
    assert client.post(address, sent).status_code == 302
    built.refresh_from_db()
    assert (built.design["order"], built.design["assessors_per_item"]) == ("blocked", 1)
    assert "agreement cannot be told" in page(client, built, "build_design")
    bad = client.post(address, {**sent, "interleave": "on", "seen": seen(client, built, "build_design")})
    assert bad.status_code == 422
    assert "can “interleave”" in bad.content.decode()
    few = client.get(address, {"people": "6", "spread": "10"}).content.decode()
    assert "6 in all, about 1 each" in few
    assert "min each" in shown or " s each" in shown, "a short time is not said in hours"
    live = {**sent, "assessors_per_item": 3, "seen": seen(client, built, "build_design"), "live": "1"}
    reply = client.post(f"{address}?people=6&spread=10", live).json()
    assert not reply["errors"]
    assert "18 in all, about 3 each" in reply["html"]["follows"], "for as many as the page assumes"
    on = client.post(address, {**sent, "assessors_per_item": 2, "seen": reply["seen"], "go_on": "1"})
    assert on.headers["Location"] == reverse("build_checks", args=[built.slug])
    built.refresh_from_db()
    assert built.design["assessors_per_item"] == 2
    refused = client.post(address, {**sent, "assessors_per_item": 0, "go_on": "1"})
    assert refused.status_code == 422, "who goes on with what cannot be kept is told"
    assert client.get(address, {"people": "many", "spread": "10"}).status_code == 200


def test_check_items_are_asked_for_in_plain_words_and_the_page_says_what_follows(client, built):
    shown = page(client, built, "build_checks")
    assert "no control items" in shown
    assert "gold and attention items come with the study file" in shown, "they cannot be made here"
    address = reverse("build_checks", args=[built.slug])
    sent = {"repeats": "20", "degraded": "25", "methods": ["drop", "shuffle"]}
    live = client.post(address, {**sent, "live": "1", "seen": seen(client, built, "build_checks")})
    assert live.status_code == 200
    assert "Each person judges about 4 pieces" in live.json()["html"]["follows"]
    assert "1 repeat, 1 text made worse" in live.json()["html"]["follows"]
    built.refresh_from_db()
    assert built.checks == {"repeats": 0.2, "degraded": 0.25, "methods": ["drop", "shuffle"]}
    late = client.post(address, {**sent, "seen": "0" * 16})
    assert late.status_code == 422
    assert "Somebody else has changed this" in late.content.decode()
    bad = client.post(
        address, {"repeats": "60", "degraded": "0", "seen": seen(client, built, "build_checks"), "live": "1"}
    )
    assert bad.status_code == 422
    assert set(bad.json()["errors"]) == {"repeats", "methods"}
    said = client.post(address, {**sent, "repeats": "0", "seen": seen(client, built, "build_checks")})
    assert said.status_code == 302, "and all of it works without a script"
    act(client, built, "build_task", template="abstract-and-extract")
    assert "takes no control items" in page(client, built, "build_check")
    again = {**sent, "seen": seen(client, built, "build_checks")}
    assert client.post(address, again).status_code == 302
    assert "takes no control items" not in page(client, built, "build_check"), "it is left without"


def test_what_is_missing_is_named_with_where_to_mend_it_until_the_study_can_open(client):
    study = begin(client)
    shown = page(client, study, "build_check")
    assert "The study has no texts." in shown
    assert reverse("build_texts", args=[study.slug]) in shown
    assert "Open the study" not in shown
    act(client, study, use="1")
    assert "Nothing says what assessors are to do." in page(client, study, "build_check")
    act(client, study, "build_task", template="summeval")
    assert "There are no assessors yet." in page(client, study, "build_check")
    assessors_create(study=study, rows=[AssessorRow(name="p1"), AssessorRow(name="p2")])
    ready = page(client, study, "build_check")
    assert "I know what can no longer change" in ready
    assert client.post(reverse("study_open", args=[study.slug]), {"sure": "1"}).status_code == 302
    study.refresh_from_db()
    assert study.state == Study.State.OPEN
    assert "This study has been opened" in page(client, study, "build_check")


def test_who_will_be_missing_in_a_later_phase_is_said_before_the_first_one_begins(client):
    study = begin(client)
    act(client, study, use="1")
    act(client, study, "build_task", template="cross-comprehension")
    assessors_create(study=study, rows=[AssessorRow(name="p1"), AssessorRow(name="p2")])
    shown = page(client, study, "build_check")
    assert (
        "judging cannot be dealt among these assessors. Before that phase opens, 1 more is needed." in shown
    )
    assert "I know what can no longer change" in shown, "they can come later"
    assessors_create(study=study, rows=[AssessorRow(name="p3")])
    assert "cannot be dealt among" not in page(client, study, "build_check")
    study_simulate(study=study, seed=1)


@pytest.mark.parametrize(
    "name",
    [
        "build_texts",
        "build_units",
        "build_task",
        "build_words",
        "build_design",
        "build_checks",
        "build_check",
    ],
)
def test_steps_of_a_large_study_ask_no_more_than_of_a_small_one(client, name, django_assert_max_num_queries):
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    numbers = []
    for documents in (2, 60):
        rows = [
            (f"d{d}", f"Story {d}.", s, f"{s} of {d}.") for d in range(documents) for s in ("a", "b", "c")
        ]
        study = begin(client, *rows)
        act(client, study, use="1")
        act(client, study, "build_task", template="summeval")
        with CaptureQueriesContext(
            connection,
        ) as captured:
            page(client, study, name)
        numbers.append(len(captured))
    assert numbers[0] == numbers[1]


def test_plan_and_check_are_worked_out_once_for_each_version_of_a_draft(client, built, monkeypatch):
    """All texts are read and dealt for them, so they are kept; and yet they follow whatever anybody changes."""
    from annotation.designs import Design
    from annotation.overtaken import fingerprint
    from annotation.selectors import building, plan_tables
    from annotation.services.assessors import assessors_add
    from annotation.services.building import design_set

    dealt = []
    for module in (building, plan_tables):
        plan = module.study_plan
        monkeypatch.setattr(
            module, "study_plan", lambda *args, plan=plan, **more: dealt.append(1) or plan(*args, **more)
        )

    def design(number: int) -> None:
        study = Study.objects.get(pk=built.pk)
        design_set(study=study, design=Design(assessors_per_item=number), seen=fingerprint(study.design))

    def another_table() -> None:
        more = ("d9", "Nine.", "alpha", "New one.")
        act(client, built, upload="1", tables=SimpleUploadedFile("more.tsv", tsv(*ROWS, more).encode()))
        act(client, built, use="1")

    for change, plan_says, check_says in (
        (lambda: None, "There are no assessors yet", "There are no assessors yet"),
        (lambda: assessors_add(study=built, names=["p1", "p2"]), "6 pieces", "I know what"),
        (lambda: design(3), "needs 3 assessors", "needs 3 assessors"),
        (lambda: design(1), "6 pieces", "I know what"),
        (another_table, "7 pieces", "I know what"),
    ):
        change()
        dealt.clear()
        for _ in range(2):
            assert plan_says in page(client, built, "study_plan")
            assert check_says in page(client, built, "build_check")
        assert len(dealt) == 2, "once for each page"


# --- from a table to judgments, with every template -----------------------------------------------------------------

EVERYTHING = [
    (
        f"d{d}",
        f"e{d % 2}",
        f"What happened, {d % 2}.",
        f"The long story of {d}. It goes on.",
        f"A reference on {d}. Two sentences.",
        s,
        f"{s} says of {d}. It is short.",
    )
    for d in range(1, 3)
    for s in ("alpha", "beta", "gamma", "delta", "epsilon")
]


@pytest.mark.parametrize("template", TEMPLATES)
def test_every_template_goes_from_a_spreadsheet_to_judgments_and_back_as_a_file(client, template):
    book = Workbook()
    for row in (("doc_id", "event", "question", "source", "reference", "system", "summary"), *EVERYTHING):
        book.active.append(row)
    buffer = io.BytesIO()
    book.save(buffer)
    response = client.post(
        reverse("study_new"),
        {"name": "Everything", "language": "en", "tables": SimpleUploadedFile("all.xlsx", buffer.getvalue())},
    )
    study = Study.objects.get(slug=response["Location"].split("/")[2])
    act(client, study, use="1")
    act(client, study, "build_task", template=template)
    assert client.get(reverse("build_settings", args=[study.slug, template])).status_code == 200
    assert client.get(reverse("preview", args=[study.slug, template, 1])).status_code == 200
    assert "Pieces" in page(client, study, "build_design")
    assessors_create(study=study, rows=[AssessorRow(name=f"p{number}") for number in range(5)])
    assert "I know what can no longer change" in page(client, study, "build_check")
    built = study_as_file(study)
    assert read_study(io.BytesIO(zipped(built))) == built
    study_simulate(study=study, seed=1)
    assert Judgment.objects.filter(assignment__assessor__study=study).exists()


def test_every_step_is_in_the_history(client, built):
    address = reverse("build_settings", args=[built.slug, "summeval"])
    client.post(address, settings_form(client, built) | {"guideline": "Read it all."})
    client.post(reverse("build_units", args=[built.slug]), {"how": "whole"})
    actions = AuditEntry.objects.filter(chain=built.pk).order_by("number").values_list("action", flat=True)
    assert list(actions) == ["study.begin", "study.table", "task.add", "task.configure", "text.cut"]


def test_settings_with_a_nul_are_refused(client, built):
    """PostgreSQL stores none."""
    address = reverse("build_settings", args=[built.slug, "summeval"])
    reply = client.post(address, {**settings_form(client, built), "guideline": "a\0b", "live": "1"})
    assert reply.status_code == 422
    assert "NUL" in str(reply.json()["errors"])
    assert built.tasks.get().config == {"preset": "summeval"}


def test_a_template_leaves_instructions_that_somebody_is_just_writing(client, built):
    from annotation.services.building import task_from_template, task_remove

    seen = Study.objects.get(pk=built.pk)  # by a second experimenter, a moment before
    Study.objects.filter(pk=built.pk).update(instructions="Read twice.", design={"assessors_per_item": 3})
    materials = study_as_file(built).materials
    added = task_from_template(study=seen, template=TEMPLATES["tides"], materials=materials)
    stored = Study.objects.get(pk=built.pk)
    assert (stored.instructions, stored.design) == ("Read twice.", {"assessors_per_item": 3})
    task_remove(study=seen, task=added)
    seen.instructions = TEMPLATES["summeval"].instructions
    task_remove(study=seen, task=seen.tasks.get())
    assert Study.objects.get(pk=built.pk).instructions == "Read twice."


# --- what newcomers stumbled over -----------------------------------------------------------------------------------


def test_the_headline_of_a_draft_knows_its_table_before_its_texts_are_used(client):
    study = begin(client)
    assert "A draft with a table of 6 rows, whose texts are not in use yet." in page(client, study)
    act(client, study, use="1")
    assert "A draft of 6 outputs by 2 systems" in page(client, study)


def test_every_page_of_a_draft_leads_back_to_check_and_open(client, built):
    address = reverse("build_check", args=[built.slug])
    for name in ("study", "study_people", "study_plan", "study_materials"):
        assert f'<a class="button primary" href="{address}">Check and open</a>' in page(client, built, name)
    viewer = logged_in(member(built, Membership.Role.VIEWER))
    for name in ("study_monitor", "study_results", "study_report"):
        assert page(client, built, name).count(f'href="{address}">Check and open</a>') == 2
        shown = page(viewer, built, name)
        assert f'href="{address}"' not in shown, "who may only look is sent to no page that is closed to them"
        assert (
            f'<a class="button" href="{reverse("study_plan", args=[built.slug])}">See the plan</a>' in shown
        )


@pytest.mark.parametrize(
    ("task", "design", "address"),
    [
        ({"kind": "pyramid", "name": "units", "builders": "experts"}, Design(), "study_people"),
        (SEE, Design(assessors_per_item=9), "study_people"),
        (
            {"kind": "likert", "name": "assessors-opinion", "preset": "murray"},
            Design(pool=True),
            "build_design",
        ),
    ],
)
def test_what_is_missing_leads_to_where_it_is_mended_whatever_its_words(task, design, address):
    study = make_study(task, design=design)
    found = [one for one in still_missing(study) if one.needed]
    assert [one.address for one in found] == [address], found


def test_no_two_steps_sound_alike():
    from annotation.views.manage.building import STEPS

    first_words = [label.split()[0] for _, label, _ in STEPS]
    assert len(set(first_words)) == len(first_words)


def test_a_text_that_is_long_for_one_page_is_named_before_the_study_opens(client):
    long = "It rained all day in the north. " * 60
    study = begin(client, ROWS[0], *((*row[:3], long) for row in ROWS[1:]))
    act(client, study, use="1")
    act(client, study, "build_task", template="mqm")
    said = "the longest text is one page. Words: 420; units: 60."
    shown = page(client, study, "build_check")
    assert said in shown
    assert "“Long documents in pieces” in its settings cuts it into several." in shown
    task = study.tasks.get()
    task.config["window"] = {"units": 10}
    task.save()
    assert said not in page(client, study, "build_check")


def test_the_time_of_made_up_judgments_says_nothing_of_how_long_people_take(client, built, monkeypatch):
    monkeypatch.setattr(outlook, "ENOUGH_TIMES", 1)
    assessors_create(study=built, rows=[AssessorRow(name="Ada"), AssessorRow(name="Ben")])
    owner = built.memberships.get().user
    study_open(study=built)
    simulation._round(built, 1)  # as people would, without a word of where it comes from
    assert outlook.task_outlooks(built, owner, people=2)[0].seen == 12
    study_simulate(study=built, seed=1)
    assert outlook.task_outlooks(built, owner, people=2)[0].seen == 0
