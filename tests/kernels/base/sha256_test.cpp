#include "kernels/base/sha256.hpp"

#include <gtest/gtest.h>

#include <string_view>

namespace triscope {
namespace {

std::string hash_of(std::string_view text) { return sha256_hex(std::as_bytes(std::span(text.data(), text.size()))); }

// FIPS 180-4's examples (NIST, "Examples with Intermediate Values": SHA256.pdf and SHA2_Additional.pdf).
TEST(Sha256, digests_are_those_that_nist_publishes) {
  EXPECT_EQ(hash_of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hash_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hash_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(hash_of(std::string(1'000'000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, nothing_at_all_has_a_digest) { EXPECT_EQ(sha256_hex({}), hash_of("")); }

}  // namespace
}  // namespace triscope
