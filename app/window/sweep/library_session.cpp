#include "app/window/sweep/library_session.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <system_error>
#include <utility>

namespace triscope {
namespace {

constexpr auto kPeriod = std::chrono::milliseconds(400);  // between two looks at the file

}  // namespace

std::optional<LibrarySession::Stamp> LibrarySession::stamp_of(const std::filesystem::path& file) {
  std::error_code failed;
  Stamp stamp;
  stamp.written = std::filesystem::last_write_time(file, failed);
  if (!failed) stamp.bytes = std::filesystem::file_size(file, failed);
  return failed ? std::nullopt : std::optional(stamp);
}

void LibrarySession::open(const std::filesystem::path& file, std::function<void(const std::string& why)> refused) {
  loaded_.reset();  // it may replace a load of a change that was not taken yet
  load(file, "", std::move(refused));
}

void LibrarySession::load(const std::filesystem::path& file, const std::string& known_hash,
                          std::function<void(const std::string& why)> refused) {
  const std::optional<Stamp> stamp = stamp_of(file);
  thread_.replace("library", [this, file, known_hash, refused = std::move(refused), stamp] {
    try {
      const std::optional<OpenedLibrary> opened = engine_.open_library(file, known_hash);
      queue_.push([this, opened, stamp, changed = !known_hash.empty()] {
        loaded_ = seen_ = stamp;
        if (opened) take(*opened, changed);
      });
    } catch (const std::exception& error) {
      queue_.push([refused, why = std::string(error.what())] { refused(why); });
    }
  });
}

void LibrarySession::take(const OpenedLibrary& opened, bool changed) {
  data_.library = opened.library;
  data_.machine.catalog = opened.catalog;
  data_.machine.problem.clear();
  messages_.dismiss(NoticeId::kernel);
  messages_.log(Severity::info, fmt::format("{} {}: {}", changed ? "Changed:" : "Opened", data_.library.file,
                                            fmt::join(data_.library.kernels, ", ")));
  planner_.ask_preview();
  if (!changed) return ui_.show(Panel::setup);
  measure_again();
}

void LibrarySession::measure_again() {
  const std::string name = std::filesystem::path(data_.library.file).filename().string();
  if (!ui_.measure_changed_library) {
    return messages_.notify(Severity::info, NoticeId::kernel, fmt::format("The kernel library {} has changed.", name),
                            {{"Measure again", ask::Run{}}});
  }
  try {
    sweep_.start();
  } catch (const std::exception& error) {
    messages_.notify(Severity::error, NoticeId::kernel, error.what());
  }
}

void LibrarySession::watch() {
  // To load it would disturb what is timed.
  if (data_.library.file.empty() || data_.run.running || !thread_.idle()) return;
  const Clock::time_point now = Clock::now();
  if (now - looked_ < kPeriod) return;
  looked_ = now;
  const std::optional<Stamp> stamp = stamp_of(data_.library.file);
  // Twice the same: nobody is writing it any more.
  const bool rests = stamp && stamp == seen_;
  seen_ = stamp;
  if (!rests || stamp == loaded_) return;
  loaded_ = stamp;  // each change once, also where its answer waits to be taken
  load(data_.library.file, data_.library.sha256,
       [this](const std::string& why) { messages_.notify(Severity::error, NoticeId::kernel, why); });
}

}  // namespace triscope
