"""Modules at PyTorch's addresses: those that are here hold the same things, the others are refused in words."""

from __future__ import annotations

import pytest

from engine.torch.addresses import everything, known_modules
from engine.torch.missing import missing_module
from engine.trace.environment import drop_in
from engine.trace.play import play

WRITTEN = """
from torch.autograd import Function
from torch.autograd.function import once_differentiable
from torch.autograd.functional import jacobian
from torch.autograd.grad_mode import no_grad
from torch.autograd.gradcheck import GradcheckError, gradcheck
from torch.autograd.profiler import record_function
from torch.autograd.graph import Node, save_on_cpu
from torch.autograd.variable import Variable
from torch.distributions import constraints
from torch.distributions.categorical import Categorical
from torch.distributions.kl import kl_divergence
from torch.distributions.normal import Normal
from torch.distributions.multivariate_normal import MultivariateNormal
from torch.distributions.transforms import AffineTransform, SigmoidTransform
from torch.distributions.utils import broadcast_all
from torch.nn.modules.activation import ReLU
from torch.nn.modules.batchnorm import _BatchNorm
from torch.nn.modules.conv import Conv2d
from torch.nn.modules.linear import Linear
from torch.nn.modules.loss import CrossEntropyLoss, _Loss
from torch.nn.modules.module import Module
from torch.nn.modules.utils import _pair
from torch.nn.parameter import Parameter
from torch.nn.utils.clip_grad import clip_grad_norm_
from torch.nn.utils.convert_parameters import parameters_to_vector
from torch.nn.utils.rnn import pack_padded_sequence
from torch.nn.utils.weight_norm import weight_norm
from torch.optim.adamw import AdamW
from torch.optim.lr_scheduler import StepLR, _LRScheduler
from torch.optim.optimizer import Optimizer
from torch.optim.sgd import SGD
from torch.types import Number
from torch.utils.data.dataloader import DataLoader
from torch.utils.data.dataset import Dataset, TensorDataset
from torch.utils.data.sampler import RandomSampler
from torch.utils.hooks import RemovableHandle
import torch.backends.cudnn as cudnn
import torch.nn.modules.linear
import torch.optim.sgd
from torch.nn.parallel import DataParallel, DistributedDataParallel as DDP
""".strip().splitlines()
REFUSED = ("torch.package", "torch.onnx", "torch.utils.backend_registration", "torch.distributed.fsdp")


@pytest.mark.parametrize("line", WRITTEN)
def test_import_that_people_write_works(line: str) -> None:
    outcome = play(line, words=False).outcome
    assert (outcome.status, outcome.message) == ("ok", "")


@pytest.mark.parametrize("name", REFUSED)
def test_module_that_only_pytorch_has_is_refused_by_name_where_it_is_used(name: str) -> None:
    outcome = play(f"import torch\nimport {name}\n{name}.anything()", words=False).outcome
    assert outcome.error == "ModuleNotFoundError"
    assert outcome.message.startswith(f"No module named '{name}'")
    assert f"PyTorch 2.13 has {name}" in outcome.message


def test_module_that_never_was_gets_pythons_own_words() -> None:
    assert missing_module("torch.nn.modules.lineal") is None
    outcome = play("import torch.lineal", words=False).outcome
    assert outcome.error == "ModuleNotFoundError"
    assert "PyTorch 2.13 has" not in outcome.message


def test_derived_module_holds_what_the_place_above_holds() -> None:
    modules = drop_in.load()
    assert modules["torch.nn.modules.linear"].Linear is modules["torch.nn"].Linear
    assert modules["torch.optim.sgd"].SGD is modules["torch.optim"].SGD
    assert set(everything()) <= set(known_modules())


def test_training_in_many_processes_is_refused_in_pytorchs_words() -> None:
    code = "import torch\nfrom torch.nn.parallel import DistributedDataParallel\nDistributedDataParallel(torch.nn.Linear(1, 1))"
    outcome = play(code, words=False).outcome
    assert (outcome.error, outcome.message.partition(",")[0]) == (
        "ValueError",
        "Default process group has not been initialized",
    )
