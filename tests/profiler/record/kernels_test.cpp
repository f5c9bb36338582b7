// What the kernels of this build say about themselves.
#include <gmock/gmock.h>

#include "kernels/registry/registry.hpp"
#include "tests/profiler/record/kernel_cards.hpp"

namespace triscope {
namespace {

using testing::MatchesRegex;

TEST(Kernels, each_brings_its_label_and_two_share_none) {
  std::map<std::string, std::string> labels;
  for (const auto& kernel : all_kernels()) {
    const KernelInfo& info = kernel->info();
    EXPECT_FALSE(info.card.label.empty() || info.card.short_label.empty()) << info.id;
    EXPECT_TRUE(labels.emplace(info.card.label, info.id).second) << info.id << " and " << labels[info.card.label];
    if (!kernel_cards().contains(info.id)) continue;  // a kernel that came later
    EXPECT_EQ(info.card, card_of(info.id)) << "tests and the migration to schema 3 show it otherwise: " << info.id;
  }
}

TEST(Kernels, each_pass_has_the_hash_of_its_sources) {
  for (const auto& kernel : all_kernels()) {
    const KernelInfo& info = kernel->info();
    EXPECT_THAT(info.source_hash.forward, MatchesRegex("([0-9a-f]{12})?")) << info.id;
    EXPECT_THAT(info.source_hash.backward, MatchesRegex("([0-9a-f]{12})?")) << info.id;
    EXPECT_FALSE(info.source_hash.forward.empty() && info.source_hash.backward.empty()) << info.id;
    if (!kernel_cards().contains(info.id)) continue;  // a kernel that came later may have one pass
    EXPECT_EQ(info.source_hash.backward.empty(), info.card.kind == KernelKind::gemm) << info.id;
  }
}

}  // namespace
}  // namespace triscope
