"""Laws of operators that make one number of many, that run along a dimension, and that put in order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special, stats

from tests.engine.trace.explanations.calls import Call
from tests.engine.trace.explanations.laws import LAWS, axis, both, gives, near, sends, where
from tests.engine.trace.explanations.moves import at_places, leaf


def is_flat_if_constant(call: Call) -> bool:
    """Of equal elements no gradient comes; of others, each one's grows with its distance from the mean."""
    flat = call.again(**{leaf(call): np.full(np.shape(call.x), 2.0)})
    return not np.any(flat.d)


def dims(call: Call) -> Any:
    return axis(call) if "dim" in call.arguments and np.ndim(call.x) else None


def over(function: Any) -> Any:
    """The result is a function of numpy's along `dim`."""
    return lambda call: near(
        np.ravel(call.result),
        np.ravel(function(call.x, axis=dims(call)) if np.ndim(call.x) else function(np.atleast_1d(call.x))),
    )


def spread(call: Call, array: Any) -> Any:
    """One number for each group that was reduced, laid out over the group's elements."""
    if not np.ndim(call.x):
        return np.reshape(array, ())
    reduced = np.sum(call.x, axis=dims(call), keepdims=True)
    return np.broadcast_to(np.reshape(array, reduced.shape), np.shape(call.x))


