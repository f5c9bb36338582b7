#include "kernels/base/third_party.hpp"

#include <algorithm>
#include <array>

namespace triscope {
namespace {

// The versions of what is compiled in are CMake's (cmake/ThirdPartyVersions.cmake).
constexpr std::array kParts{
    ThirdPartyPart{
        "FlashAttention-3", "0.3.6 (dew-flash-attn-cu13)", "BSD-3-Clause AND Apache-2.0",
        "measured beside ours on Hopper GPUs; loaded at run time, never linked or shipped", "baseline.fa3",
        "./run build --cuda --with-fa3",
        "dew-flash-attn-cu13 0.3.6 (78 MB; CUTLASS in it is BSD-3-Clause) and nvidia-cuda-runtime 13.0.96 (2 "
        "MB, NVIDIA's CUDA licence), from PyPI, hashes checked; licence texts included"},
    ThirdPartyPart{
        "cuDNN", "9.5 or later", "NVIDIA's cuDNN licence (not open)",
        "measured beside ours; loaded at run time, never linked or shipped", "baseline.cudnn",
        "./run build --cuda --with-cudnn",
        "nvidia-cudnn-cu13 9.19.0.56 (366 MB) and the headers nvidia-cudnn-frontend 1.32.0 (12 MB, Apache-2.0 "
        "AND MIT), from PyPI, hashes checked; licence texts included. PyTorch's own cuDNN works as well"},
    ThirdPartyPart{"cuBLAS", "12 or 13", "NVIDIA's CUDA licence (not open)",
                   "one matrix product in every sweep on a GPU; loaded at run time, never linked or shipped",
                   "baseline.cublas", "", ""},
    ThirdPartyPart{"CUPTI, NVML", "13.0 Update 1 or later", "NVIDIA's CUDA licence (not open)",
                   "time kernels, read counters and clocks; loaded at run time", "", "", ""},
    ThirdPartyPart{"fmt", TRISCOPE_FMT_VERSION, "MIT", "text; compiled in", "", "", ""},
    ThirdPartyPart{"nlohmann/json", TRISCOPE_JSON_VERSION, "MIT", "messages and settings; compiled in", "", "", ""},
    ThirdPartyPart{"CLI11", TRISCOPE_CLI11_VERSION, "BSD-3-Clause", "the command line; compiled in", "", "", ""},
    ThirdPartyPart{"SQLite", TRISCOPE_SQLITE_VERSION, "public domain", "the database; compiled in", "", "", ""},
    ThirdPartyPart{"SQLiteCpp", TRISCOPE_SQLITECPP_VERSION, "MIT", "the same from C++; compiled in", "", "", ""},
    ThirdPartyPart{"Boost.Math", TRISCOPE_BOOST_VERSION, "BSL-1.0", "Student's t; compiled in", "", "", ""},
    ThirdPartyPart{"libmd", TRISCOPE_LIBMD_VERSION, "BSD-3-Clause", "SHA-256; compiled in", "", "", ""},
    ThirdPartyPart{"zlib", TRISCOPE_ZLIB_VERSION, "Zlib", "unpacks .npz files; compiled in", "", "", ""},
#ifdef TRISCOPE_CUDA_VERSION
    ThirdPartyPart{"CUDA runtime", TRISCOPE_CUDA_VERSION, "NVIDIA's CUDA licence (not open)",
                   "launches kernels; compiled into the worker", "", "", ""},
#endif
#ifdef TRISCOPE_IMGUI_BUNDLE_VERSION
    ThirdPartyPart{"Dear ImGui, ImPlot", "of imgui-bundle " TRISCOPE_IMGUI_BUNDLE_VERSION, "MIT",
                   "the window and its charts; compiled in", "", "", ""},
    ThirdPartyPart{"GLFW", TRISCOPE_GLFW_VERSION, "Zlib", "the window on the desktop; a shared library", "", "", ""},
    ThirdPartyPart{"Inter, JetBrains Mono", "", "OFL-1.1", "the fonts; compiled in", "", "", ""},
#endif
};

}  // namespace

std::span<const ThirdPartyPart> third_party_parts() { return kParts; }

const ThirdPartyPart* find_third_party_part(std::string_view kernel) {
  const auto found = std::find_if(kParts.begin(), kParts.end(), [&](const ThirdPartyPart& part) {
    return !part.kernel.empty() && part.kernel == kernel;
  });
  return found == kParts.end() ? nullptr : &*found;
}

}  // namespace triscope
