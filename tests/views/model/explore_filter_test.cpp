// What a click on a chart of Explore writes into its filter.
#include <gmock/gmock.h>

#include <set>
#include <string>
#include <vector>

#include "tests/views/sweep_fixture.hpp"
#include "views/model/charts/explore_chart.hpp"

namespace triscope {
namespace {

using testing::SizeIs;

ExploreChart filtered_chart(const std::vector<ResultRow>& rows, const ExploreQuery& query) {
  const std::string name = "one.db";
  const ExploreSource source{name, rows};
  return explore_chart(explore({&source, 1}, query), query, {&source, 1});
}

TEST(ExploreFilterWords, a_filter_takes_what_a_chart_names_alone_or_out) {
  EXPECT_EQ(filter_by("", "kernel", "FlashAttention-3", true), "kernel=FlashAttention-3");
  EXPECT_EQ(filter_by("pass=forward kernel~fa", "kernel", "Hopper", true), "pass=forward kernel=Hopper")
      << "in place of the other term, with which it could match nothing";
  EXPECT_EQ(filter_by("kernel~fa", "kernel", "Hopper", false), "kernel~fa kernel!=Hopper");
  EXPECT_EQ(filter_by("", "kernel", "Mine (lib.mine)", true), "kernel=lib.mine");
  EXPECT_EQ(filter_by("", "window", "512 × 32", true), "window=512x32");
  EXPECT_EQ(filter_by("", "window", "window 1024", false), "window!=\"window 1024\"");
  EXPECT_EQ(filter_by("", "form", "dot product", true), "form=dot_product");
  EXPECT_EQ(filter_by("", "sweep", "sweep 12", true), "sweep=12");
  EXPECT_EQ(filter_by("", "instance", "FlashAttention-3 2.8", true), "instance=2.8");
  EXPECT_EQ(filter_by("", "device", "NVIDIA H200", true), "device=\"NVIDIA H200\"");
  EXPECT_EQ(filter_by("ms<3", "ms", "1.234", true), "ms<3") << "measured: no two are equal";
  EXPECT_EQ(filter_by("ms<3", "note", "say \"so\"", true), "ms<3") << "no filter holds a quote";
  EXPECT_EQ(filter_by("ms<3", "kernel", "", true), "ms<3");
  EXPECT_EQ(filter_by("ms<3", "window", "none", true), "ms<3") << "as of a matrix product";
}

TEST(ExploreFilterWords, a_term_about_what_a_chart_names_finds_it) {
  std::vector<ResultRow> rows = fixture::length_sweep()->rows;
  for (const char* field : {"kernel", "window", "form", "pass", "heads", "instance", "sweep", "seq"}) {
    const ExploreChart all = filtered_chart(rows, {"ms", "tflops", field, "", "", false});
    std::set<std::string> names;
    for (const ExploreLine& line : all.plots.at(0).lines) names.insert(line.name);
    for (const std::string& name : names) {
      if (term_of(field, name, true).empty()) continue;
      const ExploreChart only =
          filtered_chart(rows, {"ms", "tflops", field, "", filter_by("", field, name, true), false});
      ASSERT_THAT(only.plots, SizeIs(1)) << field << " " << name;
      ASSERT_THAT(only.plots[0].lines, SizeIs(1));
      EXPECT_EQ(only.plots[0].lines[0].name, name);
      const ExploreChart others =
          filtered_chart(rows, {"ms", "tflops", field, "", filter_by("", field, name, false), false});
      EXPECT_EQ(others.matched + only.matched, all.matched) << field << " " << name;
    }
  }
}

}  // namespace
}  // namespace triscope