def count(call: Call) -> int:
    """How many elements a group has."""
    return int(np.size(call.x) // max(1, np.size(call.result)))


def shared(call: Call, chosen: Any, arrived: Any) -> Any:
    """The gradient of a group, shared equally among its elements that are chosen."""
    chosen = np.asarray(chosen, float)
    total = spread(call, np.sum(chosen, axis=dims(call)) if np.ndim(call.x) else chosen)
    return spread(call, arrived) * chosen / total


def equals(call: Call) -> Any:
    return shared(call, call.x == spread(call, call.result), call.g)


def middle(array: Any, axis: Any = None) -> Any:
    """The middle element, the lower one of two."""
    ordered = np.sort(array, axis=axis)
    return np.take(ordered, (ordered.shape[-1 if axis is None else axis] - 1) // 2, axis=-1 if axis is None else axis)


def middle_number(array: Any, axis: Any = None) -> Any:
    """The same of what is a number."""
    if axis is None:
        numbers = array[~np.isnan(array)]
        return middle(np.ravel(numbers)) if numbers.size else np.nan
    return np.apply_along_axis(middle_number, axis, array)


def picked(call: Call) -> bool:
    """The second result tells where the first stood."""
    if not np.ndim(call.x):
        return near(call.result, call.x)
    dim = call.arguments.get("dim", -1)
    places, result = call.results[1], call.results[0]
    if places.ndim < np.ndim(call.x):
        places, result = np.expand_dims(places, dim), np.expand_dims(result, dim)
    return near(np.take_along_axis(call.x, places, dim), result)


def ordered(call: Call) -> Any:
    if not np.ndim(call.x):
        return call.x
    order = np.sort(call.x, axis=call["dim"])
    return np.flip(order, call["dim"]) if call["descending"] else order


def largest(call: Call) -> Any:
    if not np.ndim(call.x):
        return call.x
    order = np.sort(call.x, axis=call["dim"])
    order = np.flip(order, call["dim"]) if call["largest"] else order
    return np.take(order, range(call["k"]), axis=call["dim"])


def kth(call: Call) -> Any:
    return np.take(np.sort(call.x, axis=call["dim"]), call["k"] - 1, axis=call["dim"]) if np.ndim(call.x) else call.x


def later(call: Call, values: Any) -> Any:
    """The sum of each place and all later ones."""
    if not np.ndim(values):
        return values
    return np.flip(np.cumsum(np.flip(values, call["dim"]), call["dim"]), call["dim"])


def running_log_sum(call: Call) -> Any:
    return np.logaddexp.accumulate(call.x, axis=call["dim"]) if np.ndim(call.x) else call.x


def without(call: Call) -> Any:
    """For each element, the product of the others of its group."""
    if not np.ndim(call.x):
        return np.ones(())
    flat = np.reshape(call.x, (1, -1)) if dims(call) is None else np.moveaxis(call.x, dims(call), -1)
    product = np.empty(flat.shape)
    for place in range(flat.shape[-1]):
        product[..., place] = np.prod(np.delete(flat, place, -1), -1)
    return product.reshape(np.shape(call.x)) if dims(call) is None else np.moveaxis(product, -1, dims(call))


def freedom(call: Call) -> Any:
    """Elements of a group, less the correction."""
    return count(call) - (1 if call["correction"] is None else call["correction"])


def variance(call: Call) -> Any:
    centred = call.x - spread(call, np.mean(call.x, axis=dims(call)))
    return np.sum(centred**2, axis=dims(call)) / freedom(call)


def centred(call: Call) -> Any:
    return call.x - spread(call, np.mean(call.x, axis=dims(call)))


def of_variance(call: Call, arrived: Any) -> Any:
    return spread(call, arrived) * 2 * centred(call) / freedom(call)


def of_deviation(call: Call, arrived: Any) -> Any:
    return spread(call, arrived) * centred(call) / (freedom(call) * spread(call, np.sqrt(variance(call))))


def with_mean(call: Call) -> Any:
    part = of_deviation if call.operator.name.startswith("std") else of_variance
    return part(call, call.incoming[0]) + spread(call, call.incoming[1]) / count(call)


def stretches(call: Call) -> Any:
    """`segment_reduce`, element by element."""
    data = np.array(call["data"], float)
    axis = call["axis"] % data.ndim
    told = call["lengths"] if call["offsets"] is None else np.diff(call["offsets"])
    moved = np.moveaxis(data, axis, 0)
    result = np.empty((told.shape[-1], *moved.shape[1:]))
    for place in np.ndindex(moved.shape[1:]):
        begin = 0 if call["offsets"] is None else call["offsets"][(*place[:axis], 0)]
        for number, length in enumerate(told[place[:axis]]):
            result[number, *place] = one_stretch(call, [moved[at, *place] for at in range(begin, begin + length)])
            begin += length
    return np.moveaxis(result, 0, axis)


def one_stretch(call: Call, numbers: list[float]) -> float:
    """What `segment_reduce` makes of one stretch."""
    first = [] if call["initial"] is None else [float(call["initial"])]
    if call["reduce"] == "mean":
        return float(sum(first + numbers) / len(numbers)) if numbers else float(sum(first or [np.nan]))
    reductions: dict[str, Callable[[list[float]], Any]] = {
        "sum": sum,
        "prod": np.prod,
        "max": max,
        "amax": max,
        "min": min,
        "amin": min,
    }
    return float(reductions[call["reduce"]](first + numbers or [0.0]))


def reduced_into(call: Call) -> Any:
    """`scatter_reduce` and `index_reduce`, element by element."""
    whole = np.array(call["self"], float)
    source = np.asarray(call["src"] if "src" in call.arguments else call["source"], float)
    index = call["index"]
    groups: dict[tuple[int, ...], list[float]] = {}

    def put(at: Any, value: Any) -> None:
        key = tuple(map(int, at))
        groups.setdefault(key, [float(whole[key])] if call["include_self"] else []).append(float(value))

    dim = call["dim"] % max(1, whole.ndim)
    if "src" in call.arguments:
        for at in np.ndindex(index.shape):
            put((*at[:dim], index[at], *at[dim + 1 :]), source[at])
    else:
        for place, target in enumerate(np.atleast_1d(index)):
            for rest in np.ndindex(whole.shape[:dim] + whole.shape[dim + 1 :]):
                put((*rest[:dim], target, *rest[dim:]), source[(*rest[:dim], place, *rest[dim:])])
    made: dict[str, Any] = {"sum": np.sum, "prod": np.prod, "mean": np.mean, "amax": np.max, "amin": np.min}
    for key, values in groups.items():
        whole[key] = made[call["reduce"]](values)
    return whole


def histogram(call: Call) -> tuple[Any, Any]:
    weight = call["weight"]
    weights = None if weight is None else np.ravel(weight)
    return np.histogram(np.ravel(call.x), call["bins"], call["range"], density=call["density"], weights=weights)


LAWS.update(
    {
        "Adds up": gives(lambda c: np.sum(c.x)),
        "every element that went in gets the same gradient back": sends(lambda c: spread(c, c.g)),
        "Adds up along dimensions": over(np.sum),
        "every element that went in gets its sum's gradient back": sends(lambda c: spread(c, c.g)),
        "The average": gives(lambda c: np.mean(c.x)),
        "every element gets an equal part of the gradient": sends(lambda c: spread(c, c.g) / count(c)),
        "The average along dimensions": over(np.mean),
        "every element gets an equal part of its mean's gradient": sends(lambda c: spread(c, c.g) / count(c)),
        "Adds up what is a number": over(np.nansum),
        "a number gets its sum's gradient, nan gets zero": sends(lambda c: np.where(np.isnan(c.x), 0, spread(c, c.g))),
        "Multiplies all up": gives(lambda c: np.prod(c.x)),
        "each one's slope is the product of all the others": sends(lambda c: spread(c, c.g) * without(c)),
        "Multiplies up along a dimension": over(np.prod),
        "each one's slope is the product of the others": sends(lambda c: spread(c, c.g) * without(c)),
        "A smooth maximum": over(special.logsumexp),
        "the gradient is shared out like softmax": sends(
            lambda c: spread(c, c.g) * (special.softmax(c.x, axis=dims(c)) if np.ndim(c.x) else 1)
        ),
        "Adds up a matrix's diagonal": gives(lambda c: np.trace(c.x)),
        "the diagonal gets the gradient, the rest gets zero": sends(lambda c: c.g * np.eye(*np.shape(c.x))),
        "The running sum": gives(lambda c: np.cumsum(c.x, c["dim"]) if np.ndim(c.x) else c.x),
        "each element gets the gradients of its own place and all later ones": sends(lambda c: later(c, c.g)),
        "The running product": gives(lambda c: np.cumprod(c.x, c["dim"]) if np.ndim(c.x) else c.x),
        "where nothing is zero, each element's slope is every later product over itself": where(
            lambda c: np.all(c.x),
            sends(lambda c: later(c, c.g * np.cumprod(c.x, c["dim"])) / c.x if np.ndim(c.x) else c.g),
        ),
        "The running log-sum-exp": gives(running_log_sum),
        "each place shares its gradient among the elements so far, like softmax": sends(
            lambda c: np.exp(c.x) * later(c, c.g * np.exp(-running_log_sum(c)))
        ),
        "The largest so far, and where it stood": both(
            gives(lambda c: np.maximum.accumulate(c.x, axis=c["dim"]) if np.ndim(c.x) else c.x), picked
        ),
        "The smallest so far, and where it stood": both(
            gives(lambda c: np.minimum.accumulate(c.x, axis=c["dim"]) if np.ndim(c.x) else c.x), picked
        ),
        "the gradient goes back to those places": sends(at_places),
        "The largest element": gives(lambda c: np.max(c.x)),
        "The smallest element": gives(lambda c: np.min(c.x)),
        "it gets the whole gradient, and equals share it": sends(equals),
        "The largest along a dimension and where it stands": both(over(np.max), picked),
        "The smallest along a dimension and where it stands": both(over(np.min), picked),
        "the gradient goes to that one, of equals to the first": both(
            sends(at_places),
            lambda c: near(
                np.ravel(c.results[1]),
                np.ravel(
                    (np.argmax if c.operator.name == "max" else np.argmin)(c.x, axis=c["dim"]) if np.ndim(c.x) else 0
                ),
            ),
        ),
        "The largest along dimensions": over(np.max),
        "The smallest along dimensions": over(np.min),
        "The smallest and the largest at once": lambda c: (
            near(np.ravel(c.results[0]), np.ravel(np.min(c.x, axis=dims(c))))
            and near(np.ravel(c.results[1]), np.ravel(np.max(c.x, axis=dims(c))))
        ),
        "each gets its own gradient, and equals share it": sends(
            lambda c: sum(
                shared(c, c.x == spread(c, result), arrived)
                for result, arrived in zip(c.results, c.incoming, strict=True)
            )
        ),
        "Puts values in order and tells where each stood": both(gives(ordered), picked),
        "Puts values in order, equals in the order they came": both(
            gives(ordered),
            lambda c: (
                near(c.results[1], np.argsort(-c.x if c["descending"] else c.x, axis=c["dim"], kind="stable"))
                if np.ndim(c.x)
                else True
            ),
        ),
        "The k largest (or smallest) and where they stand": both(gives(largest), picked),
        "The k-th smallest and where it stands": lambda c: near(np.ravel(c.result), np.ravel(kth(c))) and picked(c),
        "The middle element, of an even number the lower one": gives(lambda c: middle(np.ravel(c.x))),
        "The middle of what is a number": gives(lambda c: np.asarray(middle_number(np.ravel(c.x)))),
        "The middle element along a dimension and where it stands": lambda c: (
            near(np.ravel(c.result), np.ravel(middle(c.x, c["dim"]) if np.ndim(c.x) else c.x)) and picked(c)
        ),
        "The middle of what is a number, along a dimension, and where it stands": lambda c: near(
            np.ravel(c.result), np.ravel(middle_number(c.x, c["dim"]) if np.ndim(c.x) else c.x)
        ),
        "The most frequent value along a dimension and where it stands": lambda c: (
            near(np.ravel(c.result), np.ravel(stats.mode(c.x, axis=c["dim"])[0] if np.ndim(c.x) else c.x)) and picked(c)
        ),
        "The different values in order": lambda c: near(c.result, np.unique(c.x)),
        "The different slices in order": lambda c: near(c.result, np.unique(c.x, axis=c["dim"])),
        "One of each run of equals": lambda c: near(
            c.result, np.ravel(c.x)[np.concatenate([[True], np.diff(np.ravel(c.x)) != 0])]
        ),
        "One of each run of equal slices": lambda c: near(
            c.result,
            np.compress(
                np.concatenate(
                    [
                        [True],
                        np.any(np.diff(np.moveaxis(c.x, c["dim"], 0), axis=0) != 0, axis=tuple(range(1, np.ndim(c.x)))),
                    ]
                ),
                c.x,
                axis=c["dim"],
            ),
        ),
        "How often each whole number occurs, or the sum of its weights": gives(
            lambda c: np.bincount(c["self"], c["weights"], c["minlength"])
        ),
        "How many values (or what weight) fall in each bin, and the bins' edges": lambda c: all(
            near(result, expected) for result, expected in zip(c.results, histogram(c), strict=True)
        ),
        "How far the elements are from their mean, squared and averaged": lambda c: near(
            np.ravel(c.result), np.ravel(variance(c))
        ),
        "each one's slope grows with its distance from the mean": sends(lambda c: of_variance(c, c.g)),
        "How far the elements are from their mean, typically": lambda c: near(
            np.ravel(c.result), np.ravel(np.sqrt(variance(c)))
        ),
        "where nothing varies the gradient is set to zero": is_flat_if_constant,
        "Variance and mean at once": lambda c: (
            near(np.ravel(c.results[0]), np.ravel(variance(c)))
            and near(np.ravel(c.results[1]), np.ravel(np.mean(c.x, axis=dims(c))))
        ),
        "Standard deviation and mean at once": lambda c: (
            near(np.ravel(c.results[0]), np.ravel(np.sqrt(variance(c))))
            and near(np.ravel(c.results[1]), np.ravel(np.mean(c.x, axis=dims(c))))
        ),
        "each element gets both their gradients": sends(with_mean),
        "Sums, multiplies, averages or compares a source's elements into indexed places along a dimension": gives(
            reduced_into
        ),
        "Adds up, multiplies, averages or compares the elements of neighbouring stretches of a dimension": gives(
            stretches
        ),
        "Multiplies, averages or compares slices of a source into the slices that an index names": gives(reduced_into),
    }
)
