// From a kernel's wrong output to the pair that explains it.
#include <cstdlib>
#include <string>

#include "tests/paths.hpp"
#include "tests/views/attention/attention_fixture.hpp"
#include "tests/views/journeys/attention_journey.hpp"

namespace triscope {
namespace {

using testing::HasSubstr;
using testing::Not;

class WrongRow : public fixture::AttentionPanel {
 protected:
  WrongRow() {
    data.machine.catalog = fixture::invented_catalog();
    ui().kernel = "cpu.fast";
    auto row = std::make_shared<KernelRow>();
    row->bound = 1e-5;
    row->error = 1e-3;
    row->wrong = {{WrongPairKind::left_out, 45, 48, 0.99987, -0.031, 0.03, 0},
                  {WrongPairKind::weighed, 44, 48, 0.9712, 0.02, 0.01, 3.1}};
    data.attention.kernel_row.of = *wanted_kernel_row(ui(), data.attention);
    put(*row);
  }
  void put(const KernelRow& row) { data.attention.kernel_row.answer = std::make_shared<KernelRow>(row); }
};

TEST_F(WrongRow, says_which_pairs_explain_it_or_that_none_does_and_nothing_of_a_right_row) {
  EXPECT_THAT(text(), HasSubstr("Wrong: a right kernel is within"));
  EXPECT_THAT(canvas.text, HasSubstr("j = 45 (5 back), k = 48 (2 back)"));
  EXPECT_THAT(canvas.text, HasSubstr("left out (p 0.03); explains"));
  EXPECT_THAT(canvas.text, HasSubstr("weighed 3.1 times"));
  KernelRow row = *data.attention.kernel_row.answer;
  row.wrong.clear();
  put(row);
  EXPECT_THAT(text(), HasSubstr("No single pair explains it."));
  row.error = 1e-6;
  put(row);
  EXPECT_THAT(text(), Not(HasSubstr("Wrong:")));
}

class WiderKernelJourney : public fixture::AttentionJourney {
 public:
  WiderKernelJourney() { ::setenv("TRISCOPE_WORKER", build_file("tests/triscope-bad-worker").c_str(), 1); }
  ~WiderKernelJourney() override { ::unsetenv("TRISCOPE_WORKER"); }
};

TEST_F(WiderKernelJourney, a_click_frames_the_pair_that_a_wrong_kernel_added) {
  travel([](ImGuiTestContext* c) {
    attention().window1 = 16;
    attention().window2 = 1;
    attention().kernel = "test.wider";  // the invented machine does not list it
    open(c);
    until(c, [] { return data().attention.kernel_row.answer != nullptr; });
    const std::int64_t query = side().slice_of.query.query;
    c->ItemClick("//**/##wrong_pair");
    wait(c);
    const AttentionCell beyond{query - 16, query};
    IM_CHECK(attention().pinned == beyond);
    IM_CHECK_EQ(side().slice_of.query.query, query);
  });
}

}  // namespace
}  // namespace triscope
