"""Tables as people have them, as rows of cells."""

import io
import json
import time
import tracemalloc
import zipfile

import pytest
from openpyxl import Workbook

from annotation.tables import Grid, TableProblem, read_grid, read_grids
from annotation.tables import grid as limits

ROWS = [
    ["doc_id", "system", "summary"],
    ["d1", "A", "The port is closed, they say."],
    ["d1", "B", "No ships; none."],
    ["d2", "A", 'A "quoted"\nsecond line'],
]


def workbook(*sheets: list[list], names: tuple[str, ...] = ()) -> bytes:
    book = Workbook()
    book.remove(book.active)
    for number, rows in enumerate(sheets):
        sheet = book.create_sheet(names[number] if names else f"Sheet{number}")
        for row in rows:
            sheet.append(row)
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def delimited(delimiter: str) -> bytes:
    import csv

    buffer = io.StringIO()
    csv.writer(buffer, delimiter=delimiter).writerows(ROWS)
    return buffer.getvalue().encode()


OBJECTS = [dict(zip(ROWS[0], row, strict=True)) for row in ROWS[1:]]


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("t.csv", delimited(",")),
        ("t.csv", delimited(";")),  # as Excel saves it where a comma divides decimals
        ("t.tsv", delimited("\t")),
        ("", delimited("\t")),  # pasted from a spreadsheet
        ("t.csv", "\ufeff".encode() + delimited(",")),
        ("t.txt", delimited("\t").decode().encode("utf-16")),  # Excel's “Unicode text”
        ("t.xlsx", workbook(ROWS)),
        ("t.json", json.dumps(OBJECTS).encode()),
        ("t.json", json.dumps({"data": OBJECTS}).encode()),
        ("t.json", json.dumps(ROWS).encode()),
        ("t.jsonl", "\n".join(map(json.dumps, OBJECTS)).encode()),
        ("", "\n".join(map(json.dumps, OBJECTS)).encode()),
    ],
)
def test_the_same_table_in_any_format_gives_the_same_cells(name, data):
    read = read_grid(data, name)
    assert read.columns == tuple(ROWS[0])
    assert [[cell.replace("\r\n", "\n") for cell in row] for row in read.rows] == ROWS[1:]


def test_lines_of_prose_are_one_text_each():
    prose = "The port is closed, they say.\nNo ships sail, and none will, before Monday, or Tuesday.\nFerries wait.\n"
    read = read_grid(prose.encode())
    assert read.plain
    assert [row[0][:5] for row in read.rows] == ["The p", "No sh", "Ferri"]
    assert not read.has_header


def test_a_txt_with_commas_is_a_table_only_where_its_first_line_names_columns():
    """A table taken for lines would show assessors the names of systems within the texts."""
    read = read_grid(b"source,system,output\nThe port is shut.,a,hello there\nNo ships.,b,hi\n", "d.txt")
    assert read.columns == ("source", "system", "output")
    assert read.rows[0] == ("The port is shut.", "a", "hello there")
    prose = b"The port, they say, is shut.\nNo ships, it seems, sail.\nSource, as we hear, unknown.\n"
    read = read_grid(prose, "d.txt")
    assert read.plain and [len(row) for row in read.rows] == [1, 1, 1]


def test_names_of_systems_over_long_texts_are_a_header_and_short_cells_alone_are_none():
    long = "A text that goes on for quite a while, so that nobody takes it for a name."
    assert read_grid(workbook([["alpha", "beta"], [long, long + "!"], [long, long]])).has_header
    assert not read_grid(workbook([["a", "b"], ["c", "d"]])).has_header
    assert not read_grid(workbook([["1", "2"], [long, long]])).has_header


def test_a_header_can_be_taken_for_a_row_and_back():
    read = read_grid(delimited(","), "t.csv")
    bare = read.without_header()
    assert bare.columns == ("Column 1", "Column 2", "Column 3")
    assert bare.rows[0] == tuple(ROWS[0])
    assert (read.number(0), bare.number(0)) == (2, 1)  # as a spreadsheet counts
    assert bare.with_header().rows == read.rows


