// Why there is no picture for print of a panel that shows nothing, in words that are true in the window and on a
// command line.
#include <gmock/gmock.h>

#include <memory>
#include <string>

#include "kernels/base/error.hpp"
#include "tests/views/pictures/canvas.hpp"
#include "views/print/chart_picture.hpp"

namespace triscope {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string refusal(const ExploreChart& chart) {
  fixture::Canvas canvas;
  WindowData data;
  data.explore.chart = std::make_shared<const ExploreChart>(chart);
  Context context{canvas.look, data, canvas.ui, canvas.models, canvas.requests, 0};
  try {
    panel_picture(context, Panel::explore);
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(EmptyPicture, explore_without_points_says_why_and_offers_no_other_empty_picture) {
  ExploreChart chart;
  const auto says = [&](const char* why) {
    return AllOf(HasSubstr(std::string("it shows no points: ") + why + "; ask for measurements that there are."),
                 Not(HasSubstr("png")));
  };
  EXPECT_THAT(refusal(chart), says("the database holds no measurement"));
  chart.rows = 5;
  EXPECT_THAT(refusal(chart), says("no measurement matches the filter"));
  chart.blamed = {{"No measurement matches seq=77.", "seq=77", ""}};
  EXPECT_THAT(refusal(chart), says("No measurement matches seq=77"));
  chart.matched = 5;
  chart.query.y = "ratio";
  EXPECT_THAT(refusal(chart), HasSubstr("it shows no points: None of these measurements has "));
}

TEST(EmptyPicture, a_panel_without_data_names_the_option_of_a_png) {
  fixture::Canvas canvas;
  const WindowData data;
  Context context{canvas.look, data, canvas.ui, canvas.models, canvas.requests, 0};
  try {
    panel_picture(context, Panel::samples);
    FAIL() << "there is nothing to draw";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("save it as .png, which is --screenshot on a command line"));
  }
}

}  // namespace
}  // namespace triscope
