// The errata beside what they speak of: their numbers follow from the tables, the fits and the arithmetic.
#include "profiler/paper/errata.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <tuple>

#include "kernels/attention/paper.hpp"
#include "kernels/base/philox.hpp"
#include "profiler/paper/laws/reproduction.hpp"
#include "profiler/paper/table1.hpp"
#include "profiler/plan/crossing.hpp"
#include "tests/paths.hpp"

namespace triscope {
namespace {

using ::testing::HasSubstr;

const Erratum& erratum(std::string_view id) {
  const auto found = std::ranges::find(errata(), id, &Erratum::id);
  if (found == errata().end()) throw std::out_of_range(std::string(id));
  return *found;
}

TEST(Errata, each_has_its_reason) {
  std::set<std::string> ids;
  for (const Erratum& one : errata()) {
    EXPECT_TRUE(ids.insert(one.id).second) << one.id;
    for (const std::string& text : {one.where, one.kind, one.printed, one.meant, one.reason, one.effect, one.shown_by})
      EXPECT_FALSE(text.empty()) << one.id;
  }
  EXPECT_GE(ids.size(), 30U);
  for (const char* id : {"grad-v-weights", "grad-k2-indices", "grad-scale", "listing-2-sizes", "kv2-bias"})
    EXPECT_TRUE(ids.contains(id)) << id;
}

/// Up to their first comma.
std::set<std::string> headings_of(const std::filesystem::path& file) {
  std::set<std::string> headings;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with('#')) continue;
    const std::string heading = line.substr(line.find_first_not_of("# "));
    headings.insert(heading.substr(0, heading.find(',')));
  }
  return headings;
}

/// A command to type, a page of the documentation with its heading, or what to compare in the paper.
TEST(Errata, are_shown_by_something_that_a_reader_can_do) {
  int headings = 0;
  for (const Erratum& one : errata()) {
    std::istringstream parts(one.shown_by);
    for (std::string part; std::getline(parts, part, ';');) {
      part.erase(0, part.find_first_not_of(' '));
      EXPECT_FALSE(part.find("assets/") < part.size()) << one.id << ": a path that is right in one folder only";
      if (part.starts_with("docs/")) {
        const std::string file = part.substr(0, part.find(','));
        ASSERT_TRUE(std::filesystem::exists(source_file(file))) << one.id << ": " << file;
        ASSERT_GT(part.size(), file.size() + 2) << one.id << ": " << file << " without a heading";
        const std::string heading = part.substr(file.size() + 2);
        EXPECT_TRUE(headings_of(source_file(file)).contains(heading)) << one.id << ": " << heading << " in " << file;
        ++headings;
      } else {
        const bool told = part.starts_with("triscope check") || part.starts_with("triscope paper ") ||
                          (part.starts_with("the paper alone: ") && part.size() > 40);
        EXPECT_TRUE(told) << one.id << ": " << part;
      }
    }
  }
  EXPECT_GE(headings, 4);
}

TEST(Errata, of_harder_benchmarks_give_the_order_of_the_losses) {
  EXPECT_THAT(erratum("harder-benchmarks").reason, HasSubstr("GSM8k lies below MMLU and just above MBPP"));
  const auto loss = [](const char* benchmark) { return printed_value(2, 7, benchmark).value; };
  const auto gain = [](const char* benchmark) { return printed_value(3, 3, std::string(benchmark) + " alpha").value; };
  EXPECT_LT(loss("MBPP"), loss("GSM8k"));
  EXPECT_LT(loss("GSM8k"), loss("MMLU"));
  EXPECT_LT(loss("MMLU"), loss("MMLU-pro"));
  EXPECT_LT(gain("MBPP"), gain("MMLU"));
  EXPECT_LT(gain("MMLU"), gain("GSM8k"));
  EXPECT_LT(gain("GSM8k"), gain("MMLU-pro"));
  const std::string told = harder_benchmarks_text();
  EXPECT_THAT(told, HasSubstr("MMLU-pro 20.2% (20.5 % recomputed), GSM8k 18.5% ("));
  EXPECT_THAT(told, HasSubstr("MMLU-pro 0.7858, MMLU 0.5543, GSM8k 0.2781, MBPP 0.2203"));
  EXPECT_THAT(told, HasSubstr("none is decided at 95 %, so neither is their order."));
  const ModelSizes others{1e9, 2.5e9, 5e9};  // of these one is
  EXPECT_EQ(decided_differences(), 0);
  EXPECT_EQ(decided_differences(others), 1);
  EXPECT_THAT(harder_benchmarks_text(others), HasSubstr("1 is decided at 95 %, which does not decide their order."));
}

