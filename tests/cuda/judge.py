"""Judges what tests/cuda/on_gpu recorded: prints what it holds, and lines that begin with PASS or FAIL."""

import array
import re
import sqlite3
import sys


def rows(file, sweep=None):
    database = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
    database.row_factory = sqlite3.Row
    if sweep == "latest":
        sweep = database.execute("SELECT max(id) FROM sweep").fetchone()[0]
    where = "" if sweep is None else f"WHERE sweep = {sweep}"
    return database.execute(f"SELECT * FROM result {where} ORDER BY measurement").fetchall()


def say(passed, text):
    print(("PASS " if passed else "FAIL ") + text)


def one_failed(file, bad, good):
    """The newest sweep: `bad` failed with a reason, `good` was measured rightly."""
    found = {row["kernel"]: row for row in rows(file, "latest")}
    failed, fine = found.get(bad), found.get(good)
    say(failed and failed["status"] == "failed" and failed["reason"], f"{bad}: {failed and failed['reason']}")
    say(fine and fine["status"] == "ok" and fine["error"] < 4e-3,
        f"{good} beside it: {fine and fine['status']}, {fine and fine['median_ms']} ms, error {fine and fine['error']}")


def all_failed(file, word):
    found = [row for row in rows(file) if row["status"] != "skipped"]
    say(found and all(row["status"] == "failed" and word in row["reason"] and row["median_ms"] is None for row in found),
        f"{len(found)} rows without CUPTI: {found[0]['reason'] if found else ''}")


def all_ok(file):
    found = [row for row in rows(file) if row["status"] != "skipped"]
    say(found and all(row["status"] == "ok" and row["timing_source"] == "cuda_events" for row in found),
        f"{len(found)} rows by events: {[row['status'] for row in found]}")


def launches(file):
    """Each row that CUPTI timed holds kernel records of one launch: named, with a grid, and no longer than the launch."""
    database = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
    timed = [row for row in rows(file) if row["status"] == "ok" and row["timing_source"] == "cupti"]
    without, wrong, records = [], [], 0
    for row in timed:
        found = database.execute("SELECT text.value, grid_x * grid_y * grid_z, block_x * block_y * block_z, end_ns - start_ns "
                                 "FROM launch JOIN text ON text.id = launch.name WHERE measurement = ? ORDER BY ordinal",
                                 (row["measurement"],)).fetchall()
        records += len(found)
        name = f"{row['kernel']} {row['pass']}"
        if not found:
            without.append(name)
        # A memset has no grid; of a launch of several kernels at least one has. The first launch is cold, so slower than the median.
        if found and not any(text and grid > 0 and block > 0 and 0 < span < 1e9 for text, grid, block, span in found):
            wrong.append(f"{name}: {found}")
    say(timed and not without and not wrong,
        f"{records} kernel records of {len(timed)} rows; rows without any: {without}; doubtful: {wrong}")


def same_array(first, second, bound):
    """Two .npy files of float32 hold the same to within `bound`."""
    def values(file):
        with open(file, "rb") as stream:
            data = stream.read()
        return array.array("f", data[10 + int.from_bytes(data[8:10], "little"):])
    a, b = values(first), values(second)
    largest = max((abs(x - y) for x, y in zip(a, b)), default=float("nan"))
    say(len(a) == len(b) and largest <= float(bound), f"{len(a)} and {len(b)} values, largest difference {largest:.2e}")


def row_error(file, kernel, bound):
    """What `inspect --kernel` printed: the error of the kernel's row."""
    text = open(file, encoding="utf-8").read()
    found = re.search(r"a relative error of ([0-9.]+(?:e-[0-9]+)?)", text)
    say(found and float(found[1]) <= float(bound), f"{kernel}: {found[0] if found else text}")


def key(row):
    return tuple(row[name] for name in ("kernel", "instance", "pass", "regime", "form", "seq_len", "q_heads", "head_dim", "window1", "window2"))


def overlap(file, share):
    first, second = ({key(row): row for row in rows(file, sweep) if row["status"] == "ok"} for sweep in (1, 2))
    for regime in ("sustained", "burst"):
        common = [k for k in first if k in second and k[3] == regime]
        meet = [k for k in common if first[k]["ci_low_ms"] <= second[k]["ci_high_ms"] and second[k]["ci_low_ms"] <= first[k]["ci_high_ms"]]
        for k in common:
            if k not in meet:
                a, b = first[k], second[k]
                print(f"     apart: {k}: {a['ci_low_ms']:.5f}..{a['ci_high_ms']:.5f} and {b['ci_low_ms']:.5f}..{b['ci_high_ms']:.5f}"
                      f" ms, {100 * (b['median_ms'] / a['median_ms'] - 1):+.2f} %")
        say(common and len(meet) >= float(share) * len(common), f"{regime}: {len(meet)} of {len(common)} intervals overlap")


def clocks(file, expected):
    """All of the `expected` rows were measured, counted and cross-checked."""
    print("     regime     seq    windows    CUPTI us   events us      gap")
    for row in rows(file):
        events = row["events_ms"]
        gap = f"{100 * (events / row['median_ms'] - 1):+8.1f} %" if events and row["median_ms"] else "none"
        print(f"     {row['regime']:<10} {row['seq_len']:<6} {row['window1']}x{row['window2']:<5} "
              f"{1e3 * (row['median_ms'] or 0):>10.2f} {1e3 * (events or 0):>11.2f} {gap:>10} {row['status']} {row['reason'][:90]}")
    found = rows(file)
    fine = [row for row in found if row["status"] == "ok"]
    say(len(found) == len(fine) == int(expected), f"{len(fine)} of {len(found)} rows measured, {expected} expected")
    database = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
    counted = database.execute("SELECT count(DISTINCT measurement) FROM counter").fetchone()[0]
    notes = [note for (note,) in database.execute("SELECT DISTINCT counters_note FROM measurement WHERE counters_note <> ''")]
    say(counted == int(expected), f"counters of {counted} rows, {expected} expected {notes}")
    checked = [row for row in fine if row["events_ms"]]
    say(len(checked) == int(expected), f"cross-checks of {len(checked)} rows, {expected} expected")


def alone(file, tolerance):
    """A kernel takes as many cycles alone as in turns. The clock is that of the moment, of which NVML knows 15 MHz."""
    solo = {key(row): row for sweep in (1, 2) for row in rows(file, sweep) if row["status"] == "ok"}
    together = rows(file, 3)
    say(together, f"{len(together)} rows of kernels in turns")
    for row in together:
        other = solo.get(key(row))
        if not other or row["status"] != "ok":
            say(False, f"{row['kernel']} {row['reason']}")
            continue
        ratio = row["median_ms"] * row["sm_clock_mhz"] / (other["median_ms"] * other["sm_clock_mhz"])
        say(abs(ratio - 1) <= float(tolerance),
            f"{row['kernel']} {row['window1']}x{row['window2']}: alone {other['tflops']:.1f} TFLOP/s at {other['sm_clock_mhz']} MHz, "
            f"interleaved {row['tflops']:.1f} at {row['sm_clock_mhz']} MHz, {100 * (ratio - 1):+.2f} % in cycles")


if __name__ == "__main__":
    try:
        globals()[sys.argv[1]](*sys.argv[2:])
    except Exception as failure:  # a file that is not there, or holds no row: nothing was shown
        say(False, f"{' '.join(sys.argv[1:])}: {failure}")
