// baseline.cublas with libraries that are not cuBLAS, and the check of a product.
#include <gmock/gmock.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>

#include "kernels/attention/flops.hpp"
#include "kernels/attention/inputs.hpp"
#include "kernels/base/error.hpp"
#include "kernels/baseline/cublas/cublas_kernel.hpp"
#include "kernels/reference/check.hpp"
#include "tests/kernels/attention/attention_case.hpp"
#include "tests/paths.hpp"
#include "tests/temporary_folder.hpp"

namespace triscope {
namespace {

using testing::HasSubstr;

const std::filesystem::path kFakeCublas = build_file("tests/baseline");

Problem product(std::int64_t n) {
  Problem p;
  p.form = Form::gemm;
  p.seq_len = n;
  p.q_heads = p.kv_heads = p.head_dim = p.window1 = p.window2 = 1;
  return p;
}

std::unique_ptr<Kernel> kernel_with(const std::string& library) {
  setenv("TRISCOPE_CUBLAS", (kFakeCublas / library).c_str(), 1);
  auto kernel = make_baseline_cublas([] { return Gpu{0, 9, 0, "Test GPU"}; });
  kernel->info();
  unsetenv("TRISCOPE_CUBLAS");
  return kernel;
}

std::vector<std::uint16_t> narrow(const std::vector<float>& values) {
  std::vector<std::uint16_t> bits(values.size());
  for (std::size_t n = 0; n < values.size(); ++n) {
    std::uint32_t word;
    std::memcpy(&word, &values[n], sizeof(word));
    bits[n] = static_cast<std::uint16_t>(word >> 16);
  }
  return bits;
}

struct Matrices {
  explicit Matrices(std::int64_t n)
      : problem(product(n)), a(static_cast<std::size_t>(n * n)), b(a.size()), c(a.size()) {
    fill_input(InputStream::q, 1, Element::bf16, a);
    fill_input(InputStream::k1, 1, Element::bf16, b);
  }
  CheckResult check(CheckOptions options = {}) const {
    HostInputs inputs;
    inputs.q = a.data();
    inputs.k1 = b.data();
    HostOutputs outputs;
    outputs.o = c.data();
    return check_against_oracle({}, problem, Pass::forward, inputs, outputs, options);
  }
  void run(const Kernel& kernel) {
    const std::vector<std::uint16_t> narrow_a = narrow(a), narrow_b = narrow(b);
    std::vector<std::uint16_t> narrow_c(c.size());
    test::Workspace workspace(kernel.workspace_bytes(problem, Pass::forward, "13.1.2"));
    Arguments arguments;
    arguments.q = narrow_a.data();
    arguments.k1 = narrow_b.data();
    arguments.o = narrow_c.data();
    arguments.workspace = workspace.data();
    arguments.stream = this;
    kernel.launch(problem, Pass::forward, "13.1.2", arguments);
    for (std::size_t n = 0; n < c.size(); ++n) {
      const std::uint32_t bits = static_cast<std::uint32_t>(narrow_c[n]) << 16;
      std::memcpy(&c[n], &bits, sizeof(float));
    }
  }

