"""Mapped tables as materials: what columns are, what rows come to, and what is wrong with them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.study_files import read_study
from annotation.study_files.write import files_of
from annotation.tables import Grid, TableProblem, assemble, guessed_roles, read_grids
from annotation.tables.roles import ROLES, mapped_roles
from annotation.tables.study import checked_study, slug_of, study_of_table
from annotation.tasks import TEMPLATES

LONG = "A story that goes on for quite a while, about {}."


def table(columns: str, *rows: tuple[str, ...], name: str = "mine") -> Grid:
    return Grid(name, tuple(columns.split()), rows)


def said(assembly) -> list[tuple[int | None, str, bool]]:
    return [(issue.row, issue.message, issue.fatal) for issue in assembly.issues]


@pytest.mark.parametrize(
    ("columns", "cells", "roles"),
    [
        ("doc_id source system summary", ("d1", LONG, "A", "Short."), "document source system output"),
        ("ID Article Model Summary", ("1", LONG, "gpt", "Short."), "document source system output"),
        ("document text model output", ("d1", LONG, "A", "Short."), "document source system output"),
        ("src ref mt_system mt", (LONG, LONG, "A", LONG), "source reference system output"),
        ("source reference system target", (LONG, LONG, "A", LONG), "source reference system output"),
        ("id source alpha beta", ("d1", LONG, LONG, LONG), "document source outputs outputs"),
        ("question system answer", ("Why?", "A", "Because."), "question system output"),
        (
            "event event_description docid article kind summary",
            ("e", "d", "1", LONG, "HEAD", "x"),
            "topic question document source kind output",
        ),
        ("ref1 ref2 system hypothesis", (LONG, LONG, "A", LONG), "reference reference system output"),
    ],
)
def test_usual_columns_are_understood(columns, cells, roles):
    grid = table(columns, cells, tuple(cell.replace("story", "tale") for cell in cells))
    assert guessed_roles(grid) == tuple(roles.split())


def test_columns_without_names_are_understood_by_what_is_in_them():
    rows = [
        (f"d{d}", s, LONG.format(d) * 3, f"What {s} wrote about {d}, in a sentence.")
        for d in range(6)
        for s in ("A", "B")
    ]
    grid = Grid("", ("Column 1", "Column 2", "Column 3", "Column 4"), tuple(rows), 1)
    assert guessed_roles(grid) == ("document", "system", "source", "output")


def test_a_role_can_be_said_and_what_is_none_is_refused_with_what_was_meant():
    grid = table("a b c", ("d1", "x", LONG), ("d2", "x", LONG))
    assert mapped_roles(grid, ["a=document", "b=system", "c=output"]) == ("document", "system", "output")
    with pytest.raises(TableProblem, match="no role “sytem”; did you mean “system”"):
        mapped_roles(grid, ["a=sytem"])
    with pytest.raises(TableProblem, match="There is no column “d”"):
        mapped_roles(grid, ["d=system"])


def test_one_row_per_document_and_system():
    grid = table(
        "doc_id source reference system summary",
        ("d1", LONG, "A reference.", "A", "One."),
        ("d1", "", "", "B", "Two."),
        ("d2", LONG + "!", "Another.", "A", "Three."),
    )
    made = assemble(grid, guessed_roles(grid))
    assert made.issues == ()
    assert [(row.id, row.text) for row in made.materials.documents] == [("d1", LONG), ("d2", LONG + "!")]
    assert [(row.id, row.document) for row in made.materials.references] == [
        ("d1-ref1", "d1"),
        ("d2-ref1", "d2"),
    ]
    assert [(row.system, row.document, row.text) for row in made.materials.outputs] == [
        ("A", "d1", "One."),
        ("B", "d1", "Two."),
        ("A", "d2", "Three."),
    ]
    assert made.matrix.missing == [("d2", "B")]
    assert made.rows_of["documents"] == (0, 2)


def test_one_column_per_system_and_one_file_per_system_give_the_same():
    wide = table(
        "id source alpha beta", ("d1", LONG, "One text here.", "Uno."), ("d2", LONG + "!", "Two.", "Due.")
    )
    files = read_grids(
        [
            ("alpha.csv", f'id,source,summary\nd1,"{LONG}",One text here.\nd2,"{LONG}!",Two.\n'.encode()),
            ("beta.csv", f'id,source,summary\nd1,"{LONG}",Uno.\nd2,"{LONG}!",Due.\n'.encode()),
        ]
    )
    one, other = (
        assemble(wide, ("document", "source", "outputs", "outputs")).materials,
        assemble(files, guessed_roles(files)).materials,
    )
    assert one.documents == other.documents
    assert set(one.outputs) == set(other.outputs)
    assert one.systems == other.systems


@pytest.mark.parametrize("source", [(), (("source.txt", f"{LONG}\n{LONG}!\n".encode()),)])
def test_files_of_short_lines_are_a_system_each(source):
    files = read_grids([*source, ("alpha.txt", b"One.\nTwo.\n"), ("beta.txt", b"Uno.\nDue.\n")])
    made = assemble(files, guessed_roles(files)).materials
    assert {row.id for row in made.systems} == {"alpha", "beta"}
    assert {row.text for row in made.outputs if row.system == "beta"} >= {"Due."}


def test_a_row_that_repeats_the_names_of_the_columns_is_left_out():
    """As where files were written one below the other, names and all."""
    grid = table(
        "doc_id source system summary",
        ("d1", LONG, "A", "One."),
        ("doc_id", "source ", "system", "summary"),
        ("d2", LONG + "!", "A", "Two."),
    )
    made = assemble(grid, guessed_roles(grid))
    assert [row.id for row in made.materials.documents] == ["d1", "d2"]
    assert said(made) == [(1, "This row repeats the names of the columns, and is left out.", False)]


def test_outputs_without_a_source_are_about_topics_and_a_question_describes_them():
    grid = table("question system answer", ("Why?", "A", "So."), ("Why?", "B", "Thus."), ("Who?", "A", "He."))
    made = assemble(grid, guessed_roles(grid)).materials
    assert [(row.id, row.description) for row in made.topics] == [("d1", "Why?"), ("d2", "Who?")]
    assert [(row.system, row.topic) for row in made.outputs] == [("A", "d1"), ("B", "d1"), ("A", "d2")]


def test_events_have_documents_and_what_is_relevant():
    grid = table(
        "event question doc_id source relevant system output",
        ("e1", "A flood.", "d1", LONG, "yes", "HEAD", "Water"),
        ("e1", "A flood.", "d2", LONG + "!", "0", "HEAD", "Dry"),
    )
    made = assemble(grid, guessed_roles(grid)).materials
    assert made.topics[0].gold == {"d1": True, "d2": False}
    assert [row.topic for row in made.documents] == ["e1", "e1"]


def test_problems_stand_beside_their_rows():
    grid = table(
        "doc_id source system summary",
        ("d1", LONG, "A", "One."),
        ("d1", "Another source.", "B", "Two."),
        ("d1", LONG, "A", "Three."),
        ("d1", LONG, "A", "One."),
        ("", LONG, "A", "Four."),
        ("d2", LONG, "", "Five."),
        ("d2", LONG, "B", ""),
        ("", "", "", ""),
    )
    made = assemble(grid, guessed_roles(grid))
    assert said(made) == [
        (1, "“d1” has another source here than in row 2.", True),
        (2, "“A” has a text on “d1” already, in row 2: give one of them another id, or remove it.", True),
        (4, "There is no id: which document is this about?", True),
        (5, "Which system wrote this? The cell is empty.", True),
        (3, "“A” has a text on “d1” already, in row 2, the same one; this row adds nothing.", False),
        (6, "“B” has no text on “d2”; this piece is left out.", False),
    ]
    assert [issue.column for issue in made.issues] == [1, 3, 0, 2, 3, 3]
    assert made.matrix.double == [("d1", "A")]


def test_mending_a_cell_or_emptying_a_row_settles_its_problem():
    grid = table("doc_id source system summary", ("d1", LONG, "A", "One."), ("d1", LONG, "A", "Two."))
    roles = guessed_roles(grid)
    assert assemble(grid, roles).fatal
    mended = assemble(grid.changed(1, ("d1", LONG, "B", "Two.")), roles)
    assert not mended.issues
    assert len(mended.materials.outputs) == 2
    assert len(assemble(grid.without(1), roles).materials.outputs) == 1


def test_identical_texts_of_an_item_are_named():
    grid = table("id a b c", ("d1", "Same.", "Same.", "Other."), ("d2", "x", "y", "z"))
    made = assemble(grid, ("document", "outputs", "outputs", "outputs"))
    assert made.matrix.identical == {"d1": (("a", "b"),)}


@pytest.mark.parametrize(
    ("roles", "message"),
    [
        (("document", "ignore"), "Say which column holds the texts to be judged."),
        (("output", "output"), "Only one column can be"),
        (("system", "outputs"), "not both"),
    ],
)
def test_roles_that_make_no_study_are_said_before_any_row(roles, message):
    made = assemble(table("a b", ("x", "y")), roles)
    assert [message in issue.message for issue in made.issues] == [True]
    assert made.materials.outputs == ()


cells = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12)
grids = st.integers(1, 5).flatmap(
    lambda width: st.tuples(
        st.lists(st.tuples(*[cells] * width), min_size=1, max_size=12),
        st.tuples(*[st.sampled_from(sorted(ROLES))] * width),
    )
)


@settings(max_examples=300, deadline=None)
@given(grids)
def test_any_table_with_any_roles_gives_materials_that_a_study_file_takes_or_says_why_not(drawn):
    rows, roles = drawn
    grid = Grid("t", tuple(f"c{number}" for number in range(len(roles))), tuple(rows))
    made = assemble(grid, roles)
    for issue in made.issues:
        assert issue.row is None or 0 <= issue.row < len(rows)
        assert issue.column is None or 0 <= issue.column < len(roles)
    guessed = guessed_roles(grid)
    assert len(guessed) == len(roles)
    for name in ("topics", "documents", "references", "outputs"):
        assert len(made.rows_of[name]) == len(getattr(made.materials, name))
    # Every text that is judged stands in some row, word for word.
    there = {cell.strip() for row in rows for cell in row}
    assert all(output.text in there for output in made.materials.outputs)
    if not made.fatal and made.materials.outputs:
        study = study_of_table(made, TEMPLATES["linguistic-quality"], name="Any", slug="any")
        back = checked_study(study)
        assert back.materials == study.materials
        assert read_study(files_of(back)) == back


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 6), st.integers(1, 5), st.randoms(use_true_random=False))
def test_the_order_of_rows_changes_nothing_but_orders(documents, systems, rng):
    rows = [
        (f"d{d}", LONG.format(d), f"s{s}", f"Text {s} on {d}.")
        for d in range(documents)
        for s in range(systems)
    ]
    roles = ("document", "source", "system", "output")
    straight = assemble(table("a b c d", *rows), roles)
    rng.shuffle(rows)
    shuffled = assemble(table("a b c d", *rows), roles)
    assert set(straight.materials.outputs) == set(shuffled.materials.outputs)
    assert set(straight.materials.documents) == set(shuffled.materials.documents)
    assert not shuffled.issues
    assert not shuffled.matrix.missing


ROWS = [
    (
        f"d{d}",
        f"Event {d}",
        LONG.format(d),
        f"What {d} is about.",
        f"A reference on {d}.",
        s,
        f"Text of {s} on {d}. More.",
    )
    for d in range(3)
    for s in ("A", "B", "C", "D", "E")
]
EVERYTHING = table("doc_id event source question reference system summary", *ROWS)


@pytest.mark.parametrize("name", TEMPLATES)
def test_every_template_makes_a_study_of_a_table_that_has_everything(name):
    made = assemble(EVERYTHING, guessed_roles(EVERYTHING))
    study = study_of_table(made, TEMPLATES[name], name="All of it", slug="all-of-it")
    assert checked_study(study) == study
    assert len(study.instructions) > 200


def test_slugs_are_made_of_names():
    assert slug_of("Köln: 40 × 6!") == "koln-40-6"
    assert slug_of("要約") == "study"


def test_references_of_documents_whose_long_ids_begin_alike_have_ids_of_their_own():
    """Before: the same id twice, which no database takes."""
    ids = ["x" * 195 + letter for letter in "abc"]
    grid = table(
        "doc_id source system summary reference",
        *((key, f"Source {key[-1]}.", "A", "Text.", "Reference.") for key in ids),
    )
    references = assemble(grid, guessed_roles(grid)).materials.references
    assert [row.document for row in references] == ids
    assert len({row.id for row in references}) == len(ids)
    assert max(len(row.id) for row in references) <= 200
