"""Signs that several rows are one person's: ids that repeat, by their names, or by what agrees within their values.

**By name.** A column whose header says that it identifies a person (`header_words`), and of which a value occurs twice.

**By agreement.** In the first rows, two rows with the same value of a column C make a pair: each row with the next
one that has its value. An attribute A *agrees within C* if

* in at least 95% of the pairs, of which there are at least 20 and of 10 values of C, the two rows agree in A, and
* that is far beyond chance: if A were permuted over the rows, a pair would agree with the probability
  ``p = sum f (f - 1) / (n (n - 1))`` over A's values, of frequencies f in n rows; required is that p is at most 0.9,
  and that the agreeing pairs exceed the expected ``N p`` by five of the binomial's standard deviations
  ``sqrt(N p (1 - p))``.

C tells persons apart if two attributes of different kinds agree within it, one of them birth (or age) or sex: what a
postcode, ward, physician or product determines (a town, a department, a price) is neither, and the patients of a
ward, or the buyers of a product, differ in both. Kinds are told by headers; sex, and a date of birth, by values too.

**Together.** Where no column by itself does so, those of names and full dates of birth together may: with names and a
date, one attribute must agree; with a date alone two, one of them sex; in pairs that are at least 1% of the rows.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonset.data import SetColumn
from anonset.data.distinct import distinct
from anonset.data.table import Int64
from anonset.data.table_facts import CUT, Repeated
from anonset.errors import InputError
from anonset.io import arrow
from anonset.io.columns import is_list
from anonset.io.header_words import is_direct, is_sampling_weight, meaning_of
from anonset.io.roles import Roles

MISSING = ("", "?", "NA", "N/A", "NaN", "nan", "NULL", "null", "None")
PERSON_IDS = ("person id", "id", "case id")
"""Meanings of headers that identify a person, the surest first; a case is one person's too."""
_ATTRIBUTES = ("birth", "sex", "origin", "family", "residence")
_TELLING = frozenset({"birth", "sex"})
_MOST_ROWS, _MOST_COLUMNS = 50_000, 300
_FEWEST_PAIRS, _FEWEST_VALUES = 20, 10
_AGREEING, _BY_CHANCE, _DEVIATIONS = 0.95, 0.9, 5.0
_SEXES = (
    "m f w d u x h 1 2 male female mann frau männlich weiblich divers homme femme masculin féminin hombre mujer "
    "maschio femmina man vrouw unknown/invalid"
)
_DATE = re.compile(r"(\d{4})-?\d{2}-?\d{2}|\d{1,2}[./]\d{1,2}[./](\d{4})")
_FEW_TOGETHER = 0.01
_LABELS = 300
_YEARS = 40
"""Years between the first and the last date of birth, at least, where no header says that it is one."""


@dataclass(frozen=True)
class _Coded:
    """A column of the first rows."""

    codes: Int64
    """int64 (n,): the value of each row; -1 where there is none."""
    kind: str
    """What it says of a person, as `meaning_of` does."""
    cut: bool = False
    """Whether its values are long numbers that a spreadsheet cut off."""
    dates: bool = False
    """Whether its values are full dates."""


def signs_in(
    where: str, roles: Roles, head: Callable[[Sequence[str]], Mapping[str, Any]], *, grouped: bool
) -> tuple[tuple[Repeated, ...], tuple[str, ...]]:
    """Return the signs in the first rows, and, where there are none, the dropped columns to look at in all rows.

    Parameters
    ----------
    head
        Returns the named columns of the first rows.
    grouped
        Whether the rows of an id are united.

    Raises
    ------
    InputError
        If a spreadsheet cut the ids off.
    """
    columns = (*roles.relational, *roles.keep, *roles.drop)
    named = [name for name in columns if meaning_of(name) in PERSON_IDS]
    others = [name for name in columns if name not in named][:_MOST_COLUMNS]
    first = head((*named, *others, *roles.id))
    if cut := [
        name for name in roles.id if name in first and not holds_sets(first[name]) and _coded(name, first[name]).cut
    ]:
        msg = f"{where}: column {cut[0]!r} {CUT}; export the file anew with this column as text"
        raise InputError(msg)
    repeated = repeated_in(first, (*named, *others), roles.id, grouped=grouped)
    return repeated, () if repeated or grouped else tuple(name for name in roles.drop if name in named)


def given_texts(column: Any) -> Any:
    """Return the values of a column that are not missing as text (``pyarrow.LargeStringArray``)."""
    text, lacking = _texts_and_lacking(column)
    return arrow.filter(text, arrow.invert(lacking)) if arrow.any(lacking).as_py() else text


