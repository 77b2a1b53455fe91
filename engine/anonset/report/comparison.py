"""A comparison of algorithms as a table."""

from typing import Any, Literal

from rich.table import Table as RichTable

from anonset.release.losses import LOSSES
from anonset.report.account import loss_label
from anonset.spelling import printable, shortened

_NAMES = {"seconds_verify": "verify", "least_ncp": "least NCP", "above_least": "above"}


def comparison_table(found: list[dict[str, Any]]) -> RichTable:
    """Return the rows of a comparison as a table, without their notes."""
    table = RichTable(box=None, padding=(0, 2, 0, 0))
    names = [name for name in found[0] if name != "note"]
    for name in names:
        shown = loss_label(name) if name in {*LOSSES, "are"} else _NAMES.get(name, name)
        side: Literal["left", "right"] = "left" if name in ("algorithm", "outcome") else "right"
        table.add_column(shown, justify=side, min_width=len(shown), overflow="fold")
    for row in found:
        table.add_row(*(_text(name, row[name]) for name in names))
    return table


def _text(name: str, value: Any) -> str:
    if value is None:
        return ""
    if name.startswith("seconds"):
        return f"{value:.2f} s"
    if name == "above_least":
        return f"{value:+.2%}"
    return f"{value:.5g}" if isinstance(value, float) else printable(shortened(value))
