"""triscope.attention and attention_backward against formulas written down here, and what they refuse."""
import os
import subprocess
import sys
import threading
import unittest

import numpy

import triscope

RANDOM = numpy.random.default_rng(7)


def normal(*shape):
    return RANDOM.standard_normal(shape).astype(numpy.float32)


def tensors(batch=2, seq_len=13, q_heads=4, kv_heads=2, head_dim=7):
    return [normal(batch, seq_len, q_heads, head_dim)] + [normal(batch, seq_len, kv_heads, head_dim) for _ in range(4)]


def determinants(q, k1, k2):
    """[b, h, i, j, k]: the sum over chunks of 3 dimensions of det(q_i, k1_j, k2_k)."""
    total = 0.0
    for first in range(0, q.shape[-1] // 3 * 3, 3):
        a, b, c = (x[..., first:first + 3] for x in (q, k1, k2))
        for x, y, z, sign in ((0, 1, 2, 1), (1, 2, 0, 1), (2, 0, 1, 1), (2, 1, 0, -1), (1, 0, 2, -1), (0, 2, 1, -1)):
            total = total + sign * numpy.einsum("bih,bjh,bkh->bhijk", a[..., x], b[..., y], c[..., z])
    return total


def formula(q, k1, k2, v1, v2, window=(512, 32), scale=None, form="trilinear", mask="causal", k2_bias=0.0, v2_bias=0.0, sink=None):
    """(o, lse) in double precision, over every triple at once."""
    group = q.shape[2] // k1.shape[2]
    q = q.astype(float)
    k1, k2, v1, v2 = (numpy.repeat(x.astype(float), group, axis=2) for x in (k1, k2 + k2_bias, v1, v2 + v2_bias))
    logits = numpy.einsum("bihd,bjhd,bkhd->bhijk", q, k1, k2) if form == "trilinear" else determinants(q, k1, k2)
    logits = logits * (q.shape[-1] ** -0.5 if scale is None else scale)
    if mask == "causal":
        n = numpy.arange(q.shape[1])
        back = n[:, None] - n[None, :]
        seen = [(back >= 0) & (back < length) for length in window]
        logits = numpy.where(seen[0][:, :, None] & seen[1][:, None, :], logits, -numpy.inf)
    total = numpy.exp(logits).sum(axis=(3, 4))
    if sink is not None:
        total = total + numpy.exp(sink.astype(float))[None, :, None]
    lse = numpy.log(total)
    return numpy.einsum("bhijk,bjhd,bkhd->bihd", numpy.exp(logits - lse[..., None, None]), v1, v2), lse


OPTIONS = [
    dict(window=(5, 3)),
    dict(window=(3, 6), form="determinant", scale=0.4),
    dict(mask="full", k2_bias=0.3, v2_bias=-0.2, sink=normal(4)),
    dict(),
]


class Attention(unittest.TestCase):
    def test_forward_is_the_formula(self):
        for options in OPTIONS:
            inputs = tensors()
            o, lse = triscope.attention(*inputs, **options, return_lse=True)
            expected_o, expected_lse = formula(*inputs, **options)
            self.assertEqual((o.dtype, lse.dtype), (numpy.float32, numpy.float32))
            numpy.testing.assert_allclose(o, expected_o, atol=2e-5)
            numpy.testing.assert_allclose(lse, expected_lse, atol=2e-5)
            numpy.testing.assert_array_equal(triscope.attention(*inputs, **options), o)

    def test_backward_is_the_slope_of_the_formula(self):
        for options in OPTIONS:
            inputs = tensors()
            o, lse = triscope.attention(*inputs, **options, return_lse=True)
            grad_o = normal(*o.shape)
            gradients = triscope.attention_backward(grad_o, *inputs, o, lse, **options)
            values = dict(zip(("q", "k1", "k2", "v1", "v2"), inputs))
            if "sink" in options:
                values["sink"] = options["sink"]
            for name, value in values.items():
                gradient = getattr(gradients, name)
                self.assertEqual(gradient.shape, value.shape)
                step = 1e-5 * RANDOM.standard_normal(value.shape)
                ends = [(formula(**{**dict(zip(("q", "k1", "k2", "v1", "v2"), inputs)), **options, name: value + sign * step})[0]
                         * grad_o).sum() for sign in (1, -1)]
                slope, size = (ends[0] - ends[1]) / 2, numpy.linalg.norm(gradient) * numpy.linalg.norm(step)
                self.assertLess(abs((gradient * step).sum() - slope), 1e-4 * size, (name, options))
            if "sink" not in options:
                self.assertIsNone(gradients.sink)

    def test_arrays_that_are_not_contiguous_are_read_as_they_are_seen(self):
        inputs = tensors()
        swapped = [numpy.ascontiguousarray(x.swapaxes(1, 2)).swapaxes(1, 2) for x in inputs]
        reversed_twice = [numpy.ascontiguousarray(x[:, :, :, ::-1])[:, :, :, ::-1] for x in inputs]
        self.assertFalse(swapped[0].flags.c_contiguous or reversed_twice[0].flags.c_contiguous)
        expected = triscope.attention(*inputs)
        numpy.testing.assert_array_equal(triscope.attention(*swapped), expected)
        numpy.testing.assert_array_equal(triscope.attention(*reversed_twice), expected)

    def test_the_oracle_is_the_same_within_rounding(self):
        inputs = tensors()
        numpy.testing.assert_allclose(triscope.attention(*inputs, kernel="cpu.oracle"), triscope.attention(*inputs), atol=1e-5)

    def test_many_threads(self):
        sets = [tensors(seq_len=20 + n) for n in range(6)]
        alone = [triscope.attention(*inputs) for inputs in sets]
        together = [None] * len(sets)

        def work(index):
            for _ in range(5):
                together[index] = triscope.attention(*sets[index])

        threads = [threading.Thread(target=work, args=(index,)) for index in range(len(sets))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for one, other in zip(alone, together):
            numpy.testing.assert_array_equal(one, other)


FORKS = """
import os, numpy, triscope
x = numpy.ones((1, 8, 1, 4), numpy.float32)
before = os.fork()
if before == 0:
    triscope.attention(x, x, x, x, x)
    os._exit(0)
_, status = os.waitpid(before, 0)
print("forked before:", status)
triscope.attention(x, x, x, x, x)
after = os.fork()
if after == 0:
    try:
        triscope.attention(x, x, x, x, x)
        os._exit(0)
    except RuntimeError as error:
        os._exit(7 if "spawn" in str(error) else 8)
_, status = os.waitpid(after, 0)
print("forked after:", os.waitstatus_to_exitcode(status))
triscope.attention(x, x, x, x, x)
"""


class Forks(unittest.TestCase):
    def said(self, threads):
        environment = {**os.environ, "OMP_NUM_THREADS": threads}
        return subprocess.run([sys.executable, "-c", FORKS], env=environment, text=True, capture_output=True, check=True).stdout

    def test_a_fork_after_a_launch_is_refused_where_it_would_hang(self):
        self.assertEqual(self.said("2"), "forked before: 0\nforked after: 7\n")
        self.assertEqual(self.said("1"), "forked before: 0\nforked after: 0\n")


class Memory(unittest.TestCase):
    def test_too_little_is_a_runtime_error(self):
        """A view of one row that stands for 2**40 of them."""
        q = numpy.broadcast_to(normal(1, 1, 1, 64), (1, 2**40, 1, 64))
        with self.assertRaisesRegex(RuntimeError, "^there is not enough memory .*; use a smaller problem, or free some$"):
            triscope.attention(q, q, q, q, q)
        with self.assertRaisesRegex(RuntimeError, "^there is not enough memory"):
            triscope.attention_backward(q, q, q, q, q, q, q, q[..., 0])


class Refusals(unittest.TestCase):
    def refused(self, said, **changes):
        arguments = {**dict(zip(("q", "k1", "k2", "v1", "v2"), tensors())), **changes}
        with self.assertRaises(ValueError) as caught:
            triscope.attention(**arguments)
        sentence = str(caught.exception)
        self.assertIn(said, sentence)
        self.assertNotIn("\n", sentence)

    def test_each_names_its_argument(self):
        q, k1 = tensors()[:2]
        self.refused("q has dtype float64", q=q.astype(float))
        self.refused("k2 has shape (2, 13, 2, 6), but must be (2, 13, 2, 7)", k2=k1[..., :6])
        self.refused("k1 has shape (2, 2, 13, 7), but must be (2, 13, 13, 7)", k1=k1.swapaxes(1, 2))
        self.refused("q has shape (13, 4, 7), but must be [batch, seq_len, heads, head_dim]", q=q[0])
        self.refused("v1 is None, but must be an array of numpy", v1=None)
        self.refused("v1 is [[1.0]], but must be an array of numpy", v1=[[1.0]])
        self.refused("k2 is a masked array, and no kernel knows its mask", k2=numpy.ma.array(k1, mask=k1 > 0))
        self.refused("q is empty", q=q[:, :0], **{name: k1[:, :0] for name in ("k1", "k2", "v1", "v2")})
        self.refused("q has 3 heads, which is no multiple of the 2 heads of k1", q=q[:, :, :3])
        self.refused("window is (512,)", window=(512,))
        self.refused("window is (0, 32)", window=(0, 32))
        self.refused("window is (1.5, 2)", window=(1.5, 2))
        self.refused("form is 'dot_product'", form="dot_product")
        self.refused("mask is None", mask=None)
        self.refused("scale is 'big'", scale="big")
        self.refused("scale is '0.5', but must be a number", scale="0.5")
        self.refused("scale is a ndarray, but must be a number that gets no gradient; pass float(scale)", scale=numpy.ones(1))
        self.refused("k2_bias is True, but must be a number", k2_bias=True)
        self.refused("deterministic is 'yes', but must be True or False", deterministic="yes")
        self.refused("scale is nan, but must be a finite number", scale=float("nan"))
        self.refused("k2_bias is inf", k2_bias=float("inf"))
        self.refused("sink has shape (2,), but must be (4,)", sink=normal(2))
        self.refused("no kernel \"cuda.quick\"", kernel="cuda.quick")
        self.refused("kernel is 3", kernel=3)
        self.refused("kernel is 'a\\nb', but must be None or an id", kernel="a\nb")
        self.refused("..., but must be None or an id such as \"cpu.fast\"", kernel="a" * 3000)
        self.refused("form is 'xxx", form="x" * 3000)
        self.refused("kernel is '\\ud800', but must be None", kernel="\ud800")
        self.refused("head_dim is 2, but the determinant form", form="determinant",
                     **dict(zip(("q", "k1", "k2", "v1", "v2"), tensors(head_dim=2))))

    def test_the_backward_names_what_it_needs_of_the_forward(self):
        inputs = tensors()
        o, lse = triscope.attention(*inputs, return_lse=True)
        with self.assertRaisesRegex(ValueError, r"^lse has shape \(2, 13, 4\), but must be \(2, 4, 13\)"):
            triscope.attention_backward(o, *inputs, o, lse.swapaxes(1, 2))
        with self.assertRaisesRegex(ValueError, "^grad_o has dtype float64"):
            triscope.attention_backward(o.astype(float), *inputs, o, lse)
