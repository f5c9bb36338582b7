// The selected measurement: the number, its samples in small, counters, launch, trust, provenance, note.
#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "kernels/base/text/text_beginning.hpp"
#include "kernels/base/third_party.hpp"
#include "profiler/record/columns.hpp"
#include "profiler/record/gpu_counters.hpp"
#include "profiler/record/words/power_text.hpp"
#include "profiler/statistics/statistics.hpp"
#include "profiler/statistics/training_step.hpp"
#include "views/data/format.hpp"
#include "views/data/long_note.hpp"
#include "views/model/tables/beside_model.hpp"
#include "views/parts/widgets.hpp"
#include "views/tables/details_beside.hpp"
#include "views/tables/details_tiles.hpp"
#include "views/tables/tables_panels.hpp"

namespace triscope {
namespace {

std::string dimensions(const std::int64_t (&d)[3]) {
  return d[1] <= 1 && d[2] <= 1 ? format_count(d[0]) : fmt::format("{} × {} × {}", d[0], d[1], d[2]);
}

/// "65,536 tokens, 64/1 heads, head size 128, determinant"; of a product of matrices "matrices of 8,192 × 8,192".
std::string shape_text(const Problem& problem) {
  if (problem.form == Form::gemm) return fmt::format("matrices of {0} × {0}", format_count(problem.seq_len));
  std::string text = fmt::format("{} tokens, {}/{} heads, head size {}", format_count(problem.seq_len), problem.q_heads,
                                 problem.kv_heads, problem.head_dim);
  if (problem.batch != 1) text += fmt::format(", batch {}", problem.batch);
  if (problem.form == Form::determinant) text += ", determinant";
  if (problem.deterministic) text += ", deterministic";
  return text;
}

/// "o_rounded" in words: an output compared with a reference that rounds its inputs as the kernel does. A dot product
/// has one k and one v.
std::string output_label(std::string name, Form form) {
  constexpr std::string_view kRounded = "_rounded";
  const bool rounded = name.ends_with(kRounded);
  if (rounded) name.erase(name.size() - kRounded.size());
  if (name == "o") name = "output";
  if (name == "lse") name = "log-sum-exp";
  if (name.starts_with("grad_")) name = "gradient of " + name.substr(5);
  if (form == Form::dot_product && (name.ends_with(" k1") || name.ends_with(" v1"))) name.pop_back();
  return rounded ? name + ", same rounding" : name;
}

/// A heading, of two that stand beside each other with which one it is of.
std::string of_a(const Context& context, std::string_view heading) {
  return fmt::format("{}{}", heading, context.data.beside ? " of A" : "");
}

/// The time beside the reference's leads, in the colour that the interval allows; the rate is second.
void draw_beside(Context& context, std::int64_t measurement) {
  const Verdicts* verdicts = context.data.beside_reference.get();
  if (verdicts == nullptr) return;
  if (verdicts->themselves.contains(measurement))
    return muted_text(context, "It is the reference: the others stand beside it.", true);
  const auto time = verdicts->by_measurement.find(measurement);
  if (time == verdicts->by_measurement.end()) return;
  const Comparison& comparison = time->second;
  std::string words = marked(comparison, time_sentence(comparison, verdicts->label));
  if (ImGui::CalcTextSize(words.c_str()).x > ImGui::GetContentRegionAvail().x)
    words = marked(comparison, time_sentence(comparison, verdicts->short_label));
  ImGui::PushTextWrapPos(0);
  beside_other(context, comparison, words, verdicts->label);
  ImGui::PopTextWrapPos();
  const auto rate = verdicts->rates.find(measurement);
  if (rate != verdicts->rates.end())
    muted_text(context,
               fmt::format("{}× its rate{}", significant_text(rate->second),
                           verdicts->of_kernel ? "; the two do different work" : ""),
               true);
}

void draw_headline(Context& context, const SelectedMeasurement& selected) {
  const Theme& theme = context.look.theme;
  const ResultRow& row = selected.row;
  const Summary& summary = selected.measurement.summary;
  if (row.status != Status::ok || !row.median_ms) {
    ImGui::PushFont(context.look.heading, kHeadingSize);
    coloured_text(row.status == Status::failed ? theme.slower : theme.muted, to_string(row.status));
    ImGui::PopFont();
    ImGui::PushTextWrapPos(0);
    coloured_text(theme.text, row.reason.empty() ? "No reason was recorded." : sentence(row.reason));
    ImGui::PopTextWrapPos();
    return;
  }
  ImGui::PushFont(context.look.numbers, kHeadingSize);
  coloured_text(theme.text, format_ms(*row.median_ms, half_width(value_of(row))));
  ImGui::PopFont();
  if (row.tflops) {
    ImGui::SameLine();
    ImGui::PushFont(context.look.numbers, kBodySize);
    ImGui::SetCursorPosY(ImGui::GetCursorPosY() + context.look.px(3));
    coloured_text(theme.muted, fmt::format("{} TFLOP/s", format_fixed(*row.tflops, rate_decimals(row))));
    ImGui::PopFont();
  }
  std::string median = "Median of " + counted(static_cast<std::size_t>(summary.samples), "sample");
  if (summary.restarts > 1) median += fmt::format(" in {} restarts", summary.restarts);
  median += interval_known(row) ? fmt::format(", 95 % interval {}.",
                                              format_ms_interval(*row.ci_low_ms, *row.ci_high_ms, *row.median_ms))
                                : ", interval unknown.";
  for (std::size_t at = median.find(" %"); at != std::string::npos; at = median.find(" %", at + 1))
    median.replace(at, 1, "\u00A0");  // no line begins with it
  muted_text(context, median, true);
  tooltip(context, summary.restarts > 1
                       ? "The interval is made of the spread of the restarts' medians, pooled with that of the sweep's "
                         "other rows: two samples have one too."
                       : "The interval is made of the spread of the blocks of samples.");
  if (!summary.converged || !row.reason.empty()) {
    const SmallFont font(context.look);
    ImGui::PushTextWrapPos(0);
    coloured_text(theme.unclear, row.reason.empty() ? "Not converged: the interval is wider than was asked for."
                                                    : sentence(row.reason));
    ImGui::PopTextWrapPos();
  }
  if (!context.data.beside) draw_beside(context, row.measurement);  // else below the two that were asked for
  if (context.data.against_baseline) {
    const auto found = context.data.against_baseline->find(row.measurement);
    if (found != context.data.against_baseline->end()) {
      verdict(context, found->second.comparison);
      ImGui::SameLine();
      coloured_text(theme.muted, "since baseline");
    }
  }
}

/// Samples in small: dots over time, the interval behind them.
void draw_spark(Context& context, const SelectedMeasurement& selected) {
  const SampleChart* chart = context.models.samples(context.data);
  if (!chart || chart->buckets.seconds.empty()) return;
  const Look& look = context.look;
  section(context, of_a(context, "Samples over time").c_str());
  constexpr std::size_t kFew = 4;
  if (chart->samples < kFew && chart->buckets.per_bucket == 1) {  // no course to be drawn
    std::string text;
    for (const double ms : chart->buckets.centre) text += fmt::format("{}{}", text.empty() ? "" : ", ", format_ms(ms));
    return muted_text(context, fmt::format("{}: {}.", counted(chart->samples, "sample"), text), true);
  }
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 size(ImGui::GetContentRegionAvail().x, look.px(56));
  if (ImGui::InvisibleButton("##spark", size)) context.request(ask::ShowPanel{Panel::samples});
  tooltip(context, "Click to see every sample, the clock and the distribution.");
  const SampleBuckets& buckets = chart->buckets;
  const Summary& summary = selected.measurement.summary;
  const bool known = interval_known(summary);  // of several restarts it may be wider than the samples lie
  const double least = *std::min_element(buckets.minimum.begin(), buckets.minimum.end()),
               most = *std::max_element(buckets.maximum.begin(), buckets.maximum.end());
  const double low = known ? std::min(least, summary.ci_low_ms) : least,
               high = known ? std::max(most, summary.ci_high_ms) : most;
  const double first = buckets.seconds.front(), span = std::max(1e-12, buckets.seconds.back() - first),
               range = std::max(1e-12, high - low);
  const float pad = look.px(3);
  const auto x = [&](double s) { return at.x + pad + static_cast<float>((s - first) / span) * (size.x - 2 * pad); };
  const auto y = [&](double ms) {
    return at.y + pad + static_cast<float>(1 - (ms - low) / range) * (size.y - 2 * pad);
  };
  ImDrawList* list = ImGui::GetWindowDrawList();
  if (known) {
    const float top = y(summary.ci_high_ms), bottom = std::max(y(summary.ci_low_ms), top + 1);
    list->AddRectFilled(ImVec2(at.x, top), ImVec2(at.x + size.x, bottom), faded(look.theme.accent, 0.2F));
  }
  // At most about one mark per pixel and a half.
  const std::size_t step = std::max<std::size_t>(
      1, buckets.seconds.size() / static_cast<std::size_t>(std::max(1.0F, size.x / look.px(1.5F))));
  for (std::size_t i = 0; i < buckets.seconds.size(); i += step) {
    if (buckets.per_bucket > 1) {
      list->AddLine(ImVec2(x(buckets.seconds[i]), y(buckets.minimum[i])),
                    ImVec2(x(buckets.seconds[i]), y(buckets.maximum[i])), faded(look.theme.series[0], 0.7F),
                    look.px(1));
    } else {
      list->AddCircleFilled(ImVec2(x(buckets.seconds[i]), y(buckets.centre[i])), look.px(1.75F), look.theme.series[0],
                            8);
    }
  }
  const bool many = chart->flagged_ms.size() > 60;
  const std::size_t flagged_step = std::max<std::size_t>(1, chart->flagged_ms.size() / 200);
  for (std::size_t i = 0; i < chart->flagged_ms.size(); i += flagged_step) {
    list->AddCircleFilled(ImVec2(x(chart->flagged_seconds[i]), y(chart->flagged_ms[i])), look.px(many ? 2.0F : 2.5F),
                          look.theme.unclear, 8);
  }
  if (chart->flagged > 0)
    muted_text(context,
               fmt::format("{} of {} flagged, kept: {}.", format_count(static_cast<std::int64_t>(chart->flagged)),
                           format_count(static_cast<std::int64_t>(chart->samples)), chart->flags.front()),
               true);
}

constexpr float kLabelShare = 0.56F;  ///< of the panel's width, before the bars

void draw_share(Context& context, std::string_view label, double percent) {
  const float left = ImGui::GetCursorPosX(), width = ImGui::GetContentRegionAvail().x;
  ImGui::AlignTextToFramePadding();
  clipped_text(context, context.look.theme.muted, std::string(label), width * kLabelShare - context.look.px(8));
  ImGui::SameLine(left + width * kLabelShare);
  const float top = ImGui::GetCursorPosY();
  ImGui::SetCursorPosY(top + (ImGui::GetFrameHeight() - context.look.px(6)) / 2);
  bar(context, static_cast<float>(percent / 100), ImVec2(width * (0.78F - kLabelShare), context.look.px(6)),
      context.look.theme.accent);
  ImGui::SameLine();
  ImGui::SetCursorPosY(top);
  number_right(context, fmt::format("{:.0f} %", percent), 0, left + width);
}

void draw_counters(Context& context, const Measurement& measurement) {
  if (measurement.counters.empty() && measurement.counters_note.empty()) return;
  section(context, "Why this fast");
  if (!measurement.counters_note.empty())
    muted_text(context, "Hardware counters were not read: " + measurement.counters_note, true);
  if (const std::string words = counters_in_words(measurement.counters); !words.empty())
    muted_text(context, words, true);
  if (const std::string words = counted_launch_words(measurement); !words.empty()) muted_text(context, words, true);
  for (const Counter& counter : measurement.counters) {
    const CounterMetric* metric = find_counter_metric(counter.name);
    const std::string label(metric == nullptr ? std::string_view(counter.name) : metric->label);
    ImGui::BeginGroup();
    if (counter.unit == "%" && std::isfinite(counter.value)) {
      draw_share(context, label, counter.value);
    } else {
      fact_line(context, label.c_str(), counter_text(counter));
    }
    ImGui::EndGroup();
    if (metric != nullptr) tooltip(context, fmt::format("{}\n{}", metric->meaning, metric->name));
  }
}

void draw_cross_check(Context& context, const Measurement& measurement) {
  if (!measurement.cross_check) return;
  const CrossCheck& check = *measurement.cross_check;
  if (!check.median_ms) {
    muted_text(context, "No cross-check: " + check.reason, true);
    return;
  }
  const double gap =
      measurement.summary.median_ms > 0 ? 100 * (*check.median_ms / measurement.summary.median_ms - 1) : 0;
  ImGui::BeginGroup();
  fact_line(context, "by CUDA events", fmt::format("{} ({:+.1f} %)", format_ms(*check.median_ms), gap));
  ImGui::EndGroup();
  tooltip(context,
          "Cross-check: the same launch timed with CUDA events in a process without CUPTI. Events add the gaps between "
          "launches, so short kernels read longer.");
}

void draw_launch(Context& context, const Measurement& measurement) {
  if (measurement.launches.empty()) return;
  // Of several kernels that which takes longest: the first may only clear memory.
  const LaunchRecord& launch = *std::ranges::max_element(
      measurement.launches, {}, [](const LaunchRecord& one) { return one.end_ns - one.start_ns; });
  section(context, of_a(context, "Launch").c_str());
  if (!launch.name.empty()) {
    // Names of templates have thousands of letters: all of it stands on hover.
    constexpr std::size_t kMostLetters = 90;
    const bool cut = launch.name.size() > kMostLetters;
    const std::string name =
        cut ? launch.name.substr(0, whole_characters(launch.name, kMostLetters)) + " ..." : launch.name;
    ImGui::BeginGroup();
    fact_line(context, measurement.launches.size() > 1 ? "longest kernel" : "kernel", name, true);
    ImGui::EndGroup();
    if (cut) tooltip(context, launch.name);
  }
  if (measurement.key.timing_source == TimingSource::cpu_clock) {  // what runs on a CPU has threads alone
    if (launch.grid[0] > 0) fact_line(context, "threads", format_count(launch.grid[0]));
    return;
  }
  if (launch.grid[0] > 0) fact_line(context, "grid", dimensions(launch.grid));
  if (launch.block[0] > 0) fact_line(context, "block", dimensions(launch.block));
  if (launch.cluster[0] > 0) fact_line(context, "cluster", dimensions(launch.cluster));
  if (launch.registers_per_thread > 0) fact_line(context, "registers", fmt::format("{}", launch.registers_per_thread));
  const std::int64_t shared = launch.static_shared_bytes + launch.dynamic_shared_bytes;
  if (shared > 0) fact_line(context, "shared memory", format_bytes(shared));
  if (launch.local_bytes_per_thread > 0)
    fact_line(context, "local memory", format_bytes(launch.local_bytes_per_thread));
  if (measurement.launches.size() > 1)
    fact_line(context, "kernels per launch", fmt::format("{}", measurement.launches.size()));
}

void draw_trust(Context& context, const SelectedMeasurement& selected) {
  const ResultRow& row = selected.row;
  section(context, of_a(context, "Trust").c_str());
  fact_line(context, "error to fp64", row.error ? format_error(*row.error) : std::string("not checked"));
  for (const auto& [output, error] : selected.measurement.errors)
    fact_line(context, ("   " + output_label(output, row.problem.form)).c_str(), format_error(error));
  fact_line(context, "timed by", timing_label(row.timing_source), true);
  draw_cross_check(context, selected.measurement);
  fact_line(context, "regime", row.regime == Regime::sustained ? "sustained (warm)" : "burst (cold)", true);
  if (const std::string power = power_text(row); !power.empty()) fact_line(context, "power and clock", power, true);
  if (row.peak_fraction) fact_line(context, "share of the peak", fmt::format("{:.1f} %", *row.peak_fraction * 100));
  if (row.tflops_paper_count) fact_line(context, "TFLOP/s, paper's count", significant_text(*row.tflops_paper_count));
  if (row.restarts > 1) fact_line(context, "restarts", format_count(row.restarts));
  if (!limited_throughout(row)) fact_line(context, "flagged samples", format_count(row.flagged));
}

void draw_provenance(Context& context, const SelectedMeasurement& selected) {
  const Environment& e = selected.environment;
  section(context, of_a(context, "Machine and software").c_str());
  const auto fact = [&](const char* label, const std::string& value, bool words = true) {
    if (!value.empty()) fact_line(context, label, value, words);
  };
  fact("device", e.device_name);
  fact("started", format_started(selected.row.started, context.now));
  const ThirdPartyPart* part = find_third_party_part(selected.row.kernel);
  fact(part == nullptr ? "instance" : "library version", selected.row.instance);
  if (part != nullptr) fact("licence", std::string(part->licence));
  fact("sources", selected.row.source_hash, false);
  fact("driver, CUDA",
       e.driver_version.empty() ? std::string() : fmt::format("{}, {}", e.driver_version, e.cuda_version), false);
  fact("power limit", e.power_limit_w ? fmt::format("{:.0f} W", *e.power_limit_w) : std::string(), false);
  fact("host", e.host);
  fact("CPU", e.cpu_model);
  fact("Triscope", fmt::format("{} {}", e.triscope_version, e.git_commit), false);
  fact("compiler", e.compiler);
}

void draw_note(Context& context, const SelectedMeasurement& selected) {
  UiState& ui = context.ui;
  if (ui.printing && selected.note.empty()) return;
  if (context.data.run.running && ui.selection.pinned() <= 0) return;  // it is what is in work, not a choice
  section(context, of_a(context, "Note").c_str());
  if (ui.printing) {
    ImGui::PushTextWrapPos(0);
    coloured_text(context.look.theme.text, selected.note);
    ImGui::PopTextWrapPos();
    return;
  }
  TypedNote& typed = ui.row_note;
  if (typed.of != selected.row.measurement) typed = {selected.row.measurement, selected.note};
  const bool refused = !typed.problem.empty();
  ImGui::BeginDisabled(context.data.read_only || is_long_note(selected.note));
  ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, refused ? std::max(1.0F, context.look.px(1)) : 0);
  ImGui::PushStyleColor(ImGuiCol_Border, context.look.theme.slower);
  ImGui::InputTextMultiline("##note", &typed.text, ImVec2(-1, context.look.px(56)));
  if (ImGui::IsItemDeactivatedAfterEdit() && (refused || typed.text != selected.note)) {
    typed.problem.clear();
    context.request(ask::NoteMeasurement{selected.row.measurement, typed.text});
  }
  ImGui::PopStyleColor();
  ImGui::PopStyleVar();
  ImGui::EndDisabled();
  if (refused) {
    ImGui::PushTextWrapPos(0);
    coloured_text(context.look.theme.slower, sentence(typed.problem));
    ImGui::PopTextWrapPos();
  }
  if (is_long_note(selected.note)) muted_text(context, long_note_text(context.data.database_words), true);
  if (context.data.read_only) muted_text(context, "This database is read-only: notes cannot be kept in it.", true);
}

/// Of a row that is not in the shown sweep: which one has it, and how to get there.
void draw_its_sweep(Context& context, const ResultRow& row) {
  if (!context.data.shown || row.sweep == context.data.shown->info.id) return;
  const auto sweep = std::ranges::find(context.data.sweeps, row.sweep, &SweepInfo::id);
  if (sweep == context.data.sweeps.end()) return;
  muted_text(context,
             fmt::format("Of another sweep: {}, {}.", context.models.name(*sweep).title,
                         format_started(sweep->started, context.now)),
             true);
  if (ImGui::SmallButton("Show that sweep"))
    context.request(ask::SelectMeasurements{context.ui.selection.all(), row.sweep});
}

/// Of other rows Details begins at its top; not where the same ones were read again, or A and B swapped.
void begin_at_top_of_others(const Context& context) {
  if (context.ui.printing) return;
  std::vector<std::int64_t> rows = context.ui.selection.all();
  std::ranges::sort(rows);
  std::uint64_t of = rows.size();
  for (const std::int64_t row : rows) of = of * 1'000'003 + static_cast<std::uint64_t>(row);
  int* drawn = ImGui::GetStateStorage()->GetIntRef(ImGui::GetID("drawn of"));
  if (const int now = static_cast<int>(of); std::exchange(*drawn, now) != now) ImGui::SetScrollY(0);
}

}  // namespace

