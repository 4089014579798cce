"""Another kind of object than a call takes: a tuple, a layer, an array, a generator that is used up, a name of no device."""

from __future__ import annotations

import ast
import re

from engine.trace.diagnosis.answer import Found
from engine.trace.diagnosis.errors.refused_calls.call import Call
from engine.trace.diagnosis.errors.refused_calls.layers import outermost
from engine.trace.marks import code
from engine.trace.narration.amounts import listed

ERROR = "error"


def no_tensor_given(call: Call) -> Found:
    """A layer, or a function, was given something else than a tensor."""
    found = re.search(r"must be Tensor, not ([\w.]+)", call.message)
    node = call.node
    if found is None or not isinstance(node, ast.Call):
        return None
    kind = found[1].rpartition(".")[2]
    argument = next((a for a in node.args if isinstance(a, ast.Name | ast.Call | ast.Attribute)), None)
    if argument is None:
        return None
    name = call.history.quoted(call.history.source.span(argument))
    bound = assignment(call, ast.unparse(argument))
    whence = f" ({code(ast.unparse(bound.value))}, line {bound.lineno})" if bound is not None else ""
    if kind == "tuple":
        parts = [given for given in call.refused.given if re.fullmatch(r"\w+\[\d+\]", given.argument)]
        text = f"{name}{whence} is a tuple of {len(parts) or 'several'} parts, and {code(ast.unparse(node.func))} takes one tensor."
        if maker(call, bound) in ("LSTM", "RNN", "GRU"):
            text += " A recurrent layer returns all its outputs and its last state."
        first = outermost(call, "{}[0]")
        return None, call.answer(ERROR, text, first, f"Take the part you mean: {name}`[0]`.")
    if kind == "ndarray":
        text = f"{name}{whence} is an array of numpy, and {code(ast.unparse(node.func))} takes a tensor."
        return None, call.answer(
            ERROR, text, outermost(call, "torch.from_numpy({})"), "Turn it into a tensor with `torch.from_numpy()`."
        )
    given = next(
        (given for given in call.refused.given if given.type.endswith(kind) and "torch.nn" in given.type), None
    )
    if given is not None:
        text = f"{name}{whence} is a layer, not a tensor: {code(f'nn.{kind}(…)')} makes one, and it is still to be called with its input."
        made = bound.value if bound is not None else argument
        fix = None
        if isinstance(made, ast.Call) and made.args:
            span = call.history.source.span(made)
            given_to = ", ".join(ast.unparse(argument) for argument in made.args)
            fix = call.instead(span, f"{ast.unparse(made.func)}()({given_to})")
        return None, call.answer(ERROR, text, fix, "Make the layer first, then call it with its input.")
    return None


def assignment(call: Call, name: str) -> ast.Assign | None:
    """The last statement that ran and gave a name its value, before the one that raised."""
    line = call.span.line if call.span is not None else 0
    found = [
        node
        for node in ast.walk(call.history.tree)
        if isinstance(node, ast.Assign)
        and node.lineno < line
        and any(ast.unparse(target) == name for target in node.targets)
    ]
    return max(found, key=lambda node: node.lineno, default=None)


def maker(call: Call, bound: ast.Assign | None) -> str:
    """The class of the layer whose result was assigned."""
    if bound is None or not isinstance(bound.value, ast.Call):
        return ""
    func = ast.unparse(bound.value.func).removeprefix("self.")
    titles = (row.title for row in call.history.trace.scopes if row.kind == "module")
    return next(
        (title.rpartition(" (")[2].rstrip(")") for title in titles if title.partition(" (")[0].endswith(func)), ""
    )


def results_in_one(call: Call) -> Found:
    """A tensor's method was asked of what ``max(dim)`` and its like return: several tensors under one name."""
    found = re.search(r"'torch\.return_types\.(\w+)' object has no attribute '(\w+)'", call.message)
    if found is None or call.span is None:
        return None
    reached = [n for n in ast.walk(call.history.tree) if isinstance(n, ast.Attribute) and n.attr == found[2]]
    whole = next((n for n in reached if n.lineno == call.span.line), None)
    if whole is None:
        return None
    name = ast.unparse(whole.value)
    bound = assignment(call, name)
    whence = f" ({code(ast.unparse(bound.value))}, line {bound.lineno})" if bound is not None else ""
    text = f"{code(name)}{whence} holds two tensors, `values` and `indices`, and {code('.' + found[2])} is asked of both at once."
    span = call.history.source.span(whole)
    return None, call.answer(ERROR, text, call.instead(span, f"{name}.values.{found[2]}"))


