#!/usr/bin/env python3
"""The Triton kernels of "Fast and Simplex: 2-Simplicial Attention in Triton", written anew from its formulas and tiles.

    paper_triton.py check    compares outputs and gradients with an fp64 reference on small problems
    paper_triton.py time     prints the milliseconds of each kernel

The tiles are the paper's: 64 queries by 32 keys in the forward, and 32 queries (at least window2) by 64 second keys in the
two-stage backward. What `triscope paper errata` finds is mended: gradients carry the scale, masked loads give 0, and the
memory that the second stage adds to is fp32 and set to 0. Query heads that share a kv head write gradients of their own,
which are added up afterwards: the listings have no such heads. The biases of the listings are left out.
"""
import argparse
import statistics
import sys

import torch
import triton
import triton.language as tl


@triton.jit
def _load(pointer, base, rows, step, n, D: tl.constexpr):
    """[rows, D] of one head; 0 where the sequence has no such row."""
    there = (rows >= 0) & (rows < n)
    return tl.load(pointer + base + rows[:, None] * step + tl.arange(0, D)[None, :], mask=there[:, None], other=0.0)


@triton.jit
def _store(pointer, base, rows, step, n, value, D: tl.constexpr):
    there = (rows >= 0) & (rows < n)
    place = pointer + base + rows[:, None] * step + tl.arange(0, D)[None, :]
    tl.store(place, value.to(pointer.dtype.element_ty), mask=there[:, None])


