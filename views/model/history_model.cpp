#include "views/model/history_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <ctime>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "profiler/plan/sweep_search.hpp"
#include "profiler/plan/sweep_title.hpp"
#include "views/data/format.hpp"

namespace triscope {
namespace {

void mix(std::size_t& hash, std::size_t with) { hash ^= with + 0x9e3779b97f4a7c15U + (hash << 6) + (hash >> 2); }
void mix(std::size_t& hash, std::string_view text) { mix(hash, std::hash<std::string_view>()(text)); }

/// The local day: "today" is another one after midnight.
std::size_t day_of(std::time_t seconds) {
  std::tm local{};
  localtime_r(&seconds, &local);
  return static_cast<std::size_t>(local.tm_year) * 1000 + static_cast<std::size_t>(local.tm_yday);
}

/// That of "2026-11-14T12:00:00Z"; nothing where it is written otherwise. For 10,000 sweeps in a frame.
std::optional<std::size_t> day_of(const std::string& started) {
  if (started.size() != 20) return std::nullopt;
  std::tm utc{};
  const auto number = [&](std::size_t at, std::size_t digits, int& value) {
    const char* const begin = started.data() + at;
    const auto [end, error] = std::from_chars(begin, begin + digits, value);
    return error == std::errc() && end == begin + digits;
  };
  if (!number(0, 4, utc.tm_year) || !number(5, 2, utc.tm_mon) || !number(8, 2, utc.tm_mday) ||
      !number(11, 2, utc.tm_hour) || !number(14, 2, utc.tm_min))
    return std::nullopt;
  utc.tm_year -= 1900;
  utc.tm_mon -= 1;
  return day_of(timegm(&utc));
}

/// Where the time of day begins in `text`; 0: it has none.
std::size_t clock_in(const std::string& text) {
  const std::size_t space = text.rfind(' ');
  return space == std::string::npos || text.find(':') == std::string::npos ? 0 : space + 1;
}

/// What sweeps that stand together share.
std::string group_of(const SweepInfo& sweep, std::int64_t now) {
  std::string day = format_started(sweep.started, now);
  if (const std::size_t clock = clock_in(day)) day.resize(clock - 1);
  return fmt::format("{}, {}", short_device(sweep.environment.device_name), day);
}

constexpr std::size_t kParts = 5;
template <typename Sweep>
auto parts_of(Sweep& sweep) {
  return std::array<decltype(&sweep.note), kParts>{&sweep.started, &sweep.environment.device_name, &sweep.note,
                                                   &sweep.command, &sweep.request_json};
}

/// What the texts of all sweeps are made of, copied into one piece: the frame in which a database is shown copies it.
class Described {
 public:
  explicit Described(const std::vector<SweepInfo>& sweeps) {
    std::size_t bytes = 0;
    for (const SweepInfo& sweep : sweeps)
      for (const std::string* part : parts_of(sweep)) bytes += part->size();
    all_.reserve(bytes);
    ends_.reserve(sweeps.size() * kParts);
    for (const SweepInfo& sweep : sweeps) {
      ids_.push_back(sweep.id);
      for (const std::string* part : parts_of(sweep)) {
        all_ += *part;
        ends_.push_back(all_.size());
      }
    }
  }
  std::size_t size() const { return ends_.size() / kParts; }
  /// Nothing else of it is known.
  SweepInfo sweep(std::size_t n) const {
    SweepInfo one;
    one.id = ids_[n];
    std::size_t end = n * kParts;
    for (std::string* part : parts_of(one)) {
      const std::size_t begins = end == 0 ? 0 : ends_[end - 1];
      part->assign(all_, begins, ends_[end++] - begins);
    }
    return one;
  }

