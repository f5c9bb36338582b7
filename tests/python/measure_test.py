"""triscope.measure: a callable as a kernel, one by one as the worker calls it, and through a whole sweep."""
import contextlib
import ctypes
import hashlib
import importlib
import importlib.util
import io
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time
import types
import unittest
import unittest.mock

import numpy

if importlib.util.find_spec("jax"):
    import jax_functions
import triscope
from triscope import _function_file, _function_kernel, _library, _progress


def right(q, k1, k2, v1, v2, *, window):
    group = q.shape[2] // k1.shape[2]
    k1, k2, v1, v2 = (numpy.repeat(x, group, axis=2) for x in (k1, k2, v1, v2))
    n = numpy.arange(q.shape[1])
    back = n[:, None] - n[None, :]
    first, second = ((back >= 0) & (back < length) for length in window)
    pairs = numpy.einsum("bihd,bjhd->bhijd", q, k1, optimize=True)
    logits = numpy.einsum("bhijd,bkhd->bhijk", pairs, k2, optimize=True) * q.shape[-1] ** -0.5
    logits = numpy.where(first[:, :, None] & second[:, None, :], logits, -numpy.inf)
    most = logits.max(axis=(3, 4), keepdims=True)
    weights = numpy.exp(logits - most)
    total = weights.sum(axis=(3, 4))
    mixed = numpy.einsum("bhijk,bkhd->bhijd", weights, v2, optimize=True)
    o = numpy.einsum("bhijd,bjhd->bihd", mixed, v1, optimize=True) / total.transpose(0, 2, 1)[..., None]
    return o.astype(numpy.float32), (numpy.log(total) + most[..., 0, 0]).astype(numpy.float32)


def off_by_one(*tensors, window):
    return right(*tensors, window=(window[0] - 1, window[1]))


def transposed_keys(q, k1, k2, v1, v2, *, window):
    return right(q, k2, k1, v1, v2, window=window)


def raises(*_, window):
    raise KeyError("no such tile")


def exits(*_, window):
    raise SystemExit(3)


def wrong_shape(*tensors, window):
    o, lse = right(*tensors, window=window)
    return o.swapaxes(1, 2), lse


def wrong_type(*tensors, window):
    return [1, 2]


def doubles(*tensors, window):
    return tuple(x.astype(float) for x in right(*tensors, window=window))


def writes_input(q, k1, k2, v1, v2, *, window):
    q[...] = 0


def kills_itself(*_, window):
    os.kill(os.getpid(), signal.SIGKILL)


def hangs(*_, window):
    time.sleep(10_000)


def gradients(grad_o, q, k1, k2, v1, v2, o, lse, *, window):
    return triscope.attention_backward(grad_o, q, k1, k2, v1, v2, o, lse, window=window)[:5]


class Table(unittest.TestCase):
    """The functions that the worker calls, called here."""

    def launch(self, function, direction=_library.FORWARD, **functions):
        table = _function_kernel.table("mine", "1", {"forward": function, **functions})
        random = numpy.random.default_rng(5)
        shape, key = (1, 16, 2, 4), (1, 16, 1, 4)
        problem = _library.new(_library.Problem, batch=1, seq_len=16, q_heads=2, kv_heads=1, head_dim=4, window1=5, window2=3)
        self.arrays = {name: random.standard_normal(shape if name == "q" else key, dtype=numpy.float32)
                       for name in ("q", "k1", "k2", "v1", "v2")}
        self.arrays |= {"o": numpy.full(shape, numpy.nan, numpy.float32), "lse": numpy.full((1, 2, 16), numpy.nan, numpy.float32)}
        tensors = _library.new(_library.Tensors, **{name: array.ctypes.data for name, array in self.arrays.items()})
        reason = ctypes.create_string_buffer(1024)
        asked = (b"mine", ctypes.byref(problem), direction)
        where = (ctypes.cast(reason, ctypes.c_void_p), 1024)
        status = table.supported(*asked, *where)
        if status == 0:
            status = table.launch(*asked, ctypes.byref(tensors), None, *where)
        return status, reason.value.decode()

    def test_writes_what_the_function_returned(self):
        self.assertEqual(self.launch(right), (0, ""))
        inputs = [self.arrays[name] for name in ("q", "k1", "k2", "v1", "v2")]
        o, lse = right(*inputs, window=(5, 3))
        numpy.testing.assert_array_equal(self.arrays["o"], o)
        numpy.testing.assert_array_equal(self.arrays["lse"], lse)

    def test_says_what_is_wrong(self):
        for function, sentence in ((raises, "KeyError: 'no such tile'"), (exits, "SystemExit: 3"),
                                   (wrong_shape, "ValueError: o must have shape (1, 16, 2, 4), but it returned (1, 2, 16, 4)"),
                                   (wrong_type, "TypeError: it must return a tuple of o, lse, but it returned list"),
                                   (doubles, "TypeError: o must be float32, but it returned float64"),
                                   (writes_input, "ValueError: assignment destination is read-only")):
            with self.subTest(function.__name__):
                self.assertEqual(self.launch(function), (4, sentence))

    def test_refuses_what_the_function_does_not_take(self):
        self.assertEqual(self.launch(lambda q, k1, k2, v1, v2: None), (2, "the function takes no argument window"))
        self.assertEqual(self.launch(right, _library.BACKWARD), (2, "no function was given for the backward"))

    def test_a_long_sentence_is_cut_to_the_buffer(self):
        def long(*_, window):
            raise ValueError("ä" * 3000)
        status, reason = self.launch(long)
        self.assertEqual(status, 4)
        self.assertTrue(reason.startswith("ValueError: ä") and 1000 < len(reason.encode()) < 1024, len(reason.encode()))


