#include "profiler/plan/sweep_title.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <exception>
#include <optional>
#include <sstream>
#include <utility>

#include "kernels/attention/paper.hpp"
#include "kernels/base/text/text_beginning.hpp"
#include "kernels/base/third_party.hpp"

namespace triscope {
namespace {

constexpr std::string_view kBaseline = "baseline.", kCpu = "cpu.";

bool is_table1(const std::vector<Windows>& windows) {
  const auto& table = paper_table1();
  return windows.empty() ||
         (windows.size() == table.size() && std::all_of(table.begin(), table.end(), [&](const PaperRow& row) {
            return std::find(windows.begin(), windows.end(), row.windows) != windows.end();
          }));
}

std::string windows_title(const SweepRequest& request) {
  if (names_baselines_alone(request)) return "dot product";  // it has no windows
  if (request.mask == Mask::full) return "full mask";
  if (is_table1(request.windows)) return "Table 1";
  if (request.windows.size() > 1) return fmt::format("{} windows", request.windows.size());
  return fmt::format("{}x{}", request.windows.front().window1, request.windows.front().window2);
}

std::string tokens_title(std::int64_t tokens) {
  return tokens >= 1024 && tokens % 1024 == 0 ? fmt::format("{}k", tokens / 1024) : fmt::format("{}", tokens);
}

std::string range(const std::vector<std::int64_t>& values, const char* between) {
  if (values.empty()) return {};
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return *low == *high ? tokens_title(*low) : tokens_title(*low) + between + tokens_title(*high);
}

/// The grouping of heads, where it is not the paper's.
std::string heads_title(const SweepRequest& request) {
  if (request.q_heads.empty() || request.kv_heads.empty()) return {};
  if (request.q_heads.size() != 1 || request.kv_heads.size() != 1)
    return fmt::format("{} head counts", std::max(request.q_heads.size(), request.kv_heads.size()));
  if (request.q_heads.front() == 64 && request.kv_heads.front() == 1) return {};
  return fmt::format("{}/{} heads", request.q_heads.front(), request.kv_heads.front());
}

template <typename Value>
std::string both(const std::vector<Value>& values, const char* word) {
  if (values.empty()) return {};
  return values.size() > 1 ? word : std::string(to_string(values.front()));
}

/// "FA3", "FA3 and cuDNN", "FA3 and 2 more".
std::string joined(const std::vector<std::string>& names) {
  if (names.size() > 2) return fmt::format("{} and {} more", names.front(), names.size() - 1);
  return fmt::format("{}", fmt::join(names, " and "));
}

/// "Hopper", "CPU fast", "FA3": a few letters that stand for a kernel's id.
std::string kernel_name(std::string_view id) {
  constexpr std::string_view kLong = "FlashAttention-";
  if (const ThirdPartyPart* part = find_third_party_part(id))
    return part->name.starts_with(kLong) ? "FA" + std::string(part->name.substr(kLong.size()))
                                         : std::string(part->name);
  const std::size_t point = id.find('.');
  if (point == std::string_view::npos) return std::string(id);
  std::string name(id.substr(point + 1));
  if (id.starts_with(kCpu)) return "CPU " + name;
  if (name == kCpu.substr(0, kCpu.size() - 1)) return "CPU dot-product";
  if (!name.empty()) name.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(name.front())));
  return name;
}

struct KernelNames {
  std::vector<std::string> ours, baselines;
};
KernelNames kernel_names(const SweepRequest& request) {
  KernelNames names;
  for (const std::string& id : request.kernels)
    (id.starts_with(kBaseline) ? names.baselines : names.ours).push_back(kernel_name(id));
  return names;
}

/// "Hopper beside FA3 and cuDNN"; empty where none is named, so that every kernel that can run is measured.
std::string kernels_title(const SweepRequest& request) {
  const auto [ours, baselines] = kernel_names(request);
  if (ours.empty()) return joined(baselines);
  return joined(ours) + (baselines.empty() ? "" : " beside " + joined(baselines));
}

/// "Hopper", "Hopper + Portable", "Hopper + 2": ours, or else the baselines.
std::string short_kernels(const SweepRequest& request) {
  const auto [ours, baselines] = kernel_names(request);
  const std::vector<std::string>& names = ours.empty() ? baselines : ours;
  if (names.size() > 2) return fmt::format("{} + {}", names.front(), names.size() - 1);
  return fmt::format("{}", fmt::join(names, " + "));
}

const char* short_pass(const SweepRequest& request) {
  if (request.passes.empty()) return "";
  if (request.passes.size() > 1) return "fwd + bwd";
  return request.passes.front() == Pass::forward ? "fwd" : "bwd";
}

