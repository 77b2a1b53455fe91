"""Compare a publication with the original, cell by cell."""

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from fuzz.draws import Case
from fuzz.files import UNKNOWN
from fuzz.published import Records, Tables, lines_of
from reference.hierarchy_model import HierarchyModel
from reference.truthful import naive_untrue

SUPPRESSING = ("hghs", "mhghs", "coherence-suppression", "suppress-control")


def original_rows(case: Case) -> list[set[str]]:
    """Return each person's items, as named in a joined column."""
    mark = (lambda name, item: f"{name}:{item}") if case.joined else (lambda _, item: item)
    n = len(next(iter(case.columns.values())))
    return [{mark(name, item) for name in case.sets for item in case.columns[name][i]} for i in range(n)]


def untrue(case: Case, published: Records, record: Sequence[int]) -> str:
    """Return the first difference between published records and the original. Empty if they agree."""
    if case.sets:
        members = {symbol: members for symbol, (_, members) in published.book.items()}
        for row in published.rows:
            for symbol in row:
                members.setdefault(symbol, members_of(symbol))
        result = naive_untrue(original_rows(case), published.rows, record, members)
        if result is not None:
            return f"row {result[0]}: {result[1]}"
    for name in published.relational:
        for i, label in enumerate(published.columns[name]):
            if not _covers(case, published, name, label, case.columns[name][record[i]]):
                return f"row {i}: {name} is published as {label}"
    for name in published.keep:
        for i, label in enumerate(published.columns[name]):
            if label != case.columns[name][record[i]]:
                return f"row {i}: {name} is published as {label}"
    return ""


def members_of(label: str) -> list[str]:
    """Return the members of a label that lists a set."""
    return label[1:-1].split(",") if label.startswith("(") and label.endswith(")") else [label]


def _covers(case: Case, published: Records, name: str, label: str, value: str) -> bool:
    """Return True if a published relational value covers the original value."""
    if case.specs.get(name) == "range":
        low, _, high = label[1:-1].partition(":") if label.startswith("[") else (label, "", label)
        try:
            return Fraction(low) <= Fraction(value) <= Fraction(high)
        except ValueError:
            return False
    of_values = case.algorithm == "joint-split" and (label.startswith("(") or label in published.value_sets)
    if case.specs.get(name, "").startswith("bins:") and not of_values:
        low, _, high = label[1:-1].partition(":") if label.startswith("[") else ("", "", "")
        known = label in ("*", value)
        return known or (low.lstrip("-").isdecimal() and int(low) <= int(value) < int(high or 1000))
    if name in case.trees:
        tree = HierarchyModel(case.trees[name])
        if case.algorithm != "joint-split" or label in tree.below:
            return value in tree.below.get(label, [label])
        members = published.value_sets.get(label, members_of(label))  # leaves of several nodes
        return value in members and {*members} <= {*tree.leaves}
    return value in published.value_sets.get(label, members_of(label))


def require_way_back(case: Case, published: Records, private: Path) -> list[int]:
    """Check that the private directory maps the original to the published cells. Return each row's record."""
    lines = lines_of(private / "records.csv")
    record = [int(line["input_record"]) for line in lines]
    rows = original_rows(case)
    assert [int(line["published_row"]) for line in lines] == list(range(published.n))
    assert sorted(record) == list(range(len(rows))), "each record must be published once"
    if case.layout["order"] == "input":
        assert record == list(range(len(rows)))
    expected = {*case.sets, *case.roles.get("relational", ()), *case.roles.get("keep", ())}
    expected |= {case.roles["sensitive"]} if "sensitive" in case.roles else set()
    assert set(published.columns) == (expected if published.n else set(published.columns))
    for name in published.keep:
        assert published.columns[name] == [case.columns[name][i] for i in record]
    if case.sets:
        _require_mapping(case, published, private / "mapping.csv", lines)
    return record


