"""Django's sessions in the database, read by a query that is prepared: every request of an assessor begins with it."""

from __future__ import annotations

from django.contrib.sessions.backends import db
from django.contrib.sessions.backends.base import UpdateError
from django.contrib.sessions.base_session import AbstractBaseSession
from django.utils import timezone

from annotation.means import is_out_of_means
from annotation.prepared import Prepared

_STORED: Prepared[AbstractBaseSession] = Prepared(
    lambda key: db.SessionStore.get_model_class().objects.filter(session_key=key), "\0"
)


class SessionStore(db.SessionStore):
    def _get_session_from_db(self) -> AbstractBaseSession | None:
        stored = _STORED.first(self.session_key)
        if stored is None or stored.expire_date <= timezone.now():
            self._session_key = None
            return None
        return stored

    def save(self, must_create: bool = False) -> None:
        """Django takes any fault of an update for a session that is gone; a disk that is full is told as what it is."""
        try:
            super().save(must_create=must_create)
        except UpdateError as gone:
            fault = gone.__context__
            if fault is not None and is_out_of_means(fault):
                raise fault from fault.__cause__
            raise
