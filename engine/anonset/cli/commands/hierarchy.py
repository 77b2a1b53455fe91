"""``anonset hierarchy``: build, check, print, convert and rename hierarchies."""

from pathlib import Path
from typing import Annotated

from anonset.cli.commands.items import (
    Flags,
    code_rules,
    figures_table,
    items_of_input,
    labels_of,
    misfits_table,
)
from anonset.cli.options import Option
from anonset.cli.output import Output, warn, written
from anonset.data.hierarchies.halves import in_order_of_place
from anonset.data.hierarchies.hierarchy_rules import is_coarser
from anonset.data.hierarchies.tree_edits import rename_node
from anonset.errors import HierarchyError, InputError
from anonset.jobs.proposals.column_hierarchy import column_tree
from anonset.reading.hierarchies.files import hierarchy_faults, read_hierarchy, write_hierarchy
from anonset.reading.hierarchies.omop import omop_hierarchy
from anonset.reading.hierarchies.specs import hierarchy_for
from anonset.release.publishing.staging import require_new
from anonset.report.tree import drawn
from anonset.settings.commands import TreeSettings
from anonset.settings.fitting import left_over
from anonset.settings.job import Job
from anonset.settings.job_files import settings_at
from anonset.settings.settings import is_job
from anonset.spelling import counted

HierarchyFile = Annotated[
    str, Option("Hierarchy file. Each line contains a leaf and the nodes above it: leaf,parent,...,root.")
]


def build_hierarchy(
    source: Annotated[
        str,
        Option("Data set. The leaves of the hierarchy are its items, or the values of --column.", "INPUT"),
    ],
    /,
    *,
    out: Annotated[str, Option("New hierarchy file, readable only by the owner.", alias="-o")],
    spec: Annotated[
        str,
        Option(
            "Rule of the hierarchy: balanced:5 (groups of 5 neighbouring items), balanced:5:frequency "
            "(groups of 5 items of similar frequency), halves:frequency or halves:number (binary tree, by "
            "descending frequency; @FILE: frequency in FILE), refine:FILE (binary trees below the nodes of "
            "FILE), prefix:1,3 (codes), mask:3,1 (postal codes), bins:0,18,65 or bins:width=5,20 "
            "(numbers), date:month,year or date:%d.%m.%Y:month,year (dates), or a hierarchy file of "
            "intervals."
        ),
    ] = "balanced:5",
    column: Annotated[str | None, Option("Column whose values become the leaves. Default: the items.")] = None,
    **flags: Flags,
) -> Output:
    """Build a hierarchy over the items or values of a data set.

    You can edit the resulting file.
    """
    target = Path(out)
    require_new(target)
    labels = labels_of(source, column, flags)
    hierarchy = hierarchy_for(spec, labels.vocabulary, labels.name, labels.occurrences)
    target.touch(0o600)
    write_hierarchy(in_order_of_place(hierarchy), target)
    if is_coarser(spec):
        warn(f"{spec} never publishes full values, but with {out} as hierarchy they can be published")
    return written(target)


def import_hierarchy(
    file: Annotated[str, Option("Table concept_ancestor of the OMOP common data model.")],
    /,
    *,
    data: Annotated[str, Option("Data set whose items are concept ids.", "--input")],
    out: Annotated[str, Option("New hierarchy file, readable only by the owner.", alias="-o")],
    column: Annotated[str | None, Option("Column with the concept ids. Default: the items.")] = None,
    **flags: Flags,
) -> Output:
    """Build a hierarchy of concepts from a vocabulary of OMOP.

    The nodes above a concept are its ancestors, such as 316866+. A concept with several parents is below the parent
    with the fewest concepts of the data.
    """
    target = Path(out)
    require_new(target)
    hierarchy = omop_hierarchy(file, labels_of(data, column, flags).vocabulary.labels)
    target.touch(0o600)
    write_hierarchy(hierarchy, target)
    return written(target)


