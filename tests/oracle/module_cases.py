"""Programs about ``torch.nn``'s modules: layers with their state, containers, hooks, saving and loading, initialisation, helpers."""

from __future__ import annotations

LAYERS = """
nn.Linear(3, 2) | 4, 3
nn.Linear(3, 2, bias=False) | 2, 4, 3
nn.Conv2d(2, 3, 2, padding=1) | 1, 2, 3, 3
nn.Conv1d(2, 4, 3, padding='same', groups=2, padding_mode='circular') | 1, 2, 5
nn.ConvTranspose2d(2, 3, 2, stride=2) | 1, 2, 2, 2
nn.BatchNorm1d(3) | 4, 3
nn.BatchNorm2d(2, momentum=None) | 2, 2, 2, 2
nn.InstanceNorm1d(2, affine=True, track_running_stats=True) | 2, 2, 3
nn.LayerNorm([2, 3]) | 2, 2, 3
nn.GroupNorm(2, 4) | 1, 4, 2
nn.RMSNorm(3) | 2, 3
nn.PReLU(2) | 2, 2
nn.LeakyReLU(0.2) | 2, 3
nn.Softmax(dim=1) | 2, 3
nn.Dropout(0.3) | 3, 4
nn.Flatten() | 2, 2, 3
nn.Unflatten(1, (2, 2)) | 2, 4
nn.Upsample(scale_factor=2) | 1, 1, 2
nn.ZeroPad2d((1, 0, 2, 1)) | 1, 2, 2
nn.MaxPool2d(2) | 1, 1, 4, 4
nn.AdaptiveAvgPool2d((1, 2)) | 1, 1, 4, 4
nn.RNN(3, 2, 2, bidirectional=True) | 3, 1, 3
nn.GRU(3, 2, batch_first=True) | 2, 3, 3
nn.LSTM(3, 2) | 3, 2, 3
nn.LSTM(3, 4, proj_size=2) | 3, 3
nn.RNNCell(3, 2) | 2, 3
nn.LSTMCell(3, 2) | 2, 3
nn.GRUCell(3, 2, bias=False) | 3
nn.TransformerEncoderLayer(4, 2, 6) | 3, 2, 4
nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 6, dropout=0.0, batch_first=True), 2) | 2, 3, 4
nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1)) | 2, 3
"""
"""A layer, and the shape of its input."""


def layer_program(layer: str, shape: str) -> str:
    """Text, state, output and gradients of one layer in double precision."""
    return (
        f"m = {layer}.double(); a = x({shape}); y = m(a); first = y[0] if isinstance(y, tuple) else y\n"
        "r = [m, m.state_dict(), y, gradients(first, a=a), [p.grad for p in m.parameters()]]"
    )


