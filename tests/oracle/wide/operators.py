"""Statements that compute: operators of every family, with the shape of their result."""

from __future__ import annotations

from tests.oracle.wide.writer import Shape, Writer, reduced

POINTWISE = """
{t}.exp() {t}.tanh() {t}.sigmoid() {t}.relu() {t}.abs() {t}.neg() -{t} {t}.sin() {t}.cos() {t}.square() {t}.sqrt()
{t}.abs().add(0.5).log() {t}.clamp(-1,1) {t}.clamp(min=0) {t}.round() {t}.floor() {t}.sign() {t}.erf() {t}.log1p()
{t}.expm1() {t}.rsqrt() {t}.reciprocal() {t}.pow(2) {t}**3 {t}**0.5 2**{t} {t}.clone() {t}*2 2*{t} {t}+1 1-{t} {t}/2 1/{t}
torch.nn.functional.gelu({t}) torch.nn.functional.softplus({t}) torch.nn.functional.silu({t}) torch.nn.functional.elu({t})
torch.nn.functional.leaky_relu({t},0.1) torch.nn.functional.hardtanh({t}) torch.nn.functional.logsigmoid({t})
torch.nn.functional.relu6({t}) torch.nan_to_num({t}) {t}.atan() {t}.frac() {t}.trunc() {t}.contiguous()
torch.nn.functional.selu({t}) torch.nn.functional.celu({t}) torch.nn.functional.mish({t}) torch.nn.functional.softsign({t})
torch.nn.functional.tanhshrink({t}) torch.nn.functional.hardswish({t}) torch.nn.functional.threshold({t},0.5,0.1)
torch.nn.functional.dropout({t},0.5,training=False) {t}.log2() {t}.sinh() {t}.asinh() {t}.logit(0.1) {t}%1.5 {t}//2
torch.empty_like({t}).copy_({t}) torch.zeros_like({t})+{t} {t}.add({t},alpha=3) {t}.positive() {t}.type_as({t}) {t}.nan_to_num()
{t}.detach().requires_grad_() {t}.lerp({t}*2,0.25) torch.addcmul({t},{t},{t},value=0.5) torch.addcdiv({t},{t},{t}.abs()+1)
torch.where({t}>0,{t},0.0) torch.where({t}>0,{t},-{t}) {t}.masked_fill({t}>0.5,0.0) {t}.to(torch.float64).to({t}.dtype)
""".split()
PAIRS = """
{t}+{u} {t}-{u} {t}*{u} {t}/({u}.abs()+1) torch.maximum({t},{u}) torch.minimum({t},{u}) torch.atan2({t},{u}) torch.hypot({t},{u})
torch.where({t}>{u},{t},{u}) {t}.add({u},alpha=2) {t}.sub({u},alpha=0.5) torch.logaddexp({t},{u}) {t}.clamp(max={u})
torch.lerp({t},{u},0.5) ({t}.abs()+1)**{u}.tanh() {t}.fmod({u}.abs()+1) {t}.remainder({u}.abs()+1) {t}.copysign({u})
torch.nn.functional.mse_loss({t},{u},reduction='none') torch.addcmul({t},{u},{u}) torch.rsub({t},{u}) torch.xlogy({t},{u}.abs()+1)
torch.nn.functional.smooth_l1_loss({t},{u}.expand_as({t}),reduction='none') {t}.true_divide({u}.abs()+0.5)
""".split()
TO_SCALAR = """
{t}.sum() {t}.mean() {t}.prod() {t}.norm() {t}.std() {t}.var() {t}.max() {t}.min() {t}.logsumexp(tuple(range({t}.ndim))) {t}.amax()
{t}.norm(1) torch.nn.functional.mse_loss({t},torch.zeros_like({t})) torch.nn.functional.l1_loss({t},torch.zeros_like({t}))
torch.linalg.vector_norm({t}) {t}.square().sum() {t}.nansum() {t}.median() torch.dist({t},{t}*0.5) {t}.sum(dtype=torch.float64)
torch.nn.functional.smooth_l1_loss({t},torch.ones_like({t})) {t}.nanmean() {t}.var(correction=0)
torch.nn.functional.binary_cross_entropy_with_logits({t},torch.ones_like({t})) {t}.trace() {t}.logsumexp(-1).sum() {t}.aminmax()[0]
""".split()
ALONG = """
{t}.sum({d}) {t}.mean({d}) {t}.prod({d}) {t}.amax({d}) {t}.amin({d}) {t}.logsumexp({d}) {t}.max({d})[0] {t}.min({d}).values {t}.std({d})
{t}.var({d}) {t}.norm(2,{d}) {t}.median({d})[0] {t}.mode({d})[0] {t}.nansum({d}) {t}.cummax({d})[0].select({d},-1) {t}.select({d},0)
torch.linalg.vector_norm({t},dim={d}) {t}.kthvalue(1,{d})[0] {t}.softmax({d}).select({d},-1) {t}.sum({d},dtype=torch.float64)
""".split()
ALONG_KEPT = """
{t}.sum({d},keepdim=True) {t}.mean({d},True) {t}.amax({d},True) {t}.logsumexp({d},keepdim=True) {t}.max({d},keepdim=True)[0]
{t}.var({d},keepdim=True) {t}.prod({d},keepdim=True) {t}.narrow({d},0,1) {t}.norm(dim={d},keepdim=True) {t}.std({d},keepdim=True)
""".split()
ACROSS = """
{t}.softmax({d}) {t}.log_softmax({d}) {t}.cumsum({d}) {t}.cumprod({d}) {t}.flip({d}) {t}.roll(1,{d}) {t}.sort({d})[0] {t}.sort({d},True).values
{t}.cummax({d})[0] {t}.logcumsumexp({d}) torch.nn.functional.normalize({t},dim={d}) {t}.topk({t}.shape[{d}],{d})[0] {t}.cummin({d})[0]
{t}.index_select({d},torch.arange({t}.shape[{d}])) {t}.gather({d},torch.zeros_like({t},dtype=torch.int64)) {t}.renorm(2,{d},1.0)
{t}.take_along_dim({t}.argsort({d}),{d}) {t}.msort() torch.nn.functional.softmin({t},{d}) {t}.diff(dim={d},prepend={t}.narrow({d},0,1))
torch.stack({t}.unbind({d}),{d}) torch.cat({t}.split(1,{d}),{d})
torch.nn.functional.glu(torch.cat([{t},{t}],{d}),{d}) {t}.scatter({d},torch.zeros_like({t},dtype=torch.int64),{t})
{t}.scatter_add({d},torch.zeros_like({t},dtype=torch.int64),{t}) {t}.index_add({d},torch.tensor([0]),{t}.narrow({d},0,1))
{t}.index_fill({d},torch.tensor([0]),2.0) {t}.unfold({d},1,1).squeeze(-1) {t}.swapaxes({d},0).swapaxes({d},0) {t}.movedim({d},0).movedim(0,{d})
torch.nn.functional.layer_norm({t},{t}.shape[-1:]) torch.cat([{t}[:0],{t}]) torch.nn.functional.rms_norm({t},{t}.shape[-1:])
{t}.scatter_reduce({d},torch.zeros_like({t},dtype=torch.int64),{t},'amax') {t}.index_copy({d},torch.tensor([0]),{t}.narrow({d},-1,1))
""".split()  # fmt: skip
TO_WHOLE = """
{t}.argmax() {t}.argmin() {t}.long() {t}.count_nonzero() {t}.int() ({t}*2).to(torch.int64) {t}.argsort() {t}.numel()+torch.tensor(0)
{t}.bool().sum() torch.arange(3) {t}.nonzero() torch.bincount({t}.flatten().abs().long()) ({t}>0).cumsum(-1) {t}.short() {t}.byte()
torch.searchsorted(torch.arange(3.0,dtype={t}.dtype),{t}.contiguous()) torch.bucketize({t}.detach(),torch.arange(3.0)) {t}.sort()[1]
""".split()
TO_BOOL = "{t}>0 {t}<={t}.mean() {t}==0 {t}.isnan() {t}!=1 {t}.bool() ~({t}>0) {t}.isfinite() torch.isclose({t},{t}) {t}.ge(0.5) ({t}>0)&({t}<1) ({t}>0).any(-1)".split()
MIXED = """
{t}+{u} {u}*{t} {t}-{u} {t}/({u}+7) torch.where({u}>0,{t},{u}) {t}**{u} {u}.to({t}.dtype)*{t} torch.cat([{t}.reshape(-1),{u}.reshape(-1)])
{t}*({u}>0) torch.result_type({t},{u}) {t}.masked_fill({u}>0,1.0) {u}/2 {u}//2+{t} {u}.float()+{t} torch.stack([{t}.sum(),{u}.sum()])
torch.maximum({t},{u}) {u}.type_as({t})+{t} {u}.sum()*{t} {u}.double().requires_grad_()*{t} {u}%3+{t} {u}.add(1.5) torch.add({u},{t},alpha=2)
{u}.mean(dtype=torch.float32)+{t} {u}.bool()|True {t}[{u}.bool().any().item()*1:] {u}.prod()+{t} {t}.mul({u}).sum() {t}.copysign({u})
""".split()
COMPLEX = """
torch.complex({t},{t}).abs() torch.view_as_complex(torch.stack([{t},{t}*2],-1)).angle() torch.view_as_real(torch.complex({t},{t}))
torch.complex({t},{t}*{t}).imag torch.complex({t},{t}).real torch.polar({t}.abs(),{t}).imag (torch.complex({t},{t})*(1+2j)).real
torch.complex({t},{t}).exp().real torch.complex({t},{t}).sum().abs() torch.fft.fft({t}).abs() torch.fft.ifft(torch.fft.fft({t})).real
torch.complex({t},{t}).mul(torch.complex({t},-{t})).imag torch.fft.rfft({t}).real torch.complex({t},{t}*2).square().imag
""".split()
SHAPELESS = """
torch.nn.functional.pad({t},(1,1)) {t}.repeat(2,*[1]*{t}.ndim) {t}.repeat_interleave(2) torch.cat([{t},{t}],-1) torch.stack([{t},{t}])
torch.stack([{t},{t}],-1) {t}.tile(2) {t}[{t}>0] {t}[torch.tensor([0,0])] {t}[...,[0]] {t}[None] {t}[{t}.argmax()*0] torch.hstack([{t},{t}])
torch.vstack([{t},{t}]) torch.outer({t}.flatten(),{t}.flatten()) torch.diag({t}) torch.diag_embed({t}) {t}.flatten() torch.tril({t}) {t}.triu(1)
torch.combinations({t}.flatten()) torch.cartesian_prod({t}.flatten(),{t}.flatten()) torch.kron({t},{t}) {t}.masked_select({t}>0) {t}.take(torch.tensor([0,0]))
torch.cdist({t}[None],{t}[None]) torch.tensordot({t},{t},dims={t}.ndim) {t}.unique() torch.block_diag({t},{t}) {t}.unsqueeze(-1)@{t}.unsqueeze(-2)
torch.broadcast_to({t},(2,*{t}.shape)) torch.atleast_2d({t}) torch.meshgrid({t}.flatten(),{t}.flatten(),indexing='ij')[1] {t}.topk(1)[0]
torch.index_put({t},(torch.tensor([0,0]),),torch.tensor(2.0,dtype={t}.dtype),accumulate=True) torch.column_stack([{t},{t}]) {t}.rot90()
torch.nn.functional.one_hot({t}.abs().long()) torch.dstack([{t},{t}]) {t}.tensor_split(2)[0] torch.einsum('...i->...',{t}) {t}.nonzero().sum()+{t}
torch.cumulative_trapezoid({t}) torch.trapezoid({t}) torch.nn.functional.embedding(torch.tensor([1,0]),{t}) {t}.unfold(-1,2,1) torch.cov({t}) {t}.histc(4,-2,2)
""".split()  # fmt: skip
BY_RANK: dict[int, tuple[str, ...]] = {
    2: (
        "{t}@{t}.t()", "{t}.t()@{t}", "{t}.mm({t}.t())", "torch.einsum('ij,kj->ik',{t},{t})", "{t}.matmul({t}.mT)", "{t}.mv({t}[0])",
        "torch.addmm({t}.new_zeros(()),{t},{t}.t())", "torch.nn.functional.linear({t},{t})", "torch.nn.functional.linear({t},{t},{t}[:,0])",
        "torch.nn.functional.cross_entropy({t},torch.zeros({t}.shape[0],dtype=torch.int64))", "torch.einsum('ij->ji',{t})", "torch.cdist({t},{t}*2)",
        "torch.nn.functional.cross_entropy({t},{t}.softmax(-1),label_smoothing=0.1)", "torch.nn.functional.cosine_similarity({t},{t}*2)",
        "torch.nn.functional.nll_loss({t}.log_softmax(1),torch.zeros({t}.shape[0],dtype=torch.int64),reduction='none')", "torch.einsum('ij,ij->',{t},{t})",
        "torch.linalg.det({t}@{t}.t()+torch.eye({t}.shape[0],dtype={t}.dtype))", "torch.linalg.inv({t}@{t}.t()+torch.eye({t}.shape[0],dtype={t}.dtype))",
        "torch.linalg.solve({t}@{t}.t()+torch.eye({t}.shape[0],dtype={t}.dtype),{t})", "{t}.matrix_power(2)", "torch.linalg.norm({t})", "torch.trace({t})",
        "torch.nn.functional.kl_div({t}.log_softmax(-1),{t}.softmax(-1),reduction='batchmean')", "torch.einsum('ii->i',{t})", "torch.baddbmm({t},{t}[None],{t}.t()[None])",
        "torch.nn.functional.batch_norm({t},None,None,training=True)", "torch.linalg.matrix_norm({t})", "torch.chain_matmul({t},{t}.t(),{t})",
        "torch.nn.functional.conv1d({t}[None],{t}[None,:,:1])", "torch.nn.functional.max_pool1d({t}[None],2)", "torch.nn.functional.avg_pool1d({t}[None],2)",
        "torch.nn.functional.scaled_dot_product_attention({t}[None],{t}[None],{t}[None])", "torch.nn.functional.group_norm({t}[None],1)", "torch.linalg.cholesky({t}@{t}.t()+2*torch.eye({t}.shape[0],dtype={t}.dtype))",
        "torch.nn.functional.embedding_bag(torch.tensor([[0,1]]),{t})", "torch.nn.functional.pairwise_distance({t},{t}*2)", "torch.nn.functional.gaussian_nll_loss({t},{t}*2,{t}.abs()+0.1)", "{t}.T", "{t}.adjoint()",
    ),
    3: (
        "{t}.bmm({t}.mT)", "{t}@{t}.transpose(1,2)", "{t}@{t}[0].t()", "torch.einsum('bij,bkj->bik',{t},{t})", "{t}.permute(2,0,1)", "{t}.mT.contiguous()", "{t}.transpose(0,2)*2",
        "torch.nn.functional.conv1d({t},{t}[:,:,:1])", "torch.nn.functional.max_pool1d({t},2)", "torch.nn.functional.avg_pool1d({t},2)", "torch.nn.functional.adaptive_avg_pool1d({t},1)",
        "torch.nn.functional.interpolate({t},scale_factor=2.0)", "torch.nn.functional.conv_transpose1d({t},{t}[:1].expand({t}.shape[1],-1,-1))", "torch.nn.functional.instance_norm({t})",
        "torch.nn.functional.conv2d({t}[None],{t}[None,:,:2,:2])", "torch.nn.functional.max_pool2d({t},2,1)", "torch.nn.functional.avg_pool2d({t},(1,2))", "{t}.sum((0,2))", "{t}.mean((-1,-2),keepdim=True)",
        "torch.nn.functional.fold({t}.reshape(1,-1,1),(1,1),(1,1))", "torch.nn.functional.unfold({t}[None],(1,2))", "{t}.flatten(1)", "{t}.var((0,1))", "torch.nn.functional.batch_norm({t},None,None,training=True)",
        "torch.nn.functional.lp_pool1d({t},2,2)", "torch.nn.functional.pad({t},(1,1),mode='reflect')", "torch.nn.functional.pad({t},(1,1),mode='replicate')", "{t}.amax((0,1))", "torch.linalg.norm({t},dim=(1,2))",
    ),
}  # fmt: skip


