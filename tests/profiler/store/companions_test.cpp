// What lies beside a database: a person's own files of such names, and transactions that somebody left behind.
#include "profiler/store/open/companions.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <map>

#include "kernels/base/error.hpp"
#include "profiler/store/open/sweep_lock.hpp"
#include "profiler/store/store.hpp"
#include "tests/profiler/store/store_fixture.hpp"
#include "tests/profiler/supervise/child_process.hpp"

namespace triscope {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr const char* kEnds[] = {"-journal", "-wal", "-shm"};
constexpr const char* kNote = "a note of the cut-off transaction";
constexpr std::int64_t kRows = 40;

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

/// Name and bytes of all that a folder holds.
std::map<std::string, std::string> contents(const fs::path& folder) {
  std::map<std::string, std::string> found;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const bool regular = entry.symlink_status().type() == fs::file_type::regular;
    found[entry.path().filename()] = regular ? read_bytes(entry.path()) : "no regular file";
  }
  return found;
}

void copy_files(const fs::path& from, const fs::path& to, std::initializer_list<const char*> ends) {
  for (const char* end : ends) fs::copy_file(from.string() + end, to.string() + end);
}

class Companions : public testing::Test {
 public:
  ~Companions() override {
    ::unsetenv("TMPDIR");
    ::unsetenv("XDG_DATA_HOME");
  }

 protected:
  Companions() {
    fs::create_directory(copies_);
    ::setenv("TMPDIR", copies_.c_str(), 1);
    write_synthetic_database(source_, kRows, 20);
  }

  /// A closed database in a folder of its own.
  fs::path database(const std::string& name, const std::string& mode = "WAL") {
    fs::create_directory(folder_ / name);
    const fs::path file = folder_ / name / "x.db";
    fs::copy_file(source_, file);
    SQLite::Database(file.string(), SQLite::OPEN_READWRITE).exec("PRAGMA journal_mode = " + mode);
    return file;
  }
  /// With a journal of a transaction that was cut off when the note was written and all samples were half changed.
  fs::path cut_off(const std::string& name, const std::string& before = "") {
    const fs::path whole = database(name + ".whole", "DELETE"), file = folder_ / name / "x.db";
    fs::create_directory(file.parent_path());
    SQLite::Database writer(whole.string(), SQLite::OPEN_READWRITE);
    if (!before.empty()) writer.exec(before);
    writer.exec("PRAGMA cache_size = 1; BEGIN; " + write_note() + "; UPDATE sample SET duration_ns = duration_ns + 1");
    copy_files(whole, file, {"", "-journal"});
    writer.exec("ROLLBACK");
    return file;
  }
  /// With a log that was not merged, whose index is missing, as in a copy of the two files.
  fs::path with_log(const std::string& name, const std::string& changes) {
    const fs::path whole = database(name + ".whole"), file = folder_ / name / "x.db";
    fs::create_directory(file.parent_path());
    SQLite::Database writer(whole.string(), SQLite::OPEN_READWRITE);
    writer.exec(changes);
    copy_files(whole, file, {"", "-wal"});
    return file;
  }
  static std::string write_note() { return std::string("UPDATE note SET body = '") + kNote + "' WHERE sweep = 1"; }

  /// Every way of opening `file`, by name.
  std::map<std::string, std::function<void()>> openings(const fs::path& file) {
    return {{"read", [file] { Snapshot(file).results(); }},
            {"write", [file] { Store{file}; }},
            {"import", [this, file] { Store(folder_ / "target.db").import(file); }},
            {"view", [file] { rebuild_view(file); }},
            {"lock", [file] { require_unlocked(file); }}};
  }
  /// Each way of opening `file` is refused in words that hold `why`, and its folder stays as it is.
  void expect_refused(const fs::path& file, const std::string& why) {
    const auto before = contents(file.parent_path());
    for (const auto& [name, open] : openings(file)) {
      EXPECT_THAT(error_of(open), HasSubstr(why)) << name;
      EXPECT_EQ(contents(file.parent_path()), before) << name;
    }
    EXPECT_THAT(contents(copies_), IsEmpty()) << "copies are left behind";
  }

  TemporaryFolder folder_;
  fs::path source_ = folder_ / "source.db", copies_ = folder_ / "copies";
};

