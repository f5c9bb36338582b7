#include "kernels/plugin/plugin_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "kernels/base/error.hpp"
#include "kernels/base/text/plain_text.hpp"
#include "kernels/plugin/c_problem.hpp"
#include "kernels/plugin/plugin_names.hpp"

namespace triscope {
namespace {

constexpr std::size_t kMostKernels = 16;
constexpr std::size_t kMostWorkspace = std::size_t{1} << 46;  // bytes, 64 TiB
constexpr std::size_t kHashDigits = 12;                       // of a source hash

[[noreturn]] void refuse(const PluginLibrary& library, const std::string& why, const std::string& fix) {
  throw Error(fmt::format("the kernel library '{}' cannot be used", library.file), why, fix, ExitCode::usage);
}

bool is_name(const std::string& text) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
  };
  return !text.empty() && text.size() <= kLongestPluginName && std::all_of(text.begin(), text.end(), allowed);
}

/// What the plug-in wrote into a buffer for a sentence: one line, ended where it ought to be.
std::string said(const std::array<char, TRISCOPE_REASON_SIZE>& reason) {
  const std::string text = plain_line(std::string(reason.data(), ::strnlen(reason.data(), reason.size())));
  return text.empty() ? "it does not say why" : text;
}

std::int32_t c_pass(Pass pass) { return pass == Pass::forward ? TRISCOPE_FORWARD : TRISCOPE_BACKWARD; }

class PluginKernel final : public Kernel {
 public:
  PluginKernel(const PluginLibrary& library, std::string id, std::string version, DeviceKind device)
      : library_(library) {
    info_.id = std::move(id);
    info_.name = fmt::format("{} {} (plug-in)", info_.id, version);
    info_.card = {.label = info_.id, .short_label = info_.id};
    info_.device = device;
    const std::string hash = library.sha256.substr(0, kHashDigits);
    info_.source_hash = {hash, hash};
    info_.instances = {std::move(version)};
    info_.library = library.file;
  }
  const KernelInfo& info() const override { return info_; }

  std::optional<std::string> unsupported(const Problem& problem, Pass pass) const override {
    if (problem.form != Form::trilinear && problem.form != Form::determinant)
      return fmt::format("{} is a plug-in, and those compute no {}", info_.id, to_string(problem.form));
    const triscope_problem c = c_problem(problem);
    std::array<char, TRISCOPE_REASON_SIZE> reason{};
    if (library_.supported(info_.id.c_str(), &c, c_pass(pass), reason.data(), reason.size()) == TRISCOPE_OK)
      return std::nullopt;
    return said(reason);
  }

  /// Asked once of each problem: a launch is told of what was allocated, whatever the plug-in would say by then.
  std::size_t workspace_bytes(const Problem& problem, Pass pass, std::string_view) const override {
    const std::lock_guard lock(mutex_);
    const auto known = std::find_if(answers_.rbegin(), answers_.rend(), [&](const Answer& answer) {
      return answer.pass == pass && answer.problem == problem;
    });
    if (known != answers_.rend()) return known->bytes;
    answers_.push_back({problem, pass, ask_workspace(problem, pass)});
    return answers_.back().bytes;
  }

  void launch(const Problem& problem, Pass pass, std::string_view instance, const Arguments& a) const override {
    const triscope_problem c = c_problem(problem);
    triscope_tensors t{};
    t.size = sizeof t;
    t.q = a.q, t.k1 = a.k1, t.k2 = a.k2, t.v1 = a.v1, t.v2 = a.v2, t.sink = a.sink, t.o = a.o, t.lse = a.lse;
    t.grad_o = a.grad_o, t.grad_q = a.grad_q, t.grad_sink = a.grad_sink;
    t.grad_k1 = a.grad_k1, t.grad_k2 = a.grad_k2, t.grad_v1 = a.grad_v1, t.grad_v2 = a.grad_v2;
    t.workspace = a.workspace, t.lse_state = a.lse_in_bf16;
    t.workspace_bytes = a.workspace == nullptr ? 0 : workspace_bytes(problem, pass, instance);
    std::array<char, TRISCOPE_REASON_SIZE> reason{};
    require(library_.launch(info_.id.c_str(), &c, c_pass(pass), &t, a.stream, reason.data(), reason.size()), reason);
  }

