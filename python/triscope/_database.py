"""A database of Triscope, read only."""

import os

from . import _options
from ._columns import Columns
from ._file_check import open_checked

_APPLICATION = 0x54524953  # "TRIS", of assets/schema.sql
_SCHEMA = 5                # the one that this package knows, of assets/schema.sql
_STEPS_BETWEEN_LOOKS = 10_000


def open(path):
    """Opens a database for reading; ValueError when the file is none, FileNotFoundError when there is no file.

    The program triscope-check-file looks through it first. Where that is missing, a warning says so, what another process
    writes meanwhile may be read by half, and a file whose last transaction was cut off is refused.
    """
    return Database(path)


class Database:
    """The results and samples of a database. Nothing is ever written to it. Columns: docs/schema.md."""

    def __init__(self, path):
        import sqlite3  # not needed for attention

        self.path = os.fsdecode(path)
        if not self.path:
            raise ValueError("the name of the database is empty")
        if not os.path.exists(self.path):
            raise FileNotFoundError(f"there is no file {self.path}")
        if not os.path.isfile(self.path):
            raise ValueError(f"{self.path} is " + ("a folder, not a database" if os.path.isdir(self.path) else "no regular file"))
        self._errors = sqlite3.Error
        self._connection = open_checked(self.path, lambda uri: sqlite3.connect(uri, uri=True))
        self._connection.text_factory = lambda text: text.decode(errors="replace")  # one bad text costs no other row
        self._steps_left = 0
        self._connection.set_progress_handler(self._should_end, _STEPS_BETWEEN_LOOKS)
        self._begin_read()
        try:
            self._connection.execute("PRAGMA trusted_schema = OFF")  # a file from elsewhere is data
            self._connection.execute("PRAGMA query_only = ON")
            application, = self._connection.execute("PRAGMA application_id").fetchone()
            schema, = self._connection.execute("PRAGMA user_version").fetchone()
        except sqlite3.Error as error:
            self.close()
            raise ValueError(f"{self.path} cannot be read as a database ({error})") from error
        fault = None
        if application != _APPLICATION:
            fault = "is not a database of Triscope"
        elif schema > _SCHEMA:
            fault = f"has schema {schema}, but this package knows no later one than {_SCHEMA}: install a later triscope"
        elif schema < _SCHEMA:  # what its view `result` says is the file's own, and nobody has compared it
            fault = (f"has schema {schema} of an older Triscope, and this package reads {_SCHEMA} only: take it over into a new "
                     "database with `triscope import FILE --db NEW.db`")
        if fault:
            self.close()
            raise ValueError(f"{self.path} {fault}")

    def results(self, sweep=None):
        """One row for each measurement, of the sweep with that number or of all, as Columns; the view `result`.

        ValueError when there is no such sweep.
        """
        if sweep is None:
            return self._columns("SELECT * FROM result ORDER BY measurement")
        return self._columns("SELECT * FROM result WHERE sweep = ? ORDER BY measurement", self._known("sweep", sweep))

    def samples(self, measurement):
        """Every sample of one measurement in order, as Columns; the table `sample`. ValueError when there is no such one."""
        return self._columns("SELECT sample.*, text.value AS flag_text FROM sample LEFT JOIN text ON text.id = sample.flag "
                             "WHERE measurement = ? ORDER BY ordinal", self._known("measurement", measurement))

    def to_pandas(self, sweep=None):
        """results() as a pandas.DataFrame; ImportError when pandas is not installed."""
        return self.results(sweep).to_pandas()

    def to_polars(self, sweep=None):
        """results() as a polars.DataFrame; ImportError when polars is not installed."""
        return self.results(sweep).to_polars()

    def close(self):
        self._connection.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __repr__(self):
        return f"triscope.open({self.path!r})"

    def _repr_html_(self):
        """For notebooks: every result."""
        return self.results()._repr_html_()

    def _begin_read(self):
        """What the contents of a file can need of SQLite's steps, and no more: as allowed_steps() of profiler/store does."""
        files = (self.path, self.path + "-wal")
        self._steps_left = 20_000_000 + 5 * sum(os.path.getsize(file) for file in files if os.path.exists(file))

    def _should_end(self):
        self._steps_left -= _STEPS_BETWEEN_LOOKS
        return self._steps_left <= 0

    def _known(self, table, number):
        """`number`, which the table holds."""
        number = _options.whole(table, number)
        if not self._columns(f"SELECT id FROM {table} WHERE id = ?", number)["id"]:
            raise ValueError(f"{self.path} has no {table} {number}")
        return number

    def _columns(self, query, *values):
        self._begin_read()
        try:
            cursor = self._connection.execute(query, values)
            rows = cursor.fetchall()
        except self._errors as error:
            raise ValueError(f"{self.path} cannot be read ({error})") from error
        return Columns((column[0], [row[index] for row in rows]) for index, column in enumerate(cursor.description))
