// What the next sweep measures: fields, windows, kernels, precision; the plan below.
#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <utility>

#include "kernels/base/error.hpp"
#include "profiler/plan/sweep_title.hpp"
#include "profiler/plan/windows.hpp"
#include "profiler/record/columns.hpp"
#include "views/data/format.hpp"
#include "views/parts/number_field.hpp"
#include "views/parts/widgets.hpp"
#include "views/setup/setup_panels.hpp"
#include "views/setup/window_grid.hpp"

namespace triscope {
namespace {

constexpr float kNarrowest = 240, kLowest = 220;  // design pixels of fields and plan; with less, all of it scrolls
constexpr float kFooter = 44;                     // of the plan below them
constexpr float kMoreLine = 18;                   // of that note alone
constexpr float kMore = 64;                       // of the note beside the plan that there are more fields

/// Half of the panel for the label, right-aligned field after it. A field that is wrong has a border; what is wrong
/// stands below all of them, so that none moves while one is typed in.
class Fields {
 public:
  Fields(Context& context, const FormReading& reading) : context_(context), reading_(reading) {}

  void label(const char* text, const char* help) {
    const float left = ImGui::GetCursorPosX();
    ImGui::AlignTextToFramePadding();
    coloured_text(context_.look.theme.text, text);
    tooltip(context_, help);
    ImGui::SameLine(left + context_.look.px(84));
  }

  void text(const char* name, const char* field, const char* help, std::string& value, const char* hint = "") {
    label(name, help);
    input(field, value, hint, -1);
  }

  /// Two short fields on one line, with a word between them.
  struct Half {
    const char* field;
    std::string& value;
    const char* hint;
    const char* help;
  };
  void pair(const char* name, const Half& first, const char* between, const Half& second) {
    label(name, first.help);
    const float gap = context_.look.px(6), word = ImGui::CalcTextSize(between).x;
    const float width = (ImGui::GetContentRegionAvail().x - word - 2 * gap) / 2;
    input(first.field, first.value, first.hint, width);
    tooltip(context_, first.help);
    ImGui::SameLine(0, gap);
    coloured_text(context_.look.theme.muted, between);
    ImGui::SameLine(0, gap);
    input(second.field, second.value, second.hint, -1);
    tooltip(context_, second.help);
  }

 private:
  void input(const char* field, std::string& value, const char* hint, float width) {
    const bool bad = reading_.problems.contains(field);
    ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, bad ? std::max(1.0F, context_.look.px(1)) : 0);
    ImGui::PushStyleColor(ImGuiCol_Border, context_.look.theme.slower);
    {
      const NumberFont font(context_.look);
      ImGui::SetNextItemWidth(width);
      ImGui::InputTextWithHint(fmt::format("##{}", field).c_str(), hint, &value);
    }
    ImGui::PopStyleColor();
    ImGui::PopStyleVar();
  }

  Context& context_;
  const FormReading& reading_;
};

void two_chips(const Context& context, const char* first, bool& first_on, const char* second, bool& second_on) {
  if (chip(context, first, first_on)) first_on = !first_on;
  ImGui::SameLine(0, context.look.px(4));
  if (chip(context, second, second_on)) second_on = !second_on;
}

/// The list of windows as text; what is none stays, and the grid keeps the last list that could be read.
void draw_windows_text(Context& context) {
  SetupForm& form = context.ui.form;
  const bool bad = form.wrong.contains("windows");
  ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, bad ? std::max(1.0F, context.look.px(1)) : 0);
  ImGui::PushStyleColor(ImGuiCol_Border, context.look.theme.slower);
  bool edited = false;
  {
    const NumberFont font(context.look, kSecondarySize);
    ImGui::SetNextItemWidth(-1);
    edited = ImGui::InputTextWithHint("##windows", "512x32, 256x64 or grid:16..1024", &form.windows_text);
  }
  ImGui::PopStyleColor();
  ImGui::PopStyleVar();
  if (edited) {
    form.wrong.erase("windows");
    try {
      form.windows = parse_windows(form.windows_text);
    } catch (const Error& error) {
      form.wrong["windows"] = fmt::format("{}: {}.", error.summary(), error.why());
    }
  } else if (bad && form.windows_text == windows_to_text(form.windows)) {
    form.wrong.erase("windows");  // chosen in the grid meanwhile
  }
  if (ImGui::IsItemDeactivated() && !form.wrong.contains("windows")) form.windows_text = windows_to_text(form.windows);
}

