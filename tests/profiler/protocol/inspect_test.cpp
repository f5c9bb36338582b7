// Looking inside the attention tensor through a real worker.
#include <gmock/gmock.h>

#include <cmath>

#include "kernels/base/error.hpp"
#include "kernels/inspect/cpu/slice.hpp"
#include "kernels/tensors/match3.hpp"
#include "profiler/supervise/supervisor.hpp"
#include "tests/paths.hpp"
#include "tests/temporary_folder.hpp"

namespace triscope {
namespace {

Supervisor real_worker() { return Supervisor(WorkerOptions{}); }

AttentionSource small_source() {
  AttentionSource source;
  source.seq_len = 200;
  source.q_heads = 3;
  return source;
}

TEST(Inspect, a_worker_answers_what_the_kernel_computes) {
  Supervisor worker = real_worker();
  const AttentionSource source = small_source();
  const SourceReply opened = worker.source({source});
  EXPECT_EQ(opened.problem, "");
  EXPECT_EQ(opened.q_heads, 3);
  EXPECT_EQ(opened.labels.size(), 200U);
  Problem problem;
  problem.window1 = 150;
  problem.window2 = 20;
  const SliceQuery query{problem, Arithmetic::exact, 0, 2, 180};
  const auto tensors = open_source(source);
  const Slice here = make_slice(*tensors, query), there = worker.slice({source, query});
  EXPECT_EQ(there.log_p, here.log_p);
  EXPECT_EQ(there.marginal2, here.marginal2);
  EXPECT_EQ(there.output, here.output);
  EXPECT_FALSE(there.output.empty());
  EXPECT_EQ(there.lse, here.lse);
  EXPECT_EQ(worker.overview({source, query, 10}).entropy, make_overview(*tensors, query, 10).entropy);
  EXPECT_EQ(worker.sheet({source, query, 20, 8}).log_p, make_sheet(*tensors, query, 20, 8).log_p);
}

TEST(Inspect, a_source_opened_again_is_read_again_by_any_worker) {
  const TemporaryFolder folder;
  AttentionSource source;
  source.kind = SourceKind::file;
  source.file = (folder / "t.safetensors").string();
  const auto write = [&](float value) {
    std::vector<HostTensor> tensors;
    for (const char* name : {"q", "k1", "k2"}) tensors.push_back({name, {2, 1, 1}, {1, value}});
    write_safetensors(source.file, tensors);
  };
  SliceQuery query;
  query.query = 1;
  Supervisor worker = real_worker();  // never asked to open it by itself
  write(2);
  const double lse = worker.slice({source, query}).lse;
  write(3);
  EXPECT_EQ(worker.slice({source, query}).lse, lse);
  ++source.opening;
  EXPECT_GT(worker.slice({source, query}).lse, lse + 1);
}

TEST(Inspect, trying_a_file_takes_nothing_from_what_is_looked_at) {
  const TemporaryFolder folder;
  AttentionSource shown;
  shown.kind = SourceKind::file;
  shown.file = (folder / "t.safetensors").string();
  const auto write = [&](float value, std::int64_t k2_tokens) {
    std::vector<HostTensor> tensors;
    for (const char* name : {"q", "k1"}) tensors.push_back({name, {2, 1, 1}, {1, value}});
    tensors.push_back({"k2", {k2_tokens, 1, 1}, std::vector<float>(static_cast<std::size_t>(k2_tokens), value)});
    std::filesystem::remove(shown.file);  // as exporters replace a file; what is open stays whole
    write_safetensors(shown.file, tensors);
  };
  SliceQuery query;
  query.query = 1;
  Supervisor worker = real_worker();
  write(2, 2);
  const double lse = worker.slice({shown, query}).lse;
  AttentionSource tried = shown;
  write(3, 3);
  ++tried.opening;
  EXPECT_NE(worker.source({tried}).problem, "");
  EXPECT_EQ(worker.slice({shown, query}).lse, lse);
  write(4, 2);
  for (int n = 0; n < 5; ++n) {  // and left again each time
    ++tried.opening;
    EXPECT_EQ(worker.source({tried}).problem, "");
  }
  EXPECT_EQ(worker.slice({shown, query}).lse, lse);
  EXPECT_GT(worker.slice({tried, query}).lse, lse + 1);
}

TEST(Inspect, a_kernel_s_own_row_is_close_to_the_exact_one_wherever_the_query_stands) {
  Supervisor worker = real_worker();
  AttentionSource source = small_source();
  source.q_heads = 4;
  source.kv_heads = 2;
  SliceQuery query;
  query.problem.window1 = 40;
  query.problem.window2 = 60;  // longer than axis 1: the excerpt must follow it
  for (query.head = 0; query.head < 4; query.head += 3) {
    for (query.query = 0; query.query < 200; query.query += 99) {
      for (const Form form : {Form::trilinear, Form::determinant}) {
        query.problem.form = form;
        const KernelRow row = worker.kernel_row({source, query, "cpu.fast"});
        EXPECT_EQ(row.element, Element::fp32);
        EXPECT_LT(row.error, 1e-5) << query.head << " " << query.query;
        EXPECT_NEAR(row.lse, row.exact_lse, 1e-4);
        EXPECT_EQ(row.exact, worker.slice({source, query}).output);
      }
    }
  }
}

TEST(Inspect, a_kernel_that_sees_a_key_too_many_is_led_back_to_that_pair) {
  WorkerOptions options;
  options.program = build_file("tests/triscope-bad-worker");
  Supervisor worker(options);
  const AttentionSource source = small_source();
  SliceQuery query;
  query.problem.window1 = 16;
  query.problem.window2 = 1;
  query.query = 90;
  const KernelRow row = worker.kernel_row({source, query, "test.wider"});
  EXPECT_GT(row.error, row.bound);
  EXPECT_EQ(row.bound, 1e-5);
  ASSERT_FALSE(row.wrong.empty());
  EXPECT_EQ(row.wrong[0].kind, WrongPairKind::added);
  EXPECT_EQ(row.wrong[0].j, 74);
  EXPECT_EQ(row.wrong[0].k, 90);
  EXPECT_GT(row.wrong[0].share, 0.999);
  EXPECT_NEAR(row.wrong[0].p, 1 - std::exp(row.exact_lse - row.lse), 1e-3) << "its own weight";
}

TEST(Inspect, match3_is_decided_by_a_kernel_s_own_output_too) {
  Supervisor worker = real_worker();
  AttentionSource source;
  source.kind = SourceKind::match3;
  source.numbers = {1, 2, 4, 30};
  source.modulus = 10;
  SliceQuery query;
  query.problem = match3_problem(4);
  for (query.query = 0; query.query < 4; ++query.query) {
    const KernelRow row = worker.kernel_row({source, query, "cpu.oracle"});
    EXPECT_EQ(row.output.front() > kMatch3Threshold,
              match3_counts(source.numbers, 10)[static_cast<std::size_t>(query.query)] > 0);
  }
}

TEST(Inspect, a_kernel_that_cannot_run_the_query_says_why) {
  Supervisor worker = real_worker();
  const auto why = [&](const SliceQuery& query, const char* kernel) {
    try {
      worker.kernel_row({small_source(), query, kernel});
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  SliceQuery query;
  EXPECT_THAT(why(query, "cpu.none"), testing::HasSubstr("cpu.none"));
  query.problem.form = Form::dot_product;
  EXPECT_THAT(why(query, "cpu.fast"), testing::HasSubstr("the form is dot product"));
}

TEST(Inspect, a_fault_is_a_sentence_and_the_worker_goes_on) {
  Supervisor worker = real_worker();
  AttentionSource missing;
  missing.kind = SourceKind::file;
  missing.file = "/no/such/file.safetensors";
  EXPECT_THROW(worker.source({missing}), Error);
  SliceQuery query;
  query.query = 1'000'000;
  EXPECT_THROW(worker.slice({small_source(), query}), Error);
  query.query = 100;
  EXPECT_GT(worker.slice({small_source(), query}).lse, 0);
}

TEST(Inspect, a_file_whose_names_are_unknown_is_listed_for_mapping) {
  const TemporaryFolder folder;
  HostTensor x{"query", {4, 1, 3}, std::vector<float>(12, 0.5F)}, y = x, z = x;
  y.name = "a";
  z.name = "b";
  write_safetensors(folder / "t.safetensors", std::vector{x, y, z});
  Supervisor worker = real_worker();
  AttentionSource source;
  source.kind = SourceKind::file;
  source.file = (folder / "t.safetensors").string();
  const SourceReply unknown = worker.source({source});
  EXPECT_THAT(unknown.problem, testing::HasSubstr("say which tensor is which"));
  ASSERT_EQ(unknown.tensors.size(), 3U);
  source.mapping.names = {{"q", "query"}, {"k1", "a"}, {"k2", "b"}};
  EXPECT_EQ(worker.source({source}).seq_len, 4);
}

}  // namespace
}  // namespace triscope
