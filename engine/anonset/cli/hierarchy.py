"""``anonset hierarchy``: build, check, print and convert hierarchies."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from anonset.cli.exit_codes import DONE
from anonset.cli.flags import number_of_64_bits
from anonset.cli.items import (
    Flags,
    code_rules,
    items_of_input,
    labels_of,
    misfits_table,
    show_figures,
)
from anonset.cli.output import show, show_json
from anonset.data.halves import in_order_of_place
from anonset.errors import HierarchyError, InputError
from anonset.reading.hierarchies.files import hierarchy_for, read_hierarchy, write_hierarchy
from anonset.release.staging import require_new
from anonset.report.tree import drawn
from anonset.settings.fitting import left_over

HierarchyFile = Annotated[str, Parameter(help="Hierarchy file: one line per leaf, leaf,parent,...,root.")]


def build_hierarchy(
    source: Annotated[str, Parameter(name="INPUT", help="Data set whose items, or values, are the leaves.")],
    /,
    *,
    out: Annotated[str, Parameter(alias="-o", help="New hierarchy file, readable by its owner only.")],
    spec: Annotated[
        str,
        Parameter(
            help="balanced:5 (neighbours in the order of the items), balanced:5:frequency (items that occur equally "
            "often), halves:frequency or halves:number (binary, by falling frequency; with @FILE by that in another "
            "file), refine:FILE (halves below each node of a file), prefix:1,3 (codes), mask:3,1 (zip codes), "
            "bins:0,18,65 or bins:width=5,20 (numbers), date:month,year or date:%d.%m.%Y:month,year, or a hierarchy "
            "file of intervals."
        ),
    ] = "balanced:5",
    column: Annotated[str | None, Parameter(help="Column of the values; default: the items.")] = None,
    **flags: Flags,
) -> int:
    """Build a hierarchy over the items, or the values of a column, of a data set: a file to edit."""
    target = Path(out)
    require_new(target)
    labels = labels_of(source, column, flags)
    hierarchy = hierarchy_for(spec, labels.vocabulary, labels.name, labels.occurrences)
    target.touch(0o600)
    write_hierarchy(in_order_of_place(hierarchy), target)
    return DONE


def check_hierarchy(
    file: HierarchyFile,
    /,
    *,
    data: Annotated[str | None, Parameter(name="--input", help="Data set whose items must be leaves.")] = None,
    json: Annotated[bool, Parameter(help="Print the figures as JSON.")] = False,
    **flags: Flags,
) -> int:
    """Check a hierarchy, and that it covers a data set: every item that is no leaf, how often, and the node like it."""
    hierarchy = read_hierarchy(file)
    found = {
        "nodes": hierarchy.n_nodes,
        "leaves": hierarchy.n_leaves,
        "height": int(hierarchy.depth.max()),
        "collapsed": len(hierarchy.aliases),
    }
    column = items_of_input(data, flags)
    if column is None:
        show_figures(found, json=json)
        return DONE
    left = left_over(column, hierarchy, code_rules(flags))
    found |= {"items": len(column.vocabulary)} | ({"misfits": len(left)} if left else {})
    if json:
        show_json({**found, "list": left} if left else found)
    else:
        show_figures(found, json=False)
    if not left:
        return DONE
    if not json:
        show(misfits_table(left))
    msg = f"{len(left):,} of {len(column.vocabulary):,} items are no leaves of {file}"
    raise HierarchyError(msg)


def print_hierarchy(
    file: HierarchyFile,
    /,
    *,
    depth: Annotated[
        int | None, Parameter(converter=number_of_64_bits, help="Maximum levels below the root; default: all.")
    ] = None,
    most: Annotated[int, Parameter(converter=number_of_64_bits, help="Maximum children per node; 0: all.")] = 20,
) -> int:
    """Print a hierarchy as a tree; in parentheses the number of leaves below a node."""
    for option, number in (("--depth", depth), ("--most", most)):
        if number is not None and number < 0:
            msg = f"{option} must be at least 0, got {number}"
            raise InputError(msg)
    show("\n".join(drawn(read_hierarchy(file), depth=depth, most=most or None)))
    return DONE


def convert_hierarchy(
    file: HierarchyFile,
    out: Annotated[str, Parameter(help="New hierarchy file.")],
    /,
) -> int:
    """Write a hierarchy in the house format: commas, no header, the child in the place of a node with one child."""
    target = Path(out)
    require_new(target)
    write_hierarchy(read_hierarchy(file), target)
    return DONE
