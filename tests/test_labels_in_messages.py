"""Labels from the data are marked in messages, so that logs and public error texts can hide them."""

import ast
import re
from pathlib import Path

import pytest

import anonset
from anonset.errors import AnonsetError, InfeasibleError, InputError, VerificationError, datum, foreign
from anonset.privacy import KmAnonymity
from anonset.privacy.model import Verdict, Witness

ENGINE = Path(anonset.__file__).parent
OURS = re.compile(
    r"(.*\.)?(name|algorithm|model|column|format|filename|separator|delimiter|codebook|records|random|out|hierarchy"
    r"|publication|single|cost|width|penalty|weights|budget|floor|seed|n_items|n_queries|document|verdict)"
    r"|(more|both|missing|lacking|homeless)\[0\]|str\(.*\)|os\.fspath\(.*\)|.*\.where|where|[A-Z]+|self\.[a-z_]+|tokens?(\[0\])?\.value"
)
"""Expressions that contain names of columns, files, settings or options."""
OTHERS = """
algorithms/rt/base.py: value; cli/flags.py: value; data/decimals.py: value; privacy/model.py: value;
spelling.py: dict(value), plain;
queries/mixed_workload.py: value; release/formats.py: value; cli/commands/datasets.py: text; release/memory.py: text;
settings/readers.py: text, value[0][1:]; cli/log.py: given;
algorithms/transaction/suppression/coherence_suppression.py: loss;
cli/registry.py: typed; data/hierarchies/hierarchy_rules.py: unknown[0];
settings/binding.py: unknown[0], missing[0], sensitive;
jobs/proposals/value_problems.py: names[0], counts[0];
jobs/proposals/unit_reader.py: names[0], other; jobs/runs/persons.py: columns[0];
publications/buckets.py: different[0], twice;
data/joining.py: first, second, prefixed(second, 'x'); cli/commands/items.py: source;
data/quasi_identifiers.py: differing, total, weight; jobs/runs/matched_releases.py: mark;
release/published_values.py: differing;
queries/mixed_workload.py:
missing[0]; cli/commands/policy.py: file;
cli/commands/risk.py: lacking[0]; errors.py: value; reading/batches.py: twice[0], more[0];
reading/sources/place.py: scheme;
reading/sources/folders.py: aside;
reading/sources/dialect.py: mark, encoding, header_line; reading/sources/files.py: declared;
reading/hierarchies/specs.py: shown, spec;
reading/cells/input_checks.py: mark, first, chosen, other; reading/options.py: missing, min(words), wrong[1];
reading/plan.py: wrong[0], misplaced, cut[0]; columns/id_findings.py: other; columns/rules.py: column.mentions;
reading/roles.py: homeless[0];
writing/publications/records.py: mark;
reading/cells/wide.py: name_of[label]; reading/workloads.py: source; data/storage/scheduler.py: address;
ui/server.py: address;
jobs/trials/study.py: part; measures/losses/item_weights.py: weight; plugins.py: entry.value, loaded;
queries/estimate.py: reading;
report/risks/records.py: printable(name); jobs/verify.py: published; release/opened.py: file;
reading/formats/objects.py: twice[0]; reading/cells/presence.py: absent, words[0]; settings/job_files.py: declared;
reading/cells/shared_answers.py: pair[0], pair[1]; settings/answer_columns.py: first;
settings/fitting.py: MISSING_VALUE;
 algorithms/base.py: traits, value; lazy_names.py: package['__name__'], unknown[0];
privacy/classes.py: value; algorithms/relational/class_rules.py: sensitive; verification/classes.py: model.sensitive;
report/page.py: model.sensitive_column; report/doubts.py: model.sensitive_column;
release/scan/disclosure_scan.py: unknown[0]; release/scan/findings.py: names[0];
jobs/proposals/value_problems.py: mark, columns[0]; reading/linked.py: table.parent, key;
reading/formats/linked_tables.py: table.key_prefix;
reading/table_builder.py: source.tables[0];
reading/nested_paths.py: text, path; jobs/proposals/linked_proposal.py: table.key;
reading/publications/tables.py: opened.left_out[0]; reading/roles.py: paths[0]
"""
"""Further such expressions, by module: options, separators, column names, words of closed lists such as yes and no."""
SHOWN_TO_PEOPLE = """
report/publication_check.py: violation.value; verification/anatomy.py: value; report/doubts.py: value;
report/risks/base.py: value, skew.largest, skew.common;
verification/cohorts.py: labels[bad.sensitive]; verification/item_truth.py: label;
jobs/proposals/value_problems.py: word
"""
"""Expressions in the account, which is never logged, and in witness details, which are marked as a whole."""


def places(text: str) -> set[tuple[str, str]]:
    """Parse a list of (module, expression) pairs."""
    listed = [part.split(":", 1) for part in text.replace("\n", " ").split(";")]
    return {
        (name.strip(), part.strip()) for name, expressions in listed for part in re.split(r",(?![^(]*\))", expressions)
    }


def test_quoted_expressions_are_names_or_marked_as_data() -> None:
    """Every ``{x!r}`` in the engine is a listed name, or is passed to `datum`."""
    result = []
    for path in sorted(ENGINE.rglob("*.py")):
        name, source = path.relative_to(ENGINE).as_posix(), path.read_text("utf-8")
        for node in ast.walk(ast.parse(source)) if re.search(r"!r|= *}", source) else ():
            if isinstance(node, ast.FormattedValue) and node.conversion == ord("r"):
                text = ast.unparse(node.value)
                if not OURS.fullmatch(text) and (name, text) not in places(f"{OTHERS};{SHOWN_TO_PEOPLE}"):
                    result.append(f"{name}:{node.lineno}: {text}")
    assert result == []


def test_marks_survive_quoting_and_end_in_exceptions() -> None:
    inner = InputError(f"item {datum('E10')} of column 'codes'", column="codes", line=3)
    outer = InputError(f"data.csv: {inner}; got {foreign('bad')}")
    assert str(outer) == "data.csv: item 'E10' of column 'codes'; got bad"
    assert outer.public == "data.csv: item … of column 'codes'; got …"
    assert (inner.place, outer.place) == ({"column": "codes", "line": 3}, {})
    assert all("\ufdd0" not in text and "\ufdd1" not in text for text in (*outer.args, outer.public, repr(outer)))


@pytest.mark.parametrize("label", ["\ufdd0", "\ufdd1x", "a\ufdd1b\ufdd0c", "--k", "k.301", "'", '"', "{", "…"])
def test_no_label_can_end_its_mark(label: str) -> None:
    error = InputError(f"item {datum(label)} and {foreign(label)} must go")
    assert error.public == "item … and … must go"
    assert repr(label) in str(error)


def test_witnesses_and_places_are_data() -> None:
    verdict = Verdict(False, KmAnonymity(2, 2), {}, Witness(("E10", "E11"), 1, 2, 0, "of item 'I10'"))
    error: AnonsetError = VerificationError(verdict)
    assert "{E10, E11}" in str(error) == str(verdict)
    assert not re.search("E1|I1", error.public)
    error = InfeasibleError("apriori", f"no cut for {datum('E10')}", "E10, E11")
    assert (str(error), error.public) == ("apriori: no cut for 'E10' (E10, E11)", "apriori: no cut for … (…)")
    assert (error.reason, error.where) == ("no cut for 'E10'", "E10, E11")  # type: ignore[attr-defined]