def loss_made_of_tensors(call: Call) -> Found:
    """``nn.MSELoss(output, target)``: the loss is made where it should be called."""
    made = next((given.type for given in call.refused.given if given.type.startswith("torch.nn.modules.loss.")), None)
    if made is None or not isinstance(call.node, ast.Call) or call.span is None:
        return None
    kind = made.rpartition(".")[2]
    func = ast.unparse(call.node.func)
    text = f"{code(f'{func}(…)')} makes a layer, and what it is given here are its settings: the tensors are for the call of what it makes."
    given = call.history.text(call.span).removeprefix(func)
    return None, call.answer(
        ERROR, text, call.instead(call.span, f"{func}(){given}"), f"Make it first, `{kind}()`, then call it."
    )


def not_a_list(call: Call) -> Found:
    """``torch.cat(a, b)``: the tensors are to be one argument."""
    node = call.node
    if "tuple of Tensors" not in call.message or not isinstance(node, ast.Call) or call.span is None:
        return None
    func = ast.unparse(node.func)
    given = [
        argument
        for argument in node.args
        if ast.unparse(argument) in {n for t in call.tensors for n in call.row(t).names}
    ]
    text = f"{code(func)} takes its tensors as one list, and gets them as {len(node.args)} arguments."
    if len(node.args) == 1:
        text = f"{code(func)} takes a list of tensors, and gets one tensor."
    inner = ", ".join(ast.unparse(argument) for argument in given)
    rest = [ast.unparse(argument) for argument in node.args[len(given) :]] + [ast.unparse(k) for k in node.keywords]
    fix = call.instead(call.span, f"{func}({', '.join([f'[{inner}]', *rest])})") if given else None
    return None, call.answer(ERROR, text, fix, "Put them in a list.")


def tensors_in_a_list(call: Call) -> Found:
    """torch.tensor() of a list of tensors."""
    if not call.tensors or not isinstance(call.node, ast.Call) or call.span is None or not call.node.args:
        return None
    if ast.unparse(call.node.func).rpartition(".")[2] not in ("tensor", "as_tensor", "FloatTensor"):
        return None
    many = next((t for t in call.tensors if call.row(t).shape), call.tensors[0])
    text = f"{call.told(many)}: `torch.tensor()` makes a tensor of plain numbers, and these are tensors, whose history it would lose."
    given = call.history.text(call.history.source.span(call.node.args[0]))
    fix = call.instead(call.span, f"torch.stack({given})")
    return many, call.answer(ERROR, text, fix)


def optimizer_of_a_module(call: Call) -> Found:
    """An optimizer was given the model instead of its parameters."""
    given, node = call.given("params"), call.node
    if given is None or (not given.type.startswith("torch.nn") and "object is not iterable" not in call.message):
        return None
    if not isinstance(node, ast.Call) or not node.args:
        return None
    name = call.history.quoted(call.history.source.span(node.args[0]))
    text = f"{name} is a module, and an optimizer takes its parameters."
    return None, call.answer(ERROR, text, call.replaced(node.args[0], f"{ast.unparse(node.args[0])}.parameters()"))


def generator_used_up(call: Call) -> Found:
    """The generator of parameters that an optimizer gets was gone through before."""
    given, node = call.given("params"), call.node
    if (
        given is None
        or given.type not in ("generator", "filter", "map")
        or not isinstance(node, ast.Call)
        or not node.args
    ):
        return None
    name = node.args[0]
    if not isinstance(name, ast.Name):
        return None
    made = assignment(call, name.id)
    if made is None:
        return None
    line = call.span.line if call.span is not None else 0
    uses = [
        node
        for node in ast.walk(call.history.tree)
        if isinstance(node, ast.Name)
        and node.id == name.id
        and isinstance(node.ctx, ast.Load)
        and made.lineno < node.lineno < line
    ]
    if not uses:
        return None
    used = min(node.lineno for node in uses)
    source = ast.unparse(made.value)
    text = (
        f"{code(name.id)} ({code(source)}, line {made.lineno}) is a generator: it gives each parameter once, and line {used} went "
        "through it already, so nothing is left for the optimizer."
    )
    span = call.history.source.span(made.value)
    return None, call.answer(ERROR, text, call.instead(span, f"list({call.history.text(span)})"), span=span)


def before_init(call: Call) -> Found:
    """A layer or parameter is assigned before Module.__init__ ran."""
    kind, name = call.given("self"), call.given("name")
    if kind is None or name is None or call.span is None:
        return None
    text = (
        f"{code('self.' + name.text.strip(chr(39)))} is assigned while {code(kind.type)} is no module yet: its `__init__` does not call "
        "`super().__init__()` first, which makes the tables of parameters and layers."
    )
    line = call.span.line
    return None, call.answer(ERROR, text, f"Insert `super().__init__()` before line {line}.")


