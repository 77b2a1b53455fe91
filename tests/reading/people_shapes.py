"""Realistic small files, part 3: item lines without header, and sets over several rows or columns."""

from tests.reading.people_files import ROLES, VISITS, PeopleFile

NAMED = [["asthma", "type 2 diabetes"], ["asthma"], ["asthma", "type 2 diabetes"]]
BASKETS = [["1", "2"], ["3"], ["1", "3"]]
GROCERIES = [["bread", "whole milk"], ["yogurt"], ["bread", "yogurt"]]
LONG = {"unit": "person_id", "items": "concept", "drop": "visit"}
PAIRS = [(n + 1, code) for n, row in enumerate(VISITS) for code in row]
WIDE = "id,dx_E10,dx_I10,dx_J45\n1,1,1,0\n2,0,0,1\n3,1,0,1\n"
CODES = "id;dx1;dx2;dx3\n1;E10;I10;\n2;J45;;\n3;E10;J45;\n"
OMOP = "person_id\tvisit\tconcept\n" + "".join(f"{p}\t{n}\t{code}\n" for n, (p, code) in enumerate(PAIRS))
SENTENCES = [(n + 1, name) for n, row in enumerate(NAMED) for name in row]
GROCERY_LINES = "whole milk,bread\nyogurt\nyogurt,bread\n"
FIMI = "1 2 \n3 \n1 3 \n"
MILK = "@CONVERTED_FROM_TEXT\n@ITEM=1=bread\n@ITEM=2=whole milk\n@ITEM=3=yogurt\n1 2\n3\n1 3\n"

LINES = [
    PeopleFile("FIMI", "retail.dat", FIMI, {}, BASKETS),
    PeopleFile("FIMI as .txt", "retail.txt", FIMI, {}, BASKETS, {"input_format": "fimi"}, "set --input-format"),
    PeopleFile("FIMI in UTF-16", "retail.dat", FIMI.encode("utf-16"), {}, BASKETS),
    PeopleFile(
        "SPMF transactions", "contextPasquier99.txt", "1 2\n3\n1 3\n", {}, BASKETS, {"input_format": "spmf"}, "spmf"
    ),
    PeopleFile("SPMF with names", "fruit.dat", MILK, {}, GROCERIES, {"input_format": "spmf"}),
    PeopleFile(
        "SPMF sequences", "seq.dat", "1 -1 2 -1 -2\n3 -1 -2\n1 3 -1 -2\n", {}, BASKETS, {"input_format": "spmf"}
    ),
    PeopleFile("SPMF with utilities", "hui.dat", "1 2:5:2 3\n3:4:4\n1 3:4:2 2\n", {}, "keep only the items"),
    PeopleFile("SPMF sequences with utilities", "hus.dat", "1[2] 2[3] -1 -2 SUtility:5\n", {}, "keep only the items"),
    PeopleFile(
        "groceries of arules",
        "groceries.csv",
        GROCERY_LINES,
        {"items": "items"},
        GROCERIES,
        {"input_format": "baskets"},
    ),
    PeopleFile(
        "groceries, blanks",
        "groceries.csv",
        GROCERY_LINES.replace(",", ", "),
        {"items": "items"},
        GROCERIES,
        {"input_format": "baskets"},
    ),
    PeopleFile(
        "groceries, in quotes",
        "groceries.csv",
        '"whole milk","bread"\n"yogurt"\n"yogurt","bread"\n',
        {"items": "items"},
        GROCERIES,
        {"input_format": "baskets"},
    ),
    PeopleFile("groceries as .dat", "groceries.dat", "1,2\n3\n1,3\n", {}, BASKETS, {"input_format": "baskets"}),
    PeopleFile("baskets between semicolons", "b.dat", "1; 2\n3\n1; 3\n", {}, BASKETS, {"input_format": "baskets"}),
    PeopleFile("JSON lines", "v.jsonl", '{"codes": ["E10"]}\n', ROLES, "no column 'age' (--relational)"),
    PeopleFile("JSON", "v.json", '[{"codes": ["E10"]}]', ROLES, "must have an object per line"),
    PeopleFile("JSON lines called .csv", "v.csv", '{"codes": ["E10"]}\n', ROLES, "--input-format jsonl"),
    PeopleFile(
        "printed lists of pandas",
        "v.csv",
        "id,codes\n1,\"['E10', 'I10']\"\n",
        {"unit": "id", "items": "codes"},
        "the cells contain printed lists",
    ),
]

SHAPES = [
    PeopleFile("OMOP, a row a condition", "omop.tsv", OMOP, LONG, VISITS),
    PeopleFile(
        "OMOP, with names",
        "omop.csv",
        "person_id;concept\n" + "".join(f"{p};{x}\n" for p, x in SENTENCES),
        {"unit": "person_id", "items": "concept"},
        NAMED,
    ),
    PeopleFile(
        "a row a condition, ids repeat",
        "omop.csv",
        "p,c\n" + "".join(f"{p},{x}\n" for p, x in PAIRS),
        {"unit": "p", "items": "c"},
        VISITS,
    ),
    PeopleFile("one-hot, named", "wide.csv", WIDE.replace("dx_", ""), {"unit": "id", "one_hot": "E10,I10,J45"}, VISITS),
    PeopleFile(
        "one-hot, taken for items",
        "wide.csv",
        WIDE.replace("dx_", ""),
        {"unit": "id", "items": "E10,I10,J45"},
        "--one-hot E10,I10,J45",
    ),
    PeopleFile("one-hot, by its prefix", "wide.csv", WIDE, {"unit": "id", "one_hot": "dx_*"}, VISITS),
    PeopleFile(
        "one-hot of pandas",
        "wide.csv",
        WIDE.replace(",1", ",True").replace(",0", ",False"),
        {"unit": "id", "one_hot": "dx_*"},
        VISITS,
    ),
    PeopleFile(
        "one-hot of R",
        "wide.csv",
        WIDE.replace(",1", ",TRUE").replace(",0", ",FALSE"),
        {"unit": "id", "one_hot": "dx_*"},
        VISITS,
    ),
    PeopleFile(
        "one-hot, 0 left out",
        "wide.csv",
        WIDE.replace(",0", ","),
        {"unit": "id", "one_hot": "dx_*"},
        VISITS,
        {"missing": "empty"},
    ),
    PeopleFile("one-hot, European", "wide.csv", WIDE.replace(",", ";"), {"unit": "id", "one_hot": "dx_*"}, VISITS),
    PeopleFile(
        "counts, no one-hot",
        "wide.csv",
        WIDE.replace(",1", ",2"),
        {"unit": "id", "one_hot": "dx_*"},
        "must contain 0 and 1",
    ),
    PeopleFile("one code a column", "claims.csv", CODES, {"unit": "id", "one_code": "dx1,dx2,dx3"}, VISITS),
    PeopleFile(
        "one code a column, by its prefix",
        "claims.csv",
        CODES.replace(";", ","),
        {"unit": "id", "one_code": "dx*"},
        VISITS,
    ),
    PeopleFile(
        "one code a column, no header",
        "claims.csv",
        "1;E10;I10\n2;J45;\n",
        {"unit": "id", "one_code": "dx*"},
        "if the file has no header, to name the columns 1, 2, ...: --no-header",
    ),
]
