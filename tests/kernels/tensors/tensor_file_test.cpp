#include "kernels/tensors/tensor_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <cmath>
#include <csignal>
#include <cstring>

#include "kernels/base/error.hpp"
#include "tests/temporary_folder.hpp"

namespace triscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

template <typename Number>
std::string raw(std::initializer_list<Number> numbers) {
  std::string bytes;
  for (Number number : numbers) bytes.append(reinterpret_cast<const char*>(&number), sizeof(Number));
  return bytes;
}

std::string safetensors(const std::string& header, const std::string& data) {
  return raw<std::uint64_t>({header.size()}) + header + data;
}

std::string npy(const std::string& header, const std::string& data) {
  return std::string("\x93NUMPY\x01\x00", 8) + raw<std::uint16_t>({static_cast<std::uint16_t>(header.size())}) +
         header + data;
}

std::string npy(const std::string& descr, const std::string& shape, const std::string& data) {
  return npy("{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }\n", data);
}

std::string why_safetensors_fails(const std::string& bytes) {
  try {
    parse_safetensors(bytes_of(bytes));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    return error.why();
  }
  return "it does not fail";
}

std::string why_npy_fails(const std::string& bytes) {
  try {
    parse_npy(bytes_of(bytes), "array");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    return error.why();
  }
  return "it does not fail";
}

const char* const kTwoTensors =
    R"({"__metadata__":{"format":"pt"},"b":{"dtype":"BF16","shape":[2],"data_offsets":[8,12]},)"
    R"("a":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]}}   )";

TEST(Safetensors, reads_a_file_made_by_hand) {
  const std::string bytes = safetensors(kTwoTensors, raw({1.5f, -2.0f}) + raw<std::uint16_t>({0x3F80, 0xC040}));
  const std::vector<TensorView> tensors = parse_safetensors(bytes_of(bytes));
  ASSERT_EQ(tensors.size(), 2u);
  EXPECT_EQ(tensors[0].name, "a");  // in the order of the data
  EXPECT_EQ(tensors[0].element, FileElement::f32);
  EXPECT_THAT(tensors[0].shape, ElementsAre(1, 2));
  EXPECT_THAT(read_floats(tensors[0]), ElementsAre(1.5f, -2.0f));
  EXPECT_EQ(tensors[1].name, "b");
  EXPECT_EQ(tensors[1].elements(), 2);
  EXPECT_THAT(read_floats(tensors[1]), ElementsAre(1.0f, -3.0f));
}

TEST(Safetensors, reads_every_element_type_at_any_alignment) {
  const std::string header =
      R"({"a":{"dtype":"F16","shape":[1],"data_offsets":[0,2]},"b":{"dtype":"F64","shape":[1],"data_offsets":[2,10]},)"
      R"("c":{"dtype":"I64","shape":[1],"data_offsets":[10,18]},"d":{"dtype":"I32","shape":[1],"data_offsets":[18,22]},)"
      R"("e":{"dtype":"F32","shape":[],"data_offsets":[22,26]}})";
  const std::string bytes =
      safetensors(header, raw<std::uint16_t>({0x0001}) + raw({0.1}) + raw<std::int64_t>({-16777217}) +
                              raw<std::int32_t>({7}) + raw({2.5f}));
  const std::vector<TensorView> tensors = parse_safetensors(bytes_of(bytes));
  ASSERT_EQ(tensors.size(), 5u);
  EXPECT_THAT(read_floats(tensors[0]), ElementsAre(0x1p-24f));
  EXPECT_THAT(read_floats(tensors[1]), ElementsAre(0.1f));
  EXPECT_THAT(read_floats(tensors[2]), ElementsAre(-16777216.0f));  // rounded
  EXPECT_THAT(read_floats(tensors[3]), ElementsAre(7.0f));
  EXPECT_THAT(read_floats(tensors[4]), ElementsAre(2.5f));  // a scalar
}

