"""Publications of records: each published row represents one input record."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from anonset.algorithms.base import Algorithm, Result, traits_of
from anonset.algorithms.registry import APART
from anonset.data import CategoricalColumn, SetColumn, Table
from anonset.data.array_types import Int64
from anonset.data.hierarchies.combined_hierarchies import is_attached
from anonset.data.hierarchies.halves import in_order_of_place
from anonset.data.resumption.ledger import Ledger
from anonset.data.spans import spans
from anonset.data.storage.store import MEMORY, Store, delete_when_collected
from anonset.errors import InputError
from anonset.generalization import Cut, ItemGroups, PerCluster, apply
from anonset.generalization.apply import in_input_order
from anonset.measures.retention import retention
from anonset.privacy import PrivacyModel, Witness
from anonset.publications import Records, Symbol
from anonset.publications.records import written_columns
from anonset.publications.symbols import members_of, set_label
from anonset.reading.batches import open_source
from anonset.reading.formats import fimi
from anonset.reading.hierarchies.files import write_hierarchy
from anonset.reading.options import ReadOptions
from anonset.reading.publications.records import read_published
from anonset.reading.publications.tables import read_tables
from anonset.reading.sources.source import of_files
from anonset.reading.table_builder import gather
from anonset.release.documents import CODEBOOK, HIERARCHY, MAPPING, RETIRED, PublishedFile
from anonset.release.formats import (
    Hierarchies,
    Layout,
    PublicationKind,
    UnverifiedPublication,
    require_few_parts,
    sizes_of_parts,
)
from anonset.release.guarantee_limits import limits_of_records
from anonset.release.kinds.formulas import formula_warnings
from anonset.release.kinds.joined import rejoin, texts_of_items, texts_of_nodes
from anonset.release.losses import measures_of, nothing_left, why_worthless
from anonset.release.scan.disclosure_scan import Scanner
from anonset.release.scan.findings import ScanResult
from anonset.release.scan.item_scan import labels_of
from anonset.release.statements import digests
from anonset.release.symbols import name_sets, require_plain_items, require_plain_nodes, require_sound, spell_out
from anonset.spelling import setting
from anonset.verification.item_truth import check_item_truth
from anonset.verification.relational_truth import check_relational_truth
from anonset.verification.unchanged_columns import find_other_value
from anonset.writing.publications.records import (
    check_labels,
    require_single_set,
    separator_of,
    to_arrow,
    write_published,
)
from anonset.writing.publications.tables import write_tables

if TYPE_CHECKING:
    from anonset.settings.publication import CheckSettings


_NOWHERE = "\n"
"""Separator for columns without sets: a line break, which occurs in no label."""


class RecordsKind(PublicationKind[Records]):
    """Publication in the file ``published.csv`` (``.parquet``, ``.dat``) with its codebook. The private directory
    contains the item mapping and the records.
    """

    no_stream = ""
    several_tables = False

    def require_publishable(self, table: Table, hierarchies: Hierarchies, algorithm: Algorithm, layout: Layout) -> None:
        """Reject columns and labels that the layout does not support, for every node and set that may be published."""
        require_few_parts(table.n, layout)
        _require_tables(table, algorithm, layout)
        column = table.transactions
        if layout.format == "dat":
            require_single_set(table.item_columns, [other.name for other in (*table.relational, *table.kept)])
        if column is None:
            return
        set_based = traits_of(algorithm).forms_sets
        if set_based and layout.symbols == "members":
            require_plain_items(column.vocabulary.labels)
        hierarchy = None if set_based else hierarchies.get(column.name)
        labels: Iterable[str] = column.vocabulary.labels
        if hierarchy is not None:
            # no item is generalized to the root above the sensitive items
            first = int(is_attached(hierarchy, algorithm.model.secrets))
            require_plain_nodes(hierarchy, first)
            nodes = [v for v in range(first, hierarchy.n_nodes) if hierarchy.labels[v] not in hierarchy.unnamed]
            labels = [hierarchy.labels[node] for node in nodes]
            if hierarchy.unnamed and layout.symbols == "members":
                require_plain_items(hierarchy.leaves.labels)
            if table.joined:
                labels = texts_of_nodes(hierarchy, table.joined, nodes)
        elif table.joined:  # the name of an itemset over several columns consists of prefixed names
            named_in_sets = labels if set_based and layout.symbols != "short" else ()
            labels = (*texts_of_items(column, table.joined), *named_in_sets)
        if layout.format is not None:
            check_labels(labels, layout.format, layout.separator)

    def apply(self, table: Table, hierarchies: Hierarchies, result: Result, layout: Layout) -> Records:
        """Apply a recoding, order the rows, and assign codes to large sets."""
        tree = None if table.transactions is None else hierarchies.get(table.transactions.name)
        publication = apply(table, result.recoding, tree, by_content=layout.order == "sorted")
        categories = [column.name for column in table.relational if isinstance(column, CategoricalColumn)]
        value_sets = [name for name in categories if name not in hierarchies or hierarchies[name].unnamed]
        value_sets += _with_leaf_sets(publication, hierarchies)
        nodes = () if tree is None else (tree.labels[node] for node in np.flatnonzero(~tree.is_leaf))
        others = (*nodes, *layout.used_labels)
        named = name_sets(publication, value_sets, layout.symbols, layout.codes, others=others)
        if named.transactions is not None:
            named.transactions.counted(named.store)
        return named

    def require_readable(self, publication: Records) -> None:
        """Reject symbols whose name contradicts their members, for any algorithm."""
        symbols = publication.symbols
        for symbol in symbols:
            if symbol.kind == "group" and symbol.label == set_label(symbol.members):
                require_plain_items(symbol.members)
        require_sound((*symbols, *publication.value_sets), "the publication")

    to_arrow = staticmethod(to_arrow)

    def write(self, unverified: UnverifiedPublication[Records], folder: Path, layout: Layout) -> PublishedFile:
        """Write the data and the codebook."""
        from anonset.writing.codebook import write_codebook

        publication = unverified.publication
        chosen, separator = layout.format or "csv", separator_of(unverified.publication, layout.separator)
        ledger = Ledger(unverified.table.store.of_run)
        tables = unverified.table.tables
        if tables:
            data = write_tables(publication, tables, folder, chosen, layout.part_rows)
        else:
            data = write_published(publication, folder, chosen, separator, layout.part_rows, ledger)
        fimi = chosen == "dat"
        # the codebook also explains the codes of value sets
        symbols = (*publication.symbols, *publication.value_sets)
        write_codebook(replace(publication, symbols=symbols), folder / CODEBOOK)
        return PublishedFile(
            file=data.name,
            format=chosen,
            separator=separator if not tables and is_separated(publication, chosen) else None,
            items=["items"] if fimi else list(publication.item_columns),
            relational=[column.name for column in publication.relational],
            keep=[column.name for column in publication.kept],
            sha256=digests(folder, unverified.table.store.workers),
            parts=None if layout.part_rows is None else len(list((data / tables[0] if tables else data).iterdir())),
            tables=list(tables) or None,
        )

    def write_private(self, unverified: UnverifiedPublication[Records], folder: Path) -> None:
        """Write the item mapping, if there are items, and the input record of each row."""
        from anonset.writing.codebook import write_local_mapping, write_mapping, write_records, write_symbols

        publication = unverified.publication
        recoding, column = unverified.result.recoding, unverified.table.transactions
        if isinstance(recoding, PerCluster) and column is not None:
            write_local_mapping(recoding, column, folder / MAPPING, publication.symbols)
        elif column is not None:
            codes = {} if unverified.earlier is None else unverified.earlier.codes
            earlier_symbols = [Symbol(name, "group", members) for members, name in codes.items()]
            write_mapping(recoding, folder / MAPPING, (*earlier_symbols, *publication.symbols))
            earlier = unverified.earlier
            if isinstance(recoding, (Cut, ItemGroups)) and earlier and (retired := earlier.retired_by(recoding)):
                write_symbols(retired, folder / RETIRED)
        tree = None if column is None else unverified.hierarchies.get(column.name)
        if isinstance(recoding, Cut):
            tree = recoding.hierarchy
        if tree is not None and (isinstance(recoding, Cut) or (isinstance(recoding, PerCluster) and tree.from_data)):
            if tree.place is not None:
                tree = in_order_of_place(tree)
            write_hierarchy(tree, folder / HIERARCHY)
        write_records(publication, folder)

    def read(
        self,
        folder: Path,
        files: PublishedFile,
        store: Store = MEMORY,
        meant: Records | None = None,
        book: Iterable[Symbol] | None = None,
    ) -> Records:
        """Read the data. Also read the codebook if `book` is None.

        Sets, and columns with labels on disk, are compared with the columns of `meant` while they are read.
        """
        from anonset.reading.publications.codebook import read_codebook

        roles = {"items": files.items, "relational": files.relational, "keep": files.keep}
        if files.tables is not None:
            written = read_tables(folder, files.tables, files.format, files.parts, **roles, store=store.nested())
        else:
            kept_columns = () if meant is None else meant.kept
            written = read_parts(
                [folder / name for name in files.data_files],
                separator=_NOWHERE if files.separator is None else files.separator,
                expected={column.name: column for column in kept_columns if column.vocabulary.filed is not None},
                sets=meant.transactions if meant is not None and not meant.joined else None,
                **roles,
                store=store.nested(),
            )
        record = meant.record if meant is not None and meant.n == written.n else None
        return with_codebook(written, read_codebook(folder / CODEBOOK) if book is None else book, record=record)

    def read_foreign(self, published: Path, settings: "CheckSettings", model: PrivacyModel) -> Records:
        """Read a table of published symbols, and its codebook if the settings name one."""
        from anonset.reading.publications.codebook import read_codebook

        keep = [*settings.keep, *([model.sensitive_column] if model.sensitive_column else [])]
        table = read_published(
            published,
            items=settings.items,
            relational=settings.relational,
            keep=list(dict.fromkeys(keep)),
            reading=settings.foreign_reading(),
        )
        if settings.codebook is None:
            return with_codebook(table, (), sets=model.reads_sets)
        book = read_codebook(Path(settings.codebook))
        nodes_known = settings.names_tree_of(table.transactions, table.joined)
        require_sound(book, f"codebook {settings.codebook!r}", nodes_known=nodes_known)
        return with_codebook(table, book, sets=model.reads_sets)

    def stated(self, publication: Records, files: PublishedFile) -> dict[str, tuple[Any, Any]]:
        """Return the separator. For FIMI files, which have no header, return the column name as well."""
        separated = files.tables is None and is_separated(publication, files.format)
        separator = files.separator if separated else None
        nameless = {"data.items": (files.items, ["items"])} if files.format == "dat" else {}
        return {"data.separator": (files.separator, separator), **nameless}

    def find_contradiction(
        self, table: Table, publication: Records, hierarchies: Hierarchies, model: PrivacyModel
    ) -> Witness | None:
        """Compare every published symbol and value with its record."""
        witness = check_item_truth(table, publication)
        if witness is None and table.relational:
            plain = replace(publication, relational=spell_out(publication.relational, publication.value_sets))
            witness = check_relational_truth(table, plain, hierarchies)
        return witness or find_other_value(table, publication.kept, publication)

    def sizes(self, unverified: UnverifiedPublication[Records]) -> dict[str, int]:
        """Return the number of items that occur, the number of symbols that replace them, and the cluster sizes."""
        from anonset.measures.ambiguous_items import ambiguous_items

        original, publication = unverified.table.transactions, unverified.publication
        size_of = {}
        if original is not None and publication.transactions is not None:
            size_of["items"] = int(np.count_nonzero(original.occurrences))
            size_of["symbols"] = int(np.count_nonzero(publication.transactions.occurrences))
        if publication.cluster is not None and publication.n:
            members = np.zeros(int(publication.cluster.max()) + 1, np.int64)
            for first, end in spans(publication.n):
                np.add.at(members, publication.cluster[first:end], 1)
            size_of |= sizes_of_parts(unverified.result) | {"clusters": len(members)}
            size_of |= {"smallest_cluster": int(members.min()), "largest_cluster": int(members.max())}
            size_of["ambiguous_items"] = ambiguous_items(publication)
        return size_of

    def retention(self, table: Table, result: Result, publication: Records) -> Mapping[str, Mapping[str, int]]:
        """Return the number of unchanged, generalized and suppressed items and values."""
        return retention(table, result.recoding)  # type: ignore[arg-type]

    measures = staticmethod(measures_of)

    why_worthless = staticmethod(why_worthless)

    nothing_left = staticmethod(nothing_left)

    limits = staticmethod(limits_of_records)

    def scan(self, publication: Records, scanner: Scanner) -> ScanResult:
        """Scan column names, relational values, kept columns and items."""
        findings = [*scanner.headers(publication.order), *scanner.relational(publication)]
        findings += scanner.kept(publication.kept, publication.relational, publication.store)
        if publication.transactions is not None:
            findings += scanner.items.shown(publication.item_columns, labels_of(publication))
        promised = [column for column in publication.kept if column.name == scanner.model.sensitive_column]
        return ScanResult(tuple(findings), scanner.promised(promised) | scanner.items.unchanged(publication))

    def formula_warnings(self, publication: Records) -> tuple[str, ...]:
        """Return warnings about the labels of the columns and the members in the codebook."""
        members = {member for symbol in publication.symbols for member in symbol.members}
        return formula_warnings(list(written_columns(publication)), members)


def _require_tables(table: Table, algorithm: Algorithm, layout: Layout) -> None:
    """Reject what linked tables do not support."""
    if not table.tables:
        return
    problem = ""
    if layout.order == "input":
        problem = f"{setting('order', 'input')} is not possible, because record numbers would show the order"
    elif layout.format == "dat":
        problem = f"{setting('format', 'dat')} has one column; choose csv or parquet"
    elif traits_of(algorithm).forms_sets and table.joined:
        ways = f"choose {setting('algorithm', APART)} or, for model kkm, {setting('transaction', APART)}"
        problem = f"{algorithm.name} may form symbols of items of different tables; {ways}"
    if problem:
        raise InputError(f"linked tables: {problem}")


def read_parts(
    paths: Sequence[Path],
    *,
    items: Sequence[str],
    relational: Sequence[str],
    keep: Sequence[str],
    separator: str,
    store: Store = MEMORY,
    expected: Mapping[str, CategoricalColumn] = MappingProxyType({}),
    sets: SetColumn | None = None,
) -> Table:
    """Read the files of a publication written by anonset into a table.

    All values are text: a published range or set is an ordinary symbol. The column of a FIMI file gets the name in
    `items`.

    Parameters
    ----------
    store
        Store for the columns.
    expected
        Kept columns of the original whose labels are on disk. The columns that are read must equal these columns.
    sets
        Expected set-valued column, or None to accept any column.

    Raises
    ------
    InputError
        If a file cannot be read, or its columns differ from the named columns.
    """
    source = of_files(paths)
    nameless = source.format == "dat"
    options = ReadOptions(items=items, relational=relational, keep=keep, separator=separator, exact=True)
    if nameless:
        options = replace(options, items=(), separator=" ")
    table = gather(open_source(source, options), options, store, expected=expected, sets=sets)
    column, name = table.transactions, items[0] if items else fimi.COLUMN
    if not nameless or column is None:
        return table
    return replace(table, transactions=replace(column, name=name), order=(name,))


def with_codebook(table: Table, book: Iterable[Symbol], *, sets: bool = False, record: Int64 | None = None) -> Records:
    """Return a table of published symbols with its codebook as a publication.

    The text of a symbol that is missing in the codebook shows its members. For example, ``(a,b,c)`` has the members a,
    b and c. Columns that were joined become one column again. A symbol in the codebook may have members of several
    columns. If `sets` is True, a set ``(a,b)`` that is missing in the codebook may also have members of several
    columns.

    Parameters
    ----------
    record
        Input record of each row, int64 (n,). None if rows are in input order.
    """
    listed = {symbol.label: symbol for symbol in book}
    items = table.transactions
    if items is not None and table.joined:
        items, symbols = rejoin(items, listed.values(), table.joined, sets=sets, store=table.store)
    else:
        labels = () if items is None else items.vocabulary.labels
        symbols = tuple(listed.get(label) or _symbol(label) for label in labels)
    values = tuple(symbol for symbol in listed.values() if symbol.kind == "values")
    relational = tuple(column for column in table.relational if isinstance(column, CategoricalColumn))
    rows = delete_when_collected(in_input_order(table.n, table.store)) if record is None else record
    order, joined, store = table.order, table.joined, table.store
    return Records(
        items, symbols, relational, table.kept, rows, order=order, joined=joined, value_sets=values, store=store
    )


def _with_leaf_sets(publication: Records, hierarchies: Hierarchies) -> list[str]:
    """Return the relational columns with a hierarchy that publish sets of leaves that are not nodes."""
    return [
        column.name
        for column in publication.relational
        if (tree := hierarchies.get(column.name)) is not None
        and any(label not in tree.node_of and len(members_of(label)) > 1 for label in column.vocabulary.labels)
    ]


def is_separated(publication: Records, format: str) -> bool:  # noqa: A002
    """Return True if a text field contains several symbols of a published set, so that a separator is required."""
    if format != "csv":
        return False
    return any(isinstance(column, SetColumn) and column.longest > 1 for column in written_columns(publication))


def _symbol(label: str) -> Symbol:
    members = members_of(label)
    return Symbol(label, "item" if len(members) == 1 else "group", members)
