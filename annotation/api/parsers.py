"""Bodies of requests."""

from __future__ import annotations

from typing import IO, Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import BaseParser, JSONParser

CSV = "text/csv"


class Json(JSONParser):
    """JSON that is nested a thousand levels deep is a bad request, not a fault of the server."""

    def parse(self, *args: Any, **kwargs: Any) -> Any:
        try:
            return super().parse(*args, **kwargs)
        except RecursionError:
            raise ParseError("JSON parse error - nested too deeply") from None


class Csv(BaseParser):
    """The bytes as they are: the reader of score tables names the lines."""

    media_type = CSV

    def parse(self, stream: IO[bytes], media_type: str | None = None, parser_context: Any = None) -> Any:
        return stream.read()
