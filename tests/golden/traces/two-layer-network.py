import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
x = torch.randn(4, 2)
y = torch.randn(4, 1)
loss = nn.functional.mse_loss(model(x), y)
loss.backward()
