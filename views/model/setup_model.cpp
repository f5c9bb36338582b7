#include "views/model/setup_model.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>

#include "kernels/attention/paper.hpp"
#include "kernels/attention/problem.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/text/list_items.hpp"
#include "profiler/plan/request.hpp"
#include "views/data/format.hpp"
#include "views/data/window_data.hpp"

namespace triscope {
namespace {

constexpr double kLongSeconds = 3600, kMuchMemory = 0.8;

std::int64_t parse_number(std::string word) {
  std::int64_t factor = 1;
  if (!word.empty() && (word.back() == 'k' || word.back() == 'K')) {
    factor = 1024;
    word.pop_back();
  }
  std::int64_t value = 0;
  const auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (failed != std::errc() || end != word.data() + word.size() || value <= 0 || value > (std::int64_t{1} << 40)) {
    throw Error(fmt::format("\"{}\" cannot be read", word), "it is not a positive whole number",
                "type numbers such as 4096 or 4k", ExitCode::usage);
  }
  return value * factor;
}

/// Numbers may be written "32,768": a comma before exactly three digits, and without a space, belongs to the number.
bool is_thousands_comma(std::string_view text, std::size_t comma) {
  const auto digit = [&](std::size_t i) { return i < text.size() && text[i] >= '0' && text[i] <= '9'; };
  std::size_t first = comma;
  while (first > 0 && digit(first - 1)) --first;
  const std::size_t before = comma - first;
  return before >= 1 && before <= 3 && digit(comma + 1) && digit(comma + 2) && digit(comma + 3) && !digit(comma + 4);
}

template <typename Value>
void read_list(FormReading& reading, const char* field, const std::string& text, std::vector<Value>& target) {
  try {
    target = parse_numbers(text);
    if (target.empty()) reading.problems[field] = "Type at least one number.";
  } catch (const Error& error) {
    reading.problems[field] = fmt::format("{}: {}.", error.summary(), error.fix());
  }
}

std::optional<double> read_real(FormReading& reading, const char* field, const std::string& text) {
  if (text.empty()) return std::nullopt;
  try {
    std::size_t used = 0;
    const double value = std::stod(text, &used);
    if (used == text.size() && std::isfinite(value)) return value;
  } catch (const std::exception&) {
  }
  reading.problems[field] = "Type a number, or leave it empty.";
  return std::nullopt;
}

/// Whether these fields can be read, so that more can be said of what stands in them.
bool can_read(const FormReading& reading, std::initializer_list<const char*> fields) {
  return std::ranges::none_of(fields, [&](const char* field) { return reading.problems.contains(field); });
}

void check_heads(FormReading& reading) {
  const SweepRequest& request = reading.request;
  if (!can_read(reading, {"q_heads", "kv_heads"})) return;
  if (request.kv_heads.size() != 1 && request.kv_heads.size() != request.q_heads.size()) {
    reading.problems["kv_heads"] = "Give one number for all, or as many as query heads.";
    return;
  }
  for (std::size_t h = 0; h < request.q_heads.size(); ++h) {
    const std::int64_t kv = request.kv_heads[request.kv_heads.size() == 1 ? 0 : h];
    if (request.q_heads[h] % kv != 0) {
      reading.problems["kv_heads"] =
          fmt::format("{} query heads cannot share {} KV heads evenly.", request.q_heads[h], kv);
    }
  }
}

/// What `validate` says about the shapes, filed under the field that can mend it: of each field on its own, so that
/// what is wrong with another one hides nothing.
void check_shapes(FormReading& reading) {
  const SweepRequest& request = reading.request;
  check_heads(reading);
  for (const Form form : request.forms) {
    if (!can_read(reading, {"head_dims"})) break;
    for (const std::int64_t dim : request.head_dims) {
      Problem problem;
      problem.form = form;
      problem.element = Element::fp32;
      problem.head_dim = dim;
      problem.q_heads = problem.kv_heads = 1;
      problem.seq_len = problem.window1 = problem.window2 = 1;
      const auto reasons = validate(problem);
      if (!reasons.empty()) reading.problems["head_dims"] = reasons.front();
    }
  }
  if (!can_read(reading, {"seq_lens", "windows"})) return;
  const std::int64_t shortest = std::ranges::min(request.seq_lens);
  for (const Windows& windows : request.windows) {
    if (std::max(windows.window1, windows.window2) > shortest) {
      reading.problems["windows"] = fmt::format("{}x{} is wider than {} tokens: remove it, or give more tokens.",
                                                windows.window1, windows.window2, shortest);
    }
  }
}

std::string join(const std::vector<std::int64_t>& values) {
  std::string text;
  for (const std::int64_t value : values) text += fmt::format("{}{}", text.empty() ? "" : ", ", value);
  return text;
}

}  // namespace

SetupForm default_form(bool gpu) {
  SetupForm form;
  if (gpu) {
    form.seq_lens = "32768";
    form.q_heads = "64";
    form.head_dims = "128";
  }
  apply_preset(form, WindowPreset::table1);
  return form;
}

std::vector<std::int64_t> parse_numbers(std::string_view text) {
  std::string plain;  // without the commas of "32,768"
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != ',' || !is_thousands_comma(text, i)) plain += text[i];
  }
  std::vector<std::int64_t> numbers;
  for (const std::string_view word : list_words(plain)) numbers.push_back(parse_number(std::string(word)));
  return numbers;
}

