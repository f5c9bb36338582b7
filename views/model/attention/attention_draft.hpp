// What is typed into the dialog that chooses tensors, worked out without Dear ImGui.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "views/data/attention_state.hpp"

namespace triscope {

inline constexpr std::int64_t kMostTokens = 1 << 20, kMostHeads = 256, kMostHeadDim = 512;  ///< of an example
inline constexpr std::int64_t kMostModulus = 1000;

/// Whether a file of this name can hold tensors: .safetensors, .npz, .pt, .npy.
bool holds_tensors(std::string_view file);
/// Opens the dialog for a side, with what the side shows.
void open_draft(AttentionUi& ui, int side);
/// Another file: forgets the mapping of names and the labels, which belonged to the previous file.
void set_tensors(SourceDraft& draft, const std::string& file);
/// Tries a file for A with default settings, as after a drop on the window: no dialog has asked for others.
void drop_tensors(AttentionUi& ui, const std::string& file);
/// Takes over what was typed as text. Returns what is wrong, one sentence; empty: nothing.
std::string complete_draft(SourceDraft& draft);
/// Chooses the draft for its side; a file is tried first, and chosen by `settle_draft`. What is wrong with the draft
/// stands in `problem`.
void submit_draft(AttentionUi& ui);
/// Once a file that was tried is known to open, chooses it and closes the dialog; one that does not keeps the dialog
/// open.
void settle_draft(AttentionUi& ui, const AttentionData& data);
/// Why the draft is not chosen: what was typed, or what the file said.
std::string problem_of(const SourceDraft& draft, const AttentionData& data);
/// `text` without the options of the command line that it advises: a window has fields for them.
std::string without_options(const std::string& text);
/// The tensors of the draft's file, as far as it was opened; null otherwise.
const SourceReply* tensors_of(const SourceDraft& draft, const AttentionData& data);

}  // namespace triscope
