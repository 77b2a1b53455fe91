"""``anonset completions``: shell completion of commands and options."""

from typing import Annotated, Literal

from anonset.cli.help import make_app
from anonset.cli.options import Option
from anonset.cli.output import Output


def completions(shell: Annotated[Literal["bash", "zsh", "fish"], Option("Shell of the script.")], /) -> Output:
    """Print a shell completion script.

    To enable completion in bash: source <(anonset completions bash)
    """
    script = make_app().generate_completion(prog_name="anonset", shell=shell)
    return Output(lambda: {"shell": shell, "script": script}, lambda: [script])
