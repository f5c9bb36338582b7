// What the paper prints, as data, and what follows from it.
#include "profiler/paper/laws/reproduction.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <thread>

#include "kernels/attention/paper.hpp"
#include "kernels/base/error.hpp"
#include "profiler/paper/laws/losses_file.hpp"
#include "tests/temporary_folder.hpp"

namespace triscope {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(PrintedValues, are_all_four_tables) {
  std::map<int, int> count;
  for (const PrintedValue& value : printed_values()) ++count[value.table];
  EXPECT_THAT(count, ElementsAre(std::pair(1, 28), std::pair(2, 48), std::pair(3, 20), std::pair(4, 16)));
  EXPECT_EQ(printed_value(2, 5, "MMLU-pro").value, 0.8135);
  EXPECT_EQ(printed_value(3, 2, "MBPP beta").value, -2.5201);
  EXPECT_EQ(printed_value(4, 2, "MMLU-pro residual").value, 4.6e-8);
  EXPECT_THROW(printed_value(5, 1, "GSM8k"), Error);
}

TEST(PrintedValues, table1_is_the_one_that_results_are_compared_with) {
  const std::vector<PaperRow>& rows = paper_table1();
  ASSERT_EQ(rows.size(), 7U);
  for (int row = 1; row <= 7; ++row) {
    const PaperRow& expected = rows[static_cast<std::size_t>(row - 1)];
    EXPECT_EQ(printed_value(1, row, "w1").value, static_cast<double>(expected.windows.window1));
    EXPECT_EQ(printed_value(1, row, "w2").value, static_cast<double>(expected.windows.window2));
    EXPECT_EQ(printed_value(1, row, "latency").value, expected.latency_ms);
  }
}

TEST(PrintedValues, have_names_that_tell_the_rows_of_a_table_apart) {
  std::set<std::string> names;
  for (const PrintedValue& value : printed_values())
    EXPECT_TRUE(names.insert(std::to_string(value.table) + row_name(value) + "/" + value.column).second)
        << row_name(value) << " " << value.column;
  EXPECT_EQ(row_name(printed_value(2, 6, "GSM8k")), "Delta, ~2B");
}

TEST(PrintedValues, know_how_far_they_are_rounded) {
  const auto read = [](const char* text) {
    PrintedValue cell;
    cell.printed = text;
    read_printed(cell);
    return std::pair(cell.value, cell.half_unit);
  };
  const auto near = [](std::pair<double, double> cell, double value, double half) {
    EXPECT_DOUBLE_EQ(cell.first, value);
    EXPECT_DOUBLE_EQ(cell.second, half);
  };
  near(read("0.3277"), 0.3277, 5e-5);
  near(read("+0.79%"), 0.0079, 5e-5);
  near(read("-1%"), -0.01, 5e-3);
  near(read("2.8e-06"), 2.8e-6, 5e-8);
  near(read("104.1 ms"), 104.1, 0.05);
  near(read("~3.5B"), 3.5e9, 5e7);
  near(read("32k"), 32768, 512);
  EXPECT_THROW(read("about 3"), Error);
  EXPECT_THROW(read(""), Error);
}

std::set<std::string> missed(const std::vector<Recomputed>& all, int table) {
  std::set<std::string> names;
  for (const Recomputed& one : all) {
    if (one.printed.table == table && !one.reproduced())
      names.insert(one.printed.label + " " + one.printed.column + " row " + std::to_string(one.printed.row));
  }
  return names;
}

TEST(Reproduction, products_and_deltas) {
  const std::vector<Recomputed> all = recompute_tables();
  EXPECT_EQ(all.size(), 7U + 12U + 4U + 32U);
  EXPECT_TRUE(missed(all, 1).empty());
  EXPECT_TRUE(missed(all, 2).empty());
  const auto gsm = std::ranges::find_if(
      all, [](const Recomputed& one) { return one.printed.table == 2 && one.printed.column == "GSM8k"; });
  EXPECT_NEAR(gsm->value, 0.007629, 1e-6) << "0.3302 / 0.3277 - 1, printed +0.79 %";
  EXPECT_NEAR(gsm->low, 0.0073227, 1e-6);
  EXPECT_NEAR(gsm->high, 0.007936, 1e-6);
}

/// "GSM8k alpha, Transformer": what is not reproduced, with how far it misses beyond rounding.
std::map<std::string, double> misses(const std::vector<Recomputed>& all) {
  std::map<std::string, double> beyond;
  for (const Recomputed& one : all) {
    if (!one.reproduced()) beyond[one.printed.column + ", " + one.printed.label] = one.beyond_rounding;
  }
  return beyond;
}

void expect_misses(const std::map<std::string, double>& found, const std::map<std::string, double>& expected) {
  for (const auto& [name, beyond] : expected) {
    ASSERT_TRUE(found.contains(name)) << name << " is reproduced";
    EXPECT_NEAR(found.at(name), beyond, 0.01 * beyond) << name;
  }
  for (const auto& [name, beyond] : found) EXPECT_TRUE(expected.contains(name)) << name << " misses by " << beyond;
}

// All 55 values that follow from others: with the printed sizes 23 of the fits' 32 miss, and no product and no change.
TEST(Reproduction, lists_each_value_that_is_not_reproduced_and_by_how_much) {
  expect_misses(misses(recompute_tables()),
                {{"GSM8k alpha, Transformer", 0.010568},      {"GSM8k beta, Transformer", 0.22137},
                 {"MMLU alpha, Transformer", 0.0094454},      {"MMLU beta, Transformer", 0.19815},
                 {"MMLU-pro alpha, Transformer", 0.0067851},  {"MMLU-pro beta, Transformer", 0.14186},
                 {"MBPP alpha, Transformer", 0.012803},       {"MBPP beta, Transformer", 0.26848},
                 {"GSM8k alpha, 2-simplicial", 0.012174},     {"GSM8k beta, 2-simplicial", 0.26970},
                 {"MMLU alpha, 2-simplicial", 0.0098266},     {"MMLU beta, 2-simplicial", 0.21779},
                 {"MMLU-pro alpha, 2-simplicial", 0.0079075}, {"MMLU-pro beta, 2-simplicial", 0.17570},
                 {"MBPP alpha, 2-simplicial", 0.013140},      {"MBPP beta, 2-simplicial", 0.29069},
                 {"GSM8k R2, 2-simplicial", 2.8198e-4},       {"GSM8k residual, 2-simplicial", 5.0409e-6},
                 {"MMLU R2, 2-simplicial", 1.5630e-4},        {"MMLU residual, 2-simplicial", 1.2459e-6},
                 {"MMLU-pro R2, 2-simplicial", 3.6420e-5},    {"MBPP R2, 2-simplicial", 2.8396e-5},
                 {"MBPP residual, 2-simplicial", 9.5730e-7}});
}

TEST(Reproduction, with_the_solved_sizes_nine_of_the_32_miss_by_as_much_as_is_listed) {
  expect_misses(misses(recompute_fits(solve_sizes().sizes)), {{"MMLU R2, Transformer", 3.9427e-05},
                                                              {"MMLU alpha, 2-simplicial", 4.901e-05},
                                                              {"MMLU residual, Transformer", 2.9838e-07},
                                                              {"MMLU-pro R2, 2-simplicial", 4.5503e-05},
                                                              {"MMLU-pro R2, Transformer", 5.2602e-06},
                                                              {"MMLU-pro alpha, Transformer", 3.0059e-05},
                                                              {"MMLU-pro beta, 2-simplicial", 6.442e-05},
                                                              {"MMLU-pro residual, 2-simplicial", 9.9113e-09},
                                                              {"MMLU-pro residual, Transformer", 9.3514e-08}});
}

TEST(Reproduction, with_the_printed_sizes_no_exponent_is_the_printed_one) {
  int alphas = 0;
  for (const Recomputed& one : recompute_fits(kPrintedSizes)) {
    if (one.printed.table != 3) continue;
    EXPECT_FALSE(one.reproduced()) << one.printed.label << " " << one.printed.column;
    if (!one.printed.column.ends_with("alpha")) continue;
    ++alphas;
    const double printed_over_fit = one.printed.value / one.value;
    EXPECT_GT(printed_over_fit, 1.075);
    EXPECT_LT(printed_over_fit, 1.09);
  }
  EXPECT_EQ(alphas, 8);
}

TEST(Reproduction, a_number_that_is_not_finite_reproduces_nothing) {
  const PrintedValue& printed = printed_value(3, 1, "MMLU alpha");
  const double value = printed.value;
  EXPECT_TRUE(compare_with_printed(printed, "itself", value, value, value).reproduced());
  for (const double odd : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    EXPECT_FALSE(compare_with_printed(printed, "itself", odd, odd, odd).reproduced()) << odd;
    EXPECT_FALSE(compare_with_printed(printed, "itself", value, odd, value).reproduced()) << odd;
    EXPECT_FALSE(compare_with_printed(printed, "itself", value, value, odd).reproduced()) << odd;
  }
}

TEST(Reproduction, beyond_rounding_is_the_gap_between_both_ranges) {
  for (const Recomputed& one : recompute_fits(kPrintedSizes)) {
    EXPECT_LE(one.low, one.value);
    EXPECT_GE(one.high, one.value);
    const double gap = std::max(one.low - one.printed.value, one.printed.value - one.high) - one.printed.half_unit;
    EXPECT_NEAR(one.beyond_rounding, std::max(gap, 0.0), 1e-8);
  }
}

TEST(Losses, are_read_in_any_order) {
  const auto all = read_losses("benchmark,model,parameters,loss\r\nb,x,2B,0.5\nb,y,1e9,0.7\n\nb,x,500M, 0.6 \n");
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].model, "x");
  EXPECT_THAT(all[0].sizes, ElementsAre(5e8, 2e9));
  EXPECT_THAT(all[0].losses, ElementsAre(0.6, 0.5));
  EXPECT_THAT(all[1].sizes, ElementsAre(1e9));
  const auto odd = read_losses(
      "\xef\xbb\xbf"
      "benchmark,model,parameters,loss\nb\x1b,x,1B,0.5\nb\x1b,x,2B,0.4\n");
  ASSERT_EQ(odd.size(), 1U);
  EXPECT_EQ(odd[0].benchmark, "b\\x1b");
}

