// What the targets that read tensors share.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "kernels/base/error.hpp"

namespace triscope {

/// A copy on the heap with not a byte to spare, so that AddressSanitizer sees any read beyond its end.
inline std::vector<std::byte> exact_copy(const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

/// What became of the inputs: a fuzzer whose inputs are all refused at the first byte tests nothing.
class Outcome {
 public:
  // Every one of `reasons` must have been a part of some refusal in the end.
  explicit Outcome(std::set<std::string> reasons) : missing_(std::move(reasons)) {}

  void accept() { ++accepted_; }
  void refuse(const Error& error) {
    ASSERT_EQ(error.code(), ExitCode::usage);
    std::erase_if(missing_, [&](const std::string& reason) { return error.why().find(reason) != std::string::npos; });
  }
  void expect_variety(std::uint64_t inputs) const {
    constexpr std::uint64_t kEnough = 20'000;  // for each reason to come up; one that is run again has one
    if (inputs < kEnough) return;
    EXPECT_GE(accepted_, inputs / 20);
    EXPECT_THAT(missing_, testing::IsEmpty());
  }

 private:
  std::uint64_t accepted_ = 0;
  std::set<std::string> missing_;
};

}  // namespace triscope
