"""Steps that build the data folder, on small originals of the same layout."""

import gzip
import os
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest
from benchmarks.originals import __main__ as command
from benchmarks.originals import persons, recipes, sets, shops
from benchmarks.originals.icd9 import Codes

from anonset.errors import InputError
from anonset_datasets.presence import digests


def test_the_recipes_build_each_file_of_the_catalogue_once():
    """Each file with a digest has a recipe, and no recipe builds another file."""
    built = [file for recipe in recipes.RECIPES.values() for file in recipe.files]
    assert sorted(f"{file}.gz" for file in built) == sorted(digests())


@pytest.mark.parametrize("text", ["3 1 3 \n\n2\n", "3,1,3\n\n2\n", "3 -1 1 -1 3 -1 -2\n-2\n2 -1 -2\n"])
def test_fimi_and_spmf_give_the_same_records(tmp_path, text):
    (tmp_path / "original.txt").write_text(text)
    assert sets.fimi(tmp_path / "original.txt") == "3 1\n2\n"


def test_simplices_are_divided_by_their_sizes(tmp_path):
    for kind, numbers in {"nverts": "2\n1\n", "simplices": "7\n8\n9\n"}.items():
        (tmp_path / f"x-{kind}.txt.gz").write_bytes(gzip.compress(numbers.encode()))
    assert sets.simplices(tmp_path, "x") == "7 8\n9\n"


def test_users_without_visits_are_no_records(tmp_path):
    (tmp_path / "anonymous-msweb.data").write_text('I,4,"x"\nC,"1",1\nV,1000,1\nV,1001,1\nC,"2",2\nC,"3",3\nV,1002,1\n')
    (tmp_path / "anonymous-msweb.test").write_text('C,"4",4\nV,1003,1\n')
    assert sets.msweb(tmp_path) == "1000 1001\n1002\n1003\n"


def test_an_even_taxonomy_begins_with_the_leaf(tmp_path):
    (tmp_path / "tree.txt").write_text("5;5,6;5,8;5,9;5,12;5,13;*\n")
    expected = "leaf,level1,level2,level3,level4,level5,root\n5,N1_5-6,N2_5-8,N3_5-9,N4_5-12,N5_5-13,ALL\n"
    assert sets.even_taxonomy(tmp_path / "tree.txt") == expected


_TA_FENG = """\
"TRANSACTION_DT","CUSTOMER_ID","AGE_GROUP","PIN_CODE","PRODUCT_SUBCLASS","PRODUCT_ID","AMOUNT","ASSET","SALES_PRICE"
"11/1/2000","1","45-49","115","110411","47","2","24","30"
"11/1/2000","2","","Unknown","120107","48","1","48","46"
"11/1/2000","1","45-49","115","120107","49","1","1","5"
"1/9/2001","1","45-49","115","110411","48","1","1","6"
"1/9/2001","1","45-49","115","110411","48","1","1","6"
"""


def test_ta_feng_has_a_basket_per_customer_and_day(tmp_path):
    with ZipFile(tmp_path / "ta_feng.csv.zip", "w") as archive:
        archive.writestr("ta_feng.csv", "\ufeff" + _TA_FENG)
    built = shops.ta_feng(tmp_path / "ta_feng.csv.zip")
    assert built["transactions/tafeng_subclass.dat"] == "110411 120107\n120107\n110411\n"
    assert built["rt/tafeng_baskets_rt.csv"].splitlines()[1:] == [
        "2000-11,45-49,115,2,35,47 49",
        "2000-11,?,Unknown,1,46,48",
        "2001-01,45-49,115,1,12,48",
    ]
    assert built["rt/tafeng_customers_rt.csv"].splitlines()[1] == "45-49,115,2,110411 120107"
    assert built["taxonomies/tafeng_product_taxonomy.csv"].splitlines()[2] == "48,SUB_110411,D4_1104,D2_11,ALL"
    assert built["taxonomies/tafeng_subclass_taxonomy.csv"].splitlines()[2] == "120107,D4_1201,D2_12,ALL"


def test_persons_of_informs_have_a_code(tmp_path):
    (tmp_path / "c.csv").write_text(
        '"DUID","DUPERSID","ICD9CODX","year"\n"3","30","-1",2005\n"3","31","724",2005\n"3","31","607",2005\n'
    )
    head = "DUPERSID,DOBMM,DOBYY,SEX,RACEX,HISPCAT,EDUCYEAR,marry,income,poverty"
    (tmp_path / "d.csv").write_text(f"{head}\n30,1,1950,1,1,6,12,1,100,2\n31,4,1963,1,1,6,16,1,22889,5\n")
    built = persons.informs(tmp_path / "c.csv", tmp_path / "d.csv").splitlines()
    assert built[1:] == ["4,1963,1,1,6,16,1,22889,5,607 724"]


