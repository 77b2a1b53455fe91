"""Lines at the edges of a text that are no records: labels below the header, and totals below the last record."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from anonset.arrow import ArrowColumns
from anonset.data.redacted_repr import RedactedRepr
from anonset.errors import Fix, MisreadError
from anonset.lazy_arrow import pa
from anonset.reading.formats.delimited import DelimitedText
from anonset.reading.formats.label_lines import LINES, SAMPLE, ColumnKinds, records_of, start_of_last
from anonset.reading.sources.dialect import Dialect
from anonset.spelling import counted, listed


@dataclass(frozen=True)
class EdgeLines(RedactedRepr):
    """Examination of the first and the last records of a text."""

    where: str
    """Name of the file, for messages."""
    delimiter: str
    kinds: ColumnKinds
    labels: tuple[int, ...]
    """Positions of the records below the header that are skipped, because they contain labels."""
    person: tuple[int, ...] = ()
    """Positions of the columns that identify the person. Empty if each line may be a person."""

    @classmethod
    def of(cls, where: str, head: DelimitedText, dialect: Dialect, person: Sequence[str]) -> "EdgeLines":
        """Examine the first records of a text. `person` are the columns that identify the person.

        Raises
        ------
        MisreadError
            If lines below the header contain labels or units, and they are not skipped.
        """
        records = [] if head.exact else records_of(head.data[len(head.header) :], head.delimiter, SAMPLE + 1)
        are_all = head.is_complete and len(records) <= SAMPLE
        records = records[:SAMPLE] if are_all or len(records) > SAMPLE else records[:-1]
        rows = [row for _, row in records]
        kinds = ColumnKinds.of(head.fields, head.n_fields, rows, are_all=are_all)
        positions = tuple(n for n, name in enumerate(head.fields) if name in person)
        at_end = replace(kinds, kinds={}, values=frozenset()) if dialect.ends_with_records else kinds
        edges = cls(where, head.delimiter, at_end, (), positions)
        if dialect.no_header or (head.below and not dialect.skip_labels):
            return edges
        labels = tuple(kinds.label_rows(rows))
        if labels and not (dialect.skip_labels or "no-other" in dialect.skip_rows):
            edges._refuse([(head.lines + records[n][0], rows[n]) for n in labels], "labels")
        return replace(edges, labels=(labels or (0,)) if dialect.skip_labels and rows else ())

    def without_labels(self, columns: ArrowColumns, first: int, n: int) -> tuple[ArrowColumns, int]:
        """Return the columns of a batch without the lines of labels, and the number of these lines.

        Parameters
        ----------
        first
            Position of the first record of the batch in the text.
        n
            Number of records in the batch.
        """
        return without_rows(columns, n, [row - first for row in self.labels if first <= row < first + n])

    def require_records(self, data: bytes, line: int, rows: int) -> None:
        """Reject last records that are no records.

        Parameters
        ----------
        data
            Last records of the text.
        line
            Number of their first line.
        rows
            Number of records of the text.

        Raises
        ------
        MisreadError
            If a record fits the kinds of fewer than half of the columns.
        """
        records = records_of(data, self.delimiter)
        if wrong := self._misfits(records, rows):
            self._refuse([(line + records[n][0] - 1, records[n][1]) for n in wrong], "footer")

    def last_rows(self, head: DelimitedText, data: bytes, rows: int) -> tuple[int, int, list[int]]:
        """Return the end of the records in the last lines of a text, the number of lines to skip, and the positions of
        other records in these lines that are no records.

        Parameters
        ----------
        data
            Last lines of the text.
        rows
            Number of earlier records of the text.
        """
        stop, skipped = len(data), 0
        while True:
            end = head.end_of(data[:stop])
            skipped += head.footer(data[:stop])
            records = records_of(data[:end], self.delimiter)
            wrong = self._misfits(records, rows + len(records))
            if not wrong or wrong[-1] < len(records) - 1:
                return end, skipped + len(wrong), wrong
            skipped += 1
            stop = start_of_last(data[:end], 1)

    def _misfits(self, records: Sequence[tuple[int, list[str]]], rows: int) -> list[int]:
        """Return the positions of the last ten records that are no records. `rows` is the number of all records."""
        first = max(0, len(records) - LINES)
        before = rows - len(records)
        found = self.kinds.are_misfits([row for _, row in records[first:]], are_last=True)
        return [n for n, is_misfit in enumerate(found, first) if is_misfit and before + n not in self.labels]

    def _refuse(self, lines: Sequence[tuple[int, Sequence[str]]], kind: str) -> None:
        shown = listed([f"{line:,}" for line, _ in lines])
        persons = {tuple(row[n] for n in self.person if n < len(row)) or line for line, row in lines}
        which = f"line {shown} is no record" if len(lines) == 1 else f"lines {shown} are no records"
        problem = f"{which}, because most fields are not numbers, dates or codes as in the other lines, or are empty"
        what = "labels, units or import ids" if kind == "labels" else "totals or notes"
        removed = f"{counted(len(lines), 'line')}, which may be {counted(len(persons), 'person')}"
        fixes = [
            Fix({"skip_rows": ["no-other"]}, "if they are records"),
            Fix({"skip_rows": [kind]}, f"to remove {removed}, if all are {what}"),
        ]
        raise MisreadError(f"{self.where}: {problem}", fixes=fixes)


def without_rows(columns: ArrowColumns, n: int, rows: Sequence[int]) -> tuple[ArrowColumns, int]:
    """Return columns of `n` rows without some rows, and the number of removed rows."""
    if not rows:
        return dict(columns), 0
    remaining = np.ones(n, bool)
    remaining[list(rows)] = False
    return {name: column.filter(pa.array(remaining)) for name, column in columns.items()}, len(rows)