def test_a_workbook_with_numbers_dates_and_several_sheets_says_which_was_read():
    from datetime import date, datetime

    rows = [["id", "summary"], [7.0, date(2024, 5, 1)], [2.5, datetime(2024, 5, 1, 9, 30)], [True, None]]
    read = read_grid(workbook([], rows, names=("Empty", "Texts")), "t.xlsx")
    assert read.rows == (("7", "2024-05-01"), ("2.5", "2024-05-01 09:30:00"), ("true", ""))
    assert read.notes == ("The workbook has 2 sheets; “Texts” was read.",)


def merged(*ranges: str) -> bytes:
    book = Workbook()
    for row in ROWS:
        book.active.append(row)
    for cells in ranges:
        book.active.merge_cells(cells)
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def test_merged_cells_hold_for_each_of_their_rows(monkeypatch):
    grid = read_grid(merged("A2:A3"), "t.xlsx")
    assert [row[0] for row in grid.rows] == ["d1", "d1", "d2"]
    assert any("Merged cells were filled" in note for note in grid.notes)
    assert not read_grid(workbook(ROWS), "t.xlsx").notes
    assert read_grid(merged("A1:C1"), "t.xlsx").columns[0] == "doc_id", "beside each other they hold once"
    monkeypatch.setattr("annotation.tables.workbook.CELL", limits.MAX_CELL * 200)
    with pytest.raises(TableProblem, match="Unmerge them"):
        read_grid(merged("A2:A3"), "t.xlsx")


def test_a_merged_cell_holds_only_for_rows_that_say_something_themselves():
    book = Workbook()
    for row in (*ROWS[:2], *ROWS[3:]):
        book.active.append(row)
    book.active["C9"] = "A text far below."
    book.active["A9"] = "d3"
    book.active.merge_cells("B3:B9")
    buffer = io.BytesIO()
    book.save(buffer)
    read = read_grid(buffer.getvalue(), "t.xlsx")
    assert [row[1] for row in read.rows] == ["A", "A", "", "", "", "", "", "A"]
    assert not any(any(row) for row in read.rows[2:-1])


def test_a_block_over_two_columns_is_filled_downwards_in_its_first():
    assert [row[:2] for row in read_grid(merged("A2:B3"), "t.xlsx").rows[:2]] == [("d1", ""), ("d1", "")]


def test_what_only_looks_like_merged_cells_takes_no_longer_for_being_much():
    """A pattern that began anew at each such word took time by the square: minutes for this file."""
    packed = io.BytesIO(merged("A2:A3"))
    unlike = b'<phoneticPr fontId="' + b"mergeCell " * 100_000 + b'"/></worksheet>'
    with zipfile.ZipFile(packed) as book:
        parts = {entry: book.read(entry) for entry in book.namelist()}
    with zipfile.ZipFile(packed, "w") as book:
        for name, part in parts.items():
            book.writestr(
                name, part.replace(b"</worksheet>", unlike) if name.endswith("sheet1.xml") else part
            )
    began = time.process_time()
    grid = read_grid(packed.getvalue(), "t.xlsx")
    assert time.process_time() - began < 10
    assert [row[0] for row in grid.rows] == ["d1", "d1", "d2"]


@pytest.mark.parametrize("above", [[["My results"]], [["My results"], []], [[], ["made in May"], []]])
def test_titles_above_the_names_of_columns_are_left_out_and_rows_keep_their_numbers(above):
    grid = read_grid(workbook([*above, *ROWS]), "t.xlsx")
    assert (grid.columns, len(grid.rows)) == (tuple(ROWS[0]), 3)
    assert grid.number(0) == len(above) + 2
    assert any("taken for a title" in note for note in grid.notes)


