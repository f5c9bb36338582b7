"""attention over torch tensors: two registered operators, triscope::attention and triscope::attention_backward."""

import functools

import torch

from . import _library, _options

if not hasattr(torch.library, "register_autograd"):
    raise ImportError(f"triscope needs torch 2.4 or later, and this is {torch.__version__}: install a newer one")


def _has(path):
    """Whether torch has this name."""
    found = torch
    for name in path.split("."):
        found = getattr(found, name, None)
    return found is not None


# Names that are not public. A torch without one of the first has every call go through the registered operators, which takes
# longer; in place of the two others there are public ones.
_DIRECT = all(map(_has, ("_C._len_torch_dispatch_stack", "_C._functorch.peek_interpreter_stack", "_C._get_tracing_state",
                         "autograd.forward_ad._current_level")))
_current_gpu = torch._C._cuda_getDevice if _has("_C._cuda_getDevice") else torch.cuda.current_device
if _has("_C._cuda_getCurrentRawStream"):
    _stream_of = torch._C._cuda_getCurrentRawStream  # torch.cuda.current_stream makes an object of it first
else:
    def _stream_of(gpu):
        return torch.cuda.current_stream(gpu).cuda_stream

_INPUTS = ("q", "k1", "k2", "v1", "v2")
_PLAIN = (torch.Tensor, torch.nn.Parameter)
_ELEMENTS = {torch.float32: _library.FP32, torch.bfloat16: _library.BF16}
# Of each device: the element type of its kernels, the kernel that None means, and what to do with others.
_DEVICES = {"cpu": (torch.float32, "cpu.fast", "float()"), "cuda": (torch.bfloat16, "cuda", "bfloat16()")}

_OPTIONS = ("Tensor? sink, int window1, int window2, float? scale, str form, str mask, float k2_bias, float v2_bias, "
            "bool deterministic, str kernel")
_operators = torch.library.Library("triscope", "DEF")
_operators.define(f"attention(Tensor q, Tensor k1, Tensor k2, Tensor v1, Tensor v2, {_OPTIONS}) -> (Tensor, Tensor, Tensor)")
_operators.define("attention_backward(Tensor grad_o, Tensor q, Tensor k1, Tensor k2, Tensor v1, Tensor v2, Tensor o, Tensor lse, "
                  f"Tensor lse_state, {_OPTIONS}) -> (Tensor, Tensor, Tensor, Tensor, Tensor, Tensor)")


def attention(q, k1, k2, v1, v2, window, scale, form, mask, k2_bias, v2_bias, sink, kernel, return_lse, float16, deterministic):
    """triscope.attention for torch tensors; the arguments are its own."""
    inputs = (q, k1, k2, v1, v2)
    if deterministic is None:
        deterministic = torch.are_deterministic_algorithms_enabled()
    asked = (window, scale, form, mask, k2_bias, v2_bias, deterministic, kernel, float16)
    key = None if not _DIRECT or torch.compiler.is_compiling() else _key(inputs, sink, asked)
    options = _seen.get(key)
    if options is None:
        inputs, sink, options, cast = _checked(inputs, sink, asked)
        if key is not None and not cast:
            if len(_seen) >= 1024:
                _seen.clear()
            _seen[key] = options
    if key is None:
        made = torch.ops.triscope.attention(*inputs, sink, *options)
    elif _needs_gradients(inputs, sink):
        made = _Differentiable.apply(options, *inputs, sink)
    else:
        made = _forward_alone(*inputs, sink, *options)
    return made[:2] if return_lse else made[0]


_seen = {}  # options of the calls that were checked, by their keys


def _key(inputs, sink, asked):
    """What decides whether a call is right and what it computes. None when torch does anything with these tensors but compute, or
    when nobody knows: then the registered operators are called, whose way through torch takes longer than the rest together."""
    tensors = inputs if sink is None else (*inputs, sink)
    for tensor in tensors:
        if type(tensor) not in _PLAIN:
            return None
    device = inputs[0].device
    if (torch._C._len_torch_dispatch_stack() or torch._C._functorch.peek_interpreter_stack() is not None
            or torch._C._get_tracing_state() is not None or torch.autograd.forward_ad._current_level >= 0
            or torch.is_autocast_enabled(device.type)):
        return None
    key = (asked, device, *[(tensor.shape, tensor.dtype, tensor.device) for tensor in tensors])
    try:
        hash(key)
    except TypeError:  # a list as the window, lengths that are symbols
        return None
    return key


def _checked(inputs, sink, asked):
    """(inputs, sink, options of the operators, whether any was cast). ValueError names the argument that is wrong."""
    window, scale, form, mask, k2_bias, v2_bias, deterministic, kernel, float16 = asked
    q, k1, k2, v1, v2 = inputs
    _check_tensors(inputs, sink)
    _options.shapes(q.shape, k1.shape, {"k2": k2.shape, "v1": v1.shape, "v2": v2.shape})
    window1, window2 = _options.window(window)
    _options.choice("form", form, _library.FORMS)
    _options.choice("mask", mask, _library.MASKS)
    cast_sink = sink.float() if sink is not None and sink.dtype is not torch.float32 else sink
    cast_inputs = _cast(inputs, q.device.type, float16)
    options = (window1, window2, None if scale is None else _options.number("scale", scale), form, mask,
               _options.number("k2_bias", k2_bias), _options.number("v2_bias", v2_bias),
               _options.flag("deterministic", deterministic), _options.kernel(kernel) or _DEVICES[q.device.type][1])
    cast = cast_sink is not sink or any(one is not other for one, other in zip(cast_inputs, inputs))
    return cast_inputs, cast_sink, options, cast


