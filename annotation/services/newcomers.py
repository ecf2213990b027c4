"""How many places of studies one address may take by a join link: a class may come at once, a script may not fill the database.

Counted by a keyed hash of the network, which is forgotten after a quarter of an hour, as failed logins are.
"""

from __future__ import annotations

from django.core.cache import caches
from django.utils.crypto import salted_hmac

from annotation.counts import CACHE, alone
from annotation.services.attempts import FORGOTTEN_AFTER
from config.client_address import network_of

PLACES = 100
SALT = "annotation.newcomers"


def newcomer_counted(*, address: str) -> bool:
    """Whether somebody new may come from here; whoever may is counted."""
    key = f"newcomers-{salted_hmac(SALT, network_of(address)).hexdigest()}"
    with alone():
        taken = caches[CACHE].get(key, 0)
        if taken >= PLACES:
            return False
        caches[CACHE].set(key, taken + 1, FORGOTTEN_AFTER)
    return True
