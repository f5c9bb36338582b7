// libtriscope_attention.so as a program sees it: the same numbers as the kernels inside, and a sentence for bad calls.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <barrier>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <thread>

#include "include/triscope/attention.h"
#include "kernels/cpu/fast.hpp"
#include "kernels/interface/prepared.hpp"
#include "kernels/plugin/c_problem.hpp"
#include "kernels/reference/oracle_kernel.hpp"
#include "tests/kernels/attention/attention_case.hpp"

namespace triscope {
namespace {

using test::attention_problem;
using test::AttentionCase;
using test::Workspace;
using testing::HasSubstr;

triscope_tensors c_tensors(AttentionCase& inputs) {
  const Arguments a = inputs.arguments();
  triscope_tensors c{};
  c.size = sizeof c;
  c.q = a.q, c.k1 = a.k1, c.k2 = a.k2, c.v1 = a.v1, c.v2 = a.v2, c.sink = a.sink, c.o = a.o, c.lse = a.lse;
  c.grad_o = a.grad_o, c.grad_q = a.grad_q, c.grad_sink = a.grad_sink;
  c.grad_k1 = a.grad_k1, c.grad_k2 = a.grad_k2, c.grad_v1 = a.grad_v1, c.grad_v2 = a.grad_v2;
  return c;
}

// One pass through the library.
void launch(const char* kernel, AttentionCase& inputs, std::int32_t pass) {
  const triscope_problem problem = c_problem(inputs.problem);
  std::array<char, TRISCOPE_REASON_SIZE> reason{};
  std::size_t bytes = 0;
  ASSERT_EQ(triscope_workspace(kernel, &problem, pass, &bytes, reason.data(), reason.size()), TRISCOPE_OK)
      << reason.data();
  Workspace workspace(bytes);
  triscope_tensors tensors = c_tensors(inputs);
  tensors.workspace = workspace.data();
  tensors.workspace_bytes = bytes;
  ASSERT_EQ(triscope_launch(kernel, &problem, pass, &tensors, nullptr, reason.data(), reason.size()), TRISCOPE_OK)
      << reason.data();
  EXPECT_STREQ(reason.data(), "");
  EXPECT_FALSE(workspace.overrun());
}

std::vector<Problem> interface_problems() {
  std::vector<Problem> list = {attention_problem(Form::trilinear, 70, 20, 7, 4, 2, 12, 2),
                               attention_problem(Form::determinant, 41, 5, 12, 3, 1, 13)};
  Problem all = attention_problem(Form::trilinear, 33, 9, 4);
  all.scale = 0.37, all.k2_bias = 0.5, all.v2_bias = -0.25, all.sink = 0.3;
  list.push_back(all);
  all.form = Form::determinant, all.mask = Mask::full, all.deterministic = true;
  list.push_back(all);
  return list;
}

void expect_same_outputs(const AttentionCase& a, const AttentionCase& b) {
  EXPECT_EQ(a.o, b.o);
  EXPECT_EQ(a.lse, b.lse);
  EXPECT_EQ(a.grad_q, b.grad_q);
  EXPECT_EQ(a.grad_k1, b.grad_k1);
  EXPECT_EQ(a.grad_k2, b.grad_k2);
  EXPECT_EQ(a.grad_v1, b.grad_v1);
  EXPECT_EQ(a.grad_v2, b.grad_v2);
  if (a.problem.sink) {
    EXPECT_EQ(a.grad_sink, b.grad_sink);
  }
}

TEST(AttentionInterface, computes_what_its_kernels_compute) {
  for (const Problem& problem : interface_problems()) {
    SCOPED_TRACE(describe(problem));
    for (const auto& kernel : {make_cpu_fast(), make_cpu_oracle()}) {
      AttentionCase ours(problem), through(problem);
      ASSERT_TRUE(ours.run(*kernel, Pass::forward) && ours.run(*kernel, Pass::backward));
      launch(kernel->info().id.c_str(), through, TRISCOPE_FORWARD);
      launch(kernel->info().id.c_str(), through, TRISCOPE_BACKWARD);
      expect_same_outputs(through, ours);
    }
  }
}

TEST(AttentionInterface, lists_its_kernels_and_takes_the_first_for_null) {
  EXPECT_EQ(triscope_attention_version(), static_cast<std::uint32_t>(TRISCOPE_ATTENTION_VERSION));
  ASSERT_STREQ(triscope_kernel(0), "cpu.fast");
  EXPECT_STREQ(triscope_kernel(1), "cpu.oracle");
  std::vector<std::string> on_gpu;
  for (std::size_t index = 2; triscope_kernel(index) != nullptr; ++index) on_gpu.emplace_back(triscope_kernel(index));
  EXPECT_THAT(on_gpu, testing::AnyOf(testing::IsEmpty(), testing::ElementsAre("cuda.hopper", "cuda.portable", "cuda")));
  for (const std::string& id : on_gpu) EXPECT_EQ(triscope_kernel_device(id.c_str()), TRISCOPE_CUDA) << id;
  EXPECT_EQ(triscope_kernel_device("cpu.oracle"), TRISCOPE_CPU);
  EXPECT_EQ(triscope_kernel_device("cpu.quick"), -1);
  EXPECT_THAT(triscope_kernel_version(nullptr), HasSubstr("."));
  EXPECT_EQ(triscope_kernel_version("cpu.quick"), nullptr);
  EXPECT_EQ(triscope_kernel(std::numeric_limits<std::size_t>::max()), nullptr);
  AttentionCase named(interface_problems()[0]), unnamed(interface_problems()[0]);
  launch("cpu.fast", named, TRISCOPE_FORWARD);
  launch(nullptr, unnamed, TRISCOPE_FORWARD);
  EXPECT_EQ(named.o, unnamed.o);
}

// A call that is right but for what `spoil` does to it.
struct CallOfC {
  CallOfC()
      : inputs(interface_problems()[2]), problem(c_problem(inputs.problem)), tensors(c_tensors(inputs)), workspace(0) {
    std::size_t bytes = 0;
    EXPECT_EQ(triscope_workspace(kernel, &problem, TRISCOPE_BACKWARD, &bytes, nullptr, 0), TRISCOPE_OK);
    EXPECT_GT(bytes, 0u);
    workspace = Workspace(bytes);
    tensors.workspace = workspace.data();
    tensors.workspace_bytes = bytes;
  }
  triscope_status launch(char* reason, std::size_t reason_size) {
    return triscope_launch(kernel, has_problem ? &problem : nullptr, pass, &tensors, stream, reason, reason_size);
  }
  AttentionCase inputs;
  const char* kernel = nullptr;
  triscope_problem problem;
  bool has_problem = true;
  std::int32_t pass = TRISCOPE_BACKWARD;
  triscope_tensors tensors;
  void* stream = nullptr;
  Workspace workspace;
};

struct BadCall {
  const char* said;  // part of the sentence
  triscope_status status;
  std::function<void(CallOfC&)> spoil;
};

const std::vector<BadCall>& bad_calls() {
  static const std::vector<BadCall> calls = {
      {"The pointer to the problem is NULL", TRISCOPE_ARGUMENT, [](CallOfC& c) { c.has_problem = false; }},
      {"Member size of the problem is 0", TRISCOPE_ARGUMENT, [](CallOfC& c) { c.problem.size = 0; }},
      {"Member size of the tensors is", TRISCOPE_ARGUMENT, [](CallOfC& c) { c.tensors.size -= 16; }},
      {"no kernel \"cpu.quick\"", TRISCOPE_ARGUMENT, [](CallOfC& c) { c.kernel = "cpu.quick"; }},
      {"pass is 2", TRISCOPE_ARGUMENT, [](CallOfC& c) { c.pass = 2; }},
      {"form is -1", TRISCOPE_ARGUMENT, [](CallOfC& c) { c.problem.form = -1; }},
      {"has_sink is 7", TRISCOPE_ARGUMENT, [](CallOfC& c) { c.problem.has_sink = 7; }},
      {"seq_len is -1, but must be at least 1", TRISCOPE_IMPOSSIBLE, [](CallOfC& c) { c.problem.seq_len = -1; }},
      {"k2_bias is nan", TRISCOPE_IMPOSSIBLE, [](CallOfC& c) { c.problem.k2_bias = std::nan(""); }},
      {"it takes fp32 tensors, not bf16", TRISCOPE_UNSUPPORTED, [](CallOfC& c) { c.problem.element = TRISCOPE_BF16; }},
      {"packed_sequences is 3", TRISCOPE_UNSUPPORTED, [](CallOfC& c) { c.problem.packed_sequences = 3; }},
      {"padding is 1", TRISCOPE_UNSUPPORTED, [](CallOfC& c) { c.problem.padding = 1; }},
      {"cache_len is 16: a key-value cache", TRISCOPE_UNSUPPORTED, [](CallOfC& c) { c.problem.cache_len = 16; }},
      {"query_len is 1 and seq_len is 33", TRISCOPE_UNSUPPORTED, [](CallOfC& c) { c.problem.query_len = 1; }},
      {"The tensor k2 is NULL", TRISCOPE_ARGUMENT, [](CallOfC& c) { c.tensors.k2 = nullptr; }},
      {"The tensor grad_sink is NULL", TRISCOPE_ARGUMENT, [](CallOfC& c) { c.tensors.grad_sink = nullptr; }},
      {"The tensor q is not aligned to 4 bytes", TRISCOPE_ARGUMENT,
       [](CallOfC& c) { c.tensors.q = static_cast<const char*>(c.tensors.q) + 1; }},
      {"The workspace has", TRISCOPE_ARGUMENT, [](CallOfC& c) { --c.tensors.workspace_bytes; }},
      {"The workspace has 0 bytes", TRISCOPE_ARGUMENT, [](CallOfC& c) { c.tensors.workspace = nullptr; }},
      {"not aligned to 256 bytes", TRISCOPE_ARGUMENT,
       [](CallOfC& c) { c.tensors.workspace = static_cast<char*>(c.tensors.workspace) + 4; }},
      {"has no streams", TRISCOPE_ARGUMENT, [](CallOfC& c) { c.stream = &c; }},
  };
  return calls;
}

TEST(AttentionInterface, says_in_one_sentence_why_it_refuses_a_call_and_writes_nothing) {
  for (const BadCall& bad : bad_calls()) {
    CallOfC call;
    bad.spoil(call);
    std::array<char, TRISCOPE_REASON_SIZE> reason{};
    EXPECT_EQ(call.launch(reason.data(), reason.size()), bad.status) << bad.said;
    const std::string sentence = reason.data();
    EXPECT_THAT(sentence, HasSubstr(bad.said));
    EXPECT_EQ(sentence.find('\n'), std::string::npos);
    EXPECT_EQ(sentence.back(), '.');
    EXPECT_LT(sentence.size(), reason.size() - 1) << "cut off";
    EXPECT_TRUE(
        std::all_of(call.inputs.grad_q.begin(), call.inputs.grad_q.end(), [](float x) { return std::isnan(x); }));
    EXPECT_EQ(call.launch(nullptr, 0), bad.status) << "without a place for the sentence";
  }
  CallOfC good;  // what was spoilt above is all that was wrong
  launch(nullptr, good.inputs, TRISCOPE_FORWARD);
  EXPECT_EQ(good.launch(nullptr, 0), TRISCOPE_OK);
}

TEST(AttentionInterface, writes_no_more_of_a_sentence_than_there_is_room_for) {
  CallOfC call;
  call.problem.seq_len = -1;
  std::array<char, 12> reason{};
  reason.fill('#');
  EXPECT_EQ(call.launch(reason.data(), 8), TRISCOPE_IMPOSSIBLE);
  EXPECT_STREQ(reason.data(), "This pr");
  EXPECT_EQ(reason[8], '#');
}

TEST(AttentionInterface, answers_what_is_supported_and_needs_an_address_for_bytes) {
  triscope_problem problem = c_problem(interface_problems()[0]);
  std::array<char, TRISCOPE_REASON_SIZE> reason{};
  EXPECT_EQ(triscope_supported(nullptr, &problem, TRISCOPE_BACKWARD, reason.data(), reason.size()), TRISCOPE_OK);
  problem.element = TRISCOPE_BF16;
  EXPECT_EQ(triscope_supported("cpu.oracle", &problem, TRISCOPE_FORWARD, reason.data(), reason.size()),
            TRISCOPE_UNSUPPORTED);
  EXPECT_THAT(reason.data(), HasSubstr("cpu.oracle cannot run this problem"));
  problem.element = TRISCOPE_FP32;
  EXPECT_EQ(triscope_workspace(nullptr, &problem, TRISCOPE_FORWARD, nullptr, reason.data(), reason.size()),
            TRISCOPE_ARGUMENT);
}

TEST(AttentionInterface, runs_a_prepared_plan_any_number_of_times) {
  AttentionCase whole(interface_problems()[2]), halves(interface_problems()[2]);
  launch(nullptr, whole, TRISCOPE_FORWARD);
  launch(nullptr, whole, TRISCOPE_BACKWARD);
  const triscope_problem problem = c_problem(halves.problem);
  for (const std::int32_t pass : {TRISCOPE_FORWARD, TRISCOPE_BACKWARD}) {
    triscope_plan plan{};
    plan.size = sizeof plan;
    std::array<char, TRISCOPE_REASON_SIZE> reason{};
    ASSERT_EQ(triscope_prepare(nullptr, &problem, pass, &plan, reason.data(), reason.size()), TRISCOPE_OK);
    const triscope_plan copy = plan;
    plan = {};
    for (int round = 0; round < 2; ++round) {
      Workspace workspace(copy.workspace_bytes);
      triscope_tensors tensors = c_tensors(halves);
      tensors.workspace = workspace.data(), tensors.workspace_bytes = copy.workspace_bytes;
      ASSERT_EQ(triscope_run(&copy, &tensors, nullptr, reason.data(), reason.size()), TRISCOPE_OK) << reason.data();
    }
  }
  expect_same_outputs(halves, whole);
}

// A program compiled with a later header: its plan is longer, and all of it is written.
TEST(AttentionInterface, takes_a_longer_plan) {
  struct Later {
    triscope_plan now;
    std::int64_t more;
  };
  AttentionCase whole(interface_problems()[0]), planned(interface_problems()[0]);
  launch(nullptr, whole, TRISCOPE_FORWARD);
  const triscope_problem problem = c_problem(planned.problem);
  std::array<char, TRISCOPE_REASON_SIZE> reason{};
  Later later{{}, 7};
  later.now.size = sizeof later;
  ASSERT_EQ(triscope_prepare(nullptr, &problem, TRISCOPE_FORWARD, &later.now, reason.data(), reason.size()),
            TRISCOPE_OK)
      << reason.data();
  EXPECT_EQ(later.more, 0);
  Workspace workspace(later.now.workspace_bytes);
  triscope_tensors tensors = c_tensors(planned);
  tensors.workspace = workspace.data(), tensors.workspace_bytes = later.now.workspace_bytes;
  ASSERT_EQ(triscope_run(&later.now, &tensors, nullptr, reason.data(), reason.size()), TRISCOPE_OK) << reason.data();
  EXPECT_EQ(planned.o, whole.o);
  later.now.size = 1 << 20;
  EXPECT_EQ(triscope_prepare(nullptr, &problem, TRISCOPE_FORWARD, &later.now, reason.data(), reason.size()),
            TRISCOPE_ARGUMENT);
}

TEST(AttentionInterface, refuses_a_plan_that_it_did_not_make) {
  const triscope_problem problem = c_problem(interface_problems()[0]);
  std::array<char, TRISCOPE_REASON_SIZE> reason{};
  triscope_plan plan{};
  EXPECT_EQ(triscope_prepare(nullptr, &problem, TRISCOPE_FORWARD, &plan, reason.data(), reason.size()),
            TRISCOPE_ARGUMENT);
  EXPECT_THAT(reason.data(), HasSubstr("Member size of the plan is 0"));
  EXPECT_EQ(triscope_prepare(nullptr, &problem, TRISCOPE_FORWARD, nullptr, nullptr, 0), TRISCOPE_ARGUMENT);
  AttentionCase inputs(interface_problems()[0]);
  const triscope_tensors tensors = c_tensors(inputs);
  plan.size = sizeof plan;
  EXPECT_EQ(triscope_run(&plan, &tensors, nullptr, reason.data(), reason.size()), TRISCOPE_ARGUMENT);
  EXPECT_THAT(reason.data(), HasSubstr("not made by triscope_prepare of this process"));
  EXPECT_EQ(triscope_run(nullptr, &tensors, nullptr, nullptr, 0), TRISCOPE_ARGUMENT);
}

// Whatever word of it is altered: refused, not followed.
TEST(AttentionInterface, refuses_a_plan_that_was_altered) {
  AttentionCase inputs(interface_problems()[0]);
  const triscope_problem problem = c_problem(inputs.problem);
  std::array<char, TRISCOPE_REASON_SIZE> reason{};
  triscope_plan plan{};
  plan.size = sizeof plan;
  ASSERT_EQ(triscope_prepare(nullptr, &problem, TRISCOPE_FORWARD, &plan, nullptr, 0), TRISCOPE_OK);
  Workspace workspace(plan.workspace_bytes);
  triscope_tensors tensors = c_tensors(inputs);
  tensors.workspace = workspace.data(), tensors.workspace_bytes = plan.workspace_bytes;
  for (std::size_t word = 0; word < std::size(plan.content); ++word) {
    for (const int bit : {0, 31, 40, 63}) {
      triscope_plan altered = plan;
      altered.content[word] ^= std::uint64_t{1} << bit;
      ASSERT_EQ(triscope_run(&altered, &tensors, nullptr, reason.data(), reason.size()), TRISCOPE_ARGUMENT)
          << word << ", " << bit;
    }
  }
  EXPECT_THAT(reason.data(), HasSubstr("was altered since triscope_prepare made it"));
  EXPECT_EQ(triscope_run(&plan, &tensors, nullptr, nullptr, 0), TRISCOPE_OK);
}

TEST(AttentionInterface, refuses_an_output_that_overlaps_another_tensor) {
  AttentionCase inputs(interface_problems()[2]);
  const triscope_problem problem = c_problem(inputs.problem);
  std::array<char, TRISCOPE_REASON_SIZE> reason{};
  const auto refused = [&](std::int32_t pass, const std::function<void(triscope_tensors&)>& change) {
    std::size_t bytes = 0;
    EXPECT_EQ(triscope_workspace(nullptr, &problem, pass, &bytes, nullptr, 0), TRISCOPE_OK);
    Workspace workspace(bytes);
    triscope_tensors tensors = c_tensors(inputs);
    tensors.workspace = workspace.data(), tensors.workspace_bytes = bytes;
    change(tensors);
    EXPECT_EQ(triscope_launch(nullptr, &problem, pass, &tensors, nullptr, reason.data(), reason.size()),
              TRISCOPE_ARGUMENT);
    return std::string(reason.data());
  };
  EXPECT_THAT(refused(TRISCOPE_FORWARD, [](auto& t) { t.o = const_cast<void*>(t.q); }),
              HasSubstr("The output o overlaps q; pass memory of its own."));
  EXPECT_THAT(refused(TRISCOPE_FORWARD, [](auto& t) { t.lse = static_cast<float*>(t.o) + 7; }),
              HasSubstr("The output lse overlaps o;"));
  EXPECT_THAT(refused(TRISCOPE_BACKWARD, [](auto& t) { t.grad_k1 = const_cast<void*>(t.k1); }),
              HasSubstr("The output grad_k1 overlaps k1;"));
  EXPECT_THAT(refused(TRISCOPE_BACKWARD, [](auto& t) { t.grad_v2 = t.grad_v1; }), HasSubstr("The output grad_v"));
  EXPECT_THAT(refused(TRISCOPE_BACKWARD, [](auto& t) { t.grad_sink = static_cast<float*>(t.grad_q); }),
              HasSubstr("overlaps"));
}

// What it was given stands in a sentence only as far as it can be read.
TEST(AttentionInterface, names_an_unknown_kernel_in_one_line) {
  std::array<char, TRISCOPE_REASON_SIZE> reason{};
  const triscope_problem problem = c_problem(interface_problems()[0]);
  const std::string given = "a\nb\033[31m" + std::string(3000, 'x');
  EXPECT_EQ(triscope_supported(given.c_str(), &problem, TRISCOPE_FORWARD, reason.data(), reason.size()),
            TRISCOPE_ARGUMENT);
  const std::string said = reason.data();
  EXPECT_THAT(said, HasSubstr("There is no kernel \"a?b?[31mxxx"));
  EXPECT_TRUE(said.ends_with('.')) << said;
  EXPECT_TRUE(std::ranges::none_of(said, [](unsigned char c) { return c < ' ' || c == 127; })) << said;
}

TEST(AttentionInterface, refuses_a_plan_of_another_gpu) {
  c_interface::Prepared prepared;
  prepared.gpu = 1;
  EXPECT_NO_THROW(c_interface::require_gpu_of(prepared, 1));
  try {
    c_interface::require_gpu_of(prepared, 0);
    ADD_FAILURE() << "taken";
  } catch (const c_interface::Refusal& refusal) {
    EXPECT_EQ(refusal.status(), TRISCOPE_ARGUMENT);
    EXPECT_STREQ(refusal.what(),
                 "The plan was made for GPU 1, but GPU 0 is current; make that one current, or call triscope_prepare.");
  }
}

// Where there is no GPU: a sentence, not a crash.
TEST(AttentionInterface, says_why_a_gpu_kernel_cannot_run_here) {
  triscope_problem problem = c_problem(attention_problem(Form::trilinear, 70, 20, 7, 4, 2, 64));
  problem.element = TRISCOPE_BF16;
  std::array<char, TRISCOPE_REASON_SIZE> reason{};
  const triscope_status status = triscope_supported("cuda", &problem, TRISCOPE_FORWARD, reason.data(), reason.size());
  if (triscope_kernel_device("cuda") < 0) {
    EXPECT_EQ(status, TRISCOPE_ARGUMENT);
    EXPECT_THAT(reason.data(), HasSubstr("There is no kernel \"cuda\" in this library"));
  } else {
    EXPECT_THAT(status, testing::AnyOf(TRISCOPE_OK, TRISCOPE_UNSUPPORTED)) << reason.data();
    EXPECT_EQ(reason[0] == '\0', status == TRISCOPE_OK);
  }
}

// A program compiled with a later header: its struct is longer.
TEST(AttentionInterface, takes_a_longer_struct_only_when_the_rest_is_zero) {
  struct Later {
    triscope_problem now;
    std::int64_t more;
  };
  Later later{c_problem(interface_problems()[0]), 0};
  later.now.size = sizeof later;
  std::array<char, TRISCOPE_REASON_SIZE> reason{};
  EXPECT_EQ(triscope_supported(nullptr, &later.now, TRISCOPE_FORWARD, reason.data(), reason.size()), TRISCOPE_OK);
  later.more = 1;
  EXPECT_EQ(triscope_supported(nullptr, &later.now, TRISCOPE_FORWARD, reason.data(), reason.size()), TRISCOPE_ARGUMENT);
  EXPECT_THAT(reason.data(), HasSubstr("later version"));
}

// And one compiled with the header before `lse_state` was added.
TEST(AttentionInterface, takes_tensors_without_the_member_that_came_last) {
  AttentionCase inputs(interface_problems()[0]);
  const triscope_problem problem = c_problem(inputs.problem);
  triscope_tensors tensors = c_tensors(inputs);
  tensors.size = offsetof(triscope_tensors, lse_state);
  std::size_t bytes = 0;
  ASSERT_EQ(triscope_workspace(nullptr, &problem, TRISCOPE_FORWARD, &bytes, nullptr, 0), TRISCOPE_OK);
  Workspace workspace(bytes);
  tensors.workspace = workspace.data(), tensors.workspace_bytes = bytes;
  EXPECT_EQ(triscope_launch(nullptr, &problem, TRISCOPE_FORWARD, &tensors, nullptr, nullptr, 0), TRISCOPE_OK);
}

// Different problems at once, some of them refused: every thread gets its own numbers and its own sentence.
TEST(AttentionInterface, is_safe_from_many_threads) {
  constexpr int kThreads = 8, kRounds = 5;
  const std::vector<Problem> list = interface_problems();
  std::vector<AttentionCase> expected;
  for (const Problem& problem : list) {
    expected.emplace_back(problem);
    ASSERT_TRUE(expected.back().run(*make_cpu_fast(), Pass::forward) &&
                expected.back().run(*make_cpu_fast(), Pass::backward));
  }
  std::barrier start(kThreads);
  const auto work = [&](std::size_t index) {
    start.arrive_and_wait();
    for (int round = 0; round < kRounds; ++round) {
      const AttentionCase& right = expected[index % expected.size()];
      AttentionCase tensors(right.problem);
      launch(nullptr, tensors, TRISCOPE_FORWARD);
      launch(nullptr, tensors, TRISCOPE_BACKWARD);
      expect_same_outputs(tensors, right);
      triscope_problem bad = c_problem(right.problem);
      bad.cache_len = static_cast<std::int64_t>(index) + 1;
      std::array<char, TRISCOPE_REASON_SIZE> reason{};
      EXPECT_EQ(triscope_supported(nullptr, &bad, TRISCOPE_FORWARD, reason.data(), reason.size()),
                TRISCOPE_UNSUPPORTED);
      EXPECT_THAT(reason.data(), HasSubstr("cache_len is " + std::to_string(index + 1) + ":"));
    }
  };
  std::vector<std::jthread> threads;
  for (std::size_t index = 0; index < kThreads; ++index) threads.emplace_back(work, index);
}

}  // namespace
}  // namespace triscope
