"""Symbols of the written columns, with their members, and symbols in words."""

from dataclasses import replace

import numpy as np

from anonset.analysis.records import RecordsAnalysis
from anonset.data import CategoricalColumn, SetColumn
from anonset.publications import Records, Symbol
from anonset.publications.records import symbols_of, written_columns
from anonset.publications.symbols import in_words
from anonset.report.symbols import symbols_html

SYMBOLS = (
    Symbol("ALL", "node", ("dx:E10", "dx:E11", "rx:a")),
    Symbol("G1", "group", ("dx:I10", "dx:I11", "dx:I12", "dx:I13")),
    Symbol("(rx:b,rx:c)", "group", ("rx:b", "rx:c")),
    Symbol("rx:d", "item", ("rx:d",)),
)
PUBLISHED = Records(
    SetColumn.of([[symbol.label for symbol in SYMBOLS]], universe=[symbol.label for symbol in SYMBOLS]),
    SYMBOLS,
    tuple(CategoricalColumn.of(name, [label]) for name, label in (("born", "V_4"), ("zip", "(1,2)"), ("n", "[1:9]"))),
    (CategoricalColumn.of("note", ["(left,<b>)"]),),
    np.arange(1),
    joined=("dx", "rx"),
    order=("born", "zip", "n", "dx", "rx", "note"),
    value_sets=(Symbol("V_4", "values", tuple("56789")),),
)  # fmt: skip


def test_each_written_label_has_its_members() -> None:
    members = {
        column.name: {
            label: symbols_of(PUBLISHED, column)(code).members for code, label in enumerate(column.vocabulary.labels)
        }
        for column in written_columns(PUBLISHED)
    }
    assert members == {
        "born": {"V_4": tuple("56789")},
        "zip": {"(1,2)": ("1", "2")},
        "n": {"[1:9]": ("[1:9]",)},
        "dx": {"ALL": ("E10", "E11"), "G1": ("I10", "I11", "I12", "I13")},  # only the members from this column
        "rx": {"ALL": ("a",), "(b,c)": ("b", "c"), "d": ("d",)},
        "note": {"(left,<b>)": ("(left,<b>)",)},  # published unchanged, so it is no set
    }


def test_example_rows_show_members_and_not_names() -> None:
    (example,) = RecordsAnalysis(PUBLISHED).summary().examples
    (row,) = example.rows
    texts = ["; ".join(one if isinstance(one, str) else in_words(one) for one in cell) for cell in row]
    assert dict(zip(example.head, texts, strict=True)) == {
        "born": "5, 6, 7 or 2 more",
        "zip": "1 or 2",
        "n": "[1:9]",
        "dx": "ALL (E10 or E11); I10, I11, I12 or 1 more",
        "rx": "ALL (a); b or c; d",
        "note": "(left,<b>)",
    }
    shown = dict(zip(example.head, map(symbols_html, row), strict=True))
    assert shown["born"] == '<span title="5, 6, 7, 8 or 9">5, 6, 7 or 2 more</span>'
    assert shown["note"] == "(left,&lt;b&gt;)"


def test_labels_in_tooltips_are_escaped() -> None:
    hostile = Symbol("G1", "group", tuple(f'"><b>{n}' for n in range(4)))
    assert '"><b>' not in symbols_html([hostile])
    assert "<b>" not in symbols_html([replace(hostile, kind="node"), "<b>"])