using Cell = std::tuple<int, int, std::string>;

TEST(Errata, name_as_wrong_numbers_those_that_are_not_reproduced_and_no_others) {
  std::set<Cell> missed, named;
  for (const Recomputed& one : recompute_tables()) {
    if (!one.reproduced()) missed.emplace(one.printed.table, one.printed.row, one.printed.column);
  }
  for (const Erratum& one : errata()) {
    if (one.kind != "number") continue;
    for (const ErratumCell& cell : one.cells)
      EXPECT_TRUE(named.emplace(cell.table, cell.row, cell.column).second) << cell.column << " twice";
  }
  EXPECT_EQ(named, missed);
}

TEST(Errata, give_what_the_other_numbers_make_of_a_cell) {
  const std::vector<Recomputed> all = recompute_tables();
  std::size_t cells = 0;
  for (const Erratum& erratum : errata()) {
    for (const ErratumCell& cell : erratum.cells) {
      const auto one = std::ranges::find_if(all, [&](const Recomputed& r) {
        return r.printed.table == cell.table && r.printed.row == cell.row && r.printed.column == cell.column;
      });
      ASSERT_NE(one, all.end()) << erratum.id << ": " << cell.column;
      EXPECT_NEAR(cell.value, one->value, 1e-5 * std::abs(one->value)) << erratum.id << ": " << cell.column;
      ++cells;
    }
  }
  EXPECT_GE(cells, 20U);
}

TEST(Errata, of_the_gains_say_between_which_sizes_they_shrink) {
  const Erratum& one = erratum("gains-grow");
  std::vector<std::string> shrinks;
  for (const char* benchmark : kBenchmarks) {
    EXPECT_LT(printed_change(9, benchmark), printed_change(3, benchmark)) << "it grows between the ends";
    if (printed_change(9, benchmark) > printed_change(6, benchmark)) shrinks.emplace_back(benchmark);
  }
  EXPECT_EQ(one.meant, fmt::format("true between these two; from 2B to 3.5B the gain shrinks for {}",
                                   fmt::join(shrinks, " and ")));
  std::vector<std::string> falls;
  for (const std::string& benchmark : shrinks) {
    const auto percent = [&](int row) { return -100 * printed_value(2, row, benchmark).value; };
    falls.push_back(fmt::format("from {:.3g} to {:.3g} % for {}", percent(6), percent(9), benchmark));
  }
  EXPECT_THAT(one.reason, HasSubstr(fmt::format("{}.", fmt::join(falls, ", and "))));
}

TEST(Errata, of_the_exponents_say_how_far_the_fits_lie_below) {
  const Erratum& one = erratum("alphas");
  const PrintedValue* least = &printed_value(3, 1, "GSM8k alpha");
  const PrintedValue* most = least;
  double least_below = 1, most_below = 0;
  int betas = 0, of_table4 = 0;
  for (const Recomputed& fit : recompute_fits(kPrintedSizes)) {
    if (fit.printed.column.ends_with("beta") && !fit.reproduced()) ++betas;
    if (fit.printed.table == 4 && !fit.reproduced()) ++of_table4;
    if (!fit.printed.column.ends_with("alpha")) continue;
    const PrintedValue& cell = printed_value(3, fit.printed.row, fit.printed.column);
    if (cell.value < least->value) least = &cell;
    if (cell.value > most->value) most = &cell;
    least_below = std::min(least_below, 1 - fit.value / cell.value);
    most_below = std::max(most_below, 1 - fit.value / cell.value);
  }
  EXPECT_EQ(one.printed, fmt::format("alpha from {} to {}", least->printed, most->printed));
  EXPECT_EQ(one.meant, fmt::format("{:.1f} to {:.1f} % less", 100 * least_below, 100 * most_below));
  const ModelSizes sizes = solve_sizes().sizes;
  EXPECT_THAT(one.reason, HasSubstr(fmt::format("about {:.2f}, {:.2f} and {:.2f} billion", sizes[0] / 1e9,
                                                sizes[1] / 1e9, sizes[2] / 1e9)));
  EXPECT_EQ(betas, 8);
  EXPECT_THAT(one.effect, HasSubstr(fmt::format("No beta is reproduced either, and {} of the 16", of_table4)));
}

