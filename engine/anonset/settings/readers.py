"""Parse parameters that are not numbers or plain texts, such as names of files and algorithms."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BeforeValidator

from anonset.algorithms.registry import ALGORITHMS, DIVERSE, TRANSACTION_FUNCTIONS
from anonset.data.redacted_repr import RedactedRepr
from anonset.errors import InputError, datum, require_known
from anonset.measures.losses.item_weights import KINDS
from anonset.reading.name_lists import name_list
from anonset.settings.job import Job
from anonset.settings.ranges import whole_number
from anonset.spelling import StatedSettings, hierarchy_of, setting

if TYPE_CHECKING:
    from anonset.data import Hierarchy, SetColumn, Table, Vocabulary
    from anonset.measures.losses.item_weights import ItemWeights
    from anonset.privacy.policies import PrivacyPolicy, UtilityPolicy


_MADE_GROUPS = ("level", "siblings")


_FROM_TEXT = BeforeValidator(lambda value: name_list(value) if isinstance(value, str) else value)
Names = Annotated[list[str], _FROM_TEXT]
Accepted = Annotated[list[Literal["empty", "worthless", "undecided"]], _FROM_TEXT]
"""Results that the owner accepts."""


def _as_text(value: object) -> object:
    """Return a number as the text from which it was parsed."""
    if isinstance(value, bool) or not isinstance(value, int | float | Fraction):
        return value
    return getattr(value, "text", None) or str(value)


NumberText = Annotated[str, BeforeValidator(_as_text)]
"""Text of a number that must not be rounded, such as 0.15, 1e-12 or 1/3."""


class WrittenFloat(float):
    """Number that remembers the text from which it was parsed."""

    text: str

    def __new__(cls, text: str) -> "WrittenFloat":
        """Parse a number."""
        made = super().__new__(cls, text)
        made.text = text
        return made


_MOST_WORK = 2.0**53


def scaled(limit: int, factor: float) -> int:
    """Return a limit on work, multiplied by a factor.

    Raises
    ------
    InputError
        If the factor is below 0.
    """
    if not factor >= 0:
        raise InputError(f"{setting('max_work')} and {setting('effort')} must be at least 0, got {factor}")
    return int(min(limit * factor, _MOST_WORK))


def work_budget(max_work: float | None) -> int | None:
    """Return the number of itemset occurrences that the verification counts, or None for its default."""
    from anonset.verification.check import BUDGET

    return None if max_work is None else scaled(BUDGET, max_work)


@dataclass(frozen=True)
class ParsingContext(RedactedRepr):
    """Information for parsing a setting: the data, if they have been read, and all other given parameters."""

    column: "SetColumn | None" = None
    """Set-valued column, bound to a hierarchy, or None before the data are read."""
    hierarchy: "Hierarchy | None" = None
    """Hierarchy of the column."""
    given: Job = field(default_factory=Job)
    """Given parameters, by setting."""
    early: bool = False
    """True if the data have not been read yet. Values derived from the data are then placeholders."""

    @classmethod
    def of(cls, table: "Table", hierarchies: "Mapping[str, Hierarchy]", given: StatedSettings) -> "ParsingContext":
        """Return the context of a table."""
        column = table.transactions
        return cls(column, None if column is None else hierarchies.get(column.name), Job(given))

    @property
    def vocabulary(self) -> "Vocabulary | None":
        """Items of the column, or None before the data are read."""
        return None if self.column is None else self.column.vocabulary


@dataclass(frozen=True)
class SettingForm:
    """Setting for a parameter whose name or type differs from the field."""

    setting: str
    """Name of the setting."""
    type: Any = None
    """Type of the setting, or None for the type of the field."""
    read: Callable[[Any, ParsingContext], Any] | None = None
    """Function that converts the value of the setting to the value of the field, or None for no conversion."""
    text: str = ""
    """Description of the setting. If it is empty, the documentation of the field is the description."""
    needs_data: Callable[[Any], bool] | None = None
    """Function that returns True for a value that can only be parsed after the data are read. The attribute is None if
    no value needs the data.
    """
    companions: Callable[[Any], frozenset[str]] | None = None
    """Function that returns the other settings that a value requires. None if no value requires other settings."""
    words: tuple[str, ...] | None = None
    """Keywords that the setting accepts instead of a path, also in the form ``keyword:number``.

    None if the setting is not a path.
    """
    is_factor: bool = False
    """True if the setting is multiplied by the default of the field, which is a limit."""
    missing: str = ""
    """Text for the message that a required setting is missing. It explains the setting and how to choose a value."""


def transaction_class(value: str, context: ParsingContext) -> Any:
    """Return the class of an algorithm for the items of clusters, with all parameters except k and m."""
    require_known(setting("transaction"), value, TRANSACTION_FUNCTIONS)
    if value != DIVERSE:
        return ALGORITHMS[value]
    if "l" not in context.given:
        raise InputError(f"{setting('transaction')} {value} requires {setting('l')}")
    diverse: Any = ALGORITHMS[value]
    secrets = sensitive_items(context.given.get("sensitive_items", []), context)
    return partial(diverse, l=context.given["l"], sensitive_items=secrets)


def transaction_companions(value: Any) -> frozenset[str]:
    """Return the settings that an algorithm for the items of clusters requires in addition to k and m."""
    return frozenset({"l", "sensitive_items"}) if value == DIVERSE else frozenset()


def sensitive_items(value: list[str], _: ParsingContext) -> tuple[str, ...]:
    """Parse items. After ``@``, read the items from the lines of a file."""
    from anonset.reading.sources.files import text_lines

    if len(value) == 1 and value[0].startswith("@"):
        return tuple(text_lines(Path(value[0][1:]), "an item"))
    return tuple(value)


def weights(value: Mapping[str, str], _: ParsingContext) -> dict[str, float]:
    """Parse the weights of columns."""
    weight_of = {}
    for name, text in value.items():
        try:
            weight_of[name] = float(text)
        except ValueError:
            msg = f"{setting('relational_weights')}: the weight of {name!r} must be a number, got {text!r}"
            raise InputError(msg) from None
    return weight_of


def privacy_constraints(value: "str | PrivacyPolicy", context: ParsingContext) -> "PrivacyPolicy | None":
    """Parse ``km`` (all itemsets of m items), ``pgen`` (itemsets that are rare in the data), or a file name.

    The file contains an itemset per line.
    """
    from anonset.algorithms.transaction.item_sets.pgen import generate_constraints
    from anonset.privacy.policies import PrivacyPolicy
    from anonset.reading.policies import read_privacy_policy

    if value == "km":
        return None

    if isinstance(value, PrivacyPolicy):
        return value
    if value != "pgen":
        return read_privacy_policy(value, context.vocabulary)
    if context.early:
        return PrivacyPolicy(())
    if context.column is None or "k" not in context.given:
        needed = f"{setting('privacy_constraints')} pgen requires the original data and {setting('k')}"
        raise InputError(f"{needed}; to write a file: anonset policy generate")

    return generate_constraints(context.column, context.given["k"])


def utility_constraints(value: str, context: ParsingContext) -> "UtilityPolicy | None":
    """Parse ``level:D`` (nodes at a depth of the hierarchy), ``siblings:N`` (neighbouring items), or a file name."""
    from anonset.privacy.policies import groups_of_level, groups_of_siblings
    from anonset.reading.policies import read_utility_policy

    kind, _, number = value.partition(":")
    if kind not in _MADE_GROUPS or whole_number(number) is None:
        return read_utility_policy(value, context.vocabulary)
    if context.column is None:
        return None
    if kind == "level" and context.hierarchy is None:
        msg = f"{setting('utility_constraints')} {value} requires a hierarchy of the items; add {hierarchy_of()}"
        raise InputError(msg)
    try:
        if context.hierarchy is None or kind == "siblings":
            return groups_of_siblings(context.column.vocabulary, int(number))
        return groups_of_level(context.hierarchy, int(number))
    except InputError as error:
        raise InputError(f"{setting('utility_constraints')} {value}: {error}") from None


def item_weights(value: str, context: ParsingContext) -> "str | ItemWeights":
    """Parse the name of predefined weights, or read a file with a weight and items per line."""
    from anonset.reading.policies import read_item_weights

    if value in KINDS:
        return value

    return read_item_weights(value, context.vocabulary)


def tree_lines(value: str, _: ParsingContext) -> str:
    """Return the hierarchy in a file as lines ``value;parent;...;root``.

    If `value` contains several lines, it is not a file name but the hierarchy itself, and is returned unchanged.

    Raises
    ------
    InputError
        If it is not a hierarchy, or a label contains a semicolon.
    """
    from anonset.reading.hierarchies.files import read_hierarchy

    if "\n" in value:
        return value

    tree = read_hierarchy(value)
    lines = []
    for leaf in tree.leaf_node.tolist():
        path = [leaf]
        while path[-1]:
            path.append(int(tree.parent[path[-1]]))
        lines.append(";".join(tree.labels[node] for node in path))
        if lines[-1].count(";") != len(path) - 1:
            problem = f"a label contains a semicolon, which separates the labels of {setting('t_tree')}"
            raise InputError(f"{value}: {problem}; rename the label")
    return "".join(f"{line}\n" for line in lines)


def item_loss(value: str, context: ParsingContext) -> dict[str, Fraction]:
    """Read a file with a loss and items per line.

    Raises
    ------
    InputError
        If two lines contain the same item.
    """
    from anonset.reading.policies import read_item_weights

    losses: dict[str, Fraction] = {}
    for items, loss in read_item_weights(value, context.vocabulary).entries:
        for item in items:
            if item in losses:
                raise InputError(f"{value}: item {datum(item)} has two losses, {losses[item]} and {loss}")
            losses[item] = loss
    return losses


_PRIVACY = SettingForm(
    "privacy_constraints",
    str,
    privacy_constraints,
    "Itemsets to protect: a file with an itemset per line, km (all itemsets of up to --m items), or pgen "
    "(itemsets in fewer than --k records).",
    lambda value: value != "km",
    words=("km", "pgen"),
)
FORMS: dict[str, SettingForm] = {
    "constraints": _PRIVACY,
    "policy": _PRIVACY,
    "utility": SettingForm(
        "utility_constraints",
        str,
        utility_constraints,
        "Groups of items that may share a symbol: a file with a group per line, level:D (nodes at depth D of "
        "the hierarchy), or siblings:N (N neighbouring items).",
        lambda _: True,
        words=_MADE_GROUPS,
    ),
    "item_weights": SettingForm(
        "item_weights",
        str,
        item_weights,
        "Weights of the utility loss (UL): lca, uniform, ones, or a file with a weight and items per line.",
        words=KINDS,
    ),
    "item_loss": SettingForm(
        "item_loss",
        str,
        item_loss,
        "Loss of suppressing an item: a file with a loss and items per line. Default: the frequency of the item.",
        words=(),
    ),
    "order": SettingForm("item_order"),
    "k": SettingForm("k", text="Minimum number of records that match an attacker's knowledge."),
    "m": SettingForm("m", text="Maximum number of items that an attacker knows."),
    "l": SettingForm(
        "l",
        text="At most 1 in l matching records has the same sensitive item or value. For the model kl: each "
        "equivalence class has at least l different values (see --l-kind).",
    ),
    "l_kind": SettingForm(
        "l_kind", text="Kind of l-diversity: distinct (l different values), entropy, or recursive (requires --c)."
    ),
    "c": SettingForm(
        "c",
        NumberText,
        text="For recursive l-diversity: in each class, the most frequent value occurs less than c times as "
        "often as all values from the l-th most frequent value on.",
    ),
    "t": SettingForm(
        "t",
        NumberText,
        text="Maximum distance, from 0 to 1, between the distribution of the sensitive values in a class and "
        "in all records.",
    ),
    "t_distance": SettingForm(
        "t_distance",
        text="Distance between two sensitive values: equal (always 1), ordered (for numbers, by rank), or "
        "hierarchical (requires --t-tree).",
    ),
    "t_tree": SettingForm(
        "t_tree",
        str,
        tree_lines,
        "Hierarchy file of the sensitive values. The attestation contains the hierarchy.",
        words=(),
    ),
    "sensitive": SettingForm(
        "sensitive",
        text="Sensitive column, which is published unchanged. Each equivalence class contains several of its values.",
    ),
    "delta": SettingForm(
        "delta",
        missing=": the maximum loss, from 0 to 1, of the relational values (rum-bound) or of the items (tum-bound); "
        "to compare values: anonset compare INPUT ... --vary delta=0.3,0.5,0.7",
    ),
    "w": SettingForm("w", NumberText),
    "h": SettingForm("h", NumberText, text="Maximum share of matching records with the same sensitive item."),
    "rho": SettingForm(
        "rho",
        NumberText,
        text="Upper bound, from 0 to 1, on the share of matching records that contain the same sensitive item.",
    ),
    "cap": SettingForm(
        "cap", NumberText, text="Maximum share of the records of a cluster with the same sensitive item. Default: 1/2."
    ),
    "max_suppressed": SettingForm("max_suppressed", NumberText, text="Maximum share of suppressed items, from 0 to 1."),
    **dict.fromkeys(
        ("max_increments", "max_tree", "max_cuts", "max_threats", "max_rules", "max_vectors", "max_records"),
        SettingForm(
            "max_work",
            float,
            text="Multiple of the built-in limits on the work of the search and of the verification. Above a limit, "
            "the search fails, and the verification is undecided. Default: 1.",
            is_factor=True,
        ),
    ),
    **dict.fromkeys(
        ("max_steps", "max_tries", "max_evaluations"),
        SettingForm(
            "effort",
            float,
            text="Multiple of the built-in limit on the work of a search. At the limit, the search ends with the best "
            "result so far. Default: 1, and less for --refine if more work does not pay.",
            is_factor=True,
        ),
    ),
    "suppress": SettingForm(
        "suppress",
        bool,
        text="Allow suppression of items. A suppressed item counts with the loss of the root. --model km uses "
        "suppression by default, with a note, if only a single symbol would remain without it.",
    ),
    "transaction": SettingForm(
        "transaction",
        str,
        transaction_class,
        f"Algorithm for the items of each cluster: {', '.join(TRANSACTION_FUNCTIONS)}.",
        companions=transaction_companions,
    ),
    "sensitive_items": SettingForm(
        "sensitive_items",
        Names,
        sensitive_items,
        "Items that must not be inferred: a,b,... or @FILE with an item per line.",
    ),
    "relational_weights": SettingForm(
        "relational_weights",
        dict[str, NumberText],
        weights,
        "COL=WEIGHT,...: weight of each relational column in the relational loss.",
    ),
}
"""Forms by field name, of algorithms and of privacy models."""
