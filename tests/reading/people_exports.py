"""Realistic small files, part 2: exports of programs and databases, with additions made in offices."""

from tests.reading.people_files import VISITS, PeopleFile

ROWS = {"unit": "id", "items": "codes"}
CODES = "id,codes\n1,E10 I10\n2,J45\n3,E10 J45\n"
CENSUS = "39, State-gov, E10 I10\n50, Private, J45\n38, Private, E10 J45\n"
CENSUS_ROLES = {"unit": "1", "keep": "2", "items": "3"}
CLAIMS = '"ROW","PERSON","CODE"\n1,109,"E10"\n2,109,"I10"\n3,110,"J45"\n4,111,"E10"\n5,111,"J45"\n'
ABOVE = "if line 2 is the header: --header-line 2"

EXPORTS = [
    PeopleFile("UCI, no line of names", "adult.data", CENSUS, CENSUS_ROLES, VISITS, {"no_header": True}, "-"),
    PeopleFile("CSV, no line of names", "adult.csv", CENSUS, CENSUS_ROLES, VISITS, {"no_header": True}),
    PeopleFile("TSV, no line of names", "v.tsv", CENSUS.replace(", ", "\t"), CENSUS_ROLES, VISITS, {"no_header": True}),
    PeopleFile(
        "semicolons, no line of names", "v.csv", CENSUS.replace(", ", ";"), CENSUS_ROLES, VISITS, {"no_header": True}
    ),
    PeopleFile(
        "one column, no line of names",
        "v.csv",
        "E10 I10\nJ45\nE10 J45\n",
        {"items": "1"},
        VISITS,
        {"no_header": True},
    ),
    PeopleFile(
        "no line of names, quotes after blanks",
        "v.csv",
        '1, "E10 I10"\n2, "J45"\n3, "E10 J45"\n',
        {"unit": "1", "items": "2"},
        VISITS,
        {"no_header": True},
        "-",
    ),
    PeopleFile(
        "no line of names, a short line",
        "v.csv",
        "1,E10\n2\n",
        {"unit": "1", "items": "2", "no_header": True},
        "line 2: 2 fields required as in the first line, got 1",
    ),
    PeopleFile(
        "no line of names, a column that is not there",
        "v.csv",
        CENSUS,
        {**CENSUS_ROLES, "keep": "4", "no_header": True},
        "no column '4' (--keep); columns: '1', '2', '3'",
    ),
    PeopleFile(
        "FIMI has no line of names",
        "v.dat",
        "1 2\n",
        {"no_header": True},
        "--no-header applies to CSV, TSV and XLSX files only",
    ),
    PeopleFile(
        "claims of a hospital, codes in quotes",
        "DIAGNOSES_ICD.csv",
        CLAIMS,
        {"unit": "PERSON", "items": "CODE", "drop": "ROW"},
        VISITS,
    ),
    PeopleFile("a title above", "report.csv", f"Ward 3, 2024\n{CODES}", ROWS, ABOVE),
    PeopleFile("a blank line above", "report.csv", f"\n{CODES}", ROWS, ABOVE),
    PeopleFile("a remark above", "report.csv", f"# exported\n{CODES.replace(',', ';')}", ROWS, ABOVE),
    PeopleFile("arrays of PostgreSQL", "pg.csv", 'id,codes\n1,"{E10,I10}"\n2,{J45}\n', ROWS, "remove { and }"),
    PeopleFile(
        "arrays of PostgreSQL, split",
        "pg.csv",
        'id,codes\n1,"{E10,I10}"\n2,{J45}\n',
        {**ROWS, "separator": ","},
        "the cells are enclosed in { and }",
    ),
    PeopleFile(
        "lists of numbers", "py.csv", 'id,codes\n1,"[1, 2]"\n2,[3]\n', ROWS, "the cells are enclosed in [ and ]"
    ),
    PeopleFile(
        "sets that are items, said",
        "v.csv",
        "id;codes\n1;[a,b] E10\n2;[a,b]\n",
        ROWS,
        [["E10", "[a,b]"], ["[a,b]"]],
        {"separator": " "},
    ),
    PeopleFile("NULL of SQL", "sql.csv", f"{CODES}4,NULL\n", ROWS, [*VISITS, []], {"missing": "empty"}),
    PeopleFile("NA of R", "r.csv", f"{CODES}4,NA\n", ROWS, [*VISITS, []], {"missing": "empty"}),
    PeopleFile("NA for Namibia", "r.csv", f"{CODES}4,NA\n", ROWS, [*VISITS, ["NA"]], {"missing": "value"}),
    PeopleFile("lines in cells", "v.csv", CODES.replace("E10 I10", '"E10\nI10"'), ROWS, VISITS),
    PeopleFile("no-break spaces", "v.csv", CODES.replace(" ", "\u00a0"), ROWS, VISITS),
    PeopleFile("tabs in cells", "v.csv", CODES.replace(" ", "\t"), ROWS, VISITS),
    PeopleFile("an end of file of DOS", "v.csv", f"{CODES}\x1a", ROWS, VISITS),
    PeopleFile(
        "row names of R",
        "r.csv",
        '"age","codes"\n"1",30,"E10"\n"2",31,"J45"\n',
        {"keep": "age", "items": "codes"},
        "a column name is missing in the first line",
    ),
    PeopleFile(
        "yes and no",
        "o.csv",
        "id,E10,I10\n1,yes,no\n2,no,yes\n",
        {"unit": "id", "one_hot": "E10,I10"},
        [["E10"], ["I10"]],
    ),
    PeopleFile(
        "crosses",
        "o.csv",
        "id,E10,I10\n1,x,\n2,,X\n",
        {"unit": "id", "one_hot": "E10,I10"},
        [["E10"], ["I10"]],
        {"missing": "empty"},
    ),
    PeopleFile(
        "a delimiter at the end of the header alone",
        "h.csv",
        "id;codes;\n1;E10 I10\n2;J45\n3;E10 J45\n",
        ROWS,
        [["E10", "I10"], ["J45"], ["E10", "J45"]],
    ),
    PeopleFile("bits as items", "b.csv", "id,codes\n1,0 1\n2,1\n3,0\n", ROWS, [["0", "1"], ["1"], ["0"]]),
    PeopleFile("a page called .csv", "v.csv", "<html><table><tr><td>id</td></tr></table>\n", ROWS, "an HTML page"),
    PeopleFile("ARFF called .csv", "v.csv", "@relation x\n@data\n1\n", ROWS, "ARFF is not supported"),
    PeopleFile("HL7", "v.csv", "MSH|^~\\&|LAB|KH\rPID|1||975184\rOBX|1|NM|777-3\r", ROWS, "these are HL7 messages"),
    PeopleFile("SPSS", "v.sav", "$FL2", ROWS, "not a valid .sav file"),
    PeopleFile("SPSS portable", "v.por", "ASCII SPSS PORT FILE", ROWS, "save the table as CSV or Parquet"),
    PeopleFile("a packed file", "v.csv.zip", "PK", ROWS, "archives are not supported; unpack the file"),
]
