"""The steps of on_gpu_must_show, each in a process of its own: on_gpu_steps.py STEP BUILD FOLDER"""
import importlib
import json
import os
import pathlib
import re
import sqlite3
import subprocess
import sys
import time
import traceback

import gpu_blocks
import numpy
import triscope

HERE = pathlib.Path(__file__).resolve().parent
NAMES = ("q", "k1", "k2", "v1", "v2")
DEFAULTS = dict(scale=None, form="trilinear", mask="causal", k2_bias=0.0, v2_bias=0.0)
# Seconds of what is recorded, behind as much warm-up as the worker's: what gpu_blocks.settled leaves of it are two swings.
RECORDED_S, WARM_UP_S = 3.05, 0.2
SPIN_CYCLES = 100_000  # some 60 us, which end a block and count the clock
failed = []


def say(right, text):
    print(f"{'PASS' if right else 'FAIL'} {text}", flush=True)
    if not right:
        failed.append(text)


def attempt(function, *arguments):
    """An exception is a check that failed, and the next one runs."""
    try:
        function(*arguments)
    except Exception as error:
        traceback.print_exc()
        say(False, f"{function.__name__}: {type(error).__name__}: {error}")


def bound(asked, value, text):
    print(f"{'MET' if value <= asked else 'MISSED'} {text}: {value:.1f} us of {asked:g}", flush=True)


def apart(one, other, floor=0.0):
    """The norm of the difference over that of `other`, or over `floor` when that is more."""
    one, other = (numpy.asarray(x, numpy.float64) for x in (one, other))
    return float(numpy.linalg.norm(one - other) / max(numpy.linalg.norm(other), floor, 1e-30))


def random_problem(random, large):
    """(shapes, options): batch, seq_len, q_heads, kv_heads, head_dim, and the keyword arguments of attention."""
    kv_heads = 1 if large else int(random.integers(1, 3))
    heads = kv_heads * int(random.choice([1, 2, 4, 5] if not large else [4, 8]))
    seq_len = int(random.integers(24, 160) if not large else random.integers(256, 420))
    options = dict(window=(int(random.integers(4, 60 if not large else 100)), int(random.integers(4, 20))),
                   form=str(random.choice(["trilinear", "determinant"])))
    if random.random() < 0.3:
        options["scale"] = float(random.uniform(-0.2, 0.2))
    if random.random() < 0.25:
        options |= dict(k2_bias=float(random.normal() / 2), v2_bias=float(random.normal() / 2))
    if random.random() < 0.3:
        options["sink"] = random.standard_normal(heads).astype(numpy.float32)
    return (1 if large else int(random.integers(1, 3)), seq_len, heads, kv_heads, int(random.choice([64, 128, 72] if not large else [64, 128]))), options


def rounded(random, shape, torch):
    """bfloat16 numbers N(0,1): on the GPU, and the same in float32."""
    x = torch.from_numpy(random.standard_normal(shape, dtype=numpy.float32)).bfloat16()
    return x.cuda(), x.float().numpy()


def gradients(torch):
    """40 problems: the largest errors against cpu.oracle, each judged by the bounds of docs/method.md and interface_check."""
    random, worst, wrong = numpy.random.default_rng(20), 0.0, []
    for number in range(40):
        (batch, n, heads, kv_heads, d), options = random_problem(random, number >= 30)
        shapes = [(batch, n, heads, d)] + [(batch, n, kv_heads, d)] * 4
        tensors, arrays = zip(*(rounded(random, shape, torch) for shape in shapes))
        grad_o, array_of_grad = rounded(random, shapes[0], torch)
        leaves = [x.requires_grad_() for x in tensors]
        of_torch = dict(options)
        if "sink" in options:
            of_torch["sink"] = torch.from_numpy(options["sink"]).cuda().requires_grad_()
            leaves = [*leaves, of_torch["sink"]]
        got = torch.autograd.grad(triscope.attention(*tensors, **of_torch), leaves, grad_o)
        o, lse = triscope.attention(*arrays, **options, kernel="cpu.oracle", return_lse=True)
        expected = triscope.attention_backward(array_of_grad, *arrays, o, lse, **options, kernel="cpu.oracle")
        floor = 0.02 * numpy.linalg.norm(expected.v1)
        errors = [apart(x.float().cpu(), y, floor) for x, y in zip(got, expected)]
        allowed = 1e-2 if options["form"] == "trilinear" and "k2_bias" not in options else 1.5e-2
        worst = max(worst, *errors)
        if not max(errors) <= allowed:
            wrong.append(f"problem {number}: {[f'{error:.1e}' for error in errors]}, {(batch, n, heads, kv_heads, d)} {options}")
    say(not wrong, f"gradients of 40 random problems beside cpu.oracle: worst {worst:.2e} " + "; ".join(wrong))


