// A picture of the window on a database, made without display, OpenGL or GPU.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "profiler/explore/exploration.hpp"
#include "views/data/print_style.hpp"

namespace triscope {

struct ScreenshotOptions {
  std::int64_t sweep = 0;                   ///< 0: the newest
  std::filesystem::path database;           ///< empty: the user's own
  std::filesystem::path file;               ///< PNG to write, or a picture for print: .svg or .pdf
  std::filesystem::path tensors;            ///< shown in the attention panel instead of measurements; empty: none
  std::optional<std::int64_t> query, head;  ///< of `tensors`; unset: as the window opens
  std::string panel;  ///< panel to bring to the front, or "paper:match3"; empty: as the window opens
  bool light = false;
  int width = 1440, height = 900;
  float scale = 1;
  bool for_print = false;               ///< the chart of `panel` as SVG or PDF
  PrintChoice print;                    ///< then: its size and words
  std::optional<ExploreQuery> explore;  ///< what the panel of that name asks; unset: as the window opens
};

/// The first measurement that can be used is selected; returns the sentence of `select_usable`. Throws `Error`: unknown
/// panel or sweep, unreadable database or tensors, file not writable.
std::string take_screenshot(const ScreenshotOptions& options);

}  // namespace triscope
