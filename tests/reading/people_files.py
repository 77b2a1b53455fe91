"""Realistic small files: bytes, column roles, and the expected records or error.

Modelled on the formats of ARX, Amnesia, anjana, sdcMicro, OMOP, spreadsheets of three locales, FIMI and SPMF. If a file
needs an option besides roles, it is rejected without the option by a message that names it.
"""

from typing import Any, NamedTuple

VISITS = [["E10", "I10"], ["J45"], ["E10", "J45"]]


class PeopleFile(NamedTuple):
    """A file and the expected result of reading it."""

    what: str
    name: str
    data: str | bytes
    roles: dict[str, Any]
    expected: list[list[str]] | str
    """Records, or for an unreadable file a part of the error message."""
    option: dict[str, Any] = {}  # noqa: RUF012
    """Option that the file needs besides roles, if any."""
    said: str = ""
    """Text by which the error message names the option. By default, the option itself."""


def _rows(delimiter: str, end: str = "\n", items: str = " ", *, space: str = "") -> str:
    """Return visits as a table with a header line."""
    lines = [["id", "age", "sex", "codes"]]
    lines += [[f"{n}", f"{30 + n}", "MF"[n % 2], items.join(row)] for n, row in enumerate(VISITS)]
    return "".join((delimiter + space).join(line) + end for line in lines)


ROLES = {"unit": "id", "relational": "age,sex", "items": "codes"}
ARX = "identifier;age;zip;disease\n1;34;81667;E10 I10\n2;45;81675;J45\n3;66;81925;E10 J45\n"
ARX_ROLES = {"unit": "identifier", "relational": "age,zip", "items": "disease"}
GERMAN = "Größe;Straße;Diagnosen\n1,80;Hauptstraße;E10 I10\n1,75;Bäckerweg;J45\n1,60;Am Hügel;E10 J45\n"
GERMAN_ROLES = {"keep": "Größe,Straße", "items": "Diagnosen"}
FRENCH = "n\u00b0;âge;codes\n1;30;E10 I10\n2;31;J45\n3;32;E10 J45\n"
FRENCH_ROLES = {"unit": "n\u00b0", "relational": "âge", "items": "codes"}
EURO = "id;Preis €;codes\n1;30;E10 I10\n2;31;J45\n3;32;E10 J45\n"
EURO_ROLES = {"unit": "id", "keep": "Preis €", "items": "codes"}
JAPANESE = "番号,年齢,病名\n1,30,E10 I10\n2,31,J45\n3,32,E10 J45\n"
JAPANESE_ROLES = {"unit": "番号", "relational": "年齢", "items": "病名"}

DIALECTS = [
    PeopleFile("plain CSV", "v.csv", _rows(","), ROLES, VISITS),
    PeopleFile("CSV of Windows", "v.csv", _rows(",", "\r\n"), ROLES, VISITS),
    PeopleFile("CSV of an old Mac", "v.csv", _rows(",", "\r"), ROLES, VISITS),
    PeopleFile("CSV without a last line end", "v.csv", _rows(",").rstrip(), ROLES, VISITS),
    PeopleFile("CSV in capitals", "V.CSV", _rows(","), ROLES, VISITS),
    PeopleFile("ARX", "arx.csv", ARX, ARX_ROLES, VISITS),
    PeopleFile("ARX, between tabs", "arx.csv", ARX.replace(";", "\t"), ARX_ROLES, VISITS),
    PeopleFile("ARX, between bars", "arx.csv", ARX.replace(";", "|"), ARX_ROLES, VISITS),
    PeopleFile("anjana, blanks after commas", "adult.csv", _rows(",", space=" "), ROLES, VISITS),
    PeopleFile("anjana, items too", "adult.csv", _rows(";", items=", "), ROLES, VISITS, {"separator": ","}),
    PeopleFile(
        "anjana, items in quotes",
        "adult.csv",
        'id, codes\n1, "E10, I10"\n2, "J45"\n3, "E10, J45"\n',
        {"unit": "id", "items": "codes"},
        VISITS,
        {"separator": ","},
    ),
    PeopleFile("Amnesia, sets between bars", "amnesia.csv", _rows(",", items="|"), ROLES, VISITS, {"separator": "|"}),
    PeopleFile("Amnesia, semicolons", "amnesia.csv", _rows(";", items="|"), ROLES, VISITS, {"separator": "|"}),
    PeopleFile(
        "Amnesia, a set alone",
        "sets.csv",
        "codes\nE10,I10\nJ45\nE10,J45\n",
        {"items": "codes"},
        VISITS,
        {"separator": ","},
    ),
    PeopleFile(
        "sdcMicro, all in quotes",
        "sdc.csv",
        '"","codes"\n"1","E10 I10"\n"2","J45"\n"3","E10 J45"\n',
        {"drop": [""], "items": "codes"},
        VISITS,
    ),
    PeopleFile(
        "write.csv2 of R",
        "r.csv",
        '"id";"codes"\n1;"E10 I10"\n2;"J45"\n3;"E10 J45"\n',
        {"unit": "id", "items": "codes"},
        VISITS,
    ),
    PeopleFile("a tab-separated .csv", "v.csv", _rows("\t"), ROLES, VISITS),
    PeopleFile("a comma-separated .tsv", "v.tsv", _rows(","), ROLES, VISITS),
    PeopleFile("TSV", "v.tsv", _rows("\t"), ROLES, VISITS),
    PeopleFile(
        "a table of Unix",
        "v.txt",
        _rows("|"),
        ROLES,
        VISITS,
        {"input_format": "csv"},
        "lines suggest: --input-format csv",
    ),
    PeopleFile(
        "an export called .data",
        "v.data",
        _rows(","),
        ROLES,
        VISITS,
        {"input_format": "csv"},
        "the first lines suggest: --input-format",
    ),
    PeopleFile(
        "an export without an ending",
        "export",
        _rows(";"),
        ROLES,
        VISITS,
        {"input_format": "csv"},
        "the first lines suggest: --input-format",
    ),
    PeopleFile("between colons", "v.csv", _rows(":"), ROLES, VISITS, {"delimiter": ":"}),
    PeopleFile("between carets", "v.csv", _rows("^"), ROLES, VISITS, {"delimiter": "^"}),
    PeopleFile("between tildes", "v.csv", _rows("~"), ROLES, VISITS, {"delimiter": "~"}),
    PeopleFile("items between plus signs", "v.csv", _rows(",", items="+"), ROLES, [["E10+I10"], ["J45"], ["E10+J45"]]),
    PeopleFile("items between slashes, said", "v.csv", _rows(",", items="/"), ROLES, VISITS, {"separator": "/"}, "-"),
    PeopleFile("items between semicolons", "v.csv", _rows(",", items="; "), ROLES, VISITS, {"separator": ";"}),
]

