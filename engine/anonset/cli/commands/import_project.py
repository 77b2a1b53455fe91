"""``anonset import``: convert the project of another tool to a job file."""

from typing import Annotated

from cyclopts import Parameter

from anonset.cli.exit_codes import DONE
from anonset.cli.output import show, show_json
from anonset.jobs.import_project import import_project as written
from anonset.spelling import as_typed


def import_project(
    project: Annotated[str, Parameter(name="PROJECT", help="ARX project (.deid) or Amnesia template.")],
    data: Annotated[str | None, Parameter(name="INPUT", help="Data set. Default: the data in the project.")] = None,
    /,
    *,
    out: Annotated[
        str, Parameter(alias="-o", help="New directory for the job. Keep it private: it may contain the data.")
    ],
    json: Annotated[bool, Parameter(help="Print the result as JSON.")] = False,
) -> int:
    """Convert an ARX project or an Amnesia template to a job file.

    The directory of the job contains the job file with column roles and privacy model, the hierarchies, and the data.
    Hierarchies of a template are read from the directory of the template. Settings that cannot be converted are
    printed, and listed at the top of the job file. If a privacy criterion is not supported, the job file has no model.
    Add a model before you run the job.
    """
    job = written(project, out, data)
    if json:
        show_json({"job": str(job.job), "left": list(job.left)})
        return DONE
    show(*(f"not converted: {setting}" for setting in job.left))
    look, run = (as_typed(command, str(job.job)) for command in ("inspect", "anonymize"))
    answer = 'replace unit = "?" by the line that states who is a person'
    show(f"Next: review {job.job} and {answer}, then run {look}, or {run}")
    return DONE