def test_a_beneficiary_has_the_codes_of_all_claims(tmp_path):
    person = "DESYNPUF_ID,BENE_BIRTH_DT,BENE_SEX_IDENT_CD,BENE_RACE_CD,SP_STATE_CODE,BENE_COUNTY_CD,SP_CHF,SP_ALZHDMTA"
    claim = ",".join(["DESYNPUF_ID", *(f"ICD9_DGNS_CD_{i}" for i in range(1, 11))])
    for sample, (born, code) in {1: ("19200101", "4019"), 2: ("19100101", "25000")}.items():
        (tmp_path / f"DE1_0_2008_Beneficiary_Summary_File_Sample_{sample}.csv").write_text(
            f"{person}\nA,{born},1,1,10,050,1,1\nB,19300101,2,1,1,010,2,2\n"
        )
        (tmp_path / f"DE1_0_2008_to_2010_Inpatient_Claims_Sample_{sample}.csv").write_text(
            f"{claim}\nA,{code},,,,,,,,,\nA,V45,{code},,,,,,,,\n"
        )
    assert persons.synpuf(tmp_path).splitlines()[1:] == [
        "19100101,1,1,10,050,ALZHDMTA CHF,25000 V45",
        "19200101,1,1,10,050,ALZHDMTA CHF,4019 V45",
    ]


def test_patients_without_codes_are_no_records(tmp_path):
    columns = ["encounter_id", "patient_nbr", *persons.OF_STAY[:-3], "metformin", "insulin", *persons.OF_STAY[-3:]]
    head = ",".join([*columns, *persons.DIAGNOSES])
    stays = [
        ("1", "7", "No", "Up", "250.8,?,276"),
        ("2", "8", "No", "No", "?,?,?"),
        ("3", "7", "Steady", "No", "276,5,?"),
    ]
    lines = [
        ",".join([stay, patient, *["x"] * (len(persons.OF_STAY) - 3), metformin, insulin, "y", "y", "y", codes])
        for stay, patient, metformin, insulin, codes in stays
    ]
    with ZipFile(tmp_path / "d.zip", "w") as archive:
        archive.writestr("dataset/diabetic_data.csv", "\n".join([head, *lines]))
    built = persons.diabetes(tmp_path / "d.zip")
    assert built["rt/diabetes130_patients_rt.csv"].splitlines()[1:] == ["x,x,x,x,x,250.8 276 5,insulin metformin"]
    assert [line.split(",")[0] for line in built["rt/diabetes130_encounters_rt.csv"].splitlines()[1:]] == [
        "1",
        "2",
        "1",
    ]


def test_videos_without_related_videos_are_no_records(tmp_path):
    (tmp_path / "0.txt").write_text(
        "id\tuser\t9\tComedy\t270\t10\t4.7\t3\t2\ta\tb\nid\tuser\t9\tComedy\t270\t10\t4.7\t3\t2\n"
    )
    built = persons.youtube([tmp_path / "0.txt"]).splitlines()
    assert built[1:] == ["9,Comedy,270,10,4.7,3,2,a b"]


def test_the_test_part_of_adult_has_the_same_labels(tmp_path):
    row = "25, Private, 1, 11th, 7, Never-married, Sales, Own-child, Black, Male, 0, 0, 40, United-States, <=50K"
    (tmp_path / "adult.data").write_text(f"{row}\n\n")
    (tmp_path / "adult.test").write_text(f"|1x3 Cross validator\n{row}.\n")
    lines = persons.adult(tmp_path).splitlines()
    assert len(lines) == 3
    assert lines[1] == lines[2] == row.replace(", ", ",")


class Frame(list):
    """Rows of an R data frame."""

    def to_dict(self, _):
        return self


def test_codes_get_the_levels_of_icd_9(tmp_path, monkeypatch):
    levels = {"three_digit": "042", "sub_chapter": "Hiv, Aids", "chapter": "Infectious  And Parasitic"}
    rows = [{"code": "042", **levels}, {"code": "E8000", **levels, "three_digit": "E800", "sub_chapter": "Railway"}]
    rows.append({"code": "041", **levels, "three_digit": "041"})
    objects = {"icd9cm_hierarchy": Frame(rows), "icd9_chapters": {"Infectious  And Parasitic": ("001", "139")}}
    monkeypatch.setattr("benchmarks.originals.icd9.r_data", lambda _: objects)
    codes = Codes(tmp_path)
    above = "CH_001-139_Infectious_And_Parasitic,ALL"
    assert codes.taxonomy(["E8000", "042"]).splitlines()[1:] == [
        f"042,C4_042,C3_042,SC_041-042_Hiv-Aids,{above}",
        f"E8000,C4_E8000,C3_E800,SC_E800-E800_Railway,{above}",
    ]
    assert codes.taxonomy(["42", "E800.0"], padded=True).splitlines()[1].startswith("42,C4_042,C3_042,")
    assert codes.taxonomy(["042"], digits=3).splitlines() == [
        "leaf,sub_chapter,chapter,root",
        f"042,SC_041-042_Hiv-Aids,{above}",
    ]


