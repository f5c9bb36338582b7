// Crossings by the clock: of invented curves, of the recorded databases, and by estimates for windows that were not
// measured beside what they took.
#include "profiler/paper/layers/measured_crossing.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "kernels/attention/flops.hpp"
#include "kernels/registry/registry.hpp"
#include "profiler/store/store.hpp"
#include "tests/paths.hpp"
#include "tests/profiler/paper/coverage.hpp"

namespace triscope {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Sets the interval to `half`, as a part of the time, at each side.
void set_interval(ResultRow& row, double half) {
  row.ci_low_ms = *row.median_ms * (1 - half);
  row.ci_high_ms = *row.median_ms * (1 + half);
}

ResultRow row(const char* kernel, Windows windows, std::int64_t seq_len, double ms, Pass pass = Pass::forward) {
  ResultRow row;
  row.kernel = kernel;
  row.device = "GPU";
  row.pass = pass;
  row.status = Status::ok;
  row.problem.seq_len = seq_len;
  row.problem.q_heads = 64;
  row.problem.head_dim = 128;
  row.problem.window1 = windows.window1;
  row.problem.window2 = windows.window2;
  row.card.kind = KernelKind::simplicial;
  row.median_ms = ms;
  set_interval(row, 0.01);
  return row;
}

ResultRow dot(std::int64_t seq_len, double ms, Pass pass = Pass::forward) {
  ResultRow one = row("baseline.fa3", {seq_len, 1}, seq_len, ms, pass);
  one.problem.form = Form::dot_product;
  one.card.kind = KernelKind::dot_product;
  return one;
}

using CrossingOf = std::vector<MeasuredCrossing> Crossings::*;

std::optional<MeasuredCrossing> first_crossing(const std::vector<ResultRow>& rows, const LayerMixRequest& request,
                                               CrossingOf of, const WorkTable& table = {}) {
  const std::vector<MeasuredCrossing> all = measured_crossings(rows, request, table).*of;
  return all.empty() ? std::nullopt : std::optional(all.front());
}

std::string crossing_text(const std::optional<MeasuredCrossing>& found) {
  return found ? triscope::crossing_text(*found) : "not measured";
}

LayerMixRequest of(Windows windows) {
  LayerMixRequest request;
  request.windows = windows;
  return request;
}

/// Time in proportion to n w1 w2 beside n^2: they meet at `at` tokens for 512x32.
std::vector<ResultRow> curves(double at, Pass pass = Pass::forward) {
  std::vector<ResultRow> rows;
  for (std::int64_t n = 4096; n <= 131'072; n *= 2) {
    const auto length = static_cast<double>(n);
    rows.push_back(dot(n, 1e-7 * length * length, pass));
    rows.push_back(row("k", {512, 32}, n, 1e-7 * length * at, pass));
  }
  return rows;
}

TEST(MeasuredCrossing, is_where_the_curves_of_these_windows_meet) {
  const auto found = first_crossing(curves(20'000), of({512, 32}), &Crossings::forward);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->crossing.kind, LatencyCrossing::Kind::crosses);
  EXPECT_NEAR(found->crossing.seq_len, 20'000, 1);
  EXPECT_EQ(found->crossing.after, 16'384);
  EXPECT_EQ(found->crossing.before, 32'768);
  EXPECT_EQ(found->model, "");
  EXPECT_EQ(crossing_text(found), "20,000 (19,600 to 20,400; k)");
  EXPECT_FALSE(first_crossing(curves(20'000), of({512, 32}), &Crossings::backward)) << "the other pass";
  EXPECT_EQ(crossing_text(first_crossing(curves(1e6), of({512, 32}), &Crossings::forward)), "not up to 131,072 (k)");
  EXPECT_EQ(crossing_text(first_crossing(curves(100), of({512, 32}), &Crossings::forward)), "below 4,096 (k)");
  EXPECT_EQ(crossings_text({}), "not measured");
}

/// Two sweeps of one length each. The second has dot-product attention alone again, which took longer there.
TEST(MeasuredCrossing, at_each_length_compares_what_took_turns) {
  std::vector<ResultRow> rows{row("cuda.hopper", {512, 32}, 8192, 6), dot(8192, 2),
                              row("cuda.hopper", {512, 32}, 32'768, 24), dot(32'768, 25), dot(32'768, 23)};
  rows[0].sweep = rows[1].sweep = 1;
  rows[2].sweep = rows[3].sweep = 2;
  rows[4].sweep = 3;
  for (ResultRow& one : rows) {
    one.ci_low_ms = *one.median_ms * 0.99;
    one.ci_high_ms = *one.median_ms * 1.01;
  }
  rows[4].ci_low_ms = rows[4].ci_high_ms = rows[4].median_ms;  // the row that counts, were it alone
  const auto found = first_crossing(rows, of({512, 32}), &Crossings::forward);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->crossing.kind, LatencyCrossing::Kind::crosses);
  EXPECT_EQ(found->crossing.before, 32'768);
}

TEST(MeasuredCrossing, counts_only_rows_of_the_request) {
  for (const auto& spoil : std::vector<std::function<void(ResultRow&)>>{
           [](ResultRow& one) { one.problem.q_heads = 32; }, [](ResultRow& one) { one.problem.kv_heads = 8; },
           [](ResultRow& one) { one.regime = Regime::burst; }, [](ResultRow& one) { one.status = Status::failed; },
           [](ResultRow& one) { one.problem.batch = 2; }, [](ResultRow& one) { one.problem.head_dim = 64; }}) {
    std::vector<ResultRow> rows = curves(20'000);
    for (ResultRow& one : rows) spoil(one);
    EXPECT_FALSE(first_crossing(rows, of({512, 32}), &Crossings::forward));
  }
  // Ours on another device than dot-product attention: nothing to compare with.
  std::vector<ResultRow> rows = curves(20'000);
  for (ResultRow& one : rows) {
    if (one.kernel == "k") one.device = "another GPU";
  }
  EXPECT_FALSE(first_crossing(rows, of({512, 32}), &Crossings::forward));
}

TEST(MeasuredCrossing, is_an_interval_alone_where_the_times_are_known_badly_and_not_told_where_worse) {
  const auto text = [](double half) {
    std::vector<ResultRow> rows = curves(20'000);
    for (ResultRow& one : rows) set_interval(one, half);
    return crossing_text(first_crossing(rows, of({512, 32}), &Crossings::forward));
  };
  EXPECT_EQ(text(0.02), "20,000 (19,200 to 20,800; k)");
  EXPECT_EQ(text(0.05), "18,100 to 22,100 (k)");
  EXPECT_EQ(text(0.2), "not known: by k the crossing is known to +-42 % only");
  std::vector<ResultRow> rows = curves(20'000);
  for (ResultRow& one : rows) one.ci_high_ms.reset();
  EXPECT_EQ(crossing_text(first_crossing(rows, of({512, 32}), &Crossings::forward)),
            "not known: by k, a time that it stands on has no interval");
}

TEST(MeasuredCrossing, beyond_the_lengths_is_told_where_the_intervals_decide_it) {
  const auto text = [](double at, double half) {
    std::vector<ResultRow> rows = curves(at);
    for (ResultRow& one : rows) set_interval(one, half);
    return crossing_text(first_crossing(rows, of({512, 32}), &Crossings::forward));
  };
  EXPECT_EQ(text(4000, 0.01), "below 4,096 (k)");
  EXPECT_EQ(text(4000, 0.03), "not decided: 4,250 or less (k)");
  EXPECT_EQ(text(135'000, 0.01), "not up to 131,072 (k)");
  EXPECT_EQ(text(135'000, 0.03), "not decided: 127,000 or more (k)");
  std::vector<ResultRow> rows = curves(4000);
  rows.front().ci_high_ms.reset();
  EXPECT_EQ(crossing_text(first_crossing(rows, of({512, 32}), &Crossings::forward)),
            "not known: by k, a time that it stands on has no interval");
}

TEST(MeasuredCrossing, an_interval_that_reaches_the_last_length_is_open_there) {
  std::vector<ResultRow> rows = curves(32'500);
  std::erase_if(rows, [](const ResultRow& one) { return one.problem.seq_len > 32'768; });
  EXPECT_EQ(crossing_text(first_crossing(rows, of({512, 32}), &Crossings::forward)), "31,900 or more (k)");
  rows = curves(4150);
  EXPECT_EQ(crossing_text(first_crossing(rows, of({512, 32}), &Crossings::forward)), "4,230 or less (k)");
}

TEST(MeasuredCrossing, of_a_step_is_that_of_both_passes_together) {
  std::vector<ResultRow> rows = curves(20'000), backward = curves(30'000, Pass::backward);
  rows.insert(rows.end(), backward.begin(), backward.end());
  // Each pass of dot-product attention takes as long: (20,000 + 30,000) / 2.
  EXPECT_EQ(crossing_text(first_crossing(rows, of({512, 32}), &Crossings::step)), "25,000 (24,500 to 25,500; k)");
  EXPECT_EQ(crossings_text(measured_crossings(curves(20'000), of({512, 32})).step), "not measured");
}

/// Before it was changed the kernel took twice as long. Only the longest length is of the new version in the sweep that
/// has most lengths.
TEST(MeasuredCrossing, a_curve_is_of_one_version_of_the_kernel) {
  std::vector<ResultRow> rows = curves(40'000);
  for (ResultRow& one : rows) one.sweep = 1, one.source_hash = "old", one.started = "2026-11-23T00:00:00Z";
  for (ResultRow one : curves(20'000)) {
    if (one.problem.seq_len < 16'384 || one.problem.seq_len > 65'536) continue;
    one.sweep = 2;
    one.source_hash = one.kernel == "k" ? "new" : "old";
    one.started = "2026-11-24T00:00:00Z";
    rows.push_back(one);
  }
  EXPECT_EQ(crossing_text(first_crossing(rows, of({512, 32}), &Crossings::forward)), "20,000 (19,600 to 20,400; k)")
      << "the older sweep has more lengths";
}

/// Windows around 512x32, so that one between them can be estimated: time in proportion to the number of triples.
std::vector<ResultRow> several_windows() {
  std::vector<ResultRow> rows = curves(20'000);
  for (std::int64_t n = 4096; n <= 131'072; n *= 2) {
    for (const Windows windows : {Windows{256, 16}, Windows{512, 16}, Windows{1024, 64}}) {
      ResultRow one = row("k", windows, n, 1);
      const double of_512 = triple_count(row("k", {512, 32}, n, 1).problem);
      one.median_ms = 1e-7 * static_cast<double>(n) * 20'000 * triple_count(one.problem) / of_512;
      set_interval(one, 0.01);
      rows.push_back(one);
    }
  }
  return rows;
}

TEST(MeasuredCrossing, of_windows_between_measured_ones_is_what_the_layer_calculator_says) {
  const std::vector<ResultRow> rows = several_windows();
  const auto found = first_crossing(rows, of({768, 32}), &Crossings::forward);
  ASSERT_TRUE(found);
  EXPECT_THAT(found->model, testing::StartsWith("estimate by triples from"));
  EXPECT_EQ(found->lengths, 0U);
  EXPECT_NEAR(found->crossing.seq_len, 30'000, 600) << "half as many triples again but for the first rows";
  EXPECT_GT(found->crossing.low, 0) << "an estimate has an interval";
  LayerMixRequest at = of({768, 32});
  at.seq_len = 32'768;
  const LayerAnswer layer = simplicial_time(rows, at, Pass::forward);
  ASSERT_TRUE(layer.time);
  EXPECT_EQ(layer.time->kind, LayerBasis::estimated);
  const std::vector<Problem> asked = crossing_problems(rows, of({768, 32}));
  EXPECT_TRUE(std::ranges::any_of(asked, [](const Problem& p) { return p.window1 == 768 && p.seq_len == 131'072; }));
  EXPECT_TRUE(crossing_problems(rows, of({512, 32})).empty()) << "measured";
}

TEST(MeasuredCrossing, what_the_layer_calculator_refuses_has_no_crossing) {
  const std::vector<ResultRow> rows = several_windows();
  for (const Windows beyond : {Windows{2048, 32}, Windows{512, 128}, Windows{128, 16}}) {
    LayerMixRequest at = of(beyond);
    const LayerAnswer layer = simplicial_time(rows, at, Pass::forward);
    ASSERT_FALSE(layer.time);
    EXPECT_EQ(crossing_text(first_crossing(rows, of(beyond), &Crossings::forward)), "not known: " + layer.reason);
  }
}

TEST(MeasuredCrossing, lengths_that_the_layer_calculator_refuses_are_said) {
  std::vector<ResultRow> rows = several_windows();
  EXPECT_THAT(crossing_text(first_crossing(rows, of({768, 32}), &Crossings::forward)), Not(HasSubstr("without")));
  rows.push_back(dot(262'144, 1e-7 * 262'144.0 * 262'144));  // one sweep says nothing of a length that it has not
  const std::string text = crossing_text(first_crossing(rows, of({768, 32}), &Crossings::forward));
  EXPECT_THAT(text, testing::StartsWith("28,400 to 32,000 (k, estimate"));
  EXPECT_THAT(text, HasSubstr("without 262,144 tokens: k has"));
}

/// At 256 and 512 tokens the estimate would reach too far, at the others the windows do: both are said.
TEST(MeasuredCrossing, every_reason_is_told_with_its_lengths) {
  std::vector<ResultRow> rows = several_windows();
  for (const std::int64_t n : {256, 512}) rows.push_back(dot(n, 1e-7 * static_cast<double>(n * n)));
  EXPECT_EQ(
      crossing_text(first_crossing(rows, of({2048, 32}), &Crossings::forward)),
      "not known: at 256, 512 tokens, of k, no length but 4,096 to 131,072 was measured; at 4,096, 8,192, 16,384, "
      "32,768, 65,536, 131,072 tokens, of k, the longer window is 2048 where 256 to 1024 was measured");
  // Some lengths are told, and two kinds are not.
  rows.push_back(dot(262'144, 1e-7 * 262'144.0 * 262'144));
  EXPECT_THAT(crossing_text(first_crossing(rows, of({768, 32}), &Crossings::forward)),
              testing::AllOf(HasSubstr("without 256, 512 tokens: of k, no length but 4,096 to 131,072 was measured"),
                             HasSubstr("; without 262,144 tokens: k has")));
}

std::string sweep_for(const std::vector<ResultRow>& rows, const LayerMixRequest& request) {
  return crossing_sweep(rows, request, measured_crossings(rows, request));
}

/// 32,510 tokens are as much work. Measured lengths that lie on one side of it tell nothing of where they cross.
TEST(MeasuredCrossing, the_sweep_that_would_tell_it_has_lengths_on_both_sides) {
  std::vector<ResultRow> rows = curves(20'000);
  std::erase_if(rows, [](const ResultRow& one) { return one.kernel == "k" || one.problem.seq_len > 8192; });
  EXPECT_THAT(sweep_for(rows, of({512, 32})), HasSubstr("--seq 16384,65536 ")) << "4,096 and 8,192 were measured";
  rows = curves(20'000);
  std::erase_if(rows, [](const ResultRow& one) { return one.kernel == "k" || one.problem.seq_len < 65'536; });
  EXPECT_THAT(sweep_for(rows, of({512, 32})), HasSubstr("--seq 16384,65536 ")) << "65,536 and 131,072 were measured";
  rows = curves(20'000);
  std::erase_if(rows, [](const ResultRow& one) { return one.kernel == "k"; });
  EXPECT_THAT(sweep_for(rows, of({512, 32})), HasSubstr("--seq 16384,32768 ")) << "neighbours that were measured";
}

TEST(MeasuredCrossing, of_one_pass_are_those_of_all) {
  std::vector<ResultRow> rows = curves(20'000), backward = curves(30'000, Pass::backward);
  rows.insert(rows.end(), backward.begin(), backward.end());
  const Crossings all = measured_crossings(rows, of({512, 32}));
  EXPECT_EQ(crossings_text(measured_crossings(rows, of({512, 32}), Pass::forward)), crossings_text(all.forward));
  EXPECT_EQ(crossings_text(measured_crossings(rows, of({512, 32}), Pass::backward)), crossings_text(all.backward));
  EXPECT_NE(crossings_text(all.forward), crossings_text(all.backward));
}

TEST(MeasuredCrossing, what_is_not_told_has_a_sweep_that_would_tell_it) {
  const std::vector<ResultRow> rows = several_windows();
  EXPECT_EQ(sweep_for(rows, of({2048, 32})),
            "triscope sweep --pass forward,backward --windows 2048x32 --seq 65536,131072 --q-heads 64 --kv-heads 1 "
            "--head-dim 128")
      << "at the measured lengths about 2 w1 w2 that dot-product attention has";
  EXPECT_EQ(sweep_for(rows, of({512, 32})),
            "triscope sweep --pass backward --windows 512x32 --seq 16384,65536 --q-heads 64 --kv-heads 1 "
            "--head-dim 128")
      << "the forward is told, and attention has no backward";
  std::vector<ResultRow> both = rows;
  for (const ResultRow& one : curves(20'000, Pass::backward)) both.push_back(one);
  EXPECT_EQ(sweep_for(both, of({512, 32})), "");
  LayerMixRequest determinant = of({512, 32});
  determinant.form = Form::determinant;
  EXPECT_THAT(sweep_for(both, determinant),
              HasSubstr("--pass forward,backward --form determinant --windows 512x32 --seq 16384,32768 "));
  EXPECT_THAT(crossing_sweep(both, of({512, 32}), {}), HasSubstr("--pass forward,backward ")) << "goes by what is told";
}

TEST(MeasuredCrossing, a_faster_kernel_without_a_curve_is_estimated_or_left_out) {
  std::vector<ResultRow> rows = several_windows();
  rows.push_back(row("fast", {512, 32}, 32'768, 1e-7 * 32'768 * 15'000));
  std::vector<MeasuredCrossing> found = measured_crossings(rows, of({512, 32})).forward;
  ASSERT_EQ(found.size(), 1U) << "one row says nothing of other lengths";
  EXPECT_EQ(found[0].kernel, "k");
  for (ResultRow one : several_windows()) {
    if (one.kernel != "k" || Windows{one.problem.window1, one.problem.window2} == Windows{512, 32}) continue;
    one.kernel = "fast";
    *one.median_ms *= 0.75;
    set_interval(one, 0.01);
    rows.push_back(one);
  }
  found = measured_crossings(rows, of({512, 32})).forward;
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].kernel, "fast");
  EXPECT_NEAR(found[0].crossing.seq_len, 15'000, 300);
  EXPECT_EQ(found[1].kernel, "k");
}

TEST(MeasuredCrossing, of_several_devices_names_each) {
  std::vector<ResultRow> rows = curves(20'000);
  EXPECT_THAT(crossings_text(measured_crossings(rows, of({512, 32})).forward), Not(HasSubstr("GPU")));
  std::vector<ResultRow> others = curves(10'000);
  for (ResultRow& other : others) other.device = "Other GPU";
  rows.insert(rows.end(), others.begin(), others.end());
  EXPECT_EQ(crossings_text(measured_crossings(rows, of({512, 32})).forward),
            "20,000 (19,600 to 20,400; k) on GPU; 10,000 (9,800 to 10,200; k) on Other GPU");
}

std::vector<ResultRow> recorded_rows(const char* name) { return Snapshot(recorded_file(name)).results(); }

/// By hand from the rows of one sweep at two neighbouring lengths.
TEST(MeasuredCrossing, of_the_recorded_h200_lies_where_its_rows_say) {
  const std::vector<ResultRow> rows = recorded_rows("h200.db");
  const auto found = first_crossing(rows, of({512, 32}), &Crossings::forward);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->kernel, "cuda.hopper");
  ASSERT_EQ(found->crossing.kind, LatencyCrossing::Kind::crosses);
  // The sweep in which both took turns at most lengths.
  std::map<std::int64_t, std::map<std::int64_t, std::pair<double, double>>> sweeps;  // by length: ours, theirs
  for (const ResultRow& one : rows) {
    const LayerMixRequest request = of({512, 32});
    if (!is_layer_row(one, request, Pass::forward) || one.problem.q_heads != 64) continue;
    auto& [ours, theirs] = sweeps[one.sweep][one.problem.seq_len];
    if (is_global_layer(one, request)) theirs = *one.median_ms;
    if (is_simplicial_layer(one, request) && one.kernel == "cuda.hopper" && one.problem.window1 == 512 &&
        one.problem.window2 == 32)
      ours = *one.median_ms;
  }
  for (auto& [sweep, lengths] : sweeps)
    std::erase_if(lengths, [](const auto& one) { return one.second.first == 0 || one.second.second == 0; });
  const auto most = std::ranges::max_element(sweeps, {}, [](const auto& one) { return one.second.size(); });
  const auto ratio = [&](std::int64_t length) {
    const auto [ours, theirs] = most->second.at(length);
    return std::log(ours / theirs);
  };
  const double above = ratio(found->crossing.after), below = ratio(found->crossing.before);
  EXPECT_GT(above, 0);
  EXPECT_LT(below, 0);
  EXPECT_NEAR(found->crossing.seq_len, static_cast<double>(found->crossing.after) * std::exp2(above / (above - below)),
              5);
  EXPECT_EQ(crossing_text(first_crossing(recorded_rows("h100.db"), of({512, 32}), &Crossings::forward)),
            "29,100 to 32,400 (cuda.hopper)")
      << "known too badly for a number";
}

/// A crossing that was measured and is known as a number, and what the model tells of it without any row of these
/// windows.
struct Predicted {
  std::string of;
  LatencyCrossing measured, model;
  bool holds() const { return model.low <= measured.seq_len && measured.seq_len <= model.high; }
  bool meets() const { return model.low <= measured.high && measured.low <= model.high; }
};

std::optional<Predicted> predicted(const std::vector<ResultRow>& rows, const LayerMixRequest& request,
                                   CrossingOf pass) {
  const auto measured = first_crossing(rows, request, pass);
  if (!measured || !measured->reason.empty() || measured->lengths == 0 ||
      measured->crossing.kind != LatencyCrossing::Kind::crosses || !measured->is_number())
    return std::nullopt;
  std::vector<ResultRow> others = rows;
  std::erase_if(others, [&](const ResultRow& one) {
    return Windows{one.problem.window1, one.problem.window2} == request.windows;
  });
  WorkTable table;
  for (const Problem& problem : crossing_problems(others, request))
    table.push_back({problem, registered_tile_uses(problem, {})});
  const auto model = first_crossing(others, request, pass, table);
  if (!model || !model->reason.empty() || model->crossing.kind != LatencyCrossing::Kind::crosses) return std::nullopt;
  EXPECT_EQ(model->lengths, 0U) << "a model";
  return Predicted{fmt::format("{}x{} {} beside {}: {:.0f} ({:.0f} to {:.0f}), measured {:.0f} ({:.0f} to {:.0f})",
                               request.windows.window1, request.windows.window2,
                               pass == &Crossings::forward ? "forward" : "backward", request.dot_kernel,
                               model->crossing.seq_len, model->crossing.low, model->crossing.high,
                               measured->crossing.seq_len, measured->crossing.low, measured->crossing.high),
                   measured->crossing, model->crossing};
}

/// The windows' own rows shape nothing of the model. The measured number has to lie in the model's interval; the test's
/// record says of each that does not whether its interval meets that of the measured crossing.
TEST(MeasuredCrossing, by_the_model_holds_what_windows_took_that_it_was_kept_from) {
  if (registered_tile_uses({}, {}).empty()) GTEST_SKIP() << "a build without CUDA knows no tiles";
  const std::vector<ResultRow> rows = recorded_rows("h200.db");
  int told = 0, met = 0, held = 0;
  std::string all;
  for (const std::string& dot_kernel : dot_kernels(rows)) {
    for (const Windows windows : windows_with_lengths(rows, {})) {
      for (const CrossingOf pass : {&Crossings::forward, &Crossings::backward}) {
        LayerMixRequest request = of(windows);
        request.dot_kernel = dot_kernel;
        const std::optional<Predicted> one = predicted(rows, request, pass);
        if (!one) continue;
        ++told;
        held += one->holds() ? 1 : 0;
        met += one->meets() ? 1 : 0;
        all += one->of + (one->holds() ? "; " : one->meets() ? " (meets it); " : " (misses it); ");
      }
    }
  }
  RecordProperty("crossings", fmt::format("of {}, {} hold it, {} meet it: {}", told, held, met, all));
  EXPECT_GE(told, 4) << all;
  EXPECT_GE(held, least_held(told)) << all;
}

TEST(MeasuredCrossing, is_listed_for_windows_of_two_lengths_and_for_those_of_the_request) {
  std::vector<ResultRow> rows = curves(20'000);
  rows.push_back(row("k", {64, 64}, 4096, 1));
  const std::vector<Windows> all = windows_with_lengths(rows, of({1024, 16}));
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0], (Windows{512, 32}));
  EXPECT_EQ(all[1], (Windows{1024, 16}));
}

}  // namespace
}  // namespace triscope
