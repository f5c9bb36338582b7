// A sweep request as JSON (kept in the database, for --resume) and as a command line (shown to people).
#include "profiler/plan/request.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "kernels/attention/paper.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/text/shell_word.hpp"
#include "profiler/record/bounded_json.hpp"
#include "profiler/record/measurement_codec.hpp"
#include "profiler/statistics/statistics_codec.hpp"

namespace triscope {
namespace {

using nlohmann::json;

constexpr std::size_t kLongestRequest = 16u << 20;  // bytes of JSON
constexpr std::size_t kMostEntries = 100'000;       // of a list: a sweep has no more measurements (plan.cpp)
constexpr std::size_t kLongestText = 4096;          // bytes of a name
constexpr std::int64_t kMostBlocks = 10'000'000;

[[noreturn]] void refuse_stored(const std::string& why) {
  throw Error("the request of a sweep cannot be used", why, "start a new sweep instead of resuming this one");
}

/// Takes the members of a stored request. A missing one keeps its default, so that requests recorded by older versions
/// can still be read; one of another type, or too long, is refused by name.
class RequestReader {
 public:
  /// What an empty list means: nothing would be measured, or all that there is.
  enum class EmptyList { refused, all };

  explicit RequestReader(const json& object) : object_(object) {}

  template <typename T>
  void operator()(const char* name, T& value) const {
    if (const json* found = member(name)) take(name, *found, value);
  }
  template <typename Enum>
  void operator()(const char* name, Enum& value, std::optional<Enum> (*parse)(std::string_view)) const {
    if (const json* found = member(name)) value = parsed(name, *found, parse);
  }
  template <typename Enum>
  void operator()(const char* name, std::optional<Enum>& value, std::optional<Enum> (*parse)(std::string_view)) const {
    const json* found = member(name);
    if (found) value = found->is_null() ? std::nullopt : std::optional(parsed(name, *found, parse));
  }
  template <typename Enum>
  void operator()(const char* name, std::vector<Enum>& list, std::optional<Enum> (*parse)(std::string_view)) const {
    each(
        name, list, [&](const json& j, Enum& value) { value = parsed(name, j, parse); }, EmptyList::refused);
  }
  template <typename T>
  void operator()(const char* name, std::vector<T>& list, EmptyList empty = EmptyList::refused) const {
    each(
        name, list, [&](const json& j, T& value) { take(name, j, value); }, empty);
  }
  /// The members of the object `name`.
  std::optional<RequestReader> object(const char* name) const {
    const json* found = member(name);
    if (!found) return std::nullopt;
    require(found->is_object(), name, "no object");
    return RequestReader(*found);
  }

 private:
  const json* member(const char* name) const {
    const auto found = object_.find(name);
    return found == object_.end() ? nullptr : &*found;
  }
  static void require(bool holds, const char* name, const char* otherwise) {
    if (!holds) refuse_stored(fmt::format("its {} is {}", name, otherwise));
  }
  template <typename List, typename Take>
  void each(const char* name, List& list, Take take_one, EmptyList empty) const {
    const json* found = member(name);
    if (!found) return;
    require(found->is_array(), name, "no list");
    if (empty == EmptyList::refused && found->empty()) refuse_stored(fmt::format("its list of {} is empty", name));
    if (found->size() > kMostEntries)
      refuse_stored(fmt::format("its {} has {} entries, more than {}", name, found->size(), kMostEntries));
    list.clear();
    for (const json& j : *found) take_one(j, list.emplace_back());
  }
  template <typename Enum>
  static Enum parsed(const char* name, const json& j, std::optional<Enum> (*parse)(std::string_view)) {
    const auto* text = j.get_ptr<const std::string*>();
    const std::optional<Enum> value = text ? parse(*text) : std::nullopt;
    require(value.has_value(), name, "not one of its names");
    return *value;
  }
  static void take(const char* name, const json& j, bool& value) {
    require(j.is_boolean(), name, "neither true nor false");
    value = j.get<bool>();
  }
  static void take(const char* name, const json& j, std::int64_t& value) {
    const bool fits = j.is_number_integer() && (!j.is_number_unsigned() || j.get<std::uint64_t>() <= INT64_MAX);
    require(fits, name, "not a whole number of 64 bits");
    value = j.get<std::int64_t>();
  }
  static void take(const char* name, const json& j, std::uint64_t& value) {
    require(j.is_number_unsigned(), name, "not a whole number from 0 on");
    value = j.get<std::uint64_t>();
  }
  static void take(const char* name, const json& j, double& value) {
    require(j.is_number(), name, "no number");
    value = j.get<double>();
  }
  static void take(const char* name, const json& j, std::optional<double>& value) {
    if (j.is_null()) return value.reset();
    take(name, j, value.emplace());
  }
  static void take(const char* name, const json& j, std::string& value) {
    require(j.is_string() && j.get_ref<const std::string&>().size() <= kLongestText, name, "no text, or too long");
    const auto& text = j.get_ref<const std::string&>();
    require(std::ranges::none_of(text, [](unsigned char c) { return c < 0x20; }), name,
            "no name, but of several lines");
    value = text;
  }
  static void take(const char* name, const json& j, Windows& value) {
    require(j.is_object(), name, "no pair");
    const RequestReader windows(j);
    windows("window1", value.window1);
    windows("window2", value.window2);
  }

