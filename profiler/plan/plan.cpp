#include "profiler/plan/plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "kernels/attention/flops.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/text/nearest_name.hpp"
#include "kernels/tensors/tensor_file.hpp"
#include "profiler/plan/default_windows.hpp"
#include "profiler/plan/request.hpp"
#include "profiler/record/catalog_codec.hpp"
#include "profiler/record/words/kernel_refusal.hpp"

namespace triscope {
namespace {

constexpr std::int64_t kGemmSize = 8192;             // the product that stands for the machine's practical ceiling
constexpr std::int64_t kMostMeasurements = 100'000;  // of a sweep; a plan is held in memory

// One kernel asked for at one place of the plan, before its instances are known.
struct Candidate {
  std::size_t group = 0;
  const KernelInfo* kernel = nullptr;
  Problem problem;
  Pass pass = Pass::forward;
  Regime regime = Regime::sustained;
};

struct Shape {
  std::int64_t batch, seq_len, q_heads, kv_heads, head_dim;
};

[[noreturn]] void refuse(const std::string& what, const std::string& why, const std::string& fix) {
  throw Error(what, why, fix, ExitCode::usage);
}

bool is_baseline(const KernelInfo& kernel) { return is_baseline(kernel.card.kind); }

std::vector<std::pair<std::int64_t, std::int64_t>> head_pairs(const SweepRequest& request) {
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs;
  require_pairs_of_heads(request);
  for (std::size_t i = 0; i < request.q_heads.size(); ++i) {
    pairs.emplace_back(request.q_heads[i], request.kv_heads[request.kv_heads.size() == 1 ? 0 : i]);
  }
  return pairs;
}

std::vector<const KernelInfo*> select_kernels(const SweepRequest& request, const Catalog& catalog,
                                              const Device& device) {
  std::vector<const KernelInfo*> selected;
  for (const KernelInfo& kernel : catalog.kernels) {
    if (request.kernels.empty() && kernel.device == device.kind && kernel.card.kind != KernelKind::oracle)
      selected.push_back(&kernel);
  }
  for (const std::string& id : request.kernels) {
    const KernelInfo* kernel = find_kernel(catalog, id);
    if (kernel == nullptr) {
      std::vector<std::string> known;
      for (const KernelInfo& k : catalog.kernels) known.push_back(k.id);
      throw unknown_kernel(id, known, "measured");
    }
    if (request.device == "auto") require_device_of(*kernel, catalog, "measured");
    if (kernel->device != device.kind) throw kernel_of_another_device(*kernel, device, "measured");
    if (std::find(selected.begin(), selected.end(), kernel) == selected.end()) selected.push_back(kernel);
  }
  if (selected.empty())
    refuse("there is nothing to measure", "no kernel of this build runs on the device", "choose another device");
  return selected;
}

void check_instance(const SweepRequest& request, const std::vector<const KernelInfo*>& kernels) {
  if (request.instance == "auto" || request.instance == "all") return;
  std::vector<std::string> known{"auto", "all"};
  for (const KernelInfo* kernel : kernels) {
    for (const std::string& name : kernel->instances) {
      if (name == request.instance) return;
      if (std::find(known.begin(), known.end(), name) == known.end()) known.push_back(name);
    }
  }
  refuse(fmt::format("instance \"{}\" cannot be measured", request.instance), "none of the kernels has it",
         fmt::format("{}choose from: {}", nearest_name_hint(request.instance, known), fmt::join(known, ", ")));
}

// The shape of the tensors in the file replaces the request's lists; lists that contradict it are refused.
SweepRequest with_tensor_shape(SweepRequest request) {
  const TensorFile file(request.tensors);
  const auto shape_of = [&file](const char* name) {
    const std::vector<std::int64_t>& shape = file.shape_of(name);
    if (shape.size() != 4) {
      refuse(fmt::format("tensor {} cannot be used", name), fmt::format("it has {} dimensions", shape.size()),
             "store it as [batch, seq_len, heads, head_dim]");
    }
    return shape;
  };
  const auto q = shape_of("q"), k = shape_of("k1");
  const SweepRequest defaults;
  const auto replace = [](const char* name, std::vector<std::int64_t>& list, const std::vector<std::int64_t>& usual,
                          std::int64_t value) {
    if (!list.empty() && list != usual && list != std::vector{value}) {
      refuse(fmt::format("{} is {}", name, fmt::join(list, ",")), fmt::format("the tensors say {}", value),
             fmt::format("leave {} out: the tensors already say it", name));
    }
    list = {value};
  };
  replace("batch", request.batches, defaults.batches, q[0]);
  replace("seq", request.seq_lens, defaults.seq_lens, q[1]);
  replace("q-heads", request.q_heads, defaults.q_heads, q[2]);
  replace("kv-heads", request.kv_heads, defaults.kv_heads, k[2]);
  replace("head-dim", request.head_dims, defaults.head_dims, q[3]);
  return request;
}

// The file must hold what the kernels read. Dot-product attention does not read k2 and v2.
void check_tensors(const SweepRequest& request, const std::vector<const KernelInfo*>& kernels) {
  if (request.tensors.empty()) return;
  const TensorFile file(request.tensors);
  const bool two_axes =
      std::any_of(kernels.begin(), kernels.end(), [](const KernelInfo* k) { return !is_baseline(*k); });
  std::vector<const char*> names{"v1"};
  if (two_axes) names.insert(names.end(), {"k2", "v2"});
  for (const char* name : names) {
    const std::string what = fmt::format("the tensors of {} cannot be measured", request.tensors.string());
    const std::string fix =
        fmt::format("store {}, shaped like k1{}", name, two_axes ? ", or measure baselines only" : "");
    if (!file.contains(name)) refuse(what, fmt::format("the file holds no tensor called {}", name), fix);
    if (file.shape_of(name) != file.shape_of("k1")) refuse(what, fmt::format("{} and k1 differ in shape", name), fix);
  }
}

Problem make_problem(const SweepRequest& request, const Shape& shape, const Windows& windows, Form form,
                     Element element) {
  Problem problem;
  problem.form = form;
  problem.mask = request.mask;
  problem.element = element;
  problem.deterministic = request.deterministic;
  problem.batch = shape.batch;
  problem.seq_len = shape.seq_len;
  problem.q_heads = shape.q_heads;
  problem.kv_heads = shape.kv_heads;
  problem.head_dim = shape.head_dim;
  problem.window1 = windows.window1;
  problem.window2 = windows.window2;
  problem.scale = request.scale;
  problem.k2_bias = request.k2_bias;
  problem.v2_bias = request.v2_bias;
  problem.sink = request.sink;
  return problem;
}

Problem gemm_problem(Element element) {
  Problem problem;
  problem.form = Form::gemm;
  problem.element = element;
  problem.seq_len = kGemmSize;
  problem.q_heads = problem.kv_heads = problem.head_dim = problem.window1 = problem.window2 = 1;
  return problem;
}

// The product of all lists, in the order of measuring.
class Product {
 public:
  Product(const SweepRequest& request, const Device& device, std::vector<const KernelInfo*> kernels)
      : request_(request),
        element_(request.element.value_or(native_element(device.kind))),
        kernels_(std::move(kernels)) {}