bool runs_on_gpu(const SetupForm& form, const Catalog* catalog) {
  if (catalog == nullptr) return false;
  try {
    return choose_device(*catalog, form.device).kind == DeviceKind::cuda;
  } catch (const Error&) {
    return false;  // the field says what is wrong with it
  }
}

std::string plan_warning(const PlanPreview& preview, const SetupForm& form, const Catalog* catalog) {
  if (!preview.problem.empty()) return {};
  std::string text = preview.seconds > kLongSeconds ? "about " + format_seconds(preview.seconds) : std::string();
  if (catalog == nullptr) return text;
  try {
    const Device& device = choose_device(*catalog, form.device);
    const auto memory = static_cast<double>(device.memory_bytes);
    if (memory > 0 && static_cast<double>(preview.bytes) > kMuchMemory * memory)
      text += fmt::format("{}{} of the device's {}", text.empty() ? "" : ", ", format_bytes(preview.bytes),
                          format_bytes(device.memory_bytes));
  } catch (const Error&) {  // the form says what is wrong with the device
  }
  return text;
}

namespace {

void read_restarts(FormReading& reading, const std::string& text) {
  std::vector<std::int64_t> restarts;
  read_list(reading, "restarts", text, restarts);
  if (reading.problems.contains("restarts")) return;
  if (restarts.size() == 1 && restarts.front() <= kMostRestarts) {
    reading.request.restarts = restarts.front();
  } else {
    reading.problems["restarts"] = fmt::format("One number, at most {}.", kMostRestarts);
  }
}

/// The kernels that are switched on, by name where not all are, or where a library is open: it is loaded only for them.
void read_kernels(FormReading& reading, const SetupForm& form, const Catalog* catalog, const KernelLibrary* library) {
  const bool opened = library != nullptr && !library->file.empty();
  if (!catalog || (form.excluded_kernels.empty() && !opened)) return;
  SweepRequest& request = reading.request;
  const auto has = [](const std::vector<std::string>& list, const std::string& id) {
    return std::find(list.begin(), list.end(), id) != list.end();
  };
  try {
    const DeviceKind kind = choose_device(*catalog, form.device).kind;
    for (const KernelInfo& kernel : catalog->kernels) {
      if (!has(form.excluded_kernels, kernel.id) && kernel.device == kind && kernel.card.kind != KernelKind::oracle)
        request.kernels.push_back(kernel.id);
    }
    if (request.kernels.empty()) reading.problems["kernels"] = "Choose at least one kernel.";
    const auto chosen = [&](const std::string& id) { return has(request.kernels, id); };
    if (opened && std::any_of(library->kernels.begin(), library->kernels.end(), chosen)) {
      request.plugin = library->file;
      request.plugin_sha256 = library->sha256;
    }
  } catch (const Error& error) {
    reading.problems["device"] = error.what();
  }
}

}  // namespace

