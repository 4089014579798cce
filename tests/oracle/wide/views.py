"""Statements that make views, write in place and leave the graph."""

from __future__ import annotations

from tests.oracle.wide.writer import Shape, Writer, size

IN_PLACE = """
{t}.add_({u}) {t}.mul_({u}) {t}.sub_({u}) {t}.div_(2) {t}.zero_() {t}.exp_() {t}.tanh_() {t}.fill_(0.5) {t}.copy_({u}*torch.ones(())) {t}+={u}
{t}*={u} {t}-={u} {t}/=2 {t}**=2 {t}.clamp_(-1,1) {t}.neg_() {t}.relu_() {t}.sigmoid_() {t}.abs_() {t}.sqrt_() {t}.masked_fill_({t}>0.5,0.0)
{t}.addcmul_({t},{t}) {t}.lerp_({t}*2,0.5) {t}.pow_(2) {t}.clamp_min_(0) F.relu({t},inplace=True) F.leaky_relu_({t},0.1) F.elu({t},inplace=True)
{t}.add_({u},alpha=2) {t}[...]={u} {t}[{t}>0]=0.0 {t}[{t}>0]*=2 {t}.mul_({t}) {t}.add_({t}.sum()) {t}.requires_grad_().add_(1) {t}.fill_({u}*torch.ones(()))
{t}.nan_to_num_() {t}.round_() {t}.square_() {t}.cos_() {t}.normal_(0,0) {t}.uniform_(1,1) {t}.data.mul_(2) {t}.detach().add_(1) {t}.set_({t}.detach().clone())
""".split()
INTO_ROWS = """
{t}[0]={u} {t}[0:1]*=2 {t}[-1].add_(1) {t}[0].mul_({t}[-1]) {t}[[0]]=1.5 {t}[...,0]=2.0 {t}[...,-1:]+=1 {t}.cumsum_(0) {t}.index_fill_(0,torch.tensor([0]),0.5)
{t}.index_add_(0,torch.tensor([0]),{t}[:1]) {t}.scatter_(0,torch.zeros_like({t},dtype=torch.int64),1.0) {t}.index_put_((torch.tensor([0]),),torch.tensor(1.0,dtype={t}.dtype))
{t}.unsqueeze_(0).squeeze_(0) {t}.transpose_(0,-1).transpose_(0,-1) {t}.select(0,0).zero_() {t}.narrow(0,0,1).exp_() {t}.view(-1)[0].mul_(3) {t}.unbind(0)[0].mul_(2)
{t}.split(1)[0].add_(1) {t}.chunk(2)[0].mul_(2) {t}.index_copy_(0,torch.tensor([0]),{t}[-1:].clone()) {t}.tril_() {t}.diagonal().fill_(1.0) {t}.t_().t_() {t}[:,0].exp_()
{t}.flatten()[0].zero_() {t}.expand(2,*{t}.shape).add_(1) {t}.as_strided((1,),(1,)).mul_(2) {t}.detach()[0].mul_(2) {t}.data[0]=1.0 {t}[{t}.argmax(0)*0]=1.0
""".split()
ANY_VIEW = """
{t}.detach() {t}.data {t}.view_as({t}) {t}.alias() {t}[...] {t}.expand_as({t}) {t}.detach().clone() {t}.real {t}.as_strided({t}.shape,{t}.stride()) {t}.detach()[...]
{t}.view({t}.dtype) {t}.to({t}.dtype) {t}.reshape({t}.shape) {t}.squeeze().view_as({t}) torch.as_tensor({t}) {t}.contiguous() {t}.positive()
""".split()


