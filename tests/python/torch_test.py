"""triscope.attention over torch tensors, beside numpy. Without torch a stand-in runs the wrapper's logic, and says so."""
import contextlib
import pathlib
import subprocess
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
    through_operators = False

    def setUp(self):
        if self.through_operators:
            mode = contextlib.ExitStack()
            self.addCleanup(mode.close)
            mode.enter_context(torch.a_mode_of_dispatch())

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
        for leaf in leaves:
            leaf.requires_grad_()
        triscope.attention(*tensors, **options)
        if not self.through_operators:
            function = sys.modules["triscope._torch"]._Differentiable
            with torch.no_grad():
                unused, *returned = function.backward(function.context, torch.from_numpy(grad_o), None, None)
            self.assertIsNone(unused)
            return returned
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
        if self.through_operators:
            self.assertIs(torch.ops.triscope.attention.arguments[-2], True)
            triscope.attention(*map(torch.from_numpy, inputs))
            self.assertIs(torch.ops.triscope.attention.arguments[-2], False)
            triscope.attention(*map(torch.from_numpy, inputs), deterministic=True)
            self.assertIs(torch.ops.triscope.attention.arguments[-2], True)

    def test_a_call_like_an_earlier_one_is_checked_where_it_differs(self):
        inputs = list(map(torch.from_numpy, arrays()))
        sink = torch.from_numpy(numpy.zeros(4, numpy.float32))

        def differs(other, **options):
            return not numpy.array_equal(triscope.attention(*inputs, **options).numpy(), other.numpy())

        for _ in range(2):
            plain = triscope.attention(*inputs, window=(5, 3))
            self.assertTrue(differs(plain, window=(5, 3), sink=sink))
            self.assertTrue(differs(plain, window=(5, 4)))
            self.assertTrue(differs(plain, window=[5, 3], scale=0.3))
            with self.assertRaisesRegex(ValueError, "k2 has dtype torch.float64"):
                triscope.attention(*inputs[:2], inputs[2].to(torch.float64), *inputs[3:], window=(5, 3))
            with self.assertRaisesRegex(ValueError, "float16 is 'half'"):
                triscope.attention(*inputs, window=(5, 3), float16="half")

    def test_a_number_that_is_a_tensor_is_refused_each_time(self):
        """It could change, and nothing would be computed anew; and it would get no gradient."""
        for name in ("scale", "k2_bias", "v2_bias"):
            for _ in range(2):
                with self.assertRaisesRegex(ValueError, f"^{name} is a Tensor, but must be a number that gets no gradient"):
                    triscope.attention(*map(torch.from_numpy, arrays()), **{name: torch.from_numpy(numpy.full((), 0.5, numpy.float32))})


@unittest.skipUnless(STAND_IN, "torch itself decides")
class ThroughOperators(Attention):
    through_operators = True


class Operators(unittest.TestCase):
    """Called by hand, as a graph of torch.export that somebody changed does."""

    OPTIONS = (5, 3, None, "trilinear", "causal", 0.0, 0.0, False, "cpu.fast")

    def refused(self, said, *arguments):
        operators = torch.ops.triscope
        operator = operators.attention if len(arguments) == 6 else operators.attention_backward
        for function in (operator, operator.fake) if STAND_IN else (operator,):
            with self.assertRaisesRegex(ValueError, said):
                function(*arguments, *self.OPTIONS)

    def test_what_a_kernel_would_read_beyond_its_end_is_refused(self):
        inputs = list(map(torch.from_numpy, arrays()))
        triscope.attention(*inputs)  # registers them
        short = torch.from_numpy(arrays(seq_len=12)[1])
        sink = torch.from_numpy(numpy.zeros(3, numpy.float32))
        self.refused(r"^k2 has shape \(2, 12, 2, 7\), but must be \(2, 13, 2, 7\)", *inputs[:2], short, *inputs[3:], None)
        self.refused("^v2 has dtype torch.float64, but must be torch.float32", *inputs[:4], inputs[4].to(torch.float64), None)
        self.refused(r"^sink has shape \(3,\), but must be \(4,\)", *inputs, sink)
        o, lse, state = torch.ops.triscope.attention(*inputs, None, *self.OPTIONS)
        self.assertEqual(len(torch.ops.triscope.attention_backward(o, *inputs, o, lse, state, None, *self.OPTIONS)), 6)
        self.refused(r"^v1 has shape", o, *inputs[:3], short, inputs[4], o, lse, state, None)
        self.refused(r"^grad_o has shape", inputs[1], *inputs, o, lse, state, None)
        self.refused(r"^o has dtype", o, *inputs, o.to(torch.float64), lse, state, None)
        self.refused(r"^lse has shape \(2, 13, 4\), but must be \(2, 4, 13\)", o, *inputs, o, lse.transpose(1, 2), state, None)
        self.refused(r"^lse_state has dtype torch.float32", o, *inputs, o, lse, torch.from_numpy(numpy.zeros(1, numpy.float32)), None)


@unittest.skipUnless(STAND_IN, "of a stand-in, names can be taken away")
class OtherVersions(unittest.TestCase):
    def said(self, without):
        script = f"""
import sys; sys.path.append({str(pathlib.Path(torch.__file__).parent)!r})
import numpy, torch, triscope
{without}
x = torch.from_numpy(numpy.ones((1, 8, 1, 4), numpy.float32))
try:
    triscope.attention(x, x, x, x, x)
    print("through the operator" if hasattr(torch.ops.triscope.attention, "arguments") else "directly")
except ImportError as error:
    print(error)
"""
        return subprocess.run([sys.executable, "-c", script], text=True, capture_output=True, check=True).stdout.strip()

    def test_a_torch_without_a_name_that_is_not_public_calls_the_operator(self):
        self.assertEqual(self.said(""), "directly")
        for name in ("torch._C._len_torch_dispatch_stack", "torch._C._functorch", "torch._C._get_tracing_state", "torch.autograd.forward_ad"):
            self.assertEqual(self.said(f"del {name}"), "through the operator", name)

    def test_an_old_torch_is_refused_in_a_sentence(self):
        self.assertEqual(self.said("del torch.library.register_autograd"),
                         "triscope needs torch 2.4 or later, and this is a stand-in: install a newer one")


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
        self.refused("scale is True, but must be a number", scale=True)
        self.refused("deterministic is 'yes', but must be True or False", deterministic="yes")
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

    def test_the_first_call_of_a_process_may_be_compiled(self):
        script = """
import torch, triscope
inputs = [torch.randn(1, 12, heads, 8) for heads in (2, 1, 1, 1, 1)]
call = lambda *tensors: triscope.attention(*tensors, window=(4, 2))
compiled = torch.compile(call, fullgraph=True, backend="aot_eager")(*inputs)
print(torch.equal(compiled, call(*inputs)))
"""
        done = subprocess.run([sys.executable, "-W", "ignore", "-c", script], text=True, capture_output=True)
        self.assertEqual(done.stdout, "True\n", done.stderr[-2000:])

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
