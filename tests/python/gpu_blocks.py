"""Blocks of launches on a GPU: those of Triscope's worker, from a database, and those that libcupti_record.so wrote. One estimator
for both: the mean over whole swings of the clock."""
import re
import statistics
import typing

SWING_NS = 1_000_000_000  # at its power limit a GPU's clock dips by a tenth about once a second
_SPIN = "spin_kernel"     # of torch.cuda._sleep, which ends a block


class Block(typing.NamedTuple):
    start_ns: int
    launch_ns: float  # the mean of its launches, each from the start of its first kernel to the end of its last
    launches: int


def of_samples(samples):
    """Of a measurement's samples, as triscope.open gives them."""
    return [Block(*one) for one in zip(samples["started_ns"], samples["duration_ns"], samples["launches"])]


def read(path):
    """(start, end, name) of each record that libcupti_record.so wrote."""
    lines = (line.split(maxsplit=2) for line in path.read_text().splitlines())
    return [(int(start), int(end), name) for start, end, name in lines]


def _by_block(records, launches):
    """For each block its launches, and for each of these its kernels."""
    made, block = [], []
    for record in sorted(records):
        if _SPIN not in record[2]:
            block.append(record)
            continue
        each, rest = divmod(len(block), launches)
        if rest or not each:
            raise ValueError(f"{len(block)} kernels are not {launches} launches")
        made.append([block[n:n + each] for n in range(0, len(block), each)])
        block = []
    if block or not made:
        raise ValueError(f"{len(block)} kernels behind the last of {len(made)} blocks of {launches} launches")
    return made


def of_records(records, launches):
    """Blocks of `launches` launches, each ended by torch.cuda._sleep. As the worker's: gaps between launches belong to none."""
    return [Block(block[0][0][0], statistics.fmean(max(end for _, end, _ in launch) - launch[0][0] for launch in block), launches)
            for block in _by_block(records, launches)]


def settled(blocks):
    """Those of whole swings behind the first second, in which a GPU that comes to its power limit is faster than later."""
    later = [block for block in blocks if block.start_ns >= blocks[0].start_ns + SWING_NS]
    span = later[-1].start_ns + later[-1].launch_ns * later[-1].launches - later[0].start_ns if later else 0
    swings = round(span / SWING_NS)
    if swings == 0:
        raise ValueError(f"{span * 1e-9:.2f} s behind the first second are less than a swing of the clock")
    return [block for block in later if block.start_ns < later[0].start_ns + swings * SWING_NS]


def mean_ms(blocks):
    return statistics.fmean(block.launch_ns for block in blocks) * 1e-6


def median_ms(blocks):
    return statistics.median(block.launch_ns for block in blocks) * 1e-6


def idle_us(blocks):
    """What of the time from one block to the next no launch used, the median: a GPU at its power limit is faster for it."""
    return statistics.median(other.start_ns - one.start_ns - one.launch_ns * one.launches for one, other in zip(blocks, blocks[1:])) * 1e-3


def kernels_of(records, launches):
    """(name, mean microseconds) of each kernel of a call, in order."""
    calls = [launch for block in _by_block(records, launches) for launch in block]
    return [(short_name(same[0][2]), statistics.fmean(end - start for start, end, _ in same) * 1e-3) for same in zip(*calls)]


def counted_mhz(records, cycles):
    """The clock while torch.cuda._sleep(cycles) ended a block."""
    return statistics.fmean(cycles / (end - start) for start, end, name in records if _SPIN in name) * 1e3


def short_name(name):
    """The last part of a mangled name, with the numbers of its template."""
    if not name.startswith("_Z"):
        return name
    at, part = name.startswith("_ZN") + 2, name
    while number := re.compile(r"\d+").match(name, at):
        part, at = name[number.end():number.end() + int(number[0])], number.end() + int(number[0])
    arguments = re.compile(r"I((?:L[a-z]n?\d+E)+)").match(name, at)
    return part + f"<{', '.join(re.findall(r'L[a-z](n?[0-9]+)E', arguments[1]))}>" if arguments else part