TEST_F(Companions, a_file_of_the_persons_own_is_refused_and_stays) {
  const std::string texts[] = {"7", "ok\n", "my own notes\n", std::string(32768, 'n'), std::string("\0\0\0\0note", 8)};
  for (const char* mode : {"WAL", "DELETE"}) {
    for (const char* end : kEnds) {
      for (const std::string& text : texts) {
        // A journal and a log that begin with zeros are emptied ones; an index is one by its size for those without the
        // check, which may not look into it.
        if (text[0] == '\0' && std::string_view(end) != "-shm") continue;
        SCOPED_TRACE(mode + std::string(end) + text.substr(0, 10));
        const fs::path file = database(std::string(mode) + end + std::to_string(text.size()), mode);
        std::ofstream(file.string() + end) << text;
        const std::string why = std::string("x.db") + end + " beside it is not a";
        if (std::string_view(end) != "-shm") {
          expect_refused(file, why);
        } else {
          expect_refused(file, "x.db-shm beside it is not an index of SQLite's, and opening would overwrite it");
        }
      }
    }
  }
}

TEST_F(Companions, sqlite_by_itself_deletes_them) {  // otherwise the test above proves nothing
  for (const char* end : kEnds) {
    const fs::path file = database(end);
    std::ofstream(file.string() + end) << "my own notes\n";
    try {
      SQLite::Database(file.string(), SQLite::OPEN_READWRITE).execAndGet("SELECT count(*) FROM sweep");
    } catch (const SQLite::Exception&) {
    }
    EXPECT_FALSE(fs::exists(file.string() + end)) << end;
  }
}

TEST_F(Companions, ones_own_database_is_no_exception) {
  ::setenv("XDG_DATA_HOME", folder_.path().c_str(), 1);
  const fs::path own = default_database();
  for (const char* end : kEnds) {
    fs::remove_all(own.parent_path());
    { Store{own}; }
    std::ofstream(own.string() + end) << "my own notes\n";
    const auto before = contents(own.parent_path());
    EXPECT_THAT(error_of([&] { Snapshot{own}; }), HasSubstr(std::string("move results.db") + end + " away"));
    EXPECT_THAT(error_of([&] { Store{own}; }), HasSubstr(std::string("move results.db") + end + " away"));
    EXPECT_EQ(contents(own.parent_path()), before);
  }
}

TEST_F(Companions, no_database_is_made_where_it_would_delete_something) {
  const fs::path notes = folder_ / "new.db", log = folder_ / "moved.db", journal = folder_ / "lost.db";
  for (const char* end : kEnds) {
    std::ofstream(notes.string() + end) << "my own notes\n";
    EXPECT_THAT(error_of([&] { Store{notes}; }), HasSubstr(std::string("move new.db") + end + " away"));
    EXPECT_EQ(read_bytes(notes.string() + end), "my own notes\n");
    fs::remove(notes.string() + end);
  }
  fs::copy_file(with_log("log", write_note()).string() + "-wal", log.string() + "-wal");
  EXPECT_THAT(error_of([&] { Store{log}; }), HasSubstr("moved.db-wal belongs to a database that is no longer there"));
  fs::copy_file(cut_off("cut").string() + "-journal", journal.string() + "-journal");
  EXPECT_THAT(error_of([&] { Store{journal}; }), HasSubstr("lost.db-journal belongs to a database that is no longer"));
  for (const fs::path& file : {notes, log, journal}) EXPECT_FALSE(fs::exists(file)) << file;
}

TEST_F(Companions, what_sqlite_leaves_empty_is_no_obstacle) {
  const fs::path file = database("emptied");
  std::ofstream(file.string() + "-journal") << std::string(28, '\0') << "an old page";  // PRAGMA journal_mode = PERSIST
  std::ofstream(file.string() + "-wal") << "";
  std::ofstream(file.string() + "-shm") << std::string(32768, '\0');
  EXPECT_THAT(Snapshot(file).results(), SizeIs(kRows));
  EXPECT_EQ(error_of([&] { Store{file}; }), "no error");
}

TEST_F(Companions, links_folders_and_pipes_are_refused) {
  const fs::path victim = folder_.write("precious.txt", "precious");
  for (const char* end : kEnds) {
    const std::string why = std::string("x.db") + end + " beside it is no regular file";
    const fs::path linked = database(std::string("link") + end), held = database(std::string("folder") + end),
                   piped = database(std::string("pipe") + end);
    fs::create_symlink(victim, linked.string() + end);
    fs::create_directory(held.string() + end);
    ASSERT_EQ(::mkfifo((piped.string() + end).c_str(), 0600), 0);
    for (const fs::path& file : {linked, held, piped}) expect_refused(file, why);
  }
  EXPECT_EQ(read_bytes(victim), "precious");
}

