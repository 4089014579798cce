"""Losses and what they are given: shapes, scores and types."""

from __future__ import annotations

import ast
import re

from tests.engine.trace.why.remedies.edits import Broken
from tests.engine.trace.why.remedies.registry import says


@says(r"Reduce first: `([^`]+)` or `([^`]+)`")
def reduce(broken: Broken, found: re.Match[str]) -> list[str]:
    """Either."""
    if not re.search(r"\.backward\(", broken.text(broken.failed)):
        return []
    return [broken.instead(broken.failed, found[1]), broken.instead(broken.failed, found[2])]


@says(r"Leave `reduction` out \(then it is the mean\), or reduce yourself: `([^`]+)`")
def reduction(broken: Broken, found: re.Match[str]) -> list[str]:
    """Both ways."""
    left_out = re.sub(r",?\s*reduction=['\"]none['\"]", "", broken.code)
    return [left_out, broken.instead(broken.failed, found[1])]


@says(r"leave the softmax out|Leave the sigmoid out")
def unsquashed(broken: Broken, found: re.Match[str]) -> list[str]:
    """Wherever it is applied."""
    name = "softmax" if "softmax" in found[0] else "sigmoid"
    tree = ast.parse(broken.code)

    class Out(ast.NodeTransformer):
        def visit_Call(self, node: ast.Call) -> ast.AST:
            self.generic_visit(node)
            function = ast.unparse(node.func)
            if function.endswith(("nn.Softmax", "nn.Sigmoid")):
                return ast.parse("torch.nn.Identity()", mode="eval").body
            if not function.endswith(f".{name}"):
                return node
            assert isinstance(node.func, ast.Attribute)
            given = node.args[0] if node.args else None
            dimension = given is None or isinstance(given, ast.Constant | ast.UnaryOp)
            return node.func.value if given is None or dimension else given

    return [ast.unparse(Out().visit(tree)) + "\n"]


@says(r"or use `binary_cross_entropy` with it")
def plain_entropy(broken: Broken, found: re.Match[str]) -> list[str]:
    """The loss that takes probabilities."""
    code = broken.code.replace("binary_cross_entropy_with_logits", "binary_cross_entropy")
    return [code.replace("BCEWithLogitsLoss", "BCELoss")]


@says(r"Use `log_softmax` in place of softmax, or give the scores to `cross_entropy`")
def log_softmax(broken: Broken, found: re.Match[str]) -> list[str]:
    """The logarithms."""
    return [
        broken.code.replace("softmax", "log_softmax").replace("log_log_", "log_").replace("nn.Softmax", "nn.LogSoftmax")
    ]


@says(r"Give the scores to `cross_entropy`, or put")
def entropy(broken: Broken, found: re.Match[str]) -> list[str]:
    """The loss that takes scores."""
    return [broken.code.replace("nll_loss", "cross_entropy").replace("NLLLoss", "CrossEntropyLoss")]


@says(r"Use `binary_cross_entropy_with_logits`")
def with_logits(broken: Broken, found: re.Match[str]) -> list[str]:
    """The loss that takes scores."""
    code = re.sub(r"binary_cross_entropy\b(?!_)", "binary_cross_entropy_with_logits", broken.code)
    return [code.replace("BCELoss", "BCEWithLogitsLoss")]


@says(r"Bring both to one shape: `([^`]+)`(?:, or `([^`]+)`)?")
def one_shape(broken: Broken, found: re.Match[str]) -> list[str]:
    """In the statement with the loss."""
    node = broken.statement(broken.span)
    ways = []
    for way in filter(None, found.groups()):
        owner = re.sub(r"\.(?:un)?squeeze\(1\)$", "", way)
        if owner and owner in broken.words(node):
            ways.append(
                broken.instead(
                    broken.source.span(node), re.sub(rf"(?<![\w.]){re.escape(owner)}(?![\w(])", way, broken.words(node))
                )
            )
    return ways


@says(r"(?:Normalise over the classes|Look along the classes): `(?:argmax\()?(dim=\d)\)?`")
def right_dim(broken: Broken, found: re.Match[str]) -> list[str]:
    """The other dimension."""
    if "max(" not in broken.text(broken.span):
        return []
    given = re.sub(
        r"dim=-?\d|(?<=, )-?\d(?=\))|(?<=softmax\()-?\d(?=\))|(?<=argmax\()-?\d(?=\))",
        found[1],
        broken.text(broken.span),
    )
    return [broken.instead(broken.span, given)] if given != broken.text(broken.span) else []


@says(r"or pass `dtype=torch\.float32`")
def real(broken: Broken, found: re.Match[str]) -> list[str]:
    """As an argument."""
    node = broken.statement(broken.span)
    calls = [n for n in ast.walk(node) if isinstance(n, ast.Call) and "requires_grad" in broken.words(n)]
    if not calls or "dtype" in broken.words(calls[-1]) or "requires_grad_" in broken.words(calls[-1]):
        return []
    return [broken.instead(broken.source.span(calls[-1]), broken.words(calls[-1])[:-1] + ", dtype=torch.float32)")]
