"""Queries, keys, values and a mask that do not fit in ``scaled_dot_product_attention``."""

from __future__ import annotations

import ast

from engine.trace.diagnosis.answer import Found
from engine.trace.diagnosis.errors.refused_calls.call import Call
from engine.trace.diagnosis.flow import called

SIZE = "shape_mismatch"


def scaled(call: Call) -> Found:
    """Which two of the four do not fit, and what the lengths in question are."""
    if not isinstance(call.node, ast.Call) or called(call.node.func) != "scaled_dot_product_attention":
        return None
    query, key, value = call.tensor("0", "query"), call.tensor("1", "key"), call.tensor("2", "value")
    if query is None or key is None or value is None or min(len(call.shape(t)) for t in (query, key, value)) < 2:
        return None
    q, k, v = call.shape(query), call.shape(key), call.shape(value)
    both = f"{call.told(query)}, and {call.told(key)}"
    if q[-1] != k[-1]:
        text = f"{both}. Each query is multiplied with each key, number by number: {q[-1]} against {k[-1]} numbers."
        return key, call.answer(
            SIZE, text, f"Make queries and keys with as many numbers in the last dimension, {q[-1]} or {k[-1]}."
        )
    if k[-2] != v[-2]:
        text = f"{call.told(key)}, and {call.told(value)}. Each key has its value: {k[-2]} keys against {v[-2]} values."
        return value, call.answer(SIZE, text, "Make keys and values with as many places in the last dimension but one.")
    mask = call.tensor("3", "attn_mask")
    scores = [*q[:-1], k[-2]]
    if mask is None or lies_on(call.shape(mask), scores):
        return None
    text = (
        f"{call.told(mask)}, and it is laid over the scores, which are of shape {scores}: a row for each query and a column for each "
        "key, compared from the right."
    )
    return mask, call.answer(SIZE, text, turned(call, mask, scores), f"Make the mask of shape {scores[-2:]}.")


def lies_on(mask: list[int], scores: list[int]) -> bool:
    """Whether a mask can be stretched to the scores."""
    return len(mask) <= len(scores) and all(
        length in (1, wanted) for length, wanted in zip(mask[::-1], scores[::-1], strict=False)
    )


def turned(call: Call, mask: int, scores: list[int]) -> str | None:
    """The call with its mask turned, or with the dimensions that it lacks."""
    shape = call.shape(mask)
    if shape == [scores[0], scores[-1]] and len(scores) > 2:
        return call.given_as(mask, "{}[:, " + "None, " * (len(scores) - 2) + ":]")
    if len(shape) == 2 and shape[::-1] == scores[-2:]:
        return call.given_as(mask, "{}.T")
    if shape == [scores[0], *scores[-2:]] and len(scores) == 4:
        return call.given_as(mask, "{}[:, None]")
    return None
