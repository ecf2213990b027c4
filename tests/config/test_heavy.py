"""What takes long has a process of its own; what assessors and logins need is never among it."""

import pytest
from django.urls import reverse

from config.heavy import asks, is_heavy


def head(method: str, address: str) -> bytes:
    return f"{method} {address} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()


HEAVY = [
    ("GET", reverse("download_judgments", args=["s", "parquet"])),
    ("GET", reverse("download_judgments", args=["s", "csv"]) + "?names"),
    ("GET", reverse("download_study", args=["s"])),
    ("GET", reverse("study_results", args=["s"])),
    ("GET", reverse("report_archive", args=["s", 3])),
    ("GET", reverse("study_report", args=["s"])),  # of 500 systems: seconds, and hundreds of megabytes
    ("GET", reverse("report_systems", args=["s"]) + "?page=7"),
    ("GET", reverse("report_download", args=["s", 3, "figures/pairs.svg"])),
    ("GET", reverse("api_report", args=["s"])),
    ("GET", reverse("api_judgments", args=["s"]) + "?limit=1000"),  # a thousand with their texts
    ("GET", reverse("study_item", args=["s", "document", 3])),  # of texts of 20,000 units each
    ("GET", reverse("study_units", args=["s", "output", 3])),
    ("GET", reverse("api_units", args=["s"]) + "?page_size=1000"),
    ("POST", reverse("study_upload")),
    ("POST", reverse("study_open", args=["s"])),
    ("GET", reverse("api_judgments_file", args=["s", "parquet"])),
    ("GET", reverse("api_study_file", args=["s"])),
    ("GET", reverse("api_run_archive", args=["s", 3])),
    ("POST", reverse("api_studies")),
    ("POST", reverse("api_judgments", args=["s"])),
    ("GET", reverse("study_judgments", args=["s"])),  # a second with 43,000 judgments
    ("GET", reverse("study_disagreement", args=["s"])),
    ("GET", reverse("preview", args=["s", "t", 1])),  # of a draft, the whole plan of the study
    ("POST", reverse("preview_draft", args=["s", "t", 1])),
    ("POST", reverse("study_overlap", args=["s"])),
    ("POST", reverse("api_overlap", args=["s"])),
    ("POST", reverse("api_task", args=["s", "t"])),
    ("POST", reverse("api_phase", args=["s", "t"])),
    ("POST", reverse("api_key", args=["s", "t"])),
    ("POST", reverse("study_mail", args=["s"])),  # which wait for a mail server
    ("POST", reverse("api_mail", args=["s"])),
    ("POST", reverse("forgotten")),
    ("GET", "/studies/s/%64ownloads/judgments.parquet"),
    ("GET", "http://localhost" + reverse("download_judgments", args=["s", "parquet"])),
    ("POST", "http://localhost" + reverse("api_judgments", args=["s"])),
    # As gunicorn reads them, whatever comes before the path or after it.
    ("GET", "HTTP://localhost" + reverse("download_judgments", args=["s", "parquet"])),
    ("GET", "any://localhost" + reverse("study_results", args=["s"])),
    ("GET", "any:" + reverse("study_results", args=["s"]) + "?://"),
    ("GET", reverse("api_report", args=["s"]) + "#end"),
    ("POST", reverse("api_studies") + "#end"),
]
LIGHT = [
    ("GET", reverse("login")),
    ("POST", reverse("login")),
    ("GET", reverse("forgotten")),
    ("GET", reverse("study_mail", args=["s"])),
    ("GET", reverse("work", args=["s"])),
    ("POST", reverse("judgment", args=["s", "abc"])),
    ("POST", reverse("draft", args=["s", "abc"])),
    ("GET", reverse("study", args=["s"])),
    ("GET", reverse("study_materials", args=["s"])),
    ("GET", reverse("report_progress", args=["s", 3])),  # which a page asks for every second
    ("POST", reverse("report_start", args=["s"])),
    ("POST", reverse("report_cancel", args=["s", 3])),
    ("GET", reverse("api_runs", args=["s"])),
    ("GET", reverse("api_studies")),
    ("GET", reverse("api_progress", args=["s"])),
    ("GET", "/static/assess/main.js"),
]


@pytest.mark.parametrize(("method", "address"), HEAVY)
def test_a_request_over_a_whole_study_waits_with_its_like(method, address):
    assert is_heavy(head(method, address))
    assert is_heavy(b"\r\n" + head(method, address)), "gunicorn passes over an empty line"


@pytest.mark.parametrize(("method", "address"), LIGHT)
def test_a_quick_request_never_waits_behind_it(method, address):
    assert not is_heavy(head(method, address))


COOKIE = b"GET / HTTP/1.1\r\nHost: localhost\r\nCookie: "


TOKEN = b"GET /api/ HTTP/1.1\r\nHost: localhost\r\nAuthorization: "
ERIKA = b"session erikas"


@pytest.mark.parametrize(
    ("asked", "who"),
    [
        (b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", b"192.0.2.7"),
        (COOKIE + b"csrftoken=x; sessionid=erikas\r\n\r\n", ERIKA),
        (COOKIE + b"sessionid=erikas; other=1\r\n\r\n", ERIKA),
        (COOKIE + b"sessionid=made-up; sessionid=erikas\r\n\r\n", ERIKA),  # as Django reads it
        (COOKIE + b"mysessionid=1\r\n\r\n", b"192.0.2.7"),
        (b"GET /api/ HTTP/1.1\r\nAuthorization: Bearer t\r\nCookie: sessionid=junk\r\n\r\n", b"token t"),
        # What nobody looks at makes nobody another.
        (b"GET / HTTP/1.1\r\nAuthorization: Bearer made-up\r\nCookie: sessionid=erikas\r\n\r\n", ERIKA),
        (b"GET /api/ HTTP/1.1\r\nAuthorization: Made up\r\nCookie: sessionid=erikas\r\n\r\n", ERIKA),
        (COOKIE + b"other=1;\r\nCookie: ;sessionid=erikas\r\n\r\n", ERIKA),
        # Nor does another spelling of the same.
        (COOKIE + b'sessionid="erikas"\r\n\r\n', ERIKA),
        (COOKIE + b'sessionid="\\145rikas"\r\n\r\n', ERIKA),
        (COOKIE + b"sessionid = erikas\r\n\r\n", ERIKA),
        (TOKEN + b"bEARER t\r\n\r\n", b"token t"),
        (TOKEN + b"Bearer    t \r\n\r\n", b"token t"),
        (TOKEN + b"Bearer \xa0t\r\n\r\n", b"token t"),
        # Sent twice it is none that the API knows, which then looks at the session.
        (TOKEN + b"x\r\nAuthorization: Bearer made-up\r\nCookie: sessionid=erikas\r\n\r\n", ERIKA),
        (TOKEN + b"\r\nAuthorization: Bearer made-up\r\nCookie: sessionid=erikas\r\n\r\n", ERIKA),
    ],
)
def test_who_asks_is_told_by_what_lets_them_in(asked, who):
    assert asks(asked, "192.0.2.7") == who
