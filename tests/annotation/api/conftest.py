"""Each test starts with nobody having asked anything."""

import pytest
from django.core.cache import caches


@pytest.fixture(autouse=True)
def nobody_has_asked_before():
    for cache in caches.all(initialized_only=False):
        cache.clear()
