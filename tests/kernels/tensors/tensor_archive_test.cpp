// .npz and .pt files: what numpy and PyTorch write, and what is refused.
#include "kernels/tensors/tensor_archive.hpp"

#include <gmock/gmock.h>

#include <cstring>

#include "kernels/base/error.hpp"
#include "kernels/tensors/tensor_file.hpp"
#include "tests/kernels/tensors/archive_bytes.hpp"
#include "tests/temporary_folder.hpp"

namespace triscope {
namespace {

using namespace archive_bytes;
using testing::ElementsAre;
using testing::HasSubstr;

std::string words(std::initializer_list<float> values) {
  std::string bytes;
  for (float value : values) bytes.append(reinterpret_cast<const char*>(&value), sizeof(float));
  return bytes;
}

/// Everything that a reader of the file does.
std::string why_archive_fails(const std::string& bytes) {
  try {
    TensorArchive archive(std::as_bytes(std::span(bytes)));
    for (std::size_t i = 0; i < archive.tensors().size(); ++i) archive.load(i);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    return error.why();
  }
  return "it does not fail";
}

std::string two_floats() { return npy("<f4", "(2,)", words({1, -2})); }

std::string replaced(std::string text, const std::string& what, const std::string& with, std::size_t from = 0) {
  const std::size_t at = text.find(what, from);
  if (at == std::string::npos) throw std::runtime_error("nothing to replace");
  return text.replace(at, what.size(), with);
}

TEST(TensorArchive, reads_stored_and_packed_arrays) {
  for (const bool deflated : {false, true}) {
    const std::string bytes = zip({{"layer/q.npy", two_floats(), deflated},
                                   {"k1.npy", npy("<f2", "(1, 1)", "\x01\x3C"), deflated},
                                   {"e.npy", npy("<f8", "(0, 3)", ""), deflated}});
    TensorArchive archive(std::as_bytes(std::span(bytes)));
    ASSERT_EQ(archive.tensors().size(), 3u);
    EXPECT_EQ(archive.tensors()[0].name, "layer/q");
    EXPECT_TRUE(archive.tensors()[0].data.empty()) << "nothing is unpacked before it is wanted";
    EXPECT_THAT(read_floats(archive.load(0)), ElementsAre(1, -2));
    EXPECT_THAT(archive.tensors()[1].shape, ElementsAre(1, 1));
    EXPECT_THAT(read_floats(archive.load(1)), ElementsAre(1.0009765625F));
    EXPECT_TRUE(read_floats(archive.load(2)).empty());
    const bool in_place =
        archive.tensors()[0].data.data() >= reinterpret_cast<const std::byte*>(bytes.data()) &&
        archive.tensors()[0].data.data() < reinterpret_cast<const std::byte*>(bytes.data() + bytes.size());
    EXPECT_EQ(in_place, !deflated) << "what is not packed is not copied";
  }
}

TEST(TensorArchive, understands_zip64) {
  const std::string bytes = zip({{.name = "q.npy", .data = two_floats(), .zip64 = true}});
  TensorArchive archive(std::as_bytes(std::span(bytes)));
  EXPECT_THAT(read_floats(archive.load(0)), ElementsAre(1, -2));
  EXPECT_THAT(why_archive_fails(replaced(bytes, little(1, 2) + little(24, 2), little(2, 2) + little(24, 2))),
              HasSubstr("lacks its ZIP64 field"));
  EXPECT_THAT(why_archive_fails(replaced(bytes, little(1, 2) + little(24, 2), little(1, 2) + little(20, 2))),
              HasSubstr("is too short"));
  EXPECT_THAT(why_archive_fails(replaced(bytes, little(1, 2) + little(24, 2), little(1, 2) + little(25, 2))),
              HasSubstr("extra fields"));
  EXPECT_THAT(why_archive_fails(
                  zip({{.name = "q.npy", .data = two_floats(), .extra = little(1, 2) + little(0, 2), .zip64 = true}})),
              HasSubstr("too short"));
  const std::string twice =
      little(1, 2) + little(24, 2) + little(two_floats().size(), 8) + little(two_floats().size(), 8) + little(0, 8);
  EXPECT_THAT(why_archive_fails(zip({{.name = "q.npy", .data = two_floats(), .extra = twice, .zip64 = true}})),
              HasSubstr("two ZIP64 fields"));
}

TEST(TensorArchive, refuses_a_damaged_directory) {
  const std::string good = zip({{"q.npy", two_floats()}, {"k1.npy", two_floats(), true}});
  ASSERT_EQ(why_archive_fails(good), "it does not fail");
  for (std::size_t size = 0; size < good.size(); ++size)
    ASSERT_NE(why_archive_fails(good.substr(0, size)), "it does not fail") << size;
  EXPECT_THAT(why_archive_fails("PK\x03\x04 and more"), HasSubstr("truncated"));
  EXPECT_THAT(why_archive_fails(good + "\n"), HasSubstr("not at its end"));
  EXPECT_THAT(why_archive_fails("x" + good), HasSubstr("does not fill the place"));
  EXPECT_THAT(why_archive_fails(replaced(good, "PK\x05\x06" + little(0, 4), "PK\x05\x06" + little(1, 4))),
              HasSubstr("one part of a larger"));
  EXPECT_THAT(
      why_archive_fails(replaced(good, little(2, 2) + little(2, 2), little(1, 2) + little(2, 2), good.size() - 22)),
      HasSubstr("end record is damaged"));
  EXPECT_THAT(
      why_archive_fails(replaced(good, little(2, 2) + little(2, 2), little(1, 2) + little(1, 2), good.size() - 22)),
      HasSubstr("directory is damaged"));
  EXPECT_THAT(
      why_archive_fails(replaced(good, little(2, 2) + little(2, 2), little(99, 2) + little(99, 2), good.size() - 22)),
      HasSubstr("more files"));
  EXPECT_THAT(why_archive_fails(replaced(good, "PK\x01\x02", "PK\x01\x09")), HasSubstr("directory is damaged"));
  EXPECT_THAT(why_archive_fails(zip({})), HasSubstr("holds nothing"));
}

TEST(TensorArchive, refuses_a_zip64_record_that_does_not_fit) {
  const std::string good = pt(dict({}), {});
  ASSERT_EQ(why_archive_fails(good), "it does not fail");
  const std::size_t record = good.find("PK\x06\x06"), locator = good.find("PK\x06\x07");
  const auto with = [&good](std::size_t at, const std::string& bytes) {
    return std::string(good).replace(at, bytes.size(), bytes);
  };
  EXPECT_THAT(why_archive_fails(with(locator + 8, little(3, 8))), HasSubstr("not where it says"));
  EXPECT_THAT(why_archive_fails(with(locator + 16, little(2, 4))), HasSubstr("one part"));
  EXPECT_THAT(why_archive_fails(with(record, "PK\x06\x05")), HasSubstr("ZIP64 record is damaged"));
  EXPECT_THAT(why_archive_fails(with(record + 4, little(UINT64_MAX, 8))), HasSubstr("ZIP64 record is damaged"));
  EXPECT_THAT(why_archive_fails(with(record + 24, little(UINT64_MAX, 8))), HasSubstr("ZIP64 record is damaged"));
  EXPECT_THAT(why_archive_fails(with(record + 48, little(UINT64_MAX, 8))), HasSubstr("two end records disagree"));
  EXPECT_THAT(why_archive_fails(with(locator, "PK\x06\x05")), HasSubstr("does not fill the place"));
}

TEST(TensorArchive, refuses_what_is_said_wrongly_of_a_file) {
  const auto one = [](Member member) { return why_archive_fails(zip({std::move(member)})); };
  EXPECT_THAT(one({.name = "q.npy", .data = two_floats(), .flags = 1}), HasSubstr("\"q.npy\" is encrypted"));
  EXPECT_THAT(one({.name = "q.npy", .data = two_floats(), .flags = 0x40}), HasSubstr("unknown flags 0x40"));
  EXPECT_THAT(one({.name = "q.npy", .data = two_floats(), .method = 12}), HasSubstr("packed by method 12"));
  EXPECT_THAT(one({.name = "q.npy", .data = two_floats(), .disk = 1}), HasSubstr("one part"));
  EXPECT_THAT(one({.name = "q.npy", .data = two_floats(), .crc = 1}), HasSubstr("checksum"));
  EXPECT_THAT(one({.name = "q.npy", .data = two_floats(), .deflated = true, .crc = 1}), HasSubstr("checksum"));
  EXPECT_THAT(one({.name = "q.npy", .data = two_floats(), .size = 1}), HasSubstr("two sizes"));
  EXPECT_THAT(one({.name = "q.npy", .data = two_floats(), .local = 1}), HasSubstr("not where the directory says"));
  EXPECT_THAT(one({.name = "q.npy", .data = two_floats(), .local = 0xFFFFFFF0}), HasSubstr("overlaps"));
  EXPECT_THAT(why_archive_fails(zip({{"q.npy", two_floats()}, {"q.npy", two_floats()}})),
              HasSubstr("two files are called \"q.npy\""));
  EXPECT_THAT(why_archive_fails(zip({{"q.npy", two_floats()}, {.name = "k.npy", .data = two_floats(), .local = 0}})),
              HasSubstr("overlaps"));
  EXPECT_THAT(why_archive_fails(replaced(zip({{"q.npy", two_floats()}}), "q.npy", "k.npy")),
              HasSubstr("the header of \"q.npy\" disagree"));
  const std::string good = zip({{"q.npy", two_floats()}});
  EXPECT_THAT(why_archive_fails(std::string(good).replace(14, 4, little(7, 4))), HasSubstr("disagree"))
      << "the checksum before the data";
  EXPECT_THAT(why_archive_fails(std::string(good).replace(22, 4, little(7, 4))), HasSubstr("disagree"))
      << "the size there";
  EXPECT_THAT(why_archive_fails(std::string(good).replace(28, 2, little(7, 2))), HasSubstr("overlaps"))
      << "extra fields there";
}

TEST(TensorArchive, unpacks_no_more_than_is_said) {
  const auto one = [](Member member) { return why_archive_fails(zip({std::move(member)})); };
  const std::string zeros = npy("<f4", "(16384,)", std::string(65536, '\0'));
  EXPECT_EQ(one({.name = "q.npy", .data = zeros, .deflated = true}), "it does not fail");
  EXPECT_THAT(one({.name = "q.npy", .data = zeros, .deflated = true, .size = zeros.size() - 1}),
              HasSubstr("truncated"));
  EXPECT_THAT(one({.name = "q.npy", .data = zeros, .deflated = true, .size = zeros.size() + 1}),
              HasSubstr("1 bytes follow"));
  EXPECT_THAT(one({.name = "q.npy", .data = zeros, .deflated = true, .size = std::uint64_t{1} << 31}),
              HasSubstr("which deflate cannot do"));
  // The header and the directory agree, the stream goes on for longer, or not so long.
  const std::string more = deflated_raw(zeros + "x"), fewer = deflated_raw(zeros.substr(0, zeros.size() - 1));
  EXPECT_THAT(one({.name = "q.npy", .data = zeros, .deflated = true, .packed = more}), HasSubstr("does not unpack to"));
  EXPECT_THAT(one({.name = "q.npy", .data = zeros, .deflated = true, .packed = fewer}),
              HasSubstr("does not unpack to"));
  const std::string stream = deflated_raw(zeros);
  EXPECT_THAT(one({.name = "q.npy", .data = zeros, .deflated = true, .packed = stream + "x"}),
              HasSubstr("does not unpack to"));
  EXPECT_THAT(one({.name = "q.npy", .data = zeros, .deflated = true, .packed = stream.substr(0, stream.size() - 3)}),
              HasSubstr("ends too early"));
  EXPECT_THAT(one({.name = "q.npy", .data = zeros, .deflated = true, .packed = "\xFF" + stream}),
              HasSubstr("cannot be unpacked"));
}

// 5 GiB of zeros take 5 MiB.
TEST(TensorArchive, gives_no_file_more_than_4_gib) {
  constexpr std::uint64_t kBytes = std::uint64_t{5} << 30;
  std::string packed = deflated_raw(npy("|V2", "(2684354560,)", std::string(1 << 20, '\0')));
  packed.resize(6 << 20, 'x');
  EXPECT_THAT(why_archive_fails(
                  zip({{.name = "q.npy", .deflated = true, .packed = packed, .size = kBytes + 128, .zip64 = true}})),
              HasSubstr("more than 4 GiB"));
}

TEST(TensorArchive, says_what_is_wrong_with_an_array) {
  EXPECT_THAT(why_archive_fails(zip({{"q.npy", two_floats()}, {"notes.txt", "hello"}})),
              HasSubstr("it holds \"notes.txt\", which is no array"));
  EXPECT_THAT(why_archive_fails(zip({{"q.npy", "hello"}})),
              HasSubstr("of \"q.npy\": it does not begin like a .npy file"));
  EXPECT_THAT(why_archive_fails(zip({{"q.npy", npy("<f4", "(3,)", words({1, 2}))}})),
              HasSubstr("takes 12 bytes and only 8 are there"));
  EXPECT_THAT(why_archive_fails(zip({{"q.npy", npy("<f4", "(1,)", words({1, 2}))}})), HasSubstr("4 bytes follow"));
  EXPECT_THAT(why_archive_fails(zip({{"q.npy", npy("|O", "(1,)", "")}})), HasSubstr("\"|O\" is not supported"))
      << "numpy pickles objects";
}

TEST(TensorArchive, a_file_that_cannot_be_read_takes_no_memory) {
  constexpr std::uint64_t kBytes = std::uint64_t{256} << 20;
  std::string packed = deflated_raw(npy("|V2", "(134217728,)", std::string(1 << 20, '\0')));
  packed.resize(300'000, 'x');
  const std::string bytes =
      zip({{.name = "q.npy", .deflated = true, .packed = packed, .size = kBytes + 128, .zip64 = true}});
  TensorArchive archive(std::as_bytes(std::span(bytes)));
  for (int i = 0; i < 17; ++i) {
    try {
      archive.load(0);
      ADD_FAILURE() << "it does not fail";
    } catch (const Error& error) {
      EXPECT_THAT(error.why(), HasSubstr("does not unpack to")) << "try " << i;
    }
  }
}

// A name is only a name: nothing is written, so one that looks like a path leads nowhere.
TEST(TensorArchive, takes_a_path_for_a_name) {
  const std::string bytes =
      zip({{"../../etc/q.npy", two_floats()}, {"/k1.npy", two_floats()}, {"\x1b[31m\n.npy", two_floats()}});
  TensorArchive archive(std::as_bytes(std::span(bytes)));
  EXPECT_EQ(archive.tensors()[0].name, "../../etc/q");
  EXPECT_EQ(archive.tensors()[1].name, "/k1");
  EXPECT_THAT(why_archive_fails(zip({{"\x1b[31m\n.npy", "hello"}})), HasSubstr("of \"\\u001b[31m\\n.npy\""));
}

TEST(TorchFile, reads_a_dict_of_tensors) {
  const std::string bytes = pt(dict({text("q"), Made{"0", "FloatStorage", 6, 0, {2, 3}, {3, 1}},    //
                                     text("k1"), Made{"0", "FloatStorage", 6, 2, {2, 1}, {1, 77}},  // a view
                                     text("k2"), Made{"1", "BFloat16Storage", 2, 0, {2}, {1}},      //
                                     text("mask"), Made{"2", "BoolStorage", 3, 0, {3}, {1}},        //
                                     text("scalar"), Made{"3", "DoubleStorage", 1, 0, {}, {}},      //
                                     text("none"), Made{"4", "HalfStorage", 0, 0, {0, 4}, {4, 1}}}),
                               {words({1, 2, 3, 4, 5, 6}), "\x80\x3F\x40\xC0", std::string("\x01\x00\x01", 3),
                                little(0x3FD0000000000000, 8), ""});
  TensorArchive archive(std::as_bytes(std::span(bytes)));
  ASSERT_EQ(archive.tensors().size(), 6u);
  EXPECT_EQ(archive.tensors()[0].name, "q");
  EXPECT_THAT(archive.tensors()[0].shape, ElementsAre(2, 3));
  EXPECT_THAT(read_floats(archive.load(0)), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_EQ((archive.load(0).data.data() - reinterpret_cast<const std::byte*>(bytes.data())) % 64, 0);
  EXPECT_THAT(read_floats(archive.load(1)), ElementsAre(3, 4));
  EXPECT_THAT(read_floats(archive.load(2)), ElementsAre(1, -3));
  EXPECT_EQ(archive.tensors()[3].type, "Bool");
  EXPECT_THROW(read_floats(archive.load(3)), Error);
  EXPECT_THAT(read_floats(archive.load(4)), ElementsAre(0.25F));
  EXPECT_TRUE(read_floats(archive.load(5)).empty());
}

TEST(TorchFile, copies_a_tensor_that_is_not_row_major) {
  const std::string bytes = pt(dict({text("t"), Made{"0", "FloatStorage", 6, 0, {3, 2}, {1, 3}},  // transposed
                                     text("every"), Made{"0", "FloatStorage", 6, 1, {3}, {2}},    //
                                     text("bytes"), Made{"1", "ByteStorage", 4, 0, {2}, {2}}}),
                               {words({1, 2, 3, 4, 5, 6}), "abcd"});
  TensorArchive archive(std::as_bytes(std::span(bytes)));
  EXPECT_THAT(read_floats(archive.load(0)), ElementsAre(1, 4, 2, 5, 3, 6));
  EXPECT_THAT(read_floats(archive.load(1)), ElementsAre(2, 4, 6));
  EXPECT_THROW(read_floats(archive.load(2)), Error) << "a type that is not read";
}

TEST(TorchFile, reads_a_state_dict_and_dicts_in_a_dict) {
  const std::string tensor = Made{"0", "FloatStorage", 1, 0, {1}, {1}};
  // As torch pickles an OrderedDict with its attribute _metadata.
  const std::string state =
      ordered_dict() + "q\x01(" + text("layer.q") + tensor + "u" +
      dict({text("_metadata"), ordered_dict() + text("") + dict({text("version"), "K\x01"}) + "s"}) + "b";
  const std::string bytes =
      pt(dict({text("model"), state, text("epoch"), "K\x03", text("loss"), "G" + std::string(8, '\0'), text("note"),
               text("x"), text("best"), "N", text("flag"), "\x88", text("size"), "K\x02\x85", "K\x05", "K\x06"}),
         {words({7})});
  TensorArchive archive(std::as_bytes(std::span(bytes)));
  ASSERT_EQ(archive.tensors().size(), 1u);
  EXPECT_EQ(archive.tensors()[0].name, "model.layer.q");
  EXPECT_THAT(read_floats(archive.load(0)), ElementsAre(7));
}

TEST(TorchFile, refuses_every_other_opcode_and_object_by_name) {
  const auto why = [](const std::string& body) { return why_archive_fails(pt(body, {})); };
  EXPECT_THAT(why(global("os", "system") + text("rm -rf /") + "\x85R"),
              HasSubstr("asks for the Python object \"os.system\""));
  EXPECT_THAT(why(global("builtins", "eval") + ")R"), HasSubstr("\"builtins.eval\""));
  EXPECT_THAT(why(global("torch", "load")), HasSubstr("\"torch.load\""));
  EXPECT_THAT(why(global("torch._utils", "_rebuild_parameter")), HasSubstr("\"torch._utils._rebuild_parameter\""));
  EXPECT_THAT(why(global("torch.storage", "UntypedStorage")), HasSubstr("\"torch.storage.UntypedStorage\""));
  EXPECT_THAT(why("ios\nsystem\n"), HasSubstr("its pickle uses INST"));
  EXPECT_THAT(why(text("os") + text("system") + "\x93"), HasSubstr("uses STACK_GLOBAL"));
  EXPECT_THAT(why(ordered_dict() + ")\x81"), HasSubstr("uses NEWOBJ"));
  EXPECT_THAT(why("]"), HasSubstr("uses EMPTY_LIST"));
  EXPECT_THAT(why("\x82\x01"), HasSubstr("uses EXT1"));
  EXPECT_THAT(why("P0\n"), HasSubstr("uses PERSID"));
  EXPECT_THAT(why("\xFF"), HasSubstr("uses 0xff"));
  // Those that are understood are the enumeration's, and no others.
  int understood = 0;
  for (int opcode = 0; opcode < 256; ++opcode)
    understood += why(std::string(1, static_cast<char>(opcode))).find("its pickle uses") == std::string::npos;
  EXPECT_EQ(understood, 27);
}

TEST(TorchFile, refuses_a_pickle_that_goes_wrong) {
  const auto why = [](const std::string& body) { return why_archive_fails(pt(body, {})); };
  EXPECT_THAT(why(""), HasSubstr("does not end with one object"));
  EXPECT_THAT(why("}}"), HasSubstr("does not end with one object"));
  EXPECT_THAT(why("}("), HasSubstr("does not end with one object"));
  EXPECT_THAT(why("}.}"), HasSubstr("does not end with one object"));
  EXPECT_THAT(why("K\x01"), HasSubstr("no dict of tensors"));
  EXPECT_THAT(why("}t"), HasSubstr("lacks a mark"));
  EXPECT_THAT(why("\x86"), HasSubstr("more from its stack"));
  EXPECT_THAT(why("}(q\x01"), HasSubstr("more from its stack")) << "not through a mark";
  EXPECT_THAT(why("h\x01"), HasSubstr("recalls"));
  EXPECT_THAT(why("j" + little(7, 4)), HasSubstr("recalls"));
  EXPECT_THAT(why("X" + little(0xFFFFFFFF, 4)), HasSubstr("truncated"));
  EXPECT_THAT(why("ctorch"), HasSubstr("truncated"));
  EXPECT_THAT(why("\x8A\x09" + std::string(9, '1')), HasSubstr("more than 64 bits"));
  EXPECT_THAT(why("}(K\x01u"), HasSubstr("lacks a dict")) << "a key without a value";
  EXPECT_THAT(why(")K\x01K\x01s"), HasSubstr("lacks a dict"));
  EXPECT_THAT(why("})R"), HasSubstr("calls what is no function"));
  EXPECT_THAT(why(global("collections", "OrderedDict") + "K\x01\x85R"), HasSubstr("OrderedDict of something"));
  EXPECT_THAT(why(global("torch._utils", "_rebuild_tensor_v2") + ")R"), HasSubstr("too little or too much"));
  EXPECT_THAT(why("NQ"), HasSubstr("lacks a storage"));
  EXPECT_THAT(why("N}b"), HasSubstr("lacks a dict"));
  EXPECT_THAT(why(dict({text("f"), global("collections", "OrderedDict")})), HasSubstr("what is no tensor"));
  EXPECT_THAT(why_archive_fails(zip({{"t/data.pkl", "\x80\x04}."}}, Writer::torch)), HasSubstr("protocol 4, not 2"));
  EXPECT_THAT(why_archive_fails(zip({{"t/data.pkl", "}."}}, Writer::torch)), HasSubstr("does not begin like a pickle"));
  EXPECT_THAT(why_archive_fails(zip({{"t/data.pkl", ""}}, Writer::torch)), HasSubstr("truncated"));
}

TEST(TorchFile, refuses_a_pickle_that_grows) {
  const auto why = [](const std::string& body) { return why_archive_fails(pt(body, {})); };
  EXPECT_THAT(why(std::string(1'000'001, 'N')), HasSubstr("more than 1000000 objects"));
  EXPECT_THAT(why(std::string(1'000'001, '(')), HasSubstr("more than 1000000 objects"));
  std::string recalled = "}q\x01";
  for (int i = 0; i < 1'000'001; ++i) recalled += "h\x01";
  EXPECT_THAT(why(recalled), HasSubstr("more than 1000000 objects"));
  EXPECT_THAT(why(std::string((16 << 20) + 1, '(')), HasSubstr("more than 16 MiB"));
  // Each dict holds the last one ten times: a million in all.
  std::string laughs = "}q\x01";
  for (char level = 2; level < 8; ++level) {
    laughs += "}";
    for (int i = 0; i < 10; ++i) laughs += text(std::to_string(i)) + "h" + static_cast<char>(level - 1) + "s";
    laughs += std::string("q") + level;
  }
  EXPECT_THAT(why(dict({text("all"), "(" + laughs + "t", text("top"), "h\x07"})), HasSubstr("holds a dict twice"));
  EXPECT_THAT(why(dict({text("a"), "}q\x01", text("b"), "h\x01"})), HasSubstr("holds a dict twice"));
  EXPECT_THAT(why("}q\x01" + text("self") + "h\x01s"), HasSubstr("holds a dict twice"));
  std::string deep = "}";
  for (int i = 0; i < 9; ++i) deep = dict({text("d"), deep});
  EXPECT_THAT(why(deep), HasSubstr("nested too deeply"));
  EXPECT_THAT(why(dict({text(std::string(2000, 'x')), "}"})), HasSubstr("name of a tensor is too long"));
}

// A tuple is kept once and given to many calls: each would go through all of it, and a small file take an hour.
TEST(TorchFile, goes_through_no_long_tuple_at_each_call) {
  const auto why = [](const std::string& body) { return why_archive_fails(pt(body, {})); };
  std::string calls = global("torch._utils", "_rebuild_tensor_v2") + "q\x01";
  calls += tuple({text("storage"), global("torch", "FloatStorage"), text("0"), text("cpu"), "K\x01"}) + "Qq\x02";
  calls += "(" + std::string(900'000, ')') + "tq\x03";
  std::string shapes = calls + "(h\x02K\x01h\x03h\x03\x89" + ordered_dict() + "tq\x04", arguments = calls;
  for (int i = 0; i < 90'000; ++i) shapes += "h\x01h\x04R", arguments += "h\x01h\x03R";
  EXPECT_THAT(why(shapes), HasSubstr("more than 64 dimensions"));
  EXPECT_THAT(why(arguments), HasSubstr("too little or too much"));
}

TEST(TorchFile, holds_no_more_tensors_and_names_than_a_model_has) {
  const std::string tensor = std::string(Made{"0", "FloatStorage", 1, 0, {1}, {1}}) + "q\x01";
  const auto why = [&tensor](int tensors, std::size_t prefix) {
    std::string inner = dict({text("first"), tensor}) + "(";
    for (int i = 1; i < tensors; ++i) inner += text(std::to_string(i)) + "h\x01";
    return why_archive_fails(pt(dict({text(std::string(prefix, 'x')), inner + "u"}), {words({7})}));
  };
  EXPECT_EQ(why(65'536, 1), "it does not fail");
  EXPECT_THAT(why(65'537, 1), HasSubstr("more than 65536 tensors"));
  EXPECT_EQ(why(8'000, 1'000), "it does not fail");
  EXPECT_THAT(why(8'500, 1'000), HasSubstr("names of more than 8 MiB"));
}

TEST(TorchFile, refuses_a_tensor_that_is_not_in_its_storage) {
  const auto why = [](const Made& made, const std::string& storage = std::string(24, '\0')) {
    return why_archive_fails(pt(dict({text("q"), made}), {storage}));
  };
  EXPECT_EQ(why({"0", "FloatStorage", 6, 0, {2, 3}, {3, 1}}), "it does not fail");
  EXPECT_THAT(why({"0", "FloatStorage", 6, 1, {2, 3}, {3, 1}}), HasSubstr("tensor \"q\" leaves its storage"));
  EXPECT_THAT(why({"0", "FloatStorage", 6, -1, {2}, {1}}), HasSubstr("leaves its storage"));
  EXPECT_THAT(why({"0", "FloatStorage", 6, 7, {0}, {1}}), HasSubstr("leaves its storage"));
  EXPECT_THAT(why({"0", "FloatStorage", 6, 0, {2}, {6}}), HasSubstr("leaves its storage"));
  EXPECT_THAT(why({"0", "FloatStorage", 6, 0, {2}, {-1}}), HasSubstr("lead out of its storage"));
  EXPECT_THAT(why({"0", "FloatStorage", 6, 0, {3}, {INT64_MAX}}), HasSubstr("lead out of its storage"));
  EXPECT_THAT(why({"0", "FloatStorage", 6, INT64_MAX, {2}, {1}}), HasSubstr("lead out of its storage"));
  EXPECT_THAT(why({"0", "FloatStorage", 6, 0, {-1}, {1}}), HasSubstr("overflows"));
  EXPECT_THAT(why({"0", "FloatStorage", 6, 0, {INT64_MAX, INT64_MAX}, {0, 0}}), HasSubstr("overflows"));
  EXPECT_THAT(why({"0", "FloatStorage", 6, 0, {1 << 30}, {0}}), HasSubstr("it was expanded"));
  EXPECT_THAT(why({"0", "FloatStorage", 6, 0, {2, 3}, {1}}), HasSubstr("strides of another number"));
  EXPECT_THAT(why({"0", "FloatStorage", 6, 0, std::vector<std::int64_t>(65, 1), std::vector<std::int64_t>(65, 1)}),
              HasSubstr("more than 64 dimensions"));
  EXPECT_THAT(why({"0", "FloatStorage", 7, 0, {2}, {1}}),
              HasSubstr("has 24 bytes where tensor \"q\" needs 7 elements of 4"));
  EXPECT_THAT(why({"0", "FloatStorage", -1, 0, {0}, {1}}), HasSubstr("fewer than no elements"));
  EXPECT_THAT(why({"0", "DoubleStorage", 3, 0, {3}, {1}}, std::string(23, '\0')), HasSubstr("has 23 bytes"));
  EXPECT_THAT(why({"1", "FloatStorage", 6, 0, {6}, {1}}), HasSubstr("\"t/data/1\", which is not there"));
  EXPECT_THAT(why({"../0", "FloatStorage", 6, 0, {6}, {1}}), HasSubstr("the name \"../0\", which is no number"));
  EXPECT_THAT(why({"", "FloatStorage", 6, 0, {6}, {1}}), HasSubstr("which is no number"));
  const std::string tensor = Made{"0", "FloatStorage", 6, 0, {6}, {1}};
  const auto body_fails = [](const std::string& body) { return why_archive_fails(pt(body, {std::string(24, '\0')})); };
  EXPECT_THAT(body_fails(dict({text("q"), tensor, text("q"), tensor})), HasSubstr("two tensors are called \"q\""));
  EXPECT_THAT(body_fails(dict({"K\x01", tensor})), HasSubstr("a key of its dict is no text"));
  EXPECT_THAT(body_fails(tensor), HasSubstr("one tensor and no dict"));
}

TEST(TorchFile, refuses_other_archives_of_pytorch) {
  EXPECT_THAT(why_archive_fails(pt(dict({}), {}, "big")), HasSubstr("big-endian"));
  EXPECT_THAT(why_archive_fails(zip({{"t/data.pkl", pickle("}")}, {"t/constants.pkl", ""}}, Writer::torch)),
              HasSubstr("TorchScript"));
  EXPECT_THAT(why_archive_fails(zip({{"t/data.pkl", pickle("}")}, {"u/data.pkl", pickle("}")}}, Writer::torch)),
              HasSubstr("two data.pkl"));
  EXPECT_THAT(why_archive_fails(zip({{"a/b/data.pkl", pickle("}")}}, Writer::torch)), HasSubstr("no array"));
  const TemporaryFolder folder;
  const auto file = folder.write("old.pt", std::string("\x80\x02\x8A\x0A", 4) + "l\xFC\x9C\x46\xF9 j\xA8P\x19.");
  try {
    const TensorFile opened(file);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("old.pt': it has the format that torch.save wrote before PyTorch 1.6"));
  }
}

TEST(TensorFile, opens_archives_like_other_files) {
  const TemporaryFolder folder;
  const auto npz =
      folder.write("t.npz", zip({{"q.npy", two_floats(), true}, {.name = "bad.npy", .data = two_floats(), .crc = 1}}));
  const auto pt_file =
      folder.write("t.pt", pt(dict({text("q"), Made{"0", "FloatStorage", 2, 0, {2}, {1}}}), {words({1, -2})}));
  for (const auto& path : {npz, pt_file}) {
    TensorFile first(path);
    const TensorFile file(std::move(first));
    EXPECT_TRUE(file.contains("q"));
    EXPECT_THAT(file.shape_of("q"), ElementsAre(2));
    EXPECT_THAT(read_floats(file.at("q")), ElementsAre(1, -2));
    EXPECT_THROW(file.at("k1"), Error);
    EXPECT_THROW(file.shape_of("k1"), Error);
  }
  try {
    TensorFile(npz).at("bad");
    FAIL() << "only what is asked for is looked through";
  } catch (const Error& error) {
    EXPECT_EQ(error.summary(), "cannot read '" + npz.string() + "'");
    EXPECT_THAT(error.why(), HasSubstr("the checksum of \"bad.npy\""));
  }
}

}  // namespace
}  // namespace triscope