void draw_windows(Context& context) {
  UiState& ui = context.ui;
  ImGui::AlignTextToFramePadding();
  muted_text(context, fmt::format("Windows: w1 →  w2 ↑, {} chosen", ui.form.windows.size()));
  const char* label = "Presets";
  align_right(ImGui::CalcTextSize(label).x + 2 * ImGui::GetStyle().FramePadding.x);
  if (ImGui::Button(label)) ImGui::OpenPopup("presets");
  if (ImGui::BeginPopup("presets")) {
    for (const PresetText& preset : window_presets()) {
      if (ImGui::MenuItem(preset.label)) apply_preset(ui.form, preset.preset);
      tooltip(context, preset.help);
    }
    ImGui::EndPopup();
  }
  draw_window_grid(context);
  draw_windows_text(context);
}

/// "FlashAttention-3" would fill a line: it is "FA3".
const std::string& chip_label(const KernelCard& card) {
  constexpr std::size_t kLong = 10;
  return card.label.size() > kLong ? card.short_label : card.label;
}

/// The library of the user's own kernels, or the way to one.
void draw_library(Context& context) {
  const KernelLibrary& library = context.data.library;
  if (ImGui::Button("Open kernel...")) context.request(FileRequest(ask::OpenKernel{}));
  tooltip(context, library.file.empty()
                       ? std::string("A library of yours, whose kernels are measured beside the others.")
                       : fmt::format("{} ({})", library.file, library.sha256.substr(0, 12)));
  if (library.file.empty()) return;
  ImGui::SameLine(0, context.look.px(8));
  bool& again = context.ui.measure_changed_library;
  ImGui::Checkbox("run when it changes", &again);
  tooltip(context, fmt::format("Measures again by itself when {} has changed. Without it, a bar offers to.",
                               std::filesystem::path(library.file).filename().string()));
}

void draw_kernels(Context& context) {
  UiState& ui = context.ui;
  const Machine& machine = context.data.machine;
  section(context, "Kernels");
  if (!machine.catalog) {
    muted_text(context,
               machine.loading ? std::string_view("Asking the worker what this machine can do ...")
                               : std::string_view(machine.problem),
               true);
    return;
  }
  DeviceKind kind = DeviceKind::cpu;
  try {
    kind = choose_device(*machine.catalog, ui.form.device).kind;
  } catch (const Error&) {
  }
  const float right = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
  bool first = true;
  std::string elsewhere;
  for (const KernelInfo& kernel : machine.catalog->kernels) {
    if (kernel.card.kind == KernelKind::oracle) continue;
    if (kernel.device != kind) {
      elsewhere += (elsewhere.empty() ? "" : ", ") + chip_label(kernel.card);
      continue;
    }
    std::string unable;
    if (context.data.preview) {
      const auto reason = context.data.preview->unable.find(kernel.id);
      if (reason != context.data.preview->unable.end()) unable = reason->second;
    }
    const std::string& label = chip_label(kernel.card);
    const float width = ImGui::CalcTextSize(label.c_str()).x + 2 * ImGui::GetStyle().FramePadding.x;
    if (!first && ImGui::GetItemRectMax().x + context.look.px(4) + width < right)
      ImGui::SameLine(0, context.look.px(4));
    first = false;
    auto& excluded = ui.form.excluded_kernels;
    const auto found = std::find(excluded.begin(), excluded.end(), kernel.id);
    if (chip(context, label.c_str(), unable.empty() && found == excluded.end(), unable.empty())) {
      ui.form.needs_device.clear();  // a choice for this computer
      ui.form.needs_kernels.clear();
      if (found == excluded.end()) {
        excluded.push_back(kernel.id);
      } else {
        excluded.erase(found);
      }
    }
    tooltip(context, unable.empty() ? fmt::format("{} ({})", kernel.name, kernel.id)
                                    : fmt::format("{} cannot run: {}", kernel.name, unable));
  }
  if (!elsewhere.empty())
    muted_text(context, (kind == DeviceKind::cuda ? "On the CPU only: " : "Need a GPU: ") + elsewhere, true);
  draw_library(context);
}

