"""The layers of confinement, in the order in which they are put on, and what level they add up to.

Each layer alone stops most attacks; together each escape has to pass at least two. A layer that the system refuses
is reported with the system's words, never passed over: `level` says what is left, and the host decides whether that
is enough.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from typing import Literal

import msgspec

from engine.sandbox.confinement import kernel, landlock, namespaces, policy, privileges, rlimits
from engine.sandbox.confinement.bpf import assemble
from engine.sandbox.confinement.seccomp import Filter
from engine.sandbox.confinement.syscalls import this_machine
from engine.sandbox.limits import Limits

Level = Literal["full", "container", "reduced", "none"]
LEVELS: tuple[Level, ...] = ("none", "reduced", "container", "full")
"""From weakest to strongest."""

ON = "on"

LAYERS = ("nobody", "namespaces", "empty_root", "capabilities", "no_new_privileges", "landlock", "seccomp", "rlimits")
"""Names of the layers, in order. ``omit`` takes them one by one away, for tests that show what each one stops."""


class Report(msgspec.Struct, forbid_unknown_fields=True):
    """What the zygote says once it is ready."""

    layers: dict[str, str] = {}
    """Each layer: ``on``, or why it is not."""
    landlock: int = 0
    """The kernel's Landlock ABI."""
    user: int = 0
    """The user id that runs have, as seen from outside."""
    threads: int = 1

    @property
    def level(self) -> Level:
        """What stands, in one word.

        ``full``: everything. ``container``: all but namespaces, as under Docker's default profile. ``reduced``: no
        Landlock either; system calls and rights alone. ``none``: not a sandbox.
        """
        standing = {name for name, state in self.layers.items() if state == ON}
        if not {"seccomp", "no_new_privileges", "rlimits"} <= standing or self.user == 0:
            return "none"
        if "landlock" not in standing:
            return "reduced"
        return "full" if {"namespaces", "empty_root"} <= standing else "container"


class Confinement:
    """Puts the layers on: once on the zygote, and again, tighter, on every child.

    Raises:
        ValueError: ``omit`` names no layer.
    """

    def __init__(self, limits: Limits, omit: Collection[str] = ()) -> None:
        if unknown := set(omit) - set(LAYERS):
            raise ValueError(f"no such layers: {sorted(unknown)}; there are {LAYERS}")
        self.limits = limits
        self.omit = frozenset(omit)
        self.report = Report(threads=kernel.process_status("Threads"))
        self.base = rlimits.Base.measure()
        machine = this_machine()
        self._filters = None
        if machine is not None:
            self._filters = [Filter(assemble(build(machine))) for build in (policy.zygote_filter, policy.child_filter)]

    def confine_zygote(self) -> None:
        """All layers but the limits. Forks into the new pid namespace; the process that was called never returns."""
        self._layer("nobody", privileges.become_nobody)
        self.report.user = os.geteuid()
        if self._layer("namespaces", namespaces.enter):
            _continue_in_first_child(self._confine_keeper)
            self._layer("empty_root", namespaces.empty_root)
        else:
            self.report.layers["empty_root"] = "needs namespaces"
        self._layer("capabilities", privileges.drop_capabilities)
        self._layer("no_new_privileges", privileges.forbid_new_privileges)
        privileges.forbid_inspection()
        self.report.landlock = landlock.version()
        self._layer("landlock", lambda: landlock.deny_all(self.report.landlock))
        self._layer("seccomp", lambda: self._install(0))
        self.report.layers["rlimits"] = ON if "rlimits" not in self.omit else "omitted"

    def confine_child(self, zygote: int) -> None:
        """What every run gets on top. ``zygote`` is the parent's pid; a child without its parent ends at once.

        A Landlock domain of its own keeps a run from signalling its zygote; a failure here ends the child, and with
        it the run: nothing ever runs with less than the zygote reported.
        """
        kernel.prctl(kernel.PR_SET_PDEATHSIG, 9)
        if os.getppid() != zygote:
            os._exit(0)
        standing = self.report.layers
        if standing["landlock"] == ON:
            landlock.deny_all(self.report.landlock)
        if standing["rlimits"] == ON:
            rlimits.apply(self.limits, self.base)
        if standing["seccomp"] == ON:
            self._install(1)

    def _install(self, which: int) -> None:
        if self._filters is None:
            raise OSError(f"no system call numbers for this machine ({os.uname().machine})")
        self._filters[which].install()

    def _layer(self, name: str, put_on: Callable[[], None]) -> bool:
        """Puts one layer on and notes how that went."""
        if name in self.omit:
            self.report.layers[name] = "omitted"
            return False
        try:
            put_on()
        except (OSError, ValueError) as error:
            self.report.layers[name] = str(error) or type(error).__name__
            return False
        self.report.layers[name] = ON
        return True

    def _confine_keeper(self) -> None:
        """The process outside the pid namespace only waits; it keeps no rights either."""
        if "capabilities" not in self.omit:
            privileges.drop_capabilities()
        if "no_new_privileges" not in self.omit:
            privileges.forbid_new_privileges()
            if "seccomp" not in self.omit and self._filters is not None:
                self._filters[0].install()


def _continue_in_first_child(confine_keeper: Callable[[], None]) -> None:
    """Forks. The child, first process of the new pid namespace, returns; the parent waits for its end and ends too.

    When the parent is killed, so is the child (and the kernel then ends everything in its namespace).
    """
    child = os.fork()
    if child == 0:
        kernel.prctl(kernel.PR_SET_PDEATHSIG, 9)
        return
    status = 1
    try:
        os.closerange(3, 1 << 10)
        confine_keeper()
        _, status = os.waitpid(child, 0)
    finally:
        os._exit(os.waitstatus_to_exitcode(status) & 0xFF)
