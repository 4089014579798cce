"""Programs about ``torch.nn.functional``, by family: value, graph and gradients of each function."""

from __future__ import annotations


def of(call: str, **leaves: str) -> str:
    """A program: the value of a call, and the gradients of its leaves."""
    made = "; ".join(f"{name} = {expression}" for name, expression in leaves.items())
    named = ", ".join(f"{name}={name}" for name in leaves)
    return f"{made}; y = {call}; r = [y, gradients(y, {named})]"


def twice(call: str, **leaves: str) -> str:
    """A program: the gradients of a function's leaves, and the gradients of the sum of their squares."""
    made = "; ".join(f"{name} = {expression}" for name, expression in leaves.items())
    names, named = ", ".join(leaves), ", ".join(f"{name}={name}" for name in leaves)
    return (
        f"{made}; y = {call}; gs = torch.autograd.grad(y.pow(2).sum(), [{names}], create_graph=True); "
        f"r = [y, [g.detach() for g in gs], gradients(sum(g.pow(2).sum() for g in gs), {named})]"
    )


IMAGE, FILTER = "x(1, 2, 5, 4)", "x(4, 2, 3, 2)"
FAMILIES: dict[str, list[str]] = {
    "linear": [
        *(of("F.linear(a, w, b)", a=f"x({shape})", w="x(2, 3)", b="x(2)") for shape in ("3", "4, 3", "2, 4, 3")),
        of("F.linear(a, w)", a="x(2, 4, 3)", w="x(2, 3)"),
        of("F.bilinear(a, c, w, b)", a="x(3, 2)", c="x(3, 4)", w="x(2, 2, 4)", b="x(2)"),
        "r = F.linear(x(2, 3), x(4, 2))",
        "r = F.linear(x(2, 3), x(4, 3).float())",
    ],
    "convolution": [
        of("F.conv2d(a, w, b)", a=IMAGE, w=FILTER, b="x(4)"),
        of("F.conv2d(a, w, stride=2, padding=1, dilation=(1, 2))", a=IMAGE, w=FILTER),
        of("F.conv2d(a, w, groups=2)", a=IMAGE, w="x(4, 1, 2, 2)"),
        of("F.conv2d(a, w, padding='same')", a=IMAGE, w="x(1, 2, 2, 3)"),
        of("F.conv1d(a, w, b, stride=2)", a="x(2, 2, 7)", w="x(3, 2, 3)", b="x(3)"),
        of("F.conv1d(a, w)", a="x(2, 5)", w="x(3, 2, 2)"),
        of("F.conv3d(a, w)", a="x(1, 1, 3, 3, 3)", w="x(2, 1, 2, 2, 2)"),
        of(
            "F.conv_transpose2d(a, w, b, stride=2, padding=1, output_padding=1)",
            a="x(1, 2, 2, 3)",
            w="x(2, 3, 3, 3)",
            b="x(3)",
        ),
        of("F.conv_transpose1d(a, w, groups=2, dilation=2)", a="x(1, 2, 3)", w="x(2, 2, 2)"),
        "w = x(2, 1, 2, 2); a = x(1, 1, 3, 3); (g,) = torch.autograd.grad(F.conv2d(a, w).pow(2).sum(), a, create_graph=True); r = torch.autograd.grad(g.pow(2).sum(), [a, w])",
        *(
            f"w = x(4, {4 // groups}, 3, 3); a = x(2, 4, 5, 5); "
            f"(g,) = torch.autograd.grad(F.conv2d(a, w, stride={stride}, padding=1, groups={groups}).sum(), a, create_graph={again}); "
            "r = g.view(2, -1).sum(1)"
            for stride, groups, again in ((1, 1, False), (2, 1, True), (1, 4, False))
        ),
        "r = F.conv2d(x(1, 3, 4, 4), x(2, 2, 3, 3))",
        "r = F.conv2d(x(4), x(2, 2, 3, 3))",
        "r = F.conv2d(x(1, 2, 2, 2), x(2, 2, 3, 3))",
        "r = F.conv2d(x(1, 2, 4, 4), x(2, 2, 3, 3), x(3))",
        "r = F.conv2d(x(1, 2, 4, 4), x(2, 2, 3, 3), stride=(1, 1, 1))",
        "r = F.conv_transpose2d(x(1, 3, 2, 2), x(2, 3, 3, 3))",
    ],
    "pooling": [
        of("F.max_pool2d(a, 2)", a=IMAGE),
        of("F.max_pool2d(a, 3, stride=1, padding=1, ceil_mode=True)", a=IMAGE),
        "r = F.max_pool2d(x(1, 1, 4, 4), 2, return_indices=True)",
        of("F.max_pool1d(a, 2)", a="x(1, 2, 5)"),
        of("F.max_pool3d(a, 2)", a="x(1, 1, 2, 4, 2)"),
        of("F.avg_pool2d(a, 2, padding=1, count_include_pad=False)", a=IMAGE),
        of("F.avg_pool2d(a, (2, 3), stride=(1, 2), ceil_mode=True)", a=IMAGE),
        of("F.avg_pool1d(a, 2)", a="x(1, 2, 5)"),
        of("F.adaptive_avg_pool2d(a, (2, 3))", a=IMAGE),
        of("F.adaptive_avg_pool2d(a, 1)", a=IMAGE),
        of("F.adaptive_avg_pool1d(a, 3)", a="x(1, 2, 5)"),
        of("F.adaptive_max_pool2d(a, 2)", a=IMAGE),
        of("F.lp_pool2d(a, 2, 2)", a=IMAGE),
        of("F.fractional_max_pool2d(a, 2, output_size=(3, 2))", a=IMAGE),
        "a = x(1, 1, 4, 4); v, i = F.max_pool2d(a, 2, return_indices=True); y = F.max_unpool2d(v, i, 2); r = [y, gradients(y, a=a)]",
        "r = F.max_pool2d(x(1, 1, 2, 2), 3)",
        "r = F.max_pool2d(x(2, 2), 2)",
        "r = F.max_pool2d(x(1, 1, 4, 4), 2, padding=2)",
    ],
    "regression losses": [
        *(
            of(f"F.{loss}(a, t{extra}, reduction={reduction!r})", a="x(2, 3)", t="x(2, 3) * 0.5 + 0.1")
            for loss, extra in (
                ("mse_loss", ""),
                ("l1_loss", ""),
                ("smooth_l1_loss", ", beta=0.3"),
                ("huber_loss", ", delta=0.4"),
            )
            for reduction in ("mean", "sum", "none")
        ),
        of("F.mse_loss(a, t)", a="x(3, 1)", t="x(3)"),
        of("F.kl_div(a.log_softmax(1), t.softmax(1), reduction='batchmean')", a="x(2, 3)", t="x(2, 3)"),
        of("F.kl_div(a, t, reduction='sum', log_target=True)", a="x(2, 3)", t="x(2, 3)"),
        of("F.poisson_nll_loss(a, t, full=True)", a="x(4)", t="x(4).exp()"),
        of("F.gaussian_nll_loss(a, t, v)", a="x(4)", t="x(4)", v="x(4).exp()"),
        "r = F.mse_loss(x(2), x(2), reduction='average')",
    ],
    "classification losses": [
        *(
            of(f"F.cross_entropy(a, torch.tensor([2, 0]), reduction={reduction!r})", a="x(2, 3)")
            for reduction in ("mean", "sum", "none")
        ),
        of(
            "F.cross_entropy(a, torch.tensor([2, 0, 1]), weight=torch.tensor([1., 2., 3.], dtype=torch.float64), ignore_index=1)",
            a="x(3, 3)",
        ),
        of("F.cross_entropy(a, torch.tensor([2, 0]), label_smoothing=0.1)", a="x(2, 3)"),
        of("F.cross_entropy(a, p.softmax(1))", a="x(2, 3)", p="x(2, 3)"),
        of("F.cross_entropy(a, torch.tensor([[2, 0], [1, 1]]))", a="x(2, 3, 2)"),
        of("F.cross_entropy(a, torch.tensor(2))", a="x(3)"),
        of("F.nll_loss(a, torch.tensor([2, 0]))", a="x(2, 3)"),
        of("F.binary_cross_entropy(a.sigmoid(), t.sigmoid())", a="x(4)", t="x(4)"),
        of(
            "F.binary_cross_entropy_with_logits(a, t, pos_weight=torch.tensor(2., dtype=torch.float64))",
            a="x(4)",
            t="x(4).sigmoid()",
        ),
        "r = F.cross_entropy(x(2, 3), torch.tensor([3, 0]))",
        "r = F.cross_entropy(x(2, 3), torch.tensor([1, 0, 1]))",
        "r = F.binary_cross_entropy(torch.tensor([1.5]), torch.tensor([1.]))",
        "r = F.binary_cross_entropy(torch.tensor([0.5]), torch.tensor([1., 1.]))",
        of("F.ctc_loss(a.log_softmax(2), torch.tensor([[1, 2], [2, 2]]), (5, 4), (2, 1))", a="x(5, 2, 3)"),
    ],
    "margin losses": [
        of("F.hinge_embedding_loss(a, torch.tensor([1, -1, 1]))", a="x(3)"),
        of("F.margin_ranking_loss(a, b, torch.tensor([1, -1, 1]), margin=0.5)", a="x(3)", b="x(3) * 0.5"),
        of("F.cosine_embedding_loss(a, b, torch.tensor([1, -1]), margin=0.1)", a="x(2, 3)", b="x(2, 3) + 0.4"),
        of("F.triplet_margin_loss(a, b, c, swap=True)", a="x(2, 3)", b="x(2, 3) + 0.4", c="x(2, 3) * 0.3"),
        of("F.soft_margin_loss(a, torch.tensor([1., -1., 1.], dtype=torch.float64))", a="x(3)"),
        of("F.multi_margin_loss(a, torch.tensor([0, 2]), p=2)", a="x(2, 3)"),
        of("F.multilabel_margin_loss(a, torch.tensor([[2, 0, -1], [1, -1, 0]]))", a="x(2, 3)"),
        of("F.multilabel_soft_margin_loss(a, torch.tensor([[1., 0., 1.]], dtype=torch.float64))", a="x(1, 3)"),
    ],
    "normalisation": [
        of("F.batch_norm(a, None, None, w, b, True)", a="x(4, 2)", w="x(2)", b="x(2)"),
        of(
            "F.batch_norm(a, torch.zeros(2).double(), torch.ones(2).double(), w, b)", a="x(3, 2, 2)", w="x(2)", b="x(2)"
        ),
        "m, v = torch.zeros(2).double(), torch.ones(2).double(); F.batch_norm(x(4, 2), m, v, training=True, momentum=0.3); r = [m, v, m._version]",
        of("F.layer_norm(a, (3,), w, b)", a="x(2, 3)", w="x(3)", b="x(3)"),
        of("F.layer_norm(a, (2, 3))", a="x(2, 2, 3)"),
        of("F.group_norm(a, 2, w, b)", a="x(2, 4, 3)", w="x(4)", b="x(4)"),
        of("F.instance_norm(a, weight=w, bias=b)", a="x(2, 2, 3)", w="x(2)", b="x(2)"),
        of("F.rms_norm(a, (3,), w)", a="x(2, 3)", w="x(3)"),
        of("F.local_response_norm(a, 2)", a="x(1, 3, 4)"),
        of("F.normalize(a, dim=1)", a="x(2, 3)"),
        "a = x(4, 2); (g,) = torch.autograd.grad(F.batch_norm(a, None, None, training=True).pow(3).sum(), a, create_graph=True); r = torch.autograd.grad(g.pow(2).sum(), a)",
        "a = x(2, 3); (g,) = torch.autograd.grad(F.layer_norm(a, (3,)).pow(3).sum(), a, create_graph=True); r = torch.autograd.grad(g.pow(2).sum(), a)",
        "r = F.batch_norm(x(1, 2), None, None, training=True)",
        "r = F.layer_norm(x(2, 3), (4,))",
        "r = F.group_norm(x(1, 3, 2), 2)",
    ],
    "dropout": [
        *(
            of(f"F.{name}(a, 0.4, True)", a=shape)
            for name, shape in (("dropout", "x(3, 4)"), ("alpha_dropout", "x(3, 4)"), ("dropout2d", "x(2, 3, 2, 2)"))
        ),
        of("F.dropout(a, 0.4, False)", a="x(3)"),
        of("F.dropout(a, 1.0)", a="x(3)"),
        "r = F.dropout(x(3), 1.5)",
    ],
    "lookup": [
        of("F.embedding(torch.tensor([[1, 0], [1, 2]]), w, padding_idx=0)", w="x(3, 2)"),
        of("F.embedding(torch.tensor([1, 1, 2]), w, scale_grad_by_freq=True)", w="x(3, 2)"),
        of("F.embedding_bag(torch.tensor([1, 0, 2, 2]), w, torch.tensor([0, 1]))", w="x(3, 2)"),
        of("F.embedding_bag(torch.tensor([[1, 0], [2, 2]]), w, mode='max')", w="x(3, 2)"),
        of(
            "F.embedding_bag(torch.tensor([[1, 0], [2, 2]]), w, mode='sum', per_sample_weights=p)",
            w="x(3, 2)",
            p="x(2, 2)",
        ),
        "r = F.one_hot(torch.tensor([[0, 2], [1, 0]]), 4)",
        "r = F.embedding(torch.tensor([3]), x(3, 2))",
        "r = F.one_hot(torch.tensor([-1]))",
    ],
    "padding and reshaping": [
        *(
            of(f"F.pad(a, (1, 2), mode={mode!r})", a="x(1, 2, 4)")
            for mode in ("constant", "reflect", "replicate", "circular")
        ),
        of("F.pad(a, (1, -1, 0, 2), value=3.0)", a="x(2, 3)"),
        of("F.unfold(a, 2, padding=1, stride=2)", a="x(1, 2, 3, 3)"),
        of("F.fold(a, (3, 3), 2)", a="x(1, 8, 4)"),
        of("F.pixel_shuffle(a, 2)", a="x(1, 4, 2, 2)"),
        of("F.pixel_unshuffle(a, 2)", a="x(1, 1, 4, 2)"),
        of("F.channel_shuffle(a, 2)", a="x(1, 4, 1, 2)"),
        "r = F.pad(x(2, 3), (1, 1, 1))",
        "r = F.pad(x(1, 1, 2), (2, 2), mode='reflect')",
    ],
    "resizing": [
        *(
            of(f"F.interpolate(a, scale_factor=1.5, mode={mode!r})", a=shape)
            for mode, shape in (
                ("nearest", "x(1, 1, 4)"),
                ("linear", "x(1, 1, 4)"),
                ("bilinear", "x(1, 1, 3, 2)"),
                ("bicubic", "x(1, 1, 3, 2)"),
                ("area", "x(1, 1, 4)"),
                ("nearest-exact", "x(1, 1, 4)"),
            )
        ),
        of("F.interpolate(a, (3, 5), mode='bilinear', align_corners=True)", a="x(1, 1, 2, 2)"),
        *(
            f"a = x({shape}); (g,) = torch.autograd.grad(F.interpolate(a, scale_factor=2, mode={mode!r}).pow(2).sum(), a, create_graph=True); "
            "r = [f'{name}={getattr(g.grad_fn, name)}' for name in sorted(dir(g.grad_fn)) if name.startswith('_saved')]"
            for shape, mode in (
                ("1, 1, 2", "linear"),
                ("1, 1, 2", "nearest"),
                ("1, 1, 2, 2", "bilinear"),
                ("1, 1, 2, 2", "bicubic"),
                ("1, 1, 2, 2", "nearest-exact"),
                ("1, 1, 2, 2, 2", "trilinear"),
                ("1, 1, 2, 2, 2", "nearest"),
            )
        ),
        of("F.interpolate(a, 2, mode='bilinear', antialias=True)", a="x(1, 1, 5, 5)"),
        of("F.grid_sample(a, g.tanh(), align_corners=False)", a="x(1, 1, 3, 3)", g="x(1, 2, 2, 2)"),
        of("F.grid_sample(a, g, padding_mode='reflection', align_corners=True)", a="x(1, 1, 3, 3)", g="x(1, 2, 2, 2)"),
        of("F.affine_grid(t, (1, 1, 2, 3), align_corners=False)", t="x(1, 2, 3)"),
        "r = F.interpolate(x(1, 1, 4), mode='nearest')",
        "r = F.interpolate(x(1, 1, 4), 2, mode='bilinear')",
    ],
    "distances": [
        of("F.cosine_similarity(a, b)", a="x(2, 3)", b="x(2, 3) + 0.3"),
        of("F.pairwise_distance(a, b, keepdim=True)", a="x(2, 3)", b="x(2, 3) * 0.5"),
        *(of(f"torch.cdist(a, b, p={p})", a="x(2, 3)", b="x(4, 3) * 0.7") for p in (1.0, 2.0, 3.0)),
        of("F.pdist(a)", a="x(3, 2)"),
    ],
    "second order": [
        "a = x(1, 1, 3, 3); g = x(1, 2, 2, 2, scale=0.3); (d, e) = torch.autograd.grad(F.grid_sample(a, g, align_corners=False).pow(2).sum(), [a, g], create_graph=True); r = torch.autograd.grad(d.pow(2).sum() + e.pow(2).sum(), [a, g])",
        "torch.manual_seed(0); m = nn.LSTM(2, 2); a = x(3, 1, 2).float().detach().requires_grad_(); (g,) = torch.autograd.grad(m(a)[0].pow(2).sum(), a, create_graph=True); r = [round(v, 4) for v in torch.autograd.grad(g.pow(2).sum(), a)[0].flatten().tolist()]",
        "a = x(1, 1, 2, 2); (g,) = torch.autograd.grad(F.scaled_dot_product_attention(a, a, a).sum(), a, create_graph=True); g.sum().backward()",
        "a = x(3, 2); (g,) = torch.autograd.grad(F.pdist(a).sum(), a, create_graph=True); g.sum().backward()",
        "a = x(1, 1, 4, 4); (g,) = torch.autograd.grad(F.max_pool2d(a, 2).pow(2).sum(), a, create_graph=True); r = torch.autograd.grad(g.pow(2).sum(), a)",
        "a = x(1, 1, 4, 4); (g,) = torch.autograd.grad(F.avg_pool2d(a, 2).pow(3).sum(), a, create_graph=True); r = torch.autograd.grad(g.pow(2).sum(), a)",
    ],
    "attention": [
        *(
            f"q, k = x(2, 4, 3, 5), x(2, {heads}, 6, 5); "
            f"y = F.scaled_dot_product_attention(q, k, k * 2, is_causal={causal}, enable_gqa={heads != 4}); "
            "r = [tuple(g.stride()) for g in torch.autograd.grad(y.sum(), [q, k])]"
            for heads, causal in ((4, False), (4, True), (2, False))
        ),
        of(
            "F.scaled_dot_product_attention(q, k, v)",
            q="x(1, 2, 3, 4)",
            k="x(1, 2, 3, 4) * 0.5",
            v="x(1, 2, 3, 4) + 0.2",
        ),
        of(
            "F.scaled_dot_product_attention(q, k, v, is_causal=True)",
            q="x(1, 1, 3, 2)",
            k="x(1, 1, 3, 2)",
            v="x(1, 1, 3, 2)",
        ),
        of(
            "F.scaled_dot_product_attention(q, k, v, torch.tensor([[True, False], [True, True]]))",
            q="x(2, 3)",
            k="x(2, 3)",
            v="x(2, 3)",
        ),
        "r = F.scaled_dot_product_attention(x(1, 1, 2, 2), x(1, 1, 2, 2), x(1, 1, 2, 2), torch.ones(2, 2).bool(), is_causal=True)",
    ],
}
FAMILIES["second order"] += [
    *(
        twice(call, a="x(1, 1, 2, 4, 4)")
        for call in (
            "F.avg_pool3d(a, 2)",
            "F.adaptive_avg_pool3d(a, (1, 2, 2))",
            "F.max_pool3d(a, 2)",
            "F.adaptive_max_pool3d(a, (1, 2, 2))",
            "F.fractional_max_pool3d(a, (1, 2, 2), output_size=(1, 2, 2))",
            "F.interpolate(a, scale_factor=2)",
            "F.interpolate(a, scale_factor=2, mode='nearest-exact')",
            "F.interpolate(a, scale_factor=2, mode='trilinear')",
            "F.pad(a, (1, 1, 1, 1, 1, 1), mode='reflect')",
            "F.pad(a, (1, 1, 1, 1, 1, 1), mode='replicate')",
            "F.max_unpool3d(*F.max_pool3d(a, 2, return_indices=True), 2)",
        )
    ),
    *(
        twice(call, a="x(1, 2, 4, 4)")
        for call in (
            "F.adaptive_avg_pool2d(a, (2, 3))",
            "F.adaptive_max_pool2d(a, (2, 3))",
            "F.fractional_max_pool2d(a, 2, output_size=(2, 2))",
            "F.interpolate(a, scale_factor=2)",
            "F.interpolate(a, scale_factor=2, mode='nearest-exact')",
            "F.interpolate(a, scale_factor=2, mode='bilinear')",
            "F.interpolate(a, scale_factor=2, mode='bicubic')",
            "F.interpolate(a, 3, mode='bilinear', antialias=True)",
            "F.interpolate(a, 3, mode='bicubic', antialias=True)",
            "F.pad(a, (1, 1, 1, 1), mode='reflect')",
            "F.pad(a, (1, 1, 1, 1), mode='replicate')",
            "F.max_unpool2d(*F.max_pool2d(a, 2, return_indices=True), 2)",
            "F.nll_loss(a, torch.tensor([[[0, 1, 0, 1]] * 4]).reshape(1, 4, 4))",
            "F.pixel_shuffle(torch.cat([a, a], 1), 2)",
        )
    ),
    *(
        twice(call, a="x(1, 2, 5)")
        for call in (
            "F.interpolate(a, scale_factor=2)",
            "F.interpolate(a, scale_factor=2, mode='nearest-exact')",
            "F.interpolate(a, scale_factor=2, mode='linear')",
            "F.pad(a, (1, 1), mode='reflect')",
            "F.pad(a, (1, 1), mode='replicate')",
            "F.glu(torch.cat([a, a]), 0)",
        )
    ),
    twice("F.grid_sample(a, g, align_corners=False)", a="x(1, 1, 2, 3, 3)", g="x(1, 1, 2, 2, 3, scale=0.3)"),
    twice("F.affine_grid(t, (1, 1, 2, 3), align_corners=False)", t="x(1, 2, 3)"),
    twice("F.multi_margin_loss(a, torch.tensor([2, 0]))", a="x(2, 3)"),
    twice("F.multilabel_margin_loss(a, torch.tensor([[2, -1, 0], [0, 1, -1]]))", a="x(2, 3)"),
    twice("F.ctc_loss(a.log_softmax(2), torch.tensor([[1, 2], [2, 2]]), (5, 4), (2, 1))", a="x(5, 2, 3)"),
    twice("F.embedding(torch.tensor([1, 0, 1]), w)", w="x(2, 3)"),
    twice("F.mse_loss(a, b)", a="x(2, 3)", b="x(2, 3) * 0.5"),
    twice("F.smooth_l1_loss(a, b, beta=0.3)", a="x(2, 3)", b="x(2, 3) * 0.5"),
    twice("F.nll_loss(a, torch.tensor([2, 0]))", a="x(2, 3)"),
    twice("torch.cdist(a, b, p=3.0)", a="x(2, 3)", b="x(4, 3) * 0.7"),
    twice("torch.cdist(a, b, compute_mode='use_mm_for_euclid_dist')", a="x(2, 3)", b="x(4, 3) * 0.7"),
    twice("F.batch_norm(a, None, None, w, b, training=True)", a="x(4, 2)", w="x(2)", b="x(2)"),
]
FAMILIES["writing in place"] = [
    *(
        of(f"(a * 1).{call}", a="x(6)")
        for call in (
            "fill_(2.0)",
            "zero_()",
            "uniform_()",
            "normal_()",
            "exponential_()",
            "cauchy_()",
            "log_normal_()",
            "geometric_(0.5)",
            "bernoulli_(0.5)",
            "bernoulli_(torch.full((6,), 0.5, dtype=torch.float64))",
            "random_()",
            "random_(9)",
            "random_(2, 9)",
            "eq_(torch.ones(6))",
            "ne_(torch.ones(6))",
            "gt_(torch.ones(6))",
            "ge_(torch.ones(6))",
            "lt_(torch.ones(6))",
            "le_(torch.ones(6))",
            "xlogy_(2.0)",
            "view(1, 6).squeeze_()",
            "view(1, 6).squeeze_(0)",
            "view(1, 6, 1).squeeze_((0, 2))",
            "unsqueeze_(0)",
            "view(2, 3).t_()",
            "view(2, 3).transpose_(0, 1)",
            "as_strided_((2, 2), (2, 1))",
        )
    ),
    *(
        of(f"F.{call}", a="x(6)")
        for call in (
            "leaky_relu_(a * 1, 0.2)",
            "threshold_(a * 1, 0.3, 5.0)",
            "elu_(a * 1, 0.7)",
            "celu_(a * 1, 0.7)",
            "rrelu_(a * 1, training=True)",
        )
    ),
    of("(a * 1).copy_(b)", a="x(3)", b="x(3) * 2"),
    of("(a * 1).fill_(s)", a="x(3)", s="x()"),
]
FAMILIES["kept apart"] = [
    *(
        of(call, a="x(2, 3)")
        for call in (
            "torch.special.xlog1py(a, 2.0)",
            "torch.special.zeta(a.exp() + 1, 2.0)",
            "torch.special.zeta(2.0, a.exp())",
            "torch.special.zeta(a.exp().detach() + 1, a.exp())",
            "torch.bernoulli(a.sigmoid())",
            "torch.poisson(a.exp())",
            "torch.normal(a, 0.5)",
            "torch.normal(0.5, a.exp())",
            "torch.normal(a, a.exp())",
            "torch.unsafe_split_with_sizes(a, [1, 2], 1)[1]",
            "torch.split_copy(a, 2, 1)[0]",
            "torch.transpose_copy(a, 0, 1)",
            "torch.squeeze_copy(a[None], (0,))",
            "torch.aminmax(a)[1]",
        )
    ),
]
PROGRAMS = {program: family for family, programs in FAMILIES.items() for program in programs}
