"""attention over torch tensors: two registered operators, triscope::attention and triscope::attention_backward."""

import functools

import torch

from . import _library, _options

_INPUTS = ("q", "k1", "k2", "v1", "v2")
_ELEMENTS = {torch.float32: _library.FP32, torch.bfloat16: _library.BF16}
# Of each device: the element type of its kernels, the kernel that None means, and what to do with others.
_DEVICES = {"cpu": (torch.float32, "cpu.fast", "float()"), "cuda": (torch.bfloat16, "cuda", "bfloat16()")}

_OPTIONS = ("Tensor? sink, int window1, int window2, float? scale, str form, str mask, float k2_bias, float v2_bias, "
            "bool deterministic, str kernel")
_operators = torch.library.Library("triscope", "DEF")
_operators.define(f"attention(Tensor q, Tensor k1, Tensor k2, Tensor v1, Tensor v2, {_OPTIONS}) -> (Tensor, Tensor, Tensor)")
_operators.define("attention_backward(Tensor grad_o, Tensor q, Tensor k1, Tensor k2, Tensor v1, Tensor v2, Tensor o, Tensor lse, "
                  f"Tensor lse_state, {_OPTIONS}) -> (Tensor, Tensor, Tensor, Tensor, Tensor, Tensor)")


def attention(q, k1, k2, v1, v2, window, scale, form, mask, k2_bias, v2_bias, sink, kernel, return_lse, float16):
    """triscope.attention for torch tensors; the arguments are its own."""
    inputs = (q, k1, k2, v1, v2)
    _check_tensors(inputs, sink)
    _options.shapes(q.shape, k1.shape, {"k2": k2.shape, "v1": v1.shape, "v2": v2.shape})
    window1, window2 = _options.window(window)
    _options.choice("form", form, _library.FORMS)
    _options.choice("mask", mask, _library.MASKS)
    if sink is not None and sink.dtype is not torch.float32:
        sink = sink.float()
    inputs = _cast(inputs, q.device.type, float16)
    arguments = (*inputs, sink, window1, window2, None if scale is None else _options.number("scale", scale), form, mask,
                 _options.number("k2_bias", k2_bias), _options.number("v2_bias", v2_bias),
                 torch.are_deterministic_algorithms_enabled(), _options.kernel(kernel) or _DEVICES[q.device.type][1])
    if torch.compiler.is_compiling():
        made = torch.ops.triscope.attention(*arguments)
    elif _needs_gradients(inputs, sink):
        made = _Differentiable.apply(*arguments)
    else:
        made = _below_autograd(torch.ops.triscope.attention, *arguments)
    return made[:2] if return_lse else made[0]


def _below_autograd(operator, *arguments):
    """What the operator itself computes. The Python of its registered autograd takes longer than that: 30 us without
    gradients and 130 us with them, on the host of an H200."""
    with torch._C._AutoDispatchBelowAutograd():
        return operator(*arguments)


def _needs_gradients(inputs, sink):
    return torch.is_grad_enabled() and (any(tensor.requires_grad for tensor in inputs) or sink is not None and sink.requires_grad)


def _check_tensors(inputs, sink):
    device = inputs[0].device
    if device.type not in _DEVICES:
        raise ValueError(f"q lies on {device}, but the kernels run on cpu and cuda; move it there")
    for name, tensor in zip(_INPUTS, inputs) if sink is None else zip((*_INPUTS, "sink"), (*inputs, sink)):
        if not isinstance(tensor, torch.Tensor):
            raise ValueError(f"{name} is a {type(tensor).__name__}, but must be a torch tensor, as q is one")
        if tensor.device != device:
            raise ValueError(f"{name} lies on {tensor.device}, but q on {device}; move it there")
    heads = inputs[0].shape[2:3]
    if sink is not None and (sink.shape != heads or not sink.is_floating_point()):
        raise ValueError(f"sink has shape {tuple(sink.shape)} and dtype {sink.dtype}, but must be {tuple(heads)} floating-point numbers")


