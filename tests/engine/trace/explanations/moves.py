"""Laws of operators that move, pick, cut and join elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.engine.trace.explanations.calls import Call
from tests.engine.trace.explanations.laws import (
    LAWS,
    both,
    gives,
    near,
    sends,
    sends_each,
)

FAR = 1_000_000


def leaf(call: Call) -> str:
    """The name of the first argument that gets a gradient."""
    return next(iter(call.sent))


def sources(call: Call, result: int = 0) -> Any:
    """Where each element of the result stood in the first argument, by its number; −1 for what came from elsewhere.

    The numbers are carried through the operator itself: it must move them and nothing else.
    """
    numbered = np.empty_like(call.x, dtype=float)  # in the same layout
    numbered[...] = np.arange(FAR, FAR + np.size(call.x)).reshape(np.shape(call.x))
    moved = np.real(call.again(**{leaf(call): numbered}).results[result])
    return np.where(moved >= FAR, moved - FAR, -1).round().astype(int)


def only_moves(call: Call) -> bool:
    """What came from the input has its numbers, and the gradients went back to where it stood, added up."""
    expected = np.zeros(np.size(call.x), np.result_type(call.g, float))
    for result, arrived in zip(call.results, call.incoming, strict=False):
        places = sources(call, call.results.index(result) if len(call.results) == 1 else index_of(call, result))
        inside = places >= 0
        if np.any(places >= expected.size) or not near(np.ravel(call.x)[places[inside]], result[inside]):
            return False
        np.add.at(expected, places[inside], arrived[inside])
    return near(call.d, expected.reshape(np.shape(call.x)))


def index_of(call: Call, result: Any) -> int:
    return next(index for index, each in enumerate(call.results) if each is result)


def moves(shape: Any = None, numpys: Any = None) -> Any:
    """Elements are moved as numpy's own function moves them, and so is the gradient, back."""

    def law(call: Call) -> bool:
        return only_moves(call) and (numpys is None or near(call.result, numpys(call)))

    return law


def at_places(call: Call) -> Any:
    """The gradient put to the places that the second result tells, along `dim`; equals add up."""
    dim, places, arrived = call.arguments.get("dim", -1), call.results[1], call.g
    if not np.ndim(call.x):
        return arrived
    if places.ndim < np.ndim(call.x):
        places, arrived = np.expand_dims(places, dim), np.expand_dims(arrived, dim)
    expected = np.zeros(np.shape(call.x))
    grid = list(np.indices(places.shape))
    grid[dim] = places
    np.add.at(expected, tuple(grid), arrived)
    return expected


def dims(call: Call) -> Any:
    return tuple(call["dims"])


def parts_of(call: Call) -> Any:
    """A list argument's arrays."""
    return call["tensors"]


def cut_back(call: Call) -> bool:
    """Each tensor of the list gets the part of the gradient where its own elements are found."""
    for place, part in enumerate(parts_of(call)):
        if call.sent["tensors"][place] is None:
            continue
        numbered = np.arange(FAR, FAR + part.size, dtype=float).reshape(part.shape)
        found = call.again(
            tensors=[numbered if at == place else 0 * other for at, other in enumerate(parts_of(call))]
        ).result
        expected = np.zeros(part.size)
        places = np.where(found >= FAR, found - FAR, -1).round().astype(int)
        if np.any(places >= part.size):
            return False
        np.add.at(expected, places[places >= 0], call.g[places >= 0])
        if not near(call.sent["tensors"][place], expected.reshape(part.shape)):
            return False
    return True


def diagonal_blocks(call: Call) -> Any:
    blocks = [np.atleast_2d(part) for part in parts_of(call)]
    whole = np.zeros((sum(b.shape[0] for b in blocks), sum(b.shape[1] for b in blocks)))
    row = column = 0
    for block in blocks:
        whole[row : row + block.shape[0], column : column + block.shape[1]] = block
        row, column = row + block.shape[0], column + block.shape[1]
    return whole


def range_of(call: Call) -> Any:
    """What `slice` picks."""
    key = [slice(None)] * np.ndim(call.x)
    key[call["dim"]] = slice(call["start"], call["end"], call["step"])
    return call.x[tuple(key)]


def cut_lengths(call: Call) -> Any:
    dim = call["dim"]
    size = np.shape(call.x)[dim]
    if "split_sizes" in call.arguments:
        lengths = list(call["split_sizes"])
    else:
        step = call["split_size"]
        lengths = [min(step, size - start) for start in range(0, size, step)] or [0]
    return np.split(call.x, np.cumsum(lengths)[:-1], axis=dim)


