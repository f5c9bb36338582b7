// The readers of databases, and SQLite behind them, on mutated files: rows that make sense, or an `Error`. Where
// triscope-check-file lies beside this program (a whole build), it looks first; the preset `fuzz` builds without it, so
// that the reading itself gets every input.
#include <gtest/gtest.h>

#include <array>
#include <fstream>

#include "kernels/base/error.hpp"
#include "profiler/plan/request.hpp"
#include "profiler/store/store.hpp"
#include "tests/fuzz/corpus.hpp"
#include "tests/temporary_folder.hpp"

namespace triscope {
namespace {

constexpr std::array<std::string_view, 16> kTokens{"CREATE TABLE ",
                                                   "CREATE VIEW result AS ",
                                                   "CREATE TRIGGER t AFTER INSERT ON sweep BEGIN SELECT 1; END",
                                                   "WITH RECURSIVE",
                                                   "CHECK (",
                                                   "PRIMARY KEY",
                                                   "STRICT",
                                                   "WITHOUT ROWID",
                                                   "measurement",
                                                   "\x05",
                                                   "\x0d",
                                                   "\x0a",
                                                   std::string_view("\x00\x00\x00\x02", 4),
                                                   "\x81\x80\x80",
                                                   "\xff\xff",
                                                   "sqlite_"};

void read_everything(const std::filesystem::path& file) {
  const Snapshot snapshot(file);
  for (const SweepInfo& sweep : snapshot.sweeps()) {
    for (const ResultRow& row : snapshot.results(sweep.id)) {
      ASSERT_GE(row.problem.seq_len, 1);
      ASSERT_GE(row.median_ms.value_or(0), 0);
    }
    (void)snapshot.series_of_sweep(sweep.id);
    (void)snapshot.environments(sweep.id);
    (void)snapshot.finished_keys(sweep.id);
    (void)snapshot.without_counters(sweep.id);
  }
  for (const ResultRow& row : snapshot.results()) (void)snapshot.measurement(row.measurement);
  (void)snapshot.damage();
}

template <typename Action>
void read_or_refuse(Action action) {
  try {
    action();
  } catch (const Error&) {
    // refused, in words
  }
}

TEST(DatabaseFuzz, files_are_read_or_refused_and_what_is_imported_is_sound) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "mutated.db", target = folder / "target.db";
  std::int64_t number = 0;
  fuzz_corpus(
      "database", kTokens,
      [&](const std::string& bytes) {
        for (const char* end : {"-wal", "-shm", "-journal"}) std::filesystem::remove(file.string() + end);
        std::ofstream(file, std::ios::binary) << bytes;
        read_or_refuse([&] { read_everything(file); });
        if (number++ % 8 != 0) return;
        for (const char* end : {"", "-wal", "-shm"}) std::filesystem::remove(target.string() + end);
        read_or_refuse([&] { Store(target).import(file, {request_fault, [](const std::string&) {}, {}}); });
        // A database that was made for an import that is refused goes again.
        if (std::filesystem::exists(target)) {
          ASSERT_TRUE(Snapshot(target).damage().empty());
        }
      },
      500);
}

}  // namespace
}  // namespace triscope
