"""The table contains all that can be chosen, and a fixed sample of its jobs is judged right."""

import typing

import pytest
from tests.combinations.draws import VALUES, covering, draw, pairs, possible_pairs
from tests.combinations.known import KNOWN, is_known
from tests.combinations.rows import judge, told
from tests.combinations.table import FACTORS, MODELS, NOT_DRAWN, WRITTEN

from anonset.algorithms.registry import ALGORITHMS
from anonset.settings import parameters
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


def test_covering_ends_when_all_pairs_that_a_job_can_contain_are_covered():
    missing = {pair for pair in possible_pairs() if pair[0] < 3}
    for job in covering(1, missing):
        missing -= pairs(job)
    assert all(draw((n, "again"), dict([VALUES[a], VALUES[b]])) is None for n, (a, b) in enumerate(missing))


@pytest.mark.parametrize("number", range(ROWS))
def test_a_sample_of_jobs_is_right(number):
    job = draw(("sample", number))
    judged = judge(job, number)
    assert [fault for fault in judged.faults if not is_known(job, fault)] == [], told(job)


@pytest.mark.parametrize(("values", "text"), KNOWN, ids=[str(n) for n in range(len(KNOWN))])
def test_a_known_fault_still_shows(values, text):
    """An entry goes in the commit that mends its fault."""
    judged = (judge(draw((seed, text), values), seed) for seed in range(6))
    assert any(text in fault for each in judged for fault in each.faults)
