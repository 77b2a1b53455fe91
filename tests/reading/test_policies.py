"""Policy files: round trip, and errors with their line number."""

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from tests.facts import refused

from anonset.data import Vocabulary
from anonset.errors import InputError
from anonset.privacy.policies import PrivacyPolicy, UtilityPolicy
from anonset.reading.policies import (
    read_item_weights,
    read_privacy_policy,
    read_utility_policy,
    write_privacy_policy,
    write_utility_policy,
)

ITEMS = Vocabulary.of("abcd")


def test_written_policies_are_read_back(tmp_path: Path) -> None:
    privacy = PrivacyPolicy.of([["b", "a"], ["008", "é"]])
    utility = UtilityPolicy.of([["b", "a"], ["c"]])
    assert write_privacy_policy(privacy, tmp_path / "p.txt").read_text() == "b a\n008 é\n"
    assert read_privacy_policy(tmp_path / "p.txt") == privacy
    assert read_utility_policy(write_utility_policy(utility, tmp_path / "u.txt.gz")) == utility


def test_blank_lines_and_blanks_do_not_matter(tmp_path: Path) -> None:
    (tmp_path / "p").write_bytes("\ufeff a\tb \r\n\n  \nc".encode())
    assert read_privacy_policy(tmp_path / "p", ITEMS).itemsets == (("a", "b"), ("c",))


def test_item_weights_are_read_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "w").write_text("0.375 a b c\n1/3 a d\n")
    assert read_item_weights(tmp_path / "w", ITEMS).entries == (
        (("a", "d"), Fraction(1, 3)),
        (("a", "b", "c"), Fraction(3, 8)),
    )


@pytest.mark.parametrize(
    ("read", "text", "message"),
    [
        (read_privacy_policy, "", "empty line items"),
        (read_utility_policy, "\n \n", "empty line items"),
        (read_privacy_policy, "a b\nb a b", "'line 2' b twice"),
        (read_privacy_policy, "a b\n\na x", "'line 3' x 4"),
        (read_utility_policy, "a b\nc d a", "lines 1 2 a"),
        (read_utility_policy, "a x", "'line 1' x 4"),
        (read_utility_policy, "a b\nc", "utility 1 4 d 'line ...'"),
        (read_item_weights, "much a", "'line 1' weight 0 1"),
        (read_item_weights, "1/0 a", "'line 1' weight 0 1"),
        (read_item_weights, "1.5 a", "'line 1' weight 0 1"),
        (read_item_weights, "0.5", "'line 1' weight 0 1"),
        (read_item_weights, "0.5 a x", "'line 1' x 4"),
    ],
)
def test_bad_files_are_refused(tmp_path: Path, read: Callable[..., Any], text: str, message: str) -> None:
    path = tmp_path / "file"
    path.write_text(text)
    with refused(InputError, message) as caught:
        read(path, ITEMS)
    assert str(caught.value).startswith(str(path))


def test_files_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    with refused(InputError, f"{tmp_path / 'none'}"):
        read_privacy_policy(tmp_path / "none")
    (tmp_path / "latin").write_bytes(b"a \xe9")
    with refused(InputError, "UTF-8 'byte 2'"):
        read_utility_policy(tmp_path / "latin")


@pytest.mark.parametrize("item", ["", "a\nb", "a\u2028b"])
def test_items_that_do_not_fit_into_a_line_cannot_be_written(tmp_path: Path, item: str) -> None:
    with refused(InputError, "item empty 'line break'"):
        write_privacy_policy(PrivacyPolicy.of([[item]]), tmp_path / "p")
    assert not (tmp_path / "p").exists()


def test_items_with_blanks_and_quotes_are_quoted(tmp_path: Path) -> None:
    rows = [["cat food", "milk"], ["a\u00a0b", '"', 'say "no"', '12"', " x "], ["O'Neil"]]
    path = write_privacy_policy(PrivacyPolicy.of(rows), tmp_path / "p")
    assert path.read_text().splitlines()[0] == '"cat food" milk'
    assert path.read_text().splitlines()[2] == "O'Neil"
    assert read_privacy_policy(path).itemsets == tuple(map(tuple, rows))
    assert read_utility_policy(write_utility_policy(UtilityPolicy.of(rows), tmp_path / "u")).groups == tuple(
        map(tuple, rows)
    )


@pytest.mark.parametrize(
    ("text", "groups"),
    [
        ("a c\n...", ["ac", "bd"]),
        ("...\nd", ["d", "abc"]),
        ("...", ["abcd"]),
        ("a b\nc d\n...", ["ab", "cd"]),
    ],
)
def test_a_line_of_dots_is_the_group_of_the_remaining_items(tmp_path: Path, text: str, groups: list[str]) -> None:
    (tmp_path / "u").write_text(text)
    assert read_utility_policy(tmp_path / "u", ITEMS) == UtilityPolicy.of(groups)
    # without items, the line is kept, so that a file is written as it was read
    assert write_utility_policy(read_utility_policy(tmp_path / "u"), tmp_path / "v").read_text().strip() == text


def test_dots_may_be_an_item(tmp_path: Path) -> None:
    (tmp_path / "u").write_text("a ...\nb c d")
    assert read_utility_policy(tmp_path / "u", Vocabulary.of(["...", *"abcd"])).groups[0] == ("a", "...")
    (tmp_path / "u").write_text("...\na b c d")
    with refused(InputError, "e"):
        read_utility_policy(tmp_path / "u", Vocabulary.of(["...", *"abcde"]))
    (tmp_path / "u").write_text("... a\nb")  # dots beside an item are an item that is unknown
    with refused(InputError, "1 ..."):
        read_utility_policy(tmp_path / "u", ITEMS)


@pytest.mark.parametrize("line", ['"cat food', '"cat" "food', '"cat"food', '"a""'])
def test_an_open_quote_is_refused(tmp_path: Path, line: str) -> None:
    (tmp_path / "p").write_text(f"milk\n{line}\n")
    with refused(InputError, "'line 2' quote"):
        read_privacy_policy(tmp_path / "p")
