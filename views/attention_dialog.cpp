// Chooses what is inspected: a generated example, a file with its mapping of names, or Match3.
#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <charconv>
#include <tuple>

#include "views/attention_parts.hpp"
#include "views/format.hpp"
#include "views/widgets.hpp"

namespace triscope {
namespace {

constexpr const char* kExampleNumbers = "3 1 4 1 5 9 2 6 5 3 5 8 9 7 9 3 2 3 8 4 6 2 6 4";

/// Whole numbers separated by spaces, commas or semicolons; nullopt for anything else, or one beyond a thousand
/// million.
std::optional<std::vector<std::int64_t>> parse_numbers(const std::string& text) {
  constexpr std::int64_t kLargest = 1'000'000'000;
  std::vector<std::int64_t> numbers;
  const char* at = text.data();
  const char* end = at + text.size();
  while (at < end) {
    if (*at == ' ' || *at == ',' || *at == ';' || *at == '\n' || *at == '\t') {
      ++at;
      continue;
    }
    std::int64_t value = 0;
    const auto [next, error] = std::from_chars(at, end, value);
    if (error != std::errc() || value < -kLargest || value > kLargest) return std::nullopt;
    numbers.push_back(value);
    at = next;
  }
  return numbers;
}

void row(const Context& context, const char* label) {
  ImGui::AlignTextToFramePadding();
  coloured_text(context.look.theme.muted, label);
  ImGui::SameLine(context.look.px(120));
  ImGui::SetNextItemWidth(-1);
}

constexpr std::int64_t kMostTokens = 1 << 20, kMostHeads = 256, kMostHeadDim = 512, kMostModulus = 1000;

void whole_number(const Context& context, const char* label, std::int64_t& value) {
  row(context, label);
  const NumberFont font(context.look);
  ImGui::InputScalar(fmt::format("##{}", label).c_str(), ImGuiDataType_S64, &value);
}

void draw_generated(Context& context, AttentionSource& source) {
  const auto kind = [&](const char* label, SourceKind value, const char* help) {
    if (chip(context, label, source.kind == value)) source.kind = value;
    tooltip(context, help);
    ImGui::SameLine();
  };
  kind("Induction", SourceKind::induction,
       "Words that repeat: the first key stands behind an earlier copy of the query's word, the second on a marked "
       "word");
  kind("Peaked", SourceKind::peaked, "N(0,1) with queries four times as large: a few pairs take nearly everything");
  kind("Random", SourceKind::random, "N(0,1)");
  ImGui::NewLine();
  whole_number(context, "tokens", source.seq_len);
  whole_number(context, "query heads", source.q_heads);
  whole_number(context, "key heads", source.kv_heads);
  whole_number(context, "head_dim", source.head_dim);
  row(context, "rotary");
  ImGui::Checkbox("##rotary", &source.rotary);
  ImGui::SameLine();
  muted_text(context, source.form == Form::determinant
                          ? "chunks of three about one axis: logits depend on distances alone"
                          : "pairs of dimensions");
}

void draw_mapping(Context& context, AttentionSource& source, const SourceReply& reply) {
  section(context, fmt::format("{} tensors in the file: which is which?", reply.tensors.size()).c_str());
  for (const char* role : {"q", "k1", "k2", "v1", "v2", "sink"}) {
    row(context, role);
    const bool required = *role == 'q' || *role == 'k';
    std::string name;
    if (source.mapping.names.contains(role)) {
      name = source.mapping.names.at(role);
    } else if (reply.names.contains(role)) {
      name = reply.names.at(role);
    }
    if (!ImGui::BeginCombo(fmt::format("##role_{}", role).c_str(),
                           name.empty() ? (required ? "choose one" : "none") : name.c_str()))
      continue;
    if (!required && ImGui::Selectable("none", name.empty())) source.mapping.names[role].clear();
    for (const NamedTensor& tensor : reply.tensors) {
      std::string shape;
      for (std::int64_t size : tensor.shape) shape += fmt::format("{}{}", shape.empty() ? "" : " × ", size);
      if (ImGui::Selectable(fmt::format("{}   {}   {}###{}", tensor.name, shape, tensor.element, tensor.name).c_str(),
                            tensor.name == name))
        source.mapping.names[role] = tensor.name;
    }
    ImGui::EndCombo();
  }
}

void draw_file(Context& context, SourceDraft& draft) {
  AttentionSource& source = draft.source;
  row(context, "file");
  if (ImGui::InputTextWithHint("##file", ".safetensors, or q.npy beside k1.npy, k2.npy, ...", &source.file))
    source.mapping.names.clear();
  row(context, "token labels");
  ImGui::InputTextWithHint("##labels", "text file, one token a line; may be empty", &source.labels_file);
  row(context, "order");
  if (chip(context, "batch, tokens, heads, dim", !source.mapping.heads_first)) source.mapping.heads_first = false;
  ImGui::SameLine(0, context.look.px(4));
  if (chip(context, "batch, heads, tokens, dim", source.mapping.heads_first)) source.mapping.heads_first = true;
  const AttentionSideData& data = context.data.attention.sides[static_cast<std::size_t>(draft.side)];
  if (data.asked && data.asked->kind == SourceKind::file && data.asked->file == source.file && data.source &&
      !data.source->tensors.empty())
    draw_mapping(context, source, *data.source);
}

void draw_match3(Context& context, SourceDraft& draft) {
  muted_text(context,
             "One head decides for each number x whether two others of the list complete it to 0 mod M (the paper's "
             "Theorem 1).",
             true);
  row(context, "numbers");
  ImGui::InputText("##numbers", &draft.numbers);
  whole_number(context, "modulus M", draft.source.modulus);
  row(context, "c");
  ImGui::InputTextWithHint("##c", "empty: large enough to decide", &draft.c);
}

/// Why nothing can be generated; empty = it can.
std::string generated_problem(const AttentionSource& source) {
  struct Limit {
    const char* name;
    std::int64_t value, most;
  };
  for (const Limit& limit : {Limit{"tokens", source.seq_len, kMostTokens},
                             {"query heads", source.q_heads, kMostHeads},
                             {"key heads", source.kv_heads, kMostHeads},
                             {"head_dim", source.head_dim, kMostHeadDim}}) {
    if (limit.value < 1 || limit.value > limit.most)
      return fmt::format("{}: type a number from 1 to {}.", limit.name, format_count(limit.most));
  }
  return source.q_heads % source.kv_heads == 0 ? "" : "Query heads must be a multiple of key heads.";
}

/// Takes over what was typed; false with the reason in `problem`.
bool complete(SourceDraft& draft) {
  draft.problem.clear();
  AttentionSource& source = draft.source;
  if (source.kind == SourceKind::file && source.file.empty()) draft.problem = "Type the path of a file.";
  if (source.kind != SourceKind::file && source.kind != SourceKind::match3) draft.problem = generated_problem(source);
  if (source.kind == SourceKind::match3) {
    const auto numbers = parse_numbers(draft.numbers);
    if (!numbers || numbers->empty()) draft.problem = "Type whole numbers, separated by spaces.";
    if (numbers) source.numbers = *numbers;
    if (source.modulus < 1 || source.modulus > kMostModulus)
      draft.problem = fmt::format("modulus M: type a number from 1 to {}.", format_count(kMostModulus));
    source.c.reset();
    if (!draft.c.empty()) {
      double c = 0;
      const auto [end, error] = std::from_chars(draft.c.data(), draft.c.data() + draft.c.size(), c);
      if (error != std::errc() || end != draft.c.data() + draft.c.size() || !(c > 0) || c > 1e9)
        draft.problem = "c is a number above zero, or empty.";
      source.c = c;
    }
  }
  return draft.problem.empty();
}

}  // namespace

void open_attention_dialog(Context& context, int side) {
  SourceDraft& draft = context.ui.attention.draft;
  draft.open = true;
  draft.side = side;
  draft.source = context.ui.attention.sides[static_cast<std::size_t>(side)].source;
  if (draft.numbers.empty()) draft.numbers = kExampleNumbers;
  draft.problem.clear();
}

void draw_attention_dialog(Context& context) {
  AttentionUi& ui = context.ui.attention;
  SourceDraft& draft = ui.draft;
  if (!draft.open) return;
  const Look& look = context.look;
  if (!ImGui::IsPopupOpen("tensors")) ImGui::OpenPopup("tensors");
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  ImGui::SetNextWindowPos(
      ImVec2(viewport->WorkPos.x + viewport->WorkSize.x / 2, viewport->Pos.y + viewport->Size.y * 0.14F),
      ImGuiCond_Always, ImVec2(0.5F, 0));
  ImGui::SetNextWindowSize(ImVec2(std::min(look.px(560), viewport->WorkSize.x * 0.95F), 0));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(look.px(16), look.px(16)));
  const bool drawn = ImGui::BeginPopupModal(
      "tensors", nullptr, ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings);
  ImGui::PopStyleVar();
  if (!drawn) return;
  ImGui::PushFont(look.heading, kHeadingSize);
  ImGui::TextUnformatted(ui.show == AttentionShow::one ? "Tensors to look into"
                         : draft.side == 0             ? "Tensors of A"
                                                       : "Tensors of B");
  ImGui::PopFont();
  ImGui::Dummy(ImVec2(0, look.px(4)));
  const auto typed = [&draft] { return std::tie(draft.source, draft.numbers, draft.c); };
  const std::tuple<AttentionSource, std::string, std::string> before = typed();
  const bool generated = draft.source.kind != SourceKind::file && draft.source.kind != SourceKind::match3;
  if (chip(context, "Example", generated) && !generated) draft.source.kind = SourceKind::induction;
  ImGui::SameLine(0, look.px(4));
  if (chip(context, "File", draft.source.kind == SourceKind::file)) draft.source.kind = SourceKind::file;
  ImGui::SameLine(0, look.px(4));
  if (chip(context, "Match3", draft.source.kind == SourceKind::match3)) draft.source.kind = SourceKind::match3;
  ImGui::Dummy(ImVec2(0, look.px(8)));
  if (draft.source.kind == SourceKind::file) {
    draw_file(context, draft);
  } else if (draft.source.kind == SourceKind::match3) {
    draw_match3(context, draft);
  } else {
    draw_generated(context, draft.source);
  }
  if (typed() != before) draft.problem.clear();  // of what is being corrected
  const AttentionSideData& data = context.data.attention.sides[static_cast<std::size_t>(draft.side)];
  const bool asked =
      data.asked == draft.source && ui.sides[static_cast<std::size_t>(draft.side)].source == draft.source;
  const std::string problem = !draft.problem.empty() ? draft.problem
                              : asked && data.source ? data.source->problem
                              : asked                ? data.problem
                                                     : std::string();
  ImGui::Dummy(ImVec2(0, look.px(4)));
  if (!problem.empty()) {
    ImGui::PushTextWrapPos(0);
    coloured_text(look.theme.slower, sentence(problem));
    ImGui::PopTextWrapPos();
  }
  ImGui::Dummy(ImVec2(0, look.px(4)));
  bool close = false;
  if (draft.submitted && asked && (data.source || !data.problem.empty())) {
    // A file may fail, or need its names mapped: the dialog stays until it is known to open.
    draft.submitted = false;
    close = data.source && data.source->problem.empty();
  }
  if (primary_button(context, "Open") && complete(draft)) {
    choose_source(ui, draft.side, draft.source);
    draft.source = ui.sides[static_cast<std::size_t>(draft.side)].source;
    draft.submitted = draft.source.kind == SourceKind::file;
    close = !draft.submitted;
  }
  ImGui::SameLine();
  close |= ImGui::Button("Cancel") || ImGui::IsKeyPressed(ImGuiKey_Escape);
  if (close) {
    draft.open = draft.submitted = false;
    ImGui::CloseCurrentPopup();
  }
  ImGui::EndPopup();
}

}  // namespace triscope