def numbered(column: Any) -> tuple[Int64, NDArray[np.bool_]]:
    """Return int64 (n,), a number of each value of a column, and bool (n,), whether the value is given."""
    text, lacking = _texts_and_lacking(column)
    codes = arrow.dictionary_encode(text, nulls=True).indices
    return arrow.to_numpy(codes).astype(np.int64), ~arrow.to_numpy(lacking)


def _texts_and_lacking(column: Any) -> tuple[Any, Any]:
    import pyarrow as pa

    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    text = arrow.cast(arrow.cast(column, kind), pa.large_string()).combine_chunks()
    return text, arrow.is_in(text, MISSING, nulls=True)


def repeated_in(
    columns: Mapping[str, Any], candidates: Sequence[str], ids: Sequence[str] = (), *, grouped: bool = False
) -> tuple[Repeated, ...]:
    """Return the columns whose values repeat over records, and tell persons apart; the surest first.

    Parameters
    ----------
    columns
        The first rows: ``SetColumn`` or ``pyarrow.ChunkedArray`` by name.
    candidates
        The columns that are asked about.
    ids
        Columns that tell the records apart: only the first row of a record counts.
    grouped
        Whether the rows of a record are united: only what its name calls the id of a person tells more then.
    """
    kinds = PERSON_IDS[:1] if grouped else PERSON_IDS
    plain = {name: column for name, column in columns.items() if not holds_sets(column)}
    if all(len(column) <= _FEWEST_PAIRS for column in plain.values()):  # too few rows for pairs: names alone tell
        plain = {name: column for name, column in plain.items() if name in ids or meaning_of(name) in kinds}
    coded = {name: _coded(name, column) for name, column in plain.items()}
    if ids and all(name in coded for name in ids):
        rows = _first_rows([coded[name].codes for name in ids])
        coded = {name: replace(column, codes=column.codes[rows]) for name, column in coded.items()}
    asked = [name for name in candidates if name in coded and name not in ids]
    named = [n for n in asked if coded[n].kind in kinds and _repeats(n, coded[n].codes)]
    ranked = [(kinds.index(coded[n].kind), _distinct(coded[n].codes), Repeated(n, cut=coded[n].cut)) for n in named]
    attributes = _attributes(coded)
    for name in [] if grouped or not attributes else asked:
        candidate = coded[name]
        if not candidate.kind and not is_sampling_weight(name) and (agreeing := _agreeing(candidate.codes, attributes)):
            ranked.append((len(kinds), _distinct(candidate.codes), Repeated(name, agreeing, candidate.cut)))
    together = () if ranked else _together(coded)
    return together or tuple(repeated for _, _, repeated in sorted(ranked, key=lambda entry: entry[:2]))


def holds_sets(column: Any) -> bool:
    """Tell whether the values of a column are sets or the like: no ids, no attributes."""
    import pyarrow as pa

    if isinstance(column, SetColumn) or is_list(column.type):
        return True
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    return bool(pa.types.is_nested(kind))


def _coded(name: str, column: Any) -> _Coded:
    """Return the first rows of a column as codes, and what the column says of a person."""
    import pyarrow as pa

    chunk = column.slice(0, _MOST_ROWS).combine_chunks()
    if not pa.types.is_dictionary(chunk.type):
        chunk = arrow.dictionary_encode(chunk)
    labels = arrow.cast(chunk.dictionary, pa.string()) if not pa.types.is_binary(chunk.dictionary.type) else None
    codes = arrow.to_numpy(arrow.coalesce(chunk.indices, arrow.number_array([-1])[0])).astype(np.int64)
    if labels is not None and len(labels):
        lacking = np.flatnonzero(arrow.to_numpy(arrow.is_in(labels, MISSING)))
        codes = np.where(np.isin(codes, lacking), -1, codes) if len(lacking) else codes
    first = (
        []
        if labels is None
        else [label for label in labels.slice(0, _LABELS).to_pylist() if label not in (None, *MISSING)]
    )
    return _Coded(codes, meaning_of(name) or _kind_of(first), _are_cut(first), all(map(_DATE.fullmatch, first)))


def _are_cut(labels: Sequence[str]) -> bool:
    if not any("E+" in label for label in labels):
        return False
    from anonset.io.kinds import look_at

    return look_at("", labels).kind == "cut numbers"