def test_invoices_contain_only_products_that_were_sold(tmp_path, monkeypatch):
    columns = ["InvoiceNo", "StockCode", "Quantity", "UnitPrice", "InvoiceDate", "Country"]
    at = 1291194000.0  # Wednesday, 1 December 2010, 9:00 UTC
    sold = [
        ("536365", "85123a", 2, 2.5, at, "France"),
        ("536365", "POST", 1, 9.0, at, "France"),
        ("536365", "71053", -1, 9.0, at, "France"),
        ("536365", "22752", 1, 3.0, at, "France"),
        ("C536366", "22752", 1, 3.0, at, "France"),
    ]
    frame = pytest.importorskip("pandas").DataFrame(sold, columns=columns)
    monkeypatch.setattr("benchmarks.originals.shops.r_data", lambda _: {"onlineretail": frame})
    assert shops.online_retail(tmp_path).splitlines()[1:] == ["France,2010-12,Wed,9,8.0,85123A 22752"]


def test_a_household_has_all_its_purchases(tmp_path, monkeypatch):
    pandas = pytest.importorskip("pandas")
    columns = ["age", "income", "home_ownership", "marital_status", "household_size", "household_comp", "kids_count"]
    levels = ["department", "product_category", "product_type"]
    objects = {
        "transactions_sample": pandas.DataFrame(
            [("7", "30"), ("8", "31"), ("7", "29"), ("7", "30")], columns=["household_id", "product_id"]
        ),
        "demographics": pandas.DataFrame([("7", "65+", None, *"cdefg")], columns=["household_id", *columns]),
        "products": pandas.DataFrame(
            [("30", "DELI", "HOT  FOOD, COLD", None), ("99", "x", "y", "z")], columns=["product_id", *levels]
        ),
    }
    monkeypatch.setattr("benchmarks.originals.shops.r_data", lambda _: objects)
    built = shops.complete_journey(tmp_path)
    households = built["rt/completejourney_households_rt.csv"].splitlines()[1:]
    assert households == ["65+,?,c,d,e,f,g,30 29", "?,?,?,?,?,?,?,31"]
    unknown = "T_UNKNOWN|UNKNOWN|UNKNOWN,C_UNKNOWN|UNKNOWN,D_UNKNOWN,ALL"
    assert built["taxonomies/completejourney_product_taxonomy.csv"].splitlines()[1:] == [
        f"29,{unknown}",
        "30,T_DELI|HOT_FOOD-COLD|UNKNOWN,C_DELI|HOT_FOOD-COLD,D_DELI,ALL",
        f"31,{unknown}",
    ]


def test_r_data_need_a_package(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "rdata", None)
    with pytest.raises(InputError, match=r"RA\.RData needs the package rdata"):
        sets.masked_codes(tmp_path / "RA.RData", "RA1_6y")


def test_a_file_that_differs_is_not_written(tmp_path, capsys):
    (tmp_path / "retail.dat").write_text("1 2\n")
    with pytest.raises(SystemExit, match="1"):
        command.build(tmp_path, tmp_path / "data", "retail")
    assert (
        capsys.readouterr().out
        == "retail: transactions/retail.dat.gz differs from the published file, and is not written\n"
    )
    assert not (tmp_path / "data").exists()


def test_missing_originals_are_listed_with_their_source(tmp_path, capsys):
    with pytest.raises(SystemExit, match="0"):
        command.build(tmp_path, tmp_path / "data", "epub", "msweb")
    assert capsys.readouterr().out.splitlines() == [
        "epub: missing Epub.rda (source: github.com/mhahsler/arules, data)",
        "msweb: missing anonymous-msweb.data, anonymous-msweb.test "
        "(source: github.com/mhahsler/arules, data_src/MSweb)",
    ]
    with pytest.raises(InputError, match=r"data set must be one of bms_webview1, .*, got 'nothing'"):
        command.build(tmp_path, tmp_path / "data", "nothing")


@pytest.mark.long
@pytest.mark.data
def test_a_file_of_the_data_folder_is_built_again(tmp_path, capsys):
    """The published file has the layout of its original, so that the step gives the published digest."""
    packed = Path(os.environ["ANONSET_DATA"]) / "transactions/bms_webview1.dat.gz"
    (tmp_path / "BMS1_itemset_mining.txt").write_bytes(gzip.decompress(packed.read_bytes()))
    with pytest.raises(SystemExit, match="0"):
        command.build(tmp_path, tmp_path / "data", "bms_webview1")
    assert capsys.readouterr().out.count("as published") == 1
    assert (tmp_path / "data/transactions/bms_webview1.dat.gz").exists()