def some(torch, seq_len=512, heads=16, d=128, seed=1):
    generator = torch.Generator("cuda").manual_seed(seed)
    shapes = [(1, seq_len, heads, d)] + [(1, seq_len, 1, d)] * 4 + [(1, seq_len, heads, d)]
    return [torch.randn(shape, generator=generator, device="cuda").bfloat16() for shape in shapes]


def replay(torch):
    """Forward and backward of a captured graph, on inputs that changed since."""
    *inputs, grad_o = some(torch)
    for x in inputs:
        x.requires_grad_()

    def step():
        o = triscope.attention(*inputs, window=(128, 16))
        return o, torch.autograd.grad(o, inputs, grad_o)

    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        step()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        o, found = step()
    with torch.no_grad():
        for x, other in zip((*inputs, grad_o), some(torch, seed=2)):
            x.copy_(other)
    graph.replay()
    torch.cuda.synchronize()
    eager, expected = step()
    worst = max(apart(a.float().cpu(), b.float().cpu()) for a, b in zip(found, expected))
    say(bool(torch.equal(o, eager)) and worst <= 2e-3, f"capture and replay: o equal to eager's, gradients {worst:.1e} apart")


def compiled(torch):
    *inputs, grad_o = some(torch)
    for x in inputs:
        x.requires_grad_()

    def step(*tensors):
        return triscope.attention(*tensors, window=(128, 16))

    both = []
    for function in (step, torch.compile(step, fullgraph=True)):
        o = function(*inputs)
        both.append((o.detach(), torch.autograd.grad(o, inputs, grad_o)))
    (o, found), (other, expected) = both
    worst = max(apart(a.float().cpu(), b.float().cpu()) for a, b in zip(found, expected))
    say(bool(torch.equal(o, other)) and worst <= 2e-3, f"torch.compile(fullgraph=True): o equal to eager's, gradients {worst:.1e} apart")


def operators():
    """torch's two operators, which the first call of triscope.attention would register."""
    import torch
    importlib.import_module("triscope._torch")
    return torch.ops.triscope.attention, torch.ops.triscope.attention_backward


def opcheck(torch):
    forward, backward = operators()
    *inputs, grad_o = some(torch, seq_len=64, heads=4)
    # Deterministic: opcheck compares two backwards to 1e-5, and fast sums differ by up to 4e-4 from one to the next.
    options = (None, 16, 8, None, "trilinear", "causal", 0.0, 0.0, True, "cuda")
    made = torch.library.opcheck(forward.default, (*(x.requires_grad_() for x in inputs), *options))
    inputs = [x.detach() for x in inputs]
    saved = forward(*inputs, *options)
    other = torch.library.opcheck(backward.default, (grad_o, *inputs, *saved, *options),
                                  test_utils=("test_schema", "test_faketensor"))
    say({*made.values(), *other.values()} == {"SUCCESS"}, f"torch.library.opcheck: {made}; backward {other}")


def deterministic(torch):
    """Gradients of which many blocks add to the same element, twice: by the switch of torch and by the argument."""
    *inputs, grad_o = some(torch, seq_len=2048)
    leaves = [x.requires_grad_() for x in inputs]

    def step(**options):
        o = triscope.attention(*leaves, window=(128, 16), **options)
        return torch.autograd.grad(o, leaves, grad_o)

    by_argument = [step(deterministic=True) for _ in range(3)]
    torch.use_deterministic_algorithms(True)
    try:
        by_switch = [step() for _ in range(3)]
    finally:
        torch.use_deterministic_algorithms(False)
    first, *others = by_argument + by_switch
    same = all(torch.equal(x, y) for found in others for x, y in zip(first, found))
    fast = [step() for _ in range(4)]
    differ = sum(not all(torch.equal(x, y) for x, y in zip(fast[0], found)) for found in fast[1:])
    say(same, f"deterministic gradients: six times the same bits ({differ} of 3 others differ without)")


