#include "views/model/row_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "profiler/search/word_finder.hpp"
#include "views/data/format.hpp"
#include "views/model/tables/latency_model.hpp"

namespace triscope {
namespace {

RowTexts make_texts(const SweepResults& sweep) {
  RowTexts texts{sweep.info.id, sweep.info.uuid, {}, {}, {}, {}};
  std::set<std::string> met;
  for (const ResultRow& row : sweep.rows) {
    if (met.insert(row.kernel).second) texts.kernels.emplace_back(row.card.label, row.kernel);
    if (row.status == Status::skipped || row.measurement <= 0) continue;
    texts.measurements.push_back(row.measurement);
    std::string label =
        fmt::format("{} {} {}, {} tokens, {}/{} heads", line_label(row), row.card.label, to_string(row.pass),
                    format_count(row.problem.seq_len), row.problem.q_heads, row.problem.kv_heads);
    texts.searched.push_back(plain_words(fmt::format("{} {} {} {} m{}", label, row.kernel, row.problem.seq_len,
                                                     format_tokens(row.problem.seq_len), row.measurement)));
    texts.labels.push_back(std::move(label));
  }
  return texts;
}

}  // namespace

const std::vector<RowSearch::Row>& RowSearch::find(const std::shared_ptr<const SweepResults>& sweep,
                                                   std::uint64_t revision, const std::vector<std::string>& words,
                                                   std::size_t most, ModelMaker& maker) {
  const RowTexts* texts =
      maker.answer(texts_, "row texts", revision, sweep->rows.size(), [sweep] { return make_texts(*sweep); });
  std::optional<std::uint64_t> of;
  if (texts != nullptr && texts->sweep == sweep->info.id && texts->uuid == sweep->info.uuid) of = texts_.of;
  if (of == of_ && words == words_) return found_;
  of_ = of;
  words_ = words;
  found_.clear();
  if (!of || words.empty()) return found_;
  ++looked_;
  for (std::size_t n = 0; n < texts->measurements.size() && found_.size() < most; ++n) {
    const std::string& text = texts->searched[n];
    if (std::ranges::all_of(words, [&](const std::string& word) { return text.find(word) != std::string::npos; }))
      found_.push_back({texts->measurements[n], texts->labels[n]});
  }
  return found_;
}

const std::vector<std::pair<std::string, std::string>>& RowSearch::kernels() const {
  static const std::vector<std::pair<std::string, std::string>> kNone;
  return of_ ? texts_.answer->kernels : kNone;
}

}  // namespace triscope
