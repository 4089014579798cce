"""Modules that pasted snippets import and that are not here: a clear word, and the run goes on where it can.

Plotting is imported, called and forgotten; its results matter to nobody's gradient, so a `Silent` object swallows the
calls. Progress bars pass their items through. Of what would deliver data (torchvision, pandas), the import works and
the first use raises `ModuleNotFoundError` with advice, so that a snippet that only imports it still plays.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import opcode
import sys
import types
import warnings
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Self

from engine.torch.missing import missing_module

SILENT = (
    "matplotlib", "seaborn", "plotly", "IPython", "tensorboard", "tensorboardX", "wandb", "torchviz", "graphviz",
    "mpl_toolkits", "torchinfo", "torchsummary",
)  # fmt: skip
SILENT_PARTS = ("torch.utils.tensorboard",)
"""Parts of torch that only write down what others look at."""
ABSENT = (
    "torchvision", "torchaudio", "torchtext", "transformers", "datasets", "sklearn", "pandas", "scipy", "lightning",
    "pytorch_lightning", "torch_geometric", "torchmetrics", "gym", "gymnasium", "cv2", "PIL", "einops", "keras",
    "tensorflow", "jax", "requests", "timm",
)  # fmt: skip


class Silent:
    """Takes any call, attribute, index and ``with``, and gives itself."""

    def __call__(self, *args: Any, **kwargs: Any) -> Silent:
        """Any call."""
        return self

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return self

    def __getitem__(self, index: object) -> Silent:
        return self

    def __setitem__(self, index: object, value: object) -> None:
        pass

    def __iter__(self) -> Iterator[Silent]:
        """As many as the caller unpacks (``n, bins, patches = plt.hist(x)``); a loop gets two."""
        frame = sys._getframe(1)
        code, place = frame.f_code.co_code, frame.f_lasti
        unpacks = opcode.opname[code[place]] == "UNPACK_SEQUENCE"
        return iter((self,) * (code[place + 1] if unpacks else 2))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        pass

    def __repr__(self) -> str:
        return "<nothing is drawn here>"


class Absent:
    """A name of a module that is not here: may be imported and passed on; using it raises."""

    def __init__(self, name: str) -> None:
        self._absent = name

    def _raise(self, *args: Any, **kwargs: Any) -> Any:
        package = self._absent.split(".")[0]
        raise ModuleNotFoundError(f"No module named '{package}' here, so {self._absent} cannot be used", name=package)

    __call__ = __getitem__ = __iter__ = __enter__ = __len__ = __add__ = __mul__ = _raise

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return Absent(f"{self._absent}.{name}")

    def __mro_entries__(self, bases: tuple[Any, ...]) -> Any:
        return self._raise()

    def __repr__(self) -> str:
        return f"<{self._absent} is not available here>"


class tqdm:
    """A progress bar that shows nothing and passes its items through."""

    def __init__(self, iterable: Iterable[Any] = (), *args: Any, **kwargs: Any) -> None:
        self.iterable = iterable

    def __iter__(self) -> Iterator[Any]:
        return iter(self.iterable)

    def __len__(self) -> int:
        return len(self.iterable)  # type: ignore[arg-type]  # without a length: Python says so

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        pass

    def _nothing(self, *args: Any, **kwargs: Any) -> None:
        pass

    update = close = set_description = set_postfix = set_postfix_str = refresh = reset = _nothing

    @staticmethod
    def write(text: str, *args: Any, **kwargs: Any) -> None:
        """Prints past the bar."""
        print(text)


def trange(*args: int, **kwargs: Any) -> tqdm:
    """``tqdm(range(…))``."""
    return tqdm(range(*args))


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the stand-ins for imports that stand in the snippet itself (the engine may use the real ones).

    Comes first, so that a snippet meets the same modules wherever the engine is installed.
    """

    def __init__(self, filename: str) -> None:
        self.filename = filename
        self.found: set[str] = set()
        """Names that were handed out."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """A spec for the names above and what is below them.

        Raises:
            ModuleNotFoundError: PyTorch has that module, the drop-in has not.
        """
        known = fullname.split(".", maxsplit=1)[0] in (*SILENT, *ABSENT, "tqdm") or fullname in SILENT_PARTS
        if known and self._asked_by_snippet():
            self.found.add(fullname)
            return importlib.machinery.ModuleSpec(fullname, self, is_package=True)
        if fullname.startswith("torch.") and self._asked_by_snippet() and (words := missing_module(fullname)):
            raise ModuleNotFoundError(words, name=fullname)
        return None

    def _asked_by_snippet(self) -> bool:
        """Whether the innermost frame outside of the import system is the snippet's."""
        frame: types.FrameType | None = sys._getframe(1)
        while frame is not None and (
            frame.f_globals.get("__name__") == __name__ or "importlib" in frame.f_code.co_filename
        ):
            frame = frame.f_back
        return frame is not None and frame.f_code.co_filename == self.filename

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        """The stand-in; a silent one warns once that it does nothing."""
        root = spec.name.split(".")[0]
        if root == "tqdm":
            module = types.ModuleType(spec.name)
            module.tqdm, module.trange = tqdm, trange  # type: ignore[attr-defined]  # a new module
            return module
        if root in SILENT or spec.name in SILENT_PARTS:
            if spec.name == root or spec.name in SILENT_PARTS:
                warnings.warn(f"{spec.name} is not available here: its calls do nothing and draw nothing", stacklevel=2)
            return _Module(spec.name, lambda name: Silent())
        return _Module(spec.name, lambda name: Absent(f"{spec.name}.{name}"))

    def exec_module(self, module: types.ModuleType) -> None:
        """Nothing to run."""


class _Module(types.ModuleType):
    """A module whose every attribute is made on demand."""

    def __init__(self, name: str, make: Any) -> None:
        super().__init__(name)
        self.__dict__["_make"] = make

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return self.__dict__["_make"](name)
