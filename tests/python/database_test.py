"""triscope.open on the recorded database, and on files that are none."""
import importlib.util
import os
import pathlib
import signal
import sqlite3
import tempfile
import unittest
import unittest.mock

import numpy
import triscope

RECORDED = os.environ["RECORDED_DATABASE"]


class Database(unittest.TestCase):
    def test_results_are_the_view_of_the_file(self):
        before = pathlib.Path(RECORDED).read_bytes()
        with triscope.open(RECORDED) as database:
            results, first = database.results(), database.results(sweep=1)
        with sqlite3.connect(RECORDED) as connection:
            rows = connection.execute("SELECT kernel, median_ms FROM result ORDER BY measurement").fetchall()
        self.assertGreater(len(rows), 10)
        self.assertEqual(list(zip(results["kernel"], results["median_ms"])), rows)
        self.assertEqual({len(column) for column in results.values()}, {len(rows)})
        self.assertEqual(set(first["sweep"]), {1})
        self.assertEqual(pathlib.Path(RECORDED).read_bytes(), before)

    def test_samples_of_a_measurement(self):
        with triscope.open(RECORDED) as database:
            results = database.results()
            index = next(n for n, count in enumerate(results["samples"]) if count)
            samples = database.samples(results["measurement"][index])
        self.assertEqual(len(samples["duration_ns"]), results["samples"][index])
        self.assertEqual(samples["ordinal"], sorted(samples["ordinal"]))
        self.assertEqual(sum(flag is not None for flag in samples["flag_text"]), results["flagged"][index])

    def test_a_database_of_this_version_is_opened(self):
        with tempfile.TemporaryDirectory() as name:
            connection = sqlite3.connect(pathlib.Path(name) / "new.db")
            connection.executescript(pathlib.Path("schema.sql").read_text())
            connection.close()
            with triscope.open(pathlib.Path(name) / "new.db") as database:
                self.assertEqual(database.results()["kernel"], [])

    @unittest.skipUnless(importlib.util.find_spec("pandas"), "pandas is not installed")
    def test_pandas(self):
        with triscope.open(pathlib.Path(RECORDED)) as database:
            self.assertEqual(list(database.to_pandas(1)["kernel"]), database.results(1)["kernel"])
            samples = database.samples(1)
            self.assertEqual(list(samples.to_pandas()["duration_ns"]), samples["duration_ns"])

    def test_a_number_that_is_none_is_refused(self):
        with triscope.open(RECORDED) as database:
            for call, said in ((lambda: database.results(2**70), "^sweep is 11805.*, but must be a whole number of at least 1 and below"),
                               (lambda: database.samples(None), "^measurement is None, but must be a whole number"),
                               (lambda: database.to_pandas("last"), "^sweep is 'last', but must be a whole number")):
                with self.assertRaisesRegex(ValueError, said):
                    call()

    def test_what_the_database_lacks_is_said_to_be_missing(self):
        with triscope.open(RECORDED) as database:
            for call, said in ((lambda: database.results(sweep=99), r"\.db has no sweep 99$"),
                               (lambda: database.to_pandas(99), r"\.db has no sweep 99$"),
                               (lambda: database.samples(99999), r"\.db has no measurement 99999$")):
                with self.assertRaisesRegex(ValueError, said):
                    call()

    def test_a_folder_is_no_database(self):
        with tempfile.TemporaryDirectory() as folder, self.assertRaisesRegex(ValueError, "is a folder, not a database$"):
            triscope.open(folder)

    def test_a_name_that_can_be_no_database_says_why(self):
        with self.assertRaisesRegex(ValueError, "^the name of the database is empty$"):
            triscope.open("")
        with self.assertRaisesRegex(ValueError, "^/dev/zero is no regular file$"):
            triscope.open("/dev/zero")
        with self.assertRaisesRegex(FileNotFoundError, "^there is no file gone.db$"):
            triscope.open("gone.db")
        with triscope.open(os.fsencode(RECORDED)) as database:
            self.assertEqual(database.path, RECORDED)

    def test_a_sweep_without_a_measurement_has_no_rows(self):
        with tempfile.TemporaryDirectory() as folder:
            file = copy_of_recorded(folder, "INSERT INTO sweep (id, uuid, started_unix_ns, command, request, environment, planned) "
                                            "SELECT 1000, replace(uuid, '0', '1'), started_unix_ns, command, request, environment, 0 "
                                            "FROM sweep LIMIT 1")
            with triscope.open(file) as database:
                self.assertEqual(database.results(sweep=1000)["kernel"], [])

    def test_rows_are_dicts(self):
        with triscope.open(RECORDED) as database:
            results = database.results(sweep=1)
            rows = results.rows()
            self.assertEqual([row["kernel"] for row in rows], results["kernel"])
            self.assertEqual(set(rows[0]), set(results))

    def test_a_notebook_gets_a_table(self):
        with triscope.open(RECORDED) as database:
            results, text = database.results(), database._repr_html_()
            self.assertEqual(text.count("<tr>"), 1 + min(40, len(results.rows())))
            self.assertIn(f"<td>{results['kernel'][0]}</td>", text)
            self.assertIn(f"<td>{results['median_ms'][0]:.5g}</td>", text)
            self.assertIn("<th>duration_ns</th>", database.samples(1)._repr_html_())
            left = len(results.rows()) - 40
            self.assertGreater(left, 0)
            self.assertIn(f"<p>{left} more rows, and {len(results)} columns in all", results._repr_html_())
            self.assertNotIn("more rows", type(results)({name: values[:40] for name, values in results.items()})._repr_html_())

    def test_a_notebook_gets_no_interval_of_one_sample(self):
        with tempfile.TemporaryDirectory() as name:
            path = copy_of_recorded(name, "UPDATE measurement SET samples = 1, ci_low_ms = 0, ci_high_ms = NULL "
                                          "WHERE id = (SELECT min(id) FROM measurement)")
            with triscope.open(path) as database:
                first, text = database.results()["median_ms"][0], database._repr_html_()
        self.assertIn(f"<td>{first:.5g}</td><td></td><td></td>", text)  # 0 is no lower end

    def test_a_notebook_gets_no_code_of_the_file(self):
        with tempfile.TemporaryDirectory() as name:
            path = copy_of_recorded(name, "UPDATE kernel SET name = '<script>alert(1)</script><img src=x>' || id")
            with triscope.open(path) as database:
                text = database._repr_html_()
        self.assertNotIn("<script", text)
        self.assertNotIn("<img", text)
        self.assertIn("&lt;script&gt;", text)

    def test_hostile_text_costs_nothing_else(self):
        with tempfile.TemporaryDirectory() as name:
            path = copy_of_recorded(name, "UPDATE kernel SET name = CAST(x'1be280aeff41' AS TEXT)")
            with triscope.open(path) as database:
                self.assertEqual(set(database.results()["kernel"]), {"\x1b\u202e\ufffdA"})
                text = database._repr_html_()
        self.assertIn("<td>\\x1b\\u202e\ufffdA</td>", text)

    @unittest.skipUnless(importlib.util.find_spec("polars"), "polars is not installed")
    def test_polars(self):
        with triscope.open(RECORDED) as database:
            self.assertEqual(database.to_polars(1)["kernel"].to_list(), database.results(1)["kernel"])

    def test_other_files_are_refused(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            with self.assertRaisesRegex(FileNotFoundError, "there is no file .*none.db"):
                triscope.open(folder / "none.db")
            self.assertEqual(list(folder.iterdir()), [], "looking for a file makes none")
            (folder / "text.db").write_text("these are not the samples that you are looking for" * 40)
            with self.assertRaisesRegex(ValueError, "text.db: it is not an SQLite database"):
                triscope.open(folder / "text.db")
            for file, application, schema, said in (("other.db", 1, 4, "not one of Triscope's"),
                                                    ("later.db", 0x54524953, 1000, "a newer Triscope .schema 1000")):
                connection = sqlite3.connect(folder / file)
                connection.execute(f"PRAGMA application_id = {application}")
                connection.execute(f"PRAGMA user_version = {schema}")
                connection.close()
                with self.assertRaisesRegex(ValueError, f"{file}: .*{said}"):
                    triscope.open(folder / file)
            evil = copy_of_recorded(name, "CREATE TRIGGER evil AFTER INSERT ON sweep BEGIN DELETE FROM note; END")
            with self.assertRaisesRegex(ValueError, "a trigger that is not Triscope's"):
                triscope.open(evil)


def copy_of_recorded(folder, statements=""):
    path = pathlib.Path(folder) / "copy.db"
    path.write_bytes(pathlib.Path(RECORDED).read_bytes())
    connection = sqlite3.connect(path)
    connection.executescript("PRAGMA journal_mode = WAL; " + statements)
    connection.close()
    return path


ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) AS measurement FROM n"