/// "Stop at [0.5 %] or [10 s]".
void draw_stopping(Context& context, Fields& fields) {
  SetupForm& form = context.ui.form;
  const auto number = [&](const char* field, double& value, const NumberBounds& bounds, const char* unit, float width,
                          const char* help) {
    const std::string id = fmt::format("##{}", field);
    number_field(context, id.c_str(), value, width, bounds, unit);
    tooltip(context, help);
    context.ui.fields.problems.clear();  // said below the fields, with those of the form
    form.wrong.erase(field);
    if (std::string why = wrong_words(context, id.c_str()); !why.empty()) form.wrong[field] = std::move(why);
  };
  fields.label("Stop at",
               "A measurement ends when its precision is reached or its time is spent, whichever comes first.");
  const float gap = context.look.px(6),
              width = (ImGui::GetContentRegionAvail().x - ImGui::CalcTextSize("or").x - 2 * gap) / 2;
  number("precision", form.precision_percent, {.least = 0.01, .most = 50}, " %", width,
         "Half the 95 % interval at which a measurement ends, in percent of the median.");
  ImGui::SameLine(0, gap);
  coloured_text(context.look.theme.muted, "or");
  ImGui::SameLine(0, gap);
  number("budget", form.budget_seconds, {.least = 0.1, .most = 3600}, " s", -1,
         "Seconds after which a measurement ends, even when the precision is not reached.");
  fields.text(
      "Restarts", "restarts",
      "How often each row is measured, each time by a new process and spread over the sweep. The restarts share "
      "the seconds above, and what changes between them is in the interval.",
      form.restarts);
}

/// Beside the note that there are more fields.
float plan_width(const Context& context) { return ImGui::GetContentRegionAvail().x - context.look.px(kMore); }

/// Of a plan that cannot run here: what it needs, and its command for there.
void draw_needs(Context& context, const FormReading& reading) {
  const SmallFont font(context.look);
  ImGui::BeginGroup();
  clipped_text(context, context.look.theme.unclear,
               fmt::format("⚠ needs {}, not this computer", short_device(context.ui.form.needs_device)),
               plan_width(context));
  ImGui::EndGroup();
  tooltip(context, reading.problems.at("device"));
  if (ImGui::SmallButton("Copy its command")) context.request(ask::CopyText{to_command_line(reading.request)});
  tooltip(context, to_command_line(reading.request));
}

/// Why a plan is marked.
std::string warning_words(const PlanPreview& preview, const std::string& warning, const SetupForm& form) {
  return sentence(warning) +
         fmt::format(
             " Of more than an hour, or of more than four fifths of the memory, Run asks first. {} of the windows, "
             "passes and kernels chosen above: each runs at least once in each of {} restarts, and until it is known "
             "to {:.2g} % or {:.3g} s are spent. What one launch takes here is an estimate.",
             counted(preview.measurements, "measurement"), form.restarts, form.precision_percent, form.budget_seconds);
}

/// Why Run is grey, or what a plan fails at; empty: there is one, or there will be.
std::string why_no_plan(const Context& context) {
  const Machine& machine = context.data.machine;
  if (const PlanPreview* preview = context.data.preview.get()) return preview->problem;
  return machine.catalog ? std::string() : machine.problem;
}

/// As its label has it; empty: what is wrong names it.
std::string_view field_name(std::string_view field) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kNames{{{"seq_lens", "Tokens"},
                                                                                  {"q_heads", "Heads"},
                                                                                  {"kv_heads", "Heads"},
                                                                                  {"head_dims", "Head size"},
                                                                                  {"batches", "Batch"},
                                                                                  {"precision", "Stop at"},
                                                                                  {"budget", "Stop at"},
                                                                                  {"restarts", "Restarts"},
                                                                                  {"sink", "Sink"},
                                                                                  {"scale", "Scale"}}};
  const auto found = std::ranges::find(kNames, field, &std::pair<std::string_view, std::string_view>::first);
  return found == kNames.end() ? std::string_view() : found->second;
}

