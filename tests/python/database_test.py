"""triscope.open on the recorded database, and on files that are none."""
import importlib.util
import os
import pathlib
import sqlite3
import tempfile
import unittest

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
                self.assertEqual(database.samples(1)["duration_ns"], [])

    @unittest.skipUnless(importlib.util.find_spec("pandas"), "pandas is not installed")
    def test_pandas(self):
        with triscope.open(pathlib.Path(RECORDED)) as database:
            self.assertEqual(list(database.to_pandas(1)["kernel"]), database.results(1)["kernel"])

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
            with self.assertRaisesRegex(ValueError, "text.db cannot be read as a database"):
                triscope.open(folder / "text.db")
            for file, application, schema, said in (("other.db", 1, 4, "is not a database of Triscope"),
                                                    ("later.db", 0x54524953, 1000, "has schema 1000")):
                connection = sqlite3.connect(folder / file)
                connection.execute(f"PRAGMA application_id = {application}")
                connection.execute(f"PRAGMA user_version = {schema}")
                connection.close()
                with self.assertRaisesRegex(ValueError, f"{file} {said}"):
                    triscope.open(folder / file)
            connection = sqlite3.connect(folder / "empty.db")
            connection.execute("PRAGMA application_id = 0x54524953")
            connection.close()
            with triscope.open(folder / "empty.db") as database:
                with self.assertRaisesRegex(ValueError, "empty.db cannot be read .*result"):
                    database.results()
