"""The files of a study, from a folder or a zip. Nothing is unpacked to disk and nothing outside is ever read."""

from __future__ import annotations

import re
import stat
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, Protocol

from annotation.study_files.problems import Problem, StudyFileProblems, suggestion

STUDY = "study.yaml"
SHORT = "study.yml"  # taken as well
MAX_BYTES = 500 * 1024 * 1024
MAX_ENTRIES = 1000
MAX_RATIO = 100  # texts are packed to a third or a tenth; what shrinks more is meant to burst
SUSPICIOUS = 10 * 1024 * 1024  # bytes; below that it does no harm
_PIECE = 1024 * 1024
_JUNK = re.compile(r"(?:^|/)(?:__MACOSX/|\.DS_Store$|Thumbs\.db$|desktop\.ini$)")


class Unreadable(Exception):
    """A file of the study cannot be read; the message says why."""


class Files(Protocol):
    """The files of a study, by their names relative to study.yaml."""

    def names(self) -> list[str]: ...

    def read(self, name: str) -> bytes:
        """The file's bytes; ``Unreadable`` if there is no such file, or it must not be read."""
        ...


@contextmanager
def open_files(
    source: Path | IO[bytes] | Mapping[str, bytes], *, max_bytes: int = MAX_BYTES
) -> Iterator[Files]:
    """The files of a study in a folder, in a zip or at hand; ``StudyFileProblems`` if it is none of these."""
    if isinstance(source, Mapping):
        yield Held(source)
        return
    if isinstance(source, Path) and source.is_dir():
        yield Folder(source, max_bytes=max_bytes)
        return
    if isinstance(source, Path) and not source.exists():
        raise _unusable(f"There is no {source}.")
    if isinstance(source, Path) and not source.is_file():  # a device or a pipe, which may never end
        raise _unusable(f"{source} is neither a folder nor a file.")
    if isinstance(source, Path) and source.name in {STUDY, SHORT}:
        raise _unusable(f"Give the folder that holds {source.name}, not {source.name} itself.")
    try:
        archive = zipfile.ZipFile(source)
    except (zipfile.BadZipFile, zlib.error, ValueError, NotImplementedError, OverflowError):
        raise _unusable("This is neither a folder nor a zip file that can be read.") from None
    except OSError as error:
        raise _unusable(f"The file cannot be read: {error.strerror}.") from None
    with archive:
        yield Zip(archive, max_bytes=max_bytes)


def _unusable(message: str) -> StudyFileProblems:
    return StudyFileProblems([Problem("", None, message)])


def _absent(name: str, names: list[str]) -> Unreadable:
    return Unreadable(f"there is no file “{name}” in the study{suggestion(name, names)}")


def check_name(name: str) -> None:
    """Refuse a name that could lead out of the study's folder."""
    if "://" in name:
        raise Unreadable("nothing is fetched from the network; put the file beside study.yaml and name it.")
    if name.startswith("/") or re.match(r"[A-Za-z]:", name) or name.startswith("~"):
        raise Unreadable(f"“{name}” is an absolute path; name a file beside study.yaml.")
    if "\\" in name:
        raise Unreadable(f"“{name}” has a backslash; write / between folder and file.")
    if ".." in name.split("/"):
        raise Unreadable(f"“{name}” points outside the folder of the study.")
    if not name.strip() or "\0" in name or any(part in {"", "."} for part in name.split("/")):
        raise Unreadable(f"“{name}” is not the name of a file.")


def _has_study(folder: Path) -> bool:
    return (folder / STUDY).exists() or (folder / SHORT).exists()