/// What is wrong with the first fields, a line each; empty: nothing, but for the device that is missing.
std::string wrong_fields_text(const Context& context, const FormReading& reading) {
  constexpr std::size_t kMost = 3;
  std::string text;
  std::size_t said = 0, left = 0;
  for (const auto& [field, why] : reading.problems) {
    if (field == "device" && !context.ui.form.needs_device.empty()) continue;
    if (said == kMost) {
      ++left;
      continue;
    }
    const std::string_view name = field_name(field);
    text += fmt::format("{}{}{}{}", said++ == 0 ? "" : "\n", name, name.empty() ? "" : ": ", sentence(why));
  }
  return left == 0
             ? text
             : text + fmt::format("\n{} more {} attention.", counted(left, "field"), left == 1 ? "needs" : "need");
}

/// What stands below the fields, in pixels: of a sentence all its lines.
float footer_height(const Context& context, const FormReading& reading) {
  const float usual = context.look.px(kFooter);
  const std::string wrong = wrong_fields_text(context, reading);
  if (!context.ui.form.needs_device.empty() && wrong.empty()) return usual;
  const SmallFont font(context.look);
  const std::string said = wrong.empty() ? why_no_plan(context) : wrong;
  const float lines = ImGui::CalcTextSize(said.c_str(), nullptr, false, plan_width(context)).y;
  return std::max(usual, lines + 2 * ImGui::GetStyle().ItemSpacing.y + context.look.px(1));
}

void draw_plan(Context& context, const FormReading& reading) {
  const PlanPreview* preview = context.data.preview.get();
  ImGui::Separator();
  const auto draw_why = [&](ImU32 colour, const std::string& why) {
    const SmallFont font(context.look);
    ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + plan_width(context));
    coloured_text(colour, why);
    ImGui::PopTextWrapPos();
  };
  const Theme& theme = context.look.theme;
  if (const std::string wrong = wrong_fields_text(context, reading); !wrong.empty())
    return draw_why(theme.slower, wrong);
  if (!context.ui.form.needs_device.empty()) return draw_needs(context, reading);
  if (const std::string why = why_no_plan(context); !why.empty())
    return draw_why(preview ? theme.slower : theme.unclear, why);
  if (!preview) {
    muted_text(context, counted(reading.configurations, "configuration") + " per kernel");
    if (context.data.run.running) muted_text(context, "will be estimated when this sweep has ended");
    return;
  }
  const std::string warning = plan_warning(*preview, context.ui.form, context.data.machine.catalog.get());
  const bool warns = !warning.empty();
  const SmallFont font(context.look);
  const ImU32 colour = warns ? theme.unclear : theme.muted;
  const float room = ImGui::GetContentRegionAvail().x;
  ImGui::BeginGroup();
  clipped_text(context, colour,
               fmt::format("{}{}, about {}", warns ? "⚠ " : "", counted(preview->measurements, "measurement"),
                           format_seconds(preview->seconds)),
               room - context.look.px(kMore));
  std::string text = format_bytes(preview->bytes) + " of memory";
  if (const Catalog* catalog = context.data.machine.catalog.get()) {
    try {
      text = fmt::format("on {}, {}", short_device(choose_device(*catalog, context.ui.form.device).name), text);
    } catch (const Error&) {  // the field says that there is no such device
    }
  }
  if (preview->skipped > 0) text += fmt::format("; {} more cannot run here", preview->skipped);
  clipped_text(context, colour, text, room);
  ImGui::EndGroup();
  if (warns) tooltip(context, warning_words(*preview, warning, context.ui.form));
}