FormReading read_form(const SetupForm& form, const Catalog* catalog, const KernelLibrary* library) {
  FormReading reading;
  SweepRequest& request = reading.request;
  read_list(reading, "batches", form.batches, request.batches);
  read_list(reading, "seq_lens", form.seq_lens, request.seq_lens);
  read_list(reading, "q_heads", form.q_heads, request.q_heads);
  read_list(reading, "kv_heads", form.kv_heads, request.kv_heads);
  read_list(reading, "head_dims", form.head_dims, request.head_dims);
  request.sink = read_real(reading, "sink", form.sink);
  request.scale = read_real(reading, "scale", form.scale);
  request.forms.clear();
  if (form.trilinear) request.forms.push_back(Form::trilinear);
  if (form.determinant) request.forms.push_back(Form::determinant);
  request.passes.clear();
  if (form.forward) request.passes.push_back(Pass::forward);
  if (form.backward) request.passes.push_back(Pass::backward);
  request.regimes.clear();
  if (form.sustained) request.regimes.push_back(Regime::sustained);
  if (form.burst) request.regimes.push_back(Regime::burst);
  if (request.forms.empty()) reading.problems["forms"] = "Choose at least one form.";
  if (request.passes.empty()) reading.problems["passes"] = "Choose at least one pass.";
  if (request.regimes.empty()) reading.problems["regimes"] = "Choose at least one regime.";
  request.windows = form.windows;
  if (request.windows.empty()) reading.problems["windows"] = "Choose at least one window: click in the grid.";
  request.deterministic = form.deterministic;
  request.counters = form.counters && runs_on_gpu(form, catalog) ? CounterSet::standard : CounterSet::none;
  request.device = form.device;
  request.stopping.precision = form.precision_percent / 100;
  request.stopping.budget_ns = std::llround(form.budget_seconds * 1e9);
  if (!(form.precision_percent > 0 && form.precision_percent <= 50))
    reading.problems["precision"] = "Between 0.01 and 50 %.";
  if (!(form.budget_seconds >= 0.1 && form.budget_seconds <= 3600))
    reading.problems["budget"] = "Between 0.1 and 3600 s.";
  read_restarts(reading, form.restarts);
  if (form.needs_device.empty()) {
    read_kernels(reading, form, catalog, library);
  } else {
    reading.problems["device"] =
        fmt::format("This plan needs {} with {}, which this computer lacks: run its command there, or choose kernels.",
                    form.needs_device, fmt::join(form.needs_kernels, " and "));
    request.device = "auto";
    request.kernels = form.needs_kernels;
  }
  for (const auto& [field, why] : form.wrong) reading.problems[field] = why;
  const bool complete = reading.problems.empty();
  check_shapes(reading);
  if (complete) {
    reading.configurations = static_cast<std::int64_t>(
        request.windows.size() * request.seq_lens.size() * request.batches.size() * request.q_heads.size() *
        request.head_dims.size() * request.forms.size() * request.passes.size() * request.regimes.size());
  }
  return reading;
}

SetupForm form_of(const SweepRequest& request, const Catalog* catalog) {
  SetupForm form;
  const auto has = [](const auto& list, auto value) {
    return std::find(list.begin(), list.end(), value) != list.end();
  };
  form.trilinear = has(request.forms, Form::trilinear);
  form.determinant = has(request.forms, Form::determinant);
  form.forward = has(request.passes, Pass::forward);
  form.backward = has(request.passes, Pass::backward);
  form.sustained = has(request.regimes, Regime::sustained);
  form.burst = has(request.regimes, Regime::burst);
  if (!request.batches.empty()) form.batches = join(request.batches);
  if (!request.seq_lens.empty()) form.seq_lens = join(request.seq_lens);
  if (!request.q_heads.empty()) form.q_heads = join(request.q_heads);
  if (!request.kv_heads.empty()) form.kv_heads = join(request.kv_heads);
  if (!request.head_dims.empty()) form.head_dims = join(request.head_dims);
  form.sink = request.sink ? fmt::format("{}", *request.sink) : "";
  form.scale = request.scale ? fmt::format("{}", *request.scale) : "";
  form.deterministic = request.deterministic;
  form.counters = request.counters != CounterSet::none;
  form.windows = request.windows;
  if (form.windows.empty()) apply_preset(form, WindowPreset::table1);
  form.windows_text = windows_to_text(form.windows);
  form.device = request.device;
  form.precision_percent = request.stopping.precision * 100;
  form.budget_seconds = static_cast<double>(request.stopping.budget_ns) * 1e-9;
  form.restarts = fmt::format("{}", request.restarts);
  if (catalog && !request.kernels.empty()) {
    for (const KernelInfo& kernel : catalog->kernels) {
      if (!has(request.kernels, kernel.id)) form.excluded_kernels.push_back(kernel.id);
    }
  }
  return form;
}

void plan_on(SetupForm& form, const PlannedOn& on, const Catalog* catalog) {
  form.needs_device.clear();
  form.needs_kernels.clear();
  form.excluded_kernels.clear();
  if (catalog == nullptr) return;
  const auto wanted = [&](const std::string& id) { return std::ranges::find(on.kernels, id) != on.kernels.end(); };
  std::optional<DeviceKind> kind;
  std::size_t known = 0;
  for (const KernelInfo& kernel : catalog->kernels) {
    if (!wanted(kernel.id)) {
      form.excluded_kernels.push_back(kernel.id);
      continue;
    }
    kind = kernel.device;
    ++known;
  }
  const Device* device = nullptr;
  for (const Device& one : catalog->devices) {
    if (one.kind == kind && (device == nullptr || one.name == on.device)) device = &one;
  }
  if (device != nullptr && known == on.kernels.size()) {
    form.device = device->id;
  } else {
    form.needs_device = on.device;
    form.needs_kernels = on.kernels;
  }
}

