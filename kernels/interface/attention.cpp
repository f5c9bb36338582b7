// The functions of include/triscope/attention.h.
#include "include/triscope/attention.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "kernels/base/error.hpp"
#include "kernels/interface/call.hpp"
#include "kernels/interface/kernel_list.hpp"
#include "kernels/interface/refusal.hpp"

namespace triscope::c_interface {
namespace {

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
  } catch (const triscope::Error& error) {
    write_reason(error.what(), reason, reason_size);
    if (error.code() == triscope::ExitCode::usage) return TRISCOPE_ARGUMENT;
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
  const char* id = nullptr;
  guarded(nullptr, 0, [&] { id = index < offers().size() ? offers()[index].id.c_str() : nullptr; });
  return id;
}

int32_t triscope_kernel_device(const char* kernel) {
  int32_t device = -1;
  guarded(nullptr, 0,
          [&] { device = require_offer(kernel).device == triscope::DeviceKind::cpu ? TRISCOPE_CPU : TRISCOPE_CUDA; });
  return device;
}

const char* triscope_kernel_version(const char* kernel) {
  return guarded(nullptr, 0, [&] { require_offer(kernel); }) == TRISCOPE_OK ? TRISCOPE_VERSION : nullptr;
}

triscope_status triscope_supported(const char* kernel, const triscope_problem* problem, int32_t pass, char* reason,
                                   size_t reason_size) {
  return guarded(reason, reason_size, [&] { prepare(kernel, problem, pass); });
}

triscope_status triscope_workspace(const char* kernel, const triscope_problem* problem, int32_t pass, size_t* bytes,
                                   char* reason, size_t reason_size) {
  return guarded(reason, reason_size, [&] {
    if (bytes == nullptr) throw Refusal(TRISCOPE_ARGUMENT, "The address for the bytes is NULL; pass one.");
    *bytes = prepare(kernel, problem, pass).workspace_bytes;
  });
}

triscope_status triscope_launch(const char* kernel, const triscope_problem* problem, int32_t pass,
                                const triscope_tensors* tensors, void* stream, char* reason, size_t reason_size) {
  return guarded(reason, reason_size, [&] { run(prepare(kernel, problem, pass), tensors, stream); });
}

triscope_status triscope_prepare(const char* kernel, const triscope_problem* problem, int32_t pass, triscope_plan* plan,
                                 char* reason, size_t reason_size) {
  return guarded(reason, reason_size, [&] { write_plan(prepare(kernel, problem, pass), plan); });
}

triscope_status triscope_run(const triscope_plan* plan, const triscope_tensors* tensors, void* stream, char* reason,
                             size_t reason_size) {
  return guarded(reason, reason_size, [&] { run(read_plan(plan), tensors, stream); });
}