  /// How many measurements the lists ask for; at most the largest number.
  std::int64_t count() const {
    const auto size = [](const auto& list) { return static_cast<std::int64_t>(list.size()); };
    std::int64_t product = 1;
    for (const std::int64_t factor : {size(request_.head_dims), size(head_pairs(request_)), size(request_.batches),
                                      size(request_.seq_lens), size(request_.windows), size(request_.forms),
                                      size(request_.passes), size(request_.regimes), size(kernels_)}) {
      if (__builtin_mul_overflow(product, factor, &product)) return std::numeric_limits<std::int64_t>::max();
    }
    return product;
  }

  std::vector<Candidate> expand() {
    add_gemm();
    for (const std::int64_t head_dim : request_.head_dims) {
      for (const auto& [q_heads, kv_heads] : head_pairs(request_)) {
        for (const std::int64_t batch : request_.batches) {
          for (const std::int64_t seq_len : request_.seq_lens) add_shape({batch, seq_len, q_heads, kv_heads, head_dim});
        }
      }
    }
    return std::move(candidates_);
  }

 private:
  void add_gemm() {
    for (const KernelInfo* kernel : kernels_) {
      if (kernel->card.kind != KernelKind::gemm) continue;
      for (const Regime regime : request_.regimes) {
        candidates_.push_back({group_++, kernel, gemm_problem(element_), Pass::forward, regime});
      }
    }
  }

  void add_shape(const Shape& shape) {
    std::set<std::tuple<Form, std::int64_t, std::int64_t>> seen;  // windows beyond all tokens are one problem
    for (const Windows& windows : request_.windows) {
      for (const Form form : request_.forms) {
        const bool full = request_.mask == Mask::full;
        const auto seen_by_it = [&](std::int64_t window) {
          return full ? shape.seq_len : std::min(window, shape.seq_len);
        };
        if (!seen.emplace(form, seen_by_it(windows.window1), seen_by_it(windows.window2)).second) continue;
        const Problem problem = make_problem(request_, shape, windows, form, element_);
        for (const Pass pass : request_.passes) {
          for (const Regime regime : request_.regimes) add_group(problem, pass, regime);
        }
      }
    }
  }

