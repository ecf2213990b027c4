"""Static files at the start of the server."""

import os
import threading
import time

from django.contrib.staticfiles.finders import get_finder

from annotation.management.commands import serve


def test_static_files_are_collected_again_only_if_one_has_changed(tmp_path, settings):
    source = tmp_path / "source"
    source.mkdir()
    (source / "page.css").write_text("a { color: red }")
    settings.STATICFILES_DIRS = [source]
    settings.STATICFILES_FINDERS = ["django.contrib.staticfiles.finders.FileSystemFinder"]
    settings.STATIC_ROOT = tmp_path / "collected"
    get_finder.cache_clear()  # the finder of the other folders

    serve.static_files_collect()
    collected = settings.STATIC_ROOT / "page.css"
    assert collected.read_text() == "a { color: red }"

    collected.write_text("left alone")
    serve.static_files_collect()
    assert collected.read_text() == "left alone"

    (
        settings.STATIC_ROOT / "collected.txt"
    ).unlink()  # killed in the middle, or no room: what is there may be half of it
    collected.write_text("a { co")
    serve.static_files_collect()
    assert collected.read_text() == "a { color: red }"

    (source / "page.css").write_text("a { color: green }")
    os.utime(source / "page.css", (time.time() + 60, time.time() + 60))  # newer than what was collected
    serve.static_files_collect()
    assert collected.read_text() == "a { color: green }"


def test_of_two_who_start_at_once_one_waits_until_the_other_has_collected(tmp_path, settings, monkeypatch):
    """Before: what is there without a note was removed while the other was still at it, and its start failed."""
    settings.STATIC_ROOT = tmp_path / "collected"
    at_once: list[int] = []
    done: list[int] = []

    def collect(*_: object, **__: object) -> None:
        at_once.append(1)
        settings.STATIC_ROOT.mkdir(exist_ok=True)
        time.sleep(0.3)
        done.append(len(at_once))
        at_once.pop()

    monkeypatch.setattr(serve, "call_command", collect)
    both = [threading.Thread(target=serve.static_files_collect) for _ in range(2)]
    for one in both:
        one.start()
    for one in both:
        one.join()
    assert done == [1], "the other finds that all is there"