def half(torch):
    """float16, as it is and under autocast: refused, or computed in bfloat16 when asked."""
    *inputs, _ = some(torch, seq_len=256)
    expected = triscope.attention(*inputs, window=(64, 16))
    halves, floats = [x.half() for x in inputs], [x.float() for x in inputs]  # both round to these inputs again
    asked = triscope.attention(*halves, window=(64, 16), float16="bfloat16")
    say(asked.dtype == torch.bfloat16 and apart(asked.float().cpu(), expected.float().cpu()) <= 5e-3, "float16=\"bfloat16\" of float16 tensors")
    with torch.autocast("cuda", dtype=torch.bfloat16):
        say(bool(torch.equal(triscope.attention(*floats, window=(64, 16)), expected)), "autocast to bfloat16: the same as of bfloat16 tensors")
    with torch.autocast("cuda", dtype=torch.float16):
        say(bool(torch.equal(triscope.attention(*floats, window=(64, 16), float16="bfloat16"), expected)),
            "autocast to float16 with float16=\"bfloat16\": the same as of bfloat16 tensors")
        for tensors in (floats, halves):
            try:
                triscope.attention(*tensors, window=(64, 16))
                say(False, "autocast to float16 was taken")
            except ValueError as error:
                say("float16, whose range" in str(error), f"autocast to float16: {error}")


def operator_refusal(torch):
    forward, _ = operators()
    *inputs, _ = some(torch, seq_len=64, heads=4)
    options = (None, 16, 8, None, "trilinear", "causal", 0.0, 0.0, False, "cuda")
    for name, k2 in (("shape", inputs[2][:, :32].contiguous()), ("device", inputs[2].cpu()), ("dtype", inputs[2].float())):
        try:
            forward(*inputs[:2], k2, *inputs[3:], *options)
            say(False, f"the operator took a k2 of another {name}")
        except (ValueError, NotImplementedError, RuntimeError) as error:
            say("k2" in str(error), f"the operator and a k2 of another {name}: {str(error)[:120]}")


def step_torch(*_):
    import torch
    print(f"     {torch.cuda.get_device_name()}, torch {torch.__version__}")
    for check in (opcheck, gradients, replay, compiled, deterministic, half, operator_refusal):
        attempt(check, torch)


def jax_case(name, options, random):
    import jax
    import jax.numpy as jnp
    shape, key = (2, 192, 8, 128), (2, 192, 2, 128)
    inputs = [jnp.asarray(random.standard_normal(s), jnp.bfloat16) for s in (shape, key, key, key, key)]
    arrays = [numpy.asarray(x.astype(jnp.float32)) for x in inputs]
    grad_o = jnp.asarray(random.standard_normal(shape), jnp.bfloat16)
    o, lse = triscope.attention(*arrays, **options, kernel="cpu.oracle", return_lse=True)
    expected = triscope.attention_backward(numpy.asarray(grad_o.astype(jnp.float32)), *arrays, o, lse, **options, kernel="cpu.oracle")

    def call(*x):
        return triscope.attention(*x, **options, return_lse=True)

    def loss(*x):
        return jnp.vdot(triscope.attention(*x, **options).astype(jnp.float32), grad_o.astype(jnp.float32))

    got_o, got_lse = call(*inputs)
    say(got_o.dtype == jnp.bfloat16 and apart(got_o.astype(jnp.float32), o) <= 6e-3 and apart(got_lse, lse) <= 3e-3,
        f"JAX, {name}: value {apart(got_o.astype(jnp.float32), o):.1e}, lse {apart(got_lse, lse):.1e}")
    jit_o, _ = jax.jit(call)(*inputs)
    say(bool((jit_o == got_o).all()), f"JAX, {name}: jit gives the same bits")
    found = jax.jit(jax.grad(loss, argnums=range(5)))(*inputs)
    errors = [apart(x.astype(jnp.float32), y) for x, y in zip(found, expected)]
    say(max(errors) <= 1.5e-2, f"JAX, {name}: gradients under jit {[f'{error:.1e}' for error in errors]}")
    stacked = [jnp.stack([x, x[::-1], 2 * x]) for x in inputs]
    together = jax.jit(jax.vmap(lambda *x: triscope.attention(*x, **options)))(*stacked)
    alone = jnp.stack([triscope.attention(*(x[n] for x in stacked), **options) for n in range(3)])
    slopes = jax.jit(jax.vmap(jax.grad(loss, argnums=1)))(*stacked)
    say(bool((together == alone).all()) and apart(slopes[0].astype(jnp.float32), found[1].astype(jnp.float32)) <= 2e-3,
        f"JAX, {name}: vmap gives the same as one by one")