TEST(Safetensors, accepts_no_tensors_and_empty_ones) {
  EXPECT_TRUE(parse_safetensors(bytes_of(safetensors("{}", ""))).empty());
  const std::string bytes = safetensors(R"({"a":{"dtype":"F32","shape":[0,5],"data_offsets":[0,0]}})", "");
  const std::vector<TensorView> tensors = parse_safetensors(bytes_of(bytes));
  ASSERT_EQ(tensors.size(), 1u);
  EXPECT_EQ(tensors[0].elements(), 0);
  EXPECT_TRUE(read_floats(tensors[0]).empty());
}

std::string one(const std::string& entry, std::size_t data_bytes) {
  return safetensors("{\"x\":" + entry + "}", std::string(data_bytes, '\0'));
}

// Would take hours where the time grows with the square of their number.
TEST(Safetensors, a_file_of_many_tensors_is_read) {
  constexpr std::size_t kMany = 300'000;
  std::string header = "{";
  for (std::size_t n = 0; n < kMany; ++n)
    header += (n == 0 ? "\"" : ",\"") + std::to_string(n) + R"(":{"dtype":"F32","shape":[0],"data_offsets":[0,0]})";
  EXPECT_EQ(parse_safetensors(bytes_of(safetensors(header + "}", ""))).size(), kMany);
}

TEST(Safetensors, says_what_is_wrong_with_its_bytes) {
  EXPECT_THAT(why_safetensors_fails(""), HasSubstr("too short"));
  EXPECT_THAT(why_safetensors_fails("1234567"), HasSubstr("too short"));
  EXPECT_THAT(why_safetensors_fails(raw<std::uint64_t>({~0ull}) + "{}"), HasSubstr("does not begin with the length"));
  EXPECT_THAT(why_safetensors_fails(raw<std::uint64_t>({3}) + "{}"), HasSubstr("truncated"));
  EXPECT_THAT(why_safetensors_fails(safetensors("{\"a\":", "")), HasSubstr("not JSON"));
  EXPECT_THAT(why_safetensors_fails(safetensors("\xFF\xFE", "")), HasSubstr("not JSON"));
  EXPECT_THAT(why_safetensors_fails(safetensors("[1]", "")), HasSubstr("not a JSON object"));
  EXPECT_THAT(why_safetensors_fails(safetensors("{\"a\":1e999}", "")), HasSubstr("out of range"));
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "{\"a\":[";
  EXPECT_THAT(why_safetensors_fails(safetensors(deep, "")), HasSubstr("nested too deeply"));
}

TEST(Safetensors, holds_tensors_of_other_types_but_does_not_read_them) {
  const std::string bytes = one(R"({"dtype":"F8_E4M3","shape":[2,2],"data_offsets":[0,4]})", 4);
  const auto tensors = parse_safetensors(std::as_bytes(std::span(bytes)));
  EXPECT_EQ(tensors.front().type, "F8_E4M3");
  try {
    read_floats(tensors.front());
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("element type \"F8_E4M3\" is not supported"));
  }
}

TEST(Safetensors, says_what_is_wrong_with_an_entry) {
  EXPECT_THAT(why_safetensors_fails(one("3", 0)), HasSubstr("not an object"));
  EXPECT_THAT(why_safetensors_fails(one(R"({"shape":[1],"data_offsets":[0,4]})", 4)), HasSubstr("no dtype"));
  EXPECT_THAT(why_safetensors_fails(one(R"({"dtype":"F32","data_offsets":[0,4]})", 4)), HasSubstr("no shape"));
  EXPECT_THAT(why_safetensors_fails(one(R"({"dtype":"F32","shape":[-1],"data_offsets":[0,4]})", 4)),
              HasSubstr("shape that is not a list of sizes"));
  EXPECT_THAT(why_safetensors_fails(one(R"({"dtype":"F32","shape":[1.0],"data_offsets":[0,4]})", 4)),
              HasSubstr("shape that is not a list of sizes"));
  EXPECT_THAT(why_safetensors_fails(one(R"({"dtype":"F32","shape":[18446744073709551615],"data_offsets":[0,4]})", 4)),
              HasSubstr("shape that is not a list of sizes"));
  EXPECT_THAT(why_safetensors_fails(one(R"({"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]})", 0)),
              HasSubstr("overflows"));
  EXPECT_THAT(
      why_safetensors_fails(one(R"({"dtype":"F32","shape":[0,4294967296,4294967296],"data_offsets":[0,0]})", 0)),
      HasSubstr("overflows"));
  EXPECT_THAT(why_safetensors_fails(one(R"({"dtype":"F32","shape":[1]})", 4)), HasSubstr("no data_offsets"));
  EXPECT_THAT(why_safetensors_fails(one(R"({"dtype":"F32","shape":[1],"data_offsets":[4,0]})", 4)),
              HasSubstr("not a beginning and an end"));
  EXPECT_THAT(why_safetensors_fails(one(R"({"dtype":"F32","shape":[1],"data_offsets":[0,4,8]})", 8)),
              HasSubstr("not a beginning and an end"));
  EXPECT_THAT(why_safetensors_fails(one(R"({"dtype":"F32","shape":[2],"data_offsets":[0,8]})", 7)),
              HasSubstr("truncated"));
  EXPECT_THAT(why_safetensors_fails(one(R"({"dtype":"F32","shape":[3],"data_offsets":[0,8]})", 8)),
              HasSubstr("does not take the 8 bytes"));
}

