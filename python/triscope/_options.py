"""Options that every kind of array shares, checked; ValueError names the argument that is wrong."""

import operator

from . import _library


def number(name, value):
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"{name} is {value!r}, but must be a number") from error


def choice(name, value, choices):
    if isinstance(value, str) and value in choices:
        return choices[value]
    raise ValueError(f"{name} is {value!r}, but must be one of: {', '.join(choices)}")


def window(lengths):
    try:
        first, second = (operator.index(length) for length in lengths)
    except (TypeError, ValueError) as error:
        raise ValueError(f"window is {lengths!r}, but must be two whole numbers, such as (512, 32)") from error
    if not (1 <= first < 2**31 and 1 <= second < 2**31):
        raise ValueError(f"window is {lengths!r}, but both lengths must be at least 1 and below 2**31")
    return first, second


def kernel(name):
    if name is not None and not isinstance(name, str):
        raise ValueError(f"kernel is {name!r}, but must be None or an id such as \"cpu.fast\"")
    return name


def shapes(q, k1, others):
    """Refuses shapes that do not fit: of q, of k1, and of {name: shape}."""
    for name, shape in (("q", q), ("k1", k1)):
        if len(shape) != 4:
            raise ValueError(f"{name} has shape {tuple(shape)}, but must be [batch, seq_len, heads, head_dim]")
    batch, seq_len, q_heads, head_dim = q
    kv_heads = k1[2]
    expected = (batch, seq_len, kv_heads, head_dim)
    for name, shape in {"k1": k1, **others}.items():
        if shape != expected:
            raise ValueError(f"{name} has shape {tuple(shape)}, but must be {expected}; arrays are [batch, seq_len, heads, "
                             "head_dim], so swap axes 1 and 2 of others")
    for name, shape in (("q", q), ("k1", k1)):
        if 0 in shape:
            raise ValueError(f"{name} is empty: each of its lengths must be at least 1")
    if q_heads % kv_heads:
        raise ValueError(f"q has {q_heads} heads, which is no multiple of the {kv_heads} heads of k1")


def problem(q_shape, kv_heads, element, lengths, scale, form, mask, k2_bias, v2_bias, has_sink, deterministic=False):
    """The library's struct of one problem."""
    batch, seq_len, q_heads, head_dim = q_shape
    made = _library.new(_library.Problem, form=choice("form", form, _library.FORMS), mask=choice("mask", mask, _library.MASKS),
                        element=element, deterministic=int(deterministic), batch=batch, seq_len=seq_len, q_heads=q_heads,
                        kv_heads=kv_heads, head_dim=head_dim, has_scale=int(scale is not None), has_sink=int(has_sink),
                        scale=0.0 if scale is None else number("scale", scale), k2_bias=number("k2_bias", k2_bias),
                        v2_bias=number("v2_bias", v2_bias))
    made.window1, made.window2 = window(lengths)
    return made
