#include "app/window/desktop/start_marker.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <utility>

namespace triscope {

StartMarker::StartMarker(const std::filesystem::path& folder) : file_(folder / "starting") {
  if (folder.empty()) return;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  const bool was_there = std::filesystem::exists(std::filesystem::symlink_status(file_, error));
  descriptor_ = open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
  if (descriptor_ < 0) return;
  if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {  // another window is starting
    close(std::exchange(descriptor_, -1));
    return;
  }
  crashed_before_ = was_there;
}

void StartMarker::window_stands() {
  if (descriptor_ < 0) return;
  unlink(file_.c_str());
  close(std::exchange(descriptor_, -1));
}

}  // namespace triscope