class Device(unittest.TestCase):
    """What is done with torch, over a stand-in on numpy; tests/python/on_gpu_measure runs it on a GPU."""

    def setUp(self):
        class Tensor(numpy.ndarray):
            device = "cuda:0"
            data_ptr = property(lambda self: lambda: self.ctypes.data)
            detach = property(lambda self: lambda: self)

            def copy_(self, value):
                self[...] = value

        def as_tensor(memory, device):
            asked = memory.__cuda_array_interface__
            count, kind = int(numpy.prod(asked["shape"])), {"<f4": ctypes.c_float, "<i2": ctypes.c_int16}[asked["typestr"]]
            self.assertEqual(device, "cuda")
            return numpy.ctypeslib.as_array((kind * count).from_address(asked["data"][0])).reshape(asked["shape"]).view(Tensor)

        @contextlib.contextmanager
        def stream(number):
            self.streams.append(number)
            yield

        self.streams, self.tensor = [], Tensor
        cuda = types.SimpleNamespace(stream=stream, ExternalStream=int)
        torch = types.SimpleNamespace(as_tensor=as_tensor, Tensor=Tensor, bfloat16=numpy.int16, cuda=cuda)
        with unittest.mock.patch.dict(sys.modules, {"torch": torch}):
            sys.modules.pop("triscope._function_cuda", None)
            self.memory = importlib.import_module("triscope._function_cuda").Device()

    def launch(self, function, element=_library.BF16):
        shape = (1, 8, 2, 4)
        self.arrays = {name: numpy.full(shape, number, numpy.int16) for number, name in enumerate(("q", "k1", "k2", "v1", "v2", "o"))}
        self.arrays["lse"] = numpy.zeros((1, 2, 8), numpy.float32)
        problem = _library.new(_library.Problem, batch=1, seq_len=8, q_heads=2, kv_heads=2, head_dim=4, window1=5, window2=3,
                               element=element)
        tensors = _library.new(_library.Tensors, **{name: array.ctypes.data for name, array in self.arrays.items()})
        table = _function_kernel.table("mine", "1", {"forward": function}, self.memory)
        reason = ctypes.create_string_buffer(1024)
        where = (ctypes.cast(reason, ctypes.c_void_p), 1024)
        self.assertEqual(table.device(b"mine"), _library.CUDA)
        asked = (b"mine", ctypes.byref(problem), _library.FORWARD)
        status = table.supported(*asked, *where) or table.launch(*asked, ctypes.byref(tensors), 77, *where)
        return status, reason.value.decode()

    def test_the_tensors_are_the_workers_and_the_stream_is_the_one_it_measures(self):
        def function(q, k1, k2, v1, v2, *, window):
            return q + 10 * v2, numpy.full((1, 2, 8), window[0], numpy.float32).view(self.tensor)
        self.assertEqual(self.launch(function), (0, ""))
        self.assertEqual(self.streams, [77])
        self.assertEqual((self.arrays["o"].min(), self.arrays["o"].max()), (40, 40))
        self.assertEqual((self.arrays["lse"].min(), self.arrays["lse"].max()), (5, 5))

    def test_says_what_is_wrong(self):
        def elsewhere(q, *_, window):
            q = q.copy()
            q.device = "cpu"
            return q, q
        for function, sentence in (
                (lambda q, *_, window: (q.astype(numpy.float32), q), "TypeError: o must be int16, but it returned float32"),
                (lambda q, *_, window: (q[:, 1:], q), "ValueError: o must have shape (1, 8, 2, 4), but it returned (1, 7, 2, 4)"),
                (lambda *_, window: (3, 4), "TypeError: o must be a torch tensor, but it returned int"),
                (elsewhere, "ValueError: o must lie on cuda:0, but it returned a tensor on cpu")):
            with self.subTest(sentence):
                self.assertEqual(self.launch(function), (4, sentence))
        self.assertEqual(self.launch(elsewhere, _library.FP32), (2, "functions of torch are measured in bfloat16"))


