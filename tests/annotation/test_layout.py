"""No system is known by the layout of its texts, nor by the order in which they come."""

from __future__ import annotations

import pytest
from django.core.management import call_command

from annotation.designs import Design, Person, Piece, deal, systems_in_runs
from annotation.models import Output
from annotation.selectors.exhibits import exhibit_shown
from annotation.services.studies import study_import, study_open, units_cut
from annotation.services.work import assignment_next
from annotation.study_files.schema import Materials, OutputRow, SystemRow
from tests.factories import owner_client
from tests.studies import TIDES, make_study, study_file

pytestmark = pytest.mark.django_db

UNITS = ("One sentence.", "Another one.")


def shown_by(rows: tuple[OutputRow, ...]) -> set[str]:
    """The texts of all outputs as the assessor gets them."""
    given = study_file(TIDES, documents=2, assessors=1)
    materials = Materials(
        documents=given.materials.documents,
        outputs=rows,
        systems=tuple(SystemRow(id=name) for name in {row.system for row in rows}),
    )
    study = study_import(study_file=study_file(TIDES, documents=2, assessors=1, materials=materials))
    study_open(study=study)
    assessor = study.assessors.get()
    assignment_next(assessor=assessor)
    return {exhibit_shown(row).output.text for row in assessor.assignments.select_related("assessor__study")}


def rows(**texts) -> tuple[OutputRow, ...]:
    return tuple(
        OutputRow(
            system=system, document=document, **{("units" if isinstance(text, tuple) else "text"): text}
        )
        for system, text in texts.items()
        for document in ("d1", "d2")
    )


@pytest.mark.parametrize(
    "other",
    [
        " ".join(UNITS),
        "\n".join(UNITS),
        "\r\n\r\n".join(UNITS),
        "  " + " \n ".join(UNITS) + "\n\n",
        "\u2028".join(UNITS),
    ],
)
def test_outputs_given_as_units_and_as_text_look_the_same(other):
    """Before: units stood each on a line, and 12 of 12 systems were guessed by that."""
    shown = shown_by(rows(a=UNITS, b=other, c=" ".join(UNITS)))
    assert shown == {"One sentence. Another one."}


def test_line_breaks_stay_where_every_output_has_them():
    assert shown_by(rows(a=UNITS, b="\n".join(UNITS))) == {"One sentence.\nAnother one."}


def test_a_text_that_is_cut_by_hand_keeps_its_looks():
    study = make_study(TIDES, assessors=1)
    Output.objects.update(text="Peer says. And more.", units=["Peer says.", "And more."], units_given=False)
    units_cut(text=study.outputs.first(), units=["Peer says.", "And more."])
    study_open(study=study)
    assessor = study.assessors.get()
    assignment_next(assessor=assessor)
    assigned = assessor.assignments.select_related("assessor__study")
    assert {exhibit_shown(row).output.text for row in assigned} == {"Peer says. And more."}


# --- order --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("systems", "told"),
    [
        ("AAABBB", True),
        ("AB", False),
        ("ABAB", False),
        ("AAA", False),
        ("", False),
        ("AABBCC", True),
        ("AABA", False),
    ],
)
def test_systems_that_come_one_after_the_other_are_noticed(systems, told):
    assert systems_in_runs(list(systems)) is told


def test_a_fixed_order_that_is_interleaved_lets_systems_take_turns():
    pieces = [Piece(n, f"d{n % 3}", system) for n, system in enumerate("AAABBBCCC")]
    design = Design(order="fixed", interleave=True)
    deals = deal(design, pieces, [Person(0)], seed=1)
    assert "".join(pieces[one.piece].system for one in deals) == "ABCABCABC"
    assert [pieces[one.piece].item for one in deals if pieces[one.piece].system == "A"] == ["d0", "d1", "d2"]
    with pytest.raises(ValueError, match="only “order: fixed” can “interleave”"):
        Design(order="random", interleave=True)


def test_the_plan_page_warns_of_a_file_that_is_sorted_by_system():
    study = make_study(TIDES, design=Design(order="fixed"))
    page = owner_client(study).get(f"/studies/{study.slug}/plan/").content.decode()
    assert "the file is sorted by system" in page
    assert "interleave: true" in page
    study.delete()
    mixed = make_study(TIDES, design=Design(order="fixed", interleave=True))
    assert "sorted by system" not in owner_client(mixed).get(f"/studies/{mixed.slug}/plan/").content.decode()


def test_the_import_warns_of_it_too(tmp_path, capsys):
    (tmp_path / "study.yaml").write_text(
        "name: A\nslug: a\ninstructions: i.md\nmaterials:\n  documents: d.csv\n  outputs: o.csv\n"
        "tasks:\n  - {kind: rating, name: quality, preset: summeval}\ndesign: {order: fixed}\n"
    )
    (tmp_path / "i.md").write_text("Judge.\n")
    (tmp_path / "d.csv").write_text("id,text\nd1,One.\nd2,Two.\n")
    (tmp_path / "o.csv").write_text("system,document,text\na,d1,x\na,d2,y\nb,d1,z\nb,d2,w\n")
    call_command("import_study", tmp_path)
    assert "sorted by system" in capsys.readouterr().err
