"""The page on a folder, used by clicks in a simulated browser."""

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from nicegui.testing import User
from nicegui.testing.user_simulation import user_simulation

from anonset.ui.screens.pages import add_pages
from anonset.ui.state.folder import Folder
from anonset.ui.state.page_state import PageState
from anonset.ui.state.steps import open_questions, settle

SECONDS = 60


def by_clicks(folder: Path, way: Callable[[User, PageState], Awaitable[None]]) -> None:
    """Open the page on a folder as a user."""

    failures = list[Exception]()

    async def simulate() -> None:
        async with user_simulation() as user:
            state = PageState(Folder(folder))
            add_pages(state)
            try:
                await way(user, state)
            except Exception as error:  # a simulation that ends by an error never ends its tasks
                failures.append(error)
            finally:
                await state.end()  # a command that still runs would block the end of the event loop

    modules = dict(sys.modules)
    try:
        asyncio.run(simulate())
    finally:
        sys.modules.update(modules)  # the simulation forgets the modules of pages
    if failures:
        raise failures[0]


async def until(condition: Callable[[], Any]) -> None:
    """Wait until a condition holds, once tasks that were started have begun."""
    async with asyncio.timeout(SECONDS):
        await asyncio.sleep(0)
        while not condition():
            await asyncio.sleep(0.02)


def texts(user: User) -> str:
    assert user.client is not None
    found = (getattr(element, "text", "") for element in user.client.elements.values())
    return "\n".join(text for text in found if isinstance(text, str))


def publish(user: User, state: PageState) -> None:
    """Answer the questions on the screen Publish, and click the button."""
    for text, question in open_questions(state).items():
        if not question.stops:
            settle(state, text)
    user.find(marker="publish").click()


def element(user: User, marker: str) -> Any:
    (found,) = user.find(marker=marker).elements
    return found


def reported(state: PageState) -> bool:
    """Return True if the report about the publication is written, or failed."""
    made = state.publications.new and state.publications.new.examined
    return made is not None and made.report is not None and made.report.code is not None
