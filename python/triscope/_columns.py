"""A table as plain columns, which notebooks draw and pandas and polars take."""

import html
import math

_SHOWN = 40  # rows in a notebook
# In a notebook the results show these; every other table shows all of its columns.
_OF_RESULTS = ("measurement", "kernel", "pass", "window1", "window2", "seq_len", "q_heads", "kv_heads", "head_dim", "median_ms",
               "ci_low_ms", "ci_high_ms", "tflops", "status")


class Columns(dict):
    """{column: [values]}, each list as long as the others; its len() counts columns."""

    def rows(self):
        """The rows in order, each a dict {column: value}."""
        return [dict(zip(self, row)) for row in zip(*self.values())]

    def _count(self):
        return len(next(iter(self.values()), ()))

    def to_pandas(self):
        """The same as a pandas.DataFrame; ImportError when pandas is not installed."""
        import pandas

        return pandas.DataFrame(dict(self))

    def to_polars(self):
        """The same as a polars.DataFrame; ImportError when polars is not installed."""
        import polars

        return polars.DataFrame(dict(self), infer_schema_length=None)

    def plot(self, x="seq_len", y="tflops", ax=None):
        """Results over the column `x`, a line for each kernel and problem, with the 95 % intervals drawn as bars; rows whose
        interval is unknown have a point and no bar. `y`: "tflops" or "median_ms". Returns the matplotlib Axes, new ones when
        `ax` is None. ValueError when a column is not there, or `x` is one without numbers; ImportError when matplotlib is not installed and `ax` is None."""
        from . import _figure

        return _figure.plot(self, x, y, ax)

    def _repr_html_(self):
        names = [name for name in _OF_RESULTS if name in self] if "median_ms" in self else list(self)
        head = "".join(f"<th>{html.escape(name)}</th>" for name in names)
        body = "".join("<tr>" + "".join(f"<td>{_text(self._shown(name, row))}</td>" for name in names) + "</tr>"
                       for row in range(min(self._count(), _SHOWN)))
        left = self._count() - _SHOWN
        more = f"<p>{left} more rows, and {len(self)} columns in all: to_pandas() has everything.</p>" if left > 0 else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"

    def _shown(self, name, row):
        if name in ("ci_low_ms", "ci_high_ms") and "median_ms" in self:
            return interval(*(self[column][row] for column in ("median_ms", "ci_low_ms", "ci_high_ms")))[name == "ci_high_ms"]
        return self[name][row]


def interval(median, low, high):
    """(low, high), or (None, None) where they say nothing: spread_percent() of profiler/statistics has the same rule."""
    known = None not in (median, low, high) and 0 < low and 0 < median and math.isfinite(high) and high - low <= 2 * median
    return (low, high) if known else (None, None)


def _text(value):
    # Everything comes from a file that anyone may have written.
    text = "" if value is None else f"{value:.5g}" if isinstance(value, float) else str(value)
    return html.escape("".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text))
