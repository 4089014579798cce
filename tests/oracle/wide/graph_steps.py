"""Statements about the graph itself: backward passes, hooks, custom functions, saved tensors, modules, optimizers."""

from __future__ import annotations

from tests.oracle.wide.writer import Writer

KEEPS = ("", "", "", ", retain_graph=True", ", retain_graph=True", ", create_graph=True")
PASSES = """
{t}.sum().backward({k})
{t}.sum().backward({k})
{t}.backward({k})
{t}.backward(torch.ones_like({t}){ck})
seen({n}, *torch.autograd.grad({t}.sum(), [{u}, {w}]{ck}, allow_unused=True))
seen({n}, *torch.autograd.grad({t}.sum(), {u}{ck}))
seen({n}, *torch.autograd.grad([{t}.sum(), {w}.sum()], [{u}]{ck}, allow_unused=True))
seen({n}, *torch.autograd.grad({t}.sum(), [{u}, {w}]{ck}, materialize_grads=True))
seen({n}, *torch.autograd.grad({t}, {u}, torch.ones_like({t}) * 0.5{ck}, allow_unused=True))
{t}.sum().backward(inputs=[{u}]{ck})
{t}.sum().backward(inputs=[{u}, {w}]{ck})
torch.autograd.backward([{t}.sum(), {u}.sum()]{ck})
torch.autograd.backward([{t}, {u}], [torch.ones_like({t}), None]{ck})
seen({n}, *torch.autograd.grad(torch.autograd.grad({t}.exp().sum(), {u}, create_graph=True)[0].sum(), {u}))
torch.autograd.grad({t}.pow(3).sum(), {u}, create_graph=True)[0].square().sum().backward({k})
seen({n}, *torch.autograd.grad({t}, {u}, torch.eye({t}.numel(), dtype={t}.dtype).view(-1, *{t}.shape), is_grads_batched=True))
seen({n}, torch.autograd.functional.jacobian(lambda z: z.exp().sum(), {t}.detach()))
seen({n}, torch.autograd.functional.hvp(lambda z: z.pow(3).sum(), {t}.detach(), torch.ones_like({t}))[1])
seen({n}, torch.func.grad(lambda z: (z * z).sum())({t}))
{t}.sum().backward({k}); {t}.sum().backward({k})
{t}.backward(torch.ones(7))
{u}.grad.add_(1)
{u}.grad.zero_()
{u}.grad = None
{u}.grad = torch.ones_like({u})
{u}.grad.detach_()
seen({n}, {u}.grad)
""".strip().splitlines()
HOOKS = """
{t}.register_hook(lambda g: seen({n}, g))
{t}.register_hook(lambda g: (seen({n}, g), g * 2)[1])
{t}.register_hook(lambda g: g.clamp(-1, 1))
{t}.register_hook(lambda g: torch.zeros_like(g))
{t}.register_hook(lambda g: 5)
{t}.register_hook(lambda g: g.sum())
{t}.register_hook(lambda g: g.double())
{t}.register_hook(lambda g: 1 / 0)
{t}.register_hook(lambda g: seen({n}, g)).remove()
{t}.register_hook(lambda g: seen({n}, g.shape, g.stride(), g.requires_grad, g.is_contiguous()))
{t}.retain_grad()
{t}.retain_grad(); {t}.retain_grad()
{t}.register_post_accumulate_grad_hook(lambda t: seen({n}, t.grad))
{t}.register_post_accumulate_grad_hook(lambda t: setattr(t, 'grad', None))
{t}.register_post_accumulate_grad_hook(lambda t: t.grad.mul_(2))
{t}.grad_fn.register_prehook(lambda gs: seen({n}, *gs))
{t}.grad_fn.register_prehook(lambda gs: tuple(None if g is None else g * 3 for g in gs))
{t}.grad_fn.register_hook(lambda gi, go: seen({n}, *gi, *go))
{t}.grad_fn.register_hook(lambda gi, go: tuple(None if g is None else g * 2 for g in gi))
{t}.grad_fn.register_hook(lambda gi, go: gi + gi)
{n}h = register_multi_grad_hook([{t}, {u}], lambda gs: seen({n}, *gs))
{n}h = register_multi_grad_hook([{t}, {u}], lambda g: seen({n}, g), mode='any')
{n}h = torch.autograd.graph.get_gradient_edge({t}).node.register_hook(lambda gi, go: seen({n}, *go))
seen({n}, {t}.grad_fn.next_functions[0][0].name(), len({t}.grad_fn.next_functions))
{t}.grad_fn.metadata['k'] = 1; seen({n}, {t}.grad_fn.metadata)
seen({n}, {t}._backward_hooks is None, {t}.retains_grad, {t}.is_leaf)
seen({n}, {t}.grad_fn({u}))
""".strip().splitlines()
CUSTOM = """
Double.apply({t})
Swap.apply({t}, {u})[0]
Swap.apply({t}, {u})[1]
Materialised.apply({t})[0]
ScaleInPlace.apply({t} * 1)
ScaleInPlace.apply({t})
ForgetsDirty.apply({t} * 1)
WithMask.apply({t})[0]
WithMask.apply({t})[1]
Blocks.apply({t}, 3)
Same.apply({t})
Viewed.apply({t})
Once.apply({t})
SetUp.apply({t}, {u}, 2.0)
SavesOutput.apply({t})
TooMany.apply({t})
WrongShape.apply({t})
Raises.apply({t})
Double.apply(Double.apply({t}))
checkpoint(lambda z: (z * z).tanh(), {t}, use_reentrant=False)
checkpoint(lambda z, y: Double.apply(z) + y.sum(), {t}, {u}, use_reentrant=False)
checkpoint(lambda z: (seen({n}, 'run'), z.exp())[1], {t}, use_reentrant=True)
checkpoint(lambda z: (seen({n}, 'run'), z.exp() * z)[1], {t}, use_reentrant=False)
torch.utils.checkpoint.checkpoint_sequential([nn.Tanh(), nn.Sigmoid()], 2, {t}, use_reentrant=False)
""".strip().splitlines()
SAVED = """
with saved_tensors_hooks(lambda x: (seen({n}, x), x)[1], lambda x: (seen({n}, 'out'), x)[1]): {v} = {t} * {t}
with saved_tensors_hooks(lambda x: x.detach().clone(), lambda x: x * 2): {v} = {t}.exp()
with saved_tensors_hooks(lambda x: x.shape, lambda s: torch.ones(s)): {v} = {t} * {t}.tanh()
with saved_tensors_hooks(lambda x: 7, lambda x: x): {v} = {t} * {t}
with torch.autograd.graph.save_on_cpu(): {v} = {t} * {t}.exp()
with torch.autograd.graph.disable_saved_tensors_hooks('not now'): {v} = {t} * {t}
with torch.autograd.set_detect_anomaly(True): {v} = {t} * {t}
with torch.autograd.graph.allow_mutation_on_saved_tensors(): {v} = {t} * {t}
{t}.grad_fn._raw_saved_self.register_hooks(lambda x: x, lambda x: x * 2)
{v} = {t}.grad_fn._saved_self
{v} = {t}.grad_fn._saved_result
{v} = {t}.grad_fn._saved_other
seen({n}, sorted(a for a in dir({t}.grad_fn) if a.startswith('_saved')))
""".strip().splitlines()
MODULES = """
{v} = (torch.manual_seed(0), nn.Linear({last}, 2).to({t}.dtype))[1]({t})
{v} = (torch.manual_seed(0), nn.Sequential(nn.Linear({last}, 3), nn.ReLU(), nn.Linear(3, 1)).to({t}.dtype))[1]({t})
{v} = nn.LayerNorm({last}).to({t}.dtype)({t})
{v} = (torch.manual_seed(0), nn.GRUCell({last}, 2).to({t}.dtype))[1]({t}.reshape(-1, {last}))
{v} = (torch.manual_seed(0), nn.LSTM({last}, 2, batch_first=True).to({t}.dtype))[1]({t}.reshape(1, -1, {last}))[0]
{v} = (torch.manual_seed(0), nn.RNN({last}, 2).to({t}.dtype))[1]({t}.reshape(-1, 1, {last}))[1]
{v} = nn.BatchNorm1d({last}).to({t}.dtype)({t}.reshape(-1, {last}))
{v} = (torch.manual_seed(0), nn.MultiheadAttention({last}, 1, batch_first=True).to({t}.dtype))[1]({t}.reshape(1, -1, {last}), {t}.reshape(1, -1, {last}), {t}.reshape(1, -1, {last}))[0]
{v} = nn.CrossEntropyLoss()({t}.reshape(-1, {last}), torch.zeros({t}.numel() // {last}, dtype=torch.int64))
m = nn.Linear({last}, {last}, bias=False).to({t}.dtype); nn.init.ones_(m.weight); m.register_full_backward_hook(lambda m, gi, go: seen({n}, *gi, *go)); {v} = m({t})
m = nn.Tanh(); m.register_forward_hook(lambda m, i, o: o * 2); m.register_full_backward_pre_hook(lambda m, go: tuple(g * 2 for g in go)); {v} = m({t})
p = nn.Parameter({t}.detach().clone()); {v} = (p * {t}).sum(); {v}.backward(retain_graph=True); torch.optim.SGD([p], lr=0.1, momentum=0.9).step(); seen({n}, p)
p = nn.Parameter({t}.detach().clone()); o = torch.optim.Adam([p], lr=0.1); p.square().sum().backward(); o.step(); o.zero_grad(); seen({n}, p, p.grad); {v} = p * {t}
nn.utils.clip_grad_norm_([{t}], 0.5)
torch.optim.SGD([{t}], lr=0.1).step()
torch.optim.SGD([{t}], lr=0.1).zero_grad()
torch.optim.SGD([{t}], lr=0.1).zero_grad(set_to_none=False)
""".strip().splitlines()
MISTAKES = """
{v} = {t} + torch.ones(7)
{v} = {t} @ torch.ones(7, 7)
{v} = {t}.sum(9)
{v} = {t}[99]
{v} = {t}.view(7, 7)
{v} = torch.cat([{t}, torch.ones(1, 1, 1, 1, 1)])
{v} = torch.tensor([1, 2], requires_grad=True)
{v} = {t}.reshape(-1, -1)
{v} = {t}.item()
{v} = float({t})
{v} = bool({t})
{v} = {t}.numpy()
{v} = {t}.detach().numpy().sum().item()
{v} = {t} & {t}
{v} = {t}.argmax().backward()
{v} = torch.stack([{t}, torch.ones(5, 5)])
{v} = {t}.mm(torch.ones(2))
{v} = {t}.expand(7, 7, 7)
{v} = torch.ones(2).backward()
{v} = {t}.long().requires_grad_()
{v} = {t}.permute(0, 0)
{v} = {t}.squeeze(5)
{v} = {t}.gather(0, {t})
{v} = torch.where({t}, {t}, {t})
{v} = {t}.index_select(0, torch.tensor([50]))
{v} = {t}.masked_fill(torch.ones(2), 0)
{v} = {t}.add_(torch.ones(6, 7, 8, 9))
{v} = F.cross_entropy({t}, {t}.long())
{v} = torch.softmax({t}, 7)
{v} = {t}.repeat(0)
{v} = {t}.unfold(0, 50, 1)
{v} = {t}.chunk(0)
{v} = {t}.long().mean()
{v} = {t}.half().sum() + {t}
{v} = {t}.int().add_({t})
{v} = {t}.requires_grad
{v} = copy.deepcopy({t})
{v} = {t}.tolist()
{v} = len({t})
{v} = [*{t}]
{v} = {t}.fooo
{v} = torch.foo
{v} = {t}.data_ptr() == {t}.detach().data_ptr()
{v} = {t}.is_set_to({t})
{v} = {t} in [{t}]
{v} = {t}.grad.grad_fn
{v} = hash({t}) == id({t})
""".strip().splitlines()