  void add_group(const Problem& problem, Pass pass, Regime regime) {
    for (const KernelInfo* kernel : kernels_) {
      if (kernel->card.kind == KernelKind::gemm) continue;
      // For "dot_product", "all kernels" means the baselines. Any other kernel that was named is refused with the
      // reason.
      if (problem.form == Form::dot_product && !is_baseline(*kernel) && request_.kernels.empty()) continue;
      const bool beside = is_baseline(*kernel) && problem.form != Form::dot_product;
      candidates_.push_back({group_, kernel, beside ? baseline_problem(problem) : problem, pass, regime});
    }
    ++group_;
  }

  const SweepRequest& request_;
  Element element_;
  std::vector<const KernelInfo*> kernels_;
  std::vector<Candidate> candidates_;
  std::size_t group_ = 0;
};

std::string question_text(const SupportQuestion& question) { return dump_line(nlohmann::json(question)); }

// Asks each different question once.
std::map<std::string, SupportAnswer> ask_all(const std::vector<Candidate>& candidates, const std::string& instance,
                                             const AskSupport& ask) {
  std::map<std::string, SupportAnswer> answers;
  std::vector<SupportQuestion> questions;
  for (const Candidate& candidate : candidates) {
    if (!validate(candidate.problem).empty()) continue;
    SupportQuestion question{candidate.kernel->id, candidate.problem, candidate.pass, instance};
    if (answers.try_emplace(question_text(question)).second) questions.push_back(std::move(question));
  }
  const std::vector<SupportAnswer> given = questions.empty() ? std::vector<SupportAnswer>{} : ask(questions);
  for (std::size_t i = 0; i < questions.size(); ++i) answers[question_text(questions[i])] = given.at(i);
  return answers;
}

double gibibytes(std::int64_t bytes) { return static_cast<double>(bytes) / (1 << 30); }

// Sorts candidates into groups and what is skipped. A key is measured once a sweep, in the first group that names it.
class Assembly {
 public:
  Assembly(const Device& device, TimingSource source) : device_(device), source_(source) {}

  void add(const Candidate& candidate, const InstanceSupport& support) {
    PlanEntry entry;
    entry.key.problem = candidate.problem;
    entry.key.pass = candidate.pass;
    entry.key.kernel = candidate.kernel->id;
    entry.key.instance = support.instance;
    entry.key.regime = candidate.regime;
    entry.key.timing_source = source_;
    entry.key.device_id = device_.id;
    entry.source_hash = candidate.kernel->source_hash.of(candidate.pass);
    entry.workspace_bytes = support.workspace_bytes;
    if (!seen_.insert(key_text(entry.key)).second) return add_reference(candidate, std::move(entry));
    if (const std::optional<std::string> reason = reason_against(entry, support)) {
      plan_.skipped.push_back({std::move(entry), *reason});
      return;
    }
    if (open_group_ != candidate.group) {
      plan_.groups.emplace_back();
      groups_.push_back(candidate.group);
    }
    open_group_ = candidate.group;
    measured_.emplace(key_text(entry.key), candidate.group);
    plan_.groups.back().entries.push_back(std::move(entry));
  }

  Plan take() {
    for (std::size_t n = 0; n < groups_.size(); ++n) {
      if (const auto found = references_.find(groups_[n]); found != references_.end())
        plan_.groups[n].references.push_back(std::move(found->second.entry));
    }
    return std::move(plan_);
  }

 private:
  struct Reference {
    std::int64_t rank = 0;
    PlanEntry entry;
  };

  // A dot-product baseline that an earlier group measures stands beside this one's kernels; that of lowest rank does.
  void add_reference(const Candidate& candidate, PlanEntry entry) {
    const auto measured = measured_.find(key_text(entry.key));
    if (candidate.kernel->card.kind != KernelKind::dot_product || !candidate.kernel->card.rank) return;
    if (measured == measured_.end() || measured->second == candidate.group) return;
    const std::int64_t rank = *candidate.kernel->card.rank;
    const auto [known, is_new] = references_.try_emplace(candidate.group, Reference{rank, entry});
    if (!is_new && rank < known->second.rank) known->second = {rank, std::move(entry)};
  }

  std::optional<std::string> reason_against(const PlanEntry& entry, const InstanceSupport& support) const {
    if (support.unsupported) return support.unsupported;
    if (device_.memory_bytes <= 0 || device_bytes(entry) <= device_.memory_bytes) return std::nullopt;
    return fmt::format("it needs {:.1f} GiB of memory, but the device has {:.1f} GiB", gibibytes(device_bytes(entry)),
                       gibibytes(device_.memory_bytes));
  }