def _cast(inputs, device, float16):
    """The tensors in the element type of their device: as autocast says, float16 only when `float16` says how."""
    if float16 not in (None, "bfloat16"):
        raise ValueError(f"float16 is {float16!r}, but must be None or \"bfloat16\"")
    element, _, convert = _DEVICES[device]
    wanted = torch.get_autocast_dtype(device) if torch.is_autocast_enabled(device) else None
    made = []
    for name, tensor in zip(_INPUTS, inputs):
        cast = wanted is not None and tensor.dtype in (torch.float16, torch.bfloat16, torch.float32)
        dtype = wanted if cast else tensor.dtype
        if dtype == torch.float16 and float16 is None:
            raise ValueError(f"{name} {'would be' if cast else 'is'} float16, whose range the logits of three factors leave; use "
                             "bfloat16, or pass float16=\"bfloat16\"")
        if dtype == torch.float16 or cast:
            dtype = element  # on the CPU float32, which is all its kernels have and loses nothing
        if dtype != element:
            raise ValueError(f"{name} has dtype {tensor.dtype}, but the kernels of {device} compute in {element}; pass "
                             f"{name}.{convert}")
        made.append(tensor if tensor.dtype is element else tensor.to(element))
    return made


@functools.lru_cache(maxsize=1024)
def _plan(direction, kernel, device, shape, kv_heads, element, has_sink, window, *options):
    """(plan, where it runs); `device`: the GPU's number, which must be current, or None."""
    place = _library.device_of(kernel)
    expected = _library.CPU if device is None else _library.CUDA
    if place == -1 and expected == _library.CUDA and kernel == "cuda":
        raise ValueError("q lies on a GPU, but this package was built without kernels for GPUs; build the wheel after ./run build "
                         "--cuda")
    if place not in (-1, expected):
        raise ValueError(f"kernel is {kernel!r}, which runs on {('the CPU', 'a GPU')[place]}, but q lies elsewhere; move the tensors")
    scale, form, mask, k2_bias, v2_bias, deterministic = options
    problem = _options.problem(shape, kv_heads, element, window, scale, form, mask, k2_bias, v2_bias, has_sink, deterministic)
    plan = _library.new(_library.Plan)
    _library.call("prepare", kernel, problem, direction, _library.ctypes.byref(plan))
    return plan, place


def _readable(tensor):
    """`tensor` as kernels read it: contiguous, and beginning where their 16-byte accesses may."""
    if not tensor.is_contiguous():
        return tensor.contiguous()
    return tensor.clone() if tensor.data_ptr() % 16 else tensor


def _run(direction, q, kv_heads, tensors, has_sink, kernel, window, options):
    """One pass over `tensors`, by the names of the library's struct, on the current stream of their device."""
    device = stream = None
    if q.is_cuda:
        device = q.get_device()
        if torch._C._cuda_getDevice() != device:
            with torch.cuda.device(device):
                return _run(direction, q, kv_heads, tensors, has_sink, kernel, window, options)
    plan, place = _plan(direction, kernel, device, tuple(q.shape), kv_heads, _ELEMENTS[q.dtype], has_sink, window, *options)
    pointers = _library.new(_library.Tensors, **{name: tensor.data_ptr() for name, tensor in tensors.items()})
    if plan.workspace_bytes:
        # 256 more: only memory of the GPU begins where the library wants it.
        workspace = torch.empty(plan.workspace_bytes + 256, dtype=torch.uint8, device=q.device)
        pointers.workspace = (workspace.data_ptr() + 255) // 256 * 256
        pointers.workspace_bytes = plan.workspace_bytes
    if device is not None:
        stream = torch._C._cuda_getCurrentRawStream(device)  # torch.cuda.current_stream makes an object of it first
    _library.run(plan, place, pointers, stream)


