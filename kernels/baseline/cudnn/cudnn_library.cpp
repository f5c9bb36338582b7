#include "kernels/baseline/cudnn/cudnn_library.hpp"

#include <fmt/format.h>

#include <cstddef>

#include "kernels/base/error.hpp"
#include "kernels/base/files/library_folders.hpp"
#include "kernels/baseline/common/runtime_library.hpp"

namespace triscope::cudnn {
namespace {

constexpr char kCannot[] = "cuDNN cannot be measured";
constexpr char kHowToGet[] =
    "install PyTorch or run `./run build --cuda --with-cudnn`, or name the folder of libcudnn.so.9 in the variable "
    "TRISCOPE_CUDNN";
constexpr std::size_t kOldest = 90500;

// libcudart and libnvrtc are opened by cuDNN and its frontend by their names alone: those that are loaded are found.
void open_companions() {
  for (const char* name : {"libcudart.so.13", "libnvrtc.so.13"}) {
    LibrarySearch search{"", {name}, {}, cuda_library_folders("cudnn", "nvidia/cu13/lib")};
    std::string ignored;
    if (SharedLibrary library = open_library(search, ignored)) library.keep();
  }
}

}  // namespace

Library load() {
  LibrarySearch search{"TRISCOPE_CUDNN", {"libcudnn.so.9"}, {}, cuda_library_folders("cudnn", "nvidia/cudnn/lib")};
  std::string why;
  SharedLibrary library = open_library(search, why);
  if (!library) throw Error(kCannot, why, kHowToGet);
  const auto version = library.symbol<std::size_t (*)()>("cudnnGetVersion");
  if (version == nullptr)
    throw Error(kCannot, fmt::format("{} has no symbol cudnnGetVersion", library.file()), kHowToGet);
  const std::size_t number = version();
  const std::string text = fmt::format("{}.{}.{}", number / 10000, number / 100 % 100, number % 100);
  if (number < kOldest)
    throw Error(kCannot, fmt::format("{} is version {}, older than 9.5", library.file(), text), kHowToGet);
  open_companions();
  const std::string file = library.file();
  return {text, file, library.keep()};
}

}  // namespace triscope::cudnn
