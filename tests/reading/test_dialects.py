"""Realistic texts: delimiters, encodings, blanks, formats. Rejected files are reported with a remedy."""

import csv
import io
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.facts import names

from anonset import inspect
from anonset.errors import InputError
from anonset.reading.read import read
from anonset.reading.sources.dialect import header_fields, probable_encoding
from anonset.spelling import as_options, spelled_by

ROLES = {"items": "codes", "relational": "age", "unit": "p"}
EXPECTED = [["E10", "I10"], [], ["J45"]]
TABLE = "p,age,codes\n1,30,E10 I10\n2,41,\n3,30,J45\n"


def write(folder, data, name="v.csv"):
    path = folder / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


def rows(table):
    return list(table.transactions.rows())


def refusal(path, **options):
    with spelled_by(as_options), pytest.raises(InputError) as error:
        read(path, **options)
    return str(error.value).removeprefix(f"{path}: ")


MARKED = [
    ("utf-8", b"\xef\xbb\xbf"),
    ("utf-16-le", b"\xff\xfe"),
    ("utf-16-be", b"\xfe\xff"),
    ("utf-32-le", b"\xff\xfe\x00\x00"),
]


@pytest.mark.parametrize(
    ("name", "delimiter", "spaced", "encoding", "mark"),
    [
        *product(["v.csv", "v.tsv"], [",", ";", "\t", "|"], [False, True], ["utf-8"], [b""]),
        *(("v.csv", delimiter, True, *marked) for delimiter in ",\t" for marked in MARKED),
    ],
)
def test_delimiters_and_encodings_are_recognised(tmp_path, name, delimiter, spaced, encoding, mark):
    text = TABLE.replace(",", delimiter + " " if spaced else delimiter)
    table = read(write(tmp_path, mark + text.encode(encoding), name), **ROLES)
    assert rows(table) == EXPECTED
    assert table.relational[0].labels() == ["30", "41", "30"]
    assert table.ids[0].labels() == ["1", "2", "3"]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(
    "text",
    [
        " p ; age ; codes \n 1 ; 30 ;  E10  I10 \n2;41; \n3 ;30;J45",
        '"p"; "age"; "codes"\n1; "30"; "E10 I10"\n2;41;""\n "3" ;30;J45\n',
        "sep=;\np;age;codes\n1;30;E10 I10\n2;41;\n3;30;J45\n",
        "p\t age\tcodes\n1\t 30\t I10 E10\n2\t41\t\n3\t30\tJ45\n",
    ],
)
def test_blanks_around_fields_and_items_are_no_part_of_them(tmp_path, text, end):
    table = read(write(tmp_path, text.replace("\n", end)), **ROLES)
    assert rows(table) == EXPECTED
    assert table.relational[0].labels() == ["30", "41", "30"]
    assert table.ids[0].labels() == ["1", "2", "3"]


@pytest.mark.parametrize("text", ['s,t\n"6474, 2723",x\n', "s;t\n6474, 2723;x\n", 's, t\n" 6474 ,2723 ,", x\n'])
def test_items_between_commas_and_blanks(tmp_path, text):
    assert rows(read(write(tmp_path, text), items="s", keep="t", separator=",")) == [["2723", "6474"]]


