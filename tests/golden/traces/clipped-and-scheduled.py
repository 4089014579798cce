import torch

w = torch.tensor([3.0, 4.0], requires_grad=True)
opt = torch.optim.SGD([w], lr=0.5)
schedule = torch.optim.lr_scheduler.StepLR(opt, step_size=1, gamma=0.5)
for _ in range(2):
    opt.zero_grad()
    (w * w).sum().backward()
    norm = torch.nn.utils.clip_grad_norm_([w], max_norm=6.0)
    opt.step()
    schedule.step()
print(norm, w.grad)