def _kind_of(given: Sequence[str]) -> str:
    """Return which attribute of a person values are: ``sex``, ``birth``, or none (empty)."""
    if (
        2 <= len(given) <= 4
        and {label.lower() for label in given} <= set(_SEXES.split())
        and "m" in "".join(given).lower()
    ):
        return "sex"
    dates = [_DATE.fullmatch(label[:10]) for label in given]
    years = [int(date_match[1] or date_match[2]) for date_match in dates if date_match is not None]
    return "birth" if years and len(years) == len(given) and max(years) - min(years) >= _YEARS else ""


def _first_rows(ids: Sequence[Int64]) -> Int64:
    """Return the first row of each record, by the codes of its ids."""
    return np.sort(np.unique(np.stack(ids), axis=1, return_index=True)[1]).astype(np.int64)


def _distinct(codes: Int64) -> int:
    return len(distinct(codes[codes >= 0]))


def _repeats(name: str, codes: Int64) -> bool:
    return occurs_twice(int((codes >= 0).sum()), _distinct(codes), name)


def occurs_twice(given: int, distinct: int, name: str) -> bool:
    """Tell whether a value of an id occurs twice, given the numbers of all and of distinct values.

    Where its name says little (``id``), it must have several values, and more than one for 200 rows.
    """
    return distinct < given and (meaning_of(name) != "id" or distinct > max(2, given // 200))


def _attributes(coded: Mapping[str, _Coded]) -> list[tuple[str, str, Int64]]:
    """Return the columns that say something of a person: the kind of attribute, the name, and the codes."""
    kinds = {
        name: "name" if is_direct(look.kind) and look.kind != "address" else look.kind for name, look in coded.items()
    }
    return [(kind, name, coded[name].codes) for name, kind in kinds.items() if kind in (*_ATTRIBUTES, "name")]


def _agreeing(codes: Int64, attributes: Sequence[tuple[str, str, Int64]], *, alone: bool = False) -> tuple[str, ...]:
    """Return attributes of persons that agree within the values of a column, if they say that it tells them apart.

    One is enough where that is said to be so (`alone`).
    """
    given, distinct = int((codes >= 0).sum()), _distinct(codes)
    if distinct < _FEWEST_VALUES or given - distinct < _FEWEST_PAIRS:
        return ()
    order = np.argsort(codes, kind="stable")
    order = order[codes[order] >= 0]
    same = codes[order[1:]] == codes[order[:-1]]
    first, second = order[:-1][same], order[1:][same]
    if len(first) < _FEWEST_PAIRS or _distinct(codes[first]) < _FEWEST_VALUES:
        return ()
    name_of_kind: dict[str, str] = {}
    for kind, name, of_attribute in attributes:
        if kind not in name_of_kind and _agrees(of_attribute, first, second):
            name_of_kind[kind] = name
    telling = len(name_of_kind) > 1 and not _TELLING.isdisjoint(name_of_kind)
    return tuple(name_of_kind.values()) if telling or (alone and name_of_kind) else ()


def _together(coded: Mapping[str, _Coded]) -> tuple[Repeated, ...]:
    """Return the columns of names and dates of birth, if they tell persons apart together, and repeat."""
    names = [name for name, look in coded.items() if look.kind == "name"]
    births = [name for name, look in coded.items() if look.kind in ("birth", "born") and look.dates]
    key = (*names, *births)
    if not births or any("," in name for name in key):
        return ()
    stacked = np.stack([coded[name].codes for name in key])
    codes = np.where((stacked >= 0).all(axis=0), np.unique(stacked, axis=1, return_inverse=True)[1].ravel(), -1)
    if (codes >= 0).sum() - _distinct(codes) < _FEW_TOGETHER * len(codes):
        return ()
    others = {
        name: look for name, look in coded.items() if name not in key and look.kind not in ("birth", "born", "name")
    }
    agreeing = _agreeing(codes.astype(np.int64), _attributes(others), alone=bool(names))
    if not agreeing:
        return ()
    return (Repeated(",".join(key if names else (*key, *agreeing)), agreeing),)


def _agrees(codes: Int64, first: Int64, second: Int64) -> bool:
    """Tell whether pairs of rows agree in a column far beyond chance."""
    counts = np.bincount(codes[codes >= 0]).astype(np.float64)
    n = counts.sum()
    given = (codes[first] >= 0) & (codes[second] >= 0)
    pairs, agreed = int(given.sum()), int((given & (codes[first] == codes[second])).sum())
    if n < 2 or pairs < _FEWEST_PAIRS:
        return False
    p = float((counts * (counts - 1)).sum() / (n * (n - 1)))
    beyond = agreed - pairs * p > _DEVIATIONS * float(np.sqrt(pairs * p * (1 - p)))
    return agreed >= _AGREEING * pairs and p <= _BY_CHANCE and beyond
