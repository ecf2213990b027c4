"""One-time codes: the values that the RFCs print."""

import base64

import pytest

from annotation import totp

SECRET = b"12345678901234567890"  # of both RFCs, for SHA-1
BASE32 = base64.b32encode(SECRET).decode()
# RFC 4226, Appendix D
HOTP = ("755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583", "399871", "520489")
# RFC 6238, Appendix B, the rows of SHA-1
TOTP = {
    59: "94287082",
    1111111109: "07081804",
    1111111111: "14050471",
    1234567890: "89005924",
    2000000000: "69279037",
    20000000000: "65353130",
}


def test_codes_by_counter_are_those_of_rfc_4226():
    assert tuple(totp.hotp(SECRET, counter) for counter in range(10)) == HOTP


@pytest.mark.parametrize(("seconds", "code"), TOTP.items())
def test_codes_by_time_are_those_of_rfc_6238(seconds, code):
    counter = totp.counter_at(seconds)
    assert totp.hotp(SECRET, counter, digits=8) == code
    assert totp.counter_of(BASE32, code[-6:], seconds=seconds) == counter


def test_a_code_is_good_half_a_minute_early_or_late_and_no_longer():
    counter = totp.counter_at(1111111109)
    code = TOTP[1111111109][-6:]
    moments = {
        shift: totp.counter_of(BASE32, code, seconds=1111111109 + 30 * shift) for shift in range(-2, 3)
    }
    assert moments == {-2: None, -1: counter, 0: counter, 1: counter, 2: None}


def test_a_code_that_was_used_is_good_no_more():
    counter = totp.counter_at(59)
    assert totp.counter_of(BASE32, "287082", seconds=59, after=counter - 1) == counter
    assert totp.counter_of(BASE32, "287082", seconds=59, after=counter) is None


@pytest.mark.parametrize("code", ["", "28708", "2870820", "२८७०८२", "ABCDEF"])
def test_what_is_no_code_is_none(code):
    assert totp.counter_of(BASE32, code, seconds=59) is None


def test_a_secret_is_as_long_as_the_hash_and_never_the_same():
    made = {totp.secret_make() for _ in range(20)}
    assert len(made) == 20
    assert {len(base64.b32decode(secret)) for secret in made} == {20}


def test_the_link_says_whose_code_it_is_and_names_are_quoted():
    address = totp.address("ABCD", issuer="Touchstone a:8000", name="Ünal & Söhne")
    assert address.startswith(
        "otpauth://totp/Touchstone%20a%208000:%C3%9Cnal%20%26%20S%C3%B6hne?secret=ABCD&issuer="
    )