TEST(Safetensors, refuses_overlaps_holes_leftovers_and_repeated_names) {
  const auto two = [](const char* first, const char* second, std::size_t size) {
    const std::string entry = R"({"dtype":"F32","shape":[1],"data_offsets":)";
    return safetensors("{\"a\":" + entry + first + "},\"b\":" + entry + second + "}}", std::string(size, '\0'));
  };
  EXPECT_THAT(why_safetensors_fails(two("[0,4]", "[2,6]", 6)), HasSubstr("overlaps"));
  EXPECT_THAT(why_safetensors_fails(two("[0,4]", "[0,4]", 4)), HasSubstr("overlaps"));
  EXPECT_THAT(why_safetensors_fails(two("[0,4]", "[5,9]", 9)), HasSubstr("unused bytes"));
  EXPECT_THAT(why_safetensors_fails(two("[0,4]", "[4,8]", 9)), HasSubstr("1 bytes at its end"));
  EXPECT_EQ(why_safetensors_fails(two("[4,8]", "[0,4]", 8)), "it does not fail");
  const std::string entry = R"("a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]})";
  EXPECT_THAT(why_safetensors_fails(safetensors("{" + entry + "," + entry + "}", "1234")), HasSubstr("twice"));
  EXPECT_THAT(why_safetensors_fails(one(R"({"dtype":"F32","dtype":"F32","shape":[1],"data_offsets":[0,4]})", 4)),
              HasSubstr("twice"));
}

TEST(Safetensors, shows_hostile_names_escaped_and_short) {
  const std::string name = "\\u001b[31m\\n" + std::string(500, 'x');
  const std::string why = why_safetensors_fails(safetensors("{\"" + name + "\":1}", ""));
  EXPECT_EQ(why.find('\x1b'), std::string::npos);
  EXPECT_EQ(why.find('\n'), std::string::npos);
  EXPECT_LT(why.size(), 200u);
}

TEST(Npy, reads_files_made_by_hand) {
  const std::string floats = npy("<f4", "(2, 1)", raw({1.0f, -0.5f}));
  const TensorView view = parse_npy(bytes_of(floats), "q");
  EXPECT_EQ(view.name, "q");
  EXPECT_EQ(view.element, FileElement::f32);
  EXPECT_THAT(view.shape, ElementsAre(2, 1));
  EXPECT_THAT(read_floats(view), ElementsAre(1.0f, -0.5f));
  const std::string scalar = npy("<f8", "()", raw({0.25}));
  EXPECT_THAT(read_floats(parse_npy(bytes_of(scalar), "")), ElementsAre(0.25f));
  const std::string integers = npy("<i8", "(2,)", raw<std::int64_t>({3, -4}));
  EXPECT_THAT(read_floats(parse_npy(bytes_of(integers), "")), ElementsAre(3.0f, -4.0f));
  const std::string halves = npy("<f2", "(1L,)", raw<std::uint16_t>({0xBC00}));
  EXPECT_THAT(read_floats(parse_npy(bytes_of(halves), "")), ElementsAre(-1.0f));
  const std::string brain = npy("<V2", "(1,)", raw<std::uint16_t>({0x4000}));
  EXPECT_THAT(read_floats(parse_npy(bytes_of(brain), "")), ElementsAre(2.0f));
  const std::string empty = npy("<i4", "(3, 0)", "");
  EXPECT_EQ(parse_npy(bytes_of(empty), "").elements(), 0);
}

