"""The table contains all that can be chosen, and a fixed sample of its jobs is judged right."""

import typing

import pytest
from tests.combinations.draws import VALUES, contained, covering, draw, possible_pairs, random_triples, simplest
from tests.combinations.rows import judge, refusing, told
from tests.combinations.spoken import ANSWERING
from tests.combinations.table import FACTORS, MODELS, NOT_DRAWN, WRITTEN

from anonset.algorithms.registry import ALGORITHMS
from anonset.settings import parameters
from anonset.settings.edits import QUESTIONS
from anonset.settings.settings import settings_model

ROWS = 30


def _choices(annotation: object) -> set[object]:
    """Return the values of the literals in a type."""
    if typing.get_origin(annotation) is typing.Literal:
        return set(typing.get_args(annotation))
    return set().union(*(_choices(part) for part in typing.get_args(annotation)))


def test_each_setting_is_a_factor_or_written_by_one():
    known = {*FACTORS, *WRITTEN, *NOT_DRAWN}
    assert set(settings_model().model_fields) - known == set()
    assert {*WRITTEN, *NOT_DRAWN} - set(settings_model().model_fields) == set()
    assert set(WRITTEN.values()) <= set(FACTORS)


def test_each_question_of_a_job_file_is_drawn():
    assert {*ANSWERING} == {*QUESTIONS}


def test_each_literal_value_of_a_setting_is_drawn():
    for name, field in settings_model().model_fields.items():
        if name in FACTORS and (chosen := _choices(field.annotation)):
            assert [value for value in chosen if value not in (*FACTORS[name], field.default)] == [], name


def test_each_model_and_algorithm_is_drawn():
    assert set(MODELS) == set(parameters.MODELS)
    assert {name for names in MODELS.values() for name in names} == set(ALGORITHMS)


def test_each_value_occurs_in_a_job():
    for factor, values in FACTORS.items():
        for value in values:
            assert draw(0, {factor: value}) is not None, (factor, value)


def test_a_draw_is_decided_by_its_seed():
    assert draw(3) == draw(3) != draw(4)


def test_covering_ends_when_no_pair_is_missing_that_a_job_can_contain():
    asked = {pair for pair in possible_pairs() if pair[0] < 3}
    missing, covered = set(asked), set()
    for job in covering(1, missing):
        covered |= contained(job, asked)
    assert not missing
    assert all(draw((n, "again"), dict([VALUES[a], VALUES[b]])) is None for n, (a, b) in enumerate(asked - covered))


def test_random_triples_are_covered_by_jobs_that_contain_them():
    asked = random_triples(1, 300)
    missing, jobs = set(asked), list(covering(1, asked))
    assert len(missing) == 300
    assert len(jobs) < 200
    assert all(any(contained(job, [triple]) for job in jobs) for triple in missing)


def test_a_refused_job_tests_the_pairs_that_force_its_refusal():
    job = simplest({"search": "disassociation/cahd", "layout": "two"})
    tested = {frozenset(VALUES[each] for each in pair) for pair in refusing(job, possible_pairs())}
    assert frozenset({("search", "disassociation/cahd"), ("layout", "two")}) in tested
    assert frozenset({("search", "disassociation/cahd"), ("k", 2)}) not in tested
    job = simplest({"cap": "1/2", "layout": "two"})  # only algorithms of disassociation have a cap
    tested = {frozenset(VALUES[each] for each in pair) for pair in refusing(job, possible_pairs())}
    assert frozenset({("cap", "1/2"), ("layout", "two")}) in tested


@pytest.mark.parametrize("number", range(ROWS))
def test_a_sample_of_jobs_is_right(number):
    ways = [way for way in FACTORS["run"] if way != "cluster"]
    job = draw(("sample", number), {"run": ways[number % len(ways)]})
    judged = judge(job, number)
    assert judged.faults == [], told(job)


