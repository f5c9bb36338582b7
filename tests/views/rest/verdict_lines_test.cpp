// What a hover says of a measurement beside the reference.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/views/sweep_fixture.hpp"
#include "views/model/models.hpp"
#include "views/parts/widgets.hpp"

namespace triscope {
namespace {

TEST(VerdictLines, a_row_in_work_has_no_verdict_of_what_is_stored) {
  WindowData data;
  auto shown = std::make_shared<SweepResults>();
  shown->rows = {fixture::row(1, 512, 32, Pass::forward, 10, 5), fixture::row(2, 256, 64, Pass::forward, 11, 4)};
  shown->in_work = {1};
  data.shown = shown;
  auto verdicts = std::make_shared<Verdicts>();
  verdicts->baseline = "baseline.cpu";
  for (const std::int64_t row : {1, 2}) verdicts->rates[row] = 1.5;
  data.beside_reference = verdicts;
  Look look;
  UiState ui;
  Models models;
  std::vector<Request> requests;
  const Context context{look, data, ui, models, requests, 0};
  EXPECT_EQ(verdict_lines(context, 1), std::string("\n") + kVerdictLater) << "as the table says";
  EXPECT_EQ(verdict_lines(context, 2), "\n1.50× its rate");
  EXPECT_EQ(step_verdict_lines(context, 2, 1), std::string("\n") + kVerdictLater);
  verdicts->baseline.clear();
  EXPECT_NE(verdict_lines(context, 1), std::string("\n") + kVerdictLater) << "there will be none";
}

}  // namespace
}  // namespace triscope
