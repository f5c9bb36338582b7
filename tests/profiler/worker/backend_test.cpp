// What every backend can do with whole tensors; tests/cuda/tensor_kernels_check.cpp holds a GPU against it.
#include "profiler/worker/device/backend.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "kernels/attention/inputs.hpp"
#include "kernels/base/half.hpp"
#include "profiler/worker/device/cpu_backend.hpp"

namespace triscope {
namespace {

constexpr std::size_t kSeveralParts = (std::size_t{1} << 24) + 3;  // more than is copied at once

TEST(Backend, generates_what_fill_input_does) {
  CpuBackend backend;
  std::vector<float> wanted(kSeveralParts), made(kSeveralParts);
  fill_input(InputStream::k2, 7, Element::fp32, wanted);
  backend.generate(InputStream::k2, 7, Element::fp32, made.data(), made.size());
  EXPECT_TRUE(made == wanted);
  std::vector<std::uint16_t> bits(1001);
  backend.generate(InputStream::k2, 7, Element::bf16, bits.data(), bits.size());
  for (std::size_t n = 0; n < bits.size(); ++n) ASSERT_EQ(bits[n], bfloat16_from_float(wanted[n])) << n;
}

TEST(Backend, a_fingerprint_knows_every_byte_and_its_place) {
  CpuBackend backend;
  std::vector<std::uint8_t> bytes(203);
  for (std::size_t n = 0; n < bytes.size(); ++n) bytes[n] = static_cast<std::uint8_t>(n * n);
  const std::uint64_t before = backend.fingerprint(bytes.data(), bytes.size());
  EXPECT_EQ(backend.fingerprint(bytes.data(), bytes.size()), before);
  for (std::size_t n = 0; n < bytes.size(); ++n) {
    bytes[n] ^= 1;
    EXPECT_NE(backend.fingerprint(bytes.data(), bytes.size()), before) << n;
    bytes[n] ^= 1;
  }
  for (const auto& [one, other] : {std::pair(0, 4), std::pair(40, 120)}) {
    std::swap_ranges(bytes.begin() + one, bytes.begin() + one + 4, bytes.begin() + other);
    EXPECT_NE(backend.fingerprint(bytes.data(), bytes.size()), before) << "two words in each other's place";
    std::swap_ranges(bytes.begin() + one, bytes.begin() + one + 4, bytes.begin() + other);
  }
  EXPECT_EQ(backend.fingerprint(bytes.data(), 0), 0u);
}

TEST(Backend, finds_the_first_element_that_is_not_finite) {
  CpuBackend backend;
  std::vector<float> values(1000, 1);
  EXPECT_EQ(backend.first_not_finite(values.data(), Element::fp32, values.size()), values.size());
  values[700] = std::numeric_limits<float>::quiet_NaN();
  values[600] = -std::numeric_limits<float>::infinity();
  EXPECT_EQ(backend.first_not_finite(values.data(), Element::fp32, values.size()), 600u);
  std::vector<std::uint16_t> bits(1001, 0x3F80);
  EXPECT_EQ(backend.first_not_finite(bits.data(), Element::bf16, bits.size()), bits.size());
  bits[1000] = 0x7F80;
  EXPECT_EQ(backend.first_not_finite(bits.data(), Element::bf16, bits.size()), 1000u);
}

}  // namespace
}  // namespace triscope
