// A library with the six functions of cuBLAS that the product needs; column-major, on the host, bf16. A product of less
// than kSmallest is refused with its size as the status.
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace {

float widen(std::uint16_t bits) {
  const std::uint32_t wide = static_cast<std::uint32_t>(bits) << 16;
  float value;
  std::memcpy(&value, &wide, sizeof(value));
  return value;
}
std::uint16_t narrow(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return static_cast<std::uint16_t>((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16);
}

constexpr int kSmallest = 20;
int handle = 0;
bool stream_set = false, workspace_set = false;

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): the library's names
extern "C" {
int cublasCreate_v2(void** to) { return *to = &handle, 0; }
int cublasSetStream_v2(void*, void* stream) { return stream_set = stream != nullptr, 0; }
int cublasSetWorkspace_v2(void*, void* memory, std::size_t bytes) {
  return workspace_set = memory != nullptr && bytes == std::size_t{32} << 20, 0;
}
int cublasGetProperty(int which, int* value) { return *value = which == 0 ? 13 : which, 0; }
const char* cublasGetStatusString(int) { return "CUBLAS_STATUS_OF_THE_FAKE"; }
#ifndef FAKE_WITHOUT_PRODUCT
int cublasGemmEx(void* of, int transpose_a, int transpose_b, int m, int n, int k, const float* alpha,
                 const std::uint16_t* a, int a_type, int lda, const std::uint16_t* b, int b_type, int ldb,
                 const float* beta, std::uint16_t* c, int c_type, int ldc, int compute, int algorithm) {
  if (of != &handle || !stream_set || !workspace_set || transpose_a != 0 || transpose_b != 0 || a_type != 14 ||
      b_type != 14 || c_type != 14 || *alpha != 1 || *beta != 0 || compute != 68 || algorithm != -1) {
    return 7;
  }
  if (m < kSmallest) return m;
  for (int column = 0; column < n; ++column) {
    for (int row = 0; row < m; ++row) {
      float sum = 0;
      for (int l = 0; l < k; ++l)
        sum += widen(a[row + static_cast<std::ptrdiff_t>(l) * lda]) *
               widen(b[l + static_cast<std::ptrdiff_t>(column) * ldb]);
      c[row + static_cast<std::ptrdiff_t>(column) * ldc] = narrow(sum);
    }
  }
  return 0;
}
#endif
}
// NOLINTEND(readability-identifier-naming)
