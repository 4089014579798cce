"""Stories about the graph as an object: nodes, edges, names, gradient edges, metadata, versions."""

from __future__ import annotations

from typing import Any


def nodes_have_names_and_metadata(torch: Any, say: Any) -> None:
    x = torch.tensor([1.0], requires_grad=True)
    y = x * 2 + 1
    say(y.grad_fn.name(), type(y.grad_fn).__name__, y.grad_fn.next_functions)
    say(y.grad_fn.next_functions[0][0].next_functions[0][0].name())
    y.grad_fn.metadata["note"] = 5
    say(y.grad_fn.metadata, y.grad_fn.metadata["note"])
    say(isinstance(y.grad_fn, torch.autograd.graph.Node), issubclass(type(y.grad_fn), torch.autograd.graph.Node))
    say(
        isinstance(torch.autograd.graph.get_gradient_edge(x).node, torch.autograd.graph.Node),
        isinstance(1, torch.autograd.graph.Node),
    )
    say.error(lambda: torch.autograd.graph.Node())
    say(y.grad_fn is y.grad_fn, y.grad_fn == y.grad_fn, hash(y.grad_fn) == hash(y.grad_fn))
    say(type(y.grad_fn.next_functions).__name__, repr(y.grad_fn)[:14])


def sequence_numbers_grow(torch: Any, say: Any) -> None:
    x = torch.tensor([1.0], requires_grad=True)
    y = x * 2
    z = y + 1
    say(z.grad_fn._sequence_nr() - y.grad_fn._sequence_nr())
    with torch.no_grad():
        x * 3
    w = x - 1
    say(w.grad_fn._sequence_nr() - z.grad_fn._sequence_nr())
    say(torch.autograd.graph.get_gradient_edge(x).node._sequence_nr() > 2**63)


def metadata_belongs_to_the_node(torch: Any, say: Any) -> None:
    x = torch.tensor([1.0], requires_grad=True)
    y = x * 2
    y.grad_fn.metadata["a"] = 1
    z = y * 3
    del y
    say(z.grad_fn.next_functions[0][0].metadata)
    say(z.grad_fn.metadata)


def gradient_edges_as_inputs(torch: Any, say: Any) -> None:
    edge_of = torch.autograd.graph.get_gradient_edge
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * 2
    z = (y * y).sum()
    say(torch.autograd.grad(z, edge_of(y), retain_graph=True))
    say(torch.autograd.grad(z, [edge_of(y), x, edge_of(x)], retain_graph=True))
    edge = edge_of(y)
    say(edge.node.name(), edge.output_nr, len(edge), type(edge).__name__, edge._fields)
    z.backward(inputs=[edge_of(x)], retain_graph=True)
    say(x.grad)
    z.backward(inputs=edge_of(x), retain_graph=True)
    say(x.grad)
    say.error(lambda: z.backward(inputs=[edge_of(y)]))
    say.error(lambda: edge_of(torch.ones(1)))
    say.error(lambda: edge_of(5))
    say.error(lambda: edge_of())


def gradient_edges_as_outputs(torch: Any, say: Any) -> None:
    edge_of = torch.autograd.graph.get_gradient_edge
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * 2
    out = (y * y).sum()
    say(torch.autograd.grad(edge_of(out), x, retain_graph=True))
    say(torch.autograd.grad(edge_of(y), x, grad_outputs=torch.ones(2), retain_graph=True))
    say.error(lambda: torch.autograd.grad(edge_of(y), x, retain_graph=True))
    torch.autograd.backward(edge_of(out), retain_graph=True)
    say(x.grad)
    torch.autograd.backward([edge_of(y), out], [torch.ones(2), None])
    say(x.grad)
    say.error(lambda: torch.autograd.grad(edge_of(y), x, grad_outputs=torch.ones(3)))


def gradient_edge_of_one_of_several_outputs(torch: Any, say: Any) -> None:
    x = torch.arange(4.0).requires_grad_()
    a, b = x.chunk(2)
    edge = torch.autograd.graph.get_gradient_edge(b)
    say(edge.node.name(), edge.output_nr)
    say(torch.autograd.grad((a * 2 + b * 3).sum(), edge))


def versions_can_be_raised(torch: Any, say: Any) -> None:
    a = torch.ones(2)
    torch.autograd.graph.increment_version(a)
    say(a._version)
    torch.autograd.graph.increment_version((a, a))
    say(a._version)
    torch.autograd.graph.increment_version(iter([a]))
    say(a._version)
    x = torch.ones(2, requires_grad=True)
    y = x * a
    torch.autograd.graph.increment_version(a)
    say.error(lambda: y.sum().backward())
    with torch.inference_mode():
        i = torch.ones(1)
    say.error(lambda: torch.autograd.graph.increment_version(i))
    say.error(lambda: i._version)


