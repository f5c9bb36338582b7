// The pivot puts every measurement where a person looks for it, and the paper's times only beside comparable ones.
#include "profiler/export/latency_table.hpp"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "profiler/export/export.hpp"

namespace triscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// A row at the shape that reproduces the paper's rate.
ResultRow row_of(std::int64_t id, Windows windows, Pass pass, double median_ms) {
  ResultRow row;
  row.measurement = id;
  row.sweep = 1;
  row.device = "NVIDIA H200";
  row.kernel = "cuda.hopper";
  row.instance = "128x128";
  row.pass = pass;
  row.problem.seq_len = 32'768;
  row.problem.window1 = windows.window1;
  row.problem.window2 = windows.window2;
  row.median_ms = median_ms;
  row.tflops = 700.0;
  return row;
}

TEST(LatencyTable, rows_are_windows_in_the_papers_order_and_columns_kernel_and_pass) {
  const std::vector<ResultRow> rows = {row_of(1, {100, 7}, Pass::forward, 1), row_of(2, {256, 32}, Pass::forward, 13.2),
                                       row_of(3, {256, 32}, Pass::backward, 44.6),
                                       row_of(4, {1024, 32}, Pass::forward, 50.1)};
  const LatencyTable table = make_latency_table(rows);
  ASSERT_THAT(table.columns, SizeIs(2));
  EXPECT_EQ(table.columns[0].title, "cuda.hopper forward");
  EXPECT_EQ(table.columns[1].title, "cuda.hopper backward");
  EXPECT_THAT(table.fact_names, ElementsAre("windows"));
  ASSERT_THAT(table.rows, SizeIs(3));
  EXPECT_THAT(table.rows[0].facts, ElementsAre("1024x32"));
  EXPECT_THAT(table.rows[1].facts, ElementsAre("256x32"));
  EXPECT_THAT(table.rows[2].facts, ElementsAre("100x7"));
  EXPECT_EQ(table.rows[1].cells[0].result->measurement, 2);
  EXPECT_EQ(table.rows[1].cells[1].result->measurement, 3);
  EXPECT_FALSE(table.rows[0].cells[1].result);
  EXPECT_THAT(table.common, HasSubstr("trilinear"));
  EXPECT_THAT(table.common, HasSubstr("32768 tokens"));
}

TEST(LatencyTable, the_papers_time_stands_only_beside_its_own_shape_and_form) {
  ResultRow other_length = row_of(2, {512, 32}, Pass::forward, 1);
  other_length.problem.seq_len = 1024;
  ResultRow other_form = row_of(3, {512, 32}, Pass::forward, 1);
  other_form.problem.form = Form::determinant;
  ResultRow failed = row_of(4, {1024, 16}, Pass::forward, 1);
  failed.status = Status::failed;
  const std::vector<ResultRow> rows = {row_of(1, {512, 32}, Pass::forward, 27.55),
                                       other_length,
                                       other_form,
                                       failed,
                                       row_of(5, {512, 32}, Pass::backward, 82.4),
                                       row_of(6, {256, 32}, Pass::backward, 41)};
  const LatencyTable table = make_latency_table(rows);
  ASSERT_THAT(table.rows, SizeIs(5));
  EXPECT_EQ(table.rows[0].paper_ms, 55.1);  // Table 1 of the paper, 512 x 32
  EXPECT_NEAR(table.rows[0].cells[0].paper_ratio.value(), 2.0, 1e-12);
  EXPECT_FALSE(table.rows[0].cells[1].paper_ratio) << "the paper's times are those of the forward pass";
  EXPECT_FALSE(table.rows[1].paper_ms);
  EXPECT_FALSE(table.rows[2].paper_ms);
  EXPECT_EQ(table.rows[3].paper_ms, 55.1);
  EXPECT_FALSE(table.rows[3].cells[0].paper_ratio);
  EXPECT_FALSE(table.rows[4].paper_ms) << "only a backward was measured there";
}