def check_hierarchy(
    file: HierarchyFile,
    /,
    *,
    data: Annotated[str | None, Option("Data set whose items must be leaves of the hierarchy.", "--input")] = None,
    json: bool = False,
    **flags: Flags,
) -> Output:
    """Check a hierarchy, and whether it covers a data set.

    Prints each fault of the file with its line number. Also prints each item of the data that is not a leaf, with its
    frequency and the most similar node.
    """
    if faults := hierarchy_faults(file):
        if len(faults) == 1 and not json:
            raise faults[0]
        return Output(
            lambda: {"faults": [{**fault.place, "fault": str(fault)} for fault in faults]}, lambda: [*map(str, faults)],
            error=HierarchyError(f"{file}: {counted(len(faults), 'fault')}", count=len(faults)),
        )  # fmt: skip
    hierarchy = read_hierarchy(file)
    figures = {
        "nodes": hierarchy.n_nodes,
        "leaves": hierarchy.n_leaves,
        "height": int(hierarchy.depth.max()),
        "collapsed": len(hierarchy.aliases),
    }
    column = items_of_input(data, flags)
    if column is None:
        return Output(lambda: figures, lambda: [figures_table(figures)])
    misfits = left_over(column, hierarchy, code_rules(flags))
    figures |= {"items": len(column.vocabulary)} | ({"misfits": len(misfits)} if misfits else {})
    are = "item is not a leaf" if len(misfits) == 1 else "items are not leaves"
    msg = f"{len(misfits):,} {are} of {file} (items in the data: {len(column.vocabulary):,})"
    return Output(
        lambda: {**figures, "list": misfits} if misfits else figures,
        lambda: [figures_table(figures), *([misfits_table(misfits)] if misfits else [])],
        error=HierarchyError(msg) if misfits else None,
    )


def print_hierarchy(
    source: Annotated[
        str,
        Option("Hierarchy file, or a job file (.toml) if the tree of a column of the job is printed.", "FILE|JOB.TOML"),
    ],
    /,
    *,
    column: Annotated[
        str | None, Option("Column of the job file whose hierarchy is printed. Default: the items.")
    ] = None,
    depth: Annotated[
        int | None,
        Option("Maximum number of levels below the root. Default: all levels."),
    ] = None,
    most: Annotated[int, Option("Maximum number of children per node. 0 prints all children.")] = 20,
    json: bool = False,
) -> Output:
    """Print a hierarchy as a tree.

    The number in parentheses after a node is the number of leaves below it. For a job file, the tree also shows how
    many records contain a value below the node, and marks the ceilings.
    """
    for option, number in (("--depth", depth), ("--most", most)):
        if number is not None and number < 0:
            raise InputError(f"{option} must be at least 0, got {number}")
    if not is_job(source):
        if column is not None or json:
            msg = f"{'--json' if column is None else '--column'} requires a job file (.toml) in place of {source}"
            raise InputError(msg)
        tree = read_hierarchy(source)
        return Output(dict, lambda: drawn(tree, depth=depth, most=most or None))
    column_of_job = column_tree(*settings_at(source, "input", Job(), TreeSettings), column)
    of_column = column_of_job.hierarchy, column_of_job.records, column_of_job.ceilings
    return Output(lambda: column_of_job.contents, lambda: drawn(*of_column, depth=depth, most=most or None))


def convert_hierarchy(
    file: HierarchyFile,
    out: Annotated[str, Option("New hierarchy file.")],
    /,
) -> Output:
    """Convert a hierarchy to the format of anonset.

    The format has commas and no header. A node with a single child is replaced by the child.
    """
    target = Path(out)
    require_new(target)
    write_hierarchy(read_hierarchy(file), target)
    return written(target)


def rename_hierarchy(
    file: HierarchyFile,
    old: Annotated[str, Option("Label of the node.")],
    new: Annotated[str, Option("New label.")],
    out: Annotated[str, Option("New hierarchy file.")],
    /,
) -> Output:
    """Rename a node of a hierarchy.

    Leaves keep their names, because they are values of the data.
    """
    target = Path(out)
    require_new(target)
    write_hierarchy(rename_node(read_hierarchy(file), old, new), target)
    return written(target)