def jax_refusal():
    import jax.numpy as jnp
    try:
        triscope.attention(*[jnp.ones((1, 8, 1, 64))] * 5)
        say(False, "JAX: float32 on a GPU was taken")
    except ValueError as error:
        say("bfloat16" in str(error), f"JAX: {error}")


def jax_places():
    """What is traced for one device and run on the other."""
    import jax
    import jax.numpy as jnp
    call = jax.jit(lambda x: triscope.attention(*[x] * 5, window=(8, 4)))
    shape = (1, 16, 1, 64)
    try:
        call(jnp.ones(shape, jnp.float32)).block_until_ready()
        say(False, "JAX: float32 that is traced and run on a GPU was taken")
    except Exception as error:
        say("XLA runs this on a GPU" in str(error), f"JAX, traced float32 on a GPU: {str(error)[:160]}")
    cpu = jax.devices("cpu")[0]
    x = numpy.random.default_rng(3).standard_normal(shape, dtype=numpy.float32)
    expected = triscope.attention(*[x] * 5, window=(8, 4))
    with jax.default_device(cpu):
        got = numpy.asarray(call(jax.device_put(x, cpu)))
    say(bool((got == expected).all()), "JAX, traced float32 on the CPU of a machine with a GPU: as numpy")


def jax_deterministic():
    import jax
    import jax.numpy as jnp
    random = numpy.random.default_rng(4)
    inputs = [jnp.asarray(random.standard_normal((1, 2048, heads, 128)), jnp.bfloat16) for heads in (16, 1, 1, 1, 1)]
    slope = jax.jit(jax.grad(lambda *x: triscope.attention(*x, window=(128, 16), deterministic=True).astype(jnp.float32).sum(), argnums=range(5)))
    first, *others = [slope(*inputs) for _ in range(4)]
    say(all(bool((a == b).all()) for found in others for a, b in zip(first, found)), "JAX, deterministic gradients: four times the same bits")


def step_jax(*_):
    import jax
    print(f"     jax {jax.__version__} on {jax.devices()[0].device_kind}")
    random = numpy.random.default_rng(7)
    sink = random.standard_normal(8).astype(numpy.float32)
    attempt(jax_case, "trilinear", dict(window=(64, 16)), random)
    attempt(jax_case, "determinant with a sink", dict(window=(16, 40), form="determinant", sink=sink), random)
    attempt(jax_refusal)
    attempt(jax_places)
    attempt(jax_deterministic)


def step_triton(*_):
    """Also compiles what step_measured runs."""
    sys.path.insert(0, str(HERE.parents[1] / "python/examples"))
    import paper_triton
    import torch
    say(paper_triton.check(), "the paper's Triton kernels beside fp64, seven problems")
    for action in actions("triton", 2048, torch).values():
        action()


def host_us(action, wait):
    """Median microseconds of a call, in bursts that the GPU's queue holds."""
    times = []
    for _ in range(50):
        began = time.perf_counter_ns()
        for _ in range(20):
            action()
        times.append((time.perf_counter_ns() - began) / 20_000)
        wait()
    return sorted(times)[25]


