// parse_safetensors and parse_npy on mutated files: an `Error`, or views that can be read.
#include <gtest/gtest.h>

#include <array>

#include "kernels/base/error.hpp"
#include "kernels/tensors/tensor_file.hpp"
#include "tests/fuzz/corpus.hpp"
#include "tests/fuzz/outcome.hpp"

namespace triscope {
namespace {

std::string little_endian(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text.push_back(static_cast<char>(value >> (8 * i) & 0xFF));
  return text;
}

// Everything a caller may do with a view that a parser returned.
void use(const TensorView& view, std::span<const std::byte> file) {
  if (!view.data.empty()) {
    ASSERT_GE(view.data.data(), file.data());
    ASSERT_LE(view.data.data() + view.data.size(), file.data() + file.size());
  }
  if (view.element == FileElement::other) {  // its size is not known; it is refused when it is read
    read_floats(view);
    FAIL();
  }
  std::int64_t product = 1;
  for (std::int64_t size : view.shape) {
    ASSERT_GE(size, 0);
    product *= size;
  }
  ASSERT_EQ(view.elements(), product);
  ASSERT_EQ(read_floats(view).size(), static_cast<std::size_t>(product));
}

constexpr std::array<std::string_view, 18> kSafetensorsTokens = {"{",         "}",         "[",
                                                                 "]",         ",",         ":",
                                                                 "\"dtype\"", "\"shape\"", "\"data_offsets\"",
                                                                 "\"F32\"",   "\"F64\"",   "\"BF16\"",
                                                                 "\"I64\"",   "\"U8\"",    "\"__metadata__\"",
                                                                 "null",      "\\u0000",   "{\"a\":[{"};

constexpr std::array<std::string_view, 4> kSafetensorsHeaders = {
    R"({"__metadata__":{"format":"pt"},"q":{"dtype":"BF16","shape":[2,3],"data_offsets":[0,12]},)"
    R"("k1":{"dtype":"F32","shape":[3],"data_offsets":[12,24]}}  )",
    R"({"a":{"dtype":"F64","shape":[1],"data_offsets":[0,8]},"b":{"dtype":"I64","shape":[],"data_offsets":[8,16]},)"
    R"("c":{"dtype":"F16","shape":[0,9],"data_offsets":[16,16]},"d":{"dtype":"I32","shape":[2],"data_offsets":[16,24]}})",
    R"({"x":{"dtype":"F32","shape":[2,1,3],"data_offsets":[0,24]}})",
    // Wrong to begin with: one change is seldom enough for an overlap.
    R"({"x":{"dtype":"F32","shape":[4],"data_offsets":[0,16]},"y":{"dtype":"F32","shape":[4],"data_offsets":[8,24]}})"};

// Header and data apart, so that most inputs have a right length before their header and reach the parser behind it.
std::string mutated_safetensors(FuzzRandom& random) {
  std::string header(kSafetensorsHeaders[random.below(kSafetensorsHeaders.size())]);
  std::string data(24, '\x3F');
  switch (random.below(4)) {
    case 0:
      mutate_number(header, random);
      break;
    case 1:
      data.resize(random.one_in(2) ? data.size() : random.below(40));
      break;
    default:
      mutate(header, kSafetensorsTokens, random);
      break;
  }
  std::string file = little_endian(header.size(), 8) + header + data;
  if (random.one_in(4)) mutate(file, kSafetensorsTokens, random);
  return file;
}

constexpr std::array<std::string_view, 18> kNpyTokens = {"{",       "}",
                                                         "(",       ")",
                                                         ",",       ":",
                                                         "'",       "\"",
                                                         "'descr'", "'fortran_order'",
                                                         "'shape'", "'<f8'",
                                                         "'>f4'",   "'<V2'",
                                                         "True",    "False",
                                                         "L",       "[('a', '<f4')]"};

std::string mutated_npy(FuzzRandom& random) {
  static constexpr std::array<std::string_view, 3> kHeaders = {
      "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }     \n",
      "{\"shape\": (12L,), 'fortran_order': False, 'descr': '<f2'}",
      "{'descr': '<i8', 'fortran_order': True, 'shape': (3,)}"};
  std::string header(kHeaders[random.below(kHeaders.size())]);
  std::string data(24, '\x3F');
  switch (random.below(4)) {
    case 0:
      mutate_number(header, random);
      break;
    case 1:
      data.resize(random.one_in(2) ? data.size() : random.below(40));
      break;
    default:
      mutate(header, kNpyTokens, random);
      break;
  }
  const bool version_1 = random.one_in(2);
  std::string file = std::string("\x93NUMPY") + (version_1 ? '\x01' : '\x02') + '\0' +
                     little_endian(header.size(), version_1 ? 2 : 4) + header + data;
  if (random.one_in(4)) mutate(file, kNpyTokens, random);
  return file;
}

TEST(Fuzz, safetensors_are_read_or_refused) {
  Outcome outcome({"too short", "does not begin with the length", "truncated", "not a JSON", "not a JSON object",
                   "out of range", "twice", "is not an object", "no dtype", "not supported", "no shape",
                   "not a list of sizes", "overflows", "no data_offsets", "not a beginning and an end", "does not take",
                   "overlaps", "unused bytes", "belong to no tensor"});
  const auto check = [&](const std::string& bytes) {
    const std::vector<std::byte> file = exact_copy(bytes);
    try {
      for (const TensorView& view : parse_safetensors(file)) use(view, file);
      outcome.accept();
    } catch (const Error& error) {
      outcome.refuse(error);
    }
  };
  check_corpus("safetensors", check);
  outcome.expect_variety(for_each_fuzz_input([&](FuzzRandom& random) { check(mutated_safetensors(random)); }));
}

TEST(Fuzz, npy_files_are_read_or_refused) {
  Outcome outcome({"does not begin", "truncated", "version", "beyond its end", "not a Python dict", "twice",
                   "unknown entry", "lacks descr", "lacks a string", "does not end", "neither True nor False",
                   "records", "goes on after its dict", "Fortran", "big-endian", "not supported", "no tuple",
                   "overflows", "bytes follow"});
  const auto check = [&](const std::string& bytes) {
    const std::vector<std::byte> file = exact_copy(bytes);
    try {
      use(parse_npy(file, "array"), file);
      outcome.accept();
    } catch (const Error& error) {
      outcome.refuse(error);
    }
  };
  check_corpus("npy", check);
  outcome.expect_variety(for_each_fuzz_input([&](FuzzRandom& random) { check(mutated_npy(random)); }));
}

}  // namespace
}  // namespace triscope
