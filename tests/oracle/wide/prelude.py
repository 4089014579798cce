"""What every wide program finds: custom functions, modules' weights being fixed by the seed of the random numbers."""

PRELUDE = '''
nn, F, Function, checkpoint = torch.nn, torch.nn.functional, torch.autograd.Function, torch.utils.checkpoint.checkpoint
saved_tensors_hooks = torch.autograd.graph.saved_tensors_hooks
register_multi_grad_hook = torch.autograd.graph.register_multi_grad_hook

class Double(Function):
    """Saves its input; can be derived twice."""
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2
    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * 2 + x * 0

class Swap(Function):
    """Two outputs; undefined gradients stay None."""
    @staticmethod
    def forward(ctx, x, y):
        ctx.set_materialize_grads(False)
        return y * 1, x * 1
    @staticmethod
    def backward(ctx, one, two):
        seen("swap", one is None, two is None)
        return two, one

class Materialised(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2, x.sum()
    @staticmethod
    def backward(ctx, one, two):
        seen("materialised", one, two)
        return one * 2 + two

class ScaleInPlace(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        x.mul_(2)
        return x
    @staticmethod
    def backward(ctx, grad):
        return grad * 2

class ForgetsDirty(Function):
    @staticmethod
    def forward(ctx, x):
        x.mul_(2)
        return x
    @staticmethod
    def backward(ctx, grad):
        return grad * 2

class WithMask(Function):
    """One differentiable output, one marked as not."""
    @staticmethod
    def forward(ctx, x):
        kept = x * 3
        mask = x * 0 + 1
        ctx.mark_non_differentiable(mask)
        ctx.save_for_backward(kept)
        return kept, mask
    @staticmethod
    def backward(ctx, grad, nothing):
        seen("mask", nothing)
        (kept,) = ctx.saved_tensors
        return grad * 3 * kept

class Blocks(Function):
    """No gradient passes."""
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x * factor
    @staticmethod
    def backward(ctx, grad):
        return None, None

class Same(Function):
    @staticmethod
    def forward(ctx, x):
        return x
    @staticmethod
    def backward(ctx, grad):
        return grad * 5

class Viewed(Function):
    @staticmethod
    def forward(ctx, x):
        return x.view(-1)
    @staticmethod
    def backward(ctx, grad):
        seen("viewed", grad)
        return grad.sum()

class Once(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x
    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return 2 * x * grad

class SetUp(Function):
    """Forward without ctx; ``needs_input_grad`` decides."""
    @staticmethod
    def forward(x, y, scale):
        return x * y * scale
    @staticmethod
    def setup_context(ctx, inputs, output):
        x, y, ctx.scale = inputs
        ctx.save_for_backward(x, y)
    @staticmethod
    def backward(ctx, grad):
        x, y = ctx.saved_tensors
        seen("needs", ctx.needs_input_grad)
        one = grad * y * ctx.scale if ctx.needs_input_grad[0] else None
        two = grad * x * ctx.scale if ctx.needs_input_grad[1] else None
        return one, two, None

class SavesOutput(Function):
    @staticmethod
    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(y)
        return y
    @staticmethod
    def backward(ctx, grad):
        (y,) = ctx.saved_tensors
        return grad * y

class TooMany(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2
    @staticmethod
    def backward(ctx, grad):
        return grad, grad

class WrongShape(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2
    @staticmethod
    def backward(ctx, grad):
        return torch.ones(7)

class Raises(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2
    @staticmethod
    def backward(ctx, grad):
        raise ValueError("refused in backward")

def total(*names):
    """Of what there is of these, so that a refusal on the way does not end the program."""
    found = [globals().get(name) for name in names]
    return sum(t.sum() for t in found if isinstance(t, torch.Tensor) and t.is_floating_point())
'''