TEST(Losses, refusals_name_the_line) {
  const auto why = [](const char* text) -> std::string {
    try {
      read_losses(text);
    } catch (const Error& error) {
      return error.what();
    }
    return "read";
  };
  EXPECT_THAT(why(""), HasSubstr("no line"));
  EXPECT_THAT(why("a,b\n"), HasSubstr("first line"));
  EXPECT_THAT(why("benchmark,model,parameters,loss\n"), HasSubstr("no line"));
  EXPECT_THAT(why("benchmark,model,parameters,loss\nb,m,1B\n"), HasSubstr("line 2 has 3"));
  EXPECT_THAT(why("benchmark,model,parameters,loss\nb,m,1B,-1\n"), HasSubstr("'-1' in line 2"));
  EXPECT_THAT(why("benchmark,model,parameters,loss\nb,m,1B,nan\n"), HasSubstr("line 2"));
  EXPECT_THAT(why("benchmark,model,parameters,loss\nb,m,1X,1\n"), HasSubstr("'1X'"));
  EXPECT_THAT(why("benchmark,model,parameters,loss\nb,m,1e999B,1\n"), HasSubstr("1e999B"));
  for (const char* many : {"1e308T", "1e296T", "1e308", "2e12T"})
    EXPECT_THAT(why(fmt::format("benchmark,model,parameters,loss\nb,m,{},1\n", many).c_str()),
                HasSubstr("it is more than 1e+24"))
        << many;
  for (const char* cell : {"\"b", "\"b\"c", "\"b\"\""})
    EXPECT_THAT(why(fmt::format("benchmark,model,parameters,loss\n{},m,1B,1\n", cell).c_str()),
                HasSubstr("a cell in line 2 begins with a quote that does not end it"))
        << cell;
  std::string many = "benchmark,model,parameters,loss\n";
  for (int i = 0; i <= 100; ++i) many += "b,m" + std::to_string(i) + ",1B,1\n";
  EXPECT_THAT(why(many.c_str()), HasSubstr("line 102 begins the losses of model number 101"));
}

