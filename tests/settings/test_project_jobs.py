"""A job imported from another tool has the same settings, or lists the differences."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.facts import names

from anonset.reading.projects import Project, ProjectColumn
from anonset.settings.project_jobs import job_of

COLUMNS = (
    ProjectColumn("who", "id"),
    ProjectColumn("age", "relational", "age.csv", 0.5),
    ProjectColumn("sex", "relational", "sex.csv", 0.5),
    ProjectColumn("drug", "sensitive", "drug.csv"),
    ProjectColumn("site", "keep"),
)
PROJECT = Project(Path("p.deid"), COLUMNS, (), delimiter=";")
OF_DRUG = " for attribute 'drug'"


@pytest.mark.parametrize(
    ("criteria", "guarantee"),
    [
        (("5-anonymity", "distinct-3-diversity"), {"model": "kl", "k": 5, "l_kind": "distinct", "l": 3}),
        (("shannon-entropy-2.0-diversity",), {"model": "kl", "k": 2, "l_kind": "entropy", "l": 2}),
        (("recursive-(4.0,3)-diversity", "Inclusion"),
         {"model": "kl", "k": 3, "l_kind": "recursive", "l": 3, "c": 4.0}),
        (("2-anonymity", "0.2-closeness with equal ground-distance"),
         {"model": "kt", "k": 2, "t_distance": "equal", "t": 0.2}),
        (("2-anonymity", "0.2-closeness with ordered distance"),
         {"model": "kt", "k": 2, "t_distance": "ordered", "t": 0.2}),
        (("2-anonymity", "0.2-closeness with hierarchical ground-distance"),
         {"model": "kt", "k": 2, "t_distance": "hierarchical", "t": 0.2}),
    ],
)  # fmt: skip
def test_the_model_equals_that_of_the_project(criteria: tuple[str, ...], guarantee: dict[str, Any]) -> None:
    requested = tuple(
        text if text == "Inclusion" or text.endswith("anonymity") else text + OF_DRUG for text in criteria
    )
    job = job_of(replace(PROJECT, criteria=requested, suppressed=0.1))
    assert job.guarantee == {"algorithm": "full-domain", "max_suppressed_records": 0.1, **guarantee}
    assert job.settings == {
        "delimiter": ";", "id": ["who"], "relational": ["age", "sex"], "sensitive": "drug", "keep": ["site"],
    }  # fmt: skip
    in_tree = guarantee.get("t_distance") == "hierarchical"
    assert job.trees == {"age": "age.csv", "sex": "sex.csv", **({"drug": "drug.csv"} if in_tree else {})}
    assert [names(text, "sample") for text in job.left] == [True] * ("Inclusion" in criteria)


@pytest.mark.parametrize(
    ("criteria", "why"),
    [
        (("5-anonymity", "(0.1)-sample-uniqueness"), "(0.1)-sample-uniqueness"),
        (("grassberger-entropy-3.0-diversity" + OF_DRUG,), "grassberger-entropy-3.0-diversity"),
        (("shannon-entropy-2.5-diversity" + OF_DRUG,), "shannon-entropy-2.5-diversity"),
        (("5-anonymity", "distinct-2-diversity for attribute 'site'"), "site"),
        (("5-anonymity", "distinct-2-diversity" + OF_DRUG, "0.5-closeness with ordered distance" + OF_DRUG),
         "0.5-closeness"),
        (("0.5-closeness with ordered distance" + OF_DRUG,), "model"),
        ((), "model"),
    ],
)  # fmt: skip
def test_a_job_that_would_promise_less_has_no_model(criteria: tuple[str, ...], why: str) -> None:
    job = job_of(replace(PROJECT, criteria=criteria))
    assert job.guarantee == {}
    assert any(names(text, why) for text in job.left)
    assert names(job.left[-1], "model")


def test_a_hierarchical_distance_needs_its_hierarchy() -> None:
    columns = tuple(replace(column, hierarchy=None) for column in COLUMNS)
    criteria = ("2-anonymity", "0.2-closeness with hierarchical ground-distance" + OF_DRUG)
    job = job_of(replace(PROJECT, columns=columns, criteria=criteria))
    assert job.guarantee == {}
    assert any(names(text, "hierarchy drug") for text in job.left)


def test_unknown_roles_must_be_set_by_the_owner() -> None:
    columns = (*COLUMNS, ProjectColumn("more", None, others=("type 'set'",)))
    job = job_of(replace(PROJECT, columns=columns, criteria=("5-anonymity",)))
    facts = ("drug sensitive role", "more role", "more set")
    assert len(job.left) == len(facts)
    assert all(map(names, job.left, facts))
    assert {"drug", "more"}.isdisjoint(str(job.settings).split("'"))


def test_differing_weights_are_imported() -> None:
    columns = (COLUMNS[1], replace(COLUMNS[2], weight=0.25))
    job = job_of(replace(PROJECT, columns=columns, criteria=("5-anonymity",)))
    assert job.settings["relational_weights"] == {"age": 0.5, "sex": 0.25}
