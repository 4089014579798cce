"""Anomaly mode: nodes remember where they were made, and a NaN in backward names the forward line behind it."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from engine.autograd.modes import state
from engine.autograd.node import Node
from engine.autograd.running import running

ENGINE = os.path.dirname(os.path.dirname(__file__))
"""Our own frames say nothing to the person; they are left out of the forward traceback."""


PLAYER = os.path.join(ENGINE, "trace")
"""What runs a snippet: whoever called it is no part of the program."""


class set_detect_anomaly:
    """``torch.autograd.set_detect_anomaly(mode)``: acts at once, restores as a context manager.

    Raises:
        TypeError: ``mode`` is no bool.
    """

    __module__ = "torch.autograd.anomaly_mode"

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        if not isinstance(mode, bool):
            raise TypeError(
                f"set_anomaly_enabled(): argument 'enabled' (position 1) must be bool, not {type(mode).__name__}"
            )
        self.previous = (state.anomaly, state.check_nan)
        state.anomaly, state.check_nan = mode, check_nan
        state.refresh()

    def __enter__(self) -> None:
        """Already in force."""

    def __exit__(self, *exception: object) -> None:
        state.anomaly, state.check_nan = self.previous
        state.refresh()


class detect_anomaly(set_detect_anomaly):
    """``torch.autograd.detect_anomaly()``: as a context manager, with PyTorch's warning about its cost."""

    __module__ = "torch.autograd.anomaly_mode"

    def __init__(self, check_nan: bool = True) -> None:
        warnings.warn(
            "Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled for debugging.",
            UserWarning,
            stacklevel=2,
        )
        self.wanted = check_nan
        self.previous = (state.anomaly, state.check_nan)

    def __enter__(self) -> None:
        state.anomaly, state.check_nan = True, self.wanted
        state.refresh()


def is_anomaly_enabled() -> bool:
    """Whether anomaly mode is on."""
    return state.anomaly


def is_anomaly_check_nan_enabled() -> bool:
    """Whether anomaly mode looks for NaN."""
    return state.check_nan


def remember(node: Node) -> None:
    """Keeps the call stack of the operation with its node, and the node whose derivative made it, if one did."""
    import traceback  # here, since importing the engine should be quick

    frames = list(traceback.extract_stack())
    played = [place for place, frame in enumerate(frames) if frame.filename.startswith(PLAYER)]
    frames = [f for f in frames[played[-1] if played else 0 :] if not f.filename.startswith(ENGINE)]
    node.metadata["traceback_"] = traceback.format_list(frames)
    if running and running[-1].node is not None:
        node.metadata["parent_"] = running[-1].node


def explain_failure(node: Node) -> None:
    """Warns with the forward call behind a node whose backward failed, and with those that induced it in turn."""
    made = node.metadata.get("traceback_")
    name = node.name()
    if made is None:
        warn(f"Error detected in {name}. No forward pass information available.")
        return
    warn(f"Error detected in {name}. Traceback of forward call that caused the error:\n{''.join(made)}")
    parent = node.metadata.get("parent_")
    while parent is not None:
        made = parent.metadata.get("traceback_")
        if made is None:
            words = f"Previous calculation was induced by {parent.name()}. No forward pass information available."
        else:
            words = (
                f"Previous calculation was induced by {parent.name()}. Traceback of forward call that induced the previous "
                f"calculation:\n{''.join(made)}"
            )
        warn(f"\n\n{words}")
        parent = parent.metadata.get("parent_")


def warn(message: str) -> None:
    """Warns; where warnings are errors, it goes to stderr instead, since the failure itself must not be replaced by it."""
    try:
        warnings.warn(message, UserWarning, stacklevel=4)
    except UserWarning:
        print(message, file=sys.stderr)


def check_finite(node: Node, messages: Sequence[Any]) -> None:
    """Raises RuntimeError: PyTorch's "returned nan values", for the first message with a NaN."""
    if not state.check_nan:
        return
    for index, message in enumerate(messages):
        if message is None:
            continue
        numbers = message._array if message._strided else message._array.values
        if np.isnan(np.asarray(numbers, dtype=np.complex128)).any():
            raise RuntimeError(f"Function '{node.name()}' returned nan values in its {index}th output.")
