"""What is timed: small autograd work, written once for any torch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tools.bench.programs import PROGRAMS, plain

Workload = Callable[[], object]


SMALL_TURNS = 10
"""How often the smallest calls are repeated in one, so that the clock does not count."""


def workloads(torch: Any) -> dict[str, Workload]:
    """Every workload on this torch; the data are made now, the work is done at a call."""
    return scalars(torch) | networks(torch) | arrays(torch) | programs()


def scalars(torch: Any) -> dict[str, Workload]:
    """A few operations on single numbers, where only the price of an operation counts."""
    x, y = (torch.tensor(value, requires_grad=True) for value in (1.5, -0.5))

    def forward_backward() -> None:
        x.grad = y.grad = None
        (x * y + x).backward()

    def chain() -> None:
        x.grad = y.grad = None
        value = x
        for _ in range(50):
            value = value * y + x
        value.backward()

    return {
        "mul_add_graph": lambda: x * y + x,
        "mul_add_fwdbwd": forward_backward,
        "chain100_fwdbwd": chain,
    }


def networks(torch: Any) -> dict[str, Workload]:
    """One training step of a 2-16-1 network: forward, squared error, backward, SGD."""

    def training(batch: int) -> Workload:
        torch.manual_seed(0)
        net = torch.nn.Sequential(torch.nn.Linear(2, 16), torch.nn.Tanh(), torch.nn.Linear(16, 1))
        optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
        inputs, targets = torch.randn(batch, 2), torch.randn(batch, 1)

        def step() -> None:
            optimizer.zero_grad()
            loss = ((net(inputs) - targets) ** 2).mean()
            loss.backward()
            optimizer.step()

        return step

    return {"mlp_step_b1": training(1), "mlp_step_b16": training(16)}


def arrays(torch: Any) -> dict[str, Workload]:
    """Convolution, matrix product and attention at the sizes of tutorials, forward and backward; at the smallest sizes forward alone."""
    functional = torch.nn.functional
    torch.manual_seed(0)

    def leaf(*shape: int) -> Any:
        return torch.randn(*shape, requires_grad=True)

    def both(make: Callable[..., Any], *leaves: Any) -> Workload:
        def work() -> None:
            for each in leaves:
                each.grad = None
            make(*leaves).sum().backward()

        return work

    def forward(make: Callable[..., Any], *leaves: Any) -> Workload:
        def work() -> None:
            with torch.no_grad():
                for _ in range(SMALL_TURNS):
                    make(*leaves)

        return work

    digits, filters = leaf(16, 1, 28, 28), leaf(8, 1, 3, 3)
    colours, more_filters = leaf(4, 3, 32, 32), leaf(16, 3, 3, 3)
    left, right = leaf(64, 128), leaf(128, 64)
    images, weight, bias = leaf(32, 784), leaf(10, 784), leaf(10)
    query, key, value = leaf(2, 4, 32, 16), leaf(2, 4, 32, 16), leaf(2, 4, 32, 16)
    return {
        "conv2d, 16×1×28×28 with 8 3×3": both(lambda x, w: functional.conv2d(x, w, padding=1), digits, filters),
        "conv2d, 4×3×32×32 with 16 3×3": both(lambda x, w: functional.conv2d(x, w, padding=1), colours, more_filters),
        "matmul, 64×128 by 128×64": both(lambda a, b: a @ b, left, right),
        "linear, 32 digits of 784 to 10 scores": both(functional.linear, images, weight, bias),
        "matmul, 32×784 by 784×10": both(lambda a, b: a @ b, leaf(32, 784), leaf(784, 10)),
        "attention, 2×4×32×16": both(functional.scaled_dot_product_attention, query, key, value),
        "10 × conv2d forward, 5×5 with 3×3": forward(functional.conv2d, leaf(1, 1, 5, 5), leaf(1, 1, 3, 3), leaf(1)),
        "10 × conv_transpose2d forward, 3×3 with 3×3": forward(
            functional.conv_transpose2d, leaf(1, 1, 3, 3), leaf(1, 1, 3, 3), leaf(1)
        ),
        "10 × matmul forward, 2×3 by 3×4": forward(torch.matmul, leaf(2, 3), leaf(3, 4)),
        "10 × matmul forward, 32×10 by 10×5": forward(torch.matmul, leaf(32, 10), leaf(10, 5)),
        "10 × matmul forward, 2×2×3 by 2×3×4": forward(torch.matmul, leaf(2, 2, 3), leaf(2, 3, 4)),
        "10 × attention forward, 1×1×4×8": forward(
            functional.scaled_dot_product_attention, *(leaf(1, 1, 4, 8) for _ in range(3))
        ),
    }


def programs() -> dict[str, Workload]:
    """Whole programs as a person would paste them, run by Python itself."""
    return {name: plain(code) for name, code in PROGRAMS.items()}
