#include "views/model/attention/attention_draft.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <regex>
#include <string_view>
#include <vector>

#include "kernels/tensors/match3.hpp"
#include "views/data/format.hpp"
#include "views/model/attention/attention_model.hpp"

namespace triscope {
namespace {

constexpr const char* kExampleNumbers = "3 1 4 1 5 9 2 6 5 3 5 8 9 7 9 3 2 3 8 4 6 2 6 4";

std::string complete_match3(SourceDraft& draft) {
  AttentionSource& source = draft.source;
  const auto numbers = parse_match3_numbers(draft.numbers);
  if (!numbers || numbers->empty()) return "Type whole numbers, separated by spaces.";
  if (source.modulus < 1 || source.modulus > kMostModulus)
    return fmt::format("modulus M: type a number from 1 to {}.", format_count(kMostModulus));
  source.numbers = *numbers;
  source.c.reset();
  if (draft.c.empty()) return {};
  double c = 0;
  const auto [end, error] = std::from_chars(draft.c.data(), draft.c.data() + draft.c.size(), c);
  if (error != std::errc() || end != draft.c.data() + draft.c.size() || !(c > 0) || c > 1e9)
    return "c is a number above zero, or empty.";
  source.c = c;
  return {};
}

std::string complete_example(const AttentionSource& source) {
  const struct {
    const char* name;
    std::int64_t value, most;
  } sizes[] = {{"tokens", source.seq_len, kMostTokens},
               {"query heads", source.q_heads, kMostHeads},
               {"key heads", source.kv_heads, kMostHeads},
               {"head_dim", source.head_dim, kMostHeadDim}};
  for (const auto& size : sizes) {
    if (size.value < 1 || size.value > size.most)
      return fmt::format("{}: type a number from 1 to {}.", size.name, format_count(size.most));
  }
  return source.q_heads % source.kv_heads == 0 ? "" : "Query heads must be a multiple of key heads.";
}

}  // namespace

bool holds_tensors(std::string_view file) {
  constexpr std::array<std::string_view, 4> kEndings{".safetensors", ".npz", ".pt", ".npy"};
  return std::ranges::any_of(kEndings, [&](std::string_view ending) { return file.ends_with(ending); });
}

void open_draft(AttentionUi& ui, int side) {
  SourceDraft& draft = ui.draft;
  draft.open = true;
  draft.submitted = false;
  draft.side = side;
  draft.source = ui.sides[static_cast<std::size_t>(side)].source;
  if (draft.numbers.empty()) draft.numbers = kExampleNumbers;
  draft.problem.clear();
}

void set_tensors(SourceDraft& draft, const std::string& file) {
  draft.source.kind = SourceKind::file;
  draft.source.file = file;
  draft.source.mapping.names.clear();
  draft.source.labels_file.clear();
}

void drop_tensors(AttentionUi& ui, const std::string& file) {
  open_draft(ui, 0);
  ui.draft.source = {};
  set_tensors(ui.draft, file);
  submit_draft(ui);
}

std::string complete_draft(SourceDraft& draft) {
  switch (draft.source.kind) {
    case SourceKind::file:
      return draft.source.file.empty() ? "Type the path of a file, or browse for it." : "";
    case SourceKind::match3:
      return complete_match3(draft);
    default:
      return complete_example(draft.source);
  }
}

void submit_draft(AttentionUi& ui) {
  SourceDraft& draft = ui.draft;
  draft.problem = complete_draft(draft);
  if (!draft.problem.empty()) return;
  if (draft.source.kind == SourceKind::file) {
    draft.source.opening = ++ui.openings;  // it is read again, also when it was read before
    draft.submitted = true;
  } else {
    choose_source(ui, draft.side, draft.source);
    draft.open = false;
  }
}

void settle_draft(AttentionUi& ui, const AttentionData& data) {
  SourceDraft& draft = ui.draft;
  const OpenedSource& tried = data.draft;
  if (!draft.submitted || tried.asked != draft.source || (!tried.source && tried.problem.empty())) return;
  draft.submitted = false;
  if (!refusal_of(tried).empty()) return;
  choose_opened(ui, draft.side, draft.source);
  draft.open = false;
}

std::string problem_of(const SourceDraft& draft, const AttentionData& data) {
  if (!draft.problem.empty()) return draft.problem;
  return data.draft.asked == draft.source ? without_options(refusal_of(data.draft)) : std::string();
}

std::string without_options(const std::string& text) {
  static const std::regex options(R"( \(--[a-z-]+\)|, as with --[^;.]*)");
  return std::regex_replace(text, options, "");
}

const SourceReply* tensors_of(const SourceDraft& draft, const AttentionData& data) {
  for (const OpenedSource* opened :
       {&data.draft, static_cast<const OpenedSource*>(&data.sides[static_cast<std::size_t>(draft.side)])}) {
    if (opened->asked && opened->asked->kind == SourceKind::file && opened->asked->file == draft.source.file &&
        opened->source && !opened->source->tensors.empty())
      return opened->source.get();
  }
  return nullptr;
}

}  // namespace triscope
