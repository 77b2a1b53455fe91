"""History of the files that the owner edits: the job file, and hierarchy files."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from anonset.errors import InputError
from anonset.ui.state.folder import replacement


class Edit(NamedTuple):
    """Edit of a file by the owner, in words."""

    words: str
    file: Path
    before: bytes
    after: bytes
    shown: Any
    """State of the page before the edit, which belongs to the content of the file."""


class History:
    """Edits that the owner can undo, the last one last."""

    def __init__(self) -> None:
        self._edits: list[Edit] = []

    def last(self, file: Path | None) -> Edit | None:
        """Return the last edit of a file that can be undone, or None."""
        return next((edit for edit in reversed(self._edits) if edit.file == file), None)

    @contextmanager
    def edit(self, words: str, file: Path | None, shown: Any) -> Iterator[None]:
        """Store the edit that the code in the ``with`` block makes, unless it fails or there is no file yet."""
        edits, before = self._edits, b"" if file is None else file.read_bytes()
        yield
        if file is not None:
            self._edits = [*edits, Edit(words, file, before, file.read_bytes(), shown)]

    def replace(self, file: Path, content: bytes) -> None:
        """Replace the content of a file. A change that is no edit becomes a part of the last edit, unless another
        program changed the file after it.
        """
        last, former = self.last(file), file.read_bytes()
        with replacement(file) as new:
            new.write_bytes(content)
        if last is not None and former == last.after:
            self._edits = [one._replace(after=content) if one is last else one for one in self._edits]

    def undo(self, file: Path) -> Edit | None:
        """Restore a file before its last edit, and return the edit.

        Raises
        ------
        InputError
            If another program changed the file.
        """
        if (edit := self.last(file)) is None:
            return None
        if file.read_bytes() != edit.after:
            raise InputError(f"another program changed {file.name}, so “{edit.words}” cannot be undone")
        self._edits.remove(edit)
        self.replace(file, edit.before)
        return edit

    def clear(self) -> None:
        """Forget all edits: they cannot be undone any more."""
        self._edits = []