def _require_mapping(case: Case, published: Records, path: Path, lines: Sequence[Mapping[str, str]]) -> None:
    """Check that the item mapping yields the published rows and agrees with the codebook."""
    rows, image = original_rows(case), {}
    mapping = [line for line in lines_of(path) if not (case.has_unknown and line["item"] in UNKNOWN)]
    local = "cluster" in mapping[0] if mapping else False
    for line in mapping:
        image[line.get("cluster", ""), line["item"]] = line["published"]
    for line, row in zip(lines, published.rows, strict=True):
        cluster, own = line["cluster"] if local else "", rows[int(line["input_record"])]
        assert {image[cluster, item] for item in own} - {""} == row, f"published row {line['published_row']}"
    if not local:
        for symbol, (_, members) in published.book.items():
            assert sorted(item for (_, item), label in image.items() if label == symbol) == sorted(members)
    gone = {item for (_, item), label in image.items() if not label}
    assert len(gone) <= _most_suppressed(case) * len({item for _, item in image}), "too much is suppressed"


def _most_suppressed(case: Case) -> Fraction:
    """Return the largest share of items that may be suppressed."""
    parameters = case.parameters
    may_suppress = parameters.get("suppress", case.algorithm == "exact" and case.layout["by"] != "algorithm")
    anything = case.algorithm in SUPPRESSING or may_suppress
    return Fraction(1) if anything else Fraction(parameters.get("max_suppressed", 0))


def require_sound_book(case: Case, published: Records) -> None:
    """Check that the codebook explains exactly the published symbols, and names nodes and sets correctly."""
    shown = {symbol for row in published.rows for symbol in row}
    assert set(published.book) == shown
    values = {x for name in published.relational for x in published.columns[name]}
    assert set(published.value_sets) <= values
    trees = {name: HierarchyModel(tree) for name, tree in case.trees.items() if name in (*case.sets, "items")}
    for symbol, (kind, members) in published.book.items():
        assert len(set(members)) == len(members) > 0
        if kind == "item":
            assert members == [symbol]
        elif kind == "group" and symbol.startswith("("):
            assert sorted(members_of(symbol)) == sorted(members)
        for name, tree in trees.items():
            mark = f"{name}:" if case.joined and name != "items" else ""
            if kind == "node" and symbol.removeprefix(mark) in tree.below:
                assert sorted(members) == sorted(mark + leaf for leaf in tree.below[symbol.removeprefix(mark)])
    for group in _groups(case) if shown else ():
        for _, members in published.book.values():
            assert set(members) <= group or not set(members) & group, "a symbol reaches beyond a utility constraint"


def _groups(case: Case) -> list[set[str]]:
    return [set(line.split()) for line in case.texts.get("utility.txt", "").splitlines()]


def require_true_buckets(case: Case, tables: Tables, data: Mapping[str, Any], private: Path) -> None:
    """Check that every published tuple and value occurs in the original, in a single group."""
    lines = lines_of(private / "records.csv")
    record = [int(line["input_record"]) for line in lines]
    assert len(set(record)) == len(record) == len(tables.qit)
    sensitive, groups = data["sensitive"], dict[str, list[str]]()
    for row, i in zip(tables.qit, record, strict=True):
        person = [row[name] for name in data["id"]]
        assert person == [case.columns[name][i] for name in data["id"]] or set(person) == {"*"}
        assert [row[name] for name in data["keep"]] == [case.columns[name][i] for name in data["keep"]]
        groups.setdefault(row["group"], []).append(case.columns[sensitive][i])
    published = tables.values(sensitive)
    assert {group: sorted(values) for group, values in groups.items()} == {g: sorted(v) for g, v in published.items()}
    assert all(list(row) == [*dict.fromkeys(row)] for row in tables.qit)
    if case.algorithm == "anatomy":
        assert len(record) == len(case.columns[sensitive]), "anatomy leaves nothing out"


def holds_any(texts: Collection[str], private: Collection[str]) -> str:
    """Return the first private text that occurs in the texts. Empty if none."""
    return next((secret for secret in private for text in texts if secret in text), "")
