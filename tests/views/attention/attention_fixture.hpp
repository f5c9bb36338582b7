// The attention panel with plain data and no worker, for tests.
#pragma once

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>

#include "kernels/inspect/mean_maps.hpp"
#include "tests/views/pictures/canvas.hpp"
#include "views/model/attention/attention_model.hpp"

namespace triscope::fixture {

/// Every pair alike, over the last `count1` x `count2` keys before `query`.
inline std::shared_ptr<Slice> even_slice(std::int64_t query, std::int64_t count1, std::int64_t count2) {
  auto slice = std::make_shared<Slice>();
  slice->first1 = query - count1 + 1;
  slice->first2 = query - count2 + 1;
  slice->count1 = count1;
  slice->count2 = count2;
  const double pairs = static_cast<double>(count1 * count2);
  slice->log_p.assign(static_cast<std::size_t>(count1 * count2), static_cast<float>(-std::log(pairs)));
  slice->largest_p = 1 / pairs;
  slice->entropy = std::log(pairs);
  slice->marginal1.assign(static_cast<std::size_t>(count1), 1 / static_cast<float>(count1));
  slice->marginal2.assign(static_cast<std::size_t>(count2), 1 / static_cast<float>(count2));
  slice->dot_log_p.assign(static_cast<std::size_t>(count1), -std::log(static_cast<float>(count1)));
  slice->output = {1, 0.5F};
  slice->top = {{query, query, 0, 1 / pairs, 0.1}};
  return slice;
}

inline std::shared_ptr<SourceReply> opened(std::int64_t seq_len) {
  auto reply = std::make_shared<SourceReply>();
  reply->batch = 1;
  reply->seq_len = seq_len;
  reply->q_heads = reply->kv_heads = 2;
  reply->head_dim = 2;
  reply->values = true;
  return reply;
}

/// The panel on 100 tokens, A and B there.
class AttentionPanel : public testing::Test {
 protected:
  AttentionPanel() {
    ui().query = 50;
    ui().window1 = 16;
    ui().window2 = 8;
    for (int which = 0; which < 2; ++which) {
      side(which).asked = ui().sides[static_cast<std::size_t>(which)].source;
      side(which).source = opened(100);
      side(which).slice_of = *wanted_slice(ui(), data.attention, which);
      side(which).slice_device = "cpu";
      side(which).slice = even_slice(50, 16, 8);
    }
  }
  AttentionUi& ui() { return canvas.ui.attention; }
  AttentionSideData& side(int which = 0) { return data.attention.sides[static_cast<std::size_t>(which)]; }
  const std::string& text() {
    EXPECT_GT(canvas.draw(Panel::attention, data), 200);
    return canvas.text;
  }
  /// Pixels of a colour on the whole screen.
  std::int64_t pixels(ImU32 colour) {
    canvas.draw(Panel::attention, data);
    const Picture picture = rasterize(*ImGui::GetDrawData(), IM_COL32_BLACK);
    std::int64_t count = 0;
    for (std::size_t n = 0; n + 2 < picture.rgb.size(); n += 3) {
      count += picture.rgb[n] == (colour >> IM_COL32_R_SHIFT & 255) &&
               picture.rgb[n + 1] == (colour >> IM_COL32_G_SHIFT & 255) &&
               picture.rgb[n + 2] == (colour >> IM_COL32_B_SHIFT & 255);
    }
    return count;
  }
  void open_match3() {
    ui().sides[0].source.kind = SourceKind::match3;
    ui().sides[0].source.numbers = {1, 2, 4};
    ui().query = 0;
    side().asked = ui().sides[0].source;
    side().source = opened(3);
    side().slice_of = *wanted_slice(ui(), data.attention, 0);
    side().slice = even_slice(2, 3, 3);
    data.attention.overview.of = *wanted_overview(ui(), data.attention);
  }

  Canvas canvas;
  WindowData data;
};

/// The panel with its overview, and the mean of two heads: head 0 looks 5, 2 and 9, 3 back alike and 12, 4 a little
/// less, head 1 has no preference.
class AttentionMeans : public AttentionPanel {
 protected:
  AttentionMeans() {
    AttentionData& attention = data.attention;
    attention.overview.of = *wanted_overview(ui(), attention);
    auto overview = std::make_shared<Overview>();
    overview->heads = 2;
    overview->columns = 34;
    overview->step = 3;
    overview->entropy.assign(68, 2);
    overview->largest_p.assign(68, 0.25F);
    overview->distance1.assign(68, 7.5F);
    overview->distance2.assign(68, 3.5F);
    std::fill_n(overview->distance2.begin(), 34, 2.0F);
    attention.overview.answer = overview;
    attention.overview.of.step = 3;
    attention.means.of = attention.overview.of;
    attention.means.answer = std::make_shared<MeanMaps>(means(attention.overview.of.query.problem));
  }
  /// The slice of the shown query, whose strongest pair is so far back.
  void answer(std::int64_t back1, std::int64_t back2) {
    side().slice_of = *wanted_slice(ui(), data.attention, 0);
    const std::int64_t query = side().slice_of.query.query;
    const auto slice = even_slice(query, 16, 8);
    slice->top = {{query - back1, query - back2, 3, 0.36, 0.1}};
    side().slice = slice;
  }
  static MeanMaps means(const Problem& problem) {
    MeanMapsMaker maker(problem, 100, 2, 3);
    for (const std::int64_t head : {0, 1}) {
      for (const std::int64_t query : averaged_queries(problem, 100, 3)) {
        const auto slice = even_slice(query, 16, 8);
        const auto set = [&](std::int64_t back1, std::int64_t back2, double p) {
          slice->log_p[static_cast<std::size_t>((7 - back2) * 16 + 15 - back1)] = static_cast<float>(std::log(p));
        };
        if (head == 0) {
          const bool swap = query % 2 == 1;
          set(5, 2, swap ? 0.2 : 0.4);
          set(9, 3, swap ? 0.36 : 0.2);
          set(12, 4, 0.16);
        }
        maker.add(head, query, *slice);
      }
    }
    return maker.finish();
  }
};

}  // namespace triscope::fixture
