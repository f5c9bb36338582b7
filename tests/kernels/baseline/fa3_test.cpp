// baseline.fa3 with libraries that are not FlashAttention-3: the call frame, what is loaded, and every way to fail.
#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "kernels/base/error.hpp"
#include "kernels/base/files/mapped_file.hpp"
#include "kernels/base/sha256.hpp"
#include "kernels/baseline/fa3/fa3_kernel.hpp"
#include "kernels/baseline/fa3/fa3_library.hpp"
#include "tests/kernels/baseline/bf16_case.hpp"
#include "tests/paths.hpp"
#include "tests/temporary_folder.hpp"

namespace triscope {
namespace {

using test::Bf16Case;
using testing::AllOf;
using testing::HasSubstr;

const std::filesystem::path kFakeFa3 = build_file("tests/baseline");

Gpu hopper() { return {3, 9, 0, "Test GPU"}; }

std::string hash_of(const std::filesystem::path& file) { return sha256_hex(MappedFile(file).bytes()); }

/// A variable of the environment for the life of the object.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) { setenv(name, value.c_str(), 1); }
  ~Variable() { unsetenv(name_); }

 private:
  const char* name_;
};

std::unique_ptr<Kernel> kernel_with(const char* library, CurrentGpu gpu = hopper) {
  const std::filesystem::path file = kFakeFa3 / library;
  const Variable variable("TRISCOPE_FA3", file);
  auto kernel = make_baseline_fa3(std::move(gpu), hash_of(file));
  kernel->unsupported(Problem{.form = Form::dot_product, .window2 = 1}, Pass::forward);  // loads it
  return kernel;
}

Problem problem(std::int64_t seq_len, std::int64_t window1, std::int64_t q_heads, std::int64_t kv_heads,
                std::int64_t head_dim, std::int64_t batch = 1) {
  Problem p = test::attention_problem(Form::dot_product, seq_len, window1, 1, q_heads, kv_heads, head_dim, batch);
  p.element = Element::bf16;
  return p;
}

std::string why(const std::string& library, const std::string& sha256 = "") {
  try {
    const std::filesystem::path file = kFakeFa3 / library;
    fa3::Library loaded(file, sha256.empty() ? hash_of(file) : sha256);
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TEST(Fa3, its_results_are_the_oracles_for_every_mask_grouping_and_head_dim) {
  const auto kernel = kernel_with("fa3_good.so");
  std::vector<Problem> problems{problem(40, 40, 4, 2, 16),  problem(40, 100, 2, 2, 8),   problem(37, 9, 4, 1, 24, 2),
                                problem(33, 1, 2, 1, 8, 3), problem(140, 64, 2, 1, 128), problem(30, 30, 2, 2, 256)};
  problems.push_back(problems[0]);
  problems.back().mask = Mask::full;
  problems.push_back(problems[2]);
  problems.back().scale = 0.3;
  for (const Problem& p : problems) {
    Bf16Case tensors(p);
    ASSERT_EQ(kernel->unsupported(p, Pass::backward), std::nullopt) << describe(p);
    EXPECT_TRUE(tensors.run(*kernel, Pass::forward)) << describe(p);
    EXPECT_TRUE(tensors.run(*kernel, Pass::backward)) << describe(p);
    EXPECT_EQ(tensors.check(*kernel, Pass::backward).failure, std::nullopt) << describe(p);
  }
}

TEST(Fa3, problems_it_does_not_compute_are_refused_with_the_reason) {
  const auto kernel = kernel_with("fa3_good.so");
  const auto reason = [&](auto change, Pass pass = Pass::forward) {
    Problem p = problem(64, 64, 2, 1, 64);
    change(p);
    return kernel->unsupported(p, pass).value_or("");
  };
  EXPECT_EQ(reason([](Problem&) {}), "");
  EXPECT_THAT(reason([](Problem& p) { p.form = Form::trilinear; }),
              HasSubstr("dot-product attention, not form trilinear"));
  EXPECT_THAT(reason([](Problem& p) { p.element = Element::fp32; }), HasSubstr("bf16 tensors here, not fp32"));
  EXPECT_THAT(reason([](Problem& p) { p.head_dim = 12; }), HasSubstr("multiples of 8, not 12"));
  EXPECT_THAT(reason([](Problem& p) { p.head_dim = 264; }), HasSubstr("up to 256"));
  EXPECT_THAT(reason([](Problem& p) { p.sink = 0; }), HasSubstr("no sink"));
  EXPECT_THAT(reason([](Problem& p) { p.scale = -1; }), HasSubstr("scale above 0, not -1"));
  EXPECT_EQ(reason([](Problem& p) { p.batch = 70000; }), "");
  EXPECT_THAT(reason([](Problem& p) { p.batch = 70000; }, Pass::backward),
              HasSubstr("up to 65535 batches and query heads, not 70000"));
  EXPECT_EQ(reason([](Problem& p) { p.deterministic = true; }), "");
  EXPECT_THAT(reason([](Problem& p) { p.deterministic = true; }, Pass::backward), HasSubstr("not deterministic"));
}

TEST(Fa3, another_gpu_than_hopper_is_refused_before_its_launch_could_end_the_process) {
  const Problem p = problem(64, 64, 2, 1, 64);
  const auto ampere = kernel_with("fa3_good.so", [] { return Gpu{0, 8, 6, "Small GPU"}; });
  EXPECT_THAT(ampere->unsupported(p, Pass::forward).value_or(""),
              AllOf(HasSubstr("compute capability 9.0"), HasSubstr("Small GPU has 8.6")));
  const auto none = kernel_with("fa3_good.so", []() -> Gpu { throw Error("no GPU", "there is none", "buy one"); });
  EXPECT_THAT(none->unsupported(p, Pass::forward).value_or(""), HasSubstr("there is none"));
}

TEST(Fa3, without_the_library_the_reason_says_how_to_get_it) {
  const Problem p = problem(64, 64, 2, 1, 64);
  {
    const Variable variable("TRISCOPE_FA3", "/nowhere/libdew_flash_attn3.so");
    const auto kernel = make_baseline_fa3(hopper);
    EXPECT_THAT(kernel->unsupported(p, Pass::forward).value_or(""),
                AllOf(HasSubstr("TRISCOPE_FA3 names /nowhere/libdew_flash_attn3.so, which does not exist"),
                      HasSubstr("./run build --with-fa3")));
    EXPECT_THROW(kernel->launch(p, Pass::forward, "0.3.6", {}), Error);
  }
  const TemporaryFolder empty;
  const Variable path("PATH", empty.path().string());
  EXPECT_THAT([] { fa3::find_library(); },
              testing::ThrowsMessage<Error>(AllOf(HasSubstr("is not on this machine"), HasSubstr("--with-fa3"))));
}

TEST(Fa3, the_library_is_found_in_a_named_folder_and_in_pythons_packages) {
  const TemporaryFolder folder;
  const auto packages = folder.path() / "lib/python3.11/site-packages/dew_flash_attn";
  std::filesystem::create_directories(packages);
  std::ofstream(packages / fa3::kFileName) << "library";
  {
    const Variable variable("TRISCOPE_FA3", packages);
    EXPECT_EQ(fa3::find_library(), packages / fa3::kFileName);
  }
  const Variable variable("VIRTUAL_ENV", folder.path());
  EXPECT_EQ(fa3::find_library(), packages / fa3::kFileName);
}

TEST(Fa3, a_library_that_is_not_the_known_one_is_refused_in_one_sentence) {
  EXPECT_EQ(why("fa3_good.so"), "");
  EXPECT_THAT(why("missing.so", "0"), HasSubstr("missing.so is not there"));
  EXPECT_THAT(why("fa3_good.so", fa3::kSha256),
              AllOf(HasSubstr("is not version 0.3.6"), HasSubstr("not ed43984d5248")));
  EXPECT_THAT(why("fa3_forward_only.so"), HasSubstr("has no symbol dew_flash3_mha_bwd"));
  EXPECT_THAT(why("fa3_ampere.so"), HasSubstr("is compiled for 80-real, not for sm_90a"));
  EXPECT_THAT(why("fa3_later_ffi.so"), HasSubstr("speaks version 1.1 of XLA's FFI, not 0.1"));
  const TemporaryFolder folder;
  const auto text = folder.path() / "text.so";
  std::ofstream(text) << "this is no library";
  EXPECT_THAT([&] { fa3::Library library(text, hash_of(text)); },
              testing::ThrowsMessage<Error>(HasSubstr("the loader refuses " + text.string())));
}

TEST(Fa3, a_library_that_others_could_change_is_not_loaded) {
  const TemporaryFolder folder;
  const std::filesystem::path library = folder / "fa3_good.so";
  std::filesystem::copy_file(kFakeFa3 / "fa3_good.so", library);
  EXPECT_EQ(why(library), "");
  std::filesystem::permissions(folder.path(), std::filesystem::perms::all);
  EXPECT_THAT(why(library), AllOf(HasSubstr(library.string() + " is not loaded: others may write to " +
                                            folder.path().string() + " (mode 0777; `chmod go-w "),
                                  testing::Not(HasSubstr("CUDA 13 runtime"))));
}

TEST(Fa3, what_it_throws_or_refuses_becomes_an_error_of_ours) {
  const auto kernel = kernel_with("fa3_good.so");
  Bf16Case tensors(problem(16, 16, 2, 1, 8));
  const auto message = [&] {
    try {
      tensors.run(*kernel, Pass::forward);
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  {
    const Variable behaviour("FAKE_FA3", "throw");
    EXPECT_THAT(message(), HasSubstr("it threw \"bad things\""));
  }
  {
    const Variable behaviour("FAKE_FA3", "greedy");  // scratch that does not exist: never a null pointer
    EXPECT_THAT(message(), HasSubstr("it threw \"bad optional access\""));
  }
  EXPECT_EQ(message(), "");
}

TEST(Fa3DeathTest, an_exit_inside_it_ends_the_worker_with_the_reason) {
  const auto kernel = kernel_with("fa3_good.so");
  Bf16Case tensors(problem(16, 16, 2, 1, 8));
  const Variable behaviour("FAKE_FA3", "exit");
  EXPECT_EXIT(tensors.run(*kernel, Pass::forward), testing::ExitedWithCode(3),
              "CUDA error: invalid argument\nFlashAttention-3 ended the worker because one of its launches failed");
}

TEST(Fa3DeathTest, a_service_it_may_not_ask_for_is_named) {
  const auto kernel = kernel_with("fa3_good.so");
  Bf16Case tensors(problem(16, 16, 2, 1, 8));
  const Variable behaviour("FAKE_FA3", "service");
  EXPECT_DEATH(tensors.run(*kernel, Pass::forward), "asked for a service of XLA that does not exist here");
}

}  // namespace
}  // namespace triscope
