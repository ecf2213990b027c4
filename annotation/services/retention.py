"""What is forgotten by itself: sessions that are over, counts of wrong passwords, and, if so set, who judged."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.sessions.backends.db import SessionStore
from django.core.cache import caches
from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from annotation.counts import CACHE, alone
from annotation.models import AccountLink, ApiToken, Assessor, Study
from annotation.selectors.progress import count
from annotation.services.adjudication import adjudicators_forget
from annotation.services.audit import audit_write
from annotation.services.bin import bin_empty
from annotation.services.pruning import reports_prune
from annotation.services.webhooks import webhooks_tidy


def sessions_tidy() -> None:
    SessionStore.clear_expired()


def counts_tidy() -> int:
    """Files of counts that are over: nobody asks for them again, so nobody would notice."""
    cache: Any = caches[CACHE]
    removed = 0
    with alone():
        for name in cache._list_cache_files():
            path = Path(name)
            try:
                with path.open("rb") as file:
                    removed += cache._is_expired(file)  # which deletes the file
            except FileNotFoundError:
                continue
    return removed


@transaction.atomic
def tokens_tidy() -> int:
    """API tokens that ended a month ago: until then their page says what became of them."""
    ended = ApiToken.objects.filter(expires_at__lt=timezone.now() - timedelta(days=30))
    told = [f"{token.user.username}: {token.name}" for token in ended.select_related("user")]
    gone = ended.delete()[0]
    if gone:
        audit_write(study=None, action="token.forget", target=count(gone, "token"), before={"tokens": told})
    return gone


def account_links_tidy() -> int:
    """Invitations and links to another password that were used or have ended."""
    over = AccountLink.objects.filter(Q(expires_at__lt=timezone.now()) | Q(used_at__isnull=False))
    return over.delete()[0]


@transaction.atomic
def assessors_forget(*, days: int) -> int:
    """Of studies that were closed so many days ago: their assessors become their pseudonyms, and have no link.

    Judgments, drafts and words stay: they are the study.
    """
    if not days:
        return 0
    over = Study.objects.filter(state=Study.State.CLOSED, closed_at__lt=timezone.now() - timedelta(days=days))
    gone: dict[str, Any] = {
        "name": F("pseudonym"),
        "last_seen_at": None,
        "token_hash": None,
        "email": "",
        "mailed_at": None,
        "completion_code": "",  # a panel knows who came back with which
        "panel": {},
        "panel_key": None,
        "notice": "",
        "pause_message": "",  # which may call them by their name
    }
    adjudicators_forget(studies=over)
    forgotten = 0
    for study in over:
        people = Assessor.objects.filter(study=study).exclude(**gone).update(**gone)
        if people:
            audit_write(
                study=study, action="assessor.forget", target=count(people, "assessor"), after={"days": days}
            )
        forgotten += people
    return forgotten


def tidy() -> dict[str, int]:
    """All of it; what was done, in numbers."""
    sessions_tidy()
    return {
        "counts": counts_tidy(),
        "tokens": tokens_tidy(),
        "links": account_links_tidy(),
        "studies": bin_empty(),
        "assessors": assessors_forget(days=settings.RETENTION_DAYS),
        "reports": reports_prune(),
        "webhooks": webhooks_tidy(),
    }
