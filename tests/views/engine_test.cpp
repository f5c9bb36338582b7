// The window's workers when it closes.
#include "app/window/engine/engine.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <cstdlib>
#include <thread>

#include "kernels/base/error.hpp"
#include "tests/temporary_folder.hpp"

namespace triscope {
namespace {

/// Names `worker` as this process's worker while it lives.
struct OtherWorker {
  explicit OtherWorker(const std::filesystem::path& worker) { setenv("TRISCOPE_WORKER", worker.c_str(), 1); }
  ~OtherWorker() { unsetenv("TRISCOPE_WORKER"); }
};

TEST(Engine, the_question_for_tiles_is_given_up_when_the_window_closes) {
  const TemporaryFolder folder;
  const std::filesystem::path started = folder / "started";
  const std::filesystem::path worker =
      folder.write("worker", "#!/bin/sh\ntouch " + started.string() + "\nexec sleep 600\n");
  chmod(worker.c_str(), 0700);
  const OtherWorker other(worker);
  Engine engine = real_engine();
  const std::jthread closes([&](const std::stop_token& test_ends) {
    while (!std::filesystem::exists(started) && !test_ends.stop_requested()) std::this_thread::yield();
    engine.closing.request_stop();
  });
  try {
    engine.tiles({}, nullptr);  // of the usual problem
    FAIL() << "a worker that says nothing has no answer";
  } catch (const Error& error) {
    EXPECT_EQ(error.why(), "the program ends");
  }
}

}  // namespace
}  // namespace triscope
