"""triscope.attention over torch tensors, beside numpy. Without torch a stand-in runs the wrapper's logic, and says so."""
import pathlib
import sys
import unittest
import warnings

import numpy

try:
    import torch
except ImportError:
    sys.path.append(str(pathlib.Path(__file__).with_name("stand_in")))
    import torch

import triscope

if not hasattr(torch, "STAND_IN"):
    import torch.utils.checkpoint

STAND_IN = hasattr(torch, "STAND_IN")
RANDOM = numpy.random.default_rng(11)
OPTIONS = [
    dict(window=(5, 3)),
    dict(window=(3, 6), form="determinant", scale=0.4),
    dict(mask="full", k2_bias=0.3, v2_bias=-0.2, sink=RANDOM.standard_normal(4).astype(numpy.float32)),
]
if STAND_IN:
    print("torch is not installed: a stand-in takes its place, and says nothing about torch itself", file=sys.stderr)


def arrays(batch=2, seq_len=13, q_heads=4, kv_heads=2, head_dim=7):
    return [RANDOM.standard_normal((batch, seq_len, heads, head_dim)).astype(numpy.float32)
            for heads in (q_heads, *[kv_heads] * 4)]


def arrays_of_seed(seed):
    random = numpy.random.default_rng(seed)
    return [random.standard_normal((2, 13, heads, 7)).astype(numpy.float32) for heads in (4, 2, 2, 2, 2)]


def of_torch(options):
    return {name: torch.from_numpy(value) if isinstance(value, numpy.ndarray) else value for name, value in options.items()}


class Attention(unittest.TestCase):
    def test_the_same_as_numpy(self):
        for options in OPTIONS:
            inputs = arrays()
            o, lse = triscope.attention(*map(torch.from_numpy, inputs), **of_torch(options), return_lse=True)
            expected, expected_lse = triscope.attention(*inputs, **options, return_lse=True)
            numpy.testing.assert_array_equal(o.numpy(), expected)
            numpy.testing.assert_array_equal(lse.numpy(), expected_lse)
            alone = triscope.attention(*map(torch.from_numpy, inputs), **of_torch(options))
            numpy.testing.assert_array_equal(alone.numpy(), expected)

    def test_tensors_that_are_not_contiguous(self):
        inputs = arrays()
        swapped = [torch.from_numpy(numpy.ascontiguousarray(x.swapaxes(1, 2))).transpose(1, 2) for x in inputs]
        numpy.testing.assert_array_equal(triscope.attention(*swapped).numpy(), triscope.attention(*inputs))

    def test_a_tensor_that_begins_anywhere(self):
        inputs = arrays()
        moved = []
        for x in inputs:
            memory = numpy.zeros(x.size + 1, numpy.float32)
            memory[1:] = x.ravel()
            moved.append(torch.from_numpy(memory[1:].reshape(x.shape)))
        numpy.testing.assert_array_equal(triscope.attention(*moved).numpy(), triscope.attention(*inputs))

    def test_bfloat16_of_autocast_is_computed_in_float32_on_the_cpu(self):
        inputs = arrays()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            o = triscope.attention(*map(torch.from_numpy, inputs))
        numpy.testing.assert_array_equal(o.numpy(), triscope.attention(*inputs))

    def test_gradients(self):
        for options in OPTIONS:
            inputs = arrays()
            grad_o = RANDOM.standard_normal(inputs[0].shape).astype(numpy.float32)
            o, lse = triscope.attention(*inputs, **options, return_lse=True)
            expected = triscope.attention_backward(grad_o, *inputs, o, lse, **options)
            for gradient, right in zip(self.gradients(grad_o, inputs, options), expected):
                self.assertEqual(gradient is None, right is None)
                if right is not None:
                    numpy.testing.assert_array_equal(gradient.numpy(), right)

    def gradients(self, grad_o, inputs, options):
        tensors, options = list(map(torch.from_numpy, inputs)), of_torch(options)
        leaves = tensors + ([options["sink"]] if "sink" in options else [])
        if not STAND_IN:
            for leaf in leaves:
                leaf.requires_grad_()
            triscope.attention(*tensors, **options).backward(torch.from_numpy(grad_o))
            return [leaf.grad for leaf in leaves] + [None] * (6 - len(leaves))
        triscope.attention(*tensors, **options)
        operator = torch.ops.triscope.attention
        returned = operator.backward(operator.context, torch.from_numpy(grad_o), None, None)
        self.assertEqual(len(returned), len(operator.arguments))
        self.assertEqual(operator.backward(operator.context, None, None, None), (None,) * len(returned))
        return returned[:6]

    def test_deterministic_follows_the_switch(self):
        inputs = arrays()
        torch.use_deterministic_algorithms(True)
        try:
            o = triscope.attention(*map(torch.from_numpy, inputs))
        finally:
            torch.use_deterministic_algorithms(False)
        numpy.testing.assert_array_equal(o.numpy(), triscope.attention(*inputs))
        if STAND_IN:
            self.assertIs(torch.ops.triscope.attention.arguments[-2], True)


