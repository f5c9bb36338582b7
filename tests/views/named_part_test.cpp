// Where the paper's own names lead in the window.
#include "views/model/paper/named_part.hpp"

#include <gtest/gtest.h>

#include "profiler/paper/written_parts.hpp"

namespace triscope {
namespace {

TEST(NamedPart, turns_to_the_steps_of_a_named_algorithm) {
  struct Named {
    const char* name;
    Algorithm algorithm;
    const char* written_first;
  };
  for (const auto& [name, algorithm, written_first] :
       {Named{"algorithm1", Algorithm::paper_forward, "algorithm1"},
        Named{"listing1", Algorithm::paper_forward, "algorithm1"}, Named{"listing2", Algorithm::paper_keys, "listing2"},
        Named{"algorithm2", Algorithm::paper_two_stage, "algorithm2"},
        Named{"listing3", Algorithm::paper_two_stage, "algorithm2"}}) {
    PaperUi ui;
    ui.steps.algorithm = Algorithm::our_backward;
    ui.steps.step = 7;
    ui.steps.playing = true;
    EXPECT_TRUE(turn_to(ui, name)) << name;
    EXPECT_EQ(ui.page, PaperPage::steps) << name;
    EXPECT_EQ(ui.steps.algorithm, algorithm) << name;
    EXPECT_EQ(ui.steps.step, 0) << name;
    EXPECT_FALSE(ui.steps.playing) << name;
    EXPECT_EQ(written_of(algorithm).front(), written_first) << name;
  }
}

TEST(NamedPart, leaves_the_steps_where_a_page_is_named) {
  PaperUi ui;
  EXPECT_FALSE(turn_to(ui, "listing4"));
  EXPECT_EQ(ui.page, PaperPage::table1);
  ui.steps.algorithm = Algorithm::our_forward;
  EXPECT_TRUE(turn_to(ui, "steps"));
  EXPECT_EQ(ui.steps.algorithm, Algorithm::our_forward);
  EXPECT_TRUE(turn_to(ui, "figure2"));
  EXPECT_EQ(ui.page, PaperPage::tiling);
}

TEST(NamedPart, has_something_written_of_every_algorithm_of_the_paper) {
  for (int which = 0; which < kAlgorithms; ++which) {
    const auto algorithm = static_cast<Algorithm>(which);
    const bool of_the_paper = algorithm != Algorithm::our_forward && algorithm != Algorithm::our_backward;
    EXPECT_EQ(!written_of(algorithm).empty(), of_the_paper);
    for (const std::string_view id : written_of(algorithm)) EXPECT_TRUE(find_written_part(id)) << id;
  }
}

}  // namespace
}  // namespace triscope