  static void take(const char* name, const json& j, LongerRow& value) {
    require(j.is_object(), name, "no row");
    const RequestReader row(j);
    row("restarts", value.restarts);
    require(value.restarts > 0 && value.restarts <= kMostRestarts, name, "not a number of restarts");
    try {
      value.key = j.at("key").get<MeasurementKey>();
    } catch (const json::exception&) {
      refuse_stored(fmt::format("its {} names no row", name));
    } catch (const Error&) {
      refuse_stored(fmt::format("its {} names no row", name));
    }
  }

  const json& object_;
};

json json_of(const std::vector<LongerRow>& longer) {
  json rows = json::array();
  for (const LongerRow& row : longer) rows.push_back({{"key", row.key}, {"restarts", row.restarts}});
  return rows;
}

json parse_stored(const std::string& text) {
  if (text.empty()) refuse_stored("it could not be used and was left out");
  if (text.size() > kLongestRequest) refuse_stored(fmt::format("it has {} bytes", text.size()));
  json j;
  try {
    j = parse_bounded(text);
  } catch (const json::other_error&) {
    refuse_stored("it is nested more than 100 deep");
  } catch (const json::exception&) {
    refuse_stored("it is not JSON");
  }
  if (!j.is_object()) refuse_stored("it is no JSON object");
  return j;
}

template <typename Enum>
std::string names(const std::vector<Enum>& values) {
  std::string text;
  for (const Enum value : values) text += fmt::format("{}{}", text.empty() ? "" : ",", to_string(value));
  return text;
}

std::string windows_text(const std::vector<Windows>& windows) {
  std::vector<Windows> table1;
  for (const PaperRow& row : paper_table1()) table1.push_back(row.windows);
  if (windows.empty() || windows == table1) return "table1";
  std::string text;
  for (const Windows& w : windows) text += fmt::format("{}{}x{}", text.empty() ? "" : ",", w.window1, w.window2);
  return text;
}

}  // namespace

StoppingRule restart_rule(const SweepRequest& request) {
  StoppingRule rule = request.stopping;
  rule.budget_ns = std::max<std::int64_t>(1, rule.budget_ns / request.restarts);
  rule.precision *= std::sqrt(static_cast<double>(request.restarts));
  return rule;
}

std::string to_json(const SweepRequest& r) {
  json j;
  const auto axis = [&j](const char* name, const auto& values) {  // one that is left to the defaults is not named
    if (!values.empty()) j[name] = values;
  };
  axis("windows", r.windows);
  axis("seq_lens", r.seq_lens);
  axis("batches", r.batches);
  axis("q_heads", r.q_heads);
  axis("kv_heads", r.kv_heads);
  axis("head_dims", r.head_dims);
  j["forms"] = r.forms;
  j["passes"] = r.passes;
  j["kernels"] = r.kernels;
  j["plugin_sha256"] = r.plugin_sha256;  // its path is never followed
  j["instance"] = r.instance;
  j["device"] = r.device;
  j["regimes"] = r.regimes;
  j["timing_source"] = r.timing_source;
  j["counters"] = r.counters;
  j["mask"] = r.mask;
  j["element"] = r.element;
  j["deterministic"] = r.deterministic;
  j["scale"] = r.scale;
  j["k2_bias"] = r.k2_bias;
  j["v2_bias"] = r.v2_bias;
  j["sink"] = r.sink;
  j["stopping"] = r.stopping;
  j["restarts"] = r.restarts;
  if (!r.longer.empty()) j["longer"] = json_of(r.longer);
  j["seed"] = r.seed;
  j["tensors"] = r.tensors.string();
  j["worker_prefix"] = r.worker_prefix;
  j["time_limit_ms"] = r.time_limit.count();
  return dump_line(j);
}

SweepRequest sweep_request_from_json(const std::string& text) {
  const json stored = parse_stored(text);
  const RequestReader read(stored);
  SweepRequest r;
  read("windows", r.windows);
  read("seq_lens", r.seq_lens);
  read("batches", r.batches);
  read("q_heads", r.q_heads);
  read("kv_heads", r.kv_heads);
  read("head_dims", r.head_dims);
  read("forms", r.forms, parse_form);
  read("passes", r.passes, parse_pass);
  read("kernels", r.kernels, RequestReader::EmptyList::all);
  read("instance", r.instance);
  read("device", r.device);
  read("regimes", r.regimes, parse_regime);
  read("timing_source", r.timing_source, parse_timing_source);
  read("counters", r.counters, parse_counter_set);
  read("mask", r.mask, parse_mask);
  read("element", r.element, parse_element);
  read("deterministic", r.deterministic);
  read("scale", r.scale);
  read("k2_bias", r.k2_bias);
  read("v2_bias", r.v2_bias);
  read("sink", r.sink);
  if (const auto stopping = read.object("stopping")) {
    (*stopping)("precision", r.stopping.precision);
    (*stopping)("budget_ns", r.stopping.budget_ns);
    (*stopping)("min_blocks", r.stopping.min_blocks);
    (*stopping)("max_blocks", r.stopping.max_blocks);
  }
  r.restarts = 1;  // of requests that know of none
  read("restarts", r.restarts);
  read("longer", r.longer, RequestReader::EmptyList::all);
  if (r.longer.size() > kMostLonger) refuse_stored(fmt::format("more than {} rows are measured longer", kMostLonger));
  read("seed", r.seed);
  try {
    require_measurable(r);
    require_possible(r);
    if (!r.q_heads.empty() && !r.kv_heads.empty()) require_pairs_of_heads(r);
  } catch (const Error& error) {
    refuse_stored(fmt::format("{} ({})", error.summary(), error.why()));
  }
  return r;
}

std::string with_longer(const std::string& request_json, const std::vector<LongerRow>& longer) {
  json stored = parse_stored(request_json);
  stored.erase("longer");
  if (!longer.empty()) stored["longer"] = json_of(longer);
  return dump_line(stored);
}

std::string request_fault(const std::string& request_json) {
  try {
    (void)sweep_request_from_json(request_json);
    return "";
  } catch (const Error& error) {
    return error.why();
  }
}

namespace {

void require_same_plugin(const std::string& what, std::int64_t sweep, const std::string& stored,
                         const SweepRequest& given) {
  if (stored.empty() && !given.plugin.empty())
    throw Error(what, "it was measured without a library of kernels", "leave --kernel out", ExitCode::usage);
  if (!stored.empty() && given.plugin.empty()) {
    throw Error(what, "some of its kernels came from a library, and a library that a database names is never loaded",
                fmt::format("name the library again: `triscope sweep --resume {} --kernel ./FILE.so`", sweep),
                ExitCode::usage);
  }
  if (stored == given.plugin_sha256) return;
  throw Error(what, "the library of kernels is not the one that it was measured with, for its SHA-256 differs",
              "resume it with the same file, or start a new sweep", ExitCode::usage);
}

bool names_one(const json& stored, const char* name) {
  const auto found = stored.find(name);
  return found != stored.end() && !found->empty() &&
         (!found->is_string() || !found->get_ref<const std::string&>().empty());
}

}  // namespace

bool was_remote(const std::string& request_json) { return names_one(parse_stored(request_json), "worker_prefix"); }
bool had_plugin(const std::string& request_json) { return names_one(parse_stored(request_json), "plugin_sha256"); }

void require_given_again(std::int64_t sweep, const std::string& request_json, const SweepRequest& given) {
  const json stored = parse_stored(request_json);
  const std::string what = fmt::format("sweep {} cannot be resumed as it is", sweep);
  const auto plugin = stored.find("plugin_sha256");
  const bool named = plugin != stored.end() && plugin->is_string();
  require_same_plugin(what, sweep, named ? plugin->get<std::string>() : "", given);
  if (names_one(stored, "worker_prefix") && given.worker_prefix.empty()) {
    throw Error(what, "it was measured through a command, and a command that a database names is never run",
                fmt::format("give the command again: `triscope sweep --resume {} --worker-prefix COMMAND`", sweep),
                ExitCode::usage);
  }
  if (names_one(stored, "tensors") && given.tensors.empty()) {
    throw Error(what, "its inputs came from a file, and a file that a database names is never opened",
                fmt::format("name the file again: `triscope sweep --resume {} --tensors FILE`", sweep),
                ExitCode::usage);
  }
  if (!names_one(stored, "tensors") && !given.tensors.empty()) {
    throw Error(what, "its inputs were generated, not read from a file", "leave --tensors out", ExitCode::usage);
  }
}

void require_measurable(const SweepRequest& request) {
  const auto positive = [](const char* name, double value) {
    if (value > 0) return;
    throw Error(fmt::format("the {} is impossible", name), fmt::format("it is {}", value), "give a number above 0",
                ExitCode::usage);
  };
  positive("precision", request.stopping.precision);
  positive("number of restarts", static_cast<double>(request.restarts));
  if (request.restarts > kMostRestarts) {
    throw Error("the number of restarts is impossible", fmt::format("it is {}", request.restarts),
                fmt::format("give a number up to {}", kMostRestarts), ExitCode::usage);
  }
  positive("budget", static_cast<double>(request.stopping.budget_ns));
  positive("time limit", static_cast<double>(request.time_limit.count()));
  positive("number of blocks", static_cast<double>(request.stopping.min_blocks));
  if (request.stopping.max_blocks < request.stopping.min_blocks || request.stopping.max_blocks > kMostBlocks) {
    throw Error("the number of blocks is impossible",
                fmt::format("at most {} are asked for", request.stopping.max_blocks),
                fmt::format("give a number from {} to {}", request.stopping.min_blocks, kMostBlocks), ExitCode::usage);
  }
  if (request.forms.empty() || request.passes.empty() || request.regimes.empty()) {
    throw Error("there is nothing to measure", "the list of forms, passes or regimes is empty",
                "name at least one of each", ExitCode::usage);
  }
}

void require_pairs_of_heads(const SweepRequest& request) {
  if (request.kv_heads.size() == 1 || request.kv_heads.size() == request.q_heads.size()) return;
  throw Error("the heads cannot be paired",
              fmt::format("the lists have {} numbers of query heads and {} numbers of kv heads", request.q_heads.size(),
                          request.kv_heads.size()),
              "give one number of kv heads for all, or one for each number of query heads", ExitCode::usage);
}

void require_possible(const SweepRequest& request) {
  const auto require = [](auto set) {
    Problem problem;
    problem.seq_len = problem.window1 = problem.window2 = 1;
    set(problem);
    require_valid(problem);
  };
  require([&](Problem& problem) {
    problem.scale = request.scale;
    problem.k2_bias = request.k2_bias;
    problem.v2_bias = request.v2_bias;
    problem.sink = request.sink;
  });
  for (const Windows& windows : request.windows) {
    require([&](Problem& problem) {
      problem.window1 = windows.window1;
      problem.window2 = windows.window2;
    });
  }
  for (const std::int64_t length : request.seq_lens) require([&](Problem& problem) { problem.seq_len = length; });
  for (const std::int64_t batch : request.batches) require([&](Problem& problem) { problem.batch = batch; });
  for (const std::int64_t dim : request.head_dims) require([&](Problem& problem) { problem.head_dim = dim; });
  for (const std::int64_t heads : request.q_heads) require([&](Problem& problem) { problem.q_heads = heads; });
  for (const std::int64_t heads : request.kv_heads)
    require([&](Problem& problem) { problem.q_heads = problem.kv_heads = heads; });
}

std::string to_command_line(const SweepRequest& r) {
  const SweepRequest defaults;
  std::string line = "triscope sweep";
  const auto option = [&line](const char* name, const std::string& value) {
    line += fmt::format(" --{} {}", name, shell_word(value));
  };
  const auto list = [&option](const char* name, const auto& values, const auto& usual) {
    if (values != usual) option(name, fmt::format("{}", fmt::join(values, ",")));
  };
  option("windows", windows_text(r.windows));
  list("seq", r.seq_lens, defaults.seq_lens);
  list("batch", r.batches, defaults.batches);
  list("q-heads", r.q_heads, defaults.q_heads);
  list("kv-heads", r.kv_heads, defaults.kv_heads);
  list("head-dim", r.head_dims, defaults.head_dims);
  if (r.forms != defaults.forms) option("form", names(r.forms));
  if (r.mask != defaults.mask) option("mask", std::string(to_string(r.mask)));
  if (r.element) option("element", std::string(to_string(*r.element)));
  if (r.scale) option("scale", fmt::format("{}", *r.scale));
  if (r.k2_bias != 0) option("k2-bias", fmt::format("{}", r.k2_bias));
  if (r.v2_bias != 0) option("v2-bias", fmt::format("{}", r.v2_bias));
  if (r.sink) option("sink", fmt::format("{}", *r.sink));
  if (r.deterministic) line += " --deterministic";
  if (r.passes != defaults.passes) option("pass", names(r.passes));
  std::vector<std::string> kernels = r.kernels;
  if (!r.plugin.empty())
    kernels.push_back(r.plugin.filename().string());  // a database is given away; its folders are not
  list("kernel", kernels, defaults.kernels);
  if (r.instance != defaults.instance) option("instance", r.instance);
  if (r.device != defaults.device) option("device", r.device);
  if (r.regimes != defaults.regimes) option("regime", names(r.regimes));
  if (r.timing_source) option("timing-source", std::string(to_string(*r.timing_source)));
  if (r.counters != defaults.counters) option("counters", std::string(to_string(r.counters)));
  if (r.stopping.precision != defaults.stopping.precision)
    option("precision", fmt::format("{:.12g}%", 100 * r.stopping.precision));
  if (r.stopping.budget_ns != defaults.stopping.budget_ns)
    option("budget", fmt::format("{:.12g}s", 1e-9 * static_cast<double>(r.stopping.budget_ns)));
  if (r.restarts != defaults.restarts) option("restarts", std::to_string(r.restarts));
  if (r.seed != defaults.seed) option("seed", std::to_string(r.seed));
  if (!r.tensors.empty()) option("tensors", r.tensors.string());
  if (r.time_limit != defaults.time_limit)
    option("time-limit", fmt::format("{:.12g}s", 1e-3 * static_cast<double>(r.time_limit.count())));
  if (!r.worker_prefix.empty()) {
    std::string prefix;
    for (const std::string& word : r.worker_prefix)
      prefix += fmt::format("{}{}", prefix.empty() ? "" : " ", shell_word(word));
    option("worker-prefix", prefix);
  }
  return line;
}

}  // namespace triscope
