#include "app/window/messages/messages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <utility>

namespace triscope {
namespace {

constexpr std::size_t kLogLines = 2000;
constexpr std::int64_t kSecondsSeen = 8;  ///< of what goes by itself

std::string clock_text() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  return fmt::format("{:02}:{:02}:{:02}", local.tm_hour, local.tm_min, local.tm_sec);
}

}  // namespace

void Messages::notify(Severity severity, NoticeId id, std::string text, std::vector<Notice::Action> actions) {
  dismiss(id);
  log(severity, text);
  // That something went well needs no answer, and takes room from what is looked at.
  const bool passes = id == NoticeId::saved && severity == Severity::info && actions.empty();
  data_.notices.push_back(
      {id, severity, std::move(text), std::move(actions), passes ? std::time(nullptr) + kSecondsSeen : 0});
}

void Messages::notify_later(Severity severity, NoticeId id, std::string text, std::vector<Notice::Action> actions) {
  queue_.push([this, severity, id, text = std::move(text), actions = std::move(actions)] {
    notify(severity, id, text, actions);
  });
}

void Messages::log(Severity severity, std::string text) {
  data_.log.push_back({clock_text(), severity, std::move(text)});
  if (data_.log.size() > kLogLines)
    data_.log.erase(data_.log.begin(), data_.log.begin() + static_cast<std::ptrdiff_t>(kLogLines / 10));
}

bool Messages::dismiss(NoticeId id) {
  return std::erase_if(data_.notices, [&](const Notice& notice) { return notice.id == id; }) > 0;
}

bool Messages::expire(std::int64_t now) {
  return std::erase_if(data_.notices, [&](const Notice& notice) { return notice.ends != 0 && notice.ends <= now; }) > 0;
}

const Notice* Messages::find(NoticeId id) const {
  const auto found =
      std::find_if(data_.notices.begin(), data_.notices.end(), [&](const Notice& notice) { return notice.id == id; });
  return found == data_.notices.end() ? nullptr : &*found;
}

std::function<void(const std::string& why)> Messages::failures() {
  return [this](const std::string& why) {
    notify_later(Severity::error, NoticeId::background, fmt::format("A background task failed: {}", why));
  };
}

}  // namespace triscope