 private:
  struct Answer {
    Problem problem;
    Pass pass = Pass::forward;
    std::size_t bytes = 0;
  };

  std::size_t ask_workspace(const Problem& problem, Pass pass) const {
    const triscope_problem c = c_problem(problem);
    std::array<char, TRISCOPE_REASON_SIZE> reason{};
    std::size_t bytes = 0;
    require(library_.workspace(info_.id.c_str(), &c, c_pass(pass), &bytes, reason.data(), reason.size()), reason);
    if (bytes > kMostWorkspace) {
      throw Error(fmt::format("{} cannot be launched", info_.id),
                  fmt::format("it asks for {} bytes of workspace, more than a device has", bytes),
                  "mend the plug-in, or leave this problem out");
    }
    return bytes;
  }

  void require(triscope_status status, const std::array<char, TRISCOPE_REASON_SIZE>& reason) const {
    if (status == TRISCOPE_OK) return;
    // The kernel may be a library of somebody's or a function of Python.
    const std::string code = status == TRISCOPE_FAILED ? "" : fmt::format(" with code {}", static_cast<int>(status));
    throw Error(fmt::format("{} failed{}", info_.id, code), said(reason), "mend it, or leave this problem out");
  }

  PluginLibrary library_;
  KernelInfo info_;
  mutable std::mutex mutex_;
  mutable std::vector<Answer> answers_;
};

/// Text of the plug-in, which may be null.
std::string text_of(const char* text) { return text == nullptr ? "" : std::string(text, ::strnlen(text, 256)); }

std::string checked_id(const PluginLibrary& library, const char* given, const std::set<std::string>& known) {
  const std::string id = text_of(given);
  if (!is_name(id)) {
    refuse(library, fmt::format("'{}' is no id of a kernel", plain_line(id)),
           fmt::format("use up to {} of a-z, 0-9, '.', '_' and '-'", kLongestPluginName));
  }
  if (is_own_id(id))
    refuse(library, fmt::format("its kernel is called {}, as Triscope's own are", id), "give it an id of its own");
  if (known.contains(id)) refuse(library, fmt::format("it lists {} twice", id), "give each kernel an id of its own");
  return id;
}

}  // namespace

std::vector<std::unique_ptr<Kernel>> make_plugin_kernels(const PluginLibrary& library) {
  std::vector<std::unique_ptr<Kernel>> list;
  std::set<std::string> known;
  for (std::size_t index = 0; const char* given = library.kernel(index); ++index) {
    if (index == kMostKernels)
      refuse(library, fmt::format("it lists more than {} kernels", kMostKernels), "return NULL after the last");
    const std::string id = checked_id(library, given, known);
    const std::string version = text_of(library.kernel_version(id.c_str()));
    if (!is_name(version)) {
      refuse(library, fmt::format("{} has the version '{}'", id, plain_line(version)),
             "return a short one from triscope_kernel_version, such as 1.0");
    }
    const std::int32_t device = library.device(id.c_str());
    if (device != TRISCOPE_CPU && device != TRISCOPE_CUDA) {
      refuse(library, fmt::format("{} runs on device {}", id, device), "return TRISCOPE_CPU or TRISCOPE_CUDA");
    }
    known.insert(id);
    list.push_back(std::make_unique<PluginKernel>(library, id, version,
                                                  device == TRISCOPE_CPU ? DeviceKind::cpu : DeviceKind::cuda));
  }
  if (list.empty()) refuse(library, "it lists no kernel", "return an id from triscope_kernel(0)");
  return list;
}

}  // namespace triscope
