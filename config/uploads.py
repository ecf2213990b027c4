"""Uploads have a limit, and what is larger is never written to disk."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.files.uploadhandler import FileUploadHandler, SkipFile

ENVELOPE = 64 * 1024  # what a form adds to its file: other fields, boundaries


class LimitedUploadHandler(FileUploadHandler):
    """Passes over the files of a request that is too large. Django itself takes files of any size.

    It must come first in ``FILE_UPLOAD_HANDLERS``. The form then has no file, and the view says why.
    """

    too_large = False

    def handle_raw_input(
        self, input_data: Any, META: Any, content_length: int, boundary: Any, encoding: Any = None
    ) -> None:
        self.too_large = content_length > settings.STUDY_UPLOAD_MAX_BYTES + ENVELOPE

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        super().new_file(*args, **kwargs)
        if self.too_large:
            raise SkipFile

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes:
        return raw_data  # the next handler's business

    def file_complete(self, file_size: int) -> None:
        return None
