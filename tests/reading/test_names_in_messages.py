"""Messages about a raw file never contain a value that resembles a name, an id or a date of birth."""

from pathlib import Path

import pytest
from tests.facts import names

from anonset.cli.main import main

SECRETS = ("Bergmann", "Annelise", "bergmann@example.org", "BERGMANN", "24.12.1950", "10023456")
HEAD = "id;name;age;codes\n"
ROWS = "".join(f"{n};Bergmann;{20 + n};E10 I10\n" for n in range(9))
KM = "--model km --k 2 --m 2 -o out"
ITEMS = f"--items codes --drop name,age --unit id {KM}"
QUASI = "--relational age,codes --drop name --unit id --model k --k 2 -o out"
NOBODY = "Bergmann;24.12.1950;E10\n" * 20


@pytest.mark.parametrize(
    ("text", "command", "said"),
    [
        (HEAD + ROWS + "9;Annelise Bergmann;3\n" + ROWS, "inspect", "'line 11' 4"),
        (HEAD + ROWS + "9;Annelise Bergmann;3;E10;10023456\n" + ROWS, f"anonymize {ITEMS}", "'line 11'"),
        (HEAD + ROWS + '9;"Annelise Bergmann;3;E10\n' + ROWS, "inspect", "'line 11' quoted"),
        (NOBODY, "inspect", "--no-header"),
        (NOBODY, f"anonymize --items codes {KM}", "--no-header"),
        ("Bergmann;24.12.1950;Bergmann\n" + NOBODY, "inspect", "--no-header"),
        (HEAD.replace("name", "x") + ROWS + "9;x;3;Bergmann 10023456 bergmann@example.org BERGMANN\n",
         f"anonymize {ITEMS.replace('name', 'x')} --hierarchy codes=tree.csv", "hidden name"),
        (HEAD + ROWS + "9;x;3;Bergmann 10023456 bergmann@example.org BERGMANN\n",
         f"anonymize {ITEMS} --hierarchy codes=tree.csv", "codes name 3 items"),
        (HEAD + ROWS + "9;x;Bergmann;E10\n", f"anonymize {QUASI} --numeric age", "age 'row 10' number"),
        (HEAD + ROWS.replace("E10 I10", "2024-01-31") + "9;x;3;24.12.1950\n",
         f"anonymize {QUASI} --hierarchy codes=date:year", "hidden id '--unknown suppress'"),
        (HEAD + ROWS.replace("E10 I10", "7") + "9;x;3;Annelise Bergmann\n",
         f"anonymize {QUASI} --hierarchy codes=bins:0,50", "hidden name '--unknown suppress'"),
        (HEAD + "Bergmann;x;3;E10\nBergmann;x;4;E10\n", f"anonymize {QUASI}", "rows 1 2 id age"),
        (HEAD.replace("name", "x") + "1;Bergmann, Annelise;3;E10\n" * 3,
         "anonymize --items codes --relational x,age --unit id --model kkm --algorithm rfirst --k 2 "
         "--m 2 -o out", "hidden name"),
        ("codes;n\n" + "[Bergmann,Annelise];1\n" * 3, f"anonymize --items codes --drop n {KM}", "codes list"),
        ("codes;n\nx;1\nNULL;1\n", f"anonymize --items codes --drop n {KM}", "'row 2' NULL"),
    ],
)  # fmt: skip
def test_a_message_shows_no_name(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    text: str,
    command: str,
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("raw.csv").write_text(text)
    Path("tree.csv").write_text("E10,E,any\nI10,I,any\n")
    name, *options = command.split()
    main([name, "raw.csv", *options])
    printed = "".join(capsys.readouterr())
    assert names(printed, said)
    assert [secret for secret in SECRETS if secret in printed] == []