 private:
  std::vector<std::int64_t> ids_;
  std::string all_;
  std::vector<std::size_t> ends_;  ///< of each part in it
};

SweepTexts make_texts(const Described& sweeps) {
  SweepTexts texts;
  std::set<std::string> briefs;
  for (std::size_t n = 0; n < sweeps.size(); ++n) {
    const SweepInfo sweep = sweeps.sweep(n);
    const SweepName& name = texts.names.emplace_back(SweepName{sweep_title(sweep), short_title(sweep)});
    texts.searched.push_back(searched_text(sweep, fmt::format("{}\n{}", name.title, name.brief)));
    texts.twins |= !briefs.insert(name.brief).second;
  }
  return texts;
}

}  // namespace

std::size_t clock_at(const SweepInfo& sweep, std::int64_t now) { return clock_in(format_started(sweep.started, now)); }

const SweepTexts* HistoryModel::texts(const std::vector<SweepInfo>& sweeps, ModelMaker& maker) {
  std::size_t of = sweeps.size();
  for (const SweepInfo& sweep : sweeps) {
    mix(of, static_cast<std::size_t>(sweep.id));
    mix(of, sweep.uuid);
    mix(of, sweep.note);
    mix(of, sweep.request_json.size());
    mix(of, sweep.command);
  }
  if (texts_.answer && texts_.of == of) return texts_.answer.get();
  if (texts_.wanted == of && texts_.waits() && !maker.at_once) return nullptr;
  const auto parts = std::make_shared<const Described>(sweeps);
  constexpr std::size_t kRowsOfOne = 40;  // to read a request takes as long
  const SweepTexts* made =
      maker.answer(texts_, "sweeps", of, sweeps.size() * kRowsOfOne, [parts] { return make_texts(*parts); });
  return texts_.waits() ? nullptr : made;
}

const std::vector<HistoryLine>& HistoryModel::lines(const std::vector<SweepInfo>& sweeps, const std::string& filter,
                                                    std::int64_t now, ModelMaker& maker) {
  const SweepSearch search(filter, now);
  std::size_t of = day_of(static_cast<std::time_t>(now));
  mix(of, filter);
  for (const SweepInfo& sweep : sweeps) {
    mix(of, static_cast<std::size_t>(sweep.id));
    mix(of, sweep.started);
    mix(of, sweep.environment.device_name);
    if (!search.empty()) mix(of, sweep.note);
  }
  if (made_ > 0 && of == of_) return lines_;
  const SweepTexts* all = search.empty() ? nullptr : texts(sweeps, maker);
  if (!search.empty() && all == nullptr && made_ > 0) {  // what stood stays, as far as there are such sweeps
    std::erase_if(lines_, [&](const HistoryLine& line) {
      return line.sweep != HistoryLine::kHeading && line.sweep >= sweeps.size();
    });
    return lines_;
  }
  of_ = all == nullptr && !search.empty() ? 0 : of;
  ++made_;
  lines_.clear();
  matching_ = 0;
  std::string group;
  std::optional<std::size_t> day;  // that group's, if known
  const std::string* device = nullptr;
  for (std::size_t n = 0; n < sweeps.size(); ++n) {
    if (all != nullptr && !search.finds(all->searched[n])) continue;
    ++matching_;
    const std::optional<std::size_t> its_day = day_of(sweeps[n].started);
    const bool same = device != nullptr && its_day && its_day == day && sweeps[n].environment.device_name == *device;
    if (std::string its = same ? group : group_of(sweeps[n], now); its != group) {
      lines_.push_back({HistoryLine::kHeading, its});
      group = std::move(its);
    }
    day = its_day;
    device = &sweeps[n].environment.device_name;
    lines_.push_back({n});
  }
  return lines_;
}

bool HistoryModel::has_twins(const std::vector<SweepInfo>& sweeps, ModelMaker& maker) {
  const SweepTexts* all = texts(sweeps, maker);
  return all != nullptr && all->twins;
}

const SweepName& HistoryModel::name(const SweepInfo& sweep) {
  const auto [found, is_new] = names_.try_emplace(sweep.uuid);
  Named& known = found->second;
  if (is_new || known.note != sweep.note || known.request != sweep.request_json.size())
    known = {sweep.note, sweep.request_json.size(), {sweep_title(sweep), short_title(sweep)}};
  return known.name;
}

const SweepShape& HistoryModel::shape(const SweepInfo& sweep) {
  const auto [found, is_new] = shapes_.try_emplace(sweep.uuid);
  Shaped& known = found->second;
  if (is_new || known.request != sweep.request_json.size()) {
    known = {sweep.request_json.size(), sweep_shape(sweep)};
    ++shapes_made_;
  }
  return known.shape;
}

}  // namespace triscope
