#include "kernels/plugin/plugin_library.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <optional>

#include "kernels/base/error.hpp"
#include "kernels/base/files/mapped_file.hpp"
#include "kernels/base/files/shared_library.hpp"
#include "kernels/base/files/trusted_file.hpp"
#include "kernels/base/sha256.hpp"

namespace triscope {
namespace {

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& why, const std::string& fix) {
  throw Error(fmt::format("the kernel library '{}' cannot be used", file.string()), why, fix, ExitCode::usage);
}

/// An open file, by a name under which the loader and the hash see the same bytes whatever happens to its path.
class OpenFile {
 public:
  explicit OpenFile(const std::filesystem::path& file) : fd_(::open(file.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (fd_ < 0) refuse(file, "it cannot be opened", "name a file that is there: --kernel ./mine.so");
  }
  ~OpenFile() {
    if (fd_ >= 0) ::close(fd_);
  }
  /// It stays open: the loader takes a library of the same name for the same library.
  void keep() { fd_ = -1; }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  std::string name() const { return fmt::format("/proc/self/fd/{}", fd_); }

 private:
  int fd_;
};

/// The loader knows the library by the name of an open file, so it looks for what lies beside it elsewhere.
const char* fix_for(const std::string& why) {
  return why.find("cannot open shared object file") == std::string::npos
             ? "build it again"
             : "link it with an absolute -Wl,-rpath, since $ORIGIN is not followed, or with a static library";
}

template <typename Function>
void find(const SharedLibrary& library, const std::filesystem::path& file, const char* name, Function& function) {
  function = library.symbol<Function>(name);
  if (function != nullptr) return;
  refuse(file, fmt::format("it has no function {}", name),
         "export every function of triscope/attention.h; `triscope plugin new NAME` writes a library that does");
}

}  // namespace

PluginLibrary load_plugin_library(const std::filesystem::path& file, const std::string& sha256) {
  OpenFile opened(file);
  PluginLibrary loaded;
  loaded.file = file.string();
  loaded.sha256 = sha256_hex(MappedFile(opened.name()).bytes());
  if (loaded.sha256 != sha256) {
    refuse(file, fmt::format("its SHA-256 is {}, not {}", loaded.sha256.substr(0, 12), sha256.substr(0, 12)),
           "start a new sweep for the changed file");
  }
  if (const std::string fault = why_not_trusted(opened.name()); !fault.empty())
    refuse(file, fault, "let nobody else change what is run, or copy it into a folder of your own");
  SharedLibrary library;
  std::string why;
  if (!library.open(opened.name(), why)) refuse(file, fmt::format("it cannot be loaded ({})", why), fix_for(why));
  find(library, file, "triscope_attention_version", loaded.version);
  if (const std::uint32_t version = loaded.version(); version != TRISCOPE_ATTENTION_VERSION) {
    refuse(file,
           fmt::format("it has version {} of the interface, and this program {}", version, TRISCOPE_ATTENTION_VERSION),
           "compile it with the header of this program");
  }
  find(library, file, "triscope_kernel", loaded.kernel);
  find(library, file, "triscope_kernel_device", loaded.device);
  find(library, file, "triscope_kernel_version", loaded.kernel_version);
  find(library, file, "triscope_supported", loaded.supported);
  find(library, file, "triscope_workspace", loaded.workspace);
  find(library, file, "triscope_launch", loaded.launch);
  library.keep();
  opened.keep();
  return loaded;
}

}  // namespace triscope
