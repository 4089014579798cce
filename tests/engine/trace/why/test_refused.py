"""What is kept of a refused call: the layer that raised, what it was made with and given, and none of the snippet's code run."""

from __future__ import annotations

import pytest

from engine.trace.document import Refused
from engine.trace.play import play

HEAD = "import torch\nfrom torch import nn\n"


def refused(code: str) -> Refused:
    found = play(HEAD + code, words=False).outcome.refused
    assert found is not None
    return found


def test_the_innermost_layer_is_told_with_its_settings_and_what_reached_it() -> None:
    code = "net = nn.Sequential(nn.Linear(4, 6), nn.ReLU(), nn.Linear(5, 2))\nnet(torch.ones(3, 4))\n"
    trace = play(HEAD + code, words=False)
    found = trace.outcome.refused
    assert found is not None
    assert found.module == "net[2] (Linear)"
    assert {setting.name: setting.text for setting in found.settings} == {"in_features": "5", "out_features": "2"}
    [given] = found.given
    assert given.argument == "input"
    assert given.tensor is not None
    assert trace.tensors[given.tensor].shape == [3, 6]
    assert [trace.tensors[parameter].shape for parameter in found.parameters] == [[2, 5], [2]]


def test_a_list_of_tensors_is_told_one_by_one_and_numbers_by_their_text() -> None:
    found = refused("torch.cat([torch.ones(1), torch.ones(1, 2)], dim=1)\n")
    assert [(given.argument, given.type, given.text) for given in found.given] == [
        ("0[0]", "Tensor", ""),
        ("0[1]", "Tensor", ""),
        ("dim", "int", "1"),
    ]


def test_arguments_are_those_of_the_call_though_forward_binds_them_anew() -> None:
    code = "mha = nn.MultiheadAttention(4, 2, batch_first=True)\nx = torch.ones(2, 3, 6)\nmha(x, x, x)\n"
    trace = play(HEAD + code, words=False)
    assert trace.outcome.refused is not None
    given = trace.outcome.refused.given[0]
    assert given.tensor is not None
    assert trace.tensors[given.tensor].shape == [2, 3, 6]


def test_where_the_snippet_itself_raises_there_is_no_refused_call() -> None:
    assert play(HEAD + "def f(x):\n    raise ValueError(x.shape)\nf(torch.ones(2))\n").outcome.refused is None
    assert play("1 / 0\n").outcome.refused is None
    assert play("x = torch.ones(2)\n").outcome.refused is None


def test_reading_a_refused_call_runs_nothing_of_the_snippets() -> None:
    code = """\
class Loud:
    def __repr__(self):
        print("repr was run")
        return "loud"
    def __iter__(self):
        print("iter was run")
        return iter(())
class Net(nn.Linear):
    def __getattr__(self, name):
        if name == "extra":
            print("attribute was read")
        return super().__getattr__(name)
    @property
    def in_features(self):
        print("property was read")
        return 3
    @in_features.setter
    def in_features(self, value):
        pass
net = Net(2, 2)
net.note = Loud()
net(torch.ones(1, 3), Loud())
"""
    trace = play(HEAD + code)
    assert trace.outcome.status == "error"
    assert trace.stdout == ""


NOT_WRITTEN = "a number of very many digits"
"""What stands for a whole number that Python refuses to write out."""


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("torch.ones(3).view(10**5000)", NOT_WRITTEN),
        ("torch.ones(3).view((10**5000, 2))", NOT_WRITTEN),
        ("torch.ones(3) * 10**5000", NOT_WRITTEN),
        ("torch.roll(torch.ones(3), 'x' * 1000)", repr("x" * 1000)[:60]),
    ],
)
def test_an_argument_that_cannot_be_written_out_ends_no_run(code: str, text: str) -> None:
    assert refused(code + "\n").given[1].text == text


def test_a_layer_with_a_setting_of_many_digits_tells_of_it() -> None:
    found = refused("net = nn.Linear(3, 2)\nnet.large = 10**5000\nnet(torch.ones(4))\n")
    assert {setting.name: setting.text for setting in found.settings}["large"] == NOT_WRITTEN


def test_a_list_that_holds_itself_is_told_to_a_certain_depth() -> None:
    found = refused("several = [torch.ones(1)]\nseveral.append(several)\ntorch.cat(several)\n")
    assert [(given.argument, given.type) for given in found.given] == [
        ("0[0]", "Tensor"),
        ("0[1][0]", "Tensor"),
        ("0[1][1]", "list"),
    ]


def test_names_of_a_thousand_characters_are_cut() -> None:
    code = "Kind = type('K' * 1000, (), {})\nnet = nn.Linear(3, 2)\nnet(torch.ones(3), **{'k' * 1000: Kind()})\n"
    given = refused(code).given[-1]
    assert (given.argument, given.type) == ("k" * 60, "K" * 60)


def test_a_metaclass_that_answers_for_its_classes_is_not_asked() -> None:
    code = """\
class Meta(type):
    @property
    def __module__(cls):
        print("module was read")
        return "elsewhere"
class Kind(metaclass=Meta):
    pass
nn.Linear(3, 2)(torch.ones(4), Kind())
"""
    trace = play(HEAD + code)
    assert trace.stdout == ""
    assert trace.outcome.refused is not None
    assert trace.outcome.refused.given[-1].type == "Kind"


@pytest.mark.parametrize(
    ("code", "begins"),
    [
        ("nn.MSELoss(torch.ones(2), torch.zeros(2))", "Boolean value of Tensor with more than one value is ambiguous"),
        ("torch.ones(2, 2).max(dim=1).sum()", "'torch.return_types.max' object has no attribute 'sum'"),
        (
            "q = torch.ones(1, 2, 4, 8)\nnn.functional.scaled_dot_product_attention(q, q, q, attn_mask=torch.ones(3, 3))",
            "The size of tensor a (4) must match the size of tensor b (3) at non-singleton dimension 3",
        ),
        (
            "q = torch.ones(1, 2, 4, 8)\nnn.functional.scaled_dot_product_attention(q, q, q, attn_mask=torch.ones(5, 1, 4, 4))",
            "output with shape [1, 2, 4, 4] doesn't match the broadcast shape [5, 2, 4, 4]",
        ),
        (
            (
                "m, x = nn.MultiheadAttention(4, 2, batch_first=True), torch.ones(2, 5, 4)\n"
                "m(x, x, x, key_padding_mask=torch.zeros(5, 2, dtype=torch.bool))"
            ),
            "Expected key_padded_mask.shape[0] to be 2, but got 5",
        ),
    ],
)
def test_what_pytorch_refuses_is_refused_in_its_words(code: str, begins: str) -> None:
    assert play(HEAD + code + "\n", words=False).outcome.message == begins


def test_a_switch_that_holds_one_number_still_chooses_the_reduction() -> None:
    code = "import warnings\nwarnings.simplefilter('ignore')\nprint(nn.MSELoss(torch.tensor(1.0), torch.tensor(0.0)).reduction)\n"
    assert play(HEAD + code, words=False).stdout == "none\n"
