"""What gpu_blocks.py makes of blocks of launches; no GPU is needed."""
import os
import unittest

import gpu_blocks
import triscope
from gpu_blocks import Block

MS = 1_000_000


def launches(at, blocks, calls, spans, gap, pause, spin=58_000):
    """Records as libcupti_record.so writes them: `calls` calls a block of kernels of `spans` ns, `gap` ns between calls, then a spin."""
    made = []
    for _ in range(blocks):
        for _ in range(calls):
            for number, span in enumerate(spans):
                made.append((at, at + span, f"_Z6kernelILi{number}EEvv"))
                at += span
            at += gap
        made.append((at, at + spin, "_ZN2at4cuda66_GLOBAL__N__1c4b71b3_8_Sleep_cu11spin_kernelEl"))
        at += spin + pause
    return made


class Records(unittest.TestCase):
    def test_gaps_between_launches_are_no_part_of_one(self):
        found = gpu_blocks.of_records(launches(5, 3, 4, (2 * MS, MS), 100_000, 0), 4)
        self.assertEqual([block.launch_ns for block in found], [3 * MS] * 3)
        self.assertEqual([block.launches for block in found], [4] * 3)
        self.assertEqual(found[0].start_ns, 5)

    def test_idle_is_all_that_lies_between_launches(self):
        found = gpu_blocks.of_records(launches(0, 3, 4, (2 * MS, MS), 100_000, 700_000), 4)
        self.assertAlmostEqual(gpu_blocks.idle_us(found), 4 * 100 + 58 + 700)

    def test_the_last_kernel_to_end_ends_a_launch(self):
        records = [(0, 10, "a"), (2, 7, "b"), (20, 25, "a"), (21, 40, "b"), (50, 60, "spin_kernel")]
        self.assertEqual(gpu_blocks.of_records(records, 2), [Block(0, 15, 2)])

    def test_kernels_that_are_not_whole_launches_are_refused(self):
        for records in ([(0, 10, "a"), (10, 20, "spin_kernel")], [(0, 10, "a"), (11, 12, "a")], []):
            with self.assertRaisesRegex(ValueError, "launches"):
                gpu_blocks.of_records(records, 2)

    def test_the_order_of_the_file_does_not_matter(self):
        records = launches(0, 2, 2, (MS,), 10, 10)
        self.assertEqual(gpu_blocks.of_records(records[::-1], 2), gpu_blocks.of_records(records, 2))

    def test_kernels_of_a_call(self):
        found = gpu_blocks.kernels_of(launches(0, 3, 4, (2 * MS, MS), 0, 0), 4)
        self.assertEqual(found, [("kernel<0>", 2000), ("kernel<1>", 1000)])

    def test_the_clock_that_a_spin_counts(self):
        self.assertAlmostEqual(gpu_blocks.counted_mhz(launches(0, 3, 1, (MS,), 0, 0, spin=50_000), 85_000), 1700)

    def test_names(self):
        for mangled, name in (("_ZN8triscope6hopper14forward_kernelILi22EEEv14CUtensorMap_stS2_S2_NS0_17ForwardParametersE", "forward_kernel<22>"),
                              ("_ZN8triscope6hopper12_GLOBAL__N_113half_operandsILi128ELb0EEEvNS0_17ForwardParametersE", "half_operands<128, 0>"),
                              ("_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_11FillFunctorIiEEEEviT0_", "vectorized_elementwise_kernel<4>"),
                              ("_fwd_kernel", "_fwd_kernel"), ("set", "set")):
            self.assertEqual(gpu_blocks.short_name(mangled), name)


class Settled(unittest.TestCase):
    def test_the_first_second_and_a_part_of_a_swing_are_left_out(self):
        blocks = [Block(n * 100 * MS, 1 if n < 10 else 3 if n < 30 else 9, 1) for n in range(34)]  # 3.4 s
        self.assertEqual([block.launch_ns for block in gpu_blocks.settled(blocks)], [3] * 20)

    def test_a_block_that_begins_late_cuts_no_swing(self):
        blocks = [Block(n * 43 * MS, 42 * MS, 1) for n in range(70)]  # 3.009 s; the 24th begins at 1.032 s
        self.assertEqual(len(gpu_blocks.settled(blocks)), 46)

    def test_less_than_a_swing_is_refused(self):
        with self.assertRaisesRegex(ValueError, "swing"):
            gpu_blocks.settled([Block(n * 100 * MS, 50 * MS, 2) for n in range(12)])


class OfADatabase(unittest.TestCase):
    def test_rows_of_the_recorded_one(self):
        with triscope.open(os.environ.get("RECORDED_DATABASE", "results.db")) as database:
            number = database.results()["measurement"][0]
            samples = database.samples(number)
        blocks = gpu_blocks.of_samples(samples)
        self.assertEqual([block.launch_ns for block in blocks], samples["duration_ns"])
        self.assertEqual(gpu_blocks.mean_ms([Block(0, MS, 1), Block(0, 2 * MS, 1)]), 1.5)


if __name__ == "__main__":
    unittest.main()
