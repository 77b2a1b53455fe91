"""``anonset policy``: generate, check and convert the constraints of COAT and PCTA."""

from pathlib import Path
from typing import Annotated, Any, Literal

from anonset.cli.commands.items import Flags, figures_table, items_of, items_of_input
from anonset.cli.flags import flags_of, given_flags
from anonset.cli.options import Option
from anonset.cli.output import Output, written
from anonset.data import Hierarchy, SetColumn
from anonset.errors import InputError
from anonset.privacy.policies import PrivacyPolicy, UtilityPolicy, one_group, random_policy
from anonset.reading.hierarchies.specs import hierarchy_for
from anonset.reading.policies import (
    read_privacy_policy,
    read_utility_policy,
    write_privacy_policy,
    write_utility_policy,
)
from anonset.reading.sources.files import text_lines
from anonset.release.publishing.staging import require_new
from anonset.settings.commands import PolicySettings
from anonset.settings.job import Job
from anonset.settings.job_files import settings_at
from anonset.settings.readers import ParsingContext, privacy_constraints, utility_constraints
from anonset.support import SupportIndex

_Flags: Any = flags_of(PolicySettings)
Kind = Annotated[
    Literal["privacy", "utility"],
    Option("Content of the file: privacy (itemsets to protect) or utility (groups of items)."),
]


def generate_policy(
    source: Annotated[str, Option("Data set with the items of the constraints.", "INPUT")],
    /,
    *,
    out: Annotated[str, Option("New file, with one constraint per line.", alias="-o")],
    privacy: Annotated[
        str | None,
        Option(
            "Generate privacy constraints: pgen (itemsets in fewer than --k records), or PP1 to PP9 (random itemsets)."
        ),
    ] = None,
    utility: Annotated[
        str | None,
        Option(
            "Generate utility constraints: one (all items in one group), siblings:N (groups of N "
            "neighbouring items), or level:D (nodes at depth D of the hierarchy)."
        ),
    ] = None,
    hierarchy: Annotated[
        str | None, Option("Hierarchy of the items: a file, or balanced:F (nodes with F children).")
    ] = None,
    **flags: _Flags,
) -> Output:
    """Generate privacy or utility constraints for a data set."""
    target = Path(out)
    require_new(target)
    if (privacy is None) == (utility is None):
        raise InputError("exactly one of --privacy and --utility is required")
    source, settings = settings_at(source, "input", given_flags(flags), PolicySettings)
    column, tree = _bound(items_of(source, settings, by_person=True), hierarchy)
    if utility is not None:
        context = ParsingContext(column, tree)
        made = one_group(column.vocabulary) if utility == "one" else utility_constraints(utility, context)
        write_utility_policy(made or UtilityPolicy(()), target)
    elif privacy == "pgen":
        context = ParsingContext(column, tree, Job().with_(k=settings.k))
        write_privacy_policy(privacy_constraints("pgen", context) or PrivacyPolicy(()), target)
    else:
        sizes = {"n_itemsets": settings.itemsets, "seed": settings.seed}
        write_privacy_policy(random_policy(str(privacy), column.vocabulary, **sizes), target)
    return written(target)


def check_policy(
    file: Annotated[str, Option("File of constraints, one per line.")],
    /,
    *,
    kind: Kind = "privacy",
    data: Annotated[str | None, Option("Data set with the items of the constraints.", "--input")] = None,
    **flags: Flags,
) -> Output:
    """Check constraints, and whether they fit a data set."""
    column = items_of_input(data, flags)
    read = read_privacy_policy if kind == "privacy" else read_utility_policy
    policy: PrivacyPolicy | UtilityPolicy = read(Path(file), None if column is None else column.vocabulary)
    rows = policy.itemsets if isinstance(policy, PrivacyPolicy) else policy.groups
    figures = {
        "constraints": len(rows),
        "smallest": min(map(len, rows)),
        "largest": max(map(len, rows)),
        "items": len({item for row in rows for item in row}),
    }
    return Output(
        lambda: {**figures, **({} if column is None else {"supports": _supports(column, policy)})},
        lambda: [figures_table(figures)],
    )


def convert_policy(
    file: Annotated[str, Option("File of constraints, one per line.")],
    out: Annotated[str, Option("New file. Items are separated by blanks, and quoted if they contain blanks.")],
    /,
    *,
    kind: Kind = "privacy",
    separator: Annotated[str, Option("Character between the items in FILE.")] = ",",
) -> Output:
    """Convert constraints to the format of anonset.

    The format separates items by blanks, and quotes items that contain blanks.
    """
    target = Path(out)
    require_new(target)
    lines = text_lines(Path(file), "a constraint")
    rows = [[item.strip() for item in line.split(separator) if item.strip()] for line in lines]
    if kind == "privacy":
        write_privacy_policy(PrivacyPolicy.of(rows), target)
    else:
        write_utility_policy(UtilityPolicy.of(rows), target)
    return written(target)


def _supports(column: SetColumn, policy: PrivacyPolicy | UtilityPolicy) -> list[int]:
    """Return the number of records that match each constraint. A record matches a privacy constraint if it contains all
    items, and a utility constraint if it contains any item of the group.
    """
    index = SupportIndex(column)
    if isinstance(policy, PrivacyPolicy):
        return [index.support_of(itemset) for itemset in policy.itemsets]
    code = column.vocabulary.index
    return [index.support_of_groups([[code[item] for item in group]]) for group in policy.groups]


def _bound(column: SetColumn, hierarchy: str | None) -> tuple[SetColumn, Hierarchy | None]:
    """Reorder the items of a column by the leaves of a hierarchy. Change nothing if `hierarchy` is None."""
    if hierarchy is None:
        return column, None
    tree = hierarchy_for(hierarchy, column.vocabulary, column.name, column.occurrences)
    return tree.bind(column), tree
