"""The number of database queries behind an assessor's pages: ``python -m benchmarks.queries LINK ANSWER``."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from typing import Any

from tests.visitors import submission, urls_of


def counts(link: str, answer: dict[str, Any]) -> dict[str, int]:
    """Queries per page, transactions left out, for the assessor with this link."""
    from django.db import connection
    from django.test import Client
    from django.test.utils import CaptureQueriesContext

    client = Client(HTTP_HOST="127.0.0.1")
    urls = urls_of(client.get(link, follow=True).content.decode())
    item = urls["submit"].removesuffix("judgment/")

    def posted(path: str, sent: dict[str, Any]) -> Any:
        response = client.post(path, json.dumps(sent), content_type="application/json")
        if response.status_code != 200:
            raise RuntimeError(f"{path}: {response.status_code} {response.content[:500]!r}")
        return response

    def submit() -> None:
        nonlocal item
        item = posted(f"{item}judgment/", submission(answer)).json()["next"]["url"]

    def queries(request: Callable[[], Any]) -> int:
        with CaptureQueriesContext(connection) as captured:
            request()
        words = [query["sql"].split()[0] for query in captured.captured_queries]
        return sum(word in {"SELECT", "INSERT", "UPDATE", "DELETE"} for word in words)

    return {
        "next item": queries(lambda: client.get(item)),
        "draft": queries(lambda: posted(urls["draft"], {"revision": 1, "answer": {}, "seconds": 1})),
        "submit": queries(submit),  # the first one reads the next items ahead
        "submit, read ahead": queries(submit),
    }


if __name__ == "__main__":
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    # Hashed names of static files would need a manifest; they cost no query.
    os.environ["TOUCHSTONE_DEBUG"] = "1"
    django.setup()
    print(json.dumps(counts(sys.argv[1], json.loads(sys.argv[2]))))
