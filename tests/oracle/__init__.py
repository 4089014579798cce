"""What asks real PyTorch, and what compares its recorded answers with ours.

Imported before any recorder imports torch: its kernels are to be those of a plain AVX2 processor, whatever the machine has, since
others add up in another order.
"""

from __future__ import annotations

import os

os.environ["ATEN_CPU_CAPABILITY"] = "avx2"  # PyTorch's own kernels
os.environ["ONEDNN_MAX_CPU_ISA"] = "AVX2"  # those of oneDNN: gelu, convolutions
