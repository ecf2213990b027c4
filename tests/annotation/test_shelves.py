"""What a process keeps is bounded by its characters, and is made once while it is kept."""

from hypothesis import given
from hypothesis import strategies as st

from annotation.shelves import BESIDE_THE_TEXT, Shelf


def shelf(most: int) -> tuple[Shelf[int, str], list[int]]:
    made: list[int] = []

    def make(key: int) -> str:
        made.append(key)
        return "x" * key

    return Shelf(make, len, most=most), made


def test_what_is_asked_for_again_is_made_once():
    kept, made = shelf(10_000)
    assert [kept(5), kept(5), kept(7)] == ["xxxxx", "xxxxx", "xxxxxxx"]
    assert made == [5, 7]


def test_what_was_not_asked_for_longest_goes_first():
    kept, made = shelf(2 * BESIDE_THE_TEXT + 20)
    for key in (1, 2, 1, 3, 1, 2):
        kept(key)
    assert made == [1, 2, 3, 2]  # 2 went for 3, 3 for 2, and 1 stayed


@given(st.lists(st.integers(0, 3_000), max_size=60))
def test_it_gives_what_is_made_and_holds_no_more_than_it_may(keys):
    kept, _ = shelf(4_000)
    for key in keys:
        assert kept(key) == "x" * key
        assert 0 <= kept.characters <= 4_000


def test_what_is_larger_than_the_shelf_is_given_and_not_kept():
    kept, made = shelf(1_000)
    assert len(kept(5_000)) == 5_000
    assert kept.characters == 0
    kept(5_000)
    assert made == [5_000, 5_000]
