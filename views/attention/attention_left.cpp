#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <tuple>

#include "views/attention/attention_parts.hpp"
#include "views/data/format.hpp"
#include "views/model/attention/attention_draft.hpp"
#include "views/model/attention/figure_words.hpp"
#include "views/parts/number_field.hpp"
#include "views/parts/widgets.hpp"

namespace triscope {
namespace {

bool same_shape(const SourceReply& a, const SourceReply& b) {
  const auto shape = [](const SourceReply& source) {
    return std::tuple(source.batch, source.seq_len, source.q_heads, source.kv_heads, source.head_dim, source.values);
  };
  return shape(a) == shape(b);
}

/// What a side is of, with the button that chooses another.
void draw_source_line(Context& context, int side) {
  AttentionUi& ui = context.ui.attention;
  const AttentionSideData& data = context.data.attention.sides[static_cast<std::size_t>(side)];
  const bool two = compares(ui) || side == 1;
  ImGui::PushID(side);
  ImGui::AlignTextToFramePadding();
  muted_text(context, two ? (side == 0 ? "Tensors, A" : "Tensors, B") : "Tensors");
  align_right(ImGui::CalcTextSize("Choose...").x + 2 * ImGui::GetStyle().FramePadding.x);
  if (ImGui::Button("Choose...")) open_draft(ui, side);
  tooltip(context, "A .safetensors, .npz, .pt or .npy file, a generated example, or Match3");
  const AttentionSource& source = ui.sides[static_cast<std::size_t>(side)].source;
  fact_line(context, source.kind == SourceKind::file ? "file" : "source", source_line(source, data.source.get()), true);
  if (source.kind == SourceKind::file) tooltip(context, source.file);
  ImGui::PopID();
}

void draw_facts(Context& context, int side) {
  const AttentionSideData& data = context.data.attention.sides[static_cast<std::size_t>(side)];
  ImGui::PushID(side);
  const SourceReply* first = context.data.attention.sides[0].source.get();
  if (side == 1 && first && data.source && data.source->problem.empty() && same_shape(*first, *data.source)) {
    // B has the same shape as A, so its facts are not repeated.
  } else if (data.source && data.source->problem.empty()) {
    muted_text(context, shape_text(*data.source), true);
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

constexpr double kMostExtent = 2147483648.0, kMostReal = 1e30;  // of sizes and of reals (kernels/attention/problem)
constexpr NumberBounds kWindowBounds{.least = 1, .most = kMostExtent},
    kRealBounds{.least = -kMostReal, .most = kMostReal, .whole = false};

/// Empty: -1, the same head.
void head_box(Context& context, std::int64_t& head) {
  const AttentionSideData& b = context.data.attention.sides[1];
  const bool open = b.source && b.source->problem.empty();
  std::optional<double> typed;
  if (head >= 0) typed = static_cast<double>(head);
  const NumberBounds bounds{.least = 0, .most = open ? static_cast<double>(b.source->q_heads - 1) : kMostExtent};
  if (typed_field(context, "##other_head", typed, context.look.px(64), bounds, "same"))
    head = typed ? std::llround(*typed) : -1;
}

constexpr const char* kWindowHelp =
    "How many keys of each axis a query sees, itself counted. A file of tensors does not say with which windows its "
    "model was trained: type them here. Keys farther back are left out, and p is over what is left.";

/// Scale and biases, which are seldom set, on one line.
void draw_logit_settings(Context& context) {
  AttentionUi& ui = context.ui.attention;
  const float box = context.look.px(40), gap = context.look.px(4);
  const auto name = [&](const char* label) {
    const SmallFont font(context.look);
    ImGui::AlignTextToFramePadding();
    coloured_text(context.look.theme.muted, label);
    ImGui::SameLine(0, gap);
  };
  name("scale");
  typed_field(context, "##scale", ui.scale, context.look.px(48), kRealBounds, "1/√d");
  tooltip(context, "Factor of the logits; empty: 1/sqrt(head size)");
  ImGui::SameLine(0, 2 * gap);
  name("bias k2, v2");
  align_right(2 * box + gap);
  typed_field(context, "##k2_bias", ui.k2_bias, box, kRealBounds);
  tooltip(context, "Added to every element of k2; 0: off");
  ImGui::SameLine(0, gap);
  typed_field(context, "##v2_bias", ui.v2_bias, box, kRealBounds);
  tooltip(context, "Added to every element of v2; 0: off");
  field_problems(context);
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
  mask("full", Mask::full, "A query sees every pair, also later ones, as in the paper's equations without windows");
  if (ui.mask == Mask::causal) {
    begin_setting(context, "window", 2 * box + 2 * gap + times);
    bool typed = typed_field(context, "##window1", ui.window1, box, kWindowBounds);
    tooltip(context, kWindowHelp);
    ImGui::SameLine(0, gap);
    coloured_text(look.theme.muted, "×");
    ImGui::SameLine(0, gap);
    typed |= typed_field(context, "##window2", ui.window2, box, kWindowBounds);
    tooltip(context, kWindowHelp);
    field_problems(context);
    if (typed) {
      ui.part.reset();
      ui.before_wider.reset();
      ui.windows_typed = true;
    }
    if (has_preset_windows(ui)) {
      ImGui::PushTextWrapPos(0);
      coloured_text(look.theme.unclear,
                    fmt::format("⚠ {} Type what the model was trained with.", windows_origin_sentence(ui)));
      ImGui::PopTextWrapPos();
    } else if (ui.sides[0].source.kind == SourceKind::file) {
      muted_text(context,
                 ui.before_wider ? windows_origin_sentence(ui) : "The windows are as typed here: no file says them.",
                 true);
    }
  }
  draw_logit_settings(context);
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

/// All below the source of A.
void draw_settings(Context& context) {
  AttentionUi& ui = context.ui.attention;
  draw_facts(context, 0);
  draw_problem(context);
  draw_wider_windows(context);
  draw_devices(context);
  if (compares(ui)) {
    ImGui::Dummy(ImVec2(0, context.look.px(8)));
    draw_source_line(context, 1);
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
    arithmetic("exact", Arithmetic::exact, "B in fp64, like A");
    arithmetic("bf16 inputs", Arithmetic::bf16_inputs, "B with q, k1 and k2 rounded to bf16");
    arithmetic("bf16 kernel", Arithmetic::bf16_kernel,
               "B as a tensor-core kernel computes it: the product of query and k2 rounded to bf16, too");
    ImGui::NewLine();
    begin_setting(context, "head of B", context.look.px(64));
    head_box(context, ui.sides[1].other_head);
    tooltip(context, "The head of B; empty: the same head as A");
    field_problems(context);
  }
  draw_overview(context);
  draw_sheet(context);
}

/// Where lines go by under what stays: they fade there rather than being cut.
void draw_upper_edge(const Context& context) {
  if (ImGui::GetScrollY() <= 0) return;
  const ImVec2 low = ImGui::GetWindowPos();
  const float right = low.x + ImGui::GetWindowWidth(), fade = context.look.px(20), line = context.look.px(1);
  const ImU32 ground = context.look.theme.panel, clear = faded(ground, 0);
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilledMultiColor(low, ImVec2(right, low.y + fade), ground, ground, clear, clear);
  list->AddRectFilled(low, ImVec2(right, low.y + line), context.look.theme.line);
}

}  // namespace

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
  draw_source_line(context, 0);
  // What is looked at stays, and what can be done with it goes by under it.
  if (ImGui::BeginChild("##rest", ImGui::GetContentRegionAvail())) {
    draw_settings(context);
    draw_upper_edge(context);
  }
  ImGui::EndChild();
}

}  // namespace triscope
