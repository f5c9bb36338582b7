"""Options that every kind of array shares, checked; ValueError names the argument that is wrong."""

import numbers
import operator

from . import _library

_LONGEST_SAID = 60
_LONGEST_ID = 40


def said(value):
    """`value` as a sentence names it: on one line, and not long."""
    if hasattr(value, "shape"):
        return f"a {type(value).__name__}"
    text = " ".join(repr(value).split())
    return text if len(text) <= _LONGEST_SAID else text[:_LONGEST_SAID] + "..."


def number(name, value):
    """A plain number: a tensor of one element is refused, since it would be read once and get no gradient."""
    # torch.compile follows the first question, and need not the second.
    if isinstance(value, bool) or not (isinstance(value, (float, int)) or isinstance(value, numbers.Real)):
        why = f" that gets no gradient; pass float({name})" if hasattr(value, "shape") else ""
        raise ValueError(f"{name} is {said(value)}, but must be a number{why}")
    try:
        return float(value)
    except OverflowError as error:
        raise ValueError(f"{name} is {said(value)}, which is beyond the range of a float") from error


def whole(name, value, least=1):
    """A plain whole number."""
    if isinstance(value, bool) or not isinstance(value, (int, numbers.Integral)) or not least <= value < 2**63:
        raise ValueError(f"{name} is {said(value)}, but must be a whole number of at least {least}"
                         + (" and below 2**63" if isinstance(value, int) and value >= 2**63 else ""))
    return int(value)


def flag(name, value):
    if value is None or isinstance(value, bool):
        return value
    raise ValueError(f"{name} is {said(value)}, but must be True or False")


def choice(name, value, choices):
    if isinstance(value, str) and value in choices:
        return choices[value]
    raise ValueError(f"{name} is {said(value)}, but must be one of: {', '.join(choices)}")


def window(lengths):
    try:
        first, second = (operator.index(length) for length in lengths)
    except (TypeError, ValueError) as error:
        raise ValueError(f"window is {said(lengths)}, but must be two whole numbers, such as (512, 32)") from error
    if not (1 <= first < 2**31 and 1 <= second < 2**31):
        raise ValueError(f"window is {said(lengths)}, but both lengths must be at least 1 and below 2**31")
    return first, second


def kernel(name):
    """An id that the library may be asked for, whose sentences repeat it; None."""
    if name is None or isinstance(name, str) and len(name) <= _LONGEST_ID and name.isprintable():
        return name
    raise ValueError(f"kernel is {said(name)}, but must be None or an id such as \"cpu.fast\"")


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
