"""Zips as people and attackers make them."""

import io
import stat
import struct
import tracemalloc
import zipfile

import pytest

from annotation.study_files import read_study
from tests.annotation.study_files.conftest import GOOD, problems_of

DEFLATED = zipfile.ZIP_DEFLATED


def zipped(files, *, prefix="", compression=DEFLATED, path=None):
    buffer = path or io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as archive:
        for name, content in files.items():
            archive.writestr(prefix + name if isinstance(name, str) else name, content)
    return buffer


def test_a_zip_is_read_as_its_folder(folder, tmp_path):
    path = zipped(GOOD, path=tmp_path / "study.zip")
    assert read_study(path) == read_study(folder)


def test_a_zip_may_be_an_open_file(folder):
    assert read_study(zipped(GOOD)) == read_study(folder)


def test_one_folder_around_everything_is_accepted(folder):
    assert read_study(zipped(GOOD, prefix="my study/")) == read_study(folder)
    assert read_study(folder.parent) == read_study(folder)


def test_what_other_systems_add_to_zips_is_ignored(folder):
    files = {f"study/{name}": content for name, content in GOOD.items()}
    junk = {"__MACOSX/study/._study.yaml": b"\0", "study/.DS_Store": b"\0", "study/": b""}
    assert read_study(zipped(files | junk)) == read_study(folder)


def test_files_in_folders_can_be_named(folder):
    text = GOOD["study.yaml"].replace("outputs: outputs.jsonl", "outputs: texts/outputs.jsonl")
    files = GOOD | {"study.yaml": text, "texts/outputs.jsonl": GOOD["outputs.jsonl"]}
    del files["outputs.jsonl"]
    assert read_study(zipped(files)) == read_study(folder)


def test_two_folders_are_not_one():
    files = {"a/study.yaml": GOOD["study.yaml"], "b/study.yaml": GOOD["study.yaml"]}
    assert problems_of(zipped(files)) == [
        "There is no study.yaml at the top of the zip, or in its only folder."
    ]


def test_an_empty_zip_is_refused():
    assert problems_of(zipped({})) == ["There is no study.yaml at the top of the zip, or in its only folder."]


@pytest.mark.parametrize("data", [b"", b"PK", b"hello" * 100, zipped(GOOD).getvalue()[:-30]])
def test_what_is_no_zip_is_refused(data):
    assert problems_of(io.BytesIO(data)) == ["This is neither a folder nor a zip file that can be read."]


@pytest.mark.parametrize(
    "name",
    ["../evil.jsonl", "/etc/evil", "a/../../evil", "a\\..\\evil", "C:/evil", "~/evil", "a//evil", "./evil"],
)
def test_names_that_lead_outside_are_refused(name, tmp_path):
    found = problems_of(zipped(GOOD | {name: "x"}))
    assert len(found) == 1
    assert found[0].startswith(name)
    assert not list(tmp_path.iterdir())


def test_a_link_in_a_zip_is_refused():
    link = zipfile.ZipInfo("documents.jsonl")
    link.create_system = 3
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    files = {name: content for name, content in GOOD.items() if name != "documents.jsonl"} | {
        link: "/etc/passwd"
    }
    assert problems_of(zipped(files)) == ["documents.jsonl: is a link; put the file itself into the zip."]


def test_a_name_twice_is_refused():
    buffer = zipped(GOOD)
    with zipfile.ZipFile(buffer, "a") as archive, pytest.warns(UserWarning, match="Duplicate name"):
        archive.writestr("systems.csv", "id\ns1\n")
    assert problems_of(buffer) == ["systems.csv: is in the zip twice."]


def test_an_encrypted_zip_is_refused():
    data = bytearray(zipped({"study.yaml": "x"}).getvalue())
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(signature) + offset] |= 1
    assert problems_of(io.BytesIO(data)) == ["study.yaml: is encrypted; make a zip without a password."]


def test_unusual_compression_is_refused():
    found = problems_of(zipped({"study.yaml": "x"}, compression=zipfile.ZIP_LZMA))
    assert found == ["study.yaml: is packed in an unusual way; make a plain zip."]


def test_a_zip_with_too_many_entries_is_refused():
    found = problems_of(zipped(GOOD | {f"f{number}": "" for number in range(1000)}))
    assert found == ["The zip has 1,010 entries; a study has at most 1,000."]


def test_a_zip_that_unpacks_too_large_is_refused_unread():
    bomb = zipped(GOOD | {"zeros.jsonl": b"\0" * 20_000_000})
    assert len(bomb.getvalue()) < 100_000
    found = problems_of(bomb, max_bytes=10_000_000)
    assert found == [
        "The zip unpacks to more than 10,000,000 bytes, more than this server takes. Split the study into several."
    ]


def test_a_zip_that_lies_about_its_size_is_not_unpacked():
    real = 64 * 1024 * 1024
    data = bytearray(zipped(GOOD | {"documents.jsonl": b" " * real}).getvalue())
    size = struct.pack("<L", real)
    while (place := data.find(size)) >= 0:
        data[place : place + 4] = struct.pack("<L", 100)
    tracemalloc.start()
    try:
        found = problems_of(io.BytesIO(data))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert any("the zip is damaged here" in problem for problem in found)
    assert peak < real / 4


def test_a_damaged_zip_is_refused():
    data = bytearray(zipped(GOOD, compression=zipfile.ZIP_STORED).getvalue())
    data[data.index(b"First story")] ^= 1
    found = problems_of(io.BytesIO(data))
    assert found == [
        "study.yaml:8: “materials documents”: “documents.jsonl” cannot be read: the zip is damaged here. Make it anew."
    ]
