"""Bodies of requests."""

from __future__ import annotations

import io
import json
import re
from typing import IO, Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import BaseParser, JSONParser

CSV = "text/csv"
SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")  # the only way in: as bytes they are no UTF-8


class Json(JSONParser):
    """What JSON allows but nobody can use is a bad request, not a fault of the server.

    That is JSON nested a thousand levels deep, and half of a surrogate pair (``"\\ud800"``): no text that could be
    stored, or sent back in an answer. Keys and values are looked at alike, here, for every address.
    """

    def parse(self, stream: IO[bytes], media_type: str | None = None, parser_context: Any = None) -> Any:
        body = stream.read()
        try:
            given = super().parse(io.BytesIO(body), media_type, parser_context)
            if SURROGATE.search(body):
                _check_text(json.dumps(given, ensure_ascii=False))
        except RecursionError:
            raise ParseError("JSON parse error - nested too deeply") from None
        return given


def _check_text(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        sign = f"U+{ord(text[error.start]):04X}"
        raise ParseError(f"The request holds {sign}, half of a surrogate pair, which is no text.") from None


class Csv(BaseParser):
    """The bytes as they are: the reader of score tables names the lines."""

    media_type = CSV

    def parse(self, stream: IO[bytes], media_type: str | None = None, parser_context: Any = None) -> Any:
        return stream.read()
