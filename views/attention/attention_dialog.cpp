// Chooses what is inspected: a generated example, a file with its mapping of names, or Match3.
#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <utility>

#include "views/attention/attention_parts.hpp"
#include "views/data/format.hpp"
#include "views/model/attention/attention_draft.hpp"
#include "views/model/attention/axis_order.hpp"
#include "views/parts/dialog.hpp"
#include "views/parts/number_field.hpp"
#include "views/parts/widgets.hpp"

namespace triscope {
namespace {

void row(const Context& context, const char* label) {
  ImGui::AlignTextToFramePadding();
  coloured_text(context.look.theme.muted, label);
  ImGui::SameLine(context.look.px(120));
  ImGui::SetNextItemWidth(-1);
}

/// False: what stands in it is no number that it takes.
bool whole_number(const Context& context, const char* label, std::int64_t& value, std::int64_t most) {
  row(context, label);
  const std::string id = fmt::format("##{}", label);
  typed_field(context, id.c_str(), value, -1, {.least = 1, .most = static_cast<double>(most)});
  field_problems(context);
  return !is_wrong(context, id.c_str());
}

/// A field for a path, with a button that lists folders.
bool path_field(Context& context, const char* label, const char* id, const char* hint, std::string& path,
                FileRequest browse) {
  row(context, label);
  ImGui::SetNextItemWidth(-button_width("Browse...") - context.look.px(8));
  const bool edited = ImGui::InputTextWithHint(id, hint, &path);
  ImGui::SameLine(0, context.look.px(8));
  ImGui::PushID(id);
  if (ImGui::Button("Browse...")) context.request(std::move(browse));
  ImGui::PopID();
  return edited;
}

bool draw_generated(Context& context, AttentionSource& source) {
  const auto kind = [&](const char* label, SourceKind value, const char* help) {
    if (chip(context, label, source.kind == value)) source.kind = value;
    tooltip(context, help);
    ImGui::SameLine();
  };
  kind("Induction", SourceKind::induction,
       "Words that repeat: the first key follows an earlier copy of the query's word, the second is a marked "
       "word");
  kind("Peaked", SourceKind::peaked, "N(0,1) with queries four times as large: a few pairs get nearly all of p");
  kind("Random", SourceKind::random, "N(0,1)");
  ImGui::NewLine();
  bool right = whole_number(context, "tokens", source.seq_len, kMostTokens);
  right &= whole_number(context, "query heads", source.q_heads, kMostHeads);
  right &= whole_number(context, "key heads", source.kv_heads, kMostHeads);
  right &= whole_number(context, "head size", source.head_dim, kMostHeadDim);
  row(context, "rotary");
  ImGui::Checkbox("##rotary", &source.rotary);
  ImGui::SameLine();
  muted_text(context, source.form == Form::determinant
                          ? "chunks of three about one axis: logits depend on distances alone"
                          : "pairs of dimensions");
  return right;
}

/// "k1   512 × 4 × 64   F32".
std::string tensor_line(const NamedTensor& tensor) {
  std::string shape;
  for (const std::int64_t size : tensor.shape) shape += fmt::format("{}{}", shape.empty() ? "" : " × ", size);
  return fmt::format("{}   {}   {}", tensor.name, shape, tensor.element);
}

void draw_mapping(Context& context, AttentionSource& source, const SourceReply& reply) {
  section(context, reply.tensors.empty()
                       ? "Tensors in the file: which is which?"
                       : fmt::format("{} tensors in the file: which is which?", reply.tensors.size()).c_str());
  // In two columns: in a low window all six are in view.
  const float left = ImGui::GetCursorPosX(), gap = context.look.px(16), label = context.look.px(36);
  const float half = (ImGui::GetContentRegionAvail().x - gap) / 2;
  bool first = true;
  for (const char* role : {"q", "v1", "k1", "v2", "k2", "sink"}) {
    const float at = left + (first ? 0 : half + gap);
    if (!first) ImGui::SameLine(at);
    first = !first;
    ImGui::AlignTextToFramePadding();
    coloured_text(context.look.theme.muted, role);
    ImGui::SameLine(at + label);
    ImGui::SetNextItemWidth(half - label);
    const bool required = *role == 'q' || *role == 'k';
    std::string name;
    if (source.mapping.names.contains(role)) {
      name = source.mapping.names.at(role);
    } else if (reply.names.contains(role)) {
      name = reply.names.at(role);
    }
    const auto chosen = std::ranges::find(reply.tensors, name, &NamedTensor::name);
    const std::string shown = chosen != reply.tensors.end() ? tensor_line(*chosen)
                              : reply.tensors.empty()       ? ""
                              : name.empty()                ? (required ? "choose one" : "none")
                                                            : name;
    if (!ImGui::BeginCombo(fmt::format("##role_{}", role).c_str(), shown.c_str())) continue;
    if (!required && ImGui::Selectable("none", name.empty())) source.mapping.names[role].clear();
    for (const NamedTensor& tensor : reply.tensors) {
      if (ImGui::Selectable(fmt::format("{}###{}", tensor_line(tensor), tensor.name).c_str(), tensor.name == name))
        source.mapping.names[role] = tensor.name;
    }
    ImGui::EndCombo();
  }
}

void draw_file(Context& context, SourceDraft& draft) {
  AttentionSource& source = draft.source;
  if (path_field(context, "file", "##file", ".safetensors, .npz, .pt, or q.npy beside k1.npy, k2.npy, ...", source.file,
                 ask::ChooseTensors{}))
    source.mapping.names.clear();
  path_field(context, "token labels", "##labels", "text file, one token per line; may be empty", source.labels_file,
             ask::ChooseLabels{});
  row(context, "order");
  if (chip(context, "batch, tokens, heads, dim", !source.mapping.heads_first)) source.mapping.heads_first = false;
  ImGui::SameLine(0, context.look.px(4));
  if (chip(context, "batch, heads, tokens, dim", source.mapping.heads_first)) source.mapping.heads_first = true;
  // Before a file is read its lines stand there empty: shapes that come while a path is typed move no button.
  const SourceReply none;
  const SourceReply* found = tensors_of(draft, context.data.attention);
  const SourceReply& reply = found ? *found : none;
  row(context, "");
  const float top = ImGui::GetCursorPosY();
  const std::string order = found ? order_sentence(reply, source.mapping) : "";
  muted_text(context, order.empty() ? " " : order, true);
  // Room for two lines, whatever is said: another order, or a choice of q, moves no button.
  const float rest = top + 2 * ImGui::GetTextLineHeightWithSpacing() - ImGui::GetCursorPosY();
  if (rest > 0) ImGui::Dummy(ImVec2(0, rest));
  ImGui::BeginDisabled(!found);
  draw_mapping(context, source, reply);
  ImGui::EndDisabled();
  // What the words below ask for comes into view with them.
  bool* asked = ImGui::GetStateStorage()->GetBoolRef(ImGui::GetID("asked"));
  const bool asks = found && !problem_of(draft, context.data.attention).empty();
  if (!std::exchange(*asked, asks) && asks) ImGui::SetScrollHereY(1);
}

bool draw_match3(Context& context, SourceDraft& draft) {
  muted_text(context,
             "One head decides for each number x whether two others of the list complete it to 0 mod M (the paper's "
             "Theorem 1).",
             true);
  row(context, "numbers");
  ImGui::InputText("##numbers", &draft.numbers);
  const bool right = whole_number(context, "modulus M", draft.source.modulus, kMostModulus);
  row(context, "c");
  ImGui::InputTextWithHint("##c", "empty: large enough to decide", &draft.c);
  return right;
}

/// The kind of source, and what it needs. False: a field holds no number that it takes.
bool draw_source(Context& context, SourceDraft& draft) {
  SourceKind& kind = draft.source.kind;
  const bool generated = kind != SourceKind::file && kind != SourceKind::match3;
  const auto choice = [&](const char* label, bool chosen, SourceKind value) {
    if (chip(context, label, chosen) && !chosen) kind = value;
    ImGui::SameLine(0, context.look.px(4));
  };
  choice("Example", generated, SourceKind::induction);
  choice("File", kind == SourceKind::file, SourceKind::file);
  choice("Match3", kind == SourceKind::match3, SourceKind::match3);
  ImGui::NewLine();
  ImGui::Dummy(ImVec2(0, context.look.px(8)));
  if (kind == SourceKind::match3) return draw_match3(context, draft);
  if (kind != SourceKind::file) return draw_generated(context, draft.source);
  draw_file(context, draft);
  return true;
}

/// Enter ends the dialog, but where it chooses in a list or presses the button that the keyboard is at.
bool enter_pressed() {
  const ImGuiIO& io = ImGui::GetIO();
  return ImGui::IsWindowFocused(ImGuiFocusedFlags_ChildWindows) && (io.WantTextInput || !io.NavVisible) &&
         (ImGui::IsKeyPressed(ImGuiKey_Enter, false) || ImGui::IsKeyPressed(ImGuiKey_KeypadEnter, false));
}

/// Room for what is wrong, which it keeps: buttons must not move away from the pointer when the words come or go.
float& kept_problem_room() {
  constexpr float kLines = 2;
  float& room = *ImGui::GetStateStorage()->GetFloatRef(ImGui::GetID("problem"), 0);
  if (ImGui::IsWindowAppearing()) room = kLines * ImGui::GetTextLineHeightWithSpacing();
  return room;
}

/// With the space around it.
float problem_room(const Look& look) {
  return kept_problem_room() + 2 * (look.px(4) + ImGui::GetStyle().ItemSpacing.y);
}

void draw_problem_line(const Context& context, const std::string& problem) {
  float& room = kept_problem_room();
  const float before = ImGui::GetCursorPosY();
  if (!problem.empty()) {
    ImGui::PushTextWrapPos(0);
    coloured_text(context.look.theme.slower, sentence(problem));
    ImGui::PopTextWrapPos();
  }
  room = std::max(room, ImGui::GetCursorPosY() - before);
  ImGui::SetCursorPosY(before);
  ImGui::Dummy(ImVec2(0, room - ImGui::GetStyle().ItemSpacing.y));
}

}  // namespace

void draw_attention_dialog(Context& context) {
  AttentionUi& ui = context.ui.attention;
  SourceDraft& draft = ui.draft;
  settle_draft(ui, context.data.attention);
  if (!draft.open && !ImGui::IsPopupOpen("tensors")) return;
  if (context.ui.path.waiting) return;  // it browses for a file, and comes back here
  if (draft.open && !ImGui::IsPopupOpen("tensors")) ImGui::OpenPopup("tensors");
  if (!begin_dialog(context.look, "tensors", 560)) return;
  dialog_heading(context.look, !compares(ui)     ? "Tensors to look into"
                               : draft.side == 0 ? "Tensors of A"
                                                 : "Tensors of B");
  bool right = false;
  {
    const DialogBody body(context.look, "source", problem_room(context.look));
    ImGui::BeginDisabled(draft.submitted);  // what is tried is what is chosen
    right = draw_source(context, draft);
    ImGui::EndDisabled();
  }
  if (!draft.problem.empty()) draft.problem = complete_draft(draft);  // until it is mended
  ImGui::Dummy(ImVec2(0, context.look.px(4)));
  draw_problem_line(context, problem_of(draft, context.data.attention));
  ImGui::Dummy(ImVec2(0, context.look.px(4)));
  const bool ready = right && !draft.submitted, enter = ready && enter_pressed();
  if (primary_button(context, "Open", ready) || enter) submit_draft(ui);
  ImGui::SameLine();
  if (ImGui::Button("Cancel") || ImGui::IsKeyPressed(ImGuiKey_Escape)) draft.open = draft.submitted = false;
  if (draft.submitted) {
    ImGui::SameLine();
    muted_text(context, "Opening ...");
  }
  if (!draft.open) ImGui::CloseCurrentPopup();
  ImGui::EndPopup();
}

}  // namespace triscope
