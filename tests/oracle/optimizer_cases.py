"""Programs about ``torch.optim``: five steps of every algorithm, its text and state; schedules; refusals."""

from __future__ import annotations

ALGORITHMS = """
SGD(ps, lr=0.01)
SGD(ps, lr=0.01, momentum=0.9)
SGD(ps, lr=0.01, momentum=0.9, nesterov=True, weight_decay=0.1)
SGD(ps, lr=0.01, momentum=0.5, dampening=0.1, maximize=True)
Adam(ps, lr=0.01)
Adam(ps, lr=0.01, amsgrad=True, weight_decay=0.1)
AdamW(ps, lr=0.01)
Adamax(ps)
RMSprop(ps)
RMSprop(ps, centered=True, momentum=0.5, weight_decay=0.1)
Adagrad(ps, lr_decay=0.1)
Adadelta(ps)
NAdam(ps)
NAdam(ps, weight_decay=0.1, decoupled_weight_decay=True)
RAdam(ps, lr=0.1)
Rprop(ps)
ASGD(ps)
Adafactor(ps)
Adafactor(ps, lr=0.1, weight_decay=0.1, maximize=True, d=1.5)
Muon(ps)
Muon(ps[:1], lr=-1.0)
Muon(ps[:1], adjust_lr_fn='other')
Adafactor(ps, d=0.5)
Adafactor(ps, beta2_decay=0.5)
SparseAdam(ps)
SparseAdam(ps, lr=0.0)
"""
SETUP = """
ps = [nn.Parameter(x(2, 3).detach()), nn.Parameter(x(3).detach())]
data = x(4, 2).detach()
def loss():
    opt.zero_grad()
    value = (data @ ps[0] + ps[1]).tanh().pow(2).sum() + ps[1].pow(4).sum()
    value.backward()
    return value
"""
TAKE = "r = [opt, ps, [p._version for p in ps], opt.state_dict()]"
CURVES = """
StepLR(opt, 2)
MultiStepLR(opt, [1, 3, 3])
ConstantLR(opt)
LinearLR(opt)
ExponentialLR(opt, 0.9)
PolynomialLR(opt, 4, 2.0)
CosineAnnealingLR(opt, 3, 0.01)
CosineAnnealingWarmRestarts(opt, 2, 2)
OneCycleLR(opt, 1.0, 12)
OneCycleLR(opt, 1.0, 12, three_phase=True, anneal_strategy='linear')
CyclicLR(opt, 0.1, 1.0, 2)
CyclicLR(opt, 0.1, 1.0, 2, mode='triangular2')
LambdaLR(opt, lambda e: 0.9 ** e)
MultiplicativeLR(opt, lambda e: 0.9)
SequentialLR(opt, [S.ConstantLR(opt, 0.1, 2), S.ExponentialLR(opt, 0.9)], [3])
ChainedScheduler([S.ConstantLR(opt, 0.1, 2), S.ExponentialLR(opt, 0.9)])
"""
ONE = "p = nn.Parameter(torch.ones(2)); opt = optim.SGD([p], lr=0.5, momentum=0.9); S = optim.lr_scheduler\n"
TENSOR = "lr = torch.tensor(0.5, dtype=torch.float64)\n" + ONE.replace("lr=0.5", "lr=lr")
FAMILIES: dict[str, list[str]] = {
    "algorithms": [
        SETUP + f"opt = optim.{made}\nfor _ in range(5):\n    loss()\n    opt.step()\n{TAKE}"
        for made in ALGORITHMS.split("\n")
        if made
    ],
    "closures": [
        SETUP + "opt = optim.LBFGS(ps, lr=0.1)\nlosses = [opt.step(loss).item() for _ in range(3)]\nr = [losses, ps]",
        SETUP
        + "opt = optim.LBFGS(ps, line_search_fn='strong_wolfe', max_iter=4)\nlosses = [opt.step(loss).item() for _ in range(2)]\nr = [losses, ps]",
        SETUP + "opt = optim.SGD(ps)\nr = [opt.step(loss), opt.step()]",
        SETUP + "opt = optim.LBFGS(ps)\nopt.step()",
    ],
    "groups and state": [
        SETUP
        + f"opt = optim.SGD([{{'params': ps[:1], 'lr': 0.1}}, {{'params': ps[1:]}}], lr=0.01)\nloss(); opt.step()\n{TAKE}",
        SETUP + "opt = optim.Adam([('w', ps[0]), ('b', ps[1])])\nr = opt",
        SETUP
        + "opt = optim.Adam(ps)\nloss(); opt.step(); saved = opt.state_dict()\nopt = optim.Adam(ps, lr=0.5)\nopt.load_state_dict(saved); loss(); opt.step()\n"
        + TAKE,
        SETUP
        + "opt = optim.SGD(ps, lr=0.1)\nps[0].grad = torch.ones(2, 3).double(); opt.step()\nr = [ps[0], ps[1], ps[1]._version]",
        SETUP + "opt = optim.SGD(ps[:1])\nopt.add_param_group({'params': ps[1], 'lr': 0.3})\nr = opt",
        SETUP + "opt = optim.SGD(ps)\nloss(); opt.zero_grad(set_to_none=False)\nr = [p.grad for p in ps]",
        ONE
        + "r = []; opt.register_step_pre_hook(lambda o, a, k: r.append('before')); opt.register_step_post_hook(lambda o, a, k: r.append('after')); opt.step()",
        "class Mine(optim.Optimizer):\n    def __init__(self, ps, lr=0.1):\n        super().__init__(ps, dict(lr=lr))\n    @torch.no_grad()\n    def step(self):\n        for g in self.param_groups:\n            for p in g['params']:\n                p.add_(p.grad, alpha=-g['lr'])\np = nn.Parameter(torch.ones(2)); p.grad = torch.ones(2); opt = Mine([p]); opt.step(); r = [opt, p]",
        SETUP + "opt = optim.SGD(ps, lr=0.1)\nkeep = ps[0].pow(2).sum(); loss(); opt.step(); keep.backward()",
    ],
    "schedules": [
        *(
            ONE
            + f"s = S.{made}; r = []\nfor _ in range(8):\n    r.append([opt.param_groups[0]['lr'], opt.param_groups[0]['momentum']]); opt.step(); s.step()\nr.append([s.get_last_lr(), sorted(s.state_dict())])"
            for made in CURVES.split("\n")
            if made
        ),
        *(
            TENSOR
            + f"s = S.{made}; r = []\nfor _ in range(8):\n    r.append(opt.param_groups[0]['lr'].item()); opt.step(); s.step()\nr.append([opt.param_groups[0]['lr'] is lr, s.get_last_lr()])"
            for made in CURVES.split("\n")
            if made
        ),
        TENSOR
        + "s = S.ReduceLROnPlateau(opt, patience=1, factor=0.5)\nfor m in (1, 1, 1, 1):\n    s.step(m)\nr = [opt.param_groups[0]['lr'] is lr, lr, s.get_last_lr()]",
        ONE
        + "s = S.ReduceLROnPlateau(opt, patience=1, factor=0.5); r = []\nfor m in (1, 1, 1, 1, 0.5, 0.6, 0.6, 0.6):\n    s.step(m); r.append(opt.param_groups[0]['lr'])",
        ONE
        + "s = S.StepLR(opt, 2); opt.step(); s.step(); t = S.StepLR(opt, 5); t.load_state_dict(s.state_dict()); r = t.state_dict()",
        ONE + "S.StepLR(opt, 2, last_epoch=3)",
        ONE + "S.LambdaLR(opt, [1, 2])",
        ONE + "S.OneCycleLR(opt, 1.0)",
        "optim.lr_scheduler.StepLR(3, 1)",
    ],
    "averages": [
        "a = optim.swa_utils.AveragedModel(nn.Linear(1, 1)); [a.update_parameters(nn.Linear(1, 1)) for _ in range(3)]; r = [a, a.state_dict()]",
        "a = optim.swa_utils.AveragedModel(nn.Linear(1, 1), multi_avg_fn=optim.swa_utils.get_ema_multi_avg_fn(0.9)); [a.update_parameters(nn.Linear(1, 1)) for _ in range(3)]; r = a.state_dict()",
        *(
            f"m = nn.BatchNorm1d(1); a = optim.swa_utils.AveragedModel(m, multi_avg_fn=optim.swa_utils.{average}(), use_buffers=True)\nfor _ in range(3):\n    m(x(4, 1).float()); a.update_parameters(m)\nr = a.state_dict()"
            for average in ("get_swa_multi_avg_fn", "get_ema_multi_avg_fn")
        ),
        "a = optim.swa_utils.AveragedModel(nn.Linear(1, 1), device='meta'); r = [str(p.device) for p in [*a.parameters(), *a.buffers()]]",
        "m = nn.BatchNorm1d(1); optim.swa_utils.update_bn([x(4, 1).float(), [x(6, 1).float() * 2]], m, device='cpu'); r = m.state_dict()",
        ONE
        + "s = optim.swa_utils.SWALR(opt, 0.05, anneal_epochs=3); r = []\nfor _ in range(5):\n    r.append(opt.param_groups[0]['lr']); opt.step(); s.step()",
    ],
    "refusals": [
        "optim.SGD([])",
        "optim.SGD(nn.Parameter(torch.ones(1)))",
        "optim.SGD([3])",
        "optim.SGD([nn.Parameter(torch.ones(1)) * 2])",
        "optim.SGD([nn.Parameter(torch.ones(1))], lr=-1)",
        "optim.SGD([nn.Parameter(torch.ones(1))], nesterov=True)",
        "optim.Adam([nn.Parameter(torch.ones(1))], betas=(1.0, 0.9))",
        "p = nn.Parameter(torch.ones(1)); optim.SGD([{'params': [p]}, {'params': [p]}])",
        "optim.SGD()",
        "optim.LBFGS([{'params': [nn.Parameter(torch.ones(1))]}, {'params': [nn.Parameter(torch.ones(1))]}])",
    ],
}
PROGRAMS = {program: family for family, programs in FAMILIES.items() for program in programs}