class File(unittest.TestCase):
    def test_a_function_of_a_module_is_named_and_its_source_hashed(self):
        data = _function_file.content(right, gradients, None)
        self.assertEqual(data, _function_file.content(right, gradients, None))
        kernel, version, functions, device = _function_file.load(data, hashlib.sha256(data).hexdigest())
        self.assertEqual((kernel, version, device), ("right", f"{__name__}.right", "cpu"))
        self.assertEqual(functions, {"forward": right, "backward": gradients})

    def test_another_file_or_another_source_is_refused(self):
        data = _function_file.content(right, None, "mine")
        with self.assertRaisesRegex(ValueError, "has changed since the sweep began"):
            _function_file.load(data + b" ", hashlib.sha256(data).hexdigest())
        source = hashlib.sha256(pathlib.Path(__file__).read_bytes()).hexdigest().encode()
        changed = data.replace(source, b"0" * 64)
        self.assertNotEqual(changed, data)
        with self.assertRaisesRegex(ValueError, "the source of .* has changed"):
            _function_file.load(changed, hashlib.sha256(changed).hexdigest())

    def test_what_cannot_be_brought_to_another_process_is_refused(self):
        with self.assertRaisesRegex(ValueError, "function is 3, but must be callable"):
            _function_file.content(3, None, None)
        lock = __import__("threading").Lock()
        with self.assertRaisesRegex(ValueError, "cannot be (pickled|imported)"):
            _function_file.content(lambda: lock, None, None)


class Terminal(io.StringIO):
    def isatty(self):
        return True


class Shell:
    """As much of IPython in a notebook as the bar needs."""

    kernel = None

    def __init__(self):
        self.shown = []

    def display(self, data, raw, display_id):
        assert raw and display_id
        self.shown.append(data["text/plain"])
        return self

    def update(self, data, raw):
        assert raw
        self.shown.append(data["text/plain"])


class Bar(unittest.TestCase):
    STEP = dict(done=2, total=4, current="mine forward", seconds_left=None)

    def shown(self, stream, wanted=True):
        with unittest.mock.patch.object(sys, "stderr", stream), _progress.Progress(wanted) as progress:
            progress.show(self.STEP)
        return stream.getvalue()

    def test_in_a_terminal_it_is_one_line_that_goes(self):
        shown = self.shown(Terminal())
        self.assertIn("2/4: mine forward", shown)
        self.assertTrue(shown.startswith("\r\x1b[K[####") and shown.endswith("\r\x1b[K") and "\n" not in shown, repr(shown))

    def test_elsewhere_or_when_not_wanted_nothing_is_written(self):
        self.assertEqual(self.shown(io.StringIO()), "")
        self.assertEqual(self.shown(Terminal(), wanted=False), "")

    def test_in_a_notebook_it_is_a_display_that_is_updated(self):
        shell = Shell()
        module = types.SimpleNamespace(get_ipython=lambda: shell)
        display = types.SimpleNamespace(display=shell.display)
        with unittest.mock.patch.dict(sys.modules, {"IPython": module, "IPython.display": display}):
            self.assertEqual(self.shown(Terminal()), "")
        self.assertEqual(shell.shown[0], "measuring")
        self.assertIn("2/4: mine forward", shell.shown[1])
        self.assertEqual(shell.shown[2:], ["measured"])

    def test_says_how_far_it_is_and_nothing_of_a_time_that_is_unknown(self):
        self.assertEqual(_progress.line(1, 4, "mine forward", 2.6), "[#######.......................] 1/4, about 3 s left: mine forward")
        self.assertEqual(_progress.line(0, 0, "preparing", None), "[" + "." * 30 + "] 0/0: preparing")


SMALL = dict(window=(16, 4), seq_len=64, head_dim=16, q_heads=2)
SHORT = dict(budget="200ms", precision="50%", restarts=1, progress=False)