TEST(Errata, of_520_tflops_give_the_rates_that_table_1_implies) {
  double by_paper = 0, by_products = 0;
  for (const PaperRow& row : paper_table1()) {
    by_paper = std::max(by_paper, implied_rates(row).by_paper_count);
    by_products = std::max(by_products, implied_rates(row).by_two_products);
  }
  EXPECT_EQ(erratum("520").meant,
            fmt::format("at most {:.0f} from Table 1, and {:.0f} by the count of two products", by_paper, by_products));
  EXPECT_THAT(erratum("no-shape").reason,
              HasSubstr(fmt::format("gives {:.0f} TFLOP/s by the paper's count", by_paper)));
}

TEST(Errata, of_the_two_stage_listing_count_the_rows_of_table_1_that_its_assertion_allows) {
  const Erratum& one = erratum("listing-3-windows");
  std::set<std::int64_t> others;
  int allowed = 0, not_allowed = 0;
  for (const PaperRow& row : paper_table1()) {
    const bool meets = 64 == 32 + row.windows.window2;
    (meets ? allowed : not_allowed) += 1;
    if (!meets) others.insert(row.windows.window2);
  }
  EXPECT_EQ(allowed, 3);
  EXPECT_EQ(not_allowed, 4);
  EXPECT_THAT(one.reason, HasSubstr("three have w2 = 32; four have 16, 64 or 128"));
  EXPECT_EQ(others, (std::set<std::int64_t>{16, 64, 128}));
}

/// The three orders of rounding, carried out: each gives a factor that the others do not.
TEST(Errata, of_the_scale_say_that_the_listings_round_it_differently) {
  EXPECT_THAT(erratum("listings-scale").reason, HasSubstr("Listing 3 multiplies all three in fp32 and rounds once"));
  const auto bf16 = [](float x) { return round_to_bf16(x); };
  const float scale = bf16(static_cast<float>(1 / std::sqrt(128.0)));
  std::set<float> forward_from_keys, forward_from_two_stage;
  for (int i = 1; i < 64; ++i) {
    const float q = bf16(1 + static_cast<float>(i) / 64), k1 = bf16(3 - static_cast<float>(i) / 32), k2 = bf16(1.25F);
    const float one = bf16(bf16(q * k1) * scale) * k2, two = bf16(k1 * k2) * bf16(q * scale),
                three = bf16(q * (k1 * scale)) * k2;
    if (one != two) forward_from_keys.insert(q);
    if (one != three) forward_from_two_stage.insert(q);
    EXPECT_NEAR(one / three, 1, std::ldexp(1, -7)) << "two roundings of 2^-8 each";
  }
  EXPECT_GT(forward_from_keys.size(), 10U);
  EXPECT_GT(forward_from_two_stage.size(), 10U);
}

TEST(Errata, of_the_listings_and_the_softmax_are_all_there) {
  for (const char* id : {"softmax-index", "listing-3-windows", "listing-3-and", "listing-2-atomics", "listings-scale"})
    EXPECT_NO_THROW(erratum(id)) << id;
}

TEST(Errata, of_the_sum_in_bf16_bound_the_error_by_its_unit_roundoff) {
  double worst = 0;
  for (int i = 0; i < 1 << 16; ++i) {
    const double x = 1 + std::ldexp(i, -16);
    worst = std::max(worst, std::abs(static_cast<double>(round_to_bf16(static_cast<float>(x))) - x) / x);
  }
  EXPECT_THAT(erratum("two-stage-rounding").effect, HasSubstr(fmt::format("2^-{:.0f} of", -std::log2(worst))));
}

TEST(Errata, of_three_points_give_the_quantile_and_what_the_differences_exclude) {
  const Erratum& one = erratum("exponent-significance");
  EXPECT_THAT(one.reason, HasSubstr(fmt::format("t is {:.1f} at 95 %", half_width(1.0, 1).value())));
  for (const char* benchmark : kBenchmarks) {
    const LossSeries a = paper_losses(benchmark, kModels[0]), b = paper_losses(benchmark, kModels[1]);
    EXPECT_FALSE(
        alpha_difference(fit_scaling_law(a.sizes, a.losses), fit_scaling_law(b.sizes, b.losses)).significant());
    EXPECT_FALSE(paired_alpha_difference(a, b).significant()) << benchmark;
  }
}

TEST(Errata, of_six_flops_give_both_lengths_of_equal_cost) {
  EXPECT_THAT(
      erratum("six-flops").effect,
      HasSubstr(fmt::format("is {}k for 512x32 by the same count for both, not {}k",
                            crossing_by_full_rows({512, 32}) / 1024, crossing_by_paper_count({512, 32}) / 1024)));
}

}  // namespace
}  // namespace triscope