  Problem problem;
  std::vector<float> a, b, c;
};

TEST(CuBlas, its_product_is_row_major_and_its_instance_is_the_version) {
  const auto kernel = kernel_with("cublas_good.so");
  EXPECT_EQ(kernel->info().instances, std::vector<std::string>{"13.1.2"});
  Matrices m(96);
  ASSERT_EQ(kernel->unsupported(m.problem, Pass::forward), std::nullopt);
  m.run(*kernel);
  const CheckResult result = m.check();
  EXPECT_EQ(result.failure, std::nullopt);
  EXPECT_GT(result.worst, 1e-4);  // bf16 rounds
  std::swap(m.a, m.b);            // of the other product this is no result
  EXPECT_THAT(m.check().failure.value_or(""), HasSubstr("relative error"));
}

TEST(CuBlas, the_check_of_a_product_sees_an_unwritten_element_and_small_errors) {
  const auto kernel = kernel_with("cublas_good.so");
  Matrices m(80);
  m.run(*kernel);
  for (float& x : m.c) x *= 1.01f;
  EXPECT_THAT(m.check({.everything = true}).failure.value_or(""), HasSubstr("o: relative error"));
  m.run(*kernel);
  m.c[4321] = std::numeric_limits<float>::quiet_NaN();  // sampled or not
  EXPECT_EQ(m.check({.rows = 2}).failure, "o has nan at element 4321");
}

TEST(CuBlas, what_it_cannot_do_and_what_is_missing_is_said) {
  const auto kernel = kernel_with("cublas_good.so");
  EXPECT_THAT(kernel->unsupported(Problem{}, Pass::forward).value_or(""), HasSubstr("not form trilinear"));
  EXPECT_THAT(kernel->unsupported(product(64), Pass::backward).value_or(""), HasSubstr("no backward"));
  EXPECT_THAT(kernel_with("cublas_no_product.so")->unsupported(product(64), Pass::forward).value_or(""),
              HasSubstr("it has no symbol cublasGemmEx"));
  const auto absent = kernel_with("nothing.so");
  EXPECT_THAT(absent->unsupported(product(64), Pass::forward).value_or(""),
              testing::AllOf(HasSubstr("TRISCOPE_CUBLAS names"), HasSubstr("which does not exist"),
                             HasSubstr("install the CUDA Toolkit or PyTorch")));
  EXPECT_EQ(absent->info().instances, std::vector<std::string>{"absent"});
}

TEST(CuBlas, a_library_that_others_could_change_is_not_loaded) {
  const TemporaryFolder folder;
  std::filesystem::copy_file(kFakeCublas / "cublas_good.so", folder / "cublas_good.so");
  std::filesystem::permissions(folder.path(), std::filesystem::perms::all);
  EXPECT_THAT(kernel_with(folder / "cublas_good.so")->unsupported(product(64), Pass::forward).value_or(""),
              HasSubstr("is not loaded: others may write to " + folder.path().string()));
}

TEST(CuBlas, a_refusal_says_its_status_and_what_to_do_about_that_one) {
  const auto kernel = kernel_with("cublas_good.so");
  const auto refusal = [&](std::int64_t status) {
    try {
      Matrices(status).run(*kernel);  // the fake answers a small product with its size
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(refusal(3), testing::AllOf(HasSubstr("cublasGemmEx answers CUBLAS_STATUS_OF_THE_FAKE (3)"),
                                         HasSubstr("free memory")));
  EXPECT_THAT(refusal(1), HasSubstr("`triscope doctor`"));
  for (int status : {8, 15})
    EXPECT_THAT(refusal(status), HasSubstr("that knows this GPU in the variable TRISCOPE_CUBLAS"));
  for (int status : {11, 13, 14}) EXPECT_THAT(refusal(status), HasSubstr("without the other kernels"));
  EXPECT_THAT(refusal(7), HasSubstr("report it"));
  EXPECT_THAT(refusal(16), HasSubstr("(16)"));
  for (int status : {1, 7, 8, 11, 13, 14, 15, 16}) EXPECT_THAT(refusal(status), testing::Not(HasSubstr("free memory")));
}

TEST(CuBlas, the_counts_of_a_product_are_those_of_three_matrices) {
  EXPECT_EQ(tensor_bytes(product(8192), Pass::forward), 3ll * 8192 * 8192 * 2);
  EXPECT_DOUBLE_EQ(useful_flops(product(8192), Pass::forward), 2.0 * 8192 * 8192 * 8192);
  EXPECT_DOUBLE_EQ(compulsory_bytes(product(8192), Pass::forward), 3.0 * 8192 * 8192 * 2);
}

}  // namespace
}  // namespace triscope