def unequal_lengths(call: Call) -> Found:
    """A TensorDataset of tensors with another number of rows."""
    if not any(given.type.endswith("TensorDataset") for given in call.refused.given) or len(call.tensors) < 2:
        return None
    first = call.tensors[0]
    other = next((t for t in call.tensors if call.shape(t)[:1] != call.shape(first)[:1]), None)
    if other is None:
        return None
    rows = f"{call.shape(first)[0]} rows against {call.shape(other)[0]}"
    text = f"{call.told(first)}, and {call.told(other)}: {rows}. An example takes one row of each."
    return other, call.answer("shape_mismatch", text, "Make them with as many rows.")


def device(call: Call) -> Found:
    """A device that there is not."""
    found = re.search(r"device string: (\S+)$|device type at start of device string: (\S+)$", call.message)
    name = (found[1] or found[2]) if found else None
    if name is None:
        return None
    node = next(
        (
            n
            for n in ast.walk(call.history.tree)
            if isinstance(n, ast.Constant) and n.value == name and call.span and n.lineno == call.span.line
        ),
        None,
    )
    meant = "cuda" if "gpu" in name.lower() or "cuda" in name.lower() else "cpu"
    text = f"`{name}` is no device's name: a processor is `cpu`, a graphics card `cuda` (or `cuda:1`, the second)."
    fix = call.replaced(node, '"cpu"') if node is not None and call.node is not None else None
    said = (
        f"{fix} (`cuda` where `torch.cuda.is_available()`; there is no graphics card here.)"
        if fix and meant == "cuda"
        else fix
    )
    return None, call.answer(ERROR, text, said, "Write `cpu` here.")


def saved_elsewhere(call: Call) -> Found:
    """load_state_dict() of another model's names or shapes."""
    message = call.message
    sizes = re.findall(
        r"size mismatch for ([\w.]+): copying a param with shape torch\.Size\((\[[\d, ]*\])\) from checkpoint, the shape in current "
        r"model is torch\.Size\((\[[\d, ]*\])\)",
        message,
    )
    if sizes:
        told = listed(
            [f"{code(name)} is of shape {kept} there and of shape {here} here" for name, kept, here in sizes[:3]]
        )
        text = f"The values are another model's: {told}.{made_here(call, sizes[0][0])}"
        return None, call.answer("shape_mismatch", text, "Make the model with the sizes that the saved one had.")
    missing = re.search(r"Missing key\(s\) in state_dict: (.*?)\. ", message)
    extra = re.search(r"Unexpected key\(s\) in state_dict: (.*?)\. ", message)
    here = re.findall(r'"([^"]+)"', missing[1]) if missing else []
    there = re.findall(r'"([^"]+)"', extra[1]) if extra else []
    if not here and not there:
        return None
    prefix = there[0].removesuffix(here[0]) if here and there and there[0].endswith(here[0]) else ""
    if prefix and [prefix + name for name in here] == there:
        text = f"All names begin with {code(prefix)} there, and without it here: {code(there[0])} is {code(here[0])} in this model."
        node = call.node
        argument = node.args[0] if isinstance(node, ast.Call) and node.args else None
        name = ast.unparse(argument) if argument is not None else "saved"
        new = f"{{key.removeprefix({prefix!r}): value for key, value in {name}.items()}}"
        return None, call.answer(ERROR, text, call.replaced(argument, new) if argument is not None else None)
    parts = [
        f"{listed([code(n) for n in here])} missing there" if here else "",
        f"{listed([code(n) for n in there])} unknown here" if there else "",
    ]
    text = f"The names are not those of this model: {' and '.join(filter(None, parts))}."
    return None, call.answer(
        ERROR, text, "Load it into a model of the class that was saved, or pass `strict=False` to take what fits."
    )


def made_here(call: Call, parameter: str) -> str:
    """A sentence on where the model that is to take the values was made."""
    func = getattr(call.node, "func", None)
    owner = ast.unparse(func.value) if isinstance(func, ast.Attribute) else ""
    dotted = re.sub(r"\[(\d+)\]", r".\1", f"{owner}.{parameter}")
    for row in call.history.trace.tensors:
        if row.span is not None and any(re.sub(r"\[(\d+)\]", r".\1", name) == dotted for name in row.names):
            made = call.history.quoted(row.span)
            return f" The one that is to take them is {code(parameter)} of {made} on line {row.span.line}."
    return ""


def tracked_array(call: Call) -> Found:
    """numpy() of a tracked tensor: which, and why it is tracked."""
    given = call.tensors[0] if call.tensors else None
    if given is None:
        return None
    row = call.row(given)
    why = "requires grad" if row.grad_fn is None else "is part of the graph"
    text = f"{call.name(given)}{call.origin(given)} {why}, and no gradient could follow its numbers into numpy: PyTorch refuses."
    fix = call.given_as(given, "{}.detach()")
    return None, call.answer(
        "numpy",
        text,
        fix,
        "Arrays of numpy cannot carry gradients. Call `t.detach().numpy()` where you only want to look at the values.",
    )