/// Right of the plan, below the fields that have just ended, or on a line of its own where the plan is among them:
/// `below` pixels of fields are to be scrolled to.
void draw_more(Context& context, float below, bool alone) {
  if (context.ui.printing || below < context.look.px(4)) return;
  const Look& look = context.look;
  const char* label = "▼ more";
  const ImVec2 fields = ImGui::GetItemRectMax();
  const SmallFont font(look);
  const ImVec2 text = ImGui::CalcTextSize(label), pad(look.px(8), look.px(2));
  const float top = fields.y + look.px(alone ? 1 : 10);
  const ImVec2 high(fields.x, top + text.y + 2 * pad.y), low(high.x - text.x - 2 * pad.x, top);
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(low, high, look.theme.line, look.px(4));
  list->AddText(ImVec2(low.x + pad.x, low.y + pad.y), look.theme.text, label);
}

}  // namespace

void draw_setup_panel(Context& context) {
  SetupForm& form = context.ui.form;
  const SetupForm before = form;
  const FormReading reading = read_form(form, context.data.machine.catalog.get(), &context.data.library);
  Fields fields(context, reading);
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float plan = footer_height(context, reading);
  const bool narrow = room.x < context.look.px(kNarrowest),
             cramped = narrow || room.y - plan < context.look.px(kLowest - kFooter);
  float below = 0;
  if (narrow) ImGui::SetNextWindowContentSize(ImVec2(context.look.px(kNarrowest), 0));
  const float footer = cramped ? context.look.px(kMoreLine) : plan;
  if (ImGui::BeginChild("fields", ImVec2(0, room.y - footer), ImGuiChildFlags_None,
                        narrow ? ImGuiWindowFlags_HorizontalScrollbar : ImGuiWindowFlags_None)) {
    fields.label(
        "Form",
        "Trilinear: a sum of three-way products. Determinant: a sum of 3 x 3 determinants (rotation-invariant).");
    two_chips(context, "trilinear", form.trilinear, "determinant", form.determinant);
    fields.label("Passes", "Forward, backward, or both.");
    two_chips(context, "forward", form.forward, "backward", form.backward);
    fields.text("Tokens", "seq_lens", "Sequence lengths; several separated by commas, 4k means 4096.", form.seq_lens);
    fields.pair("Heads", {"q_heads", form.q_heads, "", "Numbers of query heads."}, "on",
                {"kv_heads", form.kv_heads, "",
                 "Key and value heads: one number for all, or one for each number of query heads."});
    fields.pair("Head size", {"head_dims", form.head_dims, "", "Sizes of a head."}, "batch",
                {"batches", form.batches, "", "Batch sizes."});
    draw_windows(context);
    draw_kernels(context);
    ImGui::Dummy(ImVec2(0, context.look.px(8)));
    fields.label("Regime",
                 "Sustained: warm, back to back. Burst: single launches from idle, caches flushed. They are never "
                 "compared with each other.");
    two_chips(context, "sustained", form.sustained, "burst", form.burst);
    draw_stopping(context, fields);
    fields.pair(
        "Sink",
        {"sink", form.sink, "off", "A logit per head that adds to the denominator and has no value. Empty: off."},
        "scale", {"scale", form.scale, "default", "Factor of the logits. Empty: 1 / sqrt(head size)."});
    fields.label("Also", "What else a measurement does.");
    if (chip(context, "deterministic", form.deterministic)) form.deterministic = !form.deterministic;
    tooltip(context, "Gradients that are bit-identical from run to run, where a kernel offers them.");
    if (runs_on_gpu(form, context.data.machine.catalog.get())) {
      ImGui::SameLine(0, context.look.px(4));
      if (chip(context, "counters", form.counters)) form.counters = !form.counters;
      tooltip(context,
              "Reads the GPU's hardware counters after each measurement, in a separate process. Details puts them "
              "into words.");
    }
    if (cramped) draw_plan(context, reading);
    below = ImGui::GetScrollMaxY() - ImGui::GetScrollY();
  }
  ImGui::EndChild();
  draw_more(context, below, cramped);
  if (!cramped) draw_plan(context, reading);
  if (!(form == before)) context.request(ask::PreviewPlan{});
}

}  // namespace triscope