def test_a_separator_in_a_single_column_is_not_a_delimiter(tmp_path):
    assert rows(read(write(tmp_path, "s\nE10,I10\n\nJ45\n"), items="s", separator=",")) == EXPECTED


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("latin-1", "Nom;Prénom;Médicament\nLefèvre;François;Paracétamol"),
        ("latin-1", "Município;Cor\nSão João;branca\nGoiás;parda"),
        (
            "cp1252",
            "Correo electrónico;Artículo;P.V.P.\na@b.es;Pantalón niño;12 €\nb@c.es;Gorra;95 €\nc@d.es;Camión;5 €",
        ),
        ("latin-1", "Town;Spend\nYork;£1,200\nHull;£1,310\nLeeds;£2,400\nYork;£1,900\nHull;£2,000\nYork;£9"),
        ("cp1250", "Imię;Płeć;Usługa\nŁukasz;Mężczyzna;Wizyta pielęgniarska"),
        ("cp1250", "Pohlaví;Příjmení;Město\nžena;Dvořáková;Plzeň"),
        ("cp1251", "Имя;Пол;Город\nИванов;мужской;Москва"),
        ("cp1253", "Όνομα;Φύλο;Πόλη\nΓιώργος;Άνδρας;Αθήνα"),
        ("cp1254", "Adı;İlçe;Doğum\nŞahin;Beyoğlu;1950\nÇelik;Kadıköy;1960"),
        ("cp1257", "Lytis;Amžius\nvyras;Šiauliai\nmoteris;Kėdainiai;ąžuolas;ūkis"),
        ("cp932", "氏名;性別;住所\n中村　大輔;男;東京都\n加藤　愛;女;大阪府"),
        ("gb18030", "姓名;性别;城市\n王伟;男;北京\n李娜;女;上海"),
        ("cp949", "이름;성별;도시\n김철수;남;서울\n이영희;여;부산"),
    ],
)
def test_an_encoding_is_recognised_by_its_language(encoding: str, text: str) -> None:
    assert probable_encoding(text.encode(encoding)) == encoding


def test_a_stated_encoding_is_used(tmp_path):
    path = write(tmp_path, "größe;s\nvier;Bär Käse\n".encode("latin-1"))
    table = read(path, items="s", keep="größe", encoding="latin-1")
    assert rows(table) == [["Bär", "Käse"]]
    path = write(tmp_path, "p;s\n1;100€\n".encode("cp1252"))
    assert rows(read(path, items="s", unit="p", encoding="cp1252")) == [["100€"]]


@pytest.mark.parametrize("delimiter", ["^", "\t", "tab", "\\t", " "])
def test_a_stated_delimiter_is_used(tmp_path, delimiter):
    written = {"tab": "\t", "\\t": "\t"}.get(delimiter, delimiter)
    path = write(tmp_path, f"p{written}s\n1{written}E10+I10\n")
    assert rows(read(path, items="s", unit="p", delimiter=delimiter, separator="+")) == [["E10", "I10"]]


@pytest.mark.parametrize(
    ("name", "data", "options", "expected"),
    [
        ("v.txt", "1 2\n\n2\n", {"input_format": "fimi"}, [["1", "2"], [], ["2"]]),
        ("v.data", "1,2\n\n2\n", {"input_format": "baskets"}, [["1", "2"], [], ["2"]]),
        (
            "v.csv",
            "whole milk; red wine \n\nbeer",
            {"input_format": "baskets"},
            [["red wine", "whole milk"], [], ["beer"]],
        ),
        ("v.csv", '"a, b", c\n\nd\n', {"input_format": "baskets"}, [["a, b", "c"], [], ["d"]]),
        ("v.txt", "a+-+b\nb\n", {"input_format": "baskets", "separator": "+-+"}, [["a", "b"], ["b"]]),
        ("v.txt", "a\tb\r\n\r\n", {"input_format": "baskets"}, [["a", "b"], []]),
        ("v.txt", "", {"input_format": "baskets", "separator": ","}, []),
        ("v", "s\n1 2\n", {"input_format": "csv", "items": "s"}, [["1", "2"]]),
        ("v.txt", "1 3 -1 2 -1 -2\n3 -1 -2\n", {"input_format": "spmf"}, [["1", "2", "3"], ["3"]]),
        (
            "v.txt",
            "@CONVERTED_FROM_TEXT\n@ITEM=1=apple\n@ITEM=2=green tea\n% note\n1 2\n# note\n2 3\n",
            {"input_format": "spmf"},
            [["apple", "green tea"], ["3", "green tea"]],
        ),
        ("v.dat", "1,2 3\n", {"separator": " "}, [["1,2", "3"]]),
        ("v.dat", "a,b\na\n", {"separator": " "}, [["a,b"], ["a"]]),
    ],
)
def test_declared_formats_are_used(tmp_path, name, data, options, expected):
    assert rows(read(write(tmp_path, data, name), **options)) == expected


