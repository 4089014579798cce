"""Programs of about a thousand forward operations each, as tutorials write them: what tracing is measured on."""

from __future__ import annotations

POLYNOMIAL = """\
import math
import torch

torch.manual_seed(0)
x = torch.linspace(-math.pi, math.pi, 2000)
y = torch.sin(x)
a, b, c, d = (torch.randn((), requires_grad=True) for _ in range(4))
for step in range(67):
    predicted = a + b * x + c * x ** 2 + d * x ** 3
    loss = (predicted - y).pow(2).sum()
    loss.backward()
    with torch.no_grad():
        for weight in (a, b, c, d):
            weight -= 1e-6 * weight.grad
            weight.grad = None
"""

LINE = """\
import torch

torch.manual_seed(0)
x = torch.rand(100, 1)
y = 2 * x + 1
w = torch.randn(1, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
for step in range(143):
    loss = ((x * w + b - y) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
        b -= 0.1 * b.grad
    w.grad = b.grad = None
"""

NETWORK = """\
import torch

torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(2, 16), torch.nn.Tanh(), torch.nn.Linear(16, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
inputs = torch.randn(32, 2)
targets = inputs.prod(1, keepdim=True)
for epoch in range(125):
    optimizer.zero_grad()
    loss = ((net(inputs) - targets) ** 2).mean()
    loss.backward()
    optimizer.step()
"""

XOR = """\
import torch
from torch import nn

torch.manual_seed(0)
x = torch.tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
y = torch.tensor([[0.0], [1.0], [1.0], [0.0]])
model = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1), nn.Sigmoid())
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
criterion = nn.BCELoss()
for epoch in range(143):
    optimizer.zero_grad()
    criterion(model(x), y).backward()
    optimizer.step()
"""

DIGITS = """\
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10))
optimizer = torch.optim.Adam(model.parameters())
x, y = torch.randn(32, 64), torch.randint(10, (32,))
for epoch in range(140):
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(x), y).backward()
    optimizer.step()
"""

CONVOLUTIONS = """\
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(
    nn.Conv2d(1, 4, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(4, 8, 3), nn.ReLU(), nn.Flatten(), nn.Linear(200, 10)
)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
x, y = torch.randn(8, 1, 16, 16), torch.randint(10, (8,))
for epoch in range(100):
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(x), y).backward()
    optimizer.step()
"""

RECURRENT = """\
import torch
from torch import nn

torch.manual_seed(0)
cell, head = nn.LSTMCell(10, 20), nn.Linear(20, 1)
optimizer = torch.optim.SGD([*cell.parameters(), *head.parameters()], lr=0.1)
x, y = torch.randn(20, 8, 10), torch.randn(8, 1)
for epoch in range(3):
    hidden = state = torch.zeros(8, 20)
    for step in range(20):
        hidden, state = cell(x[step], (hidden, state))
    loss = ((head(hidden) - y) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""

TRANSFORMER = """\
import torch
from torch import nn

torch.manual_seed(0)
layer = nn.TransformerEncoderLayer(32, 4, 64, batch_first=True)
optimizer = torch.optim.Adam(layer.parameters())
x = torch.randn(8, 12, 32)
for step in range(15):
    optimizer.zero_grad()
    layer(x).pow(2).mean().backward()
    optimizer.step()
"""

TUTORIALS = {
    "polynomial by hand": POLYNOMIAL,
    "line by hand": LINE,
    "small network": NETWORK,
    "XOR": XOR,
    "digits": DIGITS,
    "convolutions": CONVOLUTIONS,
    "LSTM cell": RECURRENT,
    "transformer layer": TRANSFORMER,
}
