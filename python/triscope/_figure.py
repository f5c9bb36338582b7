"""Results as matplotlib axes, each with its 95 % interval."""

import itertools

from ._columns import interval

# What tells one line of a chart from another, unless it is the x axis. The instance does not: a kernel chooses it by the problem.
_APART = ("kernel", "pass", "window1", "window2", "form", "seq_len", "batch", "q_heads", "kv_heads", "head_dim", "mask", "element",
          "regime", "timing_source", "device", "scale", "k2_bias", "v2_bias", "sink", "deterministic", "sweep")
_LABELS = {"seq_len": "sequence length", "median_ms": "median time of a launch (ms)", "tflops": "TFLOP/s", "window1": "window 1",
           "window2": "window 2", "q_heads": "query heads", "kv_heads": "kv heads", "head_dim": "head dimension", "batch": "batch"}
_MARKERS = "os^DvPX"  # as many as have no divisor in common with matplotlib's ten colours: 70 lines differ
_EVERYWHERE = -1  # the place of what has none on the x axis: a line across
_MOST_NAMES = 24    # in a legend
_LONGEST_NAME = 60  # texts come from a file that anyone may have written


def plot(results, x, y, ax):
    """Columns.plot; `results` are those Columns."""
    for name, axis in ((x, "x"), (y, "y")):
        if name not in results:
            raise ValueError(f"{axis} is {name!r}, but the columns are: {', '.join(results) or 'none'}")
    if y not in ("median_ms", "tflops"):
        raise ValueError(f"y is {y!r}, but must be median_ms or tflops, which have an interval")
    if missing := [name for name in ("kernel", "status", "median_ms", "ci_low_ms", "ci_high_ms") if name not in results]:
        raise ValueError(f"these columns have no {missing[0]}: plot draws what Database.results returns")
    measured = [value for value, status in zip(results[x], results["status"]) if status == "ok" and value is not None]
    if measured and not any(isinstance(value, (int, float)) for value in measured):
        raise ValueError(f"x is {x!r}, whose values are no numbers, such as {measured[0]!r:.60}; take seq_len or window1")
    if ax is None:
        import matplotlib.pyplot

        ax = matplotlib.pyplot.subplots(layout="constrained")[1]
    styles, markers = itertools.cycle(("--", ":", "-.")), itertools.cycle(_MARKERS)
    for name, points in _lines(results, x, y):
        points.sort(key=lambda point: point[0])
        if points[0][0] == _EVERYWHERE:
            dashes = next(styles)
            for _, middle, low, high in points:
                if low is not None:
                    ax.axhspan(low, high, color="grey", alpha=0.2, linewidth=0)
                ax.axhline(middle, linestyle=dashes, linewidth=1, color="grey", label=name)
            continue
        bounded = [point for point in points if point[2] is not None]
        line, = ax.plot([point[0] for point in points], [point[1] for point in points], marker=next(markers), markersize=4,
                        linewidth=1, label=name)
        if bounded:
            at, middle, low, high = zip(*bounded)
            lengths = ([m - l for m, l in zip(middle, low)], [h - m for m, h in zip(middle, high)])
            ax.errorbar(at, middle, yerr=lengths, fmt="none", ecolor=line.get_color(), elinewidth=1, capsize=2)
    if x in ("seq_len", "window1", "window2"):
        _lengths(ax, sorted({n for n in results[x] if isinstance(n, int) and n > 0 and _drawn(results, x, n)}))
    ax.set_xlabel(_LABELS.get(x, x))
    ax.set_ylabel(_LABELS[y])
    ax.set_ylim(bottom=0)
    handles, names = ax.get_legend_handles_labels()
    if handles:  # outside, since it may be long
        title = f"{_MOST_NAMES} of {len(names)} lines" if len(names) > _MOST_NAMES else None
        ax.legend(handles[:_MOST_NAMES], names[:_MOST_NAMES], title=title, fontsize="small", loc="upper left", bbox_to_anchor=(1.01, 1),
                  borderaxespad=0)
    return ax


def _lines(results, x, y):
    """(name, [(x, y, low, high)]) of each line; low and high are None where the interval is unknown."""
    rows = [n for n, status in enumerate(results["status"])
            if status == "ok" and results["median_ms"][n] and results[y][n] is not None and isinstance(results[x][n], (int, float))]
    told = _telling(results, rows, x)
    lines = {}
    for n in rows:
        low, high = interval(results["median_ms"][n], results["ci_low_ms"][n], results["ci_high_ms"][n])
        if y == "tflops" and low:  # a longer time is a lower rate
            work = results["tflops"][n] * results["median_ms"][n]
            low, high = work / high, work / low
        place = _EVERYWHERE if _sees_all(results, n) and x in ("window1", "window2") else results[x][n]
        lines.setdefault(_said(results, n, told), []).append((place, results[y][n], low, high))
    return [(_name(dict(said)), points) for said, points in lines.items()]


def _said(results, n, columns):
    """What these columns say of a row. Attention over all keys has no windows, nor has a product of matrices."""
    whole = _sees_all(results, n) or "form" in results and results["form"][n] == "gemm"
    return tuple((name, results[name][n]) for name in columns if not (whole and name in ("window1", "window2")))


def _telling(results, rows, x):
    """As few columns as tell the lines apart, the kernel always."""
    columns = [name for name in _APART if name in results and name != x]
    windows = {"window1", "window2"} & set(columns)  # both are said or none

    def lines(columns):
        return len({_said(results, n, columns) for n in rows})

    all_of_them = lines(columns)
    for name in reversed(columns[1:]):
        fewer = [column for column in columns if column != name]
        if lines(fewer) == all_of_them:
            columns = fewer
    return [name for name in _APART if name in columns or name in windows and windows & set(columns)]


def _sees_all(results, n):
    """Dot-product attention whose window is the whole sequence: it has a time of its own at each length, and no window."""
    return all(name in results for name in ("form", "window1", "seq_len")) and results["form"][n] == "dot_product" \
        and results["window1"][n] >= results["seq_len"][n]


def _drawn(results, x, value):
    """Whether a point stands at `value`."""
    return any(other == value and status == "ok" and not (x != "seq_len" and _sees_all(results, n))
               for n, (other, status) in enumerate(zip(results[x], results["status"])))


def _lengths(ax, values):
    """A logarithmic axis with a mark at each of these lengths: 512, 32k."""
    if not values:
        return
    ax.set_xscale("log", base=2)
    ax.set_xticks(values, [f"{n // 1024}k" if n % 1024 == 0 else str(n) for n in values])
    ax.minorticks_off()


def _name(told):
    """Such as "cuda.hopper, forward, 512x32, q_heads 64"."""
    words = []
    if "window1" in told and "window2" in told:
        told["windows"] = f"{told.pop('window1')}x{told.pop('window2')}"
    for column, value in told.items():
        words.append(str(value) if column in ("kernel", "pass", "windows", "form", "regime", "device") else f"{column} {value}")
    text = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in ", ".join(words))
    text = text if len(text) <= _LONGEST_NAME else text[:_LONGEST_NAME - 1] + "…"
    # matplotlib reads mathematics between dollars, and leaves a name that begins with _ out of the legend.
    return text.replace("$", "\\$").lstrip("_")
