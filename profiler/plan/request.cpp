// A sweep request as JSON (kept in the database, for --resume) and as a command line (shown to people).
#include "profiler/plan/request.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kernels/attention/paper.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/shell_word.hpp"
#include "profiler/record/measurement_codec.hpp"
#include "profiler/statistics/statistics_codec.hpp"

namespace triscope {
namespace {

using nlohmann::json;

// A missing member keeps its default, so that requests recorded by older versions can still be read.
template <typename T>
void read(const json& j, const char* name, T& value) {
  if (const auto member = j.find(name); member != j.end()) member->get_to(value);
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

std::string to_json(const SweepRequest& r) {
  json j;
  j["windows"] = r.windows;
  j["seq_lens"] = r.seq_lens;
  j["batches"] = r.batches;
  j["q_heads"] = r.q_heads;
  j["kv_heads"] = r.kv_heads;
  j["head_dims"] = r.head_dims;
  j["forms"] = r.forms;
  j["passes"] = r.passes;
  j["kernels"] = r.kernels;
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
  j["seed"] = r.seed;
  j["tensors"] = r.tensors.string();
  j["worker_prefix"] = r.worker_prefix;
  j["time_limit_ms"] = r.time_limit.count();
  return dump_line(j);
}

SweepRequest sweep_request_from_json(const std::string& text) {
  SweepRequest r;
  try {
    const json j = json::parse(text);
    read(j, "windows", r.windows);
    read(j, "seq_lens", r.seq_lens);
    read(j, "batches", r.batches);
    read(j, "q_heads", r.q_heads);
    read(j, "kv_heads", r.kv_heads);
    read(j, "head_dims", r.head_dims);
    read(j, "forms", r.forms);
    read(j, "passes", r.passes);
    read(j, "kernels", r.kernels);
    read(j, "instance", r.instance);
    read(j, "device", r.device);
    read(j, "regimes", r.regimes);
    read(j, "timing_source", r.timing_source);
    read(j, "counters", r.counters);
    read(j, "mask", r.mask);
    read(j, "element", r.element);
    read(j, "deterministic", r.deterministic);
    read(j, "scale", r.scale);
    read(j, "k2_bias", r.k2_bias);
    read(j, "v2_bias", r.v2_bias);
    read(j, "sink", r.sink);
    read(j, "stopping", r.stopping);
    read(j, "seed", r.seed);
    std::string tensors;
    read(j, "tensors", tensors);
    r.tensors = tensors;
    read(j, "worker_prefix", r.worker_prefix);
    std::int64_t time_limit_ms = r.time_limit.count();
    read(j, "time_limit_ms", time_limit_ms);
    r.time_limit = std::chrono::milliseconds(time_limit_ms);
  } catch (const json::exception& e) {
    throw Error("the request of a sweep cannot be read", e.what(), "start a new sweep instead of resuming this one");
  }
  return r;
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
  list("kernel", r.kernels, defaults.kernels);
  if (r.instance != defaults.instance) option("instance", r.instance);
  if (r.device != defaults.device) option("device", r.device);
  if (r.regimes != defaults.regimes) option("regime", names(r.regimes));
  if (r.timing_source) option("timing-source", std::string(to_string(*r.timing_source)));
  if (r.counters != defaults.counters) option("counters", std::string(to_string(r.counters)));
  if (r.stopping.precision != defaults.stopping.precision)
    option("precision", fmt::format("{:.12g}%", 100 * r.stopping.precision));
  if (r.stopping.budget_ns != defaults.stopping.budget_ns)
    option("budget", fmt::format("{:.12g}s", 1e-9 * static_cast<double>(r.stopping.budget_ns)));
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