TEST(LatencyTable, what_differs_becomes_a_column_and_baselines_come_last) {
  ResultRow baseline = row_of(1, {32'768, 1}, Pass::forward, 9);
  baseline.kernel = "baseline.fa3";
  baseline.problem.form = Form::dot_product;
  ResultRow sliding = baseline;
  sliding.problem.window1 = 1024;
  ResultRow with_sink = row_of(3, {64, 64}, Pass::forward, 3);
  with_sink.problem.sink = 0.5;
  const LatencyTable table = make_latency_table(std::vector{baseline, sliding, with_sink});
  EXPECT_THAT(table.fact_names, ElementsAre("windows", "form", "sink"));
  ASSERT_THAT(table.rows, SizeIs(3));
  EXPECT_THAT(table.rows[0].facts, ElementsAre("64x64", "trilinear", "0.5"));
  EXPECT_THAT(table.rows[1].facts, ElementsAre("causal", "dot_product", "none"));
  EXPECT_THAT(table.rows[2].facts, ElementsAre("1024", "dot_product", "none"));
}

TEST(LatencyTable, regimes_sources_and_instances_are_never_mixed_in_one_column) {
  ResultRow burst = row_of(2, {512, 32}, Pass::forward, 2);
  burst.regime = Regime::burst;
  ResultRow events = row_of(3, {512, 32}, Pass::forward, 3);
  events.timing_source = TimingSource::cuda_events;
  ResultRow other_tile = row_of(4, {512, 32}, Pass::forward, 4);
  other_tile.instance = "64x64";
  const LatencyTable table =
      make_latency_table(std::vector{row_of(1, {512, 32}, Pass::forward, 1), burst, events, other_tile});
  ASSERT_THAT(table.columns, SizeIs(4));
  ASSERT_THAT(table.rows, SizeIs(1));
  for (std::size_t n = 0; n < 4; ++n)
    EXPECT_EQ(table.rows[0].cells[n].result->measurement, static_cast<std::int64_t>(n + 1));
  EXPECT_EQ(table.columns[3].title, "cuda.hopper 64x64 forward, sustained, cpu_clock");
}

TEST(LatencyTable, of_several_sweeps_the_newest_ok_measurement_counts) {
  ResultRow newer = row_of(2, {512, 32}, Pass::forward, 20);
  newer.sweep = 2;
  newer.instance = "64x64";  // chosen by the kernel in another version: not an instance to tell apart
  ResultRow failed = row_of(3, {512, 32}, Pass::forward, 0);
  failed.sweep = 3;
  failed.status = Status::failed;
  const LatencyTable table = make_latency_table(std::vector{row_of(1, {512, 32}, Pass::forward, 10), newer, failed});
  ASSERT_THAT(table.columns, SizeIs(1));
  EXPECT_EQ(table.rows[0].cells[0].result->measurement, 2);
}

TEST(LatencyTable, of_nothing_is_empty) {
  const LatencyTable table = make_latency_table({});
  EXPECT_THAT(table.rows, IsEmpty());
  for (const ExportFormat format : {ExportFormat::csv, ExportFormat::json, ExportFormat::md, ExportFormat::latex}) {
    EXPECT_FALSE(export_latency_table(table, format).empty());
  }
}

TEST(LatencyTable, exports_in_every_format) {
  ResultRow skipped = row_of(2, {256, 32}, Pass::backward, 0);
  skipped.median_ms.reset();
  skipped.status = Status::skipped;
  const LatencyTable table = make_latency_table(std::vector{row_of(1, {512, 32}, Pass::forward, 27.55), skipped});
  EXPECT_THAT(export_latency_table(table, ExportFormat::md),
              HasSubstr("| windows | cuda.hopper forward, ms | TFLOP/s | of paper | cuda.hopper backward, ms | TFLOP/s "
                        "| paper, ms |\n"
                        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n"
                        "| 512x32 | 27.55 | 700 | 2.00x |  |  | 55.1 |\n"
                        "| 256x32 |  |  |  | skipped |  |  |\n"));
  for (const ExportFormat format : {ExportFormat::md, ExportFormat::latex})
    EXPECT_THAT(export_latency_table(table, format), HasSubstr("does not say which GPU"));
  EXPECT_THAT(export_latency_table(table, ExportFormat::latex),
              HasSubstr("512x32 & 27.55 & 700 & 2.00x &  &  & 55.1 \\\\\n"));
  EXPECT_THAT(export_latency_table(table, ExportFormat::csv), HasSubstr("512x32,55.1,1,ok,27.55,,,700,,,,,,,,2,"));
  const auto json = nlohmann::json::parse(export_latency_table(table, ExportFormat::json));
  EXPECT_EQ(json["rows"][0]["cells"][0]["median_ms"], 27.55);
  EXPECT_EQ(json["rows"][0]["cells"][0]["paper_ratio"], 2.0);
  EXPECT_TRUE(json["rows"][0]["cells"][1].is_null());
  EXPECT_EQ(json["rows"][1]["cells"][1]["status"], "skipped");
}

}  // namespace
}  // namespace triscope