class Refusals(unittest.TestCase):
    def refused(self, said, **changes):
        arguments = {**dict(zip(("q", "k1", "k2", "v1", "v2"), map(torch.from_numpy, arrays()))), **changes}
        with self.assertRaises(ValueError) as caught:
            triscope.attention(**arguments)
        self.assertIn(said, str(caught.exception))
        self.assertNotIn("\n", str(caught.exception))

    def test_each_names_its_argument(self):
        q, k1 = map(torch.from_numpy, arrays()[:2])
        self.refused("k2 is a ndarray, but must be a torch tensor", k2=arrays()[2])
        self.refused("k2 has shape (2, 2, 13, 7), but must be (2, 13, 2, 7)", k2=k1.transpose(1, 2))
        self.refused("v1 has dtype torch.float64, but the kernels of cpu compute in torch.float32; pass v1.float()",
                     v1=k1.to(torch.float64))
        self.refused("q is float16", q=q.to(torch.float16))
        self.refused("q has dtype torch.int64", q=q.to(torch.int64))
        self.refused("float16 is 'half'", float16="half")
        self.refused("sink has shape (2,)", sink=torch.from_numpy(numpy.zeros(2, numpy.float32)))
        self.refused("window is (0, 32)", window=(0, 32))
        self.refused("form is 'dot_product'", form="dot_product")
        self.refused("scale is 'big'", scale="big")
        self.refused("no kernel \"cpu.quick\"", kernel="cpu.quick")
        self.refused("k2_bias is inf", k2_bias=float("inf"))

    def test_float16_of_autocast(self):
        with torch.autocast("cpu", dtype=torch.float16):
            self.refused("q would be float16, whose range the logits of three factors leave; use bfloat16")

    def test_float16_when_asked(self):
        inputs = [x.astype(numpy.float16) for x in arrays()]
        o = triscope.attention(*map(torch.from_numpy, inputs), float16="bfloat16")
        numpy.testing.assert_array_equal(o.numpy(), triscope.attention(*(x.astype(numpy.float32) for x in inputs)))


@unittest.skipIf(STAND_IN, "torch is not installed")
class OfTorch(unittest.TestCase):
    def test_opcheck(self):
        for options in OPTIONS:
            q, k1, k2, v1, v2 = (torch.from_numpy(x).requires_grad_() for x in arrays())
            options = of_torch(options)
            torch.library.opcheck(torch.ops.triscope.attention.default, (
                q, k1, k2, v1, v2, options.get("sink"), *options.get("window", (512, 32)), options.get("scale"),
                options.get("form", "trilinear"), options.get("mask", "causal"), options.get("k2_bias", 0.0),
                options.get("v2_bias", 0.0), False, "cpu.fast"))

    def test_compile_in_one_graph(self):
        def step(*tensors):
            return triscope.attention(*tensors, window=(5, 3)).square().sum()

        inputs = arrays()
        both = []
        for function in (step, torch.compile(step, fullgraph=True, backend="aot_eager")):
            tensors = [torch.from_numpy(x.copy()).requires_grad_() for x in inputs]
            function(*tensors).backward()
            both.append([tensor.grad.numpy() for tensor in tensors])
        for one, other in zip(*both):
            numpy.testing.assert_array_equal(one, other)

    def test_compile_for_any_length(self):
        def step(*tensors):
            return triscope.attention(*tensors, window=(5, 3))

        compiled = torch.compile(step, fullgraph=True, backend="aot_eager", dynamic=True)
        for seq_len in (9, 14, 30):
            inputs = arrays(seq_len=seq_len)
            numpy.testing.assert_array_equal(compiled(*map(torch.from_numpy, inputs)).numpy(),
                                             triscope.attention(*inputs, window=(5, 3)))

    def test_what_torch_traces_or_maps_goes_through_the_operator(self):
        def call(*tensors):
            return triscope.attention(*tensors, window=(5, 3))

        inputs = list(map(torch.from_numpy, arrays()))
        expected = call(*inputs)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            traced = torch.jit.trace(call, inputs, check_trace=False)
            mapped = torch.vmap(call, in_dims=(0, *[None] * 4))(torch.stack([inputs[0], 2 * inputs[0]]), *inputs[1:])
        self.assertEqual(sum(node.kind() == "triscope::attention" for node in traced.graph.nodes()), 1)
        other = list(map(torch.from_numpy, arrays()))
        numpy.testing.assert_array_equal(traced(*other).numpy(), call(*other).numpy())
        numpy.testing.assert_array_equal(mapped[0].numpy(), expected.numpy())

    def test_a_call_like_an_earlier_one_is_checked_where_it_differs(self):
        inputs = list(map(torch.from_numpy, arrays()))
        sink = torch.zeros(4)
        for _ in range(2):
            plain = triscope.attention(*inputs, window=(5, 3))
            self.assertFalse(torch.equal(triscope.attention(*inputs, window=(5, 3), sink=sink), plain))
            self.assertFalse(torch.equal(triscope.attention(*inputs, window=(5, 4)), plain))
            self.assertFalse(torch.equal(triscope.attention(*inputs, window=[5, 3], scale=0.3), plain))
            with self.assertRaisesRegex(ValueError, "k2 has dtype torch.float64"):
                triscope.attention(*inputs[:2], inputs[2].double(), *inputs[3:], window=(5, 3))
            with self.assertRaisesRegex(ValueError, "float16 is 'half'"):
                triscope.attention(*inputs, window=(5, 3), float16="half")

    def test_gradients_with_torch_checkpoint(self):
        both = []
        for whole in (True, False):
            inputs = [torch.from_numpy(x.copy()).requires_grad_() for x in arrays_of_seed(3)]
            call = lambda *tensors: triscope.attention(*tensors, window=(5, 3))
            o = call(*inputs) if whole else torch.utils.checkpoint.checkpoint(call, *inputs, use_reentrant=False)
            o.square().sum().backward()
            both.append([x.grad.numpy() for x in inputs])
        for one, other in zip(*both):
            numpy.testing.assert_array_equal(one, other)

    def test_no_second_derivative(self):
        q, *rest = (torch.from_numpy(x).requires_grad_() for x in arrays())
        gradient, = torch.autograd.grad(triscope.attention(q, *rest).square().sum(), q, create_graph=True)
        with self.assertRaisesRegex(RuntimeError, "no second derivative"):
            gradient.sum().backward()