  const Device& device_;
  TimingSource source_;
  Plan plan_;
  std::set<std::string> seen_;
  std::map<std::string, std::size_t> measured_;  // key to the candidates' group that measures it
  std::vector<std::size_t> groups_;              // the candidates' group of each of the plan's
  std::map<std::size_t, Reference> references_;  // by the candidates' group
  std::optional<std::size_t> open_group_;
};

}  // namespace

Measurement unmeasured(const PlanEntry& entry, Status status, std::string reason) {
  Measurement measurement;
  measurement.key = entry.key;
  measurement.source_hash = entry.source_hash;
  measurement.status = status;
  measurement.reason = std::move(reason);
  return measurement;
}

std::int64_t restarts_asked(const SweepRequest& request, const PlanGroup& group) {
  std::int64_t more = 0;
  for (const LongerRow& row : request.longer) {
    const auto is_row = [&](const PlanEntry& entry) { return entry.key == row.key; };
    if (row.restarts > more && std::ranges::any_of(group.entries, is_row)) more = row.restarts;
  }
  return std::min(request.restarts + more, kMostRestarts);
}

std::int64_t Plan::total() const {
  std::int64_t count = static_cast<std::int64_t>(skipped.size());
  for (const PlanGroup& group : groups) count += static_cast<std::int64_t>(group.entries.size());
  return count;
}

const Device& sweep_device(const SweepRequest& request, const Catalog& catalog) {
  if (request.device == "auto" && !request.kernels.empty()) {
    const bool cpu_only = std::all_of(request.kernels.begin(), request.kernels.end(), [&](const std::string& id) {
      const KernelInfo* kernel = find_kernel(catalog, id);
      return kernel != nullptr && kernel->device == DeviceKind::cpu;
    });
    if (cpu_only) return choose_device(catalog, "cpu");
  }
  return choose_device(catalog, request.device);
}

TimingSource sweep_timing_source(const SweepRequest& request, const Device& device) {
  const TimingSource usual = timing_source(device);
  const TimingSource source = request.timing_source.value_or(usual);
  const bool on_cpu = device.kind == DeviceKind::cpu;
  if (on_cpu != (source == TimingSource::cpu_clock)) {
    refuse(fmt::format("device {} cannot be timed by {}", device.id, to_string(source)),
           fmt::format("{} has no such clock", device.name),
           on_cpu ? "leave --timing-source out" : "choose cupti or cuda_events");
  }
  if (on_cpu && request.counters != CounterSet::none) {
    refuse("hardware counters cannot be read", "only GPUs have them, and the device is the CPU",
           "leave --counters out");
  }
  return source;
}

SweepRequest with_defaults(const SweepRequest& request, const Device& device) {
  SweepRequest full = request.tensors.empty() ? request : with_tensor_shape(request);
  const bool gpu = device.kind == DeviceKind::cuda;
  if (full.seq_lens.empty()) full.seq_lens = {gpu ? 32768 : 1024};
  full.windows = default_windows(full);
  if (full.q_heads.empty()) full.q_heads = {gpu ? 64 : 2};
  if (full.kv_heads.empty()) full.kv_heads = {1};
  if (full.batches.empty()) full.batches = {1};
  if (full.head_dims.empty()) full.head_dims = {128};
  return full;
}

Plan make_plan(const SweepRequest& given, const Catalog& catalog, const AskSupport& ask) {
  require_measurable(given);
  const Device& device = sweep_device(given, catalog);
  const SweepRequest request = with_defaults(given, device);
  const std::vector<const KernelInfo*> kernels = select_kernels(request, catalog, device);
  check_instance(request, kernels);
  check_tensors(request, kernels);

  Product product(request, device, kernels);
  if (product.count() > kMostMeasurements) {
    refuse("the sweep is too large",
           fmt::format("this is {} measurements, more than {}", product.count(), kMostMeasurements),
           "name fewer windows, lengths, heads or kernels");
  }
  const std::vector<Candidate> candidates = product.expand();
  const std::map<std::string, SupportAnswer> answers = ask_all(candidates, request.instance, ask);
  Assembly assembly(device, sweep_timing_source(given, device));
  for (const Candidate& candidate : candidates) {
    const std::vector<std::string> reasons = validate(candidate.problem);
    if (!reasons.empty()) {
      assembly.add(candidate, {candidate.kernel->instances.front(), fmt::format("{}", fmt::join(reasons, "; ")), 0});
      continue;
    }
    const SupportQuestion question{candidate.kernel->id, candidate.problem, candidate.pass, request.instance};
    for (const InstanceSupport& support : answers.at(question_text(question)).instances)
      assembly.add(candidate, support);
  }
  Plan plan = assembly.take();
  if (plan.groups.empty()) {
    const SkippedEntry& first = plan.skipped.front();
    refuse("nothing of this sweep can be measured",
           fmt::format("{} ({}): {}", first.entry.key.kernel, describe(first.entry.key.problem), first.reason),
           "change the problem or choose another kernel");
  }
  return plan;
}

}  // namespace triscope
