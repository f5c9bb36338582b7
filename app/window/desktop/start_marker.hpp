// Whether the start before this one ended in a crash.
#pragma once

#include <filesystem>

namespace triscope {

/// A file `starting` in the settings folder, there and locked from the first line of a start until the window stands. A
/// start that finds one that nobody has locked knows that the one before it crashed. Where a file cannot be made or
/// locked, nothing is known of the one before.
class StartMarker {
 public:
  /// `folder` of the settings; empty: no marker.
  explicit StartMarker(const std::filesystem::path& folder);
  ~StartMarker() { window_stands(); }
  StartMarker(const StartMarker&) = delete;
  StartMarker& operator=(const StartMarker&) = delete;

  bool crashed_before() const { return crashed_before_; }
  /// Removes the marker.
  void window_stands();

 private:
  std::filesystem::path file_;
  int descriptor_ = -1;
  bool crashed_before_ = false;
};

}  // namespace triscope