class Sweep(unittest.TestCase):
    def setUp(self):
        folder = contextlib.ExitStack()
        self.addCleanup(folder.close)
        self.db = os.path.join(folder.enter_context(tempfile.TemporaryDirectory()), "mine.db")

    def rows(self, function, **options):
        asked = {"progress": False} if "resume" in options else {"problem": SMALL, **SHORT}
        found = triscope.measure(function, db=self.db, **{**asked, **options})
        return {(kernel, direction): (status, reason or "") for kernel, direction, status, reason in
                zip(found["kernel"], found["pass"], found["status"], found["reason"])}

    def rows_of_a_hang(self, function, **options):
        """The limit holds for cpu.fast too, which on a very busy machine needs longer than the first to start."""
        for limit in ("15s", "60s"):
            rows = self.rows(function, time_limit=limit, **options)
            if rows["cpu.fast", "forward"][0] == "ok":
                break
        return rows

    def test_forward_and_backward_beside_ours(self):
        rows = self.rows(right, backward=gradients)
        self.assertEqual(set(rows), {(kernel, direction) for kernel in ("right", "cpu.fast") for direction in ("forward", "backward")})
        self.assertEqual({status for status, _ in rows.values()}, {"ok"}, rows)

    def test_a_wrong_function_fails_with_the_tensor_and_the_index(self):
        for function in (off_by_one, transposed_keys):
            with self.subTest(function.__name__):
                rows = self.rows(function)
                self.assertEqual(rows["cpu.fast", "forward"][0], "ok")
                status, reason = rows[function.__name__, "forward"]
                self.assertEqual(status, "failed")
                self.assertRegex(reason, r"\bo: .* most at \[\d+, \d+, \d+, \d+\]: ")

    def test_a_crash_a_hang_and_an_exception_cost_their_row(self):
        for function, sentence in ((kills_itself, "SIGKILL"), (hangs, "ran longer than the limit of"),
                                   (raises, "raises failed: KeyError: 'no such tile'; mend it, or leave this problem out."),
                                   (wrong_shape, "must have shape")):
            with self.subTest(function.__name__):
                rows = self.rows_of_a_hang(function) if function is hangs else self.rows(function)
                self.assertEqual(rows["cpu.fast", "forward"][0], "ok", rows)
                status, reason = rows[function.__name__, "forward"]
                self.assertEqual(status, "failed")
                self.assertIn(sentence, reason)

    def test_in_this_process_any_callable_is_measured_and_the_row_says_so(self):
        where, exponent = set(), 1.0

        def here(*tensors, window):
            where.add((os.getpid(), threading.current_thread() is threading.main_thread()))
            o, lse = right(*tensors, window=window)
            return o ** exponent, lse

        rows = self.rows(here, own_process=True)
        self.assertEqual({status for status, _ in rows.values()}, {"ok"}, rows)
        self.assertEqual(where, {(os.getpid(), False)})
        with triscope.open(self.db) as database:
            instances = dict(zip(*(database.results()[name] for name in ("kernel", "instance"))))
        self.assertEqual(set(instances), {"here", "cpu.fast"})
        self.assertTrue(all(instance.endswith(".own-process") for instance in instances.values()), instances)
        self.assertRegex(instances["cpu.fast"], r"^\w+\.own-process$")
        self.assertEqual(triscope.attention(*[numpy.ones((1, 4, 1, 4), numpy.float32)] * 5).shape, (1, 4, 1, 4))

    def test_in_this_process_a_wrong_function_an_exception_and_a_hang_cost_their_row(self):
        def waits(*_, window):
            over.wait()

        over = threading.Event()
        self.addCleanup(over.set)
        for function, sentence in ((off_by_one, "most at ["), (raises, "no such tile"), (exits, "SystemExit: 3"),
                                   (waits, " s and goes on in the process that it was measured in")):
            with self.subTest(function.__name__):
                rows = (self.rows_of_a_hang if function is waits else self.rows)(function, own_process=True)
                self.assertEqual(rows["cpu.fast", "forward"][0], "ok", rows)
                status, reason = rows[function.__name__, "forward"]
                self.assertEqual(status, "failed")
                self.assertIn(sentence, reason)

    def test_in_this_process_there_are_no_restarts(self):
        with self.assertRaisesRegex(ValueError, "restarts is 3, but own_process=True"):
            triscope.measure(right, SMALL, db=self.db, **{**SHORT, "restarts": 3}, own_process=True)

    @unittest.skipUnless(importlib.util.find_spec("jax"), "jax is not installed")
    def test_a_function_of_jax(self):
        rows = self.rows(jax_functions.forward, backward=jax_functions.backward, name="jax")
        self.assertEqual({status for status, _ in rows.values()}, {"ok"}, rows)
        status, reason = self.rows(jax_functions.transposed_keys)["transposed_keys", "forward"]
        self.assertEqual(status, "failed")
        self.assertRegex(reason, r"\bo: .* most at \[\d+, \d+, \d+, \d+\]: ")

    def test_resume_takes_only_the_same_callable(self):
        self.rows(right)
        self.assertEqual(self.rows(right, resume=1)["right", "forward"][0], "ok")
        with self.assertRaisesRegex(ValueError, "the callable is not the one that .* SHA-256 differs; resume it with the same function"):
            self.rows(off_by_one, resume=1)

    def test_resume_refuses_what_it_would_not_follow(self):
        for told in (dict(problem=dict(SMALL, seq_len=512)), dict(beside=["cpu.oracle"]), dict(budget="1s"), dict(precision="9%"),
                     dict(restarts=2)):
            with self.subTest(told), self.assertRaisesRegex(ValueError, f"^{next(iter(told))} is .*, but resume=1 goes on with what that sweep"):
                triscope.measure(right, db=self.db, progress=False, resume=1, **told)
        for sweep in ("last", 0, True):
            with self.subTest(sweep), self.assertRaisesRegex(ValueError, "^resume is .*, but must be a whole number of at least 1"):
                triscope.measure(right, db=self.db, progress=False, resume=sweep)

    def test_ctrl_c_while_the_program_is_being_started_stops_it_too(self):
        program, started = pathlib.Path(self.db).with_name("program"), []
        program.write_text("#!/bin/sh\nexec sleep 1000\n")
        program.chmod(0o700)
        popen = subprocess.Popen

        def start(*words, **more):
            started.append(popen(*words, **more))
            os.kill(os.getpid(), signal.SIGINT)
            return started[0]

        with unittest.mock.patch("triscope._measure._program", return_value=str(program)), \
                unittest.mock.patch("subprocess.Popen", start), self.assertRaises(KeyboardInterrupt):
            triscope.measure(right, SMALL, db=self.db, **SHORT)
        self.addCleanup(started[0].kill)
        self.assertEqual(started[0].poll(), -signal.SIGTERM)
        self.assertIs(signal.getsignal(signal.SIGINT), signal.default_int_handler)

    def test_ctrl_c_stops_the_sweep_with_one_signal(self):
        folder = pathlib.Path(self.db).parent
        log, program = folder / "log", folder / "program"
        program.write_text(f"#!/bin/sh\nexec 2>/dev/null\ntrap 'echo interrupted >>{log}' INT\n"
                           f"trap 'echo stopped >>{log}; exit 3' TERM\necho started >{log}\nwhile :; do sleep 0.1; done\n")
        program.chmod(0o700)
        script = ("import measure_test, triscope, unittest.mock\n"
                  f"with unittest.mock.patch('triscope._measure._program', return_value={str(program)!r}):\n"
                  f"    triscope.measure(measure_test.right, {SMALL!r}, db={self.db!r})\n")
        child = subprocess.Popen([sys.executable, "-c", script], start_new_session=True, stderr=subprocess.PIPE)
        while not log.exists() or not log.read_text():
            self.assertIsNone(child.poll())
            time.sleep(0.05)
        os.killpg(child.pid, signal.SIGINT)
        self.assertIn(b"KeyboardInterrupt", child.communicate()[1])
        self.assertEqual(log.read_text(), "started\nstopped\n")

    def module(self, name, text):
        """A module of that text, imported here; its forward is `right`."""
        folder = pathlib.Path(self.db).parent
        (folder / f"{name}.py").write_text(f"import measure_test\n{text}\ndef forward(*tensors, window):\n    return measure_test.right(*tensors, window=window)\n")
        sys.path.insert(0, str(folder))
        self.addCleanup(sys.path.remove, str(folder))
        self.addCleanup(sys.modules.pop, name, None)
        return importlib.import_module(name)

    def test_a_module_may_print_and_read_when_it_is_imported(self):
        text = "import os, sys\nprint('loading', flush=True)\nos.write(1, b'more')\nsys.stdin.read(1)\nprint('later')"
        with contextlib.redirect_stdout(io.StringIO()), unittest.mock.patch("sys.stdin", io.StringIO()):
            talks = self.module("talks", text)
        rows = self.rows(talks.forward)
        self.assertEqual({status for status, _ in rows.values()}, {"ok"}, rows)

    def test_a_module_that_changes_meanwhile_costs_its_row(self):
        changes = self.module("changes", "")
        content = _function_file.content

        def and_changed(*arguments):
            made = content(*arguments)
            with open(changes.__file__, "a") as file:
                file.write("# changed\n")
            return made

        with unittest.mock.patch("triscope._function_file.content", and_changed):
            rows = self.rows(changes.forward)
        self.assertEqual(rows["cpu.fast", "forward"][0], "ok", rows)
        status, reason = rows["forward", "forward"]
        self.assertEqual(status, "failed")
        self.assertIn("the source of changes has changed since the sweep began", reason)

    def test_a_worker_that_does_not_start_is_told_without_the_command_and_the_file_that_are_gone(self):
        with unittest.mock.patch("sys.executable", "/no/such/python"), self.assertRaises(ValueError) as caught:
            triscope.measure(right, SMALL, db=self.db, **SHORT)
        self.assertRegex(str(caught.exception), r"^triscope: the callable's process cannot be used: .*/no/such/python.*\.$")
        self.assertNotRegex(str(caught.exception), "callable.json|by hand")

    def test_another_device_is_refused_in_a_sentence(self):
        with self.assertRaisesRegex(ValueError, "device is 'tpu', but must be one of: cpu, cuda"):
            triscope.measure(right, SMALL, db=self.db, device="tpu", **SHORT)

    def test_a_bad_problem_is_refused_in_a_sentence(self):
        for problem, sentence in ((dict(seq_len=64), "problem has no window"), (dict(SMALL, sequence=3), "'sequence'"),
                                  (dict(SMALL, window=5), "must be two whole numbers"), (dict(SMALL, seq_len=-4), "^seq_len is -4"),
                                  (dict(SMALL, seq_len=[]), "^seq_len is \\[\\], but must be a whole number or a list of some$"),
                                  (dict(SMALL, seq_len="[64"), "^seq_len is '\\[64', but must be a whole number"),
                                  (dict(SMALL, q_heads=[2, 2.5]), "^q_heads is 2.5, but must be a whole number"),
                                  (dict(SMALL, form="dot_product"), "^form is 'dot_product', but must be one of: trilinear, determinant"),
                                  (dict(SMALL, scale="big"), "^scale is 'big', but must be a number"),
                                  (512, "^problem is 512, but must be a dict"), (None, "^problem is None: give a dict")):
            with self.subTest(sentence), self.assertRaisesRegex(ValueError, sentence):
                triscope.measure(right, problem, db=self.db, **SHORT)

    def test_bad_arguments_are_refused_by_name(self):
        def cuda(*_, window):
            pass

        for told, sentence in ((dict(budget=1), "^budget is 1, but must be a text such as '10s'$"), (dict(precision=.5), "^precision is 0.5"),
                               (dict(time_limit=60), "^time_limit is 60, but must be a text such as '2min'$"),
                               (dict(beside="cpu.fast"), "^beside is 'cpu.fast', but must be a list of ids"),
                               (dict(beside=["cpu.fast,cpu.oracle"]), "^beside is .*, but must be a list of ids"),
                               (dict(restarts=0), "^restarts is 0, but must be a whole number of at least 1$"),
                               (dict(name="My Kernel"), "^name is 'My Kernel', but must be up to 40 of a-z"),
                               (dict(name="cuda.mine"), "^name is 'cuda.mine'"), (dict(name=3), "^name is 3"),
                               (dict(function=cuda), "^name is 'cuda', .*as the function is called; pass another one$"),
                               (dict(db=3), "^db is 3, but must be the path of a database$"),
                               (dict(device=["cpu"]), "^device is \\['cpu'\\], but must be one of: cpu, cuda$")):
            with self.subTest(told), self.assertRaisesRegex(ValueError, sentence):
                triscope.measure(**{**dict(function=right, problem=SMALL, db=self.db), **SHORT, **told})
            self.assertFalse(os.path.exists(self.db))

    def test_a_list_of_lengths_means_each(self):
        found = triscope.measure(right, dict(SMALL, seq_len=[32, 64]), db=self.db, **SHORT)
        self.assertEqual(sorted(zip(found["kernel"], found["seq_len"])), [("cpu.fast", 32), ("cpu.fast", 64), ("right", 32), ("right", 64)])


if __name__ == "__main__":
    unittest.main()
