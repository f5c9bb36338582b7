// TensorArchive on mutated .npz and .pt files: an `Error`, or tensors that can be read. Most mutations are made before
// the archive is put together, since a checksum would end them at the door.
#include <gtest/gtest.h>

#include <array>

#include "kernels/base/error.hpp"
#include "kernels/tensors/tensor_archive.hpp"
#include "kernels/tensors/tensor_file.hpp"
#include "tests/fuzz/corpus.hpp"
#include "tests/fuzz/outcome.hpp"
#include "tests/kernels/tensors/archive_bytes.hpp"

namespace triscope {
namespace {

using archive_bytes::Made;
using archive_bytes::Member;
using archive_bytes::Writer;

void read_archive(const std::string& bytes, Outcome& outcome) {
  const std::vector<std::byte> file = exact_copy(bytes);
  try {
    TensorArchive archive(file);
    for (std::size_t i = 0; i < archive.tensors().size(); ++i) {
      const TensorView& view = archive.load(i);
      std::int64_t product = 1;
      for (const std::int64_t size : view.shape) {
        ASSERT_GE(size, 0);
        product *= size;
      }
      if (view.element == FileElement::other) continue;  // refused when it is read
      ASSERT_EQ(view.elements(), product);
      ASSERT_EQ(read_floats(view).size(), static_cast<std::size_t>(product));
    }
    outcome.accept();
  } catch (const Error& error) {
    outcome.refuse(error);
  }
}

constexpr std::array<std::string_view, 12> kZipTokens = {"PK\x01\x02", "PK\x03\x04",       "PK\x05\x06", "PK\x06\x06",
                                                         "PK\x06\x07", "\xFF\xFF\xFF\xFF", "\xFF\xFF",   "q.npy",
                                                         "t/data/0",   "{'descr'",         "(2, 3)",     "\x93NUMPY"};

// Wrong in one place: what is said of a file. One change of a byte seldom hits these fields.
void mutate_member(Member& member, FuzzRandom& random) {
  constexpr std::array<std::uint64_t, 8> kHurtful = {0, 1, 8, 12, 0x40, 0x7FFFFFFF, 0xFFFFFFFF, std::uint64_t{1} << 40};
  const std::uint64_t number = random.one_in(2) ? kHurtful[random.below(kHurtful.size())] : random.below(400);
  const std::array fields = {&member.size, &member.crc, &member.flags, &member.method, &member.disk, &member.local};
  switch (random.below(8)) {
    case 6:
      member.zip64 = true;
      member.extra = archive_bytes::little(random.below(3), 2) + archive_bytes::little(random.below(30), 2) +
                     std::string(random.below(30), '\0');
      break;
    case 7:
      member.packed = member.deflated ? archive_bytes::deflated_raw(member.data) : member.data;
      if (random.one_in(4)) {
        *member.packed += 'x';
      } else {
        mutate(*member.packed, kZipTokens, random);
      }
      break;
    default:
      *fields[random.below(fields.size())] = number;
  }
}

std::string mutated_npz(FuzzRandom& random) {
  std::string head = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
  head.resize(70, ' ');
  std::string array = std::string("\x93NUMPY\x01\x00\x46\x00", 10) + head + std::string(24, '\x3F');
  if (random.one_in(3)) mutate(array, kZipTokens, random);
  std::vector<Member> members{{"q.npy", array, random.one_in(2)},
                              {"k1.npy", archive_bytes::npy("<f2", "(2,)", "1234"), random.one_in(2)}};
  if (random.one_in(8)) members[1].name = random.one_in(2) ? "q.npy" : "k1.txt";
  if (random.one_in(2)) mutate_member(members[random.below(members.size())], random);
  std::string file = archive_bytes::zip(members, random.one_in(2) ? Writer::numpy : Writer::torch);
  if (random.one_in(4)) mutate(file, kZipTokens, random);
  return file;
}

constexpr std::array<std::string_view, 24> kPickleTokens = {"\x80\x02",
                                                            "}",
                                                            "(",
                                                            ")",
                                                            "t",
                                                            "\x85",
                                                            "\x86",
                                                            "\x87",
                                                            "N",
                                                            "\x88",
                                                            "K\x05",
                                                            "Q",
                                                            "R",
                                                            "b",
                                                            "s",
                                                            "u",
                                                            "q\x01",
                                                            "h\x01",
                                                            "ctorch\nFloatStorage\n",
                                                            "ccollections\nOrderedDict\n",
                                                            "ctorch._utils\n_rebuild_tensor_v2\n",
                                                            "cos\nsystem\n",
                                                            "X\x02\x00\x00",
                                                            "."};

std::int64_t mutated_size(std::int64_t usual, FuzzRandom& random) {
  constexpr std::array<std::int64_t, 8> kHurtful = {-1, 0, 1, 2, 7, 1 << 30, std::int64_t{1} << 62, INT64_MAX};
  return random.one_in(12) ? kHurtful[random.below(kHurtful.size())] : usual;
}

std::string mutated_pt(FuzzRandom& random) {
  const auto size = [&random](std::int64_t usual) { return mutated_size(usual, random); };
  Made q{
      "0", random.one_in(8) ? "HalfStorage" : "FloatStorage", size(6), size(0), {size(2), size(3)}, {size(3), size(1)}};
  if (random.one_in(2)) q.strides = {size(1), size(2)};
  if (random.one_in(8)) q.strides.push_back(size(1));
  if (random.one_in(30)) q.shape = {4, 3}, q.strides = {0, 1};  // expanded
  if (random.one_in(16)) q.storage = random.one_in(2) ? "7" : "../0";
  const Made k{"1", "BFloat16Storage", 2, 0, {2}, {1}};
  using archive_bytes::text;
  std::string body = archive_bytes::dict({text("q"), q, text("k1"), k, text("epoch"), archive_bytes::integer(3)});
  switch (random.below(8)) {
    case 0:
      body = archive_bytes::dict({text("model"), body, text(random.one_in(2) ? "q" : "model"), q});
      break;
    case 1:
      body = archive_bytes::dict({text("a"), "}q\x01", text("b"), random.one_in(2) ? "h\x01" : std::string(k)});
      break;
    case 2:
      body = random.one_in(2) ? std::string(k) : archive_bytes::dict({"K\x01", k});
      if (random.one_in(3)) body = archive_bytes::integer(1);
      break;
    case 3:
      body = archive_bytes::dict({text("type"), archive_bytes::global("torch", "HalfStorage"), text("q"), q});
      break;
    case 4:
      body = archive_bytes::dict({text("k1"), k, text(random.one_in(2) ? "k1" : "k2"), k});
      break;
    default:
      break;
  }
  if (random.one_in(3)) mutate(body, kPickleTokens, random);
  std::string pickle = archive_bytes::pickle(body);
  if (random.one_in(10)) mutate(pickle, kPickleTokens, random);
  std::vector<Member> members{
      {"t/data.pkl", pickle, random.one_in(4)}, {"t/data/0", std::string(24, '\x3F')}, {"t/data/1", "1234"}};
  if (random.one_in(30)) members.push_back({random.one_in(2) ? "t/constants.pkl" : "t/byteorder", "big"});
  std::string file = archive_bytes::zip(members, Writer::torch);
  if (random.one_in(10)) mutate(file, kZipTokens, random);
  return file;
}

TEST(Fuzz, npz_files_are_read_or_refused) {
  Outcome outcome({"truncated",
                   "not at its end",
                   "does not fill the place",
                   "directory is damaged",
                   "is encrypted",
                   "unknown flags",
                   "packed by method",
                   "two sizes",
                   "which deflate cannot do",
                   "lacks its ZIP64",
                   "ZIP64 record",
                   "ZIP64 field of",
                   "one part",
                   "two files are called",
                   "overlaps",
                   "not where the directory says",
                   "disagree",
                   "checksum",
                   "ends too early",
                   "cannot be unpacked",
                   "does not unpack to",
                   "is no array",
                   "of \"q.npy\": "});
  check_corpus("npz", [&](const std::string& bytes) { read_archive(bytes, outcome); });
  outcome.expect_variety(for_each_fuzz_input([&](FuzzRandom& random) { read_archive(mutated_npz(random), outcome); }));
}

TEST(Fuzz, pt_files_are_read_or_refused) {
  Outcome outcome({"does not begin like a pickle",
                   "protocol",
                   "its pickle uses",
                   "asks for the Python object",
                   "does not end with one object",
                   "truncated",
                   "more from its stack",
                   "lacks a mark",
                   "recalls",
                   "64 bits",
                   "lacks a dict",
                   "lacks a storage",
                   "is no number",
                   "fewer than no elements",
                   "arguments of a call",
                   "no function",
                   "too little or too much",
                   "overflows",
                   "out of its storage",
                   "leaves its storage",
                   "was expanded",
                   "strides of another number",
                   "what is no tensor",
                   "dict twice",
                   "two tensors are called",
                   "is no text",
                   "no dict of them",
                   "no dict of tensors",
                   "is not there",
                   "needs",
                   "big-endian",
                   "TorchScript"});
  check_corpus("pt", [&](const std::string& bytes) { read_archive(bytes, outcome); });
  outcome.expect_variety(for_each_fuzz_input([&](FuzzRandom& random) { read_archive(mutated_pt(random), outcome); }));
}

}  // namespace
}  // namespace triscope
