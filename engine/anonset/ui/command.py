"""``anonset ui``: a local web page for data stewards."""

from pathlib import Path
from typing import Annotated

from anonset.cli.options import Option
from anonset.cli.output import Output, say
from anonset.errors import InputError
from anonset.interruption import mark_job_done
from anonset.spelling import spelled_by


def ui(
    source: Annotated[
        str,
        Option("Data set, job file (.toml), or folder. Default: the current folder.", "FILE|FOLDER|JOB.TOML"),
    ] = ".",
    /,
    *,
    port: Annotated[int, Option("Port of the page. Default: any free port.")] = 0,
    browser: Annotated[bool, Option("Open the page in a browser.", off=True)] = True,
    address: Annotated[
        str,
        Option(
            "HTTPS address of a proxy in front of the page that logs users in. The service manager must pass a "
            "socket to which the proxy connects."
        ),
    ] = "",
) -> Output:
    """Open a web page to inspect and publish data.

    The page is for people who do not use a terminal. Only browsers on this machine can open it, and only with the
    printed address. The page reads and writes files of one folder: FOLDER, or the folder of FILE or JOB.TOML. The page
    ends when the terminal is closed. With --address, only a proxy that logs users in can open the page.
    """
    from anonset.ui.server import serve
    from anonset.ui.state.folder import Folder  # the extra `ui` installs these packages
    from anonset.ui.state.page_state import PageState
    from anonset.ui.state.setting_words import in_words

    path = Path(source).resolve()
    if not path.exists():
        raise InputError(f"{source}: no such file or directory")
    mark_job_done()  # the server handles signals that end the process
    folder, first = (path, None) if path.is_dir() else (path.parent, path.name)
    with spelled_by(in_words):
        serve(
            PageState(Folder(folder), is_local=not address), first, port=port, browser=browser, address=address, say=say
        )
    return Output(dict)