@triton.jit
def _bases(n, heads, kv_heads, D: tl.constexpr):
    """Where the query head and the kv head of this program begin, and its row of lse."""
    batch = (tl.program_id(1) // heads).to(tl.int64)
    head = tl.program_id(1) % heads
    kv_head = head // (heads // kv_heads)
    return (batch * n * heads + head) * D, (batch * n * kv_heads + kv_head) * D, (batch * heads + head) * n


@triton.jit
def _forward_kernel(q_ptr, k1_ptr, k2_ptr, v1_ptr, v2_ptr, o_ptr, lse_ptr, n, heads, kv_heads, scale, w1: tl.constexpr,
                    w2: tl.constexpr, D: tl.constexpr, BLOCK_Q: tl.constexpr, BLOCK_KV: tl.constexpr):
    q_base, kv_base, row_base = _bases(n, heads, kv_heads, D)
    kv_step = kv_heads * D
    start = tl.program_id(0) * BLOCK_Q
    end = tl.minimum(n, start + BLOCK_Q)
    queries = start + tl.arange(0, BLOCK_Q)
    d = tl.arange(0, D)
    q = _load(q_ptr, q_base, queries, heads * D, n, D).to(tl.float32) * scale
    most = tl.full((BLOCK_Q,), float("-inf"), tl.float32)
    total = tl.zeros((BLOCK_Q,), tl.float32)
    o = tl.zeros((BLOCK_Q, D), tl.float32)
    for j in tl.range(tl.maximum(0, start - w1 + 1), end):
        k1 = tl.load(k1_ptr + kv_base + j * kv_step + d).to(tl.float32)
        v1 = tl.load(v1_ptr + kv_base + j * kv_step + d).to(tl.float32)
        qk1 = (q * k1[None, :]).to(tl.bfloat16)
        first = (queries >= j) & (queries - w1 < j)
        for begin in tl.range(tl.maximum(0, start - w2 + 1), end, BLOCK_KV, num_stages=1):
            keys = begin + tl.arange(0, BLOCK_KV)
            k2 = _load(k2_ptr, kv_base, keys, kv_step, n, D)
            v2 = _load(v2_ptr, kv_base, keys, kv_step, n, D)
            logits = tl.dot(qk1, tl.trans(k2))
            seen = (keys[None, :] <= queries[:, None]) & (queries[:, None] - w2 < keys[None, :]) & first[:, None]
            logits = tl.where(seen, logits, -1.0e38)
            now = tl.maximum(most, tl.max(logits, 1))
            p = tl.exp(logits - now[:, None])
            shrink = tl.exp(most - now)
            total = total * shrink + tl.sum(p, 1)
            values = (v2.to(tl.float32) * v1[None, :]).to(tl.bfloat16)
            o = o * shrink[:, None] + tl.dot(p.to(tl.bfloat16), values)
            most = now
    _store(o_ptr, q_base, queries, heads * D, n, o / total[:, None], D)
    tl.store(lse_ptr + row_base + queries, most + tl.log(total), mask=queries < n)


@triton.jit
def _first_keys_kernel(q_ptr, k1_ptr, k2_ptr, v1_ptr, v2_ptr, grad_o_ptr, lse_ptr, delta_ptr, grad_k1_ptr, grad_v1_ptr, n,
                       heads, kv_heads, scale, w1: tl.constexpr, w2: tl.constexpr, D: tl.constexpr, BLOCK_Q: tl.constexpr,
                       BLOCK_KV: tl.constexpr):
    """dK and dV of one tile of first keys: a second key at a time, then the queries that see both."""
    q_base, kv_base, row_base = _bases(n, heads, kv_heads, D)
    q_step, kv_step = heads * D, kv_heads * D
    start = tl.program_id(0) * BLOCK_KV
    end = start + BLOCK_KV
    keys = start + tl.arange(0, BLOCK_KV)
    d = tl.arange(0, D)
    k1 = _load(k1_ptr, kv_base, keys, kv_step, n, D).to(tl.float32)
    v1 = _load(v1_ptr, kv_base, keys, kv_step, n, D).to(tl.float32)
    grad_k1 = tl.zeros((BLOCK_KV, D), tl.float32)
    grad_v1 = tl.zeros((BLOCK_KV, D), tl.float32)
    for k in tl.range(tl.maximum(0, start - w2 + 1), tl.minimum(n, end + w1 - 1)):
        k2 = tl.load(k2_ptr + kv_base + k * kv_step + d).to(tl.float32)
        v2 = tl.load(v2_ptr + kv_base + k * kv_step + d).to(tl.float32)
        k1k2 = (k1 * k2[None, :] * scale).to(tl.bfloat16)
        v1v2 = (v1 * v2[None, :]).to(tl.bfloat16)
        last = tl.minimum(n, tl.minimum(end + w1 - 1, k + w2))
        for begin in tl.range(tl.maximum(start, k), last, BLOCK_Q, num_stages=1):
            queries = begin + tl.arange(0, BLOCK_Q)
            q = _load(q_ptr, q_base, queries, q_step, n, D)
            grad_o = _load(grad_o_ptr, q_base, queries, q_step, n, D)
            lse = tl.load(lse_ptr + row_base + queries, mask=queries < n, other=0.0)
            delta = tl.load(delta_ptr + row_base + queries, mask=queries < n, other=0.0)
            second = (queries >= k) & (queries - w2 < k) & (queries < n)
            seen = (keys[:, None] <= queries[None, :]) & (queries[None, :] - w1 < keys[:, None]) & second[None, :]
            logits = tl.dot(k1k2, tl.trans(q))
            p = tl.exp(tl.where(seen, logits - lse[None, :], -1.0e38))
            weighted = (grad_o.to(tl.float32) * v2[None, :]).to(tl.bfloat16)
            grad_v1 += tl.dot(p.to(tl.bfloat16), weighted)
            grad_p = tl.dot(v1v2, tl.trans(grad_o))
            grad_s = (p * (grad_p - delta[None, :])).to(tl.bfloat16)
            grad_k1 += tl.dot(grad_s, q) * (k2[None, :] * scale)
    _store(grad_k1_ptr, q_base, keys, q_step, n, grad_k1, D)
    _store(grad_v1_ptr, q_base, keys, q_step, n, grad_v1, D)


@triton.jit
def _second_keys_kernel(q_ptr, k1_ptr, k2_ptr, v1_ptr, v2_ptr, grad_o_ptr, lse_ptr, delta_ptr, grad_q_ptr, grad_k2_ptr,
                        grad_v2_ptr, n, heads, kv_heads, scale, w1: tl.constexpr, w2: tl.constexpr, D: tl.constexpr,
                        BLOCK_Q: tl.constexpr, STAGE: tl.constexpr):
    """dQ of one tile of queries, and its part of dK' and dV'. Tiles of one stage share no key: even ones, then odd ones."""
    q_base, kv_base, row_base = _bases(n, heads, kv_heads, D)
    q_step, kv_step = heads * D, kv_heads * D
    start = (tl.program_id(0) * 2 + STAGE) * BLOCK_Q
    queries = start + tl.arange(0, BLOCK_Q)
    keys = start - BLOCK_Q + tl.arange(0, 2 * BLOCK_Q)
    d = tl.arange(0, D)
    q = _load(q_ptr, q_base, queries, q_step, n, D).to(tl.float32) * scale
    grad_o = _load(grad_o_ptr, q_base, queries, q_step, n, D).to(tl.float32)
    k2 = _load(k2_ptr, kv_base, keys, kv_step, n, D)
    v2 = _load(v2_ptr, kv_base, keys, kv_step, n, D)
    lse = tl.load(lse_ptr + row_base + queries, mask=queries < n, other=0.0)
    delta = tl.load(delta_ptr + row_base + queries, mask=queries < n, other=0.0)
    second = (keys[:, None] <= queries[None, :]) & (queries[None, :] - w2 < keys[:, None])
    second = second & (keys >= 0)[:, None] & (queries < n)[None, :]
    grad_q = tl.zeros((BLOCK_Q, D), tl.float32)
    grad_k2 = tl.zeros((2 * BLOCK_Q, D), tl.float32)
    grad_v2 = tl.zeros((2 * BLOCK_Q, D), tl.float32)
    for j in tl.range(tl.maximum(0, start - w1 + 1), tl.minimum(n, start + BLOCK_Q), num_stages=1):
        k1 = tl.load(k1_ptr + kv_base + j * kv_step + d).to(tl.float32)
        v1 = tl.load(v1_ptr + kv_base + j * kv_step + d).to(tl.float32)
        qk1 = (q * k1[None, :]).to(tl.bfloat16)
        logits = tl.dot(k2, tl.trans(qk1))
        first = (queries >= j) & (queries - w1 < j)
        p = tl.exp(tl.where(second & first[None, :], logits - lse[None, :], -1.0e38))
        weighted = (grad_o * v1[None, :]).to(tl.bfloat16)
        grad_v2 += tl.dot(p.to(tl.bfloat16), weighted)
        grad_p = tl.dot(v2, tl.trans(weighted))
        grad_s = (p * (grad_p - delta[None, :])).to(tl.bfloat16)
        grad_k2 += tl.dot(grad_s, qk1)
        k1k2 = (k2.to(tl.float32) * k1[None, :]).to(tl.bfloat16)
        grad_q += tl.dot(tl.trans(grad_s), k1k2)
    if STAGE == 1:
        grad_k2 += _load(grad_k2_ptr, q_base, keys, q_step, n, D)
        grad_v2 += _load(grad_v2_ptr, q_base, keys, q_step, n, D)
    _store(grad_q_ptr, q_base, queries, q_step, n, grad_q * scale, D)
    _store(grad_k2_ptr, q_base, keys, q_step, n, grad_k2, D)
    _store(grad_v2_ptr, q_base, keys, q_step, n, grad_v2, D)


def _sizes(q, k1, window):
    return q.shape[1], q.shape[2], k1.shape[2], q.shape[3] ** -0.5, *window, q.shape[3]


def forward(q, k1, k2, v1, v2, *, window):
    """(o, lse) of contiguous bfloat16 tensors [batch, seq_len, heads, head_dim]; head_dim is a power of 2."""
    batch, n, heads, _ = q.shape
    o, lse = torch.empty_like(q), q.new_empty((batch, heads, n), dtype=torch.float32)
    _forward_kernel[(triton.cdiv(n, 64), batch * heads)](q, k1, k2, v1, v2, o, lse, *_sizes(q, k1, window), BLOCK_Q=64,
                                                         BLOCK_KV=32, num_warps=4)
    return o, lse


def first_keys(grad_o, q, k1, k2, v1, v2, lse, delta, window):
    """dK and dV, of each query head."""
    grad_k1, grad_v1 = (torch.empty_like(q, dtype=torch.float32) for _ in range(2))
    _first_keys_kernel[(triton.cdiv(q.shape[1], 64), q.shape[0] * q.shape[2])](
        q, k1, k2, v1, v2, grad_o, lse, delta, grad_k1, grad_v1, *_sizes(q, k1, window), BLOCK_Q=32, BLOCK_KV=64, num_warps=4)
    return grad_k1, grad_v1


def second_keys(grad_o, q, k1, k2, v1, v2, lse, delta, window):
    """dQ, and dK' and dV' of each query head, in the paper's two stages."""
    if window[1] > 32:
        raise ValueError(f"window2 is {window[1]}, but the two stages of the backward need at most 32")
    grad_q = torch.empty_like(q)
    grad_k2, grad_v2 = (torch.zeros_like(q, dtype=torch.float32) for _ in range(2))
    for stage in range(2):
        _second_keys_kernel[(triton.cdiv(q.shape[1], 64), q.shape[0] * q.shape[2])](
            q, k1, k2, v1, v2, grad_o, lse, delta, grad_q, grad_k2, grad_v2, *_sizes(q, k1, window), BLOCK_Q=32, STAGE=stage,
            num_warps=4)
    return grad_q, grad_k2, grad_v2


def _delta(grad_o, o):
    return (grad_o.float() * o.float()).sum(-1).transpose(1, 2).contiguous()


def backward(grad_o, q, k1, k2, v1, v2, o, lse, *, window):
    """The gradients of q, k1, k2, v1, v2."""
    arguments = (grad_o, q, k1, k2, v1, v2, lse, _delta(grad_o, o), window)
    grad_k1, grad_v1 = first_keys(*arguments)
    grad_q, grad_k2, grad_v2 = second_keys(*arguments)
    shape = (*k1.shape[:3], -1, k1.shape[3])
    shared = (x.view(shape).sum(3).to(k1.dtype) for x in (grad_k1, grad_k2, grad_v1, grad_v2))
    return grad_q, *shared


def reference(q, k1, k2, v1, v2, window):
    """(o, lse) in fp64, with every logit in memory: for small problems."""
    group = q.shape[2] // k1.shape[2]
    k1, k2, v1, v2 = (x.repeat_interleave(group, dim=2) for x in (k1, k2, v1, v2))
    position = torch.arange(q.shape[1], device=q.device)
    back = position[:, None] - position[None, :]
    first, second = ((back >= 0) & (back < length) for length in window)
    logits = torch.einsum("bihjd,bkhd->bhijk", torch.einsum("bihd,bjhd->bihjd", q, k1), k2) * q.shape[3] ** -0.5
    logits = logits.masked_fill(~(first[:, :, None] & second[:, None, :]), float("-inf"))
    lse = logits.flatten(3).logsumexp(-1)
    weights = (logits - lse[..., None, None]).exp()
    return torch.einsum("bhijd,bjhd->bihd", torch.einsum("bhijk,bkhd->bhijd", weights, v2), v1), lse


def _random(batch, n, heads, kv_heads, d, seed):
    generator = torch.Generator("cuda").manual_seed(seed)
    shapes = [(batch, n, heads, d)] + [(batch, n, kv_heads, d)] * 4 + [(batch, n, heads, d)]
    return [torch.randn(shape, generator=generator, device="cuda").bfloat16() for shape in shapes]


def compare(name, got, expected, share=0.02):
    """Prints where they differ most; True when that is at most `share` of the largest number expected."""
    apart = (got.double() - expected).abs().nan_to_num(nan=float("inf"))
    index = tuple(int(i) for i in torch.unravel_index(apart.argmax(), apart.shape))
    largest = float(expected.abs().max())
    allowed = share * (max(largest, 1) if name == "lse" else largest)  # the error of a logit does not shrink with lse
    right = float(apart.max()) <= allowed
    print(f"  {'ok   ' if right else 'WRONG'} {name:3} {list(index)}: {float(got[index]):.6g} for {float(expected[index]):.6g}; "
          f"{float(apart.max()):.3g} apart, {allowed:.3g} allowed")
    return right


def check():
    right = True
    for seed, (batch, n, heads, kv_heads, d, window) in enumerate([
            (1, 64, 1, 1, 64, (32, 32)), (2, 97, 2, 1, 128, (40, 32)), (1, 130, 4, 2, 64, (512, 32)), (1, 33, 2, 2, 128, (1, 1)),
            (1, 150, 2, 1, 64, (64, 17)), (2, 31, 1, 1, 128, (8, 32)), (1, 1, 2, 1, 64, (512, 32))]):
        print(f"batch {batch}, {n} positions, heads {heads}/{kv_heads}, head dimension {d}, windows {window[0]}x{window[1]}")
        *inputs, grad_o = _random(batch, n, heads, kv_heads, d, seed)
        exact = [x.double().requires_grad_() for x in inputs]
        o, lse = forward(*inputs, window=window)
        exact_o, exact_lse = reference(*exact, window)
        gradients = backward(grad_o, *inputs, o, lse, window=window)
        expected = [exact_o.detach(), exact_lse.detach(), *torch.autograd.grad(exact_o, exact, grad_o.double())]
        # A query that sees one pair has gradients of q, k and k' of exactly 0, to which no error can be compared.
        names = ("o", "lse", "dq", "dk", "dk'", "dv", "dv'")
        for name, got, wanted in zip(names, (o, lse, *gradients), expected):
            if min(n, max(window)) > 1 or not name.startswith(("dq", "dk")):
                right = compare(name, got, wanted) and right
    return right


def _milliseconds(function, times=20):
    for _ in range(3):
        function()
    events = [[torch.cuda.Event(enable_timing=True) for _ in range(2)] for _ in range(times)]
    for before, after in events:
        before.record()
        function()
        after.record()
    torch.cuda.synchronize()
    return statistics.median(before.elapsed_time(after) for before, after in events)


def time():
    print(f"{torch.cuda.get_device_name()}: medians of 20, by CUDA events; windows 512x32, batch 1, heads 64/1, head dimension 128")
    for n in (2048, 32768):
        *inputs, grad_o = _random(1, n, 64, 1, 128, 0)
        window = (512, 32)
        o, lse = forward(*inputs, window=window)
        arguments = (grad_o, *inputs, lse, _delta(grad_o, o), window)
        for name, function in (("forward", lambda: forward(*inputs, window=window)), ("dK dV", lambda: first_keys(*arguments)),
                               ("dK' dV' dQ", lambda: second_keys(*arguments)),
                               ("backward, all of it", lambda: backward(grad_o, *inputs, o, lse, window=window))):
            print(f"{n:6} positions  {name:20} {_milliseconds(function, 20 if n < 10000 else 5):10.3f} ms", flush=True)
    return True


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="The paper's Triton kernels.")
    parser.add_argument("mode", choices=("check", "time"))
    chosen = parser.parse_args().mode
    if not torch.cuda.is_available():
        sys.exit("there is no GPU that torch can use")
    sys.exit(0 if {"check": check, "time": time}[chosen]() else 1)
