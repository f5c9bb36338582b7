// The published FlashAttention-3 library, found, checked and loaded at run time.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "kernels/base/files/shared_library.hpp"
#include "kernels/baseline/fa3/xla_ffi.hpp"

namespace triscope::fa3 {

/// PyPI package dew-flash-attn-cu13: kyutai's JAX port of Dao-AILab's FlashAttention-3 (BSD-3-Clause, with CUTLASS
/// BSD-3-Clause and OpenXLA Apache-2.0), sm_90a code only.
inline constexpr char kVersion[] = "0.3.6";
inline constexpr char kFileName[] = "libdew_flash_attn3.so";
inline constexpr char kSha256[] = "ed43984d52482fc6aff4229452638f0047c6fc208580cbe8328732cb400dbf9d";
inline constexpr char kHowToGet[] =
    "fetch it with `./run build --with-fa3`, or name the file in the variable TRISCOPE_FA3";

/// Where the library lies: what $TRISCOPE_FA3 names (the file, or the folder it is in), or the first of
/// `package_roots("fa3")` that has it. Throws `Error` when it is nowhere; a file that $TRISCOPE_FA3 names is never
/// replaced by another.
std::filesystem::path find_library();

/// Both handlers of the library. Never unloaded: CUDA code cannot be.
class Library {
 public:
  /// Throws `Error` with one reason: the file is missing, it is not the version whose argument layout is known
  /// (SHA-256), the loader refuses it (libcudart.so.13 is looked for in the CUDA toolkit and in Python's packages), a
  /// symbol is missing, its kernels are for another architecture, its handlers speak another version of the FFI.
  explicit Library(const std::filesystem::path& file, std::string_view sha256 = kSha256);

  xla_ffi::Handler forward() const { return forward_; }
  xla_ffi::Handler backward() const { return backward_; }

 private:
  xla_ffi::Handler forward_ = nullptr, backward_ = nullptr;
};

}  // namespace triscope::fa3