void draw_details_panel(Context& context) {
  const auto& selected = context.data.selected;
  if (!selected) {
    empty_state(context,
                context.data.shown && !context.data.shown->rows.empty()
                    ? "Click a row, bar or cell to see the details of its measurement. Ctrl+click a second one, "
                      "here or in another sweep of a chart, to compare the two."
                    : "The details of a measurement appear here: samples, launch, conditions.");
    return;
  }
  begin_at_top_of_others(context);
  const std::string title = fmt::format("{}, {}", line_label(selected->row), to_string(selected->row.pass));
  const SelectionFigures* figures = context.data.figures.get();
  const std::vector<SelectedStep> steps = figures != nullptr ? selected_steps(*figures) : std::vector<SelectedStep>();
  const bool whole_steps = figures != nullptr && draw_steps(context, *figures, steps);
  if (whole_steps) {
    section(context, fmt::format("A: {} alone, a part of its step", title).c_str());
  } else {
    coloured_text(context.look.theme.text, (context.data.beside ? "A: " : "") + title);
  }
  draw_its_sweep(context, selected->row);
  muted_text(context, fmt::format("{}, {}", selected->row.card.label, selected->row.instance), true);
  muted_text(context, shape_text(selected->row.problem), true);
  ImGui::Dummy(ImVec2(0, context.look.px(2)));
  draw_headline(context, *selected);
  draw_spark(context, *selected);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(ImGui::GetStyle().FramePadding.x, context.look.px(2)));
  if (figures != nullptr) draw_selected_rows(context, *figures, steps);
  draw_computed(context);
  if (context.data.beside) {
    // The passes of one step are no two things to compare.
    const bool of_one_step = whole_steps && context.data.beside->of->row.pass != selected->row.pass;
    if (!of_one_step) {
      const char* pass = selected->row.pass == Pass::forward ? "forward" : "backward";
      section(context, whole_steps ? fmt::format("A beside B: the {} alone", pass).c_str() : "A beside B");
      draw_beside_last(context, *selected, *context.data.beside);
    } else {
      draw_counters(context, selected->measurement);
    }
    if (context.data.beside_reference &&
        context.data.beside_reference->by_measurement.contains(selected->row.measurement)) {
      section(context, "A beside the reference");
      draw_beside(context, selected->row.measurement);
    }
  } else {
    draw_counters(context, selected->measurement);
  }
  draw_launch(context, selected->measurement);
  draw_trust(context, *selected);
  draw_provenance(context, *selected);
  ImGui::PopStyleVar();
  draw_note(context, *selected);
}

}  // namespace triscope
