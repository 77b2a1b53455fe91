"""What is shown where no terminal is, is what the library for terminals would write there."""

import io
import subprocess
import sys

from hypothesis import example, given
from hypothesis import strategies as st
from rich.console import Console

from anonset.spelling import facts_table

WIDTH = 160
TEXTS = st.text(st.characters(min_codepoint=32, max_codepoint=0xFF), max_size=170)


@example({"\x7f": ""})
@given(st.dictionaries(TEXTS.filter(str.isascii), TEXTS, min_size=1, max_size=4))
def test_facts_in_lines_are_those_of_the_table(rows: dict[str, str]) -> None:
    facts, file = facts_table(rows), io.StringIO()
    Console(file=file, width=WIDTH, markup=False, highlight=False, emoji=False).print(facts)
    lines = facts.in_lines(WIDTH)
    assert lines is None or lines == file.getvalue()


def test_only_what_fits_and_is_plain_is_written_in_lines() -> None:
    assert facts_table({"a": "b" * 155}).in_lines(WIDTH) == f"a  {'b' * 155}  \n"
    assert facts_table({"a": "b" * 156}).in_lines(WIDTH) is None
    assert facts_table({"a": "β"}).in_lines(WIDTH) is None


def test_colours_are_still_forced() -> None:
    imports = "from anonset.cli.output import show\nfrom anonset.spelling import facts_table\n"
    show = f"{imports}show(facts_table({{'a': 'b'}}))"
    plain, forced = (
        subprocess.run([sys.executable, "-c", show], env=more, capture_output=True, text=True, check=True).stdout
        for more in ({}, {"FORCE_COLOR": "1"})
    )
    assert plain == "a  b  \n"
    assert "\x1b[1m" in forced
