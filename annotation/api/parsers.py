"""Bodies of requests."""

from __future__ import annotations

from typing import IO, Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import BaseParser

from annotation.json_values import json_value
from metrics.cells import half_a_pair

CSV = "text/csv"


class Json(BaseParser):
    """JSON in UTF-8, whatever the header says. What nobody can use is a bad request, not a fault of the server.

    Half of a surrogate pair (``"\\ud800"``) is no text that could be stored, or sent back in an answer: keys and values
    are looked at alike, here, for every address.
    """

    media_type = "application/json"

    def parse(self, stream: IO[bytes], media_type: str | None = None, parser_context: Any = None) -> Any:
        try:
            given = json_value(stream.read().decode())
        except UnicodeDecodeError:
            raise ParseError("The request is not UTF-8.") from None
        except ValueError as error:
            raise ParseError(f"The request is not JSON that can be used: {error}.") from None
        if sign := half_a_pair(given):
            raise ParseError(f"The request holds {sign}, half of a surrogate pair, which is no text.")
        return given


class Csv(BaseParser):
    """The bytes as they are: the reader of score tables names the lines."""

    media_type = CSV

    def parse(self, stream: IO[bytes], media_type: str | None = None, parser_context: Any = None) -> Any:
        return stream.read()