NET = "net = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1)).double()\n"
TREE = """
class Tree(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(1, 2)
        self.b = nn.ModuleList([nn.ReLU(), self.a])
        self.scale = nn.Parameter(torch.ones(1))
        self.register_buffer('seen', torch.zeros(2))
        self.register_buffer('hidden', torch.ones(1), persistent=False)
tree = Tree()
"""
PRUNE = "import importlib; prune = importlib.import_module(nn.__package__ + '.utils.prune'); torch.manual_seed(0); m = nn.Linear(4, 3).double()\n"
FAMILIES: dict[str, list[str]] = {
    "layers": [layer_program(*(part.strip() for part in line.split("|"))) for line in LAYERS.split("\n") if line],
    "tree": [
        TREE + "r = [tree, [n for n, _ in tree.named_modules()], [n for n, _ in tree.named_parameters()]]",
        TREE
        + "r = [[n for n, _ in tree.named_buffers()], list(tree.state_dict()), [n for n, _ in tree.named_children()]]",
        TREE + "r = [n for n, _ in tree.named_parameters(remove_duplicate=False)]",
        TREE + "r = [tree.get_submodule('b.1') is tree.a, tree.get_parameter('a.weight') is tree.a.weight]",
        TREE + "r = tree.get_submodule('b.5')",
        TREE + "tree.eval(); r = [m.training for m in tree.modules()]",
        TREE + "tree.a = None; r = [tree, list(tree.state_dict())]",
        TREE + "del tree.scale; r = list(tree.state_dict())",
        TREE + "tree.scale = 3",
        TREE + "tree.seen = 'no'",
        TREE + "tree.a = 3",
        TREE + "tree.missing",
        TREE + "seen = []; tree.apply(lambda m: seen.append(type(m).__name__)); r = seen",
        TREE + "tree.requires_grad_(False); r = [p.requires_grad for p in tree.parameters()]",
        TREE + "r = [tree.double().scale.dtype, tree.to(torch.float16).seen.dtype]",
        TREE + "tree.to(torch.int64)",
        TREE + "tree(1)",
        "import copy\n"
        + NET
        + "twin = copy.deepcopy(net); r = [twin, twin[0].weight is net[0].weight, twin.state_dict()]",
        "class M(nn.Module):\n    def __init__(self):\n        self.l = nn.Linear(1, 1)\nM()",
        "class M(nn.Module):\n    def __init__(self):\n        self.p = nn.Parameter(torch.ones(1))\nM()",
        "nn.Module().register_parameter('a.b', None)",
        "nn.Module().register_parameter('w', torch.ones(1))",
        "nn.Module().register_buffer('', None)",
        "nn.Module().add_module('m', 3)",
        "nn.Module().train(1)",
        "nn.Linear(1, 1)()",
        "nn.Linear(2)",
    ],
    "containers": [
        "s = nn.Sequential(nn.ReLU(), nn.Tanh(), nn.Sigmoid()); r = [s[1:], s[-1], len(s), [type(m).__name__ for m in s]]",
        "from collections import OrderedDict\nr = nn.Sequential(OrderedDict([('first', nn.ReLU()), ('second', nn.Linear(1, 2))]))",
        "s = nn.Sequential(nn.ReLU()); s.append(nn.Tanh()); s.insert(0, nn.Sigmoid()); del s[1]; r = s",
        "r = nn.Sequential(3)",
        "r = nn.Sequential(nn.ReLU())[2]",
        "r = nn.ModuleList([nn.Linear(1, 2), nn.Linear(1, 2), nn.ReLU()])",
        "m = nn.ModuleList(); m.extend([nn.ReLU(), nn.Tanh()]); m += [nn.Sigmoid()]; m.pop(0); r = [m, m[-1]]",
        "d = nn.ModuleDict({'a': nn.ReLU(), 'b': nn.Linear(1, 1)}); d['c'] = nn.Tanh(); d.pop('a'); r = [d, list(d), 'b' in d]",
        "nn.ModuleDict({'a': nn.ReLU()})['b']",
        "nn.ModuleList()(1)",
        (
            "s = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3), nn.Sequential(nn.BatchNorm2d(2, affine=False))); s[1].eval()\n"
            "r = nn.SyncBatchNorm.convert_sync_batchnorm(s); r = [r is s, r, r[1].training, list(r.state_dict()), r[2][0].process_group]"
        ),
        "b = nn.BatchNorm1d(2); c = nn.SyncBatchNorm.convert_sync_batchnorm(b); r = [c.weight is b.weight, c.running_var is b.running_var]",
        "r = nn.SyncBatchNorm(2).double()(x(3, 2))",
        "nn.SyncBatchNorm(2)(torch.ones(2))",
        "nn.SyncBatchNorm(2)(torch.ones(2, 0))",
        "p = nn.ParameterList([torch.ones(2), nn.Parameter(torch.zeros(1, 3))]); p.append(torch.ones(1)); r = [p, list(p.state_dict()), len(p)]",
        "p = nn.ParameterDict({'b': torch.ones(2), 'a': nn.Parameter(torch.zeros(3))}); r = [p, list(p.keys()), p['a'].requires_grad]",
    ],
    "state": [
        NET
        + "other = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1)).double(); answer = other.load_state_dict(net.state_dict()); r = [answer, other.state_dict()]",
        NET + "r = net.load_state_dict({'0.weight': net[0].weight, 'surplus': torch.ones(1)}, strict=False)",
        NET + "net.load_state_dict({})",
        NET + "net.load_state_dict({**net.state_dict(), '0.weight': torch.ones(1)})",
        NET + "net.load_state_dict(3)",
        NET + "v = net[0].weight._version; net.load_state_dict(net.state_dict()); r = [v, net[0].weight._version]",
        NET + "r = list(net.state_dict(prefix='p.'))",
        NET + "net(x(4, 2)).sum().backward(); net.zero_grad(); r = [p.grad for p in net.parameters()]",
        NET + "net(x(4, 2)).sum().backward(); net.zero_grad(set_to_none=False); r = [p.grad for p in net.parameters()]",
    ],
    "hidden states": [
        "nn.LSTM(2, 3)(torch.ones(4, 1, 2), torch.zeros(1, 1, 3))",
        "nn.LSTM(2, 3)(torch.ones(4, 1, 2), (torch.zeros(1, 3), torch.zeros(1, 3)))",
        "nn.LSTM(2, 3)(torch.ones(4, 2), (torch.zeros(1, 1, 3), torch.zeros(1, 3)))",
        "nn.LSTM(2, 3)(torch.ones(4, 1, 2), [torch.zeros(1, 1, 3)])",
        "nn.GRU(2, 3)(torch.ones(4, 1, 2), torch.zeros(1, 3))",
        "nn.RNN(2, 3)(torch.ones(4, 2), torch.zeros(1, 1, 3))",
    ],
    "transposed sizes": [
        "nn.ConvTranspose2d(2, 1, 2, output_padding=2)(torch.ones(1, 2, 3, 3))",
        "nn.ConvTranspose1d(2, 1, 2, output_padding=1)(torch.ones(1, 2, 3))",
        "nn.ConvTranspose3d(1, 1, 2, stride=(1, 2, 1), output_padding=1)(torch.ones(1, 1, 3, 3, 3))",
        "nn.ConvTranspose2d(2, 1, 2, stride=2)(torch.ones(1, 2, 3, 3), output_size=[9, 9])",
        "nn.ConvTranspose2d(2, 1, 2, stride=2)(torch.ones(1, 2, 3, 3), output_size=[7])",
        "r = nn.ConvTranspose2d(2, 1, 2, stride=2)(torch.ones(1, 2, 3, 3), output_size=torch.Size([1, 1, 7, 6])).shape",
        "r = nn.ConvTranspose2d(2, 1, 2, stride=2)(torch.ones(2, 3, 3), output_size=[1, 7, 6]).shape",
    ],
    "lazy": [
        "m = nn.LazyLinear(2); before = repr(m); y = m(torch.ones(1, 3)); r = [before, m, y, type(m)]",
        "m = nn.Sequential(nn.LazyConv2d(4, 3), nn.LazyBatchNorm2d()); before = repr(m); m(torch.ones(1, 2, 5, 5)); r = [before, m, list(m.state_dict())]",
        "nn.LazyLinear(2).weight.shape",
    ],
    "hooks": [
        NET
        + "r = []; net[0].register_forward_hook(lambda m, i, o: r.append(['forward', o.shape])); net[1].register_forward_pre_hook(lambda m, i: r.append(['before', i[0].shape])); net(x(4, 2))",
        NET
        + "net[0].register_forward_hook(lambda m, i, o: o * 2); net[1].register_forward_pre_hook(lambda m, i: (i[0] + 1,)); r = net(x(4, 2))",
        NET
        + "r = []; h = net.register_forward_hook(lambda m, i, k, o: r.append(sorted(k)), with_kwargs=True); net(input=x(4, 2)); h.remove(); net(x(4, 2))",
        NET
        + "r = []; net[2].register_full_backward_hook(lambda m, gi, go: r.append([gi, go])); net(x(4, 2)).sum().backward()",
        NET
        + "net[1].register_full_backward_hook(lambda m, gi, go: (gi[0] * 0,)); net(x(4, 2)).sum().backward(); r = [p.grad for p in net.parameters()]",
        NET
        + "net[2].register_full_backward_pre_hook(lambda m, go: (go[0] * 3,)); net(x(4, 2)).sum().backward(); r = [p.grad for p in net.parameters()]",
        NET + "net[2].register_full_backward_hook(lambda m, gi, go: None); r = net(x(4, 2))",
        "r = []; m = nn.Linear(1, 1); m.register_forward_hook(lambda m, i, o: r.append(o), always_call=True)\ntry:\n    m(torch.ones(2))\nexcept RuntimeError:\n    r.append('raised')",
    ],
    "initialisation": [
        *(
            f"t = torch.empty(3, 4, dtype=torch.float64); nn.init.{call}; r = t"
            for call in (
                "uniform_(t, -1, 2)",
                "normal_(t, 1, 2)",
                "constant_(t, 3)",
                "eye_(t)",
                "xavier_uniform_(t)",
                "xavier_normal_(t, 2)",
                "kaiming_uniform_(t, nonlinearity='relu')",
                "kaiming_normal_(t, mode='fan_out')",
                "trunc_normal_(t)",
                "sparse_(t, 0.4)",
            )
        ),
        "t = torch.empty(2, 2, 3); r = nn.init.dirac_(t)",
        "r = [nn.init.calculate_gain(n) for n in ('linear', 'tanh', 'relu', 'selu')] + [nn.init.calculate_gain('leaky_relu', 0.3)]",
        "nn.init.calculate_gain('step')",
        "nn.init.xavier_uniform_(torch.empty(3))",
    ],
    "helpers": [
        NET
        + "net(x(4, 2)).sum().backward(); r = [nn.utils.clip_grad_norm_(net.parameters(), 0.5), [p.grad for p in net.parameters()]]",
        NET
        + "net(x(4, 2)).sum().backward(); nn.utils.clip_grad_value_(net.parameters(), 0.3); r = [p.grad for p in net.parameters()]",
        "p = nn.Parameter(torch.ones(2)); p.grad = torch.tensor([float('nan'), 1.0]); nn.utils.clip_grad_norm_([p], 1.0, error_if_nonfinite=True)",
        NET
        + "v = nn.utils.parameters_to_vector(net.parameters()); nn.utils.vector_to_parameters(torch.arange(13.).double(), net.parameters()); r = [v, net.state_dict()]",
        "m = nn.utils.weight_norm(nn.Linear(2, 3)); r = [list(m.state_dict()), [type(h).__name__ for h in m._forward_pre_hooks.values()]]",
        "m = nn.utils.parametrizations.weight_norm(nn.Linear(2, 2).double()); r = [m, list(m.state_dict()), m.weight.shape]",
        *(
            f"torch.manual_seed(0); m = nn.utils.parametrizations.weight_norm({layer}.double(), dim={dim}); w = m.weight\n"
            "r = [w, w.grad_fn.name(), [f[0].name() for f in w.grad_fn.next_functions], m.parametrizations.weight.original0]\n"
            "first = torch.autograd.grad(w.pow(2).mul(w).sum(), list(m.parametrizations.parameters()), create_graph=True)\n"
            "r += [first, [g.grad_fn.name() for g in first]]\n"
            "r.append(torch.autograd.grad(sum(g.pow(2).sum() for g in first), list(m.parametrizations.parameters())))"
            for layer, dim in (
                ("nn.Linear(3, 2)", 0),
                ("nn.Linear(3, 2)", 1),
                ("nn.Linear(3, 2)", None),
                ("nn.Conv2d(2, 3, 2)", 2),
            )
        ),
        (
            "v, g = x(2, 3), x(2, 1); w, n = torch._weight_norm_interface(v, g, 0)\n"
            "r = [w, n, n.requires_grad, w.grad_fn._saved_dim, w.grad_fn._saved_v, gradients(w, v=v, g=g)]"
        ),
        "r = [torch.norm_except_dim(x(2, 3, 2), 2, dim) for dim in (0, 1, 2, -1)]",
        "class Skew(nn.Module):\n    def forward(self, w):\n        return w.triu(1) - w.triu(1).T\nm = nn.Linear(2, 2).double(); nn.utils.parametrize.register_parametrization(m, 'weight', Skew()); r = [m, m.weight, list(m.state_dict())]",
        "r = nn.utils.rnn.pad_sequence([torch.ones(2), torch.zeros(3)], batch_first=True, padding_value=-1)",
        "p = nn.utils.rnn.pack_padded_sequence(x(3, 2, 1), [1, 3], enforce_sorted=False); r = [p.data, p.batch_sizes, p.sorted_indices, nn.utils.rnn.pad_packed_sequence(p)]",
        "m = nn.GRU(1, 2).double(); o, h = m(nn.utils.rnn.pack_padded_sequence(x(3, 2, 1), [3, 2])); r = [o.data, h]",
        "nn.utils.rnn.pack_padded_sequence(x(3, 2, 1), [1, 3])",
        NET + "r = torch.func.functional_call(net, {'2.bias': torch.zeros(1).double()}, (x(1, 2),))",
        "b = nn.Buffer(torch.ones(2)); m = nn.Identity(); m.b = b; r = [b, type(b), isinstance(b, nn.Buffer), list(m.state_dict())]",
        *(
            f"m = nn.{layer}; a = x(2, 3); y = m(a); r = [y, gradients(y, a=a)]"
            for layer in ("ELU()", "ELU(0.5)", "CELU(0.5)", "SELU()", "Hardtanh(-0.2, 0.4)", "Threshold(0.1, 2.0)")
        ),
    ],
    "sequences": [
        f"s = nn.Sequential(nn.ReLU(), nn.Tanh()); {program}"
        for program in (
            "r = [s * 2, 2 * s, s * True, s + s, (s * 2)[2] is s[0]]",
            "t = s; t *= 2; r = [t is s, t]",
            "t = s; t += nn.Sequential(nn.ELU()); r = [t is s, t]",
            "s * 0",
            "s * 1.5",
            "s *= 'x'",
            "s + 3",
            "s += [nn.ELU()]",
            "s.insert(5, nn.ELU())",
            "s.insert(0, 3)",
            "r = [s.insert(2, nn.ELU()), s.insert(-3, nn.GELU())]",
        )
    ],
    "pruning": [
        *(
            PRUNE + f"prune.{call}; r = [list(m.state_dict()), m.weight, m.weight_mask, len(m._forward_pre_hooks)]"
            for call in (
                "l1_unstructured(m, 'weight', amount=5)",
                "l1_unstructured(m, 'weight', amount=0.3, importance_scores=x(3, 4))",
                "random_unstructured(m, 'weight', amount=0.5)",
                "random_structured(m, 'weight', amount=1, dim=1)",
                "ln_structured(m, 'weight', amount=0.34, n=1, dim=0)",
                "identity(m, 'weight')",
                "custom_from_mask(m, 'weight', torch.eye(3, 4))",
                "l1_unstructured(m, 'weight', 2); prune.ln_structured(m, 'weight', 1, 2, -1); prune.random_unstructured(m, 'weight', 2)",
                "global_unstructured([(m, 'weight'), (m, 'bias')], prune.L1Unstructured, amount=6)",
            )
        ),
        *(
            PRUNE + f"prune.{call}"
            for call in (
                "l1_unstructured(m, 'weight', amount=1.5)",
                "l1_unstructured(m, 'weight', amount=13)",
                "l1_unstructured(m, 'weight', amount='a')",
                "random_structured(m, 'bias', 1, 0)",
                "ln_structured(m, 'weight', 1, 2, 5)",
                "remove(m, 'weight')",
                "global_unstructured(3, prune.L1Unstructured)",
                "global_unstructured([(m, 'weight')], prune.LnStructured, amount=1, n=2)",
            )
        ),
        PRUNE
        + "prune.l1_unstructured(m, 'weight', 4); y = m(x(2, 4)).sum(); y.backward(); r = [m.weight_orig.grad, prune.is_pruned(m)]",
        PRUNE
        + "prune.l1_unstructured(m, 'weight', 4); prune.remove(m, 'weight'); r = [list(m.state_dict()), m.weight, prune.is_pruned(m)]",
        PRUNE + "r = prune.L1Unstructured(2).prune(x(2, 3))",
    ],
    "orthogonal": [
        *(
            "torch.manual_seed(0); m = nn.utils.parametrizations.orthogonal(nn.Linear({}, {}).double(), {}); "
            "r = [m, list(m.state_dict()), m.weight]".format(*setting)
            for setting in (
                (3, 3, ""),
                (2, 3, ""),
                (4, 2, ""),
                (3, 3, "orthogonal_map='cayley'"),
                (3, 3, "orthogonal_map='householder', use_trivialization=False"),
                (3, 3, "orthogonal_map='matrix_exp', use_trivialization=False"),
            )
        ),
        "m = nn.utils.parametrizations.orthogonal(nn.Linear(2, 2).double()); m(x(3, 2)).sum().backward(); r = m.parametrizations.weight.original.grad.shape",
        "nn.utils.parametrizations.orthogonal(nn.Linear(2, 2), 'bias')",
        "nn.utils.parametrizations.orthogonal(nn.Linear(2, 2), 'nothing')",
        "nn.utils.parametrizations.orthogonal(nn.Linear(2, 2), orthogonal_map='other')",
    ],
}
PROGRAMS = {program: family for family, programs in FAMILIES.items() for program in programs}