@pytest.mark.parametrize(
    ("name", "data", "options", "hint"),
    [
        ("v.txt", "s\n1\n", {"items": "s"}, "--input-format csv tsv"),
        ("v.txt", "s;t\n1;2\n", {"items": "s"}, "lines '--input-format csv'"),
        ("v.data", "Title\n\ns\tt\n1\t2\n", {"items": "s"}, "lines '--input-format tsv'"),
        (
            "v.xlsx",
            "PK",
            {"items": "s"},
            "workbook password",
        ),
        (
            "v.toml",
            'input = "v.csv"',
            {"items": "s"},
            "job file",
        ),
        (
            "v.csv",
            "PK\x03\x04",
            {"items": "s"},
            "'--input-format xlsx'",
        ),
        ("v.jsonl", "{}", {}, "empty JSON"),
        ("v.csv", '{"s": ["E10"]}\n', {"items": "s"}, "JSON '--input-format jsonl'"),
        ("v.csv", "s:t\n1:2\n", {"items": "s", "keep": "t"}, "'--delimiter :'"),
        ("v.csv", "s\u00a7t\n1\u00a72\n", {"items": "s", "keep": "t"}, "s line"),
        ("v.csv", "s,t\n\xe9,2\n".encode("latin-1"), {"items": "s"}, "'--encoding latin-1'"),
        ("v.csv", "s,t\n\u20ac,2\n".encode("cp1252"), {"items": "s"}, "'--encoding cp1252'"),
        ("v.csv", "s,t\n1,2\n".encode("utf-16-le"), {"items": "s"}, "'--encoding utf-16-le'"),
        ("v.csv", "s,t\n1,2\n".encode("utf-16-be"), {"items": "s"}, "'--encoding utf-16-be'"),
        (
            "v.csv",
            "\ufeffs\n\u20ac\n".encode("utf-16-le")[:-1],
            {"items": "s"},
            "utf-16-le",
        ),
        (
            "v.csv",
            "s\n\xe9\n".encode("latin-1"),
            {"items": "s", "encoding": "ascii"},
            "ascii --encoding",
        ),
        ("v.dat", "\xe9 a\n".encode("latin-1"), {}, "'--encoding latin-1'"),
        ("v.csv", "s\n\xe9\n", {"items": "s", "encoding": "latin-1"}, "UTF-8"),
        (
            "v.csv",
            "s\n\u20ac\n".encode("cp1252"),
            {"items": "s", "encoding": "latin-1"},
            "'--encoding cp1252'",
        ),
        ("v.csv", "s;t\nwhole milk,bread;1\nbread,eggs;2\n", {"items": "s", "drop": "t"}, "'--separator ,'"),
        ("v.dat", "whole milk,bread\nbread\n", {}, "'--input-format baskets' --separator"),
        ("v.csv", "s,t\n1\n", {"items": "s", "delimiter": ";;"}, "--delimiter character"),
        ("v.csv", "s,t\n1\n", {"items": "s", "encoding": "base64"}, "--encoding base64"),
        ("v.csv", "s,t\n1\n", {"items": "s", "input_format": "excel"}, "--input-format csv tsv fimi excel"),
        ("v.dat", "6474, 2723\n", {}, "'--input-format baskets' --separator"),
        ("v.dat", "6474,2723\n2723\n1\n2\n3\n", {}, "'--input-format baskets' --separator"),
        ("v.dat", "6474;2723\n", {"separator": ";"}, "'--input-format baskets'"),
        ("v.dat", "1 3 -1 -2\n3 -1 -2\n", {}, "'--input-format spmf'"),
        ("v.dat", "@CONVERTED_FROM_TEXT\n1 2\n", {}, "'--input-format spmf'"),
        ("v.txt", "a,b;c\n", {"input_format": "baskets"}, ", ; --separator"),
        ("v.txt", "a\nb\n", {"input_format": "baskets"}, "--separator"),
        ("v.csv", 's,t\n"6474, 2723",1\n', {"items": "s", "drop": "t"}, "'--separator ,'"),
        ("v.csv", "s;t\nE10|I10;1\nE10;2\n", {"items": "s", "drop": "t"}, "--separator '|'"),
        ("v.csv", "s\nE10,I10\n", {"items": "s"}, "'--separator ,'"),
        ("v.csv", "s;t\n['E10', 'I10'];1\n", {"items": "s", "drop": "t"}, "lists"),
    ],
)
def test_ambiguous_texts_are_rejected_with_a_remedy(tmp_path, name, data, options, hint):
    assert names(refusal(write(tmp_path, data, name), **options), hint)