def versions_are_preserved_on_request(torch: Any, say: Any) -> None:
    a = torch.ones(2)
    with torch.autograd._unsafe_preserve_version_counter(a):
        a.add_(1)
        say(a._version)
    say(a._version)


def versions_of_views_and_aliases(torch: Any, say: Any) -> None:
    a = torch.zeros(2, 2)
    v, d, data = a[0], a.detach(), a.data
    v.add_(1)
    say(a._version, v._version, d._version, data._version)
    data.add_(1)
    say(a._version, data._version)
    d.add_(1)
    say(a._version, d._version)
    a.data = torch.ones(3)
    say(a._version, a)
    a.requires_grad_()
    with torch.no_grad():
        a.zero_()
    say(a._version)
    a.grad = torch.ones(3)
    say(a._version, a.numpy(force=True).shape)


def calling_a_node_by_hand(torch: Any, say: Any) -> None:
    x = torch.tensor([2.0, 3.0], requires_grad=True)
    y = x * x
    say(y.grad_fn(torch.ones(2)))
    z = x.exp()
    say(z.grad_fn(torch.ones(2)))
    a = torch.ones(2, 2, requires_grad=True)
    m = a @ a
    say(m.grad_fn(torch.ones(2, 2)))
    say.error(lambda: y.grad_fn())


def names_of_common_nodes(torch: Any, say: Any) -> None:
    x = torch.ones(2, 2, requires_grad=True)
    made = [x + x, 1 - x, x / 2, x**2, 2**x, x.T, x[0], x[:, 1:], x[x > 0], x.view(4), x.reshape(4), x.clone(), x.unbind()[1],
            x.expand(3, 2, 2), x.sum(), x.sum(0), x.mean(), x.max(), x.max(0)[0], x.double(), -x, abs(x), x @ x, x @ x[0],
            torch.cat([x, x]), torch.stack([x, x]), x.relu(), x.softmax(0), torch.where(x > 0, x, x), x.norm(), x.std(),
            torch.einsum("ij,jk", x, x), x.permute(1, 0), x.squeeze(), x.unsqueeze(0), x.flatten(), x.t().contiguous(), x.t()]  # fmt: skip
    for tensor in made:
        say(tensor.grad_fn.name(), tensor.output_nr, [n and n.name() for n, _ in tensor.grad_fn.next_functions])


def accumulate_grad_is_one_per_leaf(torch: Any, say: Any) -> None:
    x = torch.ones(1, requires_grad=True)
    y, z = x * 2, x * 3
    first, second = y.grad_fn.next_functions[0][0], z.grad_fn.next_functions[0][0]
    say(first is second, first.variable is x, first.name(), first.next_functions)
    say(x.expand_as(x).grad_fn.next_functions[0][0] is first)
    say(x.view_as(x).grad_fn.next_functions[0][0] is first)


def node_attributes_are_read_only(torch: Any, say: Any) -> None:
    y = torch.ones(1, requires_grad=True) * 2
    for name in ("next_functions", "metadata", "_saved_other"):
        try:
            setattr(y.grad_fn, name, 1)
            say("set", name)
        except Exception as error:
            say(name, type(error).__name__)
    try:
        y._grad_fn = None
        say("set")
    except Exception as error:
        say(type(error).__name__)
    for name in ("grad_fn", "is_leaf", "_version", "output_nr", "shape", "retains_grad", "dtype"):
        try:
            setattr(y, name, None)
        except Exception as error:
            say(name, type(error).__name__)


def input_metadata(torch: Any, say: Any) -> None:
    x = torch.ones(2, 3, requires_grad=True)
    y = x.double()
    for seen in y.grad_fn._input_metadata:
        say(seen.shape, seen.dtype)
    a, b = x.chunk(2)
    for seen in a.grad_fn._input_metadata:
        say(seen.shape, seen.dtype, seen.device)


def engine_facts(torch: Any, say: Any) -> None:
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    say(torch._C._current_graph_task_id())
    y.register_hook(lambda g: say(torch._C._current_graph_task_id() >= 0, torch._C._current_autograd_node()))
    y.grad_fn.register_hook(lambda i, o: say(torch._C._current_autograd_node().name()))
    y.grad_fn.register_prehook(lambda o: say(torch._C._current_autograd_node() is y.grad_fn))
    y.sum().backward()
    ids: list[int] = []
    for _ in range(2):
        z = x * 2
        z.register_hook(lambda g: ids.append(torch._C._current_graph_task_id()))
        z.sum().backward()
    say(ids[1] - ids[0])


def queue_callback_runs_at_the_end(torch: Any, say: Any) -> None:
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    run = torch.autograd.Variable._execution_engine.queue_callback
    y.register_hook(lambda g: run(lambda: say("end", x.grad)))
    y.sum().backward()
    say.error(lambda: run(lambda: None))
