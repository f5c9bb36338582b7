// baseline.cudnn without cuDNN: what it takes, what is loaded, and every way not to be there.
#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "kernels/base/error.hpp"
#include "kernels/baseline/cudnn/cudnn_kernel.hpp"
#include "kernels/baseline/cudnn/cudnn_library.hpp"
#include "tests/paths.hpp"
#include "tests/temporary_folder.hpp"

namespace triscope {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const std::filesystem::path kFakeCudnn = build_file("tests/baseline");

Problem problem() {
  Problem p;
  p.form = Form::dot_product;
  p.window1 = p.seq_len;
  p.window2 = 1;
  return p;
}

std::string why_not(const std::string& library) {
  setenv("TRISCOPE_CUDNN", library.c_str(), 1);
  std::string why;
  try {
    cudnn::load();
  } catch (const Error& error) {
    why = error.what();
  }
  unsetenv("TRISCOPE_CUDNN");
  return why;
}

TEST(CuDnn, a_library_that_is_missing_old_or_another_is_refused_in_one_sentence) {
  EXPECT_THAT(why_not("/nowhere/libcudnn.so.9"),
              AllOf(HasSubstr("TRISCOPE_CUDNN names /nowhere/libcudnn.so.9, which does not exist"),
                    HasSubstr("./run build --cuda --with-cudnn")));
  EXPECT_THAT(why_not(kFakeCudnn / "cudnn_old.so"), HasSubstr("cudnn_old.so is version 9.4.1, older than 9.5"));
  EXPECT_THAT(why_not(kFakeCudnn / "cudnn_other.so"), HasSubstr("cudnn_other.so has no symbol cudnnGetVersion"));
}

TEST(CuDnn, a_library_that_others_could_change_is_not_loaded) {
  const TemporaryFolder folder;
  const std::filesystem::path library = folder / "cudnn_new.so";
  std::filesystem::copy_file(kFakeCudnn / "cudnn_new.so", library);
  EXPECT_EQ(why_not(library), "");
  std::filesystem::permissions(folder.path(), std::filesystem::perms::all);
  EXPECT_THAT(why_not(library), HasSubstr("is not loaded: others may write to " + folder.path().string()));
}

TEST(CuDnn, its_version_and_file_are_known_once_it_is_loaded) {
  setenv("TRISCOPE_CUDNN", (kFakeCudnn / "cudnn_new.so").c_str(), 1);
  const cudnn::Library library = cudnn::load();
  unsetenv("TRISCOPE_CUDNN");
  EXPECT_EQ(library.version, "9.19.0");
  EXPECT_EQ(std::filesystem::path(library.file).filename(), "cudnn_new.so");
  EXPECT_NE(library.handle, nullptr);
}

TEST(CuDnn, problems_it_is_not_asked_to_compute_are_refused_with_the_reason) {
  const auto kernel = make_baseline_cudnn([] { return Gpu{0, 9, 0, "Test GPU"}; });
  const auto reason = [&](auto change) {
    Problem p = problem();
    change(p);
    return kernel->unsupported(p, Pass::forward).value_or("");
  };
  EXPECT_THAT(reason([](Problem& p) { p.form = Form::trilinear; }), HasSubstr("not form trilinear"));
  EXPECT_THAT(reason([](Problem& p) { p.element = Element::fp32; }), HasSubstr("bf16 tensors here, not fp32"));
  EXPECT_THAT(reason([](Problem& p) { p.head_dim = 12; }), HasSubstr("multiple of 8, not 12"));
  EXPECT_THAT(reason([](Problem& p) { p.sink = 0; }), HasSubstr("without a sink"));
  EXPECT_THAT(reason([](Problem& p) { p.scale = -1; }), HasSubstr("scale above 0, not -1"));
  EXPECT_THAT(reason([](Problem& p) { p.seq_len = p.window1 = std::int64_t{1} << 31; }), HasSubstr("up to 2^30"));
}

TEST(CuDnn, without_the_library_its_rows_say_why_and_nothing_is_launched) {
  setenv("TRISCOPE_CUDNN", "/nowhere/libcudnn.so.9", 1);
  const auto kernel = make_baseline_cudnn([] { return Gpu{0, 9, 0, "Test GPU"}; });
  EXPECT_THAT(kernel->unsupported(problem(), Pass::backward).value_or(""),
              AllOf(HasSubstr("cuDNN cannot be measured"), HasSubstr("--with-cudnn")));
  EXPECT_EQ(kernel->info().instances, std::vector<std::string>{"absent"});
  EXPECT_EQ(kernel->info().library, "");
  EXPECT_EQ(kernel->workspace_bytes(problem(), Pass::forward, "absent"), 0U);
  EXPECT_THROW(kernel->launch(problem(), Pass::forward, "absent", {}), Error);
  unsetenv("TRISCOPE_CUDNN");
}

}  // namespace
}  // namespace triscope
