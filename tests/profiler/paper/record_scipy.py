#!/usr/bin/env python3
"""Writes scipy_recorded.json beside this file: fits, intervals and solved sizes by scipy, which scaling_law_test compares with.

    python3 -m venv v && v/bin/pip install scipy==1.17.1 && v/bin/python tests/profiler/paper/record_scipy.py
"""
import csv
import json
import pathlib

import numpy as np
import scipy
from scipy import optimize, stats

HERE = pathlib.Path(__file__).parent
ROWS = list(csv.DictReader((HERE / "../../../assets/paper/tables.csv").resolve().open()))
BENCHMARKS = ["GSM8k", "MMLU", "MMLU-pro", "MBPP"]


def printed(table, row, column):
    return next(r["printed"] for r in ROWS if (r["table"], r["row"], r["column"]) == (str(table), str(row), column))


def half_unit(text):
    digits, _, exponent = text.partition("e")
    return 0.5 * 10.0 ** (int(exponent or 0) - len(digits.partition(".")[2]))


def losses(benchmark, model):
    return np.array([float(printed(2, 1 + 3 * size + model, benchmark)) for size in range(3)])


def fit(sizes, values):
    x, y = np.log(sizes), -np.log(values)
    line = stats.linregress(x, y)
    residuals = y - line.intercept - line.slope * x
    degrees = len(x) - 2
    out = dict(alpha=line.slope, beta=line.intercept, r_squared=line.rvalue**2, residual_sum=float(residuals @ residuals),
               alpha_error=line.stderr, beta_error=line.intercept_stderr,
               alpha_half=stats.t.ppf(0.975, degrees) * line.stderr, beta_half=stats.t.ppf(0.975, degrees) * line.intercept_stderr)
    at = np.log(7e9)
    share = 1 / len(x) + (at - x.mean())**2 / ((x - x.mean())**2).sum()
    scatter = np.sqrt(residuals @ residuals / degrees)
    centre = line.slope * at + line.intercept
    for name, factor in (("line", share), ("run", 1 + share)):
        reach = stats.t.ppf(0.975, degrees) * scatter * np.sqrt(factor)
        out[f"{name}_7e9"] = [np.exp(-centre - reach), np.exp(-centre + reach)]
    return out


def difference(sizes, a, b):
    fa, fb = fit(sizes, a), fit(sizes, b)
    va, vb, degrees = fa["alpha_error"]**2, fb["alpha_error"]**2, len(sizes) - 2
    welch = (va + vb)**2 / (va**2 / degrees + vb**2 / degrees)
    value = fb["alpha"] - fa["alpha"]
    paired = stats.linregress(np.log(sizes), -np.log(b / a))
    return dict(value=value, welch_degrees=welch, welch_half=stats.t.ppf(0.975, welch) * np.sqrt(va + vb),
                welch_probability=2 * stats.t.sf(abs(value) / np.sqrt(va + vb), welch),
                paired_half=stats.t.ppf(0.975, degrees) * paired.stderr, paired_probability=paired.pvalue)


def fit_values(sizes, values):
    f = fit(sizes, values)
    return [f["alpha"], f["beta"], f["r_squared"], f["residual_sum"]]


def rounding(sizes, model, benchmark):
    values = losses(benchmark, model)
    corners = np.array([fit_values(sizes, values + 5e-5 * np.array([a, b, c])) for a in (-1, 0, 1) for b in (-1, 0, 1) for c in (-1, 0, 1)])
    low, high = corners.min(axis=0), corners.max(axis=0)
    x = np.log(sizes)
    middle = [(lambda y: (y - np.polyval(np.polyfit(x, y, 1), x))[1])(-np.log(values + 5e-5 * np.array([a, b, c])))
              for a in (-1, 0, 1) for b in (-1, 0, 1) for c in (-1, 0, 1)]
    if min(middle) < 0 < max(middle):
        high[2], low[3] = 1, 0
    return (high - low) / 2


def solved():
    columns = [(3, "alpha"), (3, "beta"), (4, "R2"), (4, "residual")]
    cases = [(m, b) for m in (0, 1) for b in BENCHMARKS]
    texts = {(m, b): [printed(t, m + 1, f"{b} {name}") for t, name in columns] for m, b in cases}
    first = np.array([1e9, 2e9, 3.5e9])
    tolerance = {c: np.array([half_unit(t) for t in texts[c]]) + rounding(first, *c) for c in cases}

    def misses(log_sizes):
        return np.concatenate([(np.array(fit_values(np.exp(log_sizes), losses(b, m))) - np.array([float(t) for t in texts[m, b]])) /
                               tolerance[m, b] for m, b in cases])

    best = optimize.least_squares(misses, np.log(first), xtol=1e-14, ftol=1e-14, gtol=1e-14, x_scale=[0.01, 0.01, 0.01])
    return dict(sizes=list(np.exp(best.x)), misfit=float(np.sqrt((best.fun**2).mean())),
                misfit_printed_sizes=float(np.sqrt((misses(np.log(first))**2).mean())))


def power(x, slope, scatters, rng, experiments=40_000):
    """Part of simulated experiments whose Welch interval of a difference `slope` is without 0; `x`: log N of every run."""
    from_mean = x - x.mean()
    spread, degrees = (from_mean**2).sum(), len(x) - 2
    slopes, variances = [], []
    for true, scatter in zip((0, slope), scatters):
        y = true * x + scatter * rng.normal(size=(experiments, len(x)))
        slopes.append(y @ from_mean / spread)
        residuals = y - y.mean(axis=1, keepdims=True) - np.outer(slopes[-1], from_mean)
        variances.append((residuals**2).sum(axis=1) / degrees / spread)
    welch = (variances[0] + variances[1])**2 / ((variances[0]**2 + variances[1]**2) / degrees)
    return float((abs(slopes[1] - slopes[0]) > stats.t.ppf(0.975, welch) * np.sqrt(sum(variances))).mean())


def powers(sizes, a, b, rng):
    """By runs of each size from 1 on, and by sizes in all from those measured on."""
    x = np.log(sizes)
    fits = fit(sizes, a), fit(sizes, b)
    scatters = [np.sqrt(f["residual_sum"] / (len(x) - 2)) for f in fits]
    slope, step = fits[1]["alpha"] - fits[0]["alpha"], (x[-1] - x[0]) / (len(x) - 1)
    runs = [power(np.tile(x, n), slope, scatters, rng) for n in range(1, 11)]
    row = [power(np.append(x, x[-1] + step * np.arange(1, n + 1)), slope, scatters, rng) for n in range(8)]
    return dict(power_by_runs=runs, power_by_sizes=row)


sizes = np.array([1e9, 2e9, 3.5e9])
rng = np.random.default_rng(22)
out = dict(scipy=scipy.__version__,
           fits=[dict(benchmark=b, model=["Transformer", "2-simplicial"][m], **fit(sizes, losses(b, m))) for b in BENCHMARKS for m in (0, 1)],
           differences=[dict(benchmark=b, **difference(sizes, losses(b, 0), losses(b, 1)), **powers(sizes, losses(b, 0), losses(b, 1), rng))
                        for b in BENCHMARKS],
           solved=solved())
(HERE / "scipy_recorded.json").write_text(json.dumps(out, indent=1) + "\n")