TEST_F(Companions, one_that_cannot_be_read_is_named) {
  const fs::path file = with_log("log", write_note());
  fs::permissions(folder_.path(), fs::perms(0755));
  fs::permissions(copies_, fs::perms(0777));
  fs::permissions(file.parent_path(), fs::perms(0777));
  fs::permissions(file, fs::perms(0666));
  fs::permissions(file.string() + "-wal", fs::perms(0));
  const auto before = contents(file.parent_path());
  const std::string answer = in_child([&] {
    if (!become_nobody()) return std::string("skip: cannot give up root");
    return error_of([&] { Snapshot{file}; }) + error_of([&] { Store{file}; });
  });
  if (answer.starts_with("skip")) GTEST_SKIP() << answer;
  EXPECT_THAT(answer, HasSubstr("x.db-wal beside it cannot be read (Permission denied)"));
  EXPECT_EQ(contents(file.parent_path()), before);
}

TEST_F(Companions, reading_takes_a_cut_off_transaction_back_in_a_copy) {
  const fs::path file = cut_off("cut");
  ASSERT_NE(read_bytes(file), read_bytes(folder_ / "cut.whole" / "x.db")) << "the transaction left no trace";
  const auto before = contents(file.parent_path());
  EXPECT_NE(Snapshot(file).sweep(1)->note, kNote);
  EXPECT_EQ(Snapshot(file).samples(1).size(), 20U);
  EXPECT_THAT(Snapshot(file).damage(), IsEmpty());
  EXPECT_EQ(Store(folder_ / "target.db").import(file), kRows);
  EXPECT_EQ(error_of([&] { require_unlocked(file); }), "no error");
  EXPECT_EQ(contents(file.parent_path()), before);
  EXPECT_THAT(contents(copies_), IsEmpty());
  { Store{file}; }
  EXPECT_FALSE(fs::exists(file.string() + "-journal")) << "who writes takes it back in the file itself";
  EXPECT_NE(Snapshot(file).sweep(1)->note, kNote);
  EXPECT_THAT(Snapshot(file).damage(), IsEmpty());
}

TEST_F(Companions, a_journal_of_an_empty_database_empties_only_the_copy) {
  const fs::path file = database("emptied", "DELETE");
  std::string journal("\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", 8);
  journal +=
      std::string(12, '\0') + std::string("\0\0\x02\0\0\0\x10\0", 8);  // no pages; sectors, pages of so many bytes
  std::ofstream(file.string() + "-journal") << journal << std::string(512 - journal.size(), '\0');
  const auto before = contents(file.parent_path());
  EXPECT_THAT(error_of([&] { Snapshot{file}; }), HasSubstr("it is empty"));
  EXPECT_EQ(contents(file.parent_path()), before);
}

TEST_F(Companions, reading_merges_a_log_in_a_copy) {
  const fs::path file = with_log("log", write_note());
  const auto before = contents(file.parent_path());
  const Snapshot snapshot(file);
  EXPECT_EQ(snapshot.sweep(1)->note, kNote);
  EXPECT_EQ(Store(folder_ / "target.db").import(file), kRows);
  EXPECT_EQ(Snapshot(folder_ / "target.db").sweep(1)->note, kNote);
  EXPECT_EQ(contents(file.parent_path()), before);
  EXPECT_THAT(contents(copies_), IsEmpty());
  const std::int64_t version = snapshot.data_version();
  EXPECT_EQ(snapshot.data_version(), version);
  { Store(file).set_note(1, "written since"); }
  EXPECT_NE(snapshot.data_version(), version);
  EXPECT_EQ(snapshot.sweep(1)->note, "written since");
  EXPECT_FALSE(has_bytes(file.string() + "-wal")) << "who writes merges it into the file itself";
}

TEST_F(Companions, what_a_log_or_a_journal_brings_is_looked_through) {
  const std::string evil = "CREATE TRIGGER evil AFTER INSERT ON sweep BEGIN DELETE FROM note; END";
  expect_refused(with_log("log", evil), "a trigger that is not Triscope's");
  // The transaction drops the trigger; when it is taken back, the trigger is there again.
  const fs::path whole = database("journal.whole", "DELETE"), file = folder_ / "journal" / "x.db";
  fs::create_directory(file.parent_path());
  SQLite::Database writer(whole.string(), SQLite::OPEN_READWRITE);
  writer.exec(evil + "; PRAGMA cache_size = 1; BEGIN; DROP TRIGGER evil; UPDATE sample SET duration_ns = 1");
  copy_files(whole, file, {"", "-journal"});
  expect_refused(file, "a trigger that is not Triscope's");
}

