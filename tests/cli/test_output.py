"""Tables are plain text without a terminal, unless colours are forced."""

import subprocess
import sys


def test_colours_are_still_forced() -> None:
    imports = "from anonset.cli.output import show\nfrom anonset.report.sections import facts_table\n"
    show = f"{imports}show(facts_table({{'a': 'b'}}))"
    plain, forced = (
        subprocess.run([sys.executable, "-c", show], env=more, capture_output=True, text=True, check=True).stdout
        for more in ({}, {"FORCE_COLOR": "1"})
    )
    assert plain == "a  b  \n"
    assert "\x1b[1m" in forced
