// Kernels of other people's libraries through the real programs: a good one, bad ones, and what is never loaded.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <string_view>

#include "profiler/store/store.hpp"
#include "tests/app/cli/program.hpp"
#include "tests/paths.hpp"
#include "tests/temporary_folder.hpp"

namespace triscope {
namespace {

using testing::HasSubstr;

std::string plugin(const std::string& name) { return build_file("tests/plugins/" + name + ".so"); }

/// Beside cpu.fast unless `kernels` says otherwise, on a problem of a tenth of a second.
ProgramResult sweep(const std::filesystem::path& database, const std::string& kernels,
                    std::vector<std::string> more = {}) {
  std::vector<std::string> words{"sweep",
                                 "--db",
                                 database.string(),
                                 "--kernel",
                                 kernels,
                                 "--windows",
                                 "8x4",
                                 "--seq",
                                 "32",
                                 "--q-heads",
                                 "2",
                                 "--head-dim",
                                 "16",
                                 "--pass",
                                 "forward",
                                 "--device",
                                 "cpu",
                                 "--budget",
                                 "200ms",
                                 "--precision",
                                 "50%",
                                 "--restarts",
                                 "1"};
  words.insert(words.end(), more.begin(), more.end());
  return run_triscope(words);
}

ResultRow row_of(const std::filesystem::path& database, const std::string& kernel) {
  for (const ResultRow& row : Snapshot(database).results()) {
    if (row.kernel == kernel) return row;
  }
  ADD_FAILURE() << "no row of " << kernel;
  return {};
}

/// Of cpu.fast, when it is measured beside a plug-in.
double error_beside(const std::string& name) {
  const TemporaryFolder folder;
  const auto database = folder.path() / "r.db";
  EXPECT_EQ(sweep(database, plugin(name) + ",cpu.fast").exit_code, 0);
  return row_of(database, "cpu.fast").error.value_or(-1);
}

void expect_one_sentence(const std::string& text) {
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << text;
  EXPECT_THAT(text, HasSubstr("cannot be used: "));
}

TEST(Plugin, is_measured_beside_other_kernels_under_its_own_name) {
  const TemporaryFolder folder;
  const auto database = folder.path() / "r.db";
  const ProgramResult result = sweep(database, plugin("good") + ",cpu.fast");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  const ResultRow mine = row_of(database, "mine");
  EXPECT_EQ(mine.status, Status::ok) << mine.reason;
  EXPECT_EQ(mine.instance, "0.1");
  EXPECT_EQ(mine.source_hash.size(), 12u);
  EXPECT_LT(mine.error, 1e-5);
  EXPECT_EQ(row_of(database, "cpu.fast").status, Status::ok);
}

TEST(Plugin, costs_its_row_when_it_is_bad) {
  const std::pair<const char*, const char*> bad[] = {
      {"crashes", "SIGSEGV"},
      {"hangs", "ran longer than the limit of 10 s"},
      {"writes_too_far", "it wrote behind the end of o"},
      {"writes_behind_the_state", "it wrote behind the end of lse_state"},
      {"writes_before", "it wrote before the beginning of lse"},
      {"changes_inputs", "wrong result: it changed its input q"},
      {"changes_an_input_later", "wrong result: its input v2 was changed while it was timed"},
      {"leaves_memory", "it leaves memory behind: 1"},
      {"computes_once", "wrong result after it was timed: o was not written at [0, 0, 0, 0]"},
      {"wrong_result", "wrong result: o"}};
  const double undisturbed = error_beside("good");
  for (const auto& [name, said] : bad) {
    SCOPED_TRACE(name);
    const TemporaryFolder folder;
    const auto database = folder.path() / "r.db";
    // Only what hangs is to meet the limit; cpu.fast beside it has the time on a busy machine, too.
    const bool hangs = std::string_view(name) == "hangs";
    const ProgramResult result = sweep(database, plugin(name) + ",cpu.fast", {"--time-limit", hangs ? "10s" : "120s"});
    EXPECT_EQ(result.exit_code, 1) << result.errors;
    const ResultRow mine = row_of(database, "mine");
    EXPECT_EQ(mine.status, Status::failed);
    EXPECT_THAT(mine.reason, HasSubstr(said));
    EXPECT_EQ(mine.reason.find('\n'), std::string::npos);
    const ResultRow other = row_of(database, "cpu.fast");
    EXPECT_EQ(other.status, Status::ok) << other.reason;
    EXPECT_EQ(other.error, undisturbed) << "it read other inputs";
  }
}

// Its rows are skipped, and those of others measured.
TEST(Plugin, that_cannot_be_asked_costs_its_own_rows) {
  const std::pair<const char*, const char*> bad[] = {
      {"crashes_when_asked",
       "crashes_when_asked.so ended the worker when it was asked about it: the worker was killed"},
      {"wants_too_much", "it asks for 18446744073709551615 bytes of workspace"}};
  for (const auto& [name, said] : bad) {
    SCOPED_TRACE(name);
    const TemporaryFolder folder;
    const auto database = folder.path() / "r.db";
    const ProgramResult result = sweep(database, plugin(name) + ",cpu.fast");
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    const ResultRow mine = row_of(database, "mine");
    EXPECT_EQ(mine.status, Status::skipped);
    EXPECT_THAT(mine.reason, HasSubstr(said));
    EXPECT_EQ(row_of(database, "cpu.fast").status, Status::ok);
  }
}

TEST(Plugin, of_another_device_is_refused_by_name) {
  const TemporaryFolder folder;
  const ProgramResult result = sweep(folder.path() / "r.db", plugin("on_a_gpu") + ",cpu.fast");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.errors, HasSubstr("on_a_gpu.so cannot be measured on cpu: mine runs on a GPU"));
}

TEST(Plugin, is_told_of_the_workspace_that_it_was_given) {
  const TemporaryFolder folder;
  const auto database = folder.path() / "r.db";
  EXPECT_EQ(sweep(database, plugin("grows") + ",cpu.fast").exit_code, 0);
  const ResultRow mine = row_of(database, "mine");
  EXPECT_EQ(mine.status, Status::ok) << mine.reason;
}

TEST(Plugin, that_cannot_be_loaded_is_refused_in_a_sentence) {
  const TemporaryFolder folder;
  const std::pair<std::string, const char*> bad[] = {
      {plugin("missing_symbol"), "it has no function triscope_workspace"},
      {plugin("wrong_version"), "it has version 7 of the interface"},
      {plugin("built_in_id"), "its kernel is called cpu.fast, as Triscope's own are"},
      {build_file("lib/libtriscope_attention.so"), "its kernel is called cpu.fast, as Triscope's own are"}};
  for (const auto& [file, said] : bad) {
    SCOPED_TRACE(file);
    const ProgramResult result = sweep(folder.path() / "r.db", file);
    EXPECT_NE(result.exit_code, 0);
    EXPECT_THAT(result.errors, HasSubstr(said));
    expect_one_sentence(result.errors);
  }
  const ProgramResult missing = sweep(folder.path() / "r.db", (folder.path() / "none.so").string());
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_THAT(missing.errors, HasSubstr("none.so"));
  const std::filesystem::path open = folder / "open";
  std::filesystem::create_directory(open);
  std::filesystem::copy_file(plugin("good"), open / "good.so");
  std::filesystem::permissions(open, std::filesystem::perms::all);
  const ProgramResult writable = sweep(folder.path() / "r.db", (open / "good.so").string());
  EXPECT_EQ(writable.exit_code, 2);
  EXPECT_THAT(writable.errors,
              HasSubstr("cannot be used: others may write to " + open.string() + " (mode 0777; `chmod "));
  EXPECT_THAT(writable.errors, testing::Not(HasSubstr("build it again")));
  expect_one_sentence(writable.errors);
  const ProgramResult two = sweep(folder.path() / "r.db", plugin("good") + "," + plugin("crashes"));
  EXPECT_EQ(two.exit_code, 2);
  EXPECT_THAT(two.errors, HasSubstr("it names two libraries"));
}

// The path stays out of the file; on resume the same library is given again.
TEST(Plugin, is_never_loaded_because_a_database_names_it) {
  const TemporaryFolder folder;
  const auto database = folder.path() / "r.db";
  ASSERT_EQ(sweep(database, plugin("good") + ",cpu.fast").exit_code, 0);
  const std::string request = Snapshot(database).sweep(1)->request_json;
  EXPECT_EQ(request.find(".so"), std::string::npos) << request;
  EXPECT_THAT(Snapshot(database).sweep(1)->command, HasSubstr("--kernel cpu.fast,good.so"));
  const auto resume = [&](std::vector<std::string> more) {
    std::vector<std::string> words{"sweep", "--resume", "1", "--db", database.string()};
    words.insert(words.end(), more.begin(), more.end());
    return run_triscope(words);
  };
  const ProgramResult bare = resume({});
  EXPECT_EQ(bare.exit_code, 2);
  EXPECT_THAT(bare.errors, HasSubstr("a library that a database names is never loaded"));
  const ProgramResult other = resume({"--kernel", plugin("wrong_result")});
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_THAT(other.errors, HasSubstr("its SHA-256 differs"));
  EXPECT_EQ(resume({"--kernel", plugin("good")}).exit_code, 0);
  EXPECT_EQ(resume({"--kernel", "cpu.fast"}).exit_code, 2);
}

TEST(Plugin, begins_as_a_skeleton_that_builds_and_is_right) {
  const TemporaryFolder folder;
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  const ProgramResult made = run_triscope({"plugin", "new", "fast_one"});
  const int built = std::system(
      "cc -std=c11 -Wall -Wextra -Werror -pedantic -O2 -shared -fPIC -Ifast_one fast_one/fast_one.c -o fast_one.so "
      "-lm");
  const ProgramResult again = run_triscope({"plugin", "new", "fast_one"});
  const ProgramResult bad = run_triscope({"plugin", "new", "../x"});
  std::filesystem::current_path(before);
  EXPECT_EQ(made.exit_code, 0) << made.errors;
  ASSERT_EQ(built, 0);
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_EQ(bad.exit_code, 2);
  const auto database = folder.path() / "r.db";
  const ProgramResult result = sweep(database, (folder.path() / "fast_one.so").string() + ",cpu.fast");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(row_of(database, "fast_one").status, Status::ok);
}

TEST(Plugin, that_needs_a_library_beside_it_is_told_how_to_find_it) {
  const TemporaryFolder folder;
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  ASSERT_EQ(run_triscope({"plugin", "new", "mine"}).exit_code, 0);
  const auto built = [](const std::string& rpath) {
    return std::system(
        ("echo 'int helps(void) { return 1; }' > helper.c && cc -shared -fPIC helper.c -o libhelper.so && "
         "cc -O2 -shared -fPIC -Imine mine/mine.c -o mine.so -lm -Wl,--no-as-needed -L. -lhelper "
         "-Wl,-rpath,'" +
         rpath + "'")
            .c_str());
  };
  const std::string file = (folder.path() / "mine.so").string();
  EXPECT_EQ(built("$ORIGIN"), 0);
  const ProgramResult beside = sweep(folder.path() / "r.db", file + ",cpu.fast");
  EXPECT_EQ(built(folder.path().string()), 0);
  const ProgramResult named = sweep(folder.path() / "r.db", file + ",cpu.fast");
  std::filesystem::current_path(before);
  EXPECT_EQ(beside.exit_code, 2);
  EXPECT_THAT(beside.errors, HasSubstr("libhelper.so"));
  EXPECT_THAT(beside.errors, HasSubstr("link it with an absolute -Wl,-rpath, since $ORIGIN is not followed"));
  expect_one_sentence(beside.errors);
  EXPECT_EQ(named.exit_code, 0) << named.errors;
}

TEST(Plugin, of_a_skeleton_that_cannot_be_written_nothing_is_left) {
  const TemporaryFolder folder;
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  rlimit usual{};
  getrlimit(RLIMIT_FSIZE, &usual);
  const rlimit small{4096, usual.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  const ProgramResult made = run_triscope({"plugin", "new", "fast_one"});
  setrlimit(RLIMIT_FSIZE, &usual);
  std::filesystem::current_path(before);
  EXPECT_EQ(made.exit_code, 3);
  EXPECT_THAT(made.errors, HasSubstr("File too large; raise the limit on the size of files"));
  EXPECT_FALSE(std::filesystem::exists(folder / "fast_one"));
}

TEST(Plugin, is_not_begun_under_a_name_that_its_kernel_may_not_have) {
  const TemporaryFolder folder;
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  for (const std::string name : {"cpu", "cuda", "baseline"}) {
    const ProgramResult refused = run_triscope({"plugin", "new", name});
    EXPECT_EQ(refused.exit_code, 2) << name;
    EXPECT_THAT(refused.errors, HasSubstr("kernels of Triscope are called so"));
    EXPECT_FALSE(std::filesystem::exists(folder / name));
  }
  std::filesystem::current_path(before);
}

}  // namespace
}  // namespace triscope
