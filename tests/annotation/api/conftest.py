"""Each test starts with nobody having asked anything."""

import pytest
from django.core.cache import cache


@pytest.fixture(autouse=True)
def nobody_has_asked_before():
    cache.clear()
