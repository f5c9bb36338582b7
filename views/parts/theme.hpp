// Every colour, size and font of the window. No other file holds a colour.
#pragma once

#include <imgui.h>

#include <array>

#include "profiler/export/heatmap.hpp"

namespace triscope {

struct Theme {
  bool dark = true;
  ImU32 ground = 0, panel = 0, raised = 0, line = 0;  ///< behind panels, panels, what lies on them, hairlines
  ImU32 text = 0, muted = 0, faint = 0;               ///< faint: drawn, never read
  ImU32 accent = 0, on_accent = 0, accent_soft = 0;   ///< accent_soft: behind the selected row
  ImU32 faster = 0, slower = 0, unclear = 0;
  ImU32 missing = 0, not_a_number = 0;  ///< hatch of absent cells; a colour for NaN that stands out
  ImU32 match = 0, kept = 0, rim = 0;   ///< frames around cells of any colour map, and what sets them off
  ImU32 baseline = 0;                   ///< neutral: dot-product attention
  std::array<ImU32, 4> baselines{};     ///< of each of them: quiet, and told apart in grey too
  std::array<ImU32, 8> series{};        ///< Okabe-Ito, ordered so that neighbours differ in lightness too
};

/// How the window looks now: theme, fonts, and pixels per design pixel.
struct Look {
  Theme theme;
  ImFont* text = nullptr;
  ImFont* heading = nullptr;
  ImFont* numbers = nullptr;
  float scale = 1;
  float px(float design_pixels) const { return design_pixels * scale; }
};

/// Inside a control, and inside a tab. Dear ImGui draws tabs between our frames, so the style itself holds the tabs'.
inline constexpr ImVec2 kControlPadding{8, 4}, kTabPadding{10, 7};
inline constexpr float kBodySize = 14, kSecondarySize = 12, kHeadingSize = 18, kNumberSize = 13;

const Theme& dark_theme();
const Theme& light_theme();

/// Adds the program's fonts to the current context's atlas.
void load_fonts(Look& look);
/// Sets the styles of Dear ImGui and ImPlot from `look`: from scratch each time, so that nothing accumulates.
void apply_look(const Look& look);

ImVec4 to_vec4(ImU32 colour);
/// `colour` with its alpha multiplied.
ImU32 faded(ImU32 colour, float alpha);
ImU32 to_colour(Rgb colour);
/// The theme's colours for masked cells and NaN.
void set_theme(HeatmapStyle& style, const Theme& theme);
/// Colours of differences: what is equal is as the theme's ground, not a white sheet on a dark one.
ColourMap difference_map(const Theme& theme);
/// Viridis at `t` in [0, 1]; perceptually even and safe for colour-blind eyes.
ImU32 viridis(float t);
/// Black or white, whichever reads better on `background`.
ImU32 readable_on(ImU32 background);

}  // namespace triscope