TEST_F(Companions, a_view_is_made_anew_in_a_file_that_was_looked_through) {
  const std::string evil = "CREATE TRIGGER evil AFTER INSERT ON sweep BEGIN DELETE FROM note; END";
  const std::string view = "DROP VIEW result; CREATE VIEW result AS SELECT 1 AS measurement";
  const fs::path bad = database("bad"), good = with_log("good", view);
  SQLite::Database(bad.string(), SQLite::OPEN_READWRITE).exec(view + "; " + evil);
  const std::string before = read_bytes(bad);
  EXPECT_THAT(error_of([&] { rebuild_view(bad); }), HasSubstr("a trigger that is not Triscope's"));
  EXPECT_EQ(read_bytes(bad), before);
  EXPECT_THAT(error_of([&] { Snapshot{good}; }), HasSubstr("its view result"));
  rebuild_view(good);
  EXPECT_THAT(Snapshot(good).results(), SizeIs(kRows));
}

TEST_F(Companions, a_database_that_another_process_writes_to_is_followed) {
  const fs::path file = database("live");
  int to_child[2];
  ASSERT_EQ(::pipe(to_child), 0);
  ChildProcess writer([&](int write_end) {
    Store store(file);
    char go = 'w';
    for (const char* note : {"first", "second"}) {
      store.set_note(1, note);
      if (::write(write_end, &go, 1) != 1 || ::read(to_child[0], &go, 1) != 1) ::_exit(1);
    }
  });
  ASSERT_EQ(writer.wait_for(1), 1U);
  const Snapshot snapshot(file);
  EXPECT_EQ(snapshot.sweep(1)->note, "first");
  ASSERT_EQ(::write(to_child[1], "g", 1), 1);
  ASSERT_EQ(writer.wait_for(1), 1U);
  EXPECT_EQ(snapshot.sweep(1)->note, "second") << "a copy would still say the first";
  writer.kill();
  // Who reads last merges the log, which was in use when it was opened.
  EXPECT_EQ(Snapshot(file).sweep(1)->note, "second");
}

TEST_F(Companions, what_a_killed_writer_left_is_complete_in_ones_own_database) {
  ::setenv("XDG_DATA_HOME", folder_.path().c_str(), 1);
  const fs::path own = default_database();
  ChildProcess writer([&](int write_end) {
    Store store(own);
    store.set_note(store.begin_sweep("triscope sweep", "{}", synthetic_environment(), 1), kNote);
    if (::write(write_end, "x", 1) != 1) ::_exit(1);
    ::pause();
  });
  ASSERT_EQ(writer.wait_for(1), 1U);
  writer.kill();
  ASSERT_TRUE(has_open_transaction(own));
  EXPECT_EQ(Snapshot(own).sweep(1)->note, kNote);
  EXPECT_FALSE(fs::exists(own.string() + "-wal")) << "it is merged as ever";
}

TEST_F(Companions, a_copy_that_cannot_be_made_is_said) {
  const fs::path file = with_log("log", write_note());
  ::setenv("TMPDIR", (folder_ / "nowhere").c_str(), 1);
  const auto before = contents(file.parent_path());
  EXPECT_THAT(error_of([&] { Snapshot{file}; }), AllOf(HasSubstr("no copy can be made"), HasSubstr("TMPDIR")));
  EXPECT_EQ(contents(file.parent_path()), before);
}

TEST_F(Companions, saving_a_copy_deletes_nothing) {
  const fs::path copy = folder_ / "copy.db";
  folder_.write("copy.db.unfinished", "my own notes");
  folder_.write("copy.db-journal", "my own notes");
  EXPECT_THAT(error_of([&] { Snapshot(source_).save_copy(copy); }), HasSubstr("copy.db-journal exists"));
  fs::remove(folder_ / "copy.db-journal");
  Snapshot(source_).save_copy(copy);
  EXPECT_THAT(Snapshot(copy).results(), SizeIs(kRows));
  EXPECT_EQ(read_bytes(folder_ / "copy.db.unfinished"), "my own notes");
}

TEST_F(Companions, a_file_named_like_a_sweeps_lock_stays) {
  folder_.write("source.db.sweep1.lock", "my own notes");
  EXPECT_THAT(error_of([&] { SweepLock(source_, 1); }), HasSubstr("is not a lock of Triscope's"));
  EXPECT_EQ(read_bytes(folder_ / "source.db.sweep1.lock"), "my own notes");
}

}  // namespace
}  // namespace triscope
