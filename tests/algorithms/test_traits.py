"""A class declares an algorithm's traits. Parameters can only restrict them."""

import re
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from tests.facts import names, refused

import anonset
from anonset.algorithms.base import Result, traits_of
from anonset.algorithms.registry import ALGORITHMS, with_traits
from anonset.errors import InputError
from anonset.release.losses import refuse_worthless
from anonset.settings.parameters import MODELS
from anonset.spelling import listed

DOCS = Path(__file__).parents[2] / "docs"


class Silent:
    """An algorithm without declared traits."""


class Loose(anonset.Apriori):
    """An algorithm that declares a trait as a class attribute."""

    memory_factor: ClassVar[float] = 0.5


class Odd:
    traits: ClassVar[object] = {"by_blocks": True}


def test_an_algorithm_without_traits_can_only_recode():
    assert traits_of(Silent) == traits_of(Silent()) == anonset.Traits()


@pytest.mark.parametrize("algorithm", [Loose, Loose(k=2, m=1)])
def test_a_trait_that_is_declared_by_itself_is_refused(algorithm):
    with refused(InputError, "Loose traits anonset.Traits(memory_factor=...)"):
        traits_of(algorithm)


def test_invalid_traits_are_rejected():
    with refused(InputError, "Odd anonset.Traits"):
        traits_of(Odd)


@pytest.mark.parametrize("factor", [0, -1.0, float("nan")])
def test_no_memory_is_refused(factor):
    with refused(InputError, "memory_factor 0"):
        anonset.Traits(memory_factor=factor)


def test_parameters_restrict_the_traits_of_an_instance():
    formed = {
        name: traits_of(anonset.RFirst(k=2, m=1, formation=name)).split_records for name in ("full-domain", "mondrian")
    }
    assert formed == {"full-domain": None, "mondrian": anonset.RFirst.traits.split_records}
    assert traits_of(anonset.RumBound(k=2, m=1, delta=0.5, merge="r", formation="mondrian")).split_records == 1 << 15
    assert not traits_of(anonset.RFirst(k=2, m=1, transaction=anonset.Apriori)).forms_sets
    assert [traits_of(anonset.BottomUp(k=2, refine=refine)).tight for refine in (False, True)] == [False, True]
    assert anonset.RFirst.traits.forms_sets
    assert anonset.BottomUp.traits.tight


@pytest.mark.parametrize("name", list(ALGORITHMS))
def test_each_built_in_algorithm_answers_for_known_models(name):
    traits = traits_of(ALGORITHMS[name])
    assert traits.answers
    assert set(traits.models) <= set(MODELS)


@pytest.mark.parametrize(
    ("algorithm", "ways"),
    [
        (anonset.Apriori(k=2, m=2), "exact suppress coat"),
        (anonset.Coat(k=2, m=2), "constraints pcta"),
        (anonset.TFirst(k=2, m=2), "kkm joint-split rum-bound tum-bound rfirst"),
        (anonset.KMember(k=2), "k cluster mondrian"),
    ],
)
def test_remedies_for_a_worthless_publication_are_derived_from_traits(algorithm, ways):
    result = Result(anonset.ItemGroups(anonset.SetColumn.of([["a"]]).vocabulary, np.zeros(1, np.int32)))
    assert names(refuse_worthless(algorithm, result, "nothing"), ways)


def test_the_page_on_clusters_lists_the_algorithms_that_run_there():
    page = (DOCS / "clusters.md").read_text()
    named = with_traits(lambda traits: traits.by_blocks and traits.on_workers)
    assert listed([f"`{name}`" for name in named]) in page


def test_the_page_on_scale_lists_out_of_core_and_split_algorithms():
    page = (DOCS / "scale.md").read_text()
    rows = page.partition("## Which algorithms run out of core")[2].partition("##")[0].splitlines()
    named = {name for row in rows for name in re.findall("`([a-z-]+)`", row) if not name.startswith("--")}
    assert named == set(with_traits(lambda traits: traits.by_blocks or traits.split_records is not None))
