"""Sound programs, some of them suspicious at first sight: nothing may be warned about in any of them."""

from __future__ import annotations

import itertools
import pathlib
import re

HEAD = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\ntorch.manual_seed(0)\n"

MODELS = {
    "linear": ("nn.Linear(3, 1)", "torch.randn(6, 3)"),
    "mlp": ("nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 1))", "torch.randn(6, 3)"),
    "tanh": ("nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 1))", "torch.randn(6, 3)"),
    "dropout": ("nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Dropout(0.2), nn.Linear(8, 1))", "torch.randn(6, 3)"),
    "normed": ("nn.Sequential(nn.Linear(3, 4), nn.LayerNorm(4), nn.GELU(), nn.Linear(4, 1))", "torch.randn(6, 3)"),
}
OPTIMIZERS = {
    "sgd": "torch.optim.SGD(model.parameters(), lr=0.05)",
    "momentum": "torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)",
    "adam": "torch.optim.Adam(model.parameters(), lr=0.01)",
    "adamw": "torch.optim.AdamW(model.parameters(), lr=0.01)",
}
LOSSES = {"mse": "F.mse_loss(model(x), y)", "by hand": "((model(x) - y) ** 2).mean()"}


def trained() -> dict[str, str]:
    """Every model with every optimizer and loss, in the usual loop."""
    found = {}
    for (model, (made, data)), (optimizer, chosen), (name, loss) in itertools.product(
        MODELS.items(), OPTIMIZERS.items(), LOSSES.items()
    ):
        found[f"{model}, {optimizer}, {name}"] = (
            f"{HEAD}model = {made}\nopt = {chosen}\nx, y = {data}, torch.randn(6, 1)\n"
            f"for epoch in range(3):\n    opt.zero_grad()\n    loss = {loss}\n    loss.backward()\n    opt.step()\n"
            "model.eval()\nwith torch.no_grad():\n    print(model(x).shape)\n"
        )
    return found


def written() -> dict[str, str]:
    """The programs of ``sound_programs/*.txt``; each begins with its name, ``# ── gan``."""
    found: dict[str, str] = {}
    for path in sorted((pathlib.Path(__file__).parent / "sound_programs").glob("*.txt")):
        for part in filter(None, re.split(r"^(?=# ── )", path.read_text(), flags=re.MULTILINE)):
            header, code = part.split("\n", 1)
            name = header.removeprefix("# ── ")
            if name in found:
                raise ValueError(f"{path.name}: there is a {name!r} already")
            found[name] = code
    return found


def sound() -> dict[str, str]:
    """Every sound program by name."""
    return {**written(), **trained()}