def test_columns_get_names_that_differ():
    read = read_grid(b"id,text,text,\nd1,a,b,c\n", "t.csv")
    assert read.columns == ("id", "text", "text (2)", "Column 4")


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("t.xls", b"x", ".xls cannot be read. Save it as .xlsx or .csv"),
        ("t.xlsx", b"PK\x03\x04rubbish", "The file is damaged"),
        ("t.csv", b"", "nothing in the table"),
        ("t.csv", b"\n\n,,\n", "nothing in the table"),
        ("t.xlsx", workbook([[]]), "nothing in the workbook"),
        ("t.json", b"[1, 2]", "must be an object"),
        ("t.json", b'[{"a": {"b": 1}}]', "holds an object"),
        ("t.json", b'[{"a": 1},', "not JSON"),
        ("t.jsonl", b'{"a": "x"}\n{"a"\n', "Line 2 is not JSON"),
        ("t.csv", b'id,text\nd1,"open\nd2,x,y,z\n', "Line 2 cannot be read"),
        ("t.csv", b'id,text\nd1,"a\nb"\nd2,"open\nd3,"x",z\nd4,y\n', "Line 4 cannot be read"),
        ("t.csv", b"id,text\nd1,a\0b\n", "NUL"),
        (
            "t.json",
            b'[{"id": "d1", "te\\ud800xt": "a"}]',
            "Among the names of columns: a text holds half a character",
        ),
        (
            "t.json",
            b'[{"id": "d1", "te\\u0000xt": "a"}]',
            "Among the names of columns: a text holds the character NUL",
        ),
        ("t.csv", b"id,text\nd1,\x81\x8d\n", "neither text in UTF-8"),
        ("t.csv", b",".join([b"x"] * 201), "more than 200 cells"),
        ("t.csv", b"%PDF-1.7\n1 0 obj", "This is a PDF"),
        ("t.csv", b"\xd0\xcf\x11\xe0\xa1\xb1", "an old Office"),
        ("t.csv", b"doc_id,source,system,summary\n", "no row below them"),
    ],
)
def test_what_is_no_table_is_refused_in_words(name, data, said):
    with pytest.raises(TableProblem) as problem:
        read_grid(data, name)
    assert said in str(problem.value)


def test_too_many_rows_and_workbooks_made_to_burst_are_refused(monkeypatch):
    monkeypatch.setattr(limits, "MAX_ROWS", 10)
    many = [["id", "text"], *[["d", "x"]] * 20]
    with pytest.raises(TableProblem, match="rows"):
        read_grid("\n".join(map(",".join, many)).encode(), "t.csv")
    with pytest.raises(TableProblem, match="rows"):
        read_grid(workbook(many), "t.xlsx")
    with pytest.raises(TableProblem, match="unpacks to more than"):
        read_grid(workbook(many), "t.xlsx", max_bytes=1000)


def with_sheet(rows: str) -> bytes:
    """A workbook whose sheet is written by hand."""
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(workbook([["x"]]))) as plain, zipfile.ZipFile(made, "w") as archive:
        for name in plain.namelist():
            sheet = f'<worksheet xmlns="{main}"><sheetData>{rows}</sheetData></worksheet>'.encode()
            archive.writestr(name, sheet if "worksheets/" in name else plain.read(name))
    return made.getvalue()


BURSTING = {
    # One cell at the right end of each row, and openpyxl makes 18,278 of it: 20,000 such rows, 100 KB, cost minutes and gigabytes.
    "cells far to the right": lambda: with_sheet(
        "".join(f'<row r="{n}"><c r="ZZZ{n}"><v>1</v></c></row>' for n in range(1, 1001))
    ),
    "empty objects": lambda: json.dumps([{f"k{n}": 1 for n in range(200)}, *[{}] * 20_000]).encode(),
    "empty arrays": lambda: b"[[]" + b",[]" * 300_000 + b"]",
    "lines of JSON": lambda: b"{}\n" * 300_000,
    "empty lines": lambda: b"a,b\n" * 60 + b"\n" * 500_000,
    "lines": lambda: b"a\n" * 300_000,
    "lines behind a quotation mark": lambda: b"a,b\n" * 60 + b'a,"b"c\n' + b"\n" * 300_000,
}


@pytest.mark.parametrize("what", BURSTING)
def test_a_table_without_end_is_not_read_to_its_end(what, monkeypatch):
    monkeypatch.setattr(limits, "MAX_ROWS", 1000)
    monkeypatch.setattr(limits, "MAX_VALUES", 20_000)
    data = BURSTING[what]()
    tracemalloc.start()
    try:
        with pytest.raises(TableProblem, match=r"more than|cannot be read"):
            read_grid(data, "t.csv" if "line" in what and "JSON" not in what else "")
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 30 * 2**20


def test_cells_that_are_only_formatted_are_no_cells():
    styled = '<row r="1"><c r="A1"><v>7</v></c><c r="B1"><v>8</v></c><c r="XFD1" s="1"/></row>'
    assert read_grid(with_sheet(styled), "t.xlsx").rows == (("7", "8"),)