TEST(Npy, reads_the_longer_header_of_versions_2_and_3_and_any_order_of_entries) {
  const std::string header = "{\"shape\": (1,), \"fortran_order\": False, \"descr\": \"<f4\"}";
  for (char version : {'\x02', '\x03'}) {
    const std::string bytes = std::string("\x93NUMPY") + version + '\0' +
                              raw<std::uint32_t>({static_cast<std::uint32_t>(header.size())}) + header + raw({3.0f});
    EXPECT_THAT(read_floats(parse_npy(bytes_of(bytes), "")), ElementsAre(3.0f));
  }
}

TEST(Npy, says_what_is_wrong) {
  EXPECT_THAT(why_npy_fails(""), HasSubstr("does not begin like a .npy file"));
  EXPECT_THAT(why_npy_fails("\x93NUMPY\x01"), HasSubstr("truncated"));
  EXPECT_THAT(why_npy_fails(std::string("\x93NUMPY\x02\x00\x01\x00", 10)), HasSubstr("truncated"));
  EXPECT_THAT(why_npy_fails(std::string("\x93NUMPY\x07\x00\x01\x00", 10)), HasSubstr("version 7"));
  EXPECT_THAT(why_npy_fails(std::string("\x93NUMPY\x01\x00\x05\x00{}", 12)), HasSubstr("beyond its end"));
  EXPECT_THAT(why_npy_fails(npy("{}", "")), HasSubstr("lacks descr"));
  EXPECT_THAT(why_npy_fails(npy("no dict", "")), HasSubstr("not a Python dict"));
  EXPECT_THAT(why_npy_fails(npy("{'descr", "")), HasSubstr("does not end"));
  EXPECT_THAT(why_npy_fails(npy("{'descr': '<f4', 'descr': '<f4'}", "")), HasSubstr("twice"));
  EXPECT_THAT(why_npy_fails(npy("{'order': True}", "")), HasSubstr("unknown entry"));
  EXPECT_THAT(why_npy_fails(npy("{'fortran_order': 1}", "")), HasSubstr("neither True nor False"));
  EXPECT_THAT(why_npy_fails(npy("{'descr': [('a', '<f4')]}", "")), HasSubstr("records"));
  EXPECT_THAT(why_npy_fails(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (), } x", raw({1.f}))),
              HasSubstr("goes on after its dict"));
  EXPECT_THAT(why_npy_fails(npy("{'descr': '<f4', 'fortran_order': True, 'shape': (1,), }", raw({1.f}))),
              HasSubstr("Fortran order"));
  EXPECT_THAT(why_npy_fails(npy(">f4", "(1,)", raw({1.f}))), HasSubstr("big-endian"));
  EXPECT_THAT(why_npy_fails(npy("<c8", "(1,)", raw({1.f, 1.f}))), HasSubstr("\"<c8\" is not supported"));
  EXPECT_THAT(why_npy_fails(npy("<f4", "(-1,)", "")), HasSubstr("no tuple of sizes"));
  EXPECT_THAT(why_npy_fails(npy("<f4", "(1 1)", "")), HasSubstr("no tuple of sizes"));
  EXPECT_THAT(why_npy_fails(npy("<f4", "(99999999999999999999,)", "")), HasSubstr("no tuple of sizes"));
  EXPECT_THAT(why_npy_fails(npy("<f4", "(4294967296, 4294967296)", "")), HasSubstr("overflows"));
  EXPECT_THAT(why_npy_fails(npy("<f4", "(2,)", raw({1.f}))), HasSubstr("truncated"));
  EXPECT_THAT(why_npy_fails(npy("<f4", "(1,)", raw({1.f, 1.f}))), HasSubstr("4 bytes follow"));
}

