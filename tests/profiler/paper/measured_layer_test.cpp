#include "profiler/paper/layers/measured_layer.hpp"

#include <gtest/gtest.h>

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
  EXPECT_EQ(layer.seq_len, 1024);
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
  EXPECT_EQ(layer.seq_len, LayerMixRequest{}.seq_len);
  EXPECT_EQ(layer.dot_kernel, "baseline.cpu") << "the usual one has no row";
}

}  // namespace
}  // namespace triscope
