"""`read`, `scan`, job files and the command line have the same reading options."""

from dataclasses import fields
from typing import get_type_hints

import pytest
from tests.facts import refused

from anonset import FileOptions, InputError, ReadOptions, RoleOptions, read
from anonset.reading.options import ReadKeywords
from anonset.settings.settings import RoleSettings


def test_the_keywords_of_read_are_the_fields_of_the_options() -> None:
    known = get_type_hints(ReadOptions)
    assert known.keys() - get_type_hints(ReadKeywords).keys() == {"exact", "key", "null_items"}
    assert get_type_hints(ReadKeywords) == {name: known[name] for name in get_type_hints(ReadKeywords)}


@pytest.mark.parametrize("option", [*fields(RoleOptions), *fields(FileOptions)], ids=lambda option: option.name)
def test_options_equal_settings_in_default_and_text(option) -> None:
    setting = RoleSettings.model_fields[option.name]
    *_, text = get_type_hints(ReadOptions, include_extras=True)[option.name].__metadata__
    assert setting.description == text
    assert setting.default == ([] if option.default == () else option.default)


def test_an_unknown_keyword_is_named() -> None:
    with pytest.raises(TypeError, match="seperator"):
        read([["a"]], seperator=";")  # type: ignore[call-arg]


def test_an_option_is_checked_without_data() -> None:
    with refused(InputError, "decimal x"):
        ReadOptions(decimal="x")  # type: ignore[arg-type]


def test_names_are_tuples_however_they_are_given() -> None:
    options = ReadOptions(items="a, b", keep=["c, d"], drop="e", null=("-", "-"), skip_rows=None)  # type: ignore[arg-type]
    assert (options.items, options.keep, options.drop) == (("a", "b"), ("c, d",), ("e",))
    assert (options.null, options.skip_rows, options.relational) == (("-", "-"), (), ())
    assert FileOptions(unit="fund,number").unit == ("fund", "number")
    assert RoleOptions(keep="c") == RoleOptions(keep=["c"])


def test_a_name_with_a_comma_is_a_column_if_its_parts_are_not() -> None:
    columns = {"a,b": ["x"], "c": ["y"]}
    assert [column.name for column in read(columns, keep="a,b,c", unit="row").kept] == ["a,b", "c"]
    columns = {"a,b": ["x"], "a": ["y"], "b": ["z"]}
    assert [column.name for column in read(columns, keep=["a,b"], drop="a,b", unit="row").kept] == ["a,b"]
    with refused(InputError, "column a,b role"):
        read(columns, keep="a,b", unit="row")


@pytest.mark.parametrize("separator", ["cods=,", "codes=; cods=,", "codes=,cods=;", "drugs=\\t cods=|"])
def test_separators_of_columns_without_items_are_rejected(separator: str) -> None:
    with refused(InputError, "separator cods codes drugs"):
        ReadOptions(items=("codes", "drugs"), separator=separator)


@pytest.mark.parametrize("separator", ["=", "=>", "codes=; drugs=\\t", "drugs=="])
def test_separators_may_be_equals_signs(separator: str) -> None:
    assert ReadOptions(items=("codes", "drugs"), separator=separator).separator == separator
