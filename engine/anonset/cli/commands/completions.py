"""``anonset completions``: shell completion of commands and options."""

from typing import Annotated, Literal

from cyclopts import Parameter

from anonset.cli.app import make_app
from anonset.cli.exit_codes import DONE
from anonset.cli.output import show


def completions(shell: Annotated[Literal["bash", "zsh", "fish"], Parameter(help="Shell of the script.")], /) -> int:
    """Print a shell completion script.

    To enable completion in bash: source <(anonset completions bash)
    """
    show(make_app().generate_completion(prog_name="anonset", shell=shell))
    return DONE