TEST(TensorFile, writes_and_reads_back_every_element_type) {
  const TemporaryFolder folder;
  const std::vector<HostTensor> tensors = {
      {"q", {2, 2}, {1.0f, -0.0f, 65504.0f, 0x1p-24f}}, {"empty", {0}, {}}, {"scalar \"x\"\n", {}, {3.0f}}};
  for (FileElement element : {FileElement::f32, FileElement::f16, FileElement::bf16}) {
    write_safetensors(folder / "t.safetensors", tensors, element);
    const TensorFile file(folder / "t.safetensors");
    ASSERT_EQ(file.tensors().size(), 3u);
    EXPECT_EQ(file.at("q").element, element);
    EXPECT_THAT(file.at("q").shape, ElementsAre(2, 2));
    const std::vector<float> values = read_floats(file.at("q"));
    EXPECT_EQ(values[0], 1.0f);
    EXPECT_TRUE(std::signbit(values[1]));
    EXPECT_EQ(values[2], element == FileElement::bf16 ? 65536.0f : 65504.0f);
    EXPECT_EQ(values[3], 0x1p-24f);
    EXPECT_EQ(read_floats(file.at("scalar \"x\"\n")).at(0), 3.0f);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(file.at("q").data.data()) % 8, 0u);
    write_npy(folder / "q.npy", tensors[0], element);
    const TensorFile array(folder / "q.npy");
    EXPECT_EQ(array.tensors().at(0).element, element);
    EXPECT_EQ(read_floats(array.at("q")), values);
  }
}

TEST(TensorFile, keeps_infinities_and_nan) {
  const TemporaryFolder folder;
  const std::vector<HostTensor> tensors = {{"x", {3}, {INFINITY, -INFINITY, NAN}}};
  for (FileElement element : {FileElement::f32, FileElement::f16, FileElement::bf16}) {
    write_safetensors(folder / "t.safetensors", tensors, element);
    const std::vector<float> values = read_floats(TensorFile(folder / "t.safetensors").at("x"));
    EXPECT_EQ(values[0], INFINITY);
    EXPECT_EQ(values[1], -INFINITY);
    EXPECT_TRUE(std::isnan(values[2]));
  }
}

TEST(TensorFile, rubbish_of_a_right_name_is_not_advised_another_name) {
  const TemporaryFolder folder;
  const auto fix_of = [&](const char* name) -> std::string {
    std::ofstream(folder / name) << std::string(64, '\xff');
    try {
      TensorFile file(folder / name);
    } catch (const Error& error) {
      return error.fix();
    }
    return "it was read";
  };
  EXPECT_THAT(fix_of("rubbish.safetensors"), HasSubstr("write the file again"));
  EXPECT_THAT(fix_of("rubbish.npy"), HasSubstr("write the file again"));
  EXPECT_THAT(fix_of("rubbish.bin"), HasSubstr("name a .safetensors"));
}

// Byte for byte what numpy.save writes for numpy.array([1, 2, 3], 'float32').
TEST(TensorFile, npy_bytes_are_those_of_numpy) {
  const TemporaryFolder folder;
  write_npy(folder / "a.npy", {"a", {3}, {1, 2, 3}});
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }";
  header.resize(117, ' ');
  EXPECT_EQ(read_bytes(folder / "a.npy"),
            std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + "\n" + raw({1.0f, 2.0f, 3.0f}));
}

TEST(TensorFile, reads_parts) {
  const TemporaryFolder folder;
  write_npy(folder / "a.npy", {"a", {5}, {0, 1, 2, 3, 4}});
  const TensorFile file(folder / "a.npy");
  const TensorView& view = file.at("a");
  EXPECT_THAT(read_floats(view, 1, 2), ElementsAre(1, 2));
  EXPECT_THAT(read_floats(view, 3), ElementsAre(3, 4));
  EXPECT_TRUE(read_floats(view, 5).empty());
  EXPECT_THROW(read_floats(view, 6), Error);
  EXPECT_THROW(read_floats(view, -1), Error);
  EXPECT_THROW(read_floats(view, 2, 4), Error);
  EXPECT_THROW(read_floats(view, 0, -2), Error);
  EXPECT_THROW(read_floats(view, 1, INT64_MAX), Error);
}

std::string message_of(const std::function<void()>& action, ExitCode code) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    return error.what();
  }
  return "no error";
}