def _needs_gradients(inputs, sink):
    if not torch.is_grad_enabled():
        return False
    return any([tensor.requires_grad for tensor in inputs]) or sink is not None and sink.requires_grad


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
        raise ValueError(f"float16 is {_options.said(float16)}, but must be None or \"bfloat16\"")
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


def _address(tensor):
    return None if tensor is None else tensor.data_ptr()


def _run(direction, q, kv_heads, addresses, kernel, window, options):
    """One pass on the current stream of the tensors' device. `addresses`: of q to grad_sink and lse_state in the order of the
    library's struct; None as the last where no backward follows."""
    device = stream = None
    if q.is_cuda:
        device = q.get_device()
        if _current_gpu() != device:
            with torch.cuda.device(device):
                return _run(direction, q, kv_heads, addresses, kernel, window, options)
    plan, place = _plan(direction, kernel, device, tuple(q.shape), kv_heads, _ELEMENTS[q.dtype], addresses[5] is not None, window, *options)
    *pointers, state = addresses
    workspace = start = None
    if plan.workspace_bytes or state is None:
        # 256 more for the beginning, which only memory of the GPU has where the library wants it, and 4 for the word.
        workspace = torch.empty(plan.workspace_bytes + 260, dtype=torch.uint8, device=q.device)
        start = (workspace.data_ptr() + 255) // 256 * 256
        state = state or start + (plan.workspace_bytes + 3) // 4 * 4
    if device is not None:
        stream = _stream_of(device)
    _library.run(plan, place, _library.Tensors(_library.TENSORS_SIZE, *pointers, start, plan.workspace_bytes, state), stream)


def _refuse_unlike(inputs, sink, made=()):
    """Refuses what a kernel would read beyond its end. Anyone may call the operators, with what triscope.attention never saw.
    `made`: (name, tensor, shape, dtype) of what only a backward reads."""
    q = inputs[0]
    _options.shapes(q.shape, inputs[1].shape, {name: x.shape for name, x in zip(_INPUTS[2:], inputs[2:])})
    tensors = [(name, x, x.shape, q.dtype) for name, x in zip(_INPUTS, inputs)]
    if sink is not None:
        tensors.append(("sink", sink, q.shape[2:3], torch.float32))
    for name, tensor, shape, dtype in (*tensors, *made):
        if tensor.device != q.device:
            raise ValueError(f"{name} lies on {tensor.device}, but q on {q.device}; move it there")
        if tensor.dtype != dtype:
            raise ValueError(f"{name} has dtype {tensor.dtype}, but must be {dtype} where q is {q.dtype}")
        if tuple(tensor.shape) != tuple(shape):
            raise ValueError(f"{name} has shape {tuple(tensor.shape)}, but must be {tuple(shape)}")


def _forward(q, k1, k2, v1, v2, sink, *options):
    """The operator's: what it returns is the same from call to call, so the word that not every kernel writes is 0."""
    _refuse_unlike((q, k1, k2, v1, v2), sink)
    o, lse, state = _forward_shapes(q)
    return _forward_into(o, lse, state.zero_(), q, k1, k2, v1, v2, sink, *options)


def _forward_here(q, *others):
    """The same where nobody looks at the word but a backward, which reads it when the forward has written it."""
    return _forward_into(*_forward_shapes(q), q, *others)


def _forward_alone(q, *others):
    """The same without a backward behind it."""
    batch, seq_len, q_heads, head_dim = q.shape
    o, lse = q.new_empty((batch, seq_len, q_heads, head_dim)), q.new_empty((batch, q_heads, seq_len), dtype=torch.float32)
    return _forward_into(o, lse, None, q, *others)


def _forward_into(o, lse, state, q, k1, k2, v1, v2, sink, window1, window2, scale, form, mask, k2_bias, v2_bias, deterministic, kernel):
    q, k1, k2, v1, v2 = inputs = [_readable(x) for x in (q, k1, k2, v1, v2)]
    sink = None if sink is None else sink.contiguous()
    addresses = (*[x.data_ptr() for x in inputs], _address(sink), o.data_ptr(), lse.data_ptr(), *(None,) * 7, _address(state))
    _run(_library.FORWARD, q, k1.shape[2], addresses, kernel, (window1, window2), (scale, form, mask, k2_bias, v2_bias, deterministic))
    return o, lse, state


def _forward_fake(q, k1, k2, v1, v2, sink, *_):
    _refuse_unlike((q, k1, k2, v1, v2), sink)
    return _forward_shapes(q)


