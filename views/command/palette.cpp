#include "views/command/palette.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <span>
#include <utility>

#include "profiler/record/gpu_counters.hpp"
#include "views/command/command_search.hpp"
#include "views/command/documents.hpp"
#include "views/data/format.hpp"
#include "views/model/paper/paper_ui.hpp"
#include "views/model/tables/latency_model.hpp"

namespace triscope {
namespace {

constexpr std::size_t kMostOfEach = 8;

/// In small letters, with the sign of windows as it is typed.
std::string plain_words(std::string text) {
  for (std::size_t at = text.find(" × "); at != std::string::npos; at = text.find(" × ")) text.replace(at, 4, "x");
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

class Finder {
 public:
  explicit Finder(std::string_view query) {
    const std::string words = plain_words(std::string(query));
    for (std::size_t begin = 0; begin < words.size();) {
      const std::size_t end = std::min(words.find(' ', begin), words.size());
      if (end > begin) wanted_.push_back(words.substr(begin, end - begin));
      begin = end + 1;
    }
  }
  bool matches(const std::string& text) const {
    const std::string words = plain_words(text);
    return !wanted_.empty() &&
           std::ranges::all_of(wanted_, [&](const std::string& one) { return words.find(one) != std::string::npos; });
  }

 private:
  std::vector<std::string> wanted_;
};

/// Adds what matches, a few at most. `also`: words that find it beside its label.
class Found {
 public:
  Found(std::vector<PaletteItem>& items, const Finder& finder) : items_(items), finder_(finder) {}
  void add(const char* kind, std::string label, Request request, const std::string& also = {}) {
    if (of_kind_ != kind) count_ = 0;
    of_kind_ = kind;
    if (count_ == kMostOfEach || !finder_.matches(label + " " + also)) return;
    ++count_;
    items_.push_back({std::move(label), kind, {}, {}, std::move(request)});
  }

 private:
  std::vector<PaletteItem>& items_;
  const Finder& finder_;
  std::string_view of_kind_;
  std::size_t count_ = 0;
};

void add_rows(Found& found, const SweepResults& sweep) {
  constexpr std::size_t kMostRows = 5000;  // this is done in each frame
  for (const ResultRow& row : std::span(sweep.rows).first(std::min(sweep.rows.size(), kMostRows))) {
    if (row.status == Status::skipped || row.measurement <= 0) continue;
    const std::string tokens = format_count(row.problem.seq_len);
    found.add("row",
              fmt::format("{} {} {}, {} tokens, {}/{} heads", line_label(row), row.card.label, to_string(row.pass),
                          tokens, row.problem.q_heads, row.problem.kv_heads),
              ask::SelectMeasurement{row.measurement, row.sweep},
              fmt::format("{} {} {} m{}", row.kernel, row.problem.seq_len, format_tokens(row.problem.seq_len),
                          row.measurement));
  }
}

void add_kernels(Found& found, const SweepResults& sweep) {
  std::set<std::string> met;
  for (const ResultRow& row : sweep.rows) {
    if (met.insert(row.kernel).second)
      found.add("kernel", fmt::format("{}: its rows", row.card.label), ask::FilterTable{row.card.label}, row.kernel);
  }
}

/// The pages of the documentation and their headings.
const std::vector<std::pair<std::string, std::string>>& headings() {
  static const std::vector<std::pair<std::string, std::string>> kHeadings = [] {
    std::vector<std::pair<std::string, std::string>> made;
    for (const Document& document : documents()) {
      for (const DocumentPart& part : parts_of(document.text)) made.emplace_back(document.page, part.heading);
    }
    return made;
  }();
  return kHeadings;
}

void add_commands(std::vector<PaletteItem>& items, const std::vector<const Command*>& found, const WindowData& data,
                  const UiState& ui) {
  for (const Command* command : found) {
    const bool enabled = command->enabled(data, ui);
    const std::string needs = *command->needs ? fmt::format("needs {}", command->needs) : std::string("not now");
    items.push_back({command->label, command->menu, command->shortcut, enabled ? "" : needs, command->request});
  }
}

}  // namespace

std::vector<PaletteItem> search_everything(std::string_view query, const WindowData& data, const UiState& ui,
                                           Models& models) {
  std::vector<PaletteItem> items;
  const FoundCommands matching = find_commands(query);
  add_commands(items, matching.by_words, data, ui);
  if (query.size() < 2) {
    add_commands(items, matching.by_letters, data, ui);
    return items;
  }
  const Finder finder(query);
  Found found(items, finder);
  if (data.shown) {
    add_kernels(found, *data.shown);
    add_rows(found, *data.shown);
  }
  const SweepTexts* texts = models.history().texts(data.sweeps, models.maker);
  for (std::size_t n = 0; texts != nullptr && n < data.sweeps.size(); ++n) {
    const SweepInfo& sweep = data.sweeps[n];
    found.add("sweep", fmt::format("{}, {}", texts->names[n].title, sweep.started.substr(0, 10)),
              ask::ShowSweep{sweep.id}, fmt::format("{} {}", sweep.environment.device_name, sweep.note));
  }
  for (int page = 0; page < static_cast<int>(PaperPage::count); ++page) {
    const std::string id(paper_page_id(static_cast<PaperPage>(page)));
    found.add("page of the paper", "Paper: " + id, ask::ShowPanel{Panel::paper, id});
  }
  for (const CounterMetric& counter : counter_metrics())
    found.add("counter", std::string(counter.label), ask::ShowPanel{Panel::details},
              fmt::format("{} {}", counter.name, counter.meaning));
  for (const auto& [page, heading] : headings()) found.add("manual", heading, ask::OpenDocument{page, heading}, page);
  add_commands(items, matching.by_letters, data, ui);
  return items;
}

}  // namespace triscope
