// How the kernels of schema 2 are shown, for tests that have none; kernels_test.cpp compares these with the kernels of
// the build. A kernel that came later needs no line.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "kernels/attention/kernel.hpp"

namespace triscope {

inline const std::map<std::string, KernelCard>& kernel_cards() {
  using enum KernelKind;
  static const std::map<std::string, KernelCard> cards{
      {"cpu.oracle", {"CPU oracle", "oracle", oracle, {}, {}}},
      {"cpu.fast", {"CPU", "CPU", simplicial, 0, {}}},
      {"cuda.portable", {"Portable", "portable", simplicial, 1, {}}},
      {"cuda.hopper", {"Hopper", "Hopper", simplicial, 0, {}}},
      {"baseline.fa3", {"FlashAttention-3", "FA3", dot_product, {}, 1}},
      {"baseline.cudnn", {"cuDNN", "cuDNN", dot_product, {}, 2}},
      {"baseline.cpu", {"CPU dot-product", "CPU dot", dot_product, {}, 3}},
      {"baseline.cublas", {"cuBLAS product", "cuBLAS", gemm, {}, {}}},
  };
  return cards;
}

/// The same for a store.
inline std::vector<KernelInfo> known_kernels() {
  std::vector<KernelInfo> kernels;
  for (const auto& [id, card] : kernel_cards()) kernels.push_back({.id = id, .card = card});
  return kernels;
}

/// Of a kernel that is not known: its id.
inline KernelCard card_of(const std::string& kernel) {
  const auto known = kernel_cards().find(kernel);
  return known == kernel_cards().end() ? KernelCard{kernel, kernel, KernelKind::simplicial, {}, {}} : known->second;
}

}  // namespace triscope
