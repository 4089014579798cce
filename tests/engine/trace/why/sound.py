"""Sound programs: nothing may be warned about in any of them."""

from __future__ import annotations

import itertools

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


PATTERNS = {
    "two models, one optimizer": """
a, b = nn.Linear(2, 1), nn.Linear(2, 1)
opt = torch.optim.SGD(a.parameters(), lr=0.1)
x = torch.randn(4, 2)
a(x).sum().backward()
opt.step()
b(x).sum().backward()
""",
    "batch norm frozen on purpose": """
model = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3), nn.Linear(3, 1))
model[1].eval()
opt = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.randn(4, 2)
model(x).pow(2).mean().backward()
opt.step()
""",
    "teacher in evaluation mode": """
teacher, student = nn.Linear(2, 1), nn.Linear(2, 1)
teacher.eval()
opt = torch.optim.SGD(student.parameters(), lr=0.1)
x = torch.randn(4, 2)
with torch.no_grad():
    wanted = teacher(x)
F.mse_loss(student(x), wanted).backward()
opt.step()
""",
    "a result takes its input's name": """
x = torch.ones(2, requires_grad=True)
x = x * 2
x.sum().backward()
""",
    "attention": """
x = torch.randn(3, 4, requires_grad=True)
scores = (x @ x.T).softmax(dim=1)
logits = scores @ x
F.cross_entropy(logits, torch.tensor([0, 1, 2])).backward()
""",
    "manual update": """
w = torch.tensor(1.0, requires_grad=True)
for i in range(3):
    loss = (w - 3) ** 2
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
        w.grad.zero_()
""",
    "grad set to None": """
w = torch.tensor(1.0, requires_grad=True)
for i in range(3):
    loss = (w - 3) ** 2
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
    w.grad = None
""",
    "two losses added": """
w = torch.tensor(1.0, requires_grad=True)
h = w * 2
((h - 1) ** 2 + (h - 2) ** 2).backward()
""",
    "two losses, retained": """
w = torch.tensor(1.0, requires_grad=True)
h = w ** 2
(h * 2).backward(retain_graph=True)
(h * 3).backward()
""",
    "micro-batches": """
model = nn.Linear(2, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
data = [(torch.randn(2, 2), torch.randn(2, 1)) for _ in range(4)]
opt.zero_grad()
for i, (x, y) in enumerate(data):
    (F.mse_loss(model(x), y) / 2).backward()
    if i % 2:
        opt.step()
        opt.zero_grad()
""",
    "gan": """
g, d = nn.Linear(2, 2), nn.Linear(2, 1)
og, od = torch.optim.SGD(g.parameters(), lr=0.1), torch.optim.SGD(d.parameters(), lr=0.1)
for i in range(3):
    fake = g(torch.randn(4, 2))
    od.zero_grad()
    loss_d = d(torch.randn(4, 2)).mean() - d(fake.detach()).mean()
    loss_d.backward()
    od.step()
    og.zero_grad()
    (-d(fake).mean()).backward()
    og.step()
""",
    "carried state, detached": """
cell, h = nn.Linear(3, 2), torch.zeros(1, 2)
opt = torch.optim.SGD(cell.parameters(), lr=0.1)
for i in range(3):
    h = torch.tanh(cell(torch.cat([torch.ones(1, 1), h.detach()], 1)))
    opt.zero_grad()
    h.sum().backward()
    opt.step()
""",
    "frozen trunk": """
trunk, top = nn.Linear(2, 3), nn.Linear(3, 1)
for p in trunk.parameters():
    p.requires_grad_(False)
opt = torch.optim.Adam(top.parameters(), lr=0.1)
for i in range(2):
    opt.zero_grad()
    top(trunk(torch.ones(1, 2)).relu()).sum().backward()
    opt.step()
""",
    "target network": """
net, target = nn.Linear(2, 1), nn.Linear(2, 1)
target.load_state_dict(net.state_dict())
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(2):
    with torch.no_grad():
        goal = 1 + 0.9 * target(torch.ones(3, 2))
    opt.zero_grad()
    F.mse_loss(net(torch.ones(3, 2)), goal).backward()
    opt.step()
""",
    "moving average": """
net = nn.Linear(2, 1)
average = [p.detach().clone() for p in net.parameters()]
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(3):
    opt.zero_grad()
    net(torch.ones(1, 2)).sum().backward()
    opt.step()
    with torch.no_grad():
        for a, p in zip(average, net.parameters()):
            a.mul_(0.9).add_(p, alpha=0.1)
""",
    "train and eval alternate": """
model = nn.Sequential(nn.Linear(2, 4), nn.Dropout(0.5), nn.Linear(4, 1))
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(3):
    model.train()
    opt.zero_grad()
    model(torch.ones(4, 2)).mean().backward()
    opt.step()
    model.eval()
    with torch.no_grad():
        print(model(torch.ones(1, 2)).shape)
""",
    "gradient penalty": """
d = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1))
x = torch.randn(3, 2, requires_grad=True)
g, = torch.autograd.grad(d(x).sum(), x, create_graph=True)
((g.norm(dim=1) - 1) ** 2).mean().backward()
""",
    "attention mask": """
q, k = torch.randn(3, 4, requires_grad=True), torch.randn(3, 4, requires_grad=True)
scores = (q @ k.T).masked_fill(torch.triu(torch.ones(3, 3), 1).bool(), float("-inf"))
scores.softmax(-1)[:, 0].sum().backward()
""",
    "accuracy beside the loss": """
model = nn.Linear(2, 3)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(5, 2), torch.tensor([0, 1, 2, 0, 1])
for i in range(2):
    out = model(x)
    loss = F.cross_entropy(out, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print((out.argmax(1) == y).float().mean().item() <= 1, loss.item() > 0)
""",
    "clipped by hand": """
w = torch.randn(3, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
for i in range(2):
    opt.zero_grad()
    (w ** 2).sum().backward()
    with torch.no_grad():
        w.grad.clamp_(-1, 1)
    opt.step()
""",
    "outer product": """
a, b = torch.ones(3, 1, requires_grad=True), torch.ones(3)
(a * b).sum().backward()
""",
    "pairwise distances": """
x = torch.randn(4, requires_grad=True)
((x[:, None] - x[None, :]) ** 2).sum().backward()
""",
    "centred rows": """
x = torch.randn(4, 3, requires_grad=True)
((x - x.mean(0)) ** 2).mean().backward()
((x - x.mean(1, keepdim=True)) ** 2).mean().backward()
""",
    "straight through": """
x = torch.tensor([0.2, 0.8], requires_grad=True)
y = x + (x.round() - x).detach()
y.sum().backward()
""",
    "custom function": """
class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, t):
        return t * 2
    @staticmethod
    def backward(ctx, grad):
        return grad * 2
x = torch.tensor([1.0], requires_grad=True)
Double.apply(x).sum().backward()
""",
    "hooks": """
x = torch.tensor([1.0, 2.0], requires_grad=True)
x.register_hook(lambda g: g * 2)
y = x * 3
y.retain_grad()
y.sum().backward()
print(x.grad, y.grad)
""",
    "module class": """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(2, 4)
        self.fc2 = nn.Linear(4, 1)
    def forward(self, x):
        return self.fc2(torch.relu(self.fc1(x)))
net = Net()
opt = torch.optim.Adam(net.parameters(), lr=0.01)
for i in range(2):
    loss = F.mse_loss(net(torch.randn(4, 2)), torch.randn(4, 1))
    opt.zero_grad()
    loss.backward()
    opt.step()
""",
    "second derivative": """
x = torch.tensor(2.0, requires_grad=True)
g, = torch.autograd.grad(x ** 3, x, create_graph=True)
g.backward()
print(x.grad)
""",
    "logistic regression": """
w, b = torch.zeros(2, requires_grad=True), torch.zeros(1, requires_grad=True)
x, y = torch.randn(8, 2), torch.randint(0, 2, (8,)).float()
for i in range(3):
    loss = F.binary_cross_entropy_with_logits(x @ w + b, y)
    loss.backward()
    with torch.no_grad():
        for p in (w, b):
            p -= 0.5 * p.grad
            p.grad = None
""",
    "embedding": """
table, top = nn.Embedding(5, 3), nn.Linear(3, 2)
opt = torch.optim.SGD([*table.parameters(), *top.parameters()], lr=0.1)
for i in range(2):
    opt.zero_grad()
    F.cross_entropy(top(table(torch.tensor([0, 3]))), torch.tensor([1, 0])).backward()
    opt.step()
""",
    "safe log": """
p = torch.tensor([0.0, 0.5], requires_grad=True)
(-(p.clamp(min=1e-6)).log()).sum().backward()
""",
    "running total": """
model, total = nn.Linear(1, 1), 0.0
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for i in range(3):
    opt.zero_grad()
    loss = (model(torch.ones(1, 1)) ** 2).mean()
    loss.backward()
    opt.step()
    total += loss.item()
print(total > 0)
""",
    "buffer in place before use": """
x = torch.zeros(3)
x[0] = 1.0
w = torch.ones(3, requires_grad=True)
(x * w).sum().backward()
""",
    "relu on some": """
x = torch.tensor([-1.0, 2.0], requires_grad=True)
for i in range(4):
    x.grad = None
    torch.relu(x).sum().backward()
""",
    "control flow": """
w = torch.tensor(2.0, requires_grad=True)
y = w
while y < 50:
    y = y * w
y.backward()
print(w.grad)
""",
    "list of layers": """
layers = nn.ModuleList([nn.Linear(2, 2) for _ in range(3)])
opt = torch.optim.SGD(layers.parameters(), lr=0.1)
x = torch.ones(1, 2)
for layer in layers:
    x = layer(x).tanh()
opt.zero_grad()
x.sum().backward()
opt.step()
""",
    "no torch at all": """
total = sum(i * i for i in range(10))
print(total)
""",
}


def sound() -> dict[str, str]:
    """Every sound program by name."""
    return {**{name: HEAD + code for name, code in PATTERNS.items()}, **trained()}