@pytest.mark.parametrize(
    "options", [{"items": 5}, {"keep": [1]}, {"separator": 5}, {"missing": None}, {"delimiter": 1}]
)
def test_settings_of_another_type_are_refused(tmp_path, options):
    with pytest.raises(InputError):
        read(write(tmp_path, TABLE), **{**ROLES, **options})


def test_a_column_without_a_name_shows_no_record(tmp_path):
    path = write(tmp_path, "4711;F;E10\n4712;M;J45\n")
    assert "4711" not in refusal(path, items="codes", unit="p", keep="sex")


@pytest.mark.parametrize(
    "text", ["p;codes;;\n1;E10 I10;;\n2;; ;\n3;J45;;\n", 'p;codes;\n1;"E10 I10";\n2;;\n3; "J45";""\n']
)
def test_empty_unnamed_last_columns_are_dropped(tmp_path, text):
    assert rows(read(write(tmp_path, text), items="codes", unit="p")) == EXPECTED
    path = write(tmp_path, text + "4;J45;x;\n" if text.startswith("p;codes;;") else text + "4;J45;x\n")
    assert names(refusal(path, items="codes", unit="p"), "'line 5' 'column 3' name")
    assert "got 2" in refusal(write(tmp_path, text + "5;J45\n"), items="codes", unit="p")


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("closed", ["", '"'])
def test_rows_inside_a_quoted_header_are_not_shown(tmp_path, closed, end):
    lines = ['p,age,"codes', "1,30,E10 I10", f"2,41,{closed}", "3,30,J45"]
    message = refusal(write(tmp_path, end.join([*lines, ""])), **ROLES)
    assert names(message, "'line 1' header")
    assert "E10" not in message


def test_multi_line_column_names_are_kept(tmp_path):
    path = write(tmp_path, '"p","age\n(years)","codes\nof\nICD"\n1,30,E10\n')
    table = read(path, items="codes\nof\nICD", relational="age\n(years)", unit="p")
    assert rows(table) == [["E10"]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id,code,note,code\n1,E10,a,I10\n", "columns 2 and 4 are both named 'code'; rename one of them in the data"),
        ("age,sex,code,code\n45,f,E10,I10\n", "columns 3 and 4 are both named 'code'; rename one of them in the data"),
        (
            "id,Buses?,,,,age\n,Bus,Tram,Train,None,\n1,Bus,,Train,,30\n",
            "columns 3, 4 and 5 have no name; name each column in line 1",
        ),
        ("45,flu,flu\n50,flu,hiv\n", "columns 2 and 3 have the same name; rename one of them in the data; if the file"),
    ],
)
def test_the_name_of_two_columns_is_shown_if_the_first_line_is_a_header(tmp_path, text, message):
    path = tmp_path / "a.csv"
    path.write_text(text)
    for run in (inspect, read):
        with pytest.raises(InputError) as caught:
            run(str(path))
        assert message in str(caught.value)
        assert ("no_header" in str(caught.value), "flu" in str(caught.value)) == ("flu" in text, False)


