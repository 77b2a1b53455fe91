"""Lease of a place, which is an address in an object store. The lease is an object that identifies the run that
publishes at the place. The run renews the lease regularly. Two runs may both write the object, because object stores
cannot create an object exclusively. The run that finds the token of another run in the object has lost the lease, and
does not publish. `anonset.data.lease` contains leases of directories.
"""

import json
import threading
from contextlib import suppress
from dataclasses import asdict, replace

from anonset.data.lease import LEASE, RUN, TOKENS, Tell, in_use, is_stale, new_lease, parsed_lease, renewed
from anonset.data.workers import THREADS
from anonset.errors import AnonsetError, InputError
from anonset.reading.place import Place

EVERY = 20.0
"""Seconds between renewals. Each renewal costs a few requests."""


def lease_in(place: Place) -> bytes | None:
    """Return the content of the lease of a place, or None if the place has no lease."""
    return None if place.size(LEASE) is None else place.read(LEASE)


def token_in(place: Place) -> str | None:
    """Return the token of the lease of a place, or None if the place has no lease. The token is empty if the lease is
    unreadable.
    """
    found = lease_in(place)
    lease = None if found is None else parsed_lease(found)
    return lease.token if lease is not None else None if found is None else ""


class PlaceLease:
    """Lease of a place, renewed by a thread until `release`.

    Raises
    ------
    InputError
        If another run uses the place.
    """

    def __init__(self, place: Place, tell: Tell | None = None) -> None:
        self.place, self.lease, self._ended = place, new_lease(), threading.Event()
        found = lease_in(place)
        if found is not None and not is_stale(place, found, lambda: lease_in(place), tell):
            raise in_use(place, found)
        self.before = "" if found is None else getattr(parsed_lease(found), "token", "")
        """Token of the lease that a killed run left at the place. Empty if there was no lease."""
        TOKENS.add(self.lease.token)
        try:
            place.put(LEASE, self.content, replace=True)
        except BaseException:
            TOKENS.discard(self.lease.token)
            raise
        self._renewing = threading.Thread(target=self._renew, name="anonset-place-lease", daemon=True)
        self._renewing.start()

    @property
    def token(self) -> str:
        """Token of the lease."""
        return self.lease.token

    @property
    def content(self) -> bytes:
        """Content of the object."""
        return json.dumps(asdict(self.lease)).encode()

    def is_lost(self) -> bool:
        """Return True if another run has taken over the place."""
        return token_in(self.place) != self.lease.token

    def require_held(self) -> None:
        """Raise an error if another run has taken over the place.

        Raises
        ------
        InputError
            The message names the place.
        """
        if self.is_lost():
            msg = f"another run took over {str(self.place)!r}; this run publishes nothing"
            raise InputError(msg, code="in-use")

    def release(self) -> None:
        """Stop renewing the lease. The object is not removed."""
        self._ended.set()
        self._renewing.join()
        TOKENS.discard(self.lease.token)

    def remove_place(self) -> None:
        """Stop renewing the lease, and delete all objects of the place, unless another run has taken it over.

        `RUN` and the lease are deleted last. If the process is killed meanwhile, the rest can be recognized.
        """
        self.release()
        if not self.is_lost():
            names = [name for name in self.place.names() if name not in (RUN, LEASE)]
            for _ in THREADS.map(self.place.delete, names):
                pass
            self.place.delete(RUN)
            self.place.delete(LEASE)
            self.place.delete_all()

    def mark_unused(self) -> None:
        """Stop renewing the lease, and mark the place as unused, unless another run has taken it over."""
        self.release()
        if not self.is_lost():
            self.lease = replace(self.lease, process=0, start=0, expires=0.0)
            self.place.put(LEASE, self.content, replace=True)

    def _renew(self) -> None:
        while not self._ended.wait(EVERY):
            with suppress(AnonsetError):  # `require_held` checks whether the lease is lost
                if not self.is_lost() and not self._ended.is_set():
                    self.lease = renewed(self.lease)
                    self.place.put(LEASE, self.content, replace=True)
