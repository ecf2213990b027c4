"""The direction of a study's script."""

import pytest

from annotation.languages import direction


@pytest.mark.parametrize(
    ("language", "expected"),
    [("ar", "rtl"), ("ar-EG", "rtl"), ("he", "rtl"), ("fa", "rtl"), ("en", "ltr"), ("ja", "ltr"), ("zh-Hant-TW", "ltr"),
     ("ku-Arab", "rtl"), ("uz_Arab", "rtl"), ("az-Latn", "ltr"), ("ps-Latn", "ltr"), ("", "ltr")],
)  # fmt: skip
def test_a_script_that_is_named_decides_else_the_language(language, expected):
    assert direction(language) == expected
