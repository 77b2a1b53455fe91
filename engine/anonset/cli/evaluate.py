"""``anonset evaluate``: what a publication lost."""

from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from anonset.cli.flags import flags_of, given
from anonset.cli.main import DONE
from anonset.cli.output import show, show_json
from anonset.runner.settings import RoleSettings, make_roles

Flags: Any = flags_of(RoleSettings)


def evaluate(
    original: Annotated[str, Parameter(help="The data set that was anonymized.")],
    out: Annotated[str, Parameter(help="Directory made by anonset anonymize.")],
    /,
    *,
    private: Annotated[str | None, Parameter(help="Its private directory; default: OUT.private.")] = None,
    flags: Annotated[Flags, Parameter(name="*")] = Flags(),  # noqa: B008
    json: Annotated[bool, Parameter(help="The losses as JSON.")] = False,
) -> int:
    """Measure what a publication lost: NCP of the items.

    The mapping is read from the private directory, or where there is none from the codebook. The columns of the
    original need the same roles as they had.
    """
    from anonset.io.read import read
    from anonset.report.account import evaluation_account
    from anonset.runner.documents import plain
    from anonset.runner.evaluate import evaluate as losses

    table = read(original, **make_roles(given(flags)).read_options())
    found = losses(table, Path(out), None if private is None else Path(private))
    if json:
        show_json(plain(found))
    else:
        show(evaluation_account(found))
    return DONE
