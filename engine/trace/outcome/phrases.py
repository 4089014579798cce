"""What to do about an exception, by the words that people paste into a search box."""

from __future__ import annotations

NUMBER_WANTED = "A plain number stands there, so no gradient could reach it: write the formula out, or give .item()."
ONE_DTYPE = "The tensors have different dtypes. Bring them together with .float(), .double() or .to(dtype)."
ONE_SHAPE = "Bring the target to the prediction's shape: target.view_as(prediction), or squeeze(1) on the prediction."
BY_PHRASE: tuple[tuple[str, str], ...] = (
    (
        "backward through the graph a second time",
        (
            "The first backward() freed what the graph had saved. Compute the loss again before the "
            "second backward(), add the losses and call backward() once, or detach what is carried over "
            "from the last turn. Only if you really need the same graph twice, call the first one with "
            "retain_graph=True."
        ),
    ),
    (
        "modified by an inplace operation",
        (
            "A value that backward needs was overwritten. Write x = x + 1 instead of x += 1 (or clone() "
            "before the write), and call optimizer.step() only after every backward() that uses the old parameters."
        ),
    ),
    (
        "a leaf Variable that requires grad is being used in an in-place operation",
        "Update leaves under `with torch.no_grad()`, or make a new tensor instead of writing into this one.",
    ),
    (
        "a leaf Variable that requires grad has been used in an in-place operation",
        "Write into a result or a copy instead, `w.clone()`, or do it under `with torch.no_grad()`.",
    ),
    (
        "'type' object does not support the context manager protocol",
        "A class stands behind `with` and not what it makes: write the parentheses, as in `with torch.no_grad():`.",
    ),
    (
        "does not support sparse gradients",
        (
            "A layer made with `sparse=True` sends sparse gradients: leave that out, or give its parameters to "
            "`torch.optim.SparseAdam` or to plain SGD."
        ),
    ),
    (
        "to return a scalar Tensor, got tensor with",
        (
            "Reduce what the function returns to one number, with `.sum()` or `.mean()`, or ask `torch.func.jacrev` for the "
            "slopes of each."
        ),
    ),
    (
        "a view of a leaf Variable that requires grad is being used in an in-place operation",
        "Writing into a slice writes into the leaf. Do it under `with torch.no_grad()`, or clone() the leaf first.",
    ),
    (
        "grad can be implicitly created only for real scalar outputs",
        "A complex number is no loss: start from a real one (`.abs()`, `.real`), or pass gradient= with a complex number.",
    ),
    (
        "does not have vmap support",
        (
            "Put `generate_vmap_rule = True` into the class, if forward and backward consist of tensor operations only; else "
            "give it a vmap staticmethod."
        ),
    ),
    (
        "grad can be implicitly created only for scalar outputs",
        (
            "backward() without arguments starts from one number. Reduce first, with .sum() or .mean(), "
            "or pass gradient= with the tensor's shape."
        ),
    ),
    (
        "does not require grad and does not have a grad_fn",
        (
            "Nothing that requires grad led to this tensor. Set requires_grad=True on what you want "
            "gradients for, and look for detach(), .item(), .numpy(), torch.tensor(…) or no_grad() on the way."
        ),
    ),
    (
        "appears to not have been used in the graph",
        (
            "No path leads from the output to that input. Use it in the computation, or pass "
            "allow_unused=True to get None for it."
        ),
    ),
    (
        "Can't call numpy() on Tensor that requires grad",
        "Arrays of numpy cannot carry gradients. Call t.detach().numpy() where you only want to look at the values.",
    ),
    (
        "support the deepcopy protocol",
        (
            "A result cannot be copied with its history. Take its values with `.detach().clone()`, or copy the leaves "
            "and compute it anew."
        ),
    ),
    (
        "Legacy autograd function with non-static forward",
        (
            "Put `@staticmethod` on `forward(ctx, …)` and `backward(ctx, …)`, drop `__init__`, and call the class by "
            "`.apply(…)`: what it needs besides tensors is handed to apply()."
        ),
    ),
    (
        "Inplace update to inference tensor outside InferenceMode",
        "Clone it first, `t = t.clone()`, or write into it inside of the inference mode.",
    ),
    (
        "Inference tensors cannot be saved for backward",
        "Clone it before it meets what requires grad, `t.clone()`, or make it under torch.no_grad() instead of inference mode.",
    ),
    (
        "can only change requires_grad flags of leaf variables",
        "Change requires_grad on leaves only. Use detach() to get an untracked tensor from a result.",
    ),
    (
        "can require gradients",
        "Gradients need real numbers: write 3.0 instead of 3, or pass dtype=torch.float32.",
    ),
    (
        "can require gradient",
        "Gradients need real numbers: write 3.0 instead of 3, or call .float() first.",
    ),
    (
        "Boolean value of Tensor with more than one value is ambiguous",
        (
            "Python's `if` wants one truth value. Reduce with .any() or .all(), or choose element by "
            "element with torch.where."
        ),
    ),
    (
        "shapes cannot be multiplied",
        (
            "For `A @ B` the last length of `A` must equal the first of `B`. Print both shapes; a transpose "
            "(`.T`) is often missing."
        ),
    ),
    (
        "must match the size of tensor",
        (
            "Shapes are matched from the right; two lengths fit when they are equal or one of them is 1. "
            "Print both shapes."
        ),
    ),
    (
        "cannot be converted to Scalar",
        ".item() reads exactly one number. Reduce with .sum() or .mean(), or use .tolist() for all of them.",
    ),
    (
        "is invalid for input of size",
        "The new shape must hold as many elements as the old one; one length may be -1 to be worked out.",
    ),
    (
        "Mismatch in shape: grad_output",
        "What backward() is given must have the shape of the tensor it is called on: torch.ones_like(y) for y.",
    ),
    (
        "Expected size for first two dimensions",
        "For a batch of `A @ B` the last length of `A` must equal the last but one of `B`. Print both shapes.",
    ),
    (
        "view size is not compatible",
        "Use reshape(), or contiguous() before view(): view() alone cannot re-arrange numbers in memory.",
    ),
    (
        "to match target batch_size",
        "A loss takes as many predictions as targets: print both shapes; one of them has lost or kept a dimension too many.",
    ),
    (
        "different to the input size",
        ONE_SHAPE,
    ),
    (
        "must be the same as input size",
        ONE_SHAPE,
    ),
    (
        "expected input[",
        "A convolution takes (batch, channels, height, width), with as many channels as it was made for. Print the shape.",
    ),
    (
        "must match except in dimension",
        "Tensors are joined along one dimension; all others must be alike. Print the shapes.",
    ),
    ("to be equal size", "Stack tensors of one shape only; for different lengths use torch.cat, or pad them first."),
    (
        "must be equal to input_size",
        "A recurrent layer takes (time, batch, features), or (batch, time, features) with batch_first=True. Print the shape.",
    ),
    ("size mismatch, got", "The last length of the matrix must equal the length of the vector. Print both shapes."),
    ("inconsistent tensor size", "A dot product takes two vectors of one length. Print both shapes."),
    (
        "must match the existing size",
        "Only dimensions of length 1 can be expanded: insert one with unsqueeze(), or use repeat().",
    ),
    (
        "Dimension out of range",
        "Dimensions are counted from 0, or from −1 at the end: print the shape.",
    ),
    (
        "expected target dtype",
        "Classes are whole numbers: call .long() on the target; for probabilities give it the shape of the scores.",
    ),
    (
        "following scalar types: Long",
        "An index is a whole number: call .long() on it first.",
    ),
    (
        "must be long, int, byte or bool",
        "An index is a whole number: call .long() on it first.",
    ),
    (
        "could not infer output dtype",
        "A mean is taken of real numbers only: call .float() first, or write 1.0 instead of 1.",
    ),
    (
        "not implemented for 'Long'",
        "This operation takes real numbers: call .float() first, or write 1.0 instead of 1.",
    ),
    (
        "can't be cast to the desired output type",
        "A tensor of whole numbers cannot take real numbers in place: call .float() on it first.",
    ),
    ("Found dtype", ONE_DTYPE),
    (
        "bias type",
        "The input and the layer have different dtypes: call .float() on the input, or .double() on the layer.",
    ),
    ("is out of bounds.", "Classes are counted from 0: a target must be smaller than the number of scores."),
    ("same dtype", ONE_DTYPE),
    (
        "expected scalar type",
        ONE_DTYPE,
    ),
    (
        "must have the same dtype",
        ONE_DTYPE,
    ),
    (
        "in loading state_dict",
        "Names and shapes must be those of the model that saved them: compare the keys of both state_dict().",
    ),
    (
        "optimizer got an empty parameter list",
        (
            "The model has no registered parameters. Layers in a plain list are not seen: use nn.ModuleList, and "
            "nn.Parameter for tensors that should learn."
        ),
    ),
    (
        "can't optimize a non-leaf Tensor",
        "An optimizer takes leaves. Give it the tensor that you created, not a result computed from it.",
    ),
    (
        "Torch not compiled with CUDA enabled",
        "There is no GPU here. Choose the device with: device = 'cuda' if torch.cuda.is_available() else 'cpu'.",
    ),
    (
        "numpy.ndarray",
        "Turn arrays into tensors with torch.from_numpy(a) or torch.tensor(a) before mixing them.",
    ),
    (
        "Tried to step ",
        "The schedule was planned for fewer moves: give it the number of all calls of its step() (epochs times batches).",
    ),
    ("can't start new thread", "A snippet runs in one thread here: call the function itself instead of starting one."),
    ("must be Tensor, not", "Numbers and lists are put in a tensor first: torch.tensor(…)."),
    ("must be float, not", NUMBER_WANTED),
    ("must be Number, not", NUMBER_WANTED),
)
"""(part of the message, advice), the more specific first."""