TEST(Losses, may_stand_in_quotes) {
  const auto all = read_losses(
      "\"benchmark\",model,\"parameters\",loss\n\"code, short\",\"my \"\"best\"\"\",\"1B\",\"0.5\"\n"
      "\"code, short\" , \"my \"\"best\"\"\",2B,0.4\n");
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].benchmark, "code, short");
  EXPECT_EQ(all[0].model, "my \"best\"");
  EXPECT_THAT(all[0].losses, ElementsAre(0.5, 0.4));
}

TEST(Losses, of_a_file_that_cannot_be_read_name_it_and_never_wait) {
  const TemporaryFolder folder;
  const auto why = [](const std::filesystem::path& file) -> std::string {
    try {
      read_losses_file(file);
    } catch (const Error& error) {
      return error.what();
    }
    return "read";
  };
  const std::filesystem::path pipe = folder / "pipe", bad = folder / "bad.csv";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(why(pipe), "the losses in " + pipe.string() +
                           " cannot be read: it is no regular file, and a pipe may never end; name a CSV file that is "
                           "there.");
  std::ofstream(bad) << "benchmark,model,parameters,loss\nb,m,1X,1\n";
  EXPECT_THAT(why(bad), testing::StartsWith("the losses in " + bad.string() + " cannot be read: in line 2 the number"));
}

