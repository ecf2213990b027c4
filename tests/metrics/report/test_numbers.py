"""How numbers and names are printed."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.report.human import slug_of
from metrics.report.latex import escaped
from metrics.report.numbers import amount, coefficient, decimals_for, interval, listed, pvalue, share, whole


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.613, ".61"), (-0.05, "−.05"), (1.0, "1.00"), (-0.001, ".00"), (0.999, "1.00"), (None, "–")],
)
def test_coefficients_have_no_zero_before_the_point(value, text):
    assert coefficient(value) == text


@pytest.mark.parametrize(
    ("value", "text"), [(0.0312, ".031"), (0.0004, "< .001"), (1.0, "1.000"), (None, "–")]
)
def test_small_p_values_are_not_rounded_to_zero(value, text):
    assert pvalue(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0 %"),
        (0.001, "< 1 %"),
        (0.005, "< 1 %"),
        (0.007, "1 %"),
        (0.994, "99 %"),
        (0.995, "> 99 %"),
        (0.555, "56 %"),
        (0.9999, "> 99 %"),
        (1.0, "100 %"),
    ],
)
def test_almost_all_is_not_all(value, text):
    assert share(value) == text


@given(st.floats(-1e9, 1e9), st.integers(0, 4))
def test_what_rounds_to_zero_has_no_sign(value, decimals):
    for text in (amount(value, decimals), coefficient(value, decimals)):
        assert text.startswith("−") == (value < 0 and round(value, decimals) != 0)


def test_rounding_closes_no_interval():
    """Four systems near a line: [1.00, 1.00] would read as if one were sure."""
    assert interval(0.9991, 0.99998, coefficient) == "[.999, 1.000]"
    assert interval(0.31, 0.59, coefficient) == "[.31, .59]"
    assert interval(1.0, 1.0, coefficient) == "[1.00, 1.00]"


def test_amounts_have_the_digits_of_their_scale():
    assert amount(-0.004) == "0.00"
    assert amount(-1234.5, 1) == "−1,234.5"
    assert whole(14400) == "14,400"
    assert [decimals_for([value, None]) for value in (0.4, 4.2, 78.0)] == [3, 2, 1]


def test_lists_are_read_aloud():
    assert listed(["a"]) == "a"
    assert listed(["a", "b", "c"]) == "a, b and c"
    assert listed(list("abcdefgh")) == "a, b, c, d, e and 3 others"


@settings(max_examples=200, deadline=None)
@given(st.text(), st.text())
def test_file_names_are_safe_and_tell_names_apart(one, other):
    for name in (one, other):
        assert all(sign.isascii() and (sign.isalnum() or sign in "._-") for sign in slug_of(name))
        assert slug_of(name)
        assert not slug_of(name).startswith(".")
        assert len(slug_of(name)) < 90
    assert (slug_of(one) == slug_of(other)) == (one == other)


def test_names_that_would_become_one_are_kept_apart():
    for one, other in (("a/b", "a--b"), ("a+", "aplus"), ("x" * 100, "x" * 101), ("A", "a")):
        assert slug_of(one) != slug_of(other)


def test_file_names_stay_readable():
    assert slug_of("quality/coherence") == "quality--coherence"
    assert slug_of("chrf++") == "chrfplusplus"
    assert slug_of("rouge-w-1.2-stem-f") == "rouge-w-1.2-stem-f"


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet='ab \\&%$#_{}~^<>|"-αé\n\x00'))
def test_latex_sees_no_sign_that_it_would_obey(text):
    """Every special sign is behind a backslash or inside a command, and dashes stay apart."""
    plain = escaped(text)
    for command in (
        r"\textbackslash{}",
        r"\textasciitilde{}",
        r"\textasciicircum{}",
        r"$\alpha$",
        "$<$",
        "$>$",
        "$|$",
        "-{}",
    ):
        plain = plain.replace(command, "")
    for sign in "&%$#_{}":
        plain = plain.replace(f"\\{sign}", "")
    assert not set(plain) & set('\\&%$#_{}~^<>|"\n\x00')
    assert "--" not in escaped(text)