void plan_windows(SetupForm& form, const Problem& like, const std::vector<Windows>& windows,
                  const std::vector<Pass>& passes, const PlannedOn& on, const Catalog* catalog) {
  form.trilinear = like.form != Form::determinant;
  form.determinant = !form.trilinear;
  form.forward = std::ranges::find(passes, Pass::forward) != passes.end();
  form.backward = std::ranges::find(passes, Pass::backward) != passes.end();
  form.sustained = true;
  form.burst = false;
  form.batches = fmt::format("{}", like.batch);
  form.seq_lens = fmt::format("{}", like.seq_len);
  form.q_heads = fmt::format("{}", like.q_heads);
  form.kv_heads = fmt::format("{}", like.kv_heads);
  form.head_dims = fmt::format("{}", like.head_dim);
  form.sink.clear();
  form.scale.clear();
  form.deterministic = like.deterministic;
  form.windows = windows;
  form.windows_text = windows_to_text(windows);
  plan_on(form, on, catalog);
}

bool WindowGrid::chosen(const SetupForm& form, std::size_t i1, std::size_t i2) const {
  return std::find(form.windows.begin(), form.windows.end(), Windows{axis1[i1], axis2[i2]}) != form.windows.end();
}

WindowGrid make_grid(const SetupForm& form) {
  std::set<std::int64_t> axis1{16, 32, 64, 128, 256, 512, 1024}, axis2{16, 32, 64, 128, 256};
  for (const Windows& windows : form.windows) {
    axis1.insert(windows.window1);
    axis2.insert(windows.window2);
  }
  return {{axis1.begin(), axis1.end()}, {axis2.begin(), axis2.end()}};
}

void set_rectangle(SetupForm& form, const WindowGrid& grid, std::array<std::size_t, 2> corner,
                   std::array<std::size_t, 2> opposite, bool on) {
  for (std::size_t i2 = std::min(corner[1], opposite[1]); i2 <= std::max(corner[1], opposite[1]); ++i2) {
    for (std::size_t i1 = std::min(corner[0], opposite[0]); i1 <= std::max(corner[0], opposite[0]); ++i1) {
      const Windows windows{grid.axis1[i1], grid.axis2[i2]};
      const auto found = std::find(form.windows.begin(), form.windows.end(), windows);
      if (on && found == form.windows.end()) form.windows.push_back(windows);
      if (!on && found != form.windows.end()) form.windows.erase(found);
    }
  }
  form.windows_text = windows_to_text(form.windows);
}

std::vector<Windows> equal_area(const WindowGrid& grid, Windows windows) {
  std::vector<Windows> result;
  for (const std::int64_t w2 : grid.axis2) {
    for (const std::int64_t w1 : grid.axis1) {
      if (w1 * w2 == windows.window1 * windows.window2) result.push_back({w1, w2});
    }
  }
  return result;
}

std::array<PresetText, 4> window_presets() {
  return {PresetText{WindowPreset::table1, "Paper, Table 1", "The seven windows of the paper's Table 1."},
          PresetText{WindowPreset::powers, "Powers of two", "w1 from 16 to 1024, w2 from 16 to 256, w2 at most w1."},
          PresetText{WindowPreset::equal_area, "Equal area",
                     "Every shape of 16,384 pairs: does the shape matter when the work is the same?"},
          PresetText{WindowPreset::none, "None", "Start from an empty grid."}};
}

void apply_preset(SetupForm& form, WindowPreset preset) {
  form.windows.clear();
  switch (preset) {
    case WindowPreset::table1:
      for (const PaperRow& row : paper_table1()) form.windows.push_back(row.windows);
      break;
    case WindowPreset::powers:
      for (std::int64_t w2 = 16; w2 <= 256; w2 *= 2) {
        for (std::int64_t w1 = w2; w1 <= 1024; w1 *= 2) form.windows.push_back({w1, w2});
      }
      break;
    case WindowPreset::equal_area:
      form.windows = equal_area(make_grid(form), {512, 32});
      break;
    case WindowPreset::none:
      break;
  }
  form.windows_text = windows_to_text(form.windows);
}

std::string windows_to_text(const std::vector<Windows>& windows) {
  std::string text;
  for (const Windows& window : windows)
    text += fmt::format("{}{}x{}", text.empty() ? "" : ", ", window.window1, window.window2);
  return text;
}

}  // namespace triscope