class Operators(Writer):
    """Steps that bind one more variable to the result of an operator."""

    def pointwise(self, name: str) -> None:
        """Shape stays."""
        source = self.any(lambda k: k.is_float)
        known = self.known[source]
        self.bind(name, self.choose(*POINTWISE).format(t=source), known.shape, known.dtype)

    def pair(self, name: str) -> None:
        """Two variables that broadcast."""
        left = self.floating()
        right = self.any(lambda k: k.is_float and k.shape is not None and self.together(self.shape(left), k.shape))
        shape = broadcast(self.shape(left), self.shape(right))
        dtype = "float64" if "float64" in (self.known[left].dtype, self.known[right].dtype) else "float32"
        self.bind(name, self.choose(*PAIRS).format(t=left, u=right), shape, dtype)

    @staticmethod
    def together(left: Shape, right: Shape) -> bool:
        """Whether they broadcast."""
        return broadcast(left, right) is not None

    def reduction(self, name: str) -> None:
        """To one number, or along a dimension."""
        source = self.floating()
        shape, dtype = self.shape(source), self.known[source].dtype
        if not shape or self.chance(0.3):
            self.bind(name, self.choose(*TO_SCALAR).format(t=source), (), dtype)
            return
        dim, kept = self.random.randrange(-len(shape), len(shape)), self.chance(0.3)
        pattern = self.choose(*(ALONG_KEPT if kept else ALONG))
        self.bind(name, pattern.format(t=source, d=dim), reduced(shape, dim, kept), dtype)

    def across(self, name: str) -> None:
        """Along a dimension that stays."""
        source = self.floating(1)
        if not source:
            self.pointwise(name)
            return
        shape = self.shape(source)
        dim = self.random.randrange(-len(shape), len(shape))
        self.bind(name, self.choose(*ACROSS).format(t=source, d=dim), shape, self.known[source].dtype)

    def ranked(self, name: str) -> None:
        """Products, losses and layers, which need a matrix or a batch."""
        source = self.floating(2, 3)
        if not source:
            self.pair(name)
            return
        pattern = self.choose(*BY_RANK[len(self.shape(source))])
        self.bind(name, pattern.format(t=source), None, self.known[source].dtype)

    def shapeless(self, name: str) -> None:
        """Results whose shape is not worked out here; what takes any shape goes on from them."""
        source = self.floating()
        pattern = self.choose(*(COMPLEX if self.chance(0.2) else SHAPELESS))
        self.bind(name, pattern.format(t=source), None, self.known[source].dtype)

    def other_dtype(self, name: str) -> None:
        """Whole numbers and truth values, and what becomes of them beside floats."""
        source = self.floating()
        beside = self.any(lambda k: not k.is_float)
        if beside and self.chance(0.6):
            self.bind(name, self.choose(*MIXED).format(t=source, u=beside), None, "float64")
        elif self.chance(0.5):
            self.bind(name, self.choose(*TO_WHOLE).format(t=source), None, "int64")
        else:
            self.bind(name, self.choose(*TO_BOOL).format(t=source), None, "bool")

    def control(self, name: str) -> None:
        """A branch that depends on the data, or a loop."""
        source = self.any(lambda k: k.is_float)
        known, turns = self.known[source], self.random.randint(1, 4)
        self.bind(name, source, known.shape, known.dtype)
        self.lines[-1] = self.choose(
            f"{name} = {source} * 2 if {source}.sum() > 0 else {source}.tanh()",
            f"{name} = {source}\nfor turn in range({turns}): {name} = {name} * 0.5 + {source}",
            f"{name} = {source}\nwhile {name}.abs().sum() < 5 and {name}.numel(): {name} = {name} * 2 + 0.1",
            f"{name} = {source} * 1\nfor turn in range({turns}): {name} *= 0.5",
            f"{name} = torch.stack([{source} * turn for turn in range({turns})]).sum(0)",
            f"{name} = {source}\nfor turn in range({turns}): {name} = torch.where({name} > 0, {name} - 1, {name} * turn)",
        )

    def settle(self, name: str) -> None:
        """Gives a variable of unknown shape a known one again."""
        source = self.any(lambda k: k.is_float and k.shape is None)
        if not source:
            self.reduction(name)
            return
        self.bind(
            name,
            f"{source}.{self.choose('sum()', 'mean()', 'square().sum()', 'flatten()[0]')}",
            (),
            self.known[source].dtype,
        )


def broadcast(left: Shape, right: Shape) -> Shape | None:
    """The shape of an element-wise result; None when the shapes don't fit."""
    length = max(len(left), len(right))
    found = []
    for one, other in zip((1,) * (length - len(left)) + left, (1,) * (length - len(right)) + right, strict=True):
        if one != other and 1 not in (one, other):
            return None
        found.append(other if one == 1 else one)
    return tuple(found)