class Views(Writer):
    """Steps about storage that several tensors share."""

    def view(self, name: str) -> None:
        """One view."""
        source = self.floating(1)
        if not source or self.chance(0.15):
            source = self.any(lambda k: k.is_float)
            known = self.known[source]
            self.bind(name, self.choose(*ANY_VIEW).format(t=source), known.shape, known.dtype)
            return
        shape = self.shape(source)
        expression, result = self.random.choice(self.views_of(source, shape))
        self.bind(name, expression, result, self.known[source].dtype)

    def views_of(self, t: str, shape: Shape) -> list[tuple[str, Shape]]:
        """The views that a tensor of this shape has, with their shapes."""
        last, rest = shape[-1], shape[1:]
        options: list[tuple[str, Shape]] = [
            (f"{t}.view(-1)", (size(shape),)), (f"{t}.reshape({size(shape)})", (size(shape),)), (f"{t}.flatten()", (size(shape),)),
            (f"{t}[0]", rest), (f"{t}[-1]", rest), (f"{t}[1:]", (max(shape[0] - 1, 0), *rest)), (f"{t}[::2]", ((shape[0] + 1) // 2, *rest)),
            (f"{t}[..., 0]", shape[:-1]), (f"{t}[..., 1:]", (*shape[:-1], max(last - 1, 0))), (f"{t}[None]", (1, *shape)),
            (f"{t}.unsqueeze(-1)", (*shape, 1)), (f"{t}.unsqueeze(0)", (1, *shape)), (f"{t}.narrow(0, 0, 1)", (1, *rest)),
            (f"{t}.expand(2, {', '.join(map(str, shape))})", (2, *shape)), (f"{t}.squeeze()", tuple(n for n in shape if n != 1)),
            (f"{t}.as_strided((2,), (1,))", (2,)), (f"{t}.as_strided((1, 2), (0, 1), 1)", (1, 2)), (f"{t}.select(-1, 0)", shape[:-1]),
            (f"{t}.unfold(0, 1, 1)", (shape[0], *rest, 1)), (f"{t}.transpose(0, -1)", (shape[-1], *shape[1:-1], shape[0]) if rest else shape),
            (f"{t}.movedim(0, -1)", (*rest, shape[0])), (f"{t}.unflatten(0, (1, {shape[0]}))", (1, *shape)), (f"{t}.diagonal(0, 0, -1)" if rest else f"{t}[:]", (*shape[1:-1], min(shape[0], last)) if rest else shape),
            (f"{t}[torch.tensor(0)]", rest), (f"{t}[:, None]", (shape[0], 1, *rest)), (f"{t}[-1:]", (1, *rest)), (f"{t}.broadcast_to((2, 1, {', '.join(map(str, shape))}))", (2, 1, *shape)),
        ]  # fmt: skip
        if len(shape) == 2:
            options += [
                (f"{t}.t()", (shape[1], shape[0])), (f"{t}.T", (shape[1], shape[0])), (f"{t}.mT", (shape[1], shape[0])),
                (f"{t}[:, 0]", (shape[0],)), (f"{t}.diagonal()", (min(shape),)), (f"{t}.permute(1, 0)", (shape[1], shape[0])),
                (f"{t}.t().reshape(-1)", (size(shape),)), (f"{t}.t().contiguous()", (shape[1], shape[0])), (f"{t}.view({shape[1]}, {shape[0]})", (shape[1], shape[0])),
            ]  # fmt: skip
        return options

    def several_views(self, name: str) -> None:
        """One of a call's several views."""
        source = self.floating(1)
        if not source or not self.shape(source)[0]:
            self.view(name)
            return
        shape = self.shape(source)
        half = (shape[0] + 1) // 2
        expression, result = self.choose(
            (f"{source}.unbind(0)[-1]", shape[1:]), (f"{source}.split(1)[0]", (1, *shape[1:])), (f"{source}.chunk(2)[0]", (half, *shape[1:])),
            (f"{source}.tensor_split(2)[0]", (half, *shape[1:])), (f"[*{source}][0]", shape[1:]), (f"{source}.split([1, {shape[0] - 1}])[0]", (1, *shape[1:])),
            (f"torch.unbind({source}, -1)[0]", shape[:-1]), (f"{source}.hsplit(1)[0]", shape),
        )  # fmt: skip
        self.bind(name, expression, result, self.known[source].dtype)

    def write(self, name: str) -> None:
        """In place, whole or into a part."""
        results = [n for n, k in self.known.items() if k.is_float and n.startswith("v")]
        target = self.random.choice(results) if results and self.chance(0.8) else self.any(lambda k: k.is_float)
        known = self.known[target]
        other = self.alike(target)
        if known.shape and self.chance(0.4):
            row = next(
                (n for n, k in self.known.items() if k.is_float and known.shape and k.shape == known.shape[1:]), "0.5"
            )
            self.say(self.choose(*INTO_ROWS).format(t=target, u=row))
        else:
            self.say(self.choose(*IN_PLACE).format(t=target, u=other))

    def detach_(self, name: str) -> None:
        """Takes a variable out of the graph for good, or replaces its data."""
        source = self.any(lambda k: k.is_float)
        self.say(
            self.choose(
                f"{source}.detach_()",
                f"{source}.data = {source}.data * 2",
                f"{source}.data = {source}.detach()",
                f"{source}.data.zero_()",
            )
        )

    def unrecorded(self, name: str) -> None:
        """Under no_grad and its kin."""
        source = self.any(lambda k: k.is_float)
        known = self.known[source]
        mode = self.choose(
            "torch.no_grad()",
            "torch.no_grad()",
            "torch.set_grad_enabled(False)",
            "torch.inference_mode()",
            "torch.enable_grad()",
        )
        if self.chance(0.5):
            self.say(f"with {mode}: {self.choose(*IN_PLACE).format(t=source, u=self.alike(source))}")
            return
        pattern = self.choose(
            "{t} * 2",
            "{t}.view(-1)",
            "{t}[...]",
            "{t}.detach()",
            "{t}.unbind()[0]",
            "{t}.expand_as({t})",
            "{t}.clone()",
        )
        self.bind(name, "0", (), "int64")
        self.lines.pop()
        self.say(f"with {mode}: {name} = {pattern.format(t=source)}")
        del self.known[name]
        self.known[name] = known._replace(
            shape=known.shape if pattern in ("{t} * 2", "{t}[...]", "{t}.detach()", "{t}.clone()") else None
        )
