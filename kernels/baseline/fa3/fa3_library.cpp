#include "kernels/baseline/fa3/fa3_library.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "kernels/base/error.hpp"
#include "kernels/base/files/library_folders.hpp"
#include "kernels/base/files/mapped_file.hpp"
#include "kernels/base/files/trusted_file.hpp"
#include "kernels/base/sha256.hpp"

namespace triscope::fa3 {
namespace {

using std::filesystem::path;

constexpr char kCannot[] = "FlashAttention-3 cannot be measured";
constexpr char kArchitecture[] = "90a";
constexpr char kRuntime[] = "libcudart.so.13";

bool is_file(const path& file) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(file, ignored);
}

// A descriptor as a path: whatever happens to the name, it leads to the file that was opened.
class OpenFile {
 public:
  explicit OpenFile(const path& file) : descriptor_(::open(file.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (descriptor_ < 0) throw Error(kCannot, fmt::format("{} cannot be read", file.string()), kHowToGet);
  }
  ~OpenFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  OpenFile(const OpenFile&) = delete;
  /// It stays open: the loader takes a library of the same name for the same library.
  void keep() { descriptor_ = -1; }
  path name() const { return fmt::format("/proc/self/fd/{}", descriptor_); }

 private:
  int descriptor_;
};

// The loader's own search comes first; then libcudart from where CUDA may lie. `opened` is what `file` was. No runtime
// helps where others may change the file.
SharedLibrary open(const path& file, const path& opened) {
  if (const std::string fault = why_not_trusted(opened); !fault.empty()) {
    throw Error(kCannot, fmt::format("{} is not loaded: {}", file.string(), fault),
                "let nobody but root and you change it, or any folder on the way to it");
  }
  SharedLibrary library;
  std::string why;
  if (library.open(opened, why)) return library;
  for (const path& folder : cuda_library_folders("fa3", "nvidia/cu13/lib")) {
    SharedLibrary runtime;
    std::string ignored;
    if (!is_file(folder / kRuntime) || !runtime.open(folder / kRuntime, ignored)) continue;
    runtime.keep();
    if (library.open(opened, why)) return library;
  }
  throw Error(kCannot, fmt::format("the loader refuses {}: {}", file.string(), why),
              "install the CUDA 13 runtime (./run build --with-fa3 downloads it too)");
}

xla_ffi::Handler handler(const SharedLibrary& library, const path& file, const char* symbol) {
  if (const auto found = library.symbol<xla_ffi::Handler>(symbol)) return found;
  throw Error(kCannot, fmt::format("{} has no symbol {}", file.string(), symbol), kHowToGet);
}

// A handler that is asked for its metadata says which FFI it was compiled for, and does nothing else.
void check_ffi(xla_ffi::Handler handler, const path& file) {
  xla_ffi::Metadata metadata;
  metadata.struct_size = xla_ffi::kMetadataSize;
  metadata.version.head.struct_size = sizeof(metadata.version);
  xla_ffi::MetadataExtension extension{sizeof(xla_ffi::MetadataExtension), xla_ffi::kMetadataExtension, nullptr,
                                       &metadata};
  const xla_ffi::Api api{{sizeof(xla_ffi::Api), nullptr}, {{sizeof(xla_ffi::Version), nullptr}, 0, 1}, nullptr, {}};
  xla_ffi::CallFrame frame;
  frame.head = {xla_ffi::kCallFrameSize, &extension};
  frame.api = &api;
  handler(&frame);
  const xla_ffi::Version& version = metadata.version;
  if (version.major_version == 0 && version.minor_version >= 1) return;
  throw Error(kCannot,
              fmt::format("{} speaks version {}.{} of XLA's FFI, not 0.1", file.string(), version.major_version,
                          version.minor_version),
              kHowToGet);
}

}  // namespace

path find_library() {
  if (const path named = environment_value("TRISCOPE_FA3"); !named.empty()) {
    std::error_code ignored;
    const path file = std::filesystem::is_directory(named, ignored) ? named / kFileName : named;
    if (is_file(file)) return file;
    throw Error(kCannot, fmt::format("TRISCOPE_FA3 names {}, which does not exist", file.string()),
                fmt::format("correct it, or unset it and {}", kHowToGet));
  }
  for (const path& root : package_roots("fa3")) {
    if (const path file = root / "dew_flash_attn" / kFileName; is_file(file)) return file;
  }
  throw Error(kCannot, fmt::format("{} is not on this machine", kFileName), kHowToGet);
}

Library::Library(const path& file, std::string_view sha256) {
  if (!is_file(file)) throw Error(kCannot, fmt::format("{} is not there", file.string()), kHowToGet);
  OpenFile opened(file);
  const std::string found = sha256_hex(MappedFile(opened.name()).bytes());
  if (found != sha256) {
    throw Error(kCannot,
                fmt::format("{} is not version {}: its SHA-256 begins with {}, not {}", file.string(), kVersion,
                            found.substr(0, 12), sha256.substr(0, 12)),
                kHowToGet);
  }
  SharedLibrary library = open(file, opened.name());
  forward_ = handler(library, file, "dew_flash3_mha_fwd");
  backward_ = handler(library, file, "dew_flash3_mha_bwd");
  const auto architectures = library.symbol<const char* (*)()>("dew_flash3_architectures");
  if (architectures == nullptr)
    throw Error(kCannot, fmt::format("{} has no symbol dew_flash3_architectures", file.string()), kHowToGet);
  if (const std::string text = architectures(); text.find(kArchitecture) == std::string::npos) {
    throw Error(kCannot, fmt::format("{} is compiled for {}, not for sm_90a", file.string(), text), kHowToGet);
  }
  check_ffi(forward_, file);
  library.keep();
  opened.keep();
}

}  // namespace triscope::fa3
