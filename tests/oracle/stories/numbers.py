"""Stories about tensors that stand where an operator takes a plain number: a slope, an alpha, a power."""

from __future__ import annotations

from typing import Any


def a_tensor_without_dimensions_may_stand_for_a_number(torch: Any, say: Any) -> None:
    functional = torch.nn.functional
    x = torch.tensor([-1.0, 2.0], requires_grad=True)
    for number in (torch.tensor(2.0), torch.tensor(2), torch.tensor(2.0, dtype=torch.float64)):
        say(
            torch.add(x, x, alpha=number),
            torch.add(x, 3, alpha=number),
            torch.add(x, x, alpha=number).grad_fn._saved_alpha,
        )
        say(functional.leaky_relu(x, number), functional.leaky_relu(x, number).grad_fn._saved_negative_slope)
        say(functional.softplus(x, number), functional.elu(x, number), functional.hardtanh(x, -1, number))
        say(torch.dist(x, x * 2, number), torch.linalg.vector_norm(x, number), torch.renorm(x[None], number, 0, 1.0))
        say(torch.addcmul(x, x, x, value=number), torch.threshold(x, number, number))
    x = x.detach()
    say(x.add_(x, alpha=torch.tensor(2.0)), torch.nn.functional.elu_(x, torch.tensor(0.5)))


def a_number_that_wants_a_gradient_is_refused_where_none_could_reach_it(torch: Any, say: Any) -> None:
    functional = torch.nn.functional
    x, slope = torch.tensor([-1.0, 2.0]), torch.nn.Parameter(torch.tensor(0.5))
    say.error(lambda: functional.leaky_relu(x, slope))
    say.error(lambda: functional.elu(x, slope))
    say.error(lambda: functional.threshold(x, slope, 0.0))
    say.error(lambda: torch.add(x, x, alpha=slope))
    say.error(lambda: x.sub_(x, alpha=slope * 2))
    say.error(lambda: torch.dist(x, x, p=slope))
    with torch.no_grad():
        say.error(lambda: torch.add(x, x, alpha=slope))
    say(torch.add(x, x, alpha=slope.detach()))


def what_is_no_number_is_refused(torch: Any, say: Any) -> None:
    functional = torch.nn.functional
    x = torch.tensor([-1.0, 2.0])
    for value in (torch.tensor([0.5]), None, "a", [1.0]):
        say.error(lambda value=value: functional.leaky_relu(x, value))
        say.error(lambda value=value: torch.add(x, x, alpha=value))
        say.error(lambda value=value: torch.sub(x, 2, alpha=value))
        say.error(lambda value=value: functional.celu(x, value))


def an_alpha_has_to_fit_what_it_multiplies(torch: Any, say: Any) -> None:
    whole, true = torch.tensor([1, 2]), torch.tensor([True, False])
    x, z = torch.tensor([1.0, 2.0]), torch.tensor([1.0 + 0j])
    say.error(lambda: torch.add(whole, whole, alpha=0.5))
    say.error(lambda: torch.add(whole, whole, alpha=1.0))
    say.error(lambda: torch.sub(x, x, alpha=True))
    say.error(lambda: torch.add(x, x, alpha=1j))
    say.error(lambda: torch.add(x, 1, alpha=1 + 0j))
    say.error(lambda: x.add_(x, alpha=1j))
    say(torch.add(true, true, alpha=True), torch.add(whole, x, alpha=0.5), torch.add(z, 1, alpha=1j))


def a_boolean_sum_stays_boolean_whatever_the_alpha(torch: Any, say: Any) -> None:
    yes = torch.tensor([True, False])
    say(
        torch.add(yes, yes, alpha=2),
        torch.add(yes, yes, alpha=0),
        torch.add(yes, True, alpha=3),
        torch.add(yes, 1, alpha=3),
    )
    say(yes.clone().add_(~yes, alpha=2), torch.add(yes, ~yes, alpha=False))