SPREADSHEETS = [
    PeopleFile("German, CSV UTF-8", "de.csv", GERMAN.encode("utf-8-sig"), GERMAN_ROLES, VISITS),
    PeopleFile("German, CSV", "de.csv", GERMAN.encode("cp1252"), GERMAN_ROLES, VISITS, {"encoding": "latin-1"}),
    PeopleFile("German, Unicode text", "de.csv", GERMAN.replace(";", "\t").encode("utf-16"), GERMAN_ROLES, VISITS),
    PeopleFile(
        "German, Unicode text as .txt",
        "de.txt",
        GERMAN.replace(";", "\t").encode("utf-16"),
        GERMAN_ROLES,
        VISITS,
        {"input_format": "csv"},
        "the first lines suggest: --input-format",
    ),
    PeopleFile(
        "German, old DOS", "de.csv", GERMAN.encode("cp850"), GERMAN_ROLES, VISITS, {"encoding": "cp850"}, "--encoding"
    ),
    PeopleFile("German, with its delimiter told", "de.csv", ("sep=;\r\n" + GERMAN).encode(), GERMAN_ROLES, VISITS),
    PeopleFile(
        "German, with the euro sign", "de.csv", EURO.encode("cp1252"), EURO_ROLES, VISITS, {"encoding": "cp1252"}
    ),
    PeopleFile("French, CSV", "fr.csv", FRENCH.encode("latin-1"), FRENCH_ROLES, VISITS, {"encoding": "latin-1"}),
    PeopleFile(
        "French, of a Mac",
        "fr.csv",
        FRENCH.replace("\n", "\r").encode("mac-roman"),
        FRENCH_ROLES,
        VISITS,
        {"encoding": "mac-roman"},
        "--encoding",
    ),
    PeopleFile("French, big end first", "fr.csv", b"\xfe\xff" + FRENCH.encode("utf-16-be"), FRENCH_ROLES, VISITS),
    PeopleFile(
        "French, no mark", "fr.csv", FRENCH.encode("utf-16-le"), FRENCH_ROLES, VISITS, {"encoding": "utf-16-le"}
    ),
    PeopleFile(
        "Japanese, Shift-JIS",
        "jp.csv",
        JAPANESE.encode("shift-jis"),
        JAPANESE_ROLES,
        VISITS,
        {"encoding": "shift-jis"},
        "--encoding",
    ),
    PeopleFile("Japanese, CSV UTF-8", "jp.csv", JAPANESE.encode("utf-8-sig"), JAPANESE_ROLES, VISITS),
    PeopleFile("American, CSV", "us.csv", _rows(",", "\r\n").encode("utf-8-sig"), ROLES, VISITS),
    PeopleFile("a workbook", "us.xlsx", b"PK\x03\x04", ROLES, "save its sheet as CSV"),
    PeopleFile("a workbook called .csv", "us.csv", b"PK\x03\x04\x14", ROLES, "--input-format xlsx"),
]
