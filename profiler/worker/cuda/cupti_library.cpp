#include "profiler/worker/cuda/cupti_library.hpp"

#include <cupti.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <system_error>
#include <vector>

#include "kernels/base/error.hpp"
#include "kernels/base/files/trusted_file.hpp"
#include "profiler/worker/device/cupti_advice.hpp"

namespace triscope {
namespace {

constexpr const char* kName = "libcupti.so.13";
constexpr std::uint32_t kOldestVersion = 130001;  // 13.0 Update 1: earlier ones deadlock on disabling and lose records

// Folders that may hold libcupti.so.13, most specific first.
std::vector<std::filesystem::path> cupti_folders() {
  std::vector<std::filesystem::path> folders;
  const auto add = [&](const char* variable, const char* below) {
    const char* value = std::getenv(variable);
    if (value != nullptr && *value != '\0') folders.push_back(std::filesystem::path(value) / below);
  };
  add("TRISCOPE_CUPTI", "");
  if (!folders.empty()) return folders;  // what the user sets decides
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    add(variable, "extras/CUPTI/lib64");
    add(variable, "lib64");
  }
  folders.emplace_back(TRISCOPE_TOOLKIT_LIBRARIES);
  folders.emplace_back("/usr/local/cuda/extras/CUPTI/lib64");
  folders.emplace_back("/usr/local/cuda/lib64");
  if (const char* environment = std::getenv("VIRTUAL_ENV"); environment != nullptr && *environment != '\0') {
    std::error_code ignored;
    for (const auto& python :
         std::filesystem::directory_iterator(std::filesystem::path(environment) / "lib", ignored)) {
      folders.push_back(python.path() / "site-packages/nvidia/cu13/lib");
    }
  }
  return folders;
}

}  // namespace

CuptiLibrary::CuptiLibrary(std::string purpose) : purpose_(std::move(purpose)) {
  std::string why;
  if (library_.adopt(kName)) {
    where_ = "already loaded";
  } else {
    std::string refused;
    for (const std::filesystem::path& folder : cupti_folders()) {
      if (std::string fault = why_not_trusted(folder / kName); !fault.empty()) {
        refused = fmt::format("{} is not loaded: {}", (folder / kName).string(), fault);
        continue;
      }
      if (library_.open(folder / kName, why)) {
        where_ = folder / kName;
        break;
      }
    }
    if (!library_ && std::getenv("TRISCOPE_CUPTI") == nullptr && library_.open(kName, why)) where_ = "loader's path";
    if (!library_ && !refused.empty()) why = refused;
  }
  if (!library_) {
    throw Error(purpose_, why, "install the CUDA Toolkit 13 or set TRISCOPE_CUPTI to the folder of libcupti.so.13");
  }
  int (*get_version)(std::uint32_t*) = nullptr;
  find(get_version, "cuptiGetVersion");
  find(result_string_, "cuptiGetResultString");
  check(get_version(&number_), "cuptiGetVersion");
  if (number_ < kOldestVersion) {
    throw Error(purpose_, fmt::format("{} is version {}", where_, number_),
                "install CUPTI of CUDA 13.0 Update 1 (130001) or later");
  }
}

void CuptiLibrary::refuse_missing(const char* name) const {
  throw Error(purpose_, fmt::format("{} ({}) has no {}", kName, where_, name),
              "install CUPTI of CUDA 13.0 Update 1 or later");
}

void CuptiLibrary::check(int result, const char* call) const {
  if (result == CUPTI_SUCCESS) return;
  const char* text = nullptr;
  result_string_(result, &text);
  const CuptiAdvice advice = cupti_advice(result);
  const std::string answer = fmt::format("{} answers {} ({})", call, text == nullptr ? "?" : text, result);
  throw Error(purpose_, advice.why.empty() ? answer : fmt::format("{} ({})", advice.why, answer), advice.fix);
}

void CuptiLibrary::load_metric_library() {
  constexpr const char* kMetricLibrary = "libnvperf_host.so";
  SharedLibrary metrics;
  std::string why;
  Dl_info found{};
  void (*symbol)() = library_.symbol<void (*)()>("cuptiGetVersion");
  if (dladdr(reinterpret_cast<void*>(symbol), &found) != 0 && found.dli_fname != nullptr) {
    (void)metrics.open(std::filesystem::path(found.dli_fname).parent_path() / kMetricLibrary, why);
  }
  if (!metrics && !metrics.open(kMetricLibrary, why)) {
    throw Error(purpose_, why, "install all of CUPTI: libnvperf_host.so belongs beside libcupti.so.13");
  }
  metrics.keep();
}

std::string CuptiLibrary::version() const {
  return fmt::format("{}.{}.{}", number_ / 10000, number_ / 100 % 100, number_ % 100);
}

}  // namespace triscope