class Folder:
    """A study in a folder, or in the only folder of a folder (as unpacked zips often are)."""

    def __init__(self, path: Path, *, max_bytes: int):
        self._root = path.resolve()
        self._left = max_bytes
        self._max_bytes = max_bytes
        if not _has_study(self._root):
            inner = [child for child in self._root.iterdir() if child.is_dir() and _has_study(child)]
            if len(inner) != 1:
                raise _unusable(f"There is no {STUDY} in {path}.")
            self._root = inner[0].resolve()

    def names(self) -> list[str]:
        return sorted(child.name for child in self._root.iterdir() if child.is_file())

    def read(self, name: str) -> bytes:
        check_name(name)
        if name == STUDY and not (self._root / STUDY).exists():
            name = SHORT
        path = self._root / name
        try:
            real = path.resolve(strict=True)
        except (OSError, RuntimeError):
            raise _absent(name, self.names()) from None
        if not real.is_relative_to(self._root):
            raise Unreadable(f"“{name}” is a link that points outside the folder of the study.")
        if not real.is_file():  # a folder, or a pipe that would never end
            raise Unreadable(f"“{name}” is not a file.")
        try:
            with real.open("rb") as file:
                data = file.read(self._left + 1)
        except OSError as error:
            raise Unreadable(f"“{name}” cannot be read: {error.strerror}.") from None
        self._left -= len(data)
        if self._left < 0:
            raise Unreadable(
                f"the files have more than {self._max_bytes:,} bytes, more than this server takes. "
                "Split the study into several."
            )
        return data


class Held:
    """Files that are in memory already, made here and not sent by anybody."""

    def __init__(self, files: Mapping[str, bytes]):
        self._files = files

    def names(self) -> list[str]:
        return sorted(self._files)

    def read(self, name: str) -> bytes:
        if name not in self._files:
            raise _absent(name, self.names())
        return self._files[name]


class Zip:
    """A study in a zip, whose files may all be in one folder. It is checked as a whole before a file is read."""

    def __init__(self, archive: zipfile.ZipFile, *, max_bytes: int):
        self._archive = archive
        entries = archive.infolist()
        self._check(entries, max_bytes)
        self._entries = {
            entry.filename: entry
            for entry in entries
            if not entry.is_dir() and not _JUNK.search(entry.filename)
        }
        self._prefix = self._wrapping_folder()

    def _check(self, entries: list[zipfile.ZipInfo], max_bytes: int) -> None:
        if len(entries) > MAX_ENTRIES:
            raise _unusable(f"The zip has {len(entries):,} entries; a study has at most {MAX_ENTRIES:,}.")
        if sum(entry.file_size for entry in entries) > max_bytes:
            raise _unusable(
                f"The zip unpacks to more than {max_bytes:,} bytes, more than this server takes. "
                "Split the study into several."
            )
        packed, unpacked = (
            sum(getattr(entry, size) for entry in entries) for size in ("compress_size", "file_size")
        )
        if unpacked > SUSPICIOUS and unpacked > MAX_RATIO * packed:
            raise _unusable(
                f"The zip unpacks to {unpacked // max(packed, 1):,} times its size, which no texts do. Make it anew."
            )
        problems = []
        seen: set[str] = set()
        for entry in entries:
            name = entry.filename
            try:
                check_name(name.removesuffix("/"))
            except Unreadable as reason:
                problems.append(Problem(name, None, str(reason)))
            if stat.S_ISLNK(entry.external_attr >> 16):
                problems.append(Problem(name, None, "is a link; put the file itself into the zip."))
            if entry.flag_bits & 0x1:
                problems.append(Problem(name, None, "is encrypted; make a zip without a password."))
            if entry.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
                problems.append(Problem(name, None, "is packed in an unusual way; make a plain zip."))
            if name in seen:
                problems.append(Problem(name, None, "is in the zip twice."))
            seen.add(name)
        if problems:
            raise StudyFileProblems(problems)

    def _wrapping_folder(self) -> str:
        if STUDY in self._entries or SHORT in self._entries:
            return ""
        tops = {PurePosixPath(name).parts[0] for name in self._entries}
        if len(tops) == 1 and {f"{min(tops)}/{STUDY}", f"{min(tops)}/{SHORT}"} & self._entries.keys():
            return f"{min(tops)}/"
        raise _unusable(f"There is no {STUDY} at the top of the zip, or in its only folder.")

    def names(self) -> list[str]:
        return sorted(name.removeprefix(self._prefix) for name in self._entries)

    def read(self, name: str) -> bytes:
        check_name(name)
        entry = self._entries.get(self._prefix + name)
        if entry is None and name == STUDY:
            entry = self._entries.get(self._prefix + SHORT)
        if entry is None:
            raise _absent(name, self.names())
        try:
            # In pieces: an entry that lies about its size must not be unpacked whole before that is noticed.
            with self._archive.open(entry) as file:
                return b"".join(iter(lambda: file.read(_PIECE), b""))
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, RuntimeError):
            raise Unreadable(f"“{name}” cannot be read: the zip is damaged here. Make it anew.") from None
