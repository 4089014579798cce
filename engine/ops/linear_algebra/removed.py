"""Spellings that PyTorch removed in 1.9 and still answers, with what to write instead."""

from __future__ import annotations

from typing import Any

from engine.ops.core.declare import composite

GONE = "This function was deprecated since version 1.9 and is now removed."
INSTEAD = {
    "solve": " `torch.solve` is deprecated in favor of `torch.linalg.solve`, which takes A first and does not "
    "return the factorization.",
    "eig": " `torch.linalg.eig` returns complex tensors; for eigenvalues alone use `torch.linalg.eigvals`.",
    "symeig": " The lower triangle is read by default now: use `torch.linalg.eigh`, or `torch.linalg.eigvalsh` for eigenvalues "
    "alone.",
    "lstsq": " `torch.lstsq` is deprecated in favor of `torch.linalg.lstsq`, which takes A first.",
    "matrix_rank": "\nPlease use the `torch.linalg.matrix_rank` function instead. The parameter 'symmetric' was "
    "renamed to 'hermitian'.",
}


def refused(name: str, instead: str) -> None:
    """Declares a spelling that only raises."""

    def call(*args: Any, **kwargs: Any) -> Any:
        raise RuntimeError(GONE + instead)

    call.__name__ = name
    call.__doc__ = f"""Removed from PyTorch.

    Raises:
        RuntimeError: always: {instead}
    """
    composite(at="torch" if name == "matrix_rank" else "torch tensor")(call)


for _name, _instead in INSTEAD.items():
    refused(_name, _instead)
