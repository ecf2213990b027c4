"""Django's sessions in the database, read by a query that is prepared: every request of an assessor begins with it."""

from __future__ import annotations

from django.contrib.sessions.backends import db
from django.contrib.sessions.base_session import AbstractBaseSession
from django.utils import timezone

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