class Axes:
    """As much of matplotlib's as is asked for."""

    def __init__(self):
        self.lines, self.bars, self.said = {}, [], {}

    def plot(self, x, y, label, **_):
        self.lines[label] = list(zip(x, y))
        return [self]

    def errorbar(self, x, y, yerr, ecolor, **_):
        assert ecolor == "blue"
        self.bars += zip(x, y, *yerr)

    def get_color(self):
        return "blue"

    def get_legend_handles_labels(self):
        return list(self.lines), list(self.lines)

    def __getattr__(self, name):
        return lambda *words, **more: self.said.update({name: (*words, *more.values())})


class Plot(unittest.TestCase):
    ROWS = dict(kernel=["a", "a", "b", "b"], status=["ok", "ok", "ok", "failed"], seq_len=[2048, 1024, 1024, 2048],
                window1=[512] * 4, median_ms=[4.0, 2.0, 8.0, None], ci_low_ms=[3.2, 1.6, 0.0, None],
                ci_high_ms=[5.0, 2.5, None, None], tflops=[10.0, 20.0, 5.0, None])

    def setUp(self):
        with triscope.open(RECORDED) as database:
            self.recorded, self.results = database.results(sweep=1), type(database.results())(self.ROWS)

    def test_lines_in_order_with_the_intervals_that_are_known(self):
        axes = Axes()
        self.assertIs(self.results.plot(y="median_ms", ax=axes), axes)
        self.assertEqual(axes.lines, {"a": [(1024, 2.0), (2048, 4.0)], "b": [(1024, 8.0)]})
        numpy.testing.assert_allclose(axes.bars, [(1024, 2.0, 0.4, 0.5), (2048, 4.0, 0.8, 1.0)])
        self.assertEqual(axes.said["set_xlabel"], ("sequence length",))

    def test_the_interval_of_a_rate_is_that_of_the_time_turned_round(self):
        axes = Axes()
        self.results.plot(ax=axes)
        numpy.testing.assert_allclose(axes.bars, [(1024, 20.0, 20 - 40 / 2.5, 40 / 1.6 - 20), (2048, 10.0, 10 - 40 / 5, 40 / 3.2 - 10)])

    def test_an_interval_that_says_nothing_is_not_shown(self):
        """As `triscope show` says unknown: half of it is more than the median."""
        rows = {**self.ROWS, "ci_low_ms": [3.2, 0.2, 0.0, None], "ci_high_ms": [5.0, 252.0, None, None]}
        for y, bars in (("median_ms", [(2048, 4.0, 0.8, 1.0)]), ("tflops", [(2048, 10.0, 2.0, 2.5)])):
            axes = Axes()
            type(self.results)(rows).plot(y=y, ax=axes)
            numpy.testing.assert_allclose(axes.bars, bars)
        text = type(self.results)(rows)._repr_html_()
        self.assertIn("<td>3.2</td><td>5</td>", text)
        self.assertNotIn("252", text)

    def test_a_name_says_what_differs_and_no_more(self):
        axes = Axes()
        rows = {**self.ROWS, "window1": [512, 512, 512, 512], "pass": ["forward", "backward", "forward", "forward"], "kernel": ["$a_1$"] * 4}
        type(self.results)(rows).plot(ax=axes)
        self.assertEqual(set(axes.lines), {"\\$a_1\\$, forward", "\\$a_1\\$, backward"})

    def test_attention_over_all_keys_has_no_window(self):
        rows = {**self.ROWS, "form": ["trilinear", "trilinear", "dot_product", "dot_product"], "window1": [512, 512, 1024, 2048],
                "status": ["ok"] * 4, "median_ms": [4.0, 2.0, 8.0, 9.0], "tflops": [10.0, 20.0, 5.0, 6.0],
                "ci_low_ms": [3.2, 1.6, 7.2, 6.0], "ci_high_ms": [5.0, 2.5, 9.6, 9.0]}
        axes = Axes()
        type(self.results)(rows).plot(ax=axes)
        self.assertEqual(axes.lines["b"], [(1024, 5.0), (2048, 6.0)])  # its form is that of no other kernel: not said
        self.assertEqual(axes.said["set_xticks"], ([1024, 2048], ["1k", "2k"]))
        axes = Axes()
        type(self.results)(rows).plot(x="window1", ax=axes)
        self.assertEqual(set(axes.lines), {"a, seq_len 1024", "a, seq_len 2048"})
        self.assertEqual(axes.said["axhline"][:1], (6.0,))
        self.assertEqual(axes.said["axhspan"][:2], (10 * 0.6, 10 * 0.9))
        self.assertEqual(axes.said["set_xticks"], ([512], ["512"]))

    def test_many_lines_differ_in_colour_or_marker_and_a_long_name_costs_none(self):
        looks, count = set(), 24
        rows = dict(kernel=["x" * 80] * count, status=["ok"] * count, seq_len=[1024] * count, batch=list(range(count)), window1=[512] * count,
                    median_ms=[1.0] * count, ci_low_ms=[0.9] * count, ci_high_ms=[1.1] * count, tflops=[1.0] * count)
        axes = Axes()
        axes.plot = lambda x, y, label, marker, **_: looks.add((len(looks) % 10, marker)) or axes.lines.update({label + str(len(looks)): 1}) or [axes]
        type(self.results)(rows).plot(ax=axes)
        self.assertEqual(len(looks), count)

    def test_the_recorded_database(self):
        axes = Axes()
        self.recorded.plot(x="window1", ax=axes)
        points = sum(map(len, axes.lines.values()))
        rows = zip(self.recorded["status"], self.recorded["form"])
        self.assertEqual(points, sum(status == "ok" and form != "dot_product" for status, form in rows))
        self.assertGreater(len(axes.bars), points // 2)

    def test_refusals(self):
        for words, said in ((dict(x="tokens"), "x is 'tokens', but the columns are"), (dict(y="watts"), "y is 'watts'"),
                            (dict(y="seq_len"), "must be median_ms or tflops"),
                            (dict(x="kernel"), "^x is 'kernel', whose values are no numbers, such as 'a'; take seq_len or window1$")):
            with self.assertRaisesRegex(ValueError, said):
                self.results.plot(**words, ax=Axes())
        with triscope.open(RECORDED) as database, self.assertRaisesRegex(ValueError, "x is 'seq_len', but the columns are"):
            database.samples(1).plot()


class ReadingEnds(unittest.TestCase):
    def test_an_older_database_may_bring_any_view_and_is_refused(self):
        with tempfile.TemporaryDirectory() as name:
            path = copy_of_recorded(name, f"DROP VIEW result; CREATE VIEW result AS {ENDLESS}; PRAGMA user_version = 4")
            with self.assertRaisesRegex(ValueError, "has schema 4 of an older Triscope.*triscope import"):
                triscope.open(path)

    def test_a_view_without_end_is_given_up(self):
        with tempfile.TemporaryDirectory() as name:
            path = copy_of_recorded(name, f"DROP VIEW result; CREATE VIEW result AS {ENDLESS}; PRAGMA journal_mode = DELETE")
            with self.assertRaisesRegex(ValueError, "result"):
                triscope.open(path)
            with unittest.mock.patch("triscope._programs.program", return_value=None), self.assertWarns(UserWarning):
                with triscope.open(path) as database, self.assertRaisesRegex(ValueError, "cannot be read .interrupted"):
                    database.results()


def contents(folder):
    return {path.name: path.read_bytes() for path in pathlib.Path(folder).iterdir()}


class WhatLiesBeside(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name) / "there"
        self.folder.mkdir()

    def cut_off(self):
        """A database whose newest transaction lies in a log that nobody has merged."""
        with tempfile.TemporaryDirectory() as elsewhere:
            path = copy_of_recorded(elsewhere)
            connection = sqlite3.connect(path)
            connection.execute("UPDATE kernel SET name = 'from the log'")
            connection.commit()
            for end in ("", "-wal"):
                (self.folder / f"copy.db{end}").write_bytes(pathlib.Path(f"{path}{end}").read_bytes())
            connection.close()
        return self.folder / "copy.db"

    def test_a_persons_own_file_stays(self):
        path = copy_of_recorded(self.folder)
        for end in ("-journal", "-wal", "-shm"):
            notes = self.folder / f"copy.db{end}"
            notes.write_text("my own notes")
            before = contents(self.folder)
            with self.assertRaisesRegex(ValueError, f"copy.db{end} beside it is not .*; move copy.db{end} away"):
                triscope.open(path)
            self.assertEqual(contents(self.folder), before)
            notes.unlink()

    def test_what_was_cut_off_is_read_from_a_copy(self):
        path, before = self.cut_off(), contents(self.folder)
        with triscope.open(path) as database:
            self.assertEqual(set(database.results()["kernel"]), {"from the log"})
        self.assertEqual(contents(self.folder), before)

    def test_a_file_is_refused_also_where_exit_codes_are_lost(self):
        path = copy_of_recorded(self.folder, "CREATE TRIGGER evil AFTER INSERT ON sweep BEGIN DELETE FROM note; END")
        self.addCleanup(signal.signal, signal.SIGCHLD, signal.signal(signal.SIGCHLD, signal.SIG_IGN))
        with self.assertRaisesRegex(ValueError, "a trigger that is not Triscope's"):
            triscope.open(path)
        with triscope.open(RECORDED) as database:
            self.assertGreater(len(database.results()["kernel"]), 10)

    def test_nothing_is_left_beside_it(self):
        path = copy_of_recorded(self.folder)
        with triscope.open(path) as database:
            self.assertGreater(len(database.results()["kernel"]), 10)
        self.assertEqual(list(contents(self.folder)), ["copy.db"])

    @unittest.skipIf(os.geteuid() == 0, "root may write everywhere")
    def test_a_folder_that_may_not_be_written_is_read(self):
        path = copy_of_recorded(self.folder)
        self.folder.chmod(0o555)
        self.addCleanup(self.folder.chmod, 0o755)
        with triscope.open(path) as database:
            self.assertGreater(len(database.results()["kernel"]), 10)

    def test_a_writer_is_followed(self):
        path = copy_of_recorded(self.folder)
        writer = sqlite3.connect(path, isolation_level=None)
        writer.execute("UPDATE kernel SET name = 'first'")
        with triscope.open(path) as database:
            self.assertEqual(set(database.results()["kernel"]), {"first"})
            writer.execute("UPDATE kernel SET name = 'second'")
            self.assertEqual(set(database.results()["kernel"]), {"second"})
        writer.close()

    def test_without_the_checker_this_is_said_and_nothing_is_touched(self):
        path, before = self.cut_off(), contents(self.folder)
        with unittest.mock.patch("triscope._programs.program", return_value=None):
            with self.assertRaisesRegex(ValueError, "copy.db-wal lies beside it, and without triscope-check-file"):
                triscope.open(path)
            self.assertEqual(contents(self.folder), before)
            (self.folder / "copy.db-wal").unlink()
            with self.assertWarnsRegex(UserWarning, "was not looked through before it was opened"):
                with triscope.open(path) as database:
                    self.assertGreater(len(database.results()["kernel"]), 10)
            self.assertEqual(list(contents(self.folder)), ["copy.db"])
            (self.folder / "text.db").write_text("these are not the samples that you are looking for" * 40)
            with self.assertWarns(UserWarning), self.assertRaisesRegex(ValueError, "text.db cannot be read as a database"):
                triscope.open(self.folder / "text.db")
