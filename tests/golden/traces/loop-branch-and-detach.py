import torch

w = torch.tensor(2.0, requires_grad=True)
total = torch.tensor(0.0)
for step in range(3):
    piece = w * step
    if piece > 1:
        piece = piece.detach()
    total = total + piece
total.backward()
print(w.grad)