class GraphSteps(Writer):
    """Steps about the graph."""

    def backward(self, name: str) -> None:
        """A pass, or what people do to its results."""
        keep = self.choose(*KEEPS)
        known = [n for n in self.known if self.known[n].is_float]
        self.say(self.choose(*PASSES).format(
            t=self.any(lambda k: k.is_float), u=self.random.choice(known), w=self.random.choice(known), n=repr(name), k=keep[2:], ck=keep
        ))  # fmt: skip

    def hook(self, name: str) -> None:
        """A hook of any kind."""
        others = [n for n in self.known if self.known[n].is_float]
        pattern = self.choose(*HOOKS)
        label = name if "{n}h" in pattern else repr(name)
        statement = pattern.replace("{n}h", f"{name}h").replace("{n}", repr(name))
        del label
        self.say(statement.replace("{t}", self.any(lambda k: k.is_float)).replace("{u}", self.random.choice(others)))

    def custom(self, name: str) -> None:
        """A custom function or a checkpoint."""
        source = self.any(lambda k: k.is_float)
        known = self.known[source]
        pattern = self.choose(*CUSTOM)
        other = (
            self.any(lambda k: k.is_float and k.shape == known.shape)
            if pattern.startswith("SetUp")
            else self.any(lambda k: k.is_float)
        )
        keeps_shape = "Viewed" not in pattern and "Swap" not in pattern
        self.bind(
            name, pattern.format(t=source, u=other, n=repr(name)), known.shape if keeps_shape else None, known.dtype
        )

    def saved(self, name: str) -> None:
        """Hooks on what is saved, and looks at it."""
        source = self.any(lambda k: k.is_float)
        pattern = self.choose(*SAVED)
        self.say(pattern.format(t=source, v=name, n=repr(name)))
        if "{v} =" in pattern:
            self.known[name] = self.known[source]._replace(shape=None)

    def module(self, name: str) -> None:
        """A layer, a loss, an optimizer's step."""
        source = self.floating(1) or self.any(lambda k: k.is_float)
        shape = self.known[source].shape
        pattern = self.choose(*MODULES)
        self.say(pattern.format(t=source, v=name, n=repr(name), last=shape[-1] if shape and shape[-1] else 1))
        if "{v} =" in pattern:
            self.known[name] = self.known[source]._replace(shape=None)

    def flag(self, name: str) -> None:
        """requires_grad and its kin."""
        source = self.any()
        self.say(self.choose(
            f"{source}.requires_grad_()", f"{source}.requires_grad_(False)", f"{source}.requires_grad = True",
            f"{source}.requires_grad = False", f"{source} = nn.Parameter({source})", f"{source} = nn.Parameter({source}.detach())",
        ))  # fmt: skip

    def mistake(self, name: str) -> None:
        """What raises, or gives no tensor."""
        self.say(self.choose(*MISTAKES).format(t=self.any(), v=name))
