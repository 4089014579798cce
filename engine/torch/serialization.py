"""``torch.save`` and ``torch.load``: to a file object or under a path.

A run can open no file, so what it saves under a path is kept in memory, where ``torch.load`` of the same path finds it
again. The format is this engine's own: files of real PyTorch cannot be read, nor the other way round.
"""

from __future__ import annotations

import errno
import io
import os
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np

from engine.dtype import BY_ARRAY
from engine.ops.sparse.arrays import SparseArray
from engine.ops.tensors.numpy_interop import rebuilt
from engine.placement import device
from engine.tensor import Tensor
from engine.torch._weights_only_unpickler import (
    add_safe_globals,
    clear_safe_globals,
    found,
    get_safe_globals,
    safe_globals,
    unreadable,
)
from engine.torch.missing import module_getattr as _module_getattr

kept: dict[str, bytes] | None = None
"""What the run saved, by path; None outside of runs, where there are files."""
shortest: Callable[[str], str] = os.path.normpath
"""The path by which the run keeps a file."""


def storage(content: bytes, element_type: Any, shape: tuple[int, ...], by_column: bool) -> Any:
    """The array of a tensor, as `Pickler` wrote it."""
    flat = np.frombuffer(content, element_type.array)
    return flat.reshape(shape, order="F" if by_column else "C").copy("K")


class Pickler(pickle.Pickler):
    """Tells the arrays of tensors from a person's own, which are read only if they are asked for."""

    def __init__(self, file: Any, protocol: int | None = None) -> None:
        super().__init__(file, protocol)
        self.of_tensors: dict[int, Any] = {}

    def reducer_override(self, obj: Any) -> Any:
        """How an object is written, where it is not as usual."""
        if isinstance(obj, Tensor):
            reduced = obj.__reduce_ex__(pickle.HIGHEST_PROTOCOL)
            self.of_tensors.update((id(array), array) for array in arrays_of(reduced[1][1]))
            return reduced
        if id(obj) not in self.of_tensors:
            return NotImplemented
        by_column = obj.flags.fnc
        return storage, (obj.tobytes("F" if by_column else "C"), BY_ARRAY[obj.dtype], obj.shape, by_column)


def arrays_of(held: Any) -> list[Any]:
    """The arrays of what a tensor holds: one, or those of places and values."""
    parts = vars(held).values() if isinstance(held, SparseArray) else [held]
    return [part for part in parts if type(part) is np.ndarray]


class Unpickler(pickle.Unpickler):
    """Makes whatever was saved, its tensors where they are asked for (None: where they were)."""

    def __init__(self, file: Any, where: Any = None) -> None:
        super().__init__(file)
        self.where = where

    def find_class(self, module: str, name: str) -> Any:
        """The class or function of that name."""
        found = super().find_class(module, name)
        return self.placed if found is rebuilt and self.where is not None else found

    def placed(self, kind: Any, *form: Any) -> Tensor:
        """A leaf on the device that was asked for.

        Raises:
            RuntimeError: there is no such device here.
        """
        made = rebuilt(kind, *form)
        refuse_absent(str(self.where).partition(":")[0])
        return rebuilt(kind, made.to(self.where)._array, made.requires_grad)


def refuse_absent(kind: str) -> None:
    """Raises RuntimeError: tensors are to be restored where none can be, in PyTorch's words."""
    if kind == "cuda":
        raise RuntimeError(
            "Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is False. If you are running on a "
            "CPU-only machine, please use torch.load with map_location=torch.device('cpu') to map your storages to the CPU."
        )
    if kind == "mps":
        raise RuntimeError("torch.UntypedStorage(): Storage device not recognized: mps")
    if kind not in ("cpu", "meta"):
        raise RuntimeError(
            f"don't know how to restore data location of torch.storage.UntypedStorage (tagged with {kind})"
        )


class WeightsUnpickler(Unpickler):
    """Makes tensors and containers only."""

    def __init__(self, file: Any, where: Any = None) -> None:
        super().__init__(file, where)
        self.file = file

    def load(self) -> Any:
        """Refuses what is no pickle at all in the same words.

        Raises:
            EOFError: nothing to read, of which PyTorch says nothing.
            pickle.UnpicklingError: a global that is not allowed, or no pickle.
        """
        begins = self.file.tell()
        try:
            return super().load()
        except EOFError:
            raise EOFError from None
        except pickle.UnpicklingError as error:
            if str(error).startswith("Weights only"):
                raise
            self.file.seek(begins)
            raise unreadable(self.file.read(3)) from None

    def find_class(self, module: str, name: str) -> Any:
        """Refuses everything else.

        Raises:
            pickle.UnpicklingError: in PyTorch's words.
        """
        return found(module, name, super().find_class)


def save(
    obj: Any,
    f: Any,
    pickle_module: Any = pickle,
    pickle_protocol: int = 2,
    _use_new_zipfile_serialization: bool = True,
    _disable_byteorder_record: bool = False,
) -> None:
    """Writes ``obj`` to a file object or under the path ``f``, which in a run lasts until its end.

    Raises:
        RuntimeError: the path's folder is not there.
        AttributeError: ``f`` is neither a path nor something to write to.
    """
    if not hasattr(f, "write") and not isinstance(f, str | os.PathLike):
        raise AttributeError("expected 'f' to be string, path, or a file-like object with a 'write' attribute")
    content = written(obj, pickle_module)
    if hasattr(f, "write"):
        f.write(content)
        return
    path = os.fspath(f)
    folder = os.path.dirname(path)
    outer = kept is not None and os.path.isabs(shortest(path))
    if folder and not outer and not os.path.isdir(folder):
        raise RuntimeError(f"Parent directory {folder} does not exist.")
    if kept is not None:
        kept[shortest(path)] = content
    else:
        with open(path, "wb") as file:
            file.write(content)


def written(obj: Any, pickle_module: Any) -> bytes:
    """The bytes of a checkpoint."""
    if pickle_module is not pickle:
        content: bytes = pickle_module.dumps(obj)
        return content
    file = io.BytesIO()
    Pickler(file).dump(obj)
    return file.getvalue()


def load(f: Any, map_location: Any = None, *_: Any, weights_only: bool | None = None, **__: Any) -> Any:
    """Reads what `save` wrote.

    Raises:
        FileNotFoundError: nothing was saved under this path; in a run, during this run.
        pickle.UnpicklingError: it holds more than weights and ``weights_only`` was not set to False.
        AttributeError: ``f`` is neither a path nor something to read from.
    """
    if not hasattr(f, "read") and not isinstance(f, str | os.PathLike):
        raise AttributeError(
            f"'{type(f).__name__}' object has no attribute 'seek'. You can only torch.load from a file that is seekable. Please "
            "pre-load the data into a buffer like io.BytesIO and try to load from it instead."
        )
    where = map_location if isinstance(map_location, str | device) else None
    source = f if hasattr(f, "read") else io.BytesIO(saved(os.fspath(f)))
    return (Unpickler if weights_only is False else WeightsUnpickler)(source, where).load()


def saved(path: str) -> bytes:
    """What stands under a path."""
    if kept is None:
        with open(path, "rb") as file:
            return file.read()
    content = kept.get(shortest(path))
    if content is None:
        missing = FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        missing.add_note("A run can open no file: torch.load finds what torch.save saved before, in the same run.")
        raise missing
    return content


__getattr__ = _module_getattr("torch.serialization", globals())
