#include "profiler/worker/device/cupti_advice.hpp"

namespace triscope {

CuptiAdvice cupti_advice(int result) {
  switch (result) {
    case 14:  // CUPTI_ERROR_NOT_COMPATIBLE
    case 15:  // CUPTI_ERROR_NOT_INITIALIZED: the driver is too old, or libnvperf_host.so is missing beside libcupti
      return {"the driver or a part of CUPTI does not fit this version",
              "update the NVIDIA driver to 580 or later, and keep libnvperf_host.so beside libcupti.so.13"};
    case 23:  // CUPTI_ERROR_DISABLED
      return {"profiling is disabled on this machine", "ask who administers the machine to allow it"};
    case 26:  // CUPTI_ERROR_HARDWARE_BUSY
      return {"another program is reading this GPU's counters", "end the other program that profiles this GPU"};
    case 35:  // CUPTI_ERROR_INSUFFICIENT_PRIVILEGES
    case 40:  // CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES
      return {"the driver gives hardware counters to administrators only",
              "run as root or with CAP_PERFMON (in a container: --cap-add=PERFMON), or load the nvidia module with "
              "NVreg_RestrictProfilingToAdminUsers=0"};
    case 33:  // CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED
      return {"this is a virtual GPU that hides its counters",
              "enable profiling for the virtual GPU, or use a whole one"};
    case 39:  // CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED
      return {"another profiler is attached to the worker",
              "start Triscope without nsys, ncu, cuda-gdb, compute-sanitizer or an injected library"};
    case 41:  // CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED
      return {"confidential computing is on, and hides the counters", "use a GPU without confidential computing"};
    case 43:  // CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED
      return {"MIG is on: this is a slice of a GPU, and its counters cannot be read", "use a GPU without MIG"};
    case 45:  // CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED
      return {"this is the Windows Subsystem for Linux", "measure on Linux itself"};
    default:
      return {"", "measure without other profilers on a machine with a driver for CUDA 13"};
  }
}

}  // namespace triscope
