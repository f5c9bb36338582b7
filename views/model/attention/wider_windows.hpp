// Whether the peaks of the means depend on the windows: a second mean at wider ones.
#pragma once

#include <optional>
#include <string>

#include "kernels/inspect/mean_maps.hpp"
#include "views/data/attention_state.hpp"

namespace triscope {

/// A check at wider windows, or why there is none.
struct WiderCheck {
  std::optional<OverviewRequest> request;
  std::string problem;
};
/// Twice the windows, at most all tokens; only one of them where both have more pairs than are averaged. Neither
/// request nor problem: the means themselves are not there.
WiderCheck wider_check(const AttentionUi& ui, const AttentionData& data);
/// What is to be averaged now; nullopt where nobody asked, and while queries go by.
std::optional<OverviewRequest> wanted_wider(const AttentionUi& ui, const AttentionData& data);
/// The means at wider windows than those of what is shown; null until they are there.
const MeanMaps* shown_wider(const AttentionUi& ui, const AttentionData& data);

/// "1st", "3rd": which peak of its head a peak is in another mean, itself or one beside it; "-" where it is none.
std::string wider_rank(const MeanMaps& wider, const MeanPeak& peak);
/// Of which heads the largest peak stays: "At 512 × 64, mean over queries 256 to 511: ...".
std::string wider_sentence(const MeanMaps& maps, const MeanMaps& wider);
/// "At 512 × 64 windows: mean p 0.058, the 1st of its head."
std::string wider_text(const MeanMaps& wider, const MeanPeak& peak);

/// Shows the windows of a check, and remembers those before; `back_from_wider` brings them back.
void show_wider(AttentionUi& ui, const OverviewRequest& check);
void back_from_wider(AttentionUi& ui);

}  // namespace triscope
