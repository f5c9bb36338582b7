// A library that a kernel loads when it is first asked about, and why it could not be.
#pragma once

#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace triscope {

/// `load` makes the library, or throws an error that says why not; it is called only once, also when it fails.
template <typename Library>
class LoadedLibrary {
 public:
  explicit LoadedLibrary(std::function<Library()> load) : load_(std::move(load)) {}

  /// Null when it could not be loaded.
  Library* get() {
    std::call_once(once_, [this] {
      try {
        library_.emplace(load_());
      } catch (const std::exception& e) {
        why_not_ = e.what();
      }
    });
    return library_ ? &*library_ : nullptr;
  }
  /// The reason, after `get` returned null.
  const std::string& why_not() const { return why_not_; }

 private:
  std::function<Library()> load_;
  std::once_flag once_;
  std::optional<Library> library_;
  std::string why_not_;
};

}  // namespace triscope
