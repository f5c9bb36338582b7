#include "profiler/paper/layers/measured_layer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>

#include "profiler/store/store.hpp"
#include "tests/paths.hpp"

namespace triscope {
namespace {

ResultRow row(Windows windows, std::int64_t seq_len, std::int64_t q_heads = 2) {
  ResultRow row;
  row.kernel = "cpu.fast";
  row.device = "CPU";
  row.status = Status::ok;
  row.problem.seq_len = seq_len;
  row.problem.q_heads = q_heads;
  row.problem.kv_heads = 1;
  row.problem.head_dim = 64;
  row.problem.window1 = windows.window1;
  row.problem.window2 = windows.window2;
  row.card.kind = KernelKind::simplicial;
  row.median_ms = 1;
  return row;
}

ResultRow beside(std::int64_t seq_len, std::int64_t q_heads = 2) {
  ResultRow one = row({seq_len, 1}, seq_len, q_heads);
  one.kernel = "baseline.cpu";
  one.problem.form = Form::dot_product;
  one.card.kind = KernelKind::dot_product;
  return one;
}

TEST(MeasuredLayer, is_the_papers_where_it_was_measured_or_nothing_was) {
  const LayerMixRequest paper;
  EXPECT_EQ(measured_layer({}).windows, paper.windows);
  const LayerMixRequest recorded = measured_layer(Snapshot(recorded_file()).results());
  EXPECT_EQ(recorded.windows, paper.windows);
  EXPECT_EQ(recorded.seq_len, paper.seq_len);
  EXPECT_EQ(recorded.q_heads, paper.q_heads);
  EXPECT_EQ(recorded.dot_kernel, paper.dot_kernel);
}

TEST(MeasuredLayer, has_most_lengths_beside_dot_product_attention_of_the_same_heads) {
  std::vector<ResultRow> rows;
  for (const std::int64_t n : {256, 512, 1024}) {
    rows.push_back(row({64, 16}, n));
    rows.push_back(row({512, 32}, n, 4));  // without dot-product attention of 4 heads
  }
  rows.push_back(beside(256));
  rows.push_back(beside(512));
  rows.push_back(row({256, 32}, 512));
  const LayerMixRequest layer = measured_layer(rows);
  EXPECT_EQ(layer.windows, (Windows{64, 16}));
  EXPECT_EQ(layer.q_heads, 2);
  EXPECT_EQ(layer.head_dim, 64);
  EXPECT_EQ(layer.seq_len, 512) << "the longest beside dot-product attention";
  EXPECT_EQ(layer.dot_kernel, "baseline.cpu");
}

TEST(MeasuredLayer, of_equals_has_windows_near_the_papers) {
  const std::vector<ResultRow> rows{row({64, 16}, 512), row({256, 32}, 512), row({32, 32}, 512), beside(512)};
  EXPECT_EQ(measured_layer(rows).windows, (Windows{256, 32}));
  std::vector<ResultRow> failed = rows;
  for (ResultRow& one : failed) one.status = Status::failed;
  EXPECT_EQ(measured_layer(failed).windows, LayerMixRequest{}.windows);
}

TEST(MeasuredLayer, keeps_what_is_named_and_chooses_the_rest) {
  std::vector<ResultRow> rows{row({64, 16}, 256), row({64, 16}, 512),    beside(256),
                              beside(512),        row({64, 16}, 256, 4), beside(256, 4)};
  for (ResultRow& one : rows) one.problem.head_dim = one.problem.q_heads == 4 ? 32 : 64;
  NamedLayer named;
  named.windows = Windows{48, 16};
  LayerMixRequest layer = measured_layer(rows, named);
  EXPECT_EQ(layer.windows, *named.windows) << "though they were not measured";
  EXPECT_EQ(layer.q_heads, 2);
  EXPECT_EQ(layer.head_dim, 64);
  EXPECT_EQ(layer.dot_kernel, "baseline.cpu");
  EXPECT_EQ(layer.seq_len, 512);
  named.q_heads = 4;
  named.seq_len = 300;
  layer = measured_layer(rows, named);
  EXPECT_EQ(layer.q_heads, 4);
  EXPECT_EQ(layer.head_dim, 32) << "that of the rows with these heads";
  EXPECT_EQ(layer.seq_len, 300);
  named.form = Form::determinant;
  EXPECT_EQ(measured_layer(rows, named).form, Form::determinant);
  EXPECT_EQ(measured_layer(rows, named).head_dim, LayerMixRequest{}.head_dim) << "no row has this form";
  named = {};
  named.dot_kernel = "mine";
  EXPECT_EQ(measured_layer(rows, named).dot_kernel, "mine");
}

TEST(MeasuredLayer, of_the_papers_heads_takes_windows_that_are_named_and_attention_that_was_measured) {
  std::vector<ResultRow> rows{row({256, 32}, 8192, 64), beside(8192, 64), row({64, 16}, 256),
                              row({64, 16}, 512),       beside(256),      beside(512)};
  for (ResultRow& one : rows) one.problem.head_dim = one.problem.q_heads == 64 ? 128 : 64;
  EXPECT_EQ(measured_layer(rows).q_heads, 2) << "more lengths";
  NamedLayer named;
  named.windows = Windows{384, 32};
  const LayerMixRequest layer = measured_layer(rows, named);
  EXPECT_EQ(layer.q_heads, 64);
  EXPECT_EQ(layer.seq_len, 8192) << "the paper's length lies beyond";
  EXPECT_EQ(layer.dot_kernel, "baseline.cpu") << "the usual one has no row";
}

/// Nothing tells 16x32 from 32x16 but the order of windows: not the order of rows.
TEST(MeasuredLayer, does_not_depend_on_the_order_of_rows) {
  std::vector<ResultRow> rows;
  for (const char* device : {"B", "A"}) {
    for (const std::int64_t heads : {4, 2}) {
      for (const Windows windows : {Windows{32, 16}, Windows{16, 32}, Windows{64, 8}}) {
        rows.push_back(row(windows, 512, heads));
        rows.back().device = device;
      }
      rows.push_back(beside(512, heads));
      rows.back().device = device;
    }
  }
  const LayerMixRequest layer = measured_layer(rows);
  std::mt19937_64 random(22);
  for (int n = 0; n < 50; ++n) {
    std::ranges::shuffle(rows, random);
    ASSERT_EQ(measured_layer(rows), layer);
  }
  EXPECT_EQ(layer.device, "A");
}

TEST(MeasuredLayer, with_named_windows_takes_heads_that_have_them) {
  std::vector<ResultRow> rows{row({256, 32}, 8192, 64), row({256, 32}, 16'384, 64), beside(8192, 64),
                              beside(16'384, 64),       row({96, 16}, 512),         beside(512)};
  for (ResultRow& one : rows) one.problem.head_dim = one.problem.q_heads == 64 ? 128 : 64;
  NamedLayer named;
  named.windows = Windows{96, 16};
  EXPECT_EQ(measured_layer(rows, named).q_heads, 2) << "not the paper's, which do not have these windows";
  EXPECT_EQ(measured_layer(rows, named).seq_len, 512);
}

TEST(MeasuredLayer, stands_beside_attention_of_a_common_length) {
  std::vector<ResultRow> rows{row({64, 16}, 512), beside(512), beside(1024)};
  rows[2].kernel = LayerMixRequest{}.dot_kernel;
  EXPECT_EQ(measured_layer(rows).dot_kernel, "baseline.cpu") << "the usual one has another length";
  rows[2].problem.seq_len = rows[2].problem.window1 = 512;
  EXPECT_EQ(measured_layer(rows).dot_kernel, rows[2].kernel);
  // The paper's layer has none in common, another one has.
  ResultRow paper = row({512, 32}, 32'768, 64), global = beside(2048, 64);
  for (ResultRow* one : {&paper, &global}) one->problem.head_dim = 128;
  rows.push_back(paper);
  rows.push_back(global);
  EXPECT_EQ(measured_layer(rows).windows, (Windows{64, 16}));
  rows.back().problem.seq_len = rows.back().problem.window1 = 32'768;
  EXPECT_EQ(measured_layer(rows).windows, (Windows{512, 32}));
}

TEST(MeasuredLayer, is_of_one_device) {
  std::vector<ResultRow> rows{row({64, 16}, 512), row({64, 16}, 1024), beside(512),
                              beside(1024),       row({32, 32}, 512),  beside(512)};
  for (std::size_t n : {2U, 3U}) rows[n].device = "GPU";
  LayerMixRequest layer = measured_layer(rows);
  EXPECT_EQ(layer.windows, (Windows{64, 16})) << "one length on the CPU, beside attention there";
  EXPECT_EQ(layer.device, "CPU");
  EXPECT_EQ(layer.seq_len, 512) << "attention of 1024 is another device's";
  for (std::size_t n : {0U, 1U}) rows[n].device = "GPU";
  layer = measured_layer(rows);
  EXPECT_EQ(layer.device, "GPU") << "two lengths in common";
  EXPECT_EQ(layer.windows, (Windows{64, 16}));
}

TEST(MeasuredLayer, of_a_pass_goes_by_its_rows) {
  std::vector<ResultRow> rows{row({64, 16}, 512), beside(512)};
  for (ResultRow& one : rows) one.pass = Pass::backward;
  EXPECT_EQ(measured_layer(rows, {}, std::array{Pass::forward}), LayerMixRequest{});
  EXPECT_EQ(measured_layer(rows, {}, std::array{Pass::backward}).windows, (Windows{64, 16}));
  EXPECT_EQ(measured_layer(rows).windows, (Windows{64, 16})) << "no forward was measured at all";
}

/// Rows that were measured in both passes.
std::vector<ResultRow> in_both_passes(std::vector<ResultRow> rows) {
  const std::size_t count = rows.size();
  for (std::size_t n = 0; n < count; ++n) {
    rows.push_back(rows[n]);
    rows.back().pass = Pass::backward;
  }
  return rows;
}

/// 2 heads have more lengths in the forward, and no backward: a training step can be told of 4 heads only.
TEST(MeasuredLayer, of_several_passes_was_measured_in_all_of_them) {
  std::vector<ResultRow> rows = in_both_passes({row({64, 16}, 512, 4), beside(512, 4)});
  for (const std::int64_t n : {512, 1024, 2048}) {
    rows.push_back(row({256, 32}, n));
    rows.push_back(beside(n));
  }
  EXPECT_EQ(measured_layer(rows).q_heads, 4);
  EXPECT_EQ(measured_layer(rows, {}, std::array{Pass::backward, Pass::forward}).q_heads, 4) << "in any order";
  EXPECT_EQ(measured_layer(rows, {}, std::array{Pass::forward}).q_heads, 2);
  NamedLayer named;
  named.q_heads = 2;
  EXPECT_EQ(measured_layer(rows, named).windows, (Windows{256, 32})) << "the passes that there are";
  named = {};
  named.windows = Windows{256, 32};
  EXPECT_EQ(measured_layer(rows, named).q_heads, 2) << "windows that are named stay";
}

TEST(MeasuredLayer, of_several_passes_has_a_length_that_all_of_them_have) {
  std::vector<ResultRow> rows = in_both_passes({row({64, 16}, 512), beside(512)});
  for (const std::int64_t n : {1024, 2048}) rows.push_back(row({64, 16}, n)), rows.push_back(beside(n));
  EXPECT_EQ(measured_layer(rows).seq_len, 512);
  EXPECT_EQ(measured_layer(rows, {}, std::array{Pass::forward}).seq_len, 2048);
  // A kernel of dot-product attention that has both passes stands before the usual one, which has the forward only.
  for (const std::int64_t n : {512, 1024}) {
    rows.push_back(beside(n));
    rows.back().kernel = LayerMixRequest{}.dot_kernel;
  }
  EXPECT_EQ(measured_layer(rows).dot_kernel, "baseline.cpu");
  EXPECT_EQ(measured_layer(rows, {}, std::array{Pass::forward}).dot_kernel, LayerMixRequest{}.dot_kernel);
}

}  // namespace
}  // namespace triscope