/// The problems, and what of them is not the usual; `between` the ends of a range.
std::vector<std::string> problem_parts(const SweepRequest& request, const char* between) {
  std::string windows = windows_title(request), forms, head_size;
  if (!request.seq_lens.empty()) windows += " at " + range(request.seq_lens, between);
  if (request.forms != std::vector{Form::trilinear}) forms = both(request.forms, "both forms");
  if (request.head_dims != std::vector<std::int64_t>{128}) head_size = "head size " + range(request.head_dims, between);
  return {std::move(windows), std::move(forms), heads_title(request), std::move(head_size),
          request.deterministic ? "deterministic" : ""};
}

std::string regimes_title(const SweepRequest& request) {
  return request.regimes == std::vector{Regime::sustained} ? "" : both(request.regimes, "both regimes");
}

std::string title_from(std::vector<std::string> parts) {
  std::erase(parts, "");
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// Letters, not bytes.
std::size_t length_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

/// What is too long for a list gets shorter words. Where these are too long still, what stands between the windows and
/// the kernels is left out, from its end.
std::string fitted(std::vector<std::string> parts) {
  constexpr std::size_t kMost = 43;  // letters, in the window's list of sweeps
  constexpr std::pair<std::string_view, std::string_view> kShorter[] = {
      {" + ", "+"}, {"head size ", "d"}, {"determinant", "det."}};
  constexpr std::string_view kMore = "…";
  std::erase(parts, "");
  for (const auto& [word, shorter] : kShorter) {
    if (length_of(title_from(parts)) <= kMost) break;
    for (std::string& part : parts) {
      for (std::size_t at = part.find(word); at != std::string::npos; at = part.find(word))
        part.replace(at, word.size(), shorter);
    }
  }
  while (parts.size() > 2 && length_of(title_from(parts)) > kMost) {
    parts.erase(parts.end() - 2);
    parts[parts.size() - 2] += kMore;
  }
  return title_from(std::move(parts));
}

std::string short_request(const SweepRequest& request) {
  std::vector<std::string> parts = problem_parts(request, "–");
  const std::string kernels = short_kernels(request);
  parts.push_back(regimes_title(request));
  parts.push_back(kernels + (kernels.empty() ? "" : " ") + short_pass(request));
  return fitted(std::move(parts));
}

/// The words of a person's note, without its tags.
std::string words_of(const std::string& note) {
  std::istringstream words(note);
  std::string text;
  for (std::string word; words >> word;) {
    if (word.front() != '#' || word.find_first_not_of('#') == std::string::npos)
      text += (text.empty() ? "" : " ") + word;
  }
  return text;
}

// A list of sweeps is drawn in a frame, which cannot wait until a long request is read. One of ours has about 1 KiB.
constexpr std::size_t kLongestListed = std::size_t{64} << 10;

// In the place of a title. A stranger's may be as long as a text in a database.
std::string command_of(const SweepInfo& sweep) { return beginning_of(sweep.command, 200); }

std::string title_of(const SweepInfo& sweep, std::string (*describe)(const SweepRequest&)) {
  if (std::string text = words_of(sweep.note); !text.empty()) return text;
  const std::optional<SweepRequest> request = listed_request(sweep);
  if (!request) return command_of(sweep);
  const std::string title = describe(*request);
  return had_plugin(sweep.request_json) ? title + ", a library" : title;
}

}  // namespace

bool names_baselines_alone(const SweepRequest& request) {
  const auto is_baseline = [](const std::string& id) { return id.starts_with(kBaseline); };
  return !request.kernels.empty() && std::ranges::all_of(request.kernels, is_baseline);
}

std::optional<SweepRequest> listed_request(const SweepInfo& sweep) {
  if (sweep.request_json.size() > kLongestListed) return std::nullopt;
  try {
    return sweep_request_from_json(sweep.request_json);
  } catch (const std::exception&) {
    return std::nullopt;  // of a database that a later version wrote, or a stranger
  }
}

std::string request_title(const SweepRequest& request) {
  std::vector<std::string> parts = problem_parts(request, " to ");
  parts.push_back(kernels_title(request));
  parts.push_back(regimes_title(request));
  parts.push_back(both(request.passes, "both passes"));
  return title_from(std::move(parts));
}

std::string sweep_title(const SweepInfo& sweep) { return title_of(sweep, request_title); }

std::string short_title(const SweepInfo& sweep) { return title_of(sweep, short_request); }

std::vector<std::string> tags_of(std::string_view note) {
  std::istringstream words{std::string(note)};
  std::vector<std::string> tags;
  for (std::string word; words >> word;) {
    const std::size_t begin = word.find_first_not_of('#');
    if (begin != 0 && begin != std::string::npos && std::ranges::find(tags, word.substr(begin)) == tags.end())
      tags.push_back(word.substr(begin));
  }
  return tags;
}

std::string short_device(const std::string& name) {
  for (const std::string_view maker : {"NVIDIA ", "GeForce ", "AMD ", "Intel(R) ", "Intel "}) {
    if (name.starts_with(maker)) return short_device(name.substr(maker.size()));
  }
  return name;
}

}  // namespace triscope
