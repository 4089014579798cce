"""``torch.amp.grad_scaler``: where the scaler is defined in PyTorch."""

from __future__ import annotations

from engine.optim.grad_scaler import GradScaler as GradScaler
