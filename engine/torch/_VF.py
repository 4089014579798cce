"""``torch._VF``: functions behind those of ``torch`` that choose between them."""

from engine.ops.core.catalogue import TABLES as _TABLES

unique_dim = _TABLES["internal"]["_unique_dim"]