def each_gives(expected: Any) -> Any:
    """The results are those, in order."""
    return lambda call: len(call.results) == len(expected(call)) and all(map(near, call.results, expected(call)))


def index_key(call: Call) -> Any:
    return tuple(slice(None) if index is None else index for index in call["indices"])


def read(call: Call, whole: Any) -> Any:
    """The elements at the places, in the last dimensions taken together."""
    places = call["indices"]
    lead = places.shape[: whole.ndim - (3 if call.operator.name.endswith(("3d_pick", "3d_gather")) else 2)]
    flat = whole.reshape(*lead, -1)
    return np.take_along_axis(flat, places.reshape(*lead, -1), -1).reshape(places.shape)


LAWS.update(
    {
        "the gradient passes through unchanged": sends(lambda c: c.g),
        "The same numbers under another name": gives(lambda c: c.x),
        "Looks at the same numbers in steps of any length": only_moves,
        "an element seen twice gets both gradients": only_moves,
        "The same elements in another shape": gives(lambda c: np.reshape(c.x, c.result.shape)),
        "The same elements in another shape, without copying": gives(lambda c: np.reshape(c.x, c.result.shape)),
        "the gradient takes the old shape again": sends(lambda c: np.reshape(c.g, np.shape(c.x))),
        "The same numbers in another shape, without copying": only_moves,
        "All values in one row": gives(lambda c: np.ravel(c.x)),
        "Adds a dimension of length one": gives(lambda c: np.expand_dims(c.x, c["dim"])),
        "the gradient loses it again": sends(lambda c: np.squeeze(c.g, c["dim"])),
        "Drops dimensions of length one": lambda c: (
            near(np.squeeze(c.result), np.squeeze(c.x))
            and sum(n == 1 for n in c.result.shape) <= sum(n == 1 for n in np.shape(c.x))
        ),
        "the gradient gets them back": sends(lambda c: np.reshape(c.g, np.shape(c.x))),
        "Swaps rows and columns": gives(lambda c: np.transpose(c.x)),
        "Swaps two dimensions": gives(lambda c: np.swapaxes(c.x, c["dim0"], c["dim1"]) if np.ndim(c.x) else c.x),
        "the gradient is swapped back": sends(
            lambda c: (
                np.swapaxes(c.g, c.arguments.get("dim0", 0), c.arguments.get("dim1", -1)) if np.ndim(c.g) > 1 else c.g
            )
        ),
        "Puts the dimensions in another order": gives(lambda c: np.transpose(c.x, dims(c))),
        "the gradient goes back to the old order": sends(
            lambda c: np.transpose(c.g, np.argsort(np.array(dims(c), int) % max(1, np.ndim(c.g))))
        ),
        "Repeats along dimensions of length one without copying": gives(lambda c: np.broadcast_to(c.x, c.result.shape)),
        "Lays copies side by side": gives(lambda c: np.tile(c.x, tuple(c["repeats"]))),
        "going back, the copies' gradients are added": only_moves,
        "Reverses the order along dimensions": gives(lambda c: np.flip(c.x, dims(c)) if dims(c) else c.x),
        "the gradient is reversed back": sends(lambda c: np.flip(c.g, dims(c)) if dims(c) else c.g),
        "Shifts along dimensions": only_moves,
        "what falls out at one end comes in at the other, and the gradient is shifted back": lambda c: (
            only_moves(c) and near(np.sort(c.result, None), np.sort(c.x, None))
        ),
        "Turns a plane by quarter turns": gives(lambda c: np.rot90(c.x, c["k"], dims(c))),
        "the gradient is turned back": sends(lambda c: np.rot90(c.g, -c["k"], dims(c))),
        "Keeps the lower triangle of each matrix": gives(lambda c: np.tril(c.x, c["diagonal"])),
        "Keeps the upper triangle of each matrix": gives(lambda c: np.triu(c.x, c["diagonal"])),
        "the rest becomes zero and gets zero gradient": sends(
            lambda c: (np.tril if c.operator.name == "tril" else np.triu)(c.g, c["diagonal"])
        ),
        "Picks one slice and drops the dimension": gives(lambda c: np.take(c.x, c["index"], axis=c["dim"])),
        "going back, everything not picked gets zero": only_moves,
        "Picks a range": gives(range_of),
        "going back, everything outside it gets zero": only_moves,
        "Copies `length` elements from `start` on": gives(
            lambda c: np.take(c.x, np.arange(c["start"], c["start"] + c["length"]), axis=c["dim"])
        ),
        "going back, everything outside gets zero": only_moves,
        "Picks the elements whose two indices differ by `offset`": gives(
            lambda c: np.diagonal(c.x, c["offset"], c["dim1"], c["dim2"])
        ),
        "everything else gets zero gradient": only_moves,
        "Looks through windows sliding along a dimension": only_moves,
        "an element seen in several windows adds up their gradients": only_moves,
        "Keeps the elements where the mask is set, in one row": gives(
            lambda c: np.broadcast_arrays(c["self"], c["mask"])[0][np.broadcast_arrays(c["self"], c["mask"])[1]]
        ),
        "what was left out gets zero gradient": only_moves,
        "Picks elements by index tensors": gives(lambda c: c.x[index_key(c)]),
        "Picks one element per index along a dimension": only_moves,
        "Picks elements by their number in the flattened tensor": gives(lambda c: np.take(c.x, c["index"])),
        "Picks slices by number": gives(
            lambda c: np.take(c.x, np.atleast_1d(c["index"]), axis=c["dim"]) if np.ndim(c.x) else c.x
        ),
        "one picked several times adds up all their gradients": only_moves,
        "Picks elements where a mask is set and a number elsewhere": lambda c: near(
            c.result, np.where(c["mask"], c["self"][index_key(c)], c["fill"])
        ),
        "what was picked gets the gradient": only_moves,
        "Moves channels into an r times finer grid": lambda c: (
            c.result.shape[-1] == c.x.shape[-1] * c["upscale_factor"] and only_moves(c)
        ),
        "Moves each r × r block into channels": lambda c: (
            c.result.shape[-1] * c["downscale_factor"] == c.x.shape[-1] and only_moves(c)
        ),
        "each gradient goes back to where its element was": only_moves,
        "Deals the channels of each group out in turn": gives(
            lambda c: c.x.reshape(c.x.shape[0], c["groups"], -1, *c.x.shape[2:]).swapaxes(1, 2).reshape(c.x.shape)
        ),
        "The elements at given places": both(gives(lambda c: read(c, c.x)), only_moves),
        "Takes all slices along a dimension": each_gives(lambda c: list(np.moveaxis(c.x, c["dim"], 0))),
        "going back, their gradients are stacked again": sends(lambda c: np.stack(c.incoming, c["dim"])),
        "Cuts into parts of equal length (the last may be shorter)": each_gives(cut_lengths),
        "Cuts into parts of given lengths": each_gives(cut_lengths),
        "going back, their gradients are joined again": sends(lambda c: np.concatenate(c.incoming, c["dim"])),
        "Joins tensors end to end": gives(
            lambda c: np.concatenate([part for part in parts_of(c) if part.shape != (0,)], c["dim"])
        ),
        "each gets its own part of the gradient": cut_back,
        "Joins tensors of equal shape along a new dimension": gives(lambda c: np.stack(parts_of(c), c["dim"])),
        "each gets its own slice of the gradient": cut_back,
        "Puts matrices along the diagonal of a large one": gives(diagonal_blocks),
        "each gets its own block of the gradient": cut_back,
        "Puts the last dimension on a diagonal of new matrices": lambda c: near(
            np.diagonal(c.result, c["offset"], c["dim1"], c["dim2"]), c.x
        ),
        "the gradient is read off that diagonal": sends(lambda c: np.diagonal(c.g, c["offset"], c["dim1"], c["dim2"])),
        "the gradient goes to y, and what x was before gets zero": sends_each(
            self=lambda c: 0 * c.g, src=lambda c: c.g
        ),
        "they get the gradient there": sends_each(values=lambda c: np.where(c["mask"], c.g[index_key(c)], 0)),
        "A copy with one slice replaced": lambda c: near(np.take(c.result, c["index"], axis=c["dim"]), c["src"]),
        "what is left of the input gets its gradient, the margin's is dropped": only_moves,
        "A copy in another dtype": lambda c: bool(np.allclose(c.result, c.x, rtol=1e-2)),
        "the gradient is converted back": lambda c: c.d.dtype == c.x.dtype and bool(np.allclose(c.d, c.g, rtol=1e-2)),
        "One storage in another's place": gives(lambda c: list(c.arguments.values())[1]),
    }
)