def _forward(q, k1, k2, v1, v2, sink, window1, window2, scale, form, mask, k2_bias, v2_bias, deterministic, kernel):
    o, lse, state = _forward_shapes(q)
    tensors = {"q": _readable(q), "k1": _readable(k1), "k2": _readable(k2), "v1": _readable(v1), "v2": _readable(v2), "o": o,
               "lse": lse, "lse_state": state}
    if sink is not None:
        tensors["sink"] = sink.contiguous()
    _run(_library.FORWARD, q, k1.shape[2], tensors, sink is not None, kernel, (window1, window2),
         (scale, form, mask, k2_bias, v2_bias, deterministic))
    return o, lse, state


def _forward_shapes(q, *_):
    batch, seq_len, q_heads, _ = q.shape
    lse = q.new_empty((batch, q_heads, seq_len), dtype=torch.float32)
    return q.new_empty(q.shape), lse, lse.new_zeros(1, dtype=torch.int32)  # not every kernel writes its state


def _backward(grad_o, q, k1, k2, v1, v2, o, lse, lse_state, sink, window1, window2, scale, form, mask, k2_bias, v2_bias,
              deterministic, kernel):
    inputs = (grad_o, q, k1, k2, v1, v2, o)
    tensors = {name: _readable(tensor) for name, tensor in zip(("grad_o", *_INPUTS, "o"), inputs)}
    tensors["lse"], tensors["lse_state"] = lse.contiguous(), lse_state
    gradients = _backward_shapes(grad_o, q, k1, k2, v1, v2, o, lse, lse_state, sink)
    tensors.update((f"grad_{name}", gradient) for name, gradient in zip(_INPUTS, gradients))
    if sink is not None:
        tensors["sink"], tensors["grad_sink"] = sink.contiguous(), gradients[5]
    _run(_library.BACKWARD, q, k1.shape[2], tensors, sink is not None, kernel, (window1, window2),
         (scale, form, mask, k2_bias, v2_bias, deterministic))
    return gradients


def _backward_shapes(grad_o, q, k1, k2, v1, v2, o, lse, lse_state, sink, *_):
    of_sink = q.new_empty(0, dtype=torch.float32) if sink is None else sink.new_empty(sink.shape)
    return (*(tensor.new_empty(tensor.shape) for tensor in (q, k1, k2, v1, v2)), of_sink)


def _keep(ctx, inputs, output):
    ctx.mark_non_differentiable(*output[1:])
    ctx.set_materialize_grads(False)
    ctx.save_for_backward(*inputs[:5], *output, *(() if inputs[5] is None else (inputs[5],)))
    ctx.options = inputs[6:]


def _differentiate(ctx, grad_o, *_):
    unused = (None,) * len(ctx.options)
    if grad_o is None:
        return (None,) * 6 + unused
    q, k1, k2, v1, v2, o, lse, lse_state, *sink = ctx.saved_tensors
    *gradients, of_sink = torch.ops.triscope.attention_backward(grad_o, q, k1, k2, v1, v2, o, lse, lse_state,
                                                                sink[0] if sink else None, *ctx.options)
    return (*gradients, of_sink if sink else None, *unused)


class _Differentiable(torch.autograd.Function):
    """The operator with its gradients, outside of torch.compile, which uses those that are registered."""

    @staticmethod
    def forward(ctx, *arguments):
        output = _below_autograd(torch.ops.triscope.attention, *arguments)
        _keep(ctx, arguments, output)
        return output

    @staticmethod
    def backward(ctx, *gradients):
        return _differentiate(ctx, *gradients)


def _refuse_second(ctx, *_):
    raise RuntimeError("triscope.attention has no second derivative; differentiate it once, without create_graph")


for _name, _run_it, _shapes, _derivative, _context in (("attention", _forward, _forward_shapes, _differentiate, _keep),
                                                       ("attention_backward", _backward, _backward_shapes, _refuse_second, None)):
    for _device in ("CPU", "CUDA"):
        _operators.impl(_name, _run_it, _device)
    torch.library.register_fake(f"triscope::{_name}", _shapes, lib=_operators)
    torch.library.register_autograd(f"triscope::{_name}", _derivative, setup_context=_context, lib=_operators)
