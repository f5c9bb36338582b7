// Pictures of the window and of its charts, taken from a frame that is drawn for them.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/window/files/files.hpp"
#include "app/window/messages/messages.hpp"
#include "app/window/picture/picture.hpp"
#include "views/model/ui_state.hpp"

namespace triscope {

/// What a picture is of, and where it goes.
struct PictureOrder {
  float scale = 3;
  std::optional<Panel> panel;  ///< unset: the whole window
  std::filesystem::path file;  ///< empty: to the clipboard
  /// What is written with it, of which one notice tells.
  std::vector<std::pair<std::filesystem::path, std::string>> beside{};
};

/// Keeps the order until the next frame. Lives on the drawing thread.
class Camera {
 public:
  /// `areas`: where charts were drawn in the last frame.
  Camera(const std::map<Panel, Area>& areas, Files& files, Messages& messages)
      : areas_(areas), files_(files), messages_(messages) {}

  void order(PictureOrder order) { order_ = std::move(order); }
  /// Of the frame that is drawn next; null: no picture is wanted.
  const PictureOrder* wanted() const { return order_ ? &*order_ : nullptr; }
  /// Takes the picture out of a frame over `background`.
  void take(const ImDrawData& data, ImU32 background);
  /// What `Copy image` hands to the desktop; replaced in tests.
  std::function<void(const std::vector<std::uint8_t>& png)> copy_image;

 private:
  void deliver(const PictureOrder& order, Picture picture, float scale);

  const std::map<Panel, Area>& areas_;
  Files& files_;
  Messages& messages_;
  std::optional<PictureOrder> order_;
};

}  // namespace triscope
