"""Role of each column of a source, and the itemsets built from the columns."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from anonset.arrow import ArrowColumns, is_list
from anonset.columns.headers import NAMED, PERSON_IDS, are_headers
from anonset.columns.id_findings import ids_above, person_signs
from anonset.columns.identity import are_given
from anonset.columns.ids import are_values, counted_in
from anonset.columns.mentions import columns_of_few, free_text_in, mentions_in, names_and_ids, persons_in
from anonset.columns.personal_values import CONTACTS
from anonset.columns.persons import are_cut, is_coarser, possible_persons
from anonset.data import CategoricalColumn, SetColumn, Table
from anonset.data.table_facts import CUT, PersonMentions, PersonSign
from anonset.errors import Fix, InputError
from anonset.reading.batches import Batch, NamedColumns, OpenedSource
from anonset.reading.cells.columns import Encoder
from anonset.reading.cells.input_checks import require_single
from anonset.reading.cells.presence import labels_of_marks
from anonset.reading.cells.shared_answers import require_separate_answers
from anonset.reading.cells.wide import one_code_sets, one_hot_sets
from anonset.reading.options import ReadOptions
from anonset.reading.roles import Roles, label_of, resolve
from anonset.spelling import setting


def require_values(where: str, table: Table) -> None:
    """Reject relational columns that contain sets of codes.

    Raises
    ------
    InputError
        The message names the first such column.
    """
    for column in table.relational:
        if isinstance(column, CategoricalColumn):
            require_single(where, column.name, column.vocabulary.labels)


def _repeat(columns: ArrowColumns, ids: Sequence[str]) -> bool:
    """Return True if two rows have the same ids, or if the rows do not have all ids."""
    if not all(name in columns and are_values(columns[name]) for name in ids):
        return True
    given, persons = counted_in([columns[name] for name in ids])
    return persons < given


def encoder_of(source: NamedColumns, options: ReadOptions, *, whole: bool = False) -> Encoder:
    """Return the encoder of the columns. If `whole`, cells are one item unless a separator is declared."""
    options = options.resolved(source.names)
    return Encoder(
        source.where,
        options.one_separator,
        "empty" in options.nulls,
        "value" in options.nulls,
        whole,
        separators=options.separators,
        exact=options.exact,
        normalize=options.rules_of_columns,
        printed=source.printed,
        decimal=options.decimal or source.decimal,
        present=None if options.present is None else options.present.strip(),
        with_header=options.with_header,
    )


@dataclass(frozen=True)
class Plan:
    """Role of each column of a source."""

    names: tuple[str, ...]
    """Columns of the source."""
    roles: Roles
    numbers: frozenset[str]
    """Relational columns that contain numbers."""
    labels: Mapping[str, str]
    """Item of each 0/1 column."""

    @classmethod
    def of(cls, source: NamedColumns, options: ReadOptions) -> "Plan":
        """Assign a role to every column of a source.

        Raises
        ------
        InputError
            If a named column does not exist, or a column has no role or two roles.
        """
        options = options.resolved(source.names)
        given = options.roles
        if source.sets_only and not any(given.values()):
            given = {**given, "items": source.names}
        roles, numbers = resolve(
            source.where,
            source.names,
            options.numeric,
            first_line=source.first_line,
            headers=are_headers(source.names),
            remedies=source.remedies,
            **given,
        )
        plan = cls(source.names, roles, numbers, {name: label_of(name, given["one_hot"]) for name in roles.one_hot})
        plan.require_places(source.where, options)
        return plan

    def with_marks(self, encoder: Encoder, batches: Callable[[Sequence[str]], Iterator[Batch]]) -> "Plan":
        """Return the plan with the items that the declared value of a member determines. All rows of the columns that
        mark items are read.

        Raises
        ------
        InputError
            If a column has three values, or the declared value never occurs.
        """
        if encoder.present is None:
            return self
        read = ((batch.before, batch.columns) for batch in batches(self.roles.one_hot))
        return replace(self, labels=labels_of_marks(encoder, read, self.labels))

    def require_separate_answers(
        self, where: str, encoder: Encoder, head: Callable[[Sequence[str]], ArrowColumns]
    ) -> None:
        """Reject columns with one code per cell whose values depend on the column (see `require_separate_answers`)."""
        names = self.roles.one_code
        if not names or encoder.with_header or encoder.exact or encoder.separator is not None:
            return
        first = head(names)
        if not first.keys() >= {*names} or any(is_list(first[name].type) for name in names):
            return
        require_separate_answers(where, names, first)

    @property
    def order(self) -> tuple[str, ...]:
        """Published columns in the order of the source."""
        return self.roles.published(self.names)

    @property
    def normalized(self) -> tuple[str, ...]:
        """Columns with labels that rules may change."""
        roles = self.roles
        return (*roles.items, *roles.wide, "items", *roles.relational, *roles.sensitive, *roles.keep)

    def signs(
        self, where: str, head: Callable[[Sequence[str]], ArrowColumns], *, grouped: bool
    ) -> tuple[PersonSign, ...]:
        """Return the signs about persons in the first rows: possible identifiers that repeat, test persons, and
        facts of a person that differ.

        Parameters
        ----------
        head
            Function that returns the named columns of the first rows.
        grouped
            Whether the rows of an id are merged.

        Raises
        ------
        InputError
            If a spreadsheet truncated the ids.
        """
        roles = self.roles
        asked = (*roles.relational, *roles.keep, *roles.drop)
        if not (asked or roles.id):
            return ()
        first = head((*asked, *roles.id))
        if cut := [name for name in roles.id if name in first and are_cut(first[name])]:
            raise InputError(f"{where}: column {cut[0]!r} {CUT}; export the file again with this column as text")
        alone = grouped and not _repeat(first, roles.id)
        offered = possible_persons(first, (*asked, *roles.id) if alone else asked, () if alone else roles.id)
        possible = [one for one in offered if one.precedes_rows(offered) and not {*one.columns} <= {*roles.id}]
        meant = ("person id", "e-mail") if grouped and not alone else (*PERSON_IDS, *CONTACTS, NAMED, "")
        repeated = [one.as_repeated for one in possible if one.meaning in meant or is_coarser(one, first, roles.id)]
        repeated = [replace(one, persons=counted_in([first[name] for name in one.columns])[1]) for one in repeated]
        return (*repeated, *person_signs(first, roles.id if grouped else ()))

    def fills(self, source: OpenedSource) -> list[Fix]:
        """Return the settings that read the ids of rows without one from the rows above, if the first rows show that
        these rows continue them.
        """
        ids = source.head(self.roles.id)
        if source.tables or all(are_given(column).all() for column in ids.values() if are_values(column)):
            return []
        found = ids_above(source.head(source.names), self.roles.id)
        return [] if found is None else [*found[0].fixes[:1]]

    def mentions(
        self,
        table: Table,
        head: Callable[[Sequence[str]], ArrowColumns],
        separator: str | None,
        left_out: Sequence[str] = (),
    ) -> tuple[PersonMentions, ...]:
        """Return the item columns that contain free text, or mention persons named in other columns. `left_out` are
        columns of linked tables without a role.
        """
        if table.transactions is None or table.transactions.vocabulary.is_numbered:
            return ()
        roles = self.roles
        others = (*roles.id, *roles.drop, *roles.relational, *roles.keep)
        without_header = any(map(str.isdecimal, others))
        of_few = columns_of_few(head(others), roles.id) if without_header else ()
        named = [*names_and_ids((*others, *left_out), table.header_of), *of_few]

        def of_each(names: Sequence[str]) -> ArrowColumns:  # `head` returns columns of one of several linked tables
            return {name: column for name in names for name, column in head([name]).items()}

        first = of_each if table.tables else head
        free_text = free_text_in(first(roles.items), separator) if roles.items else ()
        of_codes = persons_in(head(roles.one_code), table.transactions.name) if roles.one_code else ()
        return (*free_text, *of_codes, *mentions_in(table.transactions, table.joined, named, first))

    def require_places(self, where: str, options: ReadOptions) -> None:
        """Reject rules for columns that are not text, rules for items if there are no items, and repairs of columns
        that are no ids.

        Raises
        ------
        InputError
            The message names the column, or the existing columns.
        """
        roles, rules = self.roles, options.rules_of_columns
        texts = [name for name in (*roles.relational, *roles.sensitive, *roles.keep) if name not in self.numbers]
        text_columns = [*roles.items, *texts, *(["items"] if roles.wide else [])]
        if wrong := [name for name in rules if name and name not in (*text_columns, *roles.id)]:
            places = ", ".join(map(repr, text_columns)) or "none"
            problem = f"{setting('normalize')}: column {wrong[0]!r} is not a text column"
            raise InputError(f"{where}: {problem}; text columns: {places}")
        repairs = [(name, own[0]) for name, own in options.repairs_of_ids.items() if name not in roles.id]
        if repairs:
            rule = ",".join(f"{name}={repair}" if name else repair for name, repair in repairs)
            msg = f"{where}: {setting('normalize', rule)} applies to columns that identify the person"
            raise InputError(f"{msg}: {', '.join(map(repr, roles.id)) or 'none'}")
        if "" in rules and not (roles.items or roles.wide):
            rule = rules[""][0]
            msg = f"{where}: {setting('normalize', rule)} applies to items, and the data have no items column"
            named = [Fix({"normalize": [f"{name}={rule}"]}, "to name the column") for name in texts[:1]]
            raise InputError(msg, fixes=named)

    @property
    def is_one_set(self) -> bool:
        """True if the source has a single column, which contains sets."""
        return len(self.names) == 1 and bool(self.roles.items)

    @property
    def joined(self) -> tuple[str, ...]:
        """Set-valued columns that are joined into one. Empty if only one column has items."""
        return self.roles.items if len(self.roles.items) > 1 else ()

    def sets(self, encoder: Encoder, loaded: ArrowColumns) -> SetColumn | None:
        """Encode the sets from any column layout. None if there are no sets."""
        roles = self.roles
        if misplaced := next(
            (n for n in roles.used if isinstance(loaded.get(n), SetColumn) and n not in roles.items), None
        ):
            raise InputError(f"{encoder.where}: column {misplaced!r} contains sets; declare it as {setting('items')}")
        if roles.one_hot:
            first = one_hot_sets(encoder, {name: loaded[name] for name in roles.one_hot}, self.labels)
            return encoder.normalized(first)
        if roles.one_code:
            return one_code_sets(encoder, {name: loaded[name] for name in roles.one_code})
        if not (present := [name for name in roles.items if name in loaded]):
            return None
        first = loaded[present[0]]
        if isinstance(first, SetColumn):
            return encoder.normalized(first) if encoder.normalize else first
        if len(roles.items) == 1:
            return encoder.sets(roles.items[0], first)
        return encoder.joined_sets({name: loaded[name] for name in present})
