"""Files with the privacy and utility constraints of a job, and the number of records that match each constraint."""

from pathlib import Path

from anonset.jobs.proposals.column_hierarchy import ColumnHierarchy
from anonset.privacy.policies import PrivacyPolicy, UtilityPolicy
from anonset.reading.policies import (
    read_privacy_policy,
    read_utility_policy,
    write_privacy_policy,
    write_utility_policy,
)
from anonset.settings.model_choices import with_constraints
from anonset.spelling import as_typed
from anonset.ui.state.composed_file import ComposedFile
from anonset.ui.state.open_job import OpenJob

KINDS = ("privacy", "utility")


class PolicyState(ComposedFile):
    """File with privacy constraints (itemsets) or utility constraints (groups of items)."""

    counts_in = "supports"

    def __init__(self, state: OpenJob, kind: str) -> None:
        super().__init__(state)
        self.kind = kind

    @property
    def rows(self) -> tuple[tuple[str, ...], ...]:
        """Constraints in the file."""
        file = self._file
        if file is None or not file.exists():
            return ()
        return read_privacy_policy(file).itemsets if self.kind == "privacy" else read_utility_policy(file).groups

    @property
    def check(self) -> list[str]:
        """Words of the command that checks the constraints, without the names of the file and of the data."""
        return ["policy", "check", "--kind", self.kind]

    @property
    def command(self) -> str:
        """Command that checks the constraints."""
        return as_typed("policy check", self.name, {"kind": self.kind, "input": self._state.name})

    def add(self, tree: ColumnHierarchy) -> None:
        """Add the chosen items as a constraint.

        Raises
        ------
        InputError
            If the constraint is invalid.
        """
        if self.kind == "privacy":
            self._write(PrivacyPolicy.of([*self.rows, self.items]))
        else:
            groups = UtilityPolicy(self.rows or tuple((item,) for item in tree.hierarchy.leaves.labels))
            self._write(groups.with_group(self.items))
        self.clear()

    def remove(self, number: int) -> None:
        """Remove a constraint. Each item of a removed group becomes a group of its own."""
        row, others = self.rows[number], [*self.rows[:number], *self.rows[number + 1 :]]
        if self.kind == "privacy":
            self._write(PrivacyPolicy.of(others))
        else:
            self._write(UtilityPolicy.of([*others, *([item] for item in row)]))

    @property
    def _setting(self) -> str:
        return f"{self.kind}_constraints"

    @property
    def _file(self) -> Path | None:
        """Path of the file. Unless the job file names a file, the name is derived from the name of the job file."""
        job = self._state.job
        if job is None:
            return None
        name = self._state.raw.get(self._setting, "")
        has_file = isinstance(name, str) and (job.parent / name).is_file()
        return self._state.folder.inside(job.parent / (name if has_file else f"{job.stem}-{self.kind}.txt"))

    def _write(self, policy: PrivacyPolicy | UtilityPolicy) -> None:
        self._state.require_not_publishing()
        file = self._file
        if file is None:
            return
        remains = not isinstance(policy, PrivacyPolicy) or bool(policy.itemsets)
        job = with_constraints(self._state.stated, self.kind, file.name if remains else "")
        if not remains:
            file.unlink(missing_ok=True)
        elif isinstance(policy, PrivacyPolicy):
            write_privacy_policy(policy, file)
        else:
            write_utility_policy(policy, file)
        self._state.change(job)
        self.count()