def test_entities_of_a_workbook_are_not_read():
    evil = '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/hostname">]>'
    made = with_sheet('<row r="1"><c r="A1" t="inlineStr"><is><t>&amp;a;</t></is></c></row>')
    spoilt = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(made)) as plain, zipfile.ZipFile(spoilt, "w") as archive:
        for name in plain.namelist():
            data = plain.read(name)
            archive.writestr(
                name, evil.encode() + data.replace(b"&amp;a;", b"&a;") if "worksheets/" in name else data
            )
    with pytest.raises(TableProblem, match="damaged"):
        read_grid(spoilt.getvalue(), "t.xlsx")


def test_windows_letters_are_read_and_it_is_said():
    read = read_grid("id,text\nd1,Köln\n".encode("cp1252"), "t.csv")
    assert read.rows == (("d1", "Köln"),)
    assert "Windows-1252" in read.notes[0]


def test_files_of_lines_stand_beside_each_other():
    read = read_grids([("source.txt", b"Eins.\nZwei.\n"), ("alpha.txt", b"One.\nTwo.\n")])
    assert read == Grid("", ("source", "alpha"), (("Eins.", "One."), ("Zwei.", "Two.")), 1, plain=True)
    with pytest.raises(TableProblem, match=r"same number of lines.*source has 2, alpha has 1"):
        read_grids([("source.txt", b"Eins.\nZwei.\n"), ("alpha.txt", b"One.\n")])


def test_tables_with_the_same_columns_stand_below_each_other_and_name_their_file():
    one, two = b"id,summary\nd1,One.\n", b"summary,id\nUno.,d1\n"
    read = read_grids([("alpha.csv", one), ("beta.csv", two)])
    assert read.columns == ("File", "id", "summary")
    assert read.rows == (("alpha", "d1", "One."), ("beta", "d1", "Uno."))
    with pytest.raises(TableProblem, match="alpha has no column “text”"):
        read_grids([("alpha.csv", one), ("beta.csv", b"id,text\nd1,x\n")])


def test_one_long_text_in_many_cells_is_counted_in_each_of_them(monkeypatch):
    """A workbook holds a text once that all of its cells share: a megabyte of it took minutes."""
    monkeypatch.setattr("annotation.tables.workbook.MAX_UNPACKED", 200_000)
    shares = '<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><si><t>{}</t></si></sst>'
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/sharedStrings"
    relation = f'<Relationship Id="rId99" Type="{kind}" Target="/xl/sharedStrings.xml"/></Relationships>'
    content = "application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"
    part = f'<Override PartName="/xl/sharedStrings.xml" ContentType="{content}"/></Types>'
    row = (
        '<row r="{0}"><c r="A{0}" t="inlineStr"><is><t>d{0}</t></is></c><c r="B{0}" t="s"><v>0</v></c></row>'
    )

    def shared(rows: int) -> bytes:
        packed, book = io.BytesIO(), zipfile.ZipFile(io.BytesIO(workbook([["document", "summary"]])))
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for name in book.namelist():
                xml = book.read(name).decode()
                xml = xml.replace("</Relationships>", relation) if name.endswith("workbook.xml.rels") else xml
                xml = xml.replace("</Types>", part).replace(
                    "</sheetData>", "".join(map(row.format, range(2, rows + 2))) + "</sheetData>"
                )
                archive.writestr(name, xml)
            archive.writestr("xl/sharedStrings.xml", shares.format("x" * 1000))
        return packed.getvalue()

    assert [len(cells[1]) for cells in read_grid(shared(100), "t.xlsx").rows] == [1000] * 100
    with pytest.raises(TableProblem, match="200,000 characters"):
        read_grid(shared(300), "t.xlsx")


def test_a_sign_within_a_line_does_not_end_it():
    """Before: a text with a line separator became two, and what stood below it was set beside texts about something else."""
    one, two = "One.\u2028Still one.\nTwo.\nThree.\n", "Eins.\r\nZwei.\r\nDrei.\x85Noch drei.\r\n"
    read = read_grids([("alpha.txt", one.encode()), ("beta.txt", two.encode())])
    assert [tuple(cell.split(".")[0] for cell in row) for row in read.rows] == [
        ("One", "Eins"), ("Two", "Zwei"), ("Three", "Drei")
    ]  # fmt: skip
