"""A browser's manners without a browser: cookies, the CSRF token and a connection that is kept open. Light enough for
fifty at once in one process."""

from __future__ import annotations

import http.client
import json
import re
import uuid
from email.message import Message
from typing import Any
from urllib.parse import urlsplit

TIMEOUT = 60


class Visitor:
    """One assessor at one server. A lost connection raises OSError or HTTPException; the next request reconnects."""

    def __init__(self, address: str) -> None:
        self.host = urlsplit(address).netloc
        self.connection = http.client.HTTPConnection(self.host, timeout=TIMEOUT)
        self.cookies: dict[str, str] = {}

    def request(self, method: str, path: str, sent: Any = None) -> tuple[int, Message, str]:
        """Status, headers and text of the answer; redirects are not followed."""
        headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())}
        body = None
        if sent is not None:
            body = json.dumps(sent)
            headers |= {"Content-Type": "application/json", "X-CSRFToken": self.cookies.get("csrftoken", "")}
        try:
            self.connection.request(method, path, body, headers)
            response = self.connection.getresponse()
            text = response.read().decode()
        except (OSError, http.client.HTTPException):
            self.connection.close()
            raise
        for cookie in response.headers.get_all("Set-Cookie") or ():
            name, _, rest = cookie.partition("=")
            self.cookies[name] = rest.partition(";")[0]
        return response.status, response.headers, text

    def get(self, path: str) -> tuple[str, str]:
        """The page at the end of all redirects: its path and text."""
        status, headers, text = self.request("GET", path)
        while status in (301, 302):
            path = headers["Location"]
            status, headers, text = self.request("GET", path)
        if status != 200:
            raise AssertionError(f"{path} answered {status}: {text[:500]}")
        return path, text

    def post(self, path: str, sent: Any) -> tuple[int, dict[str, Any]]:
        """Status and JSON of the answer."""
        status, _, text = self.request("POST", path, sent)
        try:
            return status, json.loads(text)
        except json.JSONDecodeError:
            raise AssertionError(f"{path} answered {status}: {text[:500]}") from None


def urls_of(page: str) -> dict[str, str]:
    """Where an item's page sends drafts and judgments."""
    found = re.search(r'<script id="item-urls" type="application/json">(.*?)</script>', page, re.DOTALL)
    if not found:
        raise AssertionError(f"not an item's page: {page[:500]}")
    return json.loads(found.group(1))


def submission(answer: dict[str, Any]) -> dict[str, Any]:
    """What the page sends when somebody submits: each submit has a key of its own."""
    return {"client_key": str(uuid.uuid4()), "revision": 1, "answer": answer, "seconds": 1.5}
