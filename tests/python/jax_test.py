"""triscope.attention over JAX arrays on the CPU, beside numpy: jit, grad and vmap. Skipped where there is no jax; on a GPU:
on_gpu_must_show."""
import importlib.util
import os
import subprocess
import sys
import unittest
import unittest.mock

import numpy

import triscope

os.environ.setdefault("JAX_PLATFORMS", "cpu")
if importlib.util.find_spec("jax"):
    import jax

RANDOM = numpy.random.default_rng(5)
OPTIONS = [
    dict(window=(5, 3)),
    dict(window=(3, 6), form="determinant", scale=0.4, sink=RANDOM.standard_normal(4).astype(numpy.float32)),
]


def arrays(batch=2, seq_len=13, q_heads=4, kv_heads=2, head_dim=7):
    return [RANDOM.standard_normal((batch, seq_len, heads, head_dim)).astype(numpy.float32)
            for heads in (q_heads, *[kv_heads] * 4)]


@unittest.skipUnless(importlib.util.find_spec("jax"), "jax is not installed")
class Jax(unittest.TestCase):
    def test_forward_alone_and_under_jit(self):
        for options in OPTIONS:
            inputs = arrays()
            expected = triscope.attention(*inputs, **options, return_lse=True)
            call = lambda *x: triscope.attention(*x, **options, return_lse=True)
            for function in (call, jax.jit(call)):
                for one, other in zip(function(*map(jax.numpy.asarray, inputs)), expected):
                    numpy.testing.assert_array_equal(numpy.asarray(one), other)

    def test_gradients(self):
        for options in OPTIONS:
            inputs = arrays()
            o, lse = triscope.attention(*inputs, **options, return_lse=True)
            expected = triscope.attention_backward(2 * o, *inputs, o, lse, **options)

            def loss(inputs, sink):
                return (triscope.attention(*inputs, **{**options, **({} if sink is None else {"sink": sink})})**2).sum()

            sink = options.get("sink")
            of_inputs = jax.jit(jax.grad(loss))(tuple(map(jax.numpy.asarray, inputs)), sink)
            for one, other in zip(of_inputs, expected):
                numpy.testing.assert_allclose(numpy.asarray(one), other, rtol=1e-6, atol=1e-6)
            if sink is not None:
                of_sink = jax.grad(loss, argnums=1)(tuple(map(jax.numpy.asarray, inputs)), jax.numpy.asarray(sink))
                numpy.testing.assert_allclose(numpy.asarray(of_sink), expected.sink, rtol=1e-5, atol=1e-6)

    def test_vmap(self):
        sets = [arrays() for _ in range(3)]
        stacked = [jax.numpy.stack(parts) for parts in zip(*sets)]
        together = jax.jit(jax.vmap(lambda *x: triscope.attention(*x, window=(5, 3))))(*stacked)
        for one, inputs in zip(together, sets):
            numpy.testing.assert_array_equal(numpy.asarray(one), triscope.attention(*inputs, window=(5, 3)))
        one_key = jax.vmap(lambda q, *x: triscope.attention(q, *x, window=(5, 3)), in_axes=(0, None, None, None, None))
        together = one_key(stacked[0], *map(jax.numpy.asarray, sets[0][1:]))
        for one, inputs in zip(together, sets):
            numpy.testing.assert_array_equal(numpy.asarray(one), triscope.attention(inputs[0], *sets[0][1:], window=(5, 3)))

    def test_vmap_with_a_sink_of_each(self):
        sets, sinks = [arrays() for _ in range(3)], RANDOM.standard_normal((3, 4)).astype(numpy.float32)
        stacked = [jax.numpy.stack(parts) for parts in zip(*sets)]

        def loss(inputs, sink):
            return (triscope.attention(*inputs, window=(5, 3), sink=sink) ** 2).sum()

        together, of_sinks = jax.vmap(jax.grad(loss, argnums=(0, 1)))(tuple(stacked), jax.numpy.asarray(sinks))
        for number, (inputs, sink) in enumerate(zip(sets, sinks)):
            o, lse = triscope.attention(*inputs, window=(5, 3), sink=sink, return_lse=True)
            expected = triscope.attention_backward(2 * o, *inputs, o, lse, window=(5, 3), sink=sink)
            for one, other in zip((*(x[number] for x in together), of_sinks[number]), expected):
                numpy.testing.assert_allclose(numpy.asarray(one), other, rtol=1e-5, atol=1e-6)

    def test_gradients_of_many_from_one_forward(self):
        """The backward is mapped and its forward is not."""
        inputs = tuple(map(jax.numpy.asarray, arrays()))
        _, pull = jax.vjp(lambda *x: triscope.attention(*x, window=(5, 3)), *inputs)
        several = RANDOM.standard_normal((3, *inputs[0].shape)).astype(numpy.float32)
        together = jax.vmap(pull)(jax.numpy.asarray(several))
        for number, grad_o in enumerate(several):
            for one, other in zip(together, pull(jax.numpy.asarray(grad_o))):
                numpy.testing.assert_array_equal(numpy.asarray(one[number]), numpy.asarray(other))

    def test_a_failure_of_the_library_is_an_error_with_its_sentence(self):
        """What Python cannot see before: here a plan whose numbers are changed on the way."""
        inputs = tuple(map(jax.numpy.asarray, arrays()))
        from triscope import _jax, _library
        problem = _library.new(_library.Problem, batch=2, seq_len=13, q_heads=4, kv_heads=2, head_dim=7, window1=5, window2=3, padding=1)
        numbers = tuple(numpy.frombuffer(bytes(problem), numpy.int64).tolist())
        with self.assertRaisesRegex(Exception, "padding is 1: sequences of different lengths in one batch"):
            _jax._attention_of(("cpu.fast", numbers, jax.numpy.dtype("float32")), inputs)[0].block_until_ready()

    def test_a_kernel_of_the_other_device_is_refused_where_xla_runs(self):
        """What is traced for one device and runs on the other; on the CPU, the entry of the GPU must not touch a tensor."""
        from triscope import _jax, _library
        _jax._target()
        jax.ffi.register_ffi_target("triscope_of_the_gpu", jax.ffi.pycapsule(_library.library().triscope_xla_call_cuda), platform="cpu")
        inputs = tuple(map(jax.numpy.asarray, arrays()))
        with unittest.mock.patch("triscope._jax._target", return_value="triscope_of_the_gpu"):
            with self.assertRaisesRegex(Exception, "XLA runs this on a GPU, whose kernels compute in bfloat16, and q is float32"):
                jax.jit(lambda *x: triscope.attention(*x, window=(6, 2)))(*inputs).block_until_ready()
        problem = _library.new(_library.Problem, element=_library.BF16, batch=2, seq_len=13, q_heads=4, kv_heads=2, head_dim=7, window1=5, window2=3)
        numbers = tuple(numpy.frombuffer(bytes(problem), numpy.int64).tolist())
        halves = tuple(x.astype(jax.numpy.bfloat16) for x in inputs)
        with self.assertRaisesRegex(Exception, "XLA runs this on the CPU, whose kernels compute in float32, and q is bfloat16"):
            _jax._attention_of(("cuda", numbers, jax.numpy.dtype("bfloat16")), halves)[0].block_until_ready()

    def test_what_is_traced_has_the_kernel_of_its_element_type(self):
        """Whatever JAX's default device is."""
        inputs = tuple(map(jax.numpy.asarray, arrays()))
        with unittest.mock.patch("jax.default_backend", return_value="gpu"):
            o = jax.jit(lambda *x: triscope.attention(*x, window=(7, 2)))(*inputs)
        numpy.testing.assert_array_equal(numpy.asarray(o), triscope.attention(*map(numpy.asarray, inputs), window=(7, 2)))

    def test_any_of_the_arrays_may_be_one_of_numpy(self):
        inputs = arrays()
        expected = triscope.attention(*inputs, window=(5, 3))
        for place in range(5):
            mixed = [jax.numpy.asarray(x) if number == place else x for number, x in enumerate(inputs)]
            o = triscope.attention(*mixed, window=(5, 3))
            self.assertIsInstance(o, jax.Array)
            numpy.testing.assert_array_equal(numpy.asarray(o), expected)
            call = lambda x: triscope.attention(*mixed[:place], x, *mixed[place + 1:], window=(5, 3))
            numpy.testing.assert_array_equal(numpy.asarray(jax.jit(call)(mixed[place])), expected)

    def test_deterministic_gradients_are_asked_of_the_library(self):
        inputs = tuple(map(jax.numpy.asarray, arrays()))
        asked = []
        problem = triscope._options.problem
        with unittest.mock.patch("triscope._options.problem", lambda *x: asked.append(problem(*x)) or asked[-1]):
            for deterministic in (None, False, True):
                jax.grad(lambda q: triscope.attention(q, *inputs[1:], deterministic=deterministic).sum())(inputs[0])
        self.assertEqual([x.deterministic for x in asked], [0, 0, 1])

    def said_of_forks(self, threads, first, second):
        """What a child says that was forked after `first`, of `second`."""
        script = f"""
import os, sys, numpy, jax, triscope
x = numpy.ones((1, 64, 2, 16), numpy.float32)
compiled = jax.jit(lambda q: triscope.attention(q, q, q, q, q))
def of_numpy(): triscope.attention(x, x, x, x, x)
def of_jax(): jax.block_until_ready(triscope.attention(*[jax.numpy.asarray(x)] * 5))
def of_compiled(): jax.block_until_ready(compiled(x))
{first}()
child = os.fork()
if child == 0:
    try:
        {second}()
        said = 0
    except Exception as error:
        said = 7 if "spawn" in str(error) else 8
    os._exit(said)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
        environment = {**os.environ, "OMP_NUM_THREADS": threads, "JAX_PLATFORMS": "cpu"}
        child = subprocess.Popen([sys.executable, "-W", "ignore", "-c", script], env=environment, text=True, stdout=subprocess.PIPE,
                                 start_new_session=True)
        try:
            return int(child.communicate(timeout=60)[0])
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, 9)
            child.communicate()
            return "it hangs"

    def test_a_fork_after_a_launch_is_refused_where_it_would_hang(self):
        for first, second in (("of_jax", "of_numpy"), ("of_compiled", "of_numpy"), ("of_numpy", "of_jax"), ("of_compiled", "of_compiled")):
            with self.subTest(first=first, second=second):
                self.assertEqual(self.said_of_forks("2", first, second), 7)

    def test_refusals(self):
        q, *rest = map(jax.numpy.asarray, arrays())
        for said, call in (("k2 has shape", lambda: triscope.attention(q, rest[0], rest[1][..., :3], *rest[2:])),
                           ("q has dtype bfloat16", lambda: triscope.attention(q.astype(jax.numpy.bfloat16), *rest)),
                           ("form is 'dot_product'", lambda: triscope.attention(q, *rest, form="dot_product")),
                           ("no kernel \"cpu.quick\"", lambda: triscope.attention(q, *rest, kernel="cpu.quick")),
                           ("sink has shape", lambda: triscope.attention(q, *rest, sink=q[0, 0, 0])),
                           ("scale is a \\w+, but must be a number that gets no gradient",
                            lambda: jax.grad(lambda s: triscope.attention(q, *rest, scale=s).sum())(0.5)),
                           ("deterministic is 1, but", lambda: triscope.attention(q, *rest, deterministic=1)),
                           ("scale is nan", lambda: triscope.attention(q, *rest, scale=float("nan"))),
                           ("k1 has shape", lambda: jax.jit(lambda x: triscope.attention(q, x, *rest[1:]))(rest[0][..., :3])),
                           ("v2 is a list", lambda: triscope.attention(q, *rest[:3], [1.0]))):
            with self.assertRaisesRegex(ValueError, said):
                call()
