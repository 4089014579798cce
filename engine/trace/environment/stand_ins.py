"""Modules that pasted snippets import and that are not here: a clear word, and the run goes on where it can.

Plotting is imported, called and forgotten; its results matter to nobody's gradient, so a `Silent` object swallows the
calls. Progress bars pass their items through. Of what would deliver data (torchvision, pandas), of the standard library's
part that needs files or processes, and of PyTorch's parts for other machines, the import works and the first use raises
`ModuleNotFoundError` with advice, so that a snippet that only imports it still plays.
"""

from __future__ import annotations

import opcode
import sys
from collections.abc import Iterable, Iterator
from typing import Any, Self

from engine.torch.missing import missing_module

SILENT = (
    "matplotlib", "seaborn", "plotly", "bokeh", "IPython", "tensorboard", "tensorboardX", "wandb", "visdom", "mlflow",
    "torchviz", "graphviz", "mpl_toolkits", "torchinfo", "torchsummary", "livelossplot",
)  # fmt: skip
SILENT_PARTS = ("torch.utils.tensorboard",)
"""Parts of torch that only write down what others look at."""
ABSENT = (
    "torchvision", "torchaudio", "torchtext", "torchdata", "transformers", "tokenizers", "datasets", "sentencepiece", "nltk",
    "spacy", "accelerate", "diffusers", "peft", "sklearn", "skimage", "pandas", "scipy", "sympy", "networkx", "h5py",
    "lightning", "pytorch_lightning", "ignite", "fastai", "torch_geometric", "dgl", "torchmetrics", "torchdiffeq", "tensordict",
    "torchrl", "gym", "gymnasium", "stable_baselines3", "cv2", "PIL", "imageio", "albumentations", "kornia", "einops", "keras",
    "tensorflow", "jax", "flax", "numba", "cupy", "triton", "requests", "timm", "pyro", "gpytorch", "botorch", "higher",
    "learn2learn", "optuna", "ray", "hydra", "omegaconf", "yaml", "toml", "psutil", "tabulate", "termcolor", "colorama", "rich",
    "click", "joblib", "cloudpickle", "xgboost",
)  # fmt: skip
"""Packages that pasted code imports, and whose absence matters only where they are used."""


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

    def __init__(self, name: str, module: str, words: str = "") -> None:
        """``module``: whose absence is told of, in these words where there are any."""
        self._absent = name
        self._module = module
        self._words = words or f"No module named '{module}' here, so {name} cannot be used"

    def _raise(self, *args: Any, **kwargs: Any) -> Any:
        raise ModuleNotFoundError(self._words, name=self._module)

    __call__ = __getitem__ = __iter__ = __enter__ = __len__ = __add__ = __mul__ = _raise

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return part_of(self._module, f"{self._absent}.{name}")

    def __or__(self, other: object) -> Self:
        """In an annotation: ``DataFrame | None``."""
        return self

    __ror__ = __or__

    def __instancecheck__(self, instance: object) -> bool:
        """False: nothing is made of a class that is not here."""
        return False

    def __mro_entries__(self, bases: tuple[Any, ...]) -> Any:
        return self._raise()

    def __repr__(self) -> str:
        return f"<{self._absent} is not available here>"


def part_of(module: str, name: str) -> Absent:
    """What stands for ``name`` of a module that is not here."""
    return Absent(name, module, missing_module(module) or "")


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
