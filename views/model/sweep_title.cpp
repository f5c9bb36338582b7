#include "views/model/sweep_title.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "kernels/attention/paper.hpp"
#include "profiler/plan/request.hpp"
#include "views/data/format.hpp"

namespace triscope {
namespace {

bool is_table1(const std::vector<Windows>& windows) {
  const auto& table = paper_table1();
  return windows.empty() ||
         (windows.size() == table.size() && std::all_of(table.begin(), table.end(), [&](const PaperRow& row) {
            return std::find(windows.begin(), windows.end(), row.windows) != windows.end();
          }));
}

std::string windows_title(const SweepRequest& request) {
  if (request.mask == Mask::full) return "full mask";
  if (is_table1(request.windows)) return "Table 1";
  if (request.windows.size() > 1) return fmt::format("{} windows", request.windows.size());
  return format_windows(request.windows.front().window1, request.windows.front().window2);
}

std::string range(std::vector<std::int64_t> values) {
  if (values.empty()) return {};
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return *low == *high ? format_tokens(*low) : fmt::format("{} to {}", format_tokens(*low), format_tokens(*high));
}

std::string heads_title(const SweepRequest& request) {
  if (request.q_heads.size() != 1 || request.kv_heads.size() != 1)
    return fmt::format("{} head counts", std::max(request.q_heads.size(), request.kv_heads.size()));
  return fmt::format("{}/{} heads", request.q_heads.front(), request.kv_heads.front());
}

}  // namespace

std::string request_title(const SweepRequest& request) {
  std::string text;
  const auto add = [&](const std::string& part) {
    if (!part.empty()) text += (text.empty() ? "" : ", ") + part;
  };
  if (request.forms != std::vector{Form::trilinear})
    add(request.forms.size() > 1 ? "both forms" : std::string(to_string(request.forms.front())));
  if (request.regimes != std::vector{Regime::sustained})
    add(request.regimes.size() > 1 ? "both regimes" : std::string(to_string(request.regimes.front())));
  if (request.passes.size() == 1) add(fmt::format("{} only", to_string(request.passes.front())));
  add(windows_title(request));
  if (!request.seq_lens.empty()) add(range(request.seq_lens) + " tokens");
  if (!request.q_heads.empty() && !request.kv_heads.empty()) add(heads_title(request));
  if (request.head_dims != std::vector<std::int64_t>{128}) add(fmt::format("head size {}", range(request.head_dims)));
  return text;
}

std::string sweep_title(const SweepInfo& sweep) {
  if (!sweep.note.empty()) return sweep.note;
  try {
    return request_title(sweep_request_from_json(sweep.request_json));
  } catch (const std::exception&) {
    return sweep.command;  // of a database that a later version wrote
  }
}

}  // namespace triscope