EXACT, LONG = {"search": "km/exact"}, {"search": "km/exact", "layout": "long"}
SECRETS = {"search": "coherence/coherence-suppression", "layout": "two", "header": "comma:codes"}
ASKED_TREE = {"search": "kl/full-domain", "layout": "persons", "asked": "unit by file", "differing": "first"}
ONCE_WRONG = [
    ({**EXACT, "format": "dat", "publish_as_is": "codes", "reader": "verify"}, 0),
    ({**EXACT, "format": "dat", "publish_as_is": "codes", "reader": "shareable"}, 0),
    ({**EXACT, "layout": "nested", "format": "dat", "reader": "risk"}, 0),
    ({"search": "constraints/coat", "labels": "blanks", "privacy_constraints": "pgen", "reader": "resume"}, 0),
    ({**LONG, "file": "string_view", "skip_rows": "no-id"}, 0),
    ({"search": "klm/rfirst", "spoken": "split"}, 3),
    ({"search": "k/mondrian", "relational_weights": "age", "spoken": "split"}, 0),
    ({"search": "k/mondrian", "relational_weights": "age", "spoken": "flags", "reader": "resume"}, 0),
    ({**EXACT, "layout": "composite", "header": "comma:fund", "spoken": "flags", "reader": "after"}, 0),
    ({**EXACT, "format": "dat", "reader": "after"}, 0),
    ({**EXACT, "layout": "two", "ceiling": "codes"}, 0),
    ({**EXACT, "layout": "two", "ceiling": "codes file"}, 0),
    ({**EXACT, "layout": "linked_alone", "ceiling": "codes"}, 0),
    ({"search": "disassociation/disassociation", "layout": "long", "spoken": "python"}, 0),
    ({"search": "disassociation/cahd", "layout": "long", "spoken": "python"}, 0),
    ({"search": "kkm/joint-split", "null": "-", "spoken": "flags"}, 0),
    ({**LONG, "canary": "name:mention", "run": "repeated"}, 0),
    ({"search": "kkm/tum-bound", "input": "shuffled"}, 0),
    ({"search": "kkm/rfirst", "layout": "linked", "input": "shuffled"}, 0),
    ({"search": "k/cluster", "input": "shuffled", "refine": True}, 0),
    ({"search": "k/xu-top-down", "input": "shuffled"}, 0),
    ({"search": "km/mhghs", "accept": "worthless", "k": 1000}, 0),
    ({"search": "transaction-k/local-reallocation", "input": "shuffled"}, 0),
    ({**EXACT, "separator": ";", "spoken": "python"}, 0),
    ({"search": "anatomy/anatomy", "keep": "rare"}, 0),
    ({**LONG, "ids": "folded"}, 0),
    ({**LONG, "normalize": "pid=fill-down", "reader": "resume"}, 0),
    ({"search": "k/cluster", "layout": "persons", "normalize": "pid=fill-down", "run": "work_dir"}, 0),
    ({**LONG, "ids": "numbers", "normalize": "pid=+49"}, 0),
    ({"search": "kkm/rfirst", "layout": "linked", "ids": "folded"}, 0),
    ({**EXACT, "layout": "two", "reader": "after a column less"}, 2),
    ({**LONG, "reader": "after other spellings", "normalize": "upper"}, 0),
    ({"search": "kkm/rfirst", "layout": "linked", "reader": "resume other"}, 0),
    ({**EXACT, "rule of a dropped column": "normalize"}, 0),
    ({"search": "k/cluster", "header": "equals:zip", "spoken": "flags"}, 0),
    ({**EXACT, "header": "equals:codes", "spoken": "flags"}, 0),
    ({"search": "kkm/rfirst", "layout": "linked", "spoken": "split"}, 0),
    ({**EXACT, "layout": "two", "spoken": "split", "header": "equals:codes"}, (1, 119)),
    ({**EXACT, "input": "two files", "separator": "codes=;", "no_header": True}, 0),
    ({"search": "disassociation/disassociation", "separator": "|", "no_header": True}, 0),
    ({"search": "constraints/coat", "canary": "mail:items", "utility_constraints": "siblings:3"}, 0),
    ({"search": "kt/cluster", "layout": "persons", "spoken": "flags", "reader": "resume", "header": "comma:pid"}, 0),
    ({"search": "k/mondrian", "spoken": "flags", "reader": "resume", "header": "comma:note"}, 0),
    ({**EXACT, "header": "comma:codes", "separator": "codes=;", "spoken": "flags"}, 0),
    ({**EXACT, "header": "comma:codes", "null": "codes=-", "spoken": "flags", "reader": "resume"}, 0),
    ({**EXACT, "header": "comma:codes", "normalize": "codes=upper", "spoken": "flags", "reader": "after"}, 0),
    ({**EXACT, "header": "comma:codes", "normalize": "codes=upper", "reader": "risk original"}, 0),
    ({**EXACT, "layout": "two", "canary": "mail:items", "spoken": "split"}, 0),
    ({"search": "kl/cluster", "canary": "mail:sensitive"}, 0),
    ({"search": "kkm/rum-bound", "layout": "one_code", "with_header": True, "transaction": "optimal"}, 0),
    ({**LONG, "canary": "name:mention", "no_header": True}, 0),
    ({**EXACT, "canary": "name:mention", "no_header": True}, 0),
    ({**SECRETS, "spoken": "flags", "reader": "resume"}, 0),
    ({**SECRETS, "spoken": "flags", "reader": "rerun"}, 0),
    ({**LONG, "file": "jsonl", "input": "shuffled", "reader": "risk", "labels": "commas", "suppress": True}, (2, 136)),
    ({"search": "km/exact", "layout": "long", "reader": "after other nulls", "tree": "refine"}, (1, 1214)),
    ({"search": "km/exact", "reader": "after", "separator": "list", "null": "codes=-", "missing": "empty"}, (1, 1465)),
    (
        {"search": "km/exact", "canary": "name:mention", "labels": "blanks", "file": "jsonl", "run": "work_dir"},
        (1, 1028),
    ),
    (
        {"search": "constraints/pcta", "reader": "evaluate", "inner_items": "leaf", "item_weights": "file"},
        (1, 318),
    ),
    ({**ASKED_TREE, "zip": "file", "ceiling": "zip", "accept": "undecided", "l": 3, "effort": 0.5}, (1, 65)),
]
"""Jobs and seeds of pairs that worked alone, and were wrong together."""


@pytest.mark.parametrize(("values", "seed"), ONCE_WRONG, ids=[str(n) for n in range(len(ONCE_WRONG))])
def test_a_pair_that_was_wrong_is_right(values, seed):
    assert judge(simplest(values), seed).faults == []
