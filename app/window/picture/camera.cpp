#include "app/window/picture/camera.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "kernels/base/error.hpp"

namespace triscope {

void Camera::take(const ImDrawData& data, ImU32 background) {
  if (!order_) return;
  const PictureOrder order = *std::exchange(order_, std::nullopt);
  try {
    deliver(order, rasterize(data, background), data.FramebufferScale.x);
  } catch (const std::exception& error) {
    std::vector<Notice::Action> instead;
    if (order.file.empty() && order.panel) instead.push_back({"Save as PNG...", ask::SaveChart{order.panel, {}}});
    // Later: this is after the frame, and it wakes the window for the next.
    messages_.notify_later(Severity::error, NoticeId::picture, error.what(), std::move(instead));
    if (!order.beside.empty()) files_.save_texts(order.beside);
  }
}

void Camera::deliver(const PictureOrder& order, Picture picture, float scale) {
  if (order.panel) {
    const auto area = areas_.find(*order.panel);
    if (area == areas_.end()) throw Error("The chart was not saved", "it is not shown", "bring it to the front first");
    picture = crop(picture, area->second, scale);
  }
  const std::vector<std::uint8_t> png = encode_png(picture);
  if (!order.file.empty()) {
    auto texts = order.beside;
    texts.insert(texts.begin(), {order.file, std::string(png.begin(), png.end())});
    return files_.save_texts(std::move(texts));
  }
  copy_image(png);
  messages_.log(Severity::info, fmt::format("Copied a picture of {} x {} pixels.", picture.width, picture.height));
}

}  // namespace triscope
