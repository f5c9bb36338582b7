// At a limit of the process the error names the limit, and what was committed stays.
#include <gmock/gmock.h>
#include <sqlite3.h>
#include <sys/resource.h>

#include "kernels/base/error.hpp"
#include "tests/profiler/store/store_fixture.hpp"
#include "tests/profiler/supervise/child_process.hpp"

namespace triscope {
namespace {

using fixture::StoreTest;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

class StoreLimits : public StoreTest {
 protected:
  StoreLimits() { write_synthetic_database(file_, 5, 20); }
  template <typename Action>
  static std::string error_of(Action&& action) {
    try {
      action();
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }
};

TEST_F(StoreLimits, without_descriptors_it_says_so_and_leaves_no_folder_behind) {
  const std::string answer = in_child([&] {
    const rlimit limit{3, 3};
    ::setrlimit(RLIMIT_NOFILE, &limit);
    return error_of([&] { Store store(folder_ / "a/b/c.db"); }) + error_of([&] { Snapshot snapshot(file_); });
  });
  EXPECT_THAT(answer, AllOf(StartsWith("cannot write to the database"),
                            HasSubstr("raise the limit on open files (`ulimit -n`)"),
                            HasSubstr("cannot read the database"), Not(HasSubstr("permissions"))));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "a"));
}

TEST_F(StoreLimits, too_little_memory_is_named) {
  const std::string answer = in_child([&] {
    Store store(file_);
    ::sqlite3_hard_heap_limit64(::sqlite3_memory_used() + 1000);
    return error_of([&] { store.add(begin(store), synthetic_measurement(0, 1000)); });
  });
  EXPECT_THAT(answer,
              HasSubstr("there is too little memory; end other programs, or raise the limit on memory (`ulimit -v`)"));
  EXPECT_THAT(Snapshot(file_).results(), SizeIs(5));
}

}  // namespace
}  // namespace triscope
