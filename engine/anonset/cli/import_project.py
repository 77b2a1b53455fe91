"""``anonset import``: a job from what another tool was set up to do."""

from typing import Annotated

from cyclopts import Parameter

from anonset.cli.exit_codes import DONE
from anonset.cli.output import show, show_json
from anonset.jobs.import_project import import_project as written
from anonset.spelling import as_typed


def import_project(
    project: Annotated[str, Parameter(name="PROJECT", help="Project of ARX (.deid), or template of Amnesia.")],
    data: Annotated[str | None, Parameter(name="INPUT", help="The data; default: those in the project.")] = None,
    /,
    *,
    out: Annotated[str, Parameter(alias="-o", help="New directory of the job: private, as it may hold the data.")],
    json: Annotated[bool, Parameter(help="Print as JSON.")] = False,
) -> int:
    """Write a job from what another tool was set up to do: roles, hierarchies, what must hold, data.

    Hierarchies of a template are looked for beside it. What is not taken is named, here and at the head of the job. If
    any of what must hold is not understood, the job has no model, and does not run until you choose one.
    """
    job = written(project, out, data)
    if json:
        show_json({"job": str(job.job), "left": list(job.left)})
        return DONE
    show(*(f"not taken: {one}" for one in job.left))
    look, run = (as_typed(command, str(job.job)) for command in ("inspect", "anonymize"))
    show(f"Next: look through {job.job}, then {look}, or {run}")
    return DONE
