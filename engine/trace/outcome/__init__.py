"""How a run ended, as the document's `Outcome`: `ending` makes it, `advice` says what to do, `phrases` by PyTorch's words."""