/// A pipe that takes the file's place after it was looked at, and before it is opened, must not keep the reader: a
/// thread exchanges the two for a third of a second. Whoever waits for the pipe is let go at the end, with nothing.
TEST(Losses, of_a_file_whose_place_a_pipe_takes_never_wait) {
  const TemporaryFolder folder;
  const std::filesystem::path place = folder / "losses.csv", pipe = folder / "pipe";
  const std::string text = "benchmark,model,parameters,loss\nb,m,1B,1\n";
  std::ofstream(place) << text;
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::atomic<bool> done = false;
  std::thread exchanging([&] {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(300);
    while (std::chrono::steady_clock::now() < end) {
      renameat2(AT_FDCWD, place.c_str(), AT_FDCWD, pipe.c_str(), RENAME_EXCHANGE);
      std::this_thread::sleep_for(std::chrono::microseconds(1));
    }
    done = true;
    for (const std::filesystem::path& either : {place, pipe}) {
      const int writer = open(either.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      close(writer);
    }
  });
  int read = 0, refused = 0;
  while (!done) {
    try {
      EXPECT_EQ(losses_text_of(place), text);
      ++read;
    } catch (const Error& error) {
      EXPECT_EQ(error.why(), "it is no regular file, and a pipe may never end");
      ++refused;
    }
  }
  exchanging.join();
  EXPECT_GT(read, 10);
  EXPECT_GT(refused, 10);
}

TEST(Losses, parameters_as_text) {
  EXPECT_EQ(parameters_text(1e9), "1B");
  EXPECT_EQ(parameters_text(2.1234e9), "2.123B");
  EXPECT_EQ(parameters_text(3.5e8), "350M");
}

}  // namespace
}  // namespace triscope
