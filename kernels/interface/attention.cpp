// The functions of include/triscope/attention.h, over the kernels of the CPU. Those for GPUs join `kernels_of_library`
// once they have been run through this interface on one.
#include "include/triscope/attention.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "kernels/cpu/fast.hpp"
#include "kernels/interface/translate.hpp"
#include "kernels/reference/oracle_kernel.hpp"

namespace triscope::c_interface {
namespace {

// Built at the first call, constant from then on.
const std::vector<std::unique_ptr<Kernel>>& kernels_of_library() {
  static const std::vector<std::unique_ptr<Kernel>> kernels = [] {
    std::vector<std::unique_ptr<Kernel>> list;
    list.push_back(make_cpu_fast());
    list.push_back(make_cpu_oracle());
    return list;
  }();
  return kernels;
}

const Kernel& require_kernel(const char* id) {
  const auto& kernels = kernels_of_library();
  if (id == nullptr) return *kernels.front();
  std::vector<std::string> ids;
  for (const auto& kernel : kernels) {
    if (kernel->info().id == id) return *kernel;
    ids.push_back(kernel->info().id);
  }
  throw Refusal(TRISCOPE_ARGUMENT,
                fmt::format("There is no kernel \"{}\" in this library; choose one of: {}.", id, fmt::join(ids, ", ")));
}

// What a call names, understood and found possible.
struct Call {
  const Kernel& kernel;
  Problem problem;
  Pass pass;
  std::string instance;
};

Call read_call(const char* id, const triscope_problem* problem, std::int32_t pass) {
  Call call{require_kernel(id), read_problem(problem), read_pass(pass), {}};
  const auto refuse = [&](const std::string& reason) {
    throw Refusal(TRISCOPE_UNSUPPORTED,
                  fmt::format("{} cannot run this problem: {}; change that, or choose another kernel.",
                              call.kernel.info().id, reason));
  };
  if (const auto reason = call.kernel.unsupported(call.problem, call.pass)) refuse(*reason);
  call.instance = call.kernel.choose_instance(call.problem, call.pass);
  if (const auto reason = call.kernel.unsupported(call.problem, call.pass, call.instance)) refuse(*reason);
  return call;
}

void write_reason(const char* sentence, char* reason, std::size_t reason_size) {
  if (reason == nullptr || reason_size == 0) return;
  const std::size_t length = std::min(std::strlen(sentence), reason_size - 1);
  std::memcpy(reason, sentence, length);
  reason[length] = '\0';
}

// Runs `action`; whatever it throws becomes a code and a sentence.
template <typename Action>
triscope_status guarded(char* reason, std::size_t reason_size, const Action& action) {
  write_reason("", reason, reason_size);
  try {
    action();
    return TRISCOPE_OK;
  } catch (const Refusal& refusal) {
    write_reason(refusal.what(), reason, reason_size);
    return refusal.status();
  } catch (const std::bad_alloc&) {
    write_reason("There is not enough memory for this launch; free some, or choose a smaller problem.", reason,
                 reason_size);
  } catch (const std::exception& error) {
    write_reason(error.what(), reason, reason_size);
  } catch (...) {
    write_reason("The kernel failed without saying why; run `triscope check` on this machine.", reason, reason_size);
  }
  return TRISCOPE_FAILED;
}

}  // namespace
}  // namespace triscope::c_interface

using namespace triscope::c_interface;

uint32_t triscope_attention_version(void) { return TRISCOPE_ATTENTION_VERSION; }

const char* triscope_kernel(size_t index) {
  const auto& kernels = kernels_of_library();
  return index < kernels.size() ? kernels[index]->info().id.c_str() : nullptr;
}

triscope_status triscope_supported(const char* kernel, const triscope_problem* problem, int32_t pass, char* reason,
                                   size_t reason_size) {
  return guarded(reason, reason_size, [&] { read_call(kernel, problem, pass); });
}

triscope_status triscope_workspace(const char* kernel, const triscope_problem* problem, int32_t pass, size_t* bytes,
                                   char* reason, size_t reason_size) {
  return guarded(reason, reason_size, [&] {
    if (bytes == nullptr) throw Refusal(TRISCOPE_ARGUMENT, "The address for the bytes is NULL; pass one.");
    const Call call = read_call(kernel, problem, pass);
    *bytes = call.kernel.workspace_bytes(call.problem, call.pass, call.instance);
  });
}

triscope_status triscope_launch(const char* kernel, const triscope_problem* problem, int32_t pass,
                                const triscope_tensors* tensors, void* stream, char* reason, size_t reason_size) {
  return guarded(reason, reason_size, [&] {
    const Call call = read_call(kernel, problem, pass);
    if (stream != nullptr && call.kernel.info().device == triscope::DeviceKind::cpu) {
      throw Refusal(TRISCOPE_ARGUMENT, fmt::format("{} runs on the CPU, which has no streams; pass NULL as the stream.",
                                                   call.kernel.info().id));
    }
    triscope::Arguments arguments = read_tensors(tensors, call.kernel, call.problem, call.pass, call.instance);
    arguments.stream = stream;
    call.kernel.launch(call.problem, call.pass, call.instance, arguments);
  });
}