TEST(TensorFile, names_the_file_and_what_is_wrong_with_it) {
  const TemporaryFolder folder;
  const auto why = [&](const std::filesystem::path& file) {
    return message_of([&] { TensorFile{file}; }, ExitCode::usage);
  };
  EXPECT_THAT(why(folder / "none.npy"), HasSubstr("none.npy': there is no such file"));
  EXPECT_THAT(why(folder.path()), HasSubstr("it is a folder"));
  EXPECT_THAT(why(folder.write("empty.safetensors", "")), HasSubstr("it is empty"));
  EXPECT_THAT(why(folder.write("cut.safetensors", safetensors(kTwoTensors, "12345678"))), HasSubstr("truncated"));
  EXPECT_THAT(why(folder.write("text.npy", "hello, world")), HasSubstr("does not begin like a .npy file"));
  EXPECT_THAT(why(folder.write("x.pt", "PK\x03\x04 and more")), HasSubstr("x.pt': it is truncated"));
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_THAT(why(folder / "pipe"), HasSubstr("not a regular file"));
}

TEST(TensorFile, lists_the_tensors_there_are) {
  const TemporaryFolder folder;
  write_safetensors(folder / "t.safetensors", std::vector<HostTensor>{{"q", {1}, {1}}, {"k1", {1}, {1}}});
  const TensorFile file(folder / "t.safetensors");
  EXPECT_TRUE(file.contains("k1"));
  EXPECT_FALSE(file.contains("k2"));
  EXPECT_THAT(message_of([&] { file.at("k2"); }, ExitCode::usage),
              HasSubstr("it has no tensor \"k2\", it holds \"q\", \"k1\""));
}

TEST(TensorFile, refuses_to_write_what_cannot_be_read_again) {
  const TemporaryFolder folder;
  const auto write = [&](std::vector<HostTensor> tensors, FileElement element = FileElement::f32) {
    return message_of([&] { write_safetensors(folder / "t.safetensors", tensors, element); }, ExitCode::usage);
  };
  EXPECT_THAT(write({{"a", {3}, {1, 2}}}), HasSubstr("the shape [3] and 2 values"));
  EXPECT_THAT(write({{"a", {-1}, {}}}), HasSubstr("the shape [-1]"));
  EXPECT_THAT(write({{"a", {1}, {1}}, {"a", {1}, {1}}}), HasSubstr("\"a\" is taken"));
  EXPECT_THAT(write({{"__metadata__", {1}, {1}}}), HasSubstr("is taken"));
  EXPECT_THAT(write({{"\xFF", {1}, {1}}}), HasSubstr("not UTF-8"));
  EXPECT_THAT(write({{"a", {1}, {1}}}, FileElement::i64), HasSubstr("I64"));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(TensorFile, a_failed_write_leaves_the_old_file_and_nothing_else) {
  const TemporaryFolder folder;
  const HostTensor small{"a", {1}, {1}}, large{"a", {1 << 20}, std::vector<float>(1 << 20, 2.0f)};
  write_npy(folder / "a.npy", small);
  const std::string before = read_bytes(folder / "a.npy");
  // A file size limit stands for a full disk: the write fails in the middle.
  rlimit old_limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old_limit), 0);
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{1 << 16, old_limit.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  const std::string message = message_of([&] { write_npy(folder / "a.npy", large); }, ExitCode::environment);
  ::setrlimit(RLIMIT_FSIZE, &old_limit);
  std::signal(SIGXFSZ, old_handler);
  EXPECT_THAT(message, HasSubstr("a.npy': File too large"));
  EXPECT_EQ(read_bytes(folder / "a.npy"), before);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
  EXPECT_THAT(message_of([&] { write_npy(folder / "no/folder/a.npy", small); }, ExitCode::environment),
              HasSubstr("create the folder first"));
}

TEST(TensorFile, moves) {
  const TemporaryFolder folder;
  write_npy(folder / "a.npy", {"a", {1}, {4}});
  TensorFile first(folder / "a.npy");
  TensorFile second(std::move(first));
  EXPECT_THAT(read_floats(second.at("a")), ElementsAre(4));
}

}  // namespace
}  // namespace triscope
