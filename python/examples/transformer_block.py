#!/usr/bin/env python3
"""A Transformer of four layers, of which every fourth is 2-simplicial as in the paper, trained on a GPU.

    transformer_block.py [--steps 200] [--seeds 5]

The same model is trained twice with each seed: in bfloat16 with triscope.attention, and as an fp32 reference in plain torch with
every logit in memory. Printed are the final losses, how far they are apart, and how far those of the seeds are apart.
The task: a sequence of digits below 7, where each position from the eighth on that holds the digit d has to name, modulo 7, the sum
of d and the digit that stands d + 1 positions before it. Guessing has a loss of 1.95. After 200 steps some seeds know it nearly
and some do not yet, so there is a spread that a gap can be compared with.
"""
import argparse
import statistics
import sys

import torch
from torch import nn
from torch.nn import functional

import triscope

WINDOW, HEADS, HEAD_DIM, DIGITS, LENGTH, BATCH = (32, 8), 4, 64, 7, 64, 16


def exact(q, k1, k2, v1, v2):
    """2-simplicial attention in fp32; q has more heads than the keys."""
    position = torch.arange(q.shape[1], device=q.device)
    back = position[:, None] - position[None, :]
    first, second = ((back >= 0) & (back < length) for length in WINDOW)
    logits = torch.einsum("bihjd,bkd->bhijk", torch.einsum("bihd,bjd->bihjd", q, k1[:, :, 0]), k2[:, :, 0]) * HEAD_DIM ** -0.5
    logits = logits.masked_fill(~(first[:, :, None] & second[:, None, :]), float("-inf"))
    weights = logits.flatten(3).softmax(-1).view(logits.shape)
    return torch.einsum("bhijd,bjd->bihd", torch.einsum("bhijk,bkd->bhijd", weights, v2[:, :, 0]), v1[:, :, 0])


class Layer(nn.Module):
    def __init__(self, simplicial, reference):
        super().__init__()
        width = HEADS * HEAD_DIM
        self.simplicial, self.reference = simplicial, reference
        self.sizes = [width, *[HEAD_DIM] * 4] if simplicial else [width] * 3
        self.before, self.between = nn.LayerNorm(width), nn.LayerNorm(width)
        self.into, self.out = nn.Linear(width, sum(self.sizes), bias=False), nn.Linear(width, width, bias=False)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def attend(self, x):
        parts = [part.unflatten(-1, (-1, HEAD_DIM)) for part in self.into(x).split(self.sizes, -1)]
        if not self.simplicial:
            return functional.scaled_dot_product_attention(*(part.transpose(1, 2) for part in parts), is_causal=True).transpose(1, 2)
        if self.reference:
            return exact(*parts)
        return triscope.attention(*parts, window=WINDOW)

    def forward(self, x):
        x = x + self.out(self.attend(self.before(x)).flatten(2))
        return x + self.mlp(self.between(x))


class Model(nn.Module):
    def __init__(self, reference):
        super().__init__()
        width = HEADS * HEAD_DIM
        self.digits, self.positions = nn.Embedding(DIGITS, width), nn.Embedding(LENGTH, width)
        self.layers = nn.Sequential(*(Layer(number % 4 == 3, reference) for number in range(4)))
        self.last = nn.Linear(width, DIGITS)

    def forward(self, digits):
        return self.last(self.layers(self.digits(digits) + self.positions.weight))


def train(seed, steps, reference):
    """The mean loss of the last 20 steps. The seed gives weights and data, the same with and without `reference`."""
    torch.manual_seed(seed)
    model = Model(reference).cuda()
    data = torch.Generator("cuda").manual_seed(seed)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
    losses = []
    for _ in range(steps):
        digits = torch.randint(DIGITS, (BATCH, LENGTH), generator=data, device="cuda")
        position = torch.arange(DIGITS, LENGTH, device="cuda")
        own = digits[:, DIGITS:]
        wanted = (own + digits.gather(1, position - 1 - own)) % DIGITS
        with torch.autocast("cuda", torch.bfloat16, enabled=not reference):
            guessed = model(digits)[:, DIGITS:]
        loss = functional.cross_entropy(guessed.float().flatten(0, 1), wanted.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    return float(torch.stack(losses[-20:]).mean())


def main():
    parser = argparse.ArgumentParser(description="Trains a Transformer with a 2-simplicial layer.")
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--seeds", type=int, default=5)
    options = parser.parse_args()
    if options.steps < 1 or options.seeds < 2:
        sys.exit("--steps must be at least 1, and --seeds at least 2: one seed has no spread")
    if not torch.cuda.is_available():
        sys.exit("there is no GPU that torch can use")
    gaps, losses = [], []
    for seed in range(options.seeds):
        ours, reference = (train(seed, options.steps, which) for which in (False, True))
        gaps.append(abs(ours - reference))
        losses.append(reference)
        print(f"seed {seed}: loss {ours:.5f} with triscope, {reference:.5f} in fp32, {gaps[-1]:.5f} apart", flush=True)
    spread = max(losses) - min(losses)
    print(f"the fp32 losses of {options.seeds} seeds are up to {spread:.5f} apart, with a standard deviation of "
          f"{statistics.stdev(losses):.5f}; the largest gap to fp32 is {max(gaps):.5f}")
    return 0 if max(gaps) < spread else 1


if __name__ == "__main__":
    sys.exit(main())
