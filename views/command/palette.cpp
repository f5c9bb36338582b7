#include "views/command/palette.hpp"

#include <fmt/format.h>

#include <ctime>
#include <utility>

#include "profiler/plan/sweep_search.hpp"
#include "profiler/record/gpu_counters.hpp"
#include "profiler/search/documents.hpp"
#include "profiler/search/word_finder.hpp"
#include "views/command/command_search.hpp"
#include "views/model/paper/paper_ui.hpp"

namespace triscope {
namespace {

constexpr std::size_t kMostOfEach = 8;

/// What a page of the paper is called: "table 1" of "table1".
std::string page_words(std::string_view id) {
  std::string words(id);
  const std::size_t number = words.find_first_of("0123456789");
  if (number != std::string::npos && number > 0) words.insert(number, " ");
  return words;
}

/// Adds what matches, a few at most. `also`: words that find it beside its label.
class Found {
 public:
  Found(std::vector<PaletteItem>& items, const WordFinder& finder) : items_(items), finder_(finder) {}
  void add(const char* kind, std::string label, Request request, const std::string& also = {}) {
    if (of_kind_ != kind) count_ = 0;
    of_kind_ = kind;
    if (count_ == kMostOfEach || !finder_.matches(label + " " + also)) return;
    ++count_;
    items_.push_back({std::move(label), kind, {}, {}, std::move(request)});
  }

 private:
  std::vector<PaletteItem>& items_;
  const WordFinder& finder_;
  std::string_view of_kind_;
  std::size_t count_ = 0;
};

/// Kernels and rows of the shown sweep.
void add_rows(Found& found, std::vector<PaletteItem>& items, const WordFinder& finder, const WindowData& data,
              Models& models) {
  const std::vector<RowSearch::Row>& rows =
      models.row_search().find(data.shown, data.revision, finder.words(), kMostOfEach, models.maker);
  for (const auto& [name, id] : models.row_search().kernels())
    found.add("kernel", fmt::format("{}: its rows", name), ask::FilterTable{name}, id);
  for (const RowSearch::Row& one : rows)
    items.push_back({one.label, "row", {}, {}, ask::SelectMeasurement{one.measurement, data.shown->info.id}});
}

/// As the list of sweeps finds them.
void add_sweeps(std::vector<PaletteItem>& items, std::string_view query, const WindowData& data, Models& models) {
  const SweepTexts* texts = models.history().texts(data.sweeps, models.maker);
  const SweepSearch search(plain_words(std::string(query)), std::time(nullptr));
  std::size_t count = 0;
  for (std::size_t n = 0; texts != nullptr && n < data.sweeps.size() && count < kMostOfEach; ++n) {
    const SweepInfo& sweep = data.sweeps[n];
    if (search.empty() || !search.finds(texts->searched[n])) continue;
    ++count;
    items.push_back({fmt::format("{}, {}", texts->names[n].title, sweep.started.substr(0, 10)),
                     "sweep",
                     {},
                     {},
                     ask::ShowSweep{sweep.id}});
  }
}

void add_commands(std::vector<PaletteItem>& items, const std::vector<const Command*>& found, const WindowData& data,
                  const UiState& ui) {
  for (const Command* command : found) {
    const bool enabled = command->enabled(data, ui);
    const std::string needs = *command->needs ? fmt::format("needs {}", command->needs) : std::string("not now");
    items.push_back(
        {label_now(*command, data), command->menu, command->shortcut, enabled ? "" : needs, command->request});
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
  const WordFinder finder(query);
  const auto commands_end = static_cast<std::ptrdiff_t>(items.size());
  Found found(items, finder);
  if (data.shown) add_rows(found, items, finder, data, models);
  add_sweeps(items, query, data, models);
  for (int page = 0; page < static_cast<int>(PaperPage::count); ++page) {
    const std::string id(paper_page_id(static_cast<PaperPage>(page)));
    found.add("page of the paper", "Paper: " + page_words(id), ask::ShowPanel{Panel::paper, id}, id);
  }
  for (const CounterMetric& counter : counter_metrics())
    found.add("counter", std::string(counter.label), ask::ShowPanel{Panel::details},
              fmt::format("{} {}", counter.name, counter.meaning));
  for (const bool phrase : {true, false}) {  // few are listed: those with the phrase
    for (const auto& [page, heading] : document_headings()) {
      if (finder.is_phrase_of(heading) == phrase) found.add("manual", heading, ask::OpenDocument{page, heading}, page);
    }
  }
  finder.phrases_first(items.begin() + commands_end, items.end(), [](const PaletteItem& item) { return item.label; });
  add_commands(items, matching.by_letters, data, ui);
  return items;
}

}  // namespace triscope