def _forward_shapes(q, *_):
    batch, seq_len, q_heads, head_dim = q.shape
    return (q.new_empty((batch, seq_len, q_heads, head_dim)), q.new_empty((batch, q_heads, seq_len), dtype=torch.float32),
            q.new_empty((1,), dtype=torch.int32))


def _backward_checked(grad_o, q, k1, k2, v1, v2, o, lse, lse_state, sink, *options):
    """The operator's."""
    _refuse_unlike_forward(grad_o, q, k1, k2, v1, v2, o, lse, lse_state, sink)
    return _backward(grad_o, q, k1, k2, v1, v2, o, lse, lse_state, sink, *options)


def _refuse_unlike_forward(grad_o, q, k1, k2, v1, v2, o, lse, lse_state, sink):
    batch, seq_len, q_heads, _ = q.shape
    _refuse_unlike((q, k1, k2, v1, v2), sink, (("grad_o", grad_o, q.shape, q.dtype), ("o", o, q.shape, q.dtype),
                                               ("lse", lse, (batch, q_heads, seq_len), torch.float32),
                                               ("lse_state", lse_state, (1,), torch.int32)))


def _backward(grad_o, q, k1, k2, v1, v2, o, lse, lse_state, sink, window1, window2, scale, form, mask, k2_bias, v2_bias,
              deterministic, kernel):
    grad_o, q, k1, k2, v1, v2, o = [_readable(x) for x in (grad_o, q, k1, k2, v1, v2, o)]
    lse, sink = lse.contiguous(), None if sink is None else sink.contiguous()
    gradients = _backward_shapes(grad_o, q, k1, k2, v1, v2, o, lse, lse_state, sink)
    addresses = (*[x.data_ptr() for x in (q, k1, k2, v1, v2)], _address(sink), o.data_ptr(), lse.data_ptr(), grad_o.data_ptr(),
                 *[x.data_ptr() for x in gradients[:5]], None if sink is None else gradients[5].data_ptr(), lse_state.data_ptr())
    _run(_library.BACKWARD, q, k1.shape[2], addresses, kernel, (window1, window2), (scale, form, mask, k2_bias, v2_bias, deterministic))
    return gradients


def _backward_fake(grad_o, q, k1, k2, v1, v2, o, lse, lse_state, sink, *_):
    _refuse_unlike_forward(grad_o, q, k1, k2, v1, v2, o, lse, lse_state, sink)
    return _backward_shapes(grad_o, q, k1, k2, v1, v2, o, lse, lse_state, sink)


def _backward_shapes(grad_o, q, k1, k2, v1, v2, o, lse, lse_state, sink, *_):
    of_sink = q.new_empty((0,), dtype=torch.float32) if sink is None else sink.new_empty(sink.shape)
    return (*[tensor.new_empty(tensor.shape) for tensor in (q, k1, k2, v1, v2)], of_sink)


def _keep(ctx, inputs, output):
    """Of the registered operator. What it keeps is _keep_for's."""
    _keep_for(ctx, inputs[:5], inputs[5], inputs[6:], output)


def _keep_for(ctx, inputs, sink, options, output):
    ctx.mark_non_differentiable(*output[1:])
    ctx.set_materialize_grads(False)
    ctx.save_for_backward(*inputs, *output, *(() if sink is None else (sink,)))
    ctx.options = options


def _differentiate(ctx, grad_o, *_, backward=None):
    unused = (None,) * len(ctx.options)
    if grad_o is None:
        return (None,) * 6 + unused
    q, k1, k2, v1, v2, o, lse, lse_state, *sink = ctx.saved_tensors
    backward = backward or torch.ops.triscope.attention_backward
    *gradients, of_sink = backward(grad_o, q, k1, k2, v1, v2, o, lse, lse_state, sink[0] if sink else None, *ctx.options)
    return (*gradients, of_sink if sink else None, *unused)


class _Differentiable(torch.autograd.Function):
    """The operator with its gradients, for the calls that _key knows."""

    @staticmethod
    def forward(ctx, options, q, k1, k2, v1, v2, sink):
        output = _forward_here(q, k1, k2, v1, v2, sink, *options)
        _keep_for(ctx, (q, k1, k2, v1, v2), sink, options, output)
        return output

    @staticmethod
    def backward(ctx, grad_o, *_):
        # With create_graph the operator is called, which refuses a second derivative.
        plain = type(grad_o) in _PLAIN and not torch.is_grad_enabled() and not torch._C._len_torch_dispatch_stack()
        return (None, *_differentiate(ctx, grad_o, backward=_backward if plain else None)[:6])


def _refuse_second(ctx, *_):
    raise RuntimeError("triscope.attention has no second derivative; differentiate it once, without create_graph")


for _name, _run_it, _fake, _derivative, _context in (("attention", _forward, _forward_fake, _differentiate, _keep),
                                                     ("attention_backward", _backward_checked, _backward_fake, _refuse_second, None)):
    for _device in ("CPU", "CUDA"):
        _operators.impl(_name, _run_it, _device)
    torch.library.register_fake(f"triscope::{_name}", _fake, lib=_operators)
    torch.library.register_autograd(f"triscope::{_name}", _derivative, setup_context=_context, lib=_operators)
