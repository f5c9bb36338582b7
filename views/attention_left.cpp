#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <tuple>

#include "kernels/match3.hpp"
#include "profiler/columns.hpp"
#include "views/attention_draft.hpp"
#include "views/attention_parts.hpp"
#include "views/format.hpp"
#include "views/widgets.hpp"

namespace triscope {
namespace {

constexpr std::array kFigures{
    std::pair{OverviewFigure::entropy, "entropy"}, std::pair{OverviewFigure::largest_p, "largest p"},
    std::pair{OverviewFigure::sink_p, "sink"}, std::pair{OverviewFigure::distance1, "distance j"},
    std::pair{OverviewFigure::distance2, "distance k"}};

const std::vector<float>& values_of(const Overview& overview, OverviewFigure figure) {
  switch (figure) {
    case OverviewFigure::entropy:
      return overview.entropy;
    case OverviewFigure::largest_p:
      return overview.largest_p;
    case OverviewFigure::sink_p:
      return overview.sink_p;
    case OverviewFigure::distance1:
      return overview.distance1;
    case OverviewFigure::distance2:
      return overview.distance2;
  }
  return overview.entropy;
}

bool same_shape(const SourceReply& a, const SourceReply& b) {
  const auto shape = [](const SourceReply& source) {
    return std::tuple(source.batch, source.seq_len, source.q_heads, source.kv_heads, source.head_dim, source.values);
  };
  return shape(a) == shape(b);
}

void draw_facts(Context& context, int side) {
  AttentionUi& ui = context.ui.attention;
  const AttentionSideData& data = context.data.attention.sides[static_cast<std::size_t>(side)];
  const bool two = ui.show != AttentionShow::one || side == 1;
  ImGui::PushID(side);
  ImGui::AlignTextToFramePadding();
  muted_text(context, two ? (side == 0 ? "Tensors, A" : "Tensors, B") : "Tensors");
  align_right(ImGui::CalcTextSize("Choose...").x + 2 * ImGui::GetStyle().FramePadding.x);
  if (ImGui::Button("Choose...")) open_draft(ui, side);
  tooltip(context, "A .safetensors or .npy file, a generated example, or Match3");
  const AttentionSource& source = ui.sides[static_cast<std::size_t>(side)].source;
  fact_line(context, source.kind == SourceKind::file ? "file" : "source", source_title(source), true);
  const SourceReply* first = context.data.attention.sides[0].source.get();
  if (side == 1 && first && data.source && data.source->problem.empty() && same_shape(*first, *data.source)) {
    // Nothing to say that A does not.
  } else if (data.source && data.source->problem.empty()) {
    fact_line(context, "tokens", format_count(data.source->seq_len));
    fact_line(context, "heads", fmt::format("{} / {}", data.source->q_heads, data.source->kv_heads));
    fact_line(context, "head_dim", fmt::format("{}", data.source->head_dim));
    fact_line(context, "values", data.source->values ? "v1, v2" : "none", !data.source->values);
  } else if (side == 1 && (data.source || !data.problem.empty())) {  // A's stands in the middle
    ImGui::PushTextWrapPos(0);
    coloured_text(context.look.theme.slower, sentence(refusal_of(data)));
    ImGui::PopTextWrapPos();
  } else if (!data.source && data.problem.empty()) {
    muted_text(context, "Opening ...");
  }
  ImGui::PopID();
}

/// "label ....... [boxes]": the label, then room for boxes of `width` at the right edge.
void begin_setting(const Context& context, const char* label, float width) {
  ImGui::AlignTextToFramePadding();
  coloured_text(context.look.theme.muted, label);
  align_right(width);
}

/// A box that takes what was typed when it is left or Enter is pressed; true then.
template <typename Type>
bool typed_box(const Context& context, const char* id, ImGuiDataType type, Type& value, const char* format = nullptr) {
  const NumberFont font(context.look);
  ImGui::SetNextItemWidth(context.look.px(64));
  Type typed = value;
  ImGui::InputScalar(id, type, &typed, nullptr, nullptr, format, ImGuiInputTextFlags_EnterReturnsTrue);
  if (!ImGui::IsItemDeactivatedAfterEdit()) return false;
  value = typed;
  return true;
}

/// Empty: -1, the same head.
void head_box(const Context& context, std::int64_t& head) {
  const NumberFont font(context.look);
  ImGui::SetNextItemWidth(context.look.px(64));
  std::string text = head < 0 ? std::string() : fmt::format("{}", head);
  ImGui::InputTextWithHint("##other_head", "same", &text, ImGuiInputTextFlags_CharsDecimal);
  if (!ImGui::IsItemDeactivatedAfterEdit()) return;
  std::int64_t value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  head = error == std::errc() && end == text.data() + text.size() ? std::max<std::int64_t>(-1, value) : -1;
}

/// Empty: the form's own, 1/sqrt(head_dim). What is no number becomes infinite, which the slice refuses in words.
void scale_box(const Context& context, std::optional<double>& scale) {
  const NumberFont font(context.look);
  ImGui::SetNextItemWidth(context.look.px(64));
  std::string text = scale ? fmt::format("{:.6g}", *scale) : std::string();
  ImGui::InputTextWithHint("##scale", "1/√d", &text, ImGuiInputTextFlags_CharsScientific);
  if (!ImGui::IsItemDeactivatedAfterEdit()) return;
  scale.reset();
  if (text.empty()) return;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool number = error == std::errc() && end == text.data() + text.size();
  scale = number ? value : std::numeric_limits<double>::infinity();
}

/// What the logit is: mask, windows, scale, biases. Match3 says its own.
void draw_problem(Context& context) {
  AttentionUi& ui = context.ui.attention;
  if (ui.sides[0].source.kind == SourceKind::match3) return;
  const Look& look = context.look;
  const float box = look.px(64), gap = look.px(4), times = ImGui::CalcTextSize("×").x;
  const auto chip_width = [](const char* label) {
    return ImGui::CalcTextSize(label).x + 2 * ImGui::GetStyle().FramePadding.x;
  };
  begin_setting(context, "mask", chip_width("causal") + gap + chip_width("full"));
  const auto mask = [&](const char* label, Mask value, const char* help) {
    if (chip(context, label, ui.mask == value) && ui.mask != value) {
      ui.mask = value;
      ui.part.reset();
    }
    tooltip(context, help);
  };
  mask("causal", Mask::causal, "A query sees the keys of two windows that end with it");
  ImGui::SameLine(0, gap);
  mask("full", Mask::full, "A query sees every pair, later ones too: the paper's equations before windows");
  if (ui.mask == Mask::causal) {
    begin_setting(context, "window", 2 * box + 2 * gap + times);
    if (typed_box(context, "##window1", ImGuiDataType_S64, ui.window1)) ui.part.reset();
    ImGui::SameLine(0, gap);
    coloured_text(look.theme.muted, "×");
    ImGui::SameLine(0, gap);
    if (typed_box(context, "##window2", ImGuiDataType_S64, ui.window2)) ui.part.reset();
  }
  begin_setting(context, "scale", box);
  scale_box(context, ui.scale);
  tooltip(context, "Factor of the logits; empty: 1/sqrt(head_dim)");
  begin_setting(context, "bias of k2, v2", 2 * box + gap);
  typed_box(context, "##k2_bias", ImGuiDataType_Double, ui.k2_bias, "%.4g");
  tooltip(context, "Added to every element of k2; 0: off");
  ImGui::SameLine(0, gap);
  typed_box(context, "##v2_bias", ImGuiDataType_Double, ui.v2_bias, "%.4g");
  tooltip(context, "Added to every element of v2; 0: off");
}

/// Where slices are made, when there is a choice.
void draw_devices(Context& context) {
  AttentionUi& ui = context.ui.attention;
  const Catalog* catalog = context.data.machine.catalog.get();
  if (!catalog || first_device(*catalog) == "cpu") return;
  ImGui::AlignTextToFramePadding();
  coloured_text(context.look.theme.muted, "computed on");
  float width = 0;
  for (const Device& device : catalog->devices) {
    width += ImGui::CalcTextSize(device_title(device.id).c_str()).x + 2 * ImGui::GetStyle().FramePadding.x +
             context.look.px(4);
  }
  align_right(width - context.look.px(4));
  for (const Device& device : catalog->devices) {
    if (chip(context, device_title(device.id).c_str(), ui.device == device.id)) {
      ui.device = device.id;
      ui.device_chosen = true;
    }
    tooltip(context, device.name);
    ImGui::SameLine(0, context.look.px(4));
  }
  ImGui::NewLine();
}

/// Heads down, queries across. Entropy turned round: sharp rows are bright.
void draw_overview(Context& context) {
  AttentionUi& ui = context.ui.attention;
  const AttentionData& data = context.data.attention;
  section(context, "Where to look: heads down, queries across");
  for (std::size_t n = 0; n < kFigures.size(); ++n) {
    if (n == 2 && !(data.sides[0].source && data.sides[0].source->sink)) continue;
    if (n == 3 && n > 0) ImGui::NewLine();
    if (chip(context, kFigures[n].second, ui.figure == kFigures[n].first)) ui.figure = kFigures[n].first;
    ImGui::SameLine(0, context.look.px(4));
  }
  ImGui::NewLine();
  const bool current = data.sides[0].asked && data.overview.of.source == *data.sides[0].asked;
  const bool too_much = data.sides[0].asked == ui.sides[0].source && data.sides[0].slice && !wanted_overview(ui, data);
  const Overview* overview = current && !too_much ? data.overview.answer.get() : nullptr;
  const float width = ImGui::GetContentRegionAvail().x;
  if (!overview || width < 20) {
    if (too_much) return muted_text(context, "These windows take too long for an overview: choose smaller ones.", true);
    return draw_survey_state(context, data.overview.pending.has_value(), current ? data.overview.problem : "");
  }
  const float height =
      std::clamp(static_cast<float>(overview->heads) * context.look.px(4), context.look.px(32), context.look.px(96));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const PixelRect rect = pixel_rect(at, ImVec2(at.x + width, at.y + height));
  const std::vector<float>& values = values_of(*overview, ui.figure);
  const std::string key = fmt::format("{}/{}/{}/{}", static_cast<const void*>(overview), static_cast<int>(ui.figure),
                                      static_cast<int>(ui.map), context.look.theme.dark);
  painted_texture(context.models.attention(), 2, key, rect.width, rect.height,
                  [&](std::uint32_t* pixels, int stride, int w, int h) {
                    Heatmap map{overview->columns, overview->heads, values};
                    float low = std::numeric_limits<float>::infinity(), high = -low;
                    for (float& value : map.cells) {
                      if (ui.figure == OverviewFigure::entropy) value = -value;
                      low = std::min(low, value);
                      high = std::max(high, value);
                    }
                    HeatmapStyle style{HeatmapStyle::Scale::plain, low, high, ui.map};
                    set_theme(style, context.look.theme);
                    const HeatmapPyramid pyramid(std::move(map), Pooling::largest);
                    paint_heatmap(pyramid,
                                  {0, 0, static_cast<double>(overview->columns), static_cast<double>(overview->heads)},
                                  style, w, h, pixels, stride);
                  })
      .draw(ImGui::GetWindowDrawList(), rect.low, rect.high);
  ImGui::InvisibleButton("##overview", ImVec2(width, height));
  const auto cell = [&](ImVec2 mouse) {
    const auto column = std::clamp<std::int64_t>(
        static_cast<std::int64_t>((mouse.x - rect.low.x) / width * static_cast<float>(overview->columns)), 0,
        overview->columns - 1);
    const auto head = std::clamp<std::int64_t>(
        static_cast<std::int64_t>((mouse.y - rect.low.y) / height * static_cast<float>(overview->heads)), 0,
        overview->heads - 1);
    return std::pair{head, column};
  };
  if (ImGui::IsItemHovered()) {
    const auto [head, column] = cell(ImGui::GetMousePos());
    const float value = values[static_cast<std::size_t>(head * overview->columns + column)];
    ImGui::SetTooltip("head %d, query %s: %s", static_cast<int>(head), format_count(column * overview->step).c_str(),
                      significant_text(value, 3).c_str());
  }
  if (ImGui::IsItemActive()) {
    const auto [head, column] = cell(ImGui::GetMousePos());
    ui.head = head;
    ui.query = column * overview->step;
  }
  // The mark of the first and last head and query stays inside.
  const float half = context.look.px(4), edge = half + context.look.px(2);
  const float column = (static_cast<float>(ui.query) / static_cast<float>(overview->step) + 0.5F) /
                       static_cast<float>(overview->columns);
  const float row = (static_cast<float>(ui.head) + 0.5F) / static_cast<float>(overview->heads);
  const float x = std::clamp(rect.low.x + column * width, rect.low.x + edge, rect.low.x + width - edge);
  const float y = std::clamp(rect.low.y + row * height, rect.low.y + edge, rect.low.y + height - edge);
  ImGui::GetWindowDrawList()->AddRect(ImVec2(x - half - 1, y - half - 1), ImVec2(x + half + 1, y + half + 1),
                                      context.look.theme.ground, 0, context.look.px(3));
  ImGui::GetWindowDrawList()->AddRect(ImVec2(x - half, y - half), ImVec2(x + half, y + half),
                                      readable_on(context.look.theme.ground), 0, context.look.px(1.5F));
  muted_text(
      context,
      fmt::format("Click goes there. {}{}", ui.figure == OverviewFigure::entropy ? "Low entropy is bright. " : "",
                  overview->step > 1 ? fmt::format("One query in {}.", overview->step) : std::string("Every query.")),
      true);
}

void draw_sheet(Context& context) {
  AttentionUi& ui = context.ui.attention;
  const AttentionData& data = context.data.attention;
  const HeadSheet* sheet = data.sheet.answer.get();
  if (data.sheet.of.source != ui.sides[0].source) return;
  if (!sheet && !data.sheet.problem.empty()) {
    section(context, "All heads");
    return draw_survey_state(context, data.sheet.pending.has_value(), data.sheet.problem);
  }
  if (!sheet || sheet->heads < 2) return;
  const Look& look = context.look;
  section(context,
          fmt::format("All {} heads at query {}", sheet->heads, format_count(data.sheet.of.query.query)).c_str());
  const float width = ImGui::GetContentRegionAvail().x, gap = look.px(8);
  const int columns = sheet->heads > 16 ? 4 : 2;
  const float tile_width = std::floor((width - gap * static_cast<float>(columns - 1)) / static_cast<float>(columns)),
              tile_height = std::floor(tile_width * 0.42F);
  const auto rows = static_cast<int>((sheet->heads + columns - 1) / columns);
  const float height = static_cast<float>(rows) * (tile_height + gap);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const PixelRect rect = pixel_rect(at, ImVec2(at.x + width, at.y + height));
  const float scale = static_cast<float>(rect.width) / (rect.high.x - rect.low.x);
  const std::string key =
      fmt::format("{}/{}/{}", static_cast<const void*>(sheet), static_cast<int>(ui.map), look.theme.dark);
  painted_texture(context.models.attention(), 3, key, rect.width, rect.height,
                  [&](std::uint32_t* pixels, int stride, int w, int h) {
                    for (int y = 0; y < h; ++y) std::fill_n(pixels + static_cast<std::ptrdiff_t>(y) * stride, w, 0U);
                    const std::int64_t cells = sheet->width * sheet->height;
                    for (std::int64_t head = 0; head < sheet->heads; ++head) {
                      Heatmap map{sheet->width,
                                  sheet->height,
                                  {sheet->log_p.begin() + head * cells, sheet->log_p.begin() + (head + 1) * cells}};
                      const auto [least, most] =
                          finite_range(map.cells);  // each to its own: these are to be recognised, not compared
                      HeatmapStyle style{HeatmapStyle::Scale::logarithmic, automatic_low(least, most), most, ui.map};
                      set_theme(style, look.theme);
                      const auto x = static_cast<int>(static_cast<float>(head % columns) * (tile_width + gap) * scale),
                                 y = static_cast<int>(static_cast<float>(head / columns) * (tile_height + gap) * scale);
                      const int tw = std::min(static_cast<int>(tile_width * scale), w - x),
                                th = std::min(static_cast<int>(tile_height * scale), h - y);
                      paint_heatmap(HeatmapPyramid(std::move(map), Pooling::largest),
                                    {0, 0, static_cast<double>(sheet->width), static_cast<double>(sheet->height)},
                                    style, tw, th, pixels + static_cast<std::ptrdiff_t>(y) * stride + x, stride);
                    }
                  })
      .draw(ImGui::GetWindowDrawList(), rect.low, rect.high);
  for (std::int64_t head = 0; head < sheet->heads; ++head) {
    const ImVec2 low(at.x + static_cast<float>(head % columns) * (tile_width + gap),
                     at.y + static_cast<float>(head / columns) * (tile_height + gap));
    ImGui::SetCursorScreenPos(low);
    ImGui::PushID(static_cast<int>(head));
    if (ImGui::InvisibleButton("##head", ImVec2(tile_width, tile_height))) ui.head = head;
    ImGui::PopID();
    tooltip(context, fmt::format("Head {}. Each picture has its own range of colours.", head));
    if (head == ui.head)
      ImGui::GetWindowDrawList()->AddRect(ImVec2(low.x - 2, low.y - 2),
                                          ImVec2(low.x + tile_width + 2, low.y + tile_height + 2), look.theme.accent, 0,
                                          look.px(2));
  }
  ImGui::SetCursorScreenPos(ImVec2(at.x, at.y + height));
  ImGui::Dummy(ImVec2(1, 1));
}

}  // namespace

void draw_survey_state(Context& context, bool pending, const std::string& problem) {
  if (context.data.run.running) return muted_text(context, kWhileMeasuring, true);
  if (pending || problem.empty()) return muted_text(context, pending ? "Computing ..." : "");
  ImGui::PushTextWrapPos(0);
  coloured_text(context.look.theme.slower, sentence(problem));
  ImGui::PopTextWrapPos();
  ImGui::PushID(problem.c_str());
  if (ImGui::Button("Try again")) context.request(CommandId::inspect_again);
  ImGui::PopID();
}

void draw_form_choice(Context& context, int side) {
  AttentionUi& ui = context.ui.attention;
  const auto form = [&](const char* label, Form value, const char* help) {
    if (chip(context, label, ui.sides[static_cast<std::size_t>(side)].form == value)) choose_form(ui, side, value);
    tooltip(context, help);
    ImGui::SameLine(0, context.look.px(4));
  };
  ImGui::PushID(side);
  form("trilinear", Form::trilinear, "logit = scale * sum of q k1 k2");
  form("determinant", Form::determinant, "logit = scale * sum of det(q, k1, k2) over chunks of three dimensions");
  form("dot product", Form::dot_product, "logit = scale * sum of q k1: one row");
  ImGui::PopID();
}

void draw_attention_left(Context& context) {
  AttentionUi& ui = context.ui.attention;
  draw_facts(context, 0);
  draw_problem(context);
  draw_devices(context);
  if (ui.show != AttentionShow::one) {
    ImGui::Dummy(ImVec2(0, context.look.px(8)));
    draw_facts(context, 1);
    if (ui.sides[1].source.kind != SourceKind::match3) {  // which is a determinant
      draw_form_choice(context, 1);
      ImGui::NewLine();
    }
    const auto arithmetic = [&](const char* label, Arithmetic value, const char* help) {
      if (chip(context, label, ui.sides[1].arithmetic == value)) ui.sides[1].arithmetic = value;
      tooltip(context, help);
      ImGui::SameLine(0, context.look.px(4));
    };
    arithmetic("exact", Arithmetic::exact, "B in fp64, as A");
    arithmetic("bf16 inputs", Arithmetic::bf16_inputs, "B with q, k1 and k2 rounded to bf16");
    arithmetic("bf16 kernel", Arithmetic::bf16_kernel,
               "B as a tensor-core kernel computes it: the product of query and k2 rounded to bf16, too");
    ImGui::NewLine();
    begin_setting(context, "head of B", context.look.px(64));
    head_box(context, ui.sides[1].other_head);
    tooltip(context, "Another head of B than of A; empty: the same");
  }
  draw_overview(context);
  draw_sheet(context);
}

}  // namespace triscope
