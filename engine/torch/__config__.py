"""``torch.__config__``: what PyTorch says it was built with. Here there is Python and numpy behind it, and one thread."""

from __future__ import annotations

from engine.ops.core.catalogue import TABLES
from engine.torch.version import __version__


def show() -> str:
    """A sentence per part, as text."""
    parts = (
        "Python and numpy (no C++ library)",
        f"Build settings: TORCH_VERSION={__version__}, USE_CUDA=0, USE_MKL=OFF",
    )
    return "PyTorch built with:\n" + "".join(f"  - {part}\n" for part in parts)


def parallel_info() -> str:
    """How many threads there are, as text."""
    threads = {name: TABLES["torch"][name]() for name in ("get_num_threads", "get_num_interop_threads")}
    counted = "".join(f"\tat::{name}() : {count}\n" for name, count in threads.items())
    return f"ATen/Parallel:\n{counted}ATen parallel backend: native thread pool\n"