@given(st.text("ab ,;\t'\"\r\n\0\x1d\u2028", max_size=12), st.sampled_from(",;\t|a"))
def test_the_fields_of_a_header_are_those_of_the_csv_reader(line, delimiter):
    reader = csv.reader(io.StringIO(line, newline=""), delimiter=delimiter, skipinitialspace=True)
    assert header_fields(line, delimiter) == [name.strip() for name in next(reader, [])]


def test_a_header_longer_than_a_field_of_the_csv_reader_has_no_fields():
    assert header_fields("a" * (csv.field_size_limit() + 1), ",") == []


def visits(n_rows, mark, quote="", name=True):
    """Return lines of `n_rows` visits of persons with three visits each."""
    rows = [
        [f"P{n // 3:04d}", str(20 + n * 7 % 60), "fm"[n % 2], ["E11", "I10", "J45", "K21"][n % 4]]
        for n in range(n_rows)
    ]
    return [mark.join(f"{quote}{field}{quote}" for field in row) for row in [VISIT] * name + rows]


VISIT = ["patient_id", "age", "sex", "diagnosis"]


@pytest.mark.parametrize("n_rows", [60, 900])
@pytest.mark.parametrize("name", ["v.csv", "v.txt", "v.dat"])
@pytest.mark.parametrize("quote", ["", '"'])
@pytest.mark.parametrize("mark", ["$", "^", "~", "::", "||", ":"])
def test_inspect_recognises_unusual_delimiters(tmp_path, mark, quote, name, n_rows):
    found = inspect(str(write(tmp_path, "\n".join([*visits(n_rows, mark, quote), ""]), name)))
    assert [column.profile.name for column in found.columns] == VISIT
    assert found.recognised.get("delimiter", "|") == mark[0]
    answer = next(one for one in found.question.answers if str(one.unit) == "patient_id")
    assert answer.persons == n_rows // 3


@pytest.mark.parametrize("mark", [";", "$", "|"])
def test_inspect_recognises_a_delimiter_a_title_and_totals_in_one_run(tmp_path, mark):
    lines = ["Export, of visits", "Date: 2024-01-01", "", *visits(60, mark), mark.join(["Total", "60", "", ""]), ""]
    found = inspect(str(write(tmp_path, "\n".join(lines))))
    assert ([column.profile.name for column in found.columns], found.rows) == (VISIT, 60)
    assert (found.recognised["header_line"], found.recognised["skip_rows"]) == (4, "footer")


def test_a_table_between_doubled_delimiters_without_a_header(tmp_path):
    lines = [f"{n // 3}::{n * 7 % 40}::{n % 5}::{978300760 + n}" for n in range(60)]
    found = inspect(str(write(tmp_path, "\n".join([*lines, ""]), "ratings.dat")))
    assert (found.recognised, len(found.columns)) == (
        {"input_format": "csv", "delimiter": ":", "no_header": True},
        7,
    )


@pytest.mark.parametrize(
    ("header", "value"),
    [
        ("time", "1{}:30:0{}"),
        ("", "1{}:30:0{}"),
        ("site", "https://a{}.org/{}"),
        ("price", "$1{}{}"),
        ("mac", "a{}:b{}:0c"),
    ],
)
def test_times_addresses_and_prices_are_single_values(tmp_path, header, value):
    rows = [value.format(n // 10 % 10, n % 10) for n in range(60)]
    assert "delimiter" not in inspect(str(write(tmp_path, "\n".join([header, *rows][not header :]) + "\n"))).recognised


def test_a_column_without_a_name_between_others_must_be_empty(tmp_path):
    path = write(tmp_path, "p::age::sex\n1::30::f\n2:x:41::m\n")
    assert "line 3: column 2 contains a value but has no name" in refusal(
        path, delimiter=":", unit="p", relational="age,sex"
    )
