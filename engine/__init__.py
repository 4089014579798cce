"""The engine: PyTorch's autograd on numpy, and everything that plays it back.

Import direction, kept by ``tests/test_layers.py`` (each imports only what stands to its left)::

    dtype, errors, observe -> autograd -> tensor -> ops -> nn, optim -> torch -> trace -> sandbox

``engine.torch`` is the drop-in that snippets import; ``engine.trace`` records and explains a run;
``engine.sandbox`` is where untrusted snippets run. Nothing here knows the web.
"""
