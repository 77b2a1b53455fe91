"""Steps for the taxonomies of ICD-9 codes."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.originals.formats import label, r_data, table

HIERARCHY, CHAPTERS = "icd9cm_hierarchy.rda", "icd9_chapters.rda"
"""Originals from the R package icd.data."""
_HEAD = ("leaf", "four_digit", "three_digit", "sub_chapter", "chapter", "root")


class Codes:
    """Hierarchy of ICD-9-CM from the R package icd.data."""

    def __init__(self, downloads: Path) -> None:
        """Read the levels of each code, and the first and last three-digit code of each chapter and sub-chapter."""
        hierarchy: Any = r_data(downloads / HIERARCHY)["icd9cm_hierarchy"]
        chapters: Any = r_data(downloads / CHAPTERS)["icd9_chapters"]
        rows = [{name: str(value) for name, value in row.items()} for row in hierarchy.to_dict("records")]
        self._of_code = {row["code"]: row for row in rows}
        self._ranges = {str(name): (str(ends[0]), str(ends[1])) for name, ends in chapters.items()}
        for row in rows:
            name, major = row["sub_chapter"], row["three_digit"]
            low, high = self._ranges.get(name, (major, major))
            if name not in chapters:
                self._ranges[name] = min(low, major), max(high, major)

    def _name(self, prefix: str, name: str) -> str:
        """Return the label of a chapter or sub-chapter."""
        low, high = self._ranges[name]
        return f"{prefix}_{low}-{high}_{label(name)}"

    def taxonomy(self, codes: Iterable[str], *, digits: int = 5, padded: bool = False) -> str:
        """Return the taxonomy of the given codes. With 3 digits, the leaves are three-digit codes.

        With `padded`, codes may lack leading zeros and contain a dot.
        """
        rows = []
        for leaf in sorted(set(codes)):
            code = _padded(leaf) if padded else leaf
            row = self._of_code[code]
            above = [self._name("SC", row["sub_chapter"]), self._name("CH", row["chapter"]), "ALL"]
            rows.append(
                [leaf, *above] if digits == 3 else [leaf, f"C4_{_four(code)}", f"C3_{row['three_digit']}", *above]
            )
        return table(_HEAD if digits > 3 else (_HEAD[0], *_HEAD[3:]), rows)


def _four(code: str) -> str:
    return code[: 5 if code.startswith("E") else 4]


def _padded(code: str) -> str:
    major, _, minor = code.partition(".")
    return (major if major[0] in "EV" else major.zfill(3)) + minor