def host_of_c(build):
    done = subprocess.run([build / "tests/interface_check", "times"], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    print("\n".join(f"     {line}" for line in done.stdout.splitlines()), flush=True)
    times = re.findall("host us a call, cuda, (.*?): forward ([0-9.]+), backward ([0-9.]+)", done.stdout)
    if done.returncode or not times:
        say(False, f"interface_check times ended with {done.returncode} and said {len(times)} times")
    for what, forward, backward in times:
        bound(15, float(forward), f"C forward, {what}")
        bound(15, float(backward), f"C backward, {what}")


def host_of_torch():
    import torch
    wait = torch.cuda.synchronize
    *inputs, grad_o = some(torch, seq_len=1024)
    call = lambda: triscope.attention(*inputs, window=(128, 16))
    for _ in range(10):
        call()
    bound(50, host_us(call, wait), "torch forward on the host")
    leaves = [x.clone().requires_grad_() for x in inputs]
    trained = lambda: triscope.attention(*leaves, window=(128, 16))
    print(f"     torch forward with gradients: {host_us(trained, wait):.1f} us")
    both = lambda: torch.autograd.grad(trained(), leaves, grad_o)
    both()
    print(f"     torch forward and backward: {host_us(both, wait):.1f} us")
    like = [x.transpose(1, 2) for x in (inputs[0], *(x.expand(-1, -1, 16, -1) for x in inputs[1:3]))]
    sdpa = lambda: torch.nn.functional.scaled_dot_product_attention(*like, is_causal=True)
    sdpa()
    print(f"     torch's scaled_dot_product_attention: {host_us(sdpa, wait):.1f} us")
    graphs = []
    small = torch.zeros(8, device="cuda")
    for work in (call, lambda: [small.add_(1) for _ in range(6)]):
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            work()
        graphs.append(host_us(graph.replay, wait))
    bound(2, graphs[0] - graphs[1], f"replay of a graph with one forward ({graphs[0]:.1f} us) beside one of six small kernels ({graphs[1]:.1f})")


def step_host(build, folder):
    attempt(host_of_c, build)
    attempt(host_of_torch)


def recorded(what, asked, build, folder):
    """{(seq_len, pass): {"continuous": of a series, "paused": of another}}, as an injected CUPTI recorded them in a process that knows
    nothing of Triscope's times. `asked`: {(seq_len, pass): (launches of a block, idle microseconds of a block of the worker's)}."""
    import torch
    cupti = next(pathlib.Path(torch.__file__).parents[1].glob("nvidia/cu13/lib/libcupti.so.13"), pathlib.Path("/usr/local/cuda/extras/CUPTI/lib64/x"))
    environment = {**os.environ, "CUDA_INJECTION64_PATH": str(build / "tests/libcupti_record.so"), "TRISCOPE_CUPTI": str(cupti.parent)}
    cases = [f"{n}:{direction}:{launches}:{idle_us:.1f}" for (n, direction), (launches, idle_us) in asked.items()]
    subprocess.run([sys.executable, __file__, "blocks", build, folder, what, *cases], env=environment, check=True, stdout=sys.stdout, stderr=sys.stderr)
    found = json.loads((folder / f"record_{what}.json").read_text())
    return {key: found[case] for key, case in zip(asked, cases)}


def actions(what, seq_len, torch):
    """{pass: a function that launches it}, on windows 512x32 and heads 64/1."""
    *inputs, grad_o = some(torch, seq_len=seq_len, heads=64)
    if what == "torch":
        options = (None, 512, 32, None, "trilinear", "causal", 0.0, 0.0, False, "cuda")
        forward, backward = operators()
        saved = forward(*inputs, *options)
        return {"forward": lambda: forward(*inputs, *options), "backward": lambda: backward(grad_o, *inputs, *saved, *options)}
    sys.path.insert(0, str(HERE.parents[1] / "python/examples"))
    import paper_triton
    saved = paper_triton.forward(*inputs, window=(512, 32))
    return {"forward": lambda: paper_triton.forward(*inputs, window=(512, 32)),
            "backward": lambda: paper_triton.backward(grad_o, *inputs, *saved, window=(512, 32))}


def series(block, pause_us, recorder, path, launches):
    """Blocks with a pause behind each, as the recorder saw them."""
    def paused():
        block()
        end = time.perf_counter() + pause_us * 1e-6
        while time.perf_counter() < end:
            pass

    for seconds in (WARM_UP_S, RECORDED_S):
        recorder.cupti_record_write(str(path).encode())  # forgets what ran before
        began = time.monotonic()
        while time.monotonic() < began + seconds:
            paused()
    if recorder.cupti_record_write(str(path).encode()):
        sys.exit("nothing was recorded")
    records = gpu_blocks.read(path)
    path.unlink()
    blocks = gpu_blocks.settled(gpu_blocks.of_records(records, launches))
    return {"mean_ms": gpu_blocks.mean_ms(blocks), "median_ms": gpu_blocks.median_ms(blocks), "idle_us": gpu_blocks.idle_us(blocks),
            "mhz": gpu_blocks.counted_mhz(records, SPIN_CYCLES), "kernels": gpu_blocks.kernels_of(records, launches)}


def step_blocks(build, folder, what, *cases):
    import ctypes
    import torch
    recorder = ctypes.CDLL(os.environ["CUDA_INJECTION64_PATH"])
    found = {}
    for case in cases:
        seq_len, direction, launches, idle_us = case.split(":")
        action = actions(what, int(seq_len), torch)[direction]

        def block():
            for _ in range(int(launches)):
                action()
            torch.cuda._sleep(SPIN_CYCLES)
            torch.cuda.synchronize()

        block()
        # A GPU at its power limit runs faster after a pause. The worker has one behind each block, in which CUPTI gives its records.
        path = folder / f"record_{what}.txt"
        continuous = series(block, 0, recorder, path, int(launches))
        paused = series(block, max(0.0, float(idle_us) - continuous["idle_us"]), recorder, path, int(launches))
        found[case] = {"continuous": continuous, "paused": paused}
    (folder / f"record_{what}.json").write_text(json.dumps(found))


def text_of(kernels):
    return ", ".join(f"{name} {us:.1f}" for name, us in kernels)


def tell_series(found):
    for name, one in found.items():
        print(f"     torch, {name}: mean {one['mean_ms']:.4f} ms, median {one['median_ms']:.4f}; idle {one['idle_us']:.0f} us a block; counted "
              f"{one['mhz']:.0f} MHz; us of a call: {text_of(one['kernels'])}", flush=True)


def kernels_of_row(path, measurement):
    """(name, microseconds) of the one launch that was recorded of a measurement."""
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    rows = connection.execute("SELECT value, end_ns - start_ns FROM launch JOIN text ON text.id = launch.name WHERE measurement = ? ORDER BY ordinal",
                              (measurement,)).fetchall()
    connection.close()
    return [(re.sub(r"\(anonymous namespace\)::", "", name).split("(")[0].split("::")[-1], ns * 1e-3) for name, ns in rows]


def worker_rows(build, folder, name):
    """{(seq_len, pass): settled blocks} of cuda.hopper, by `triscope sweep`."""
    database = folder / f"{name}.db"
    words = [build / "bin/triscope", "sweep", "--db", database, "--windows", "512x32", "--seq", "4k", "--q-heads", "64", "--kv-heads", "1",
             "--kernel", "cuda.hopper", "--pass", "forward,backward", "--device", "0", "--precision", "0.1%", "--budget", "3s", "--restarts", "1"]
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
    made = {}
    with triscope.open(database) as opened:
        for row in opened.results().rows():
            if row["status"] != "ok":
                say(False, f"the worker's {row['pass']} {name}: {row['reason']}")
                continue
            samples = opened.samples(row["measurement"])
            blocks = made[row["seq_len"], row["pass"]] = gpu_blocks.settled(gpu_blocks.of_samples(samples))
            print(f"     worker, {row['pass']}, {name}: mean {gpu_blocks.mean_ms(blocks):.4f} ms, median {gpu_blocks.median_ms(blocks):.4f} (its row "
                  f"{row['median_ms']:.4f}); idle {gpu_blocks.idle_us(blocks):.0f} us a block; NVML {row['sm_clock_mhz'] or 0:.0f} MHz, {row['power_w'] or 0:.0f} W; "
                  f"us of one launch: {text_of(kernels_of_row(database, row['measurement']))}", flush=True)
    return made


def step_gpu_time(build, folder):
    before = worker_rows(build, folder, "before")
    found = recorded("torch", {key: (blocks[0].launches, gpu_blocks.idle_us(blocks)) for key, blocks in before.items()}, build, folder)
    after = worker_rows(build, folder, "after")
    for key, one in found.items():
        if key not in after:
            continue
        tell_series(one)
        first, last = (gpu_blocks.mean_ms(side[key]) for side in (before, after))
        row, ms = (first + last) / 2, one["paused"]["mean_ms"]
        say(abs(ms / row - 1) <= 0.01, f"GPU time of torch's {key[1]} at {key[0]}, 512x32, 64/1, with the worker's pauses: {ms:.4f} ms, {ms / row:.4f} of "
                                       f"the worker's ({first:.4f} before it, {last:.4f} after it); without pauses {one['continuous']['mean_ms'] / row:.4f}")


def triton_rows(folder, name):
    """{(seq_len, pass): blocks} of the Triton kernels, through triscope.measure."""
    import paper_triton
    rows = triscope.measure(paper_triton.forward, dict(window=(512, 32), seq_len=2048, q_heads=64), backward=paper_triton.backward,
                            name="paper.triton", device="cuda", beside=("cuda.hopper",), db=folder / f"triton_{name}.db", budget="2s",
                            restarts=1, progress=False)  # 2 s: a turn that settles and then is a swing long
    found = {}
    with triscope.open(folder / f"triton_{name}.db") as opened:
        for row in rows.rows():
            if row["kernel"] == "paper.triton" and row["status"] == "ok":
                found[2048, row["pass"]] = gpu_blocks.of_samples(opened.samples(row["measurement"]))
            elif row["kernel"] == "paper.triton":
                say(False, f"Triton's {row['pass']} through measure, {name}: {row['reason']}")
    return found


def triton_by_measure(build, folder):
    """Measured before and after what is recorded: a GPU that grows warm is slower by more than is asked for."""
    sys.path.insert(0, str(HERE.parents[1] / "python/examples"))
    before = triton_rows(folder, "before")
    other = recorded("triton", {key: (3, gpu_blocks.idle_us(blocks)) for key, blocks in before.items()}, build, folder)
    after = triton_rows(folder, "after")
    for key in before.keys() & after.keys():
        tell_series(other[key])
        first, last = (gpu_blocks.mean_ms(side[key]) for side in (before, after))
        ms = (first + last) / 2
        paused, continuous = (ms / other[key][name]["mean_ms"] for name in ("paused", "continuous"))
        say(abs(paused - 1) <= 0.01, f"Triton's {key[1]} through measure: {ms:.4f} ms ({first:.4f} before, {last:.4f} after), {paused:.4f} of what an "
                                     f"injected CUPTI recorded in between with the same pauses; without pauses {continuous:.4f}")


def wrong_window(folder):
    import gpu_functions
    rows = triscope.measure(gpu_functions.off_by_one, dict(window=(64, 16), seq_len=256, q_heads=4), device="cuda", beside=("cuda.portable",),
                            db=folder / "wrong.db", budget="300ms", restarts=1, progress=False)
    found = dict(zip(rows["kernel"], zip(rows["status"], rows["reason"])))
    status, reason = found["off_by_one"]
    say(status == "failed" and re.search(r"\bo: .* most at \[\d", reason or "") is not None, f"a window that is one too short: {reason}")


def in_this_process(folder):
    import gpu_functions
    rows = triscope.measure(lambda *x, **more: gpu_functions.right(*x, **more), dict(window=(64, 16), seq_len=256, q_heads=4), device="cuda",
                            beside=("cuda.portable",), name="here", db=folder / "here.db", budget="300ms", progress=False, own_process=True)
    found = {kernel: (status, ms, reason) for kernel, status, ms, reason in zip(*(rows[x] for x in ("kernel", "status", "median_ms", "reason")))}
    say({status for status, *_ in found.values()} == {"ok"}, f"torch in this process: {found}")


def step_measured(build, folder):
    sys.path.insert(0, str(HERE))
    attempt(triton_by_measure, build, folder)
    attempt(wrong_window, folder)
    attempt(in_this_process, folder)


if __name__ == "__main__":
    step, *places = sys.argv[1:]
    globals()[f"step_{step}"](*(pathlib.Path(place) for place in places[:2]), *places[2:])
    sys.exit(1 if failed else 0)
