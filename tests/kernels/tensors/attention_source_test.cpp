// Sources of tensors to inspect: generators, and files with their faults.
#include "kernels/tensors/attention_source.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <fstream>

#include "kernels/base/error.hpp"
#include "kernels/inspect/cpu/slice.hpp"
#include "tests/temporary_folder.hpp"

namespace triscope {
namespace {

using testing::HasSubstr;

HostTensor tensor(std::string name, std::vector<std::int64_t> shape, float value = 1) {
  std::int64_t count = 1;
  for (std::int64_t size : shape) count *= size;
  HostTensor result{std::move(name), std::move(shape), {}};
  for (std::int64_t n = 0; n < count; ++n) result.values.push_back(value * static_cast<float>(n % 17) * 0.1F);
  return result;
}

std::string refusal(const AttentionSource& source) {
  try {
    open_source(source);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

AttentionSource from_file(const std::filesystem::path& file) {
  AttentionSource source;
  source.kind = SourceKind::file;
  source.file = file.string();
  return source;
}

/// Every position holds the same content, then rotated: what is left in the logits is position alone.
TEST(Rotary, determinant_logits_depend_on_relative_positions_alone) {
  AttentionSource source;
  source.kind = SourceKind::random;
  source.form = Form::determinant;
  source.seq_len = 64;
  source.q_heads = source.kv_heads = 1;
  source.head_dim = 30;
  const auto plain = open_source(source);
  source.rotary = true;
  const auto rotated = open_source(source);
  // The angle of position n and unit l is taken from the generator itself: content rotated by it must be what it made.
  const auto angles = [&](std::int64_t n) {
    std::vector<float> a(30), b(30);
    plain->read(TensorRole::q, 0, 0, n, 1, a.data());
    rotated->read(TensorRole::q, 0, 0, n, 1, b.data());
    std::vector<double> result;
    for (std::size_t l = 0; l < 10; ++l) {
      EXPECT_FLOAT_EQ(a[3 * l + 2], b[3 * l + 2]);  // the common axis
      result.push_back(std::atan2(b[3 * l + 1], b[3 * l]) - std::atan2(a[3 * l + 1], a[3 * l]));
    }
    return result;
  };
  std::vector<float> q, k1, k2, content(30);
  for (std::int64_t n = 0; n < 64; ++n) {
    const std::vector<double> angle = angles(n);
    for (auto [role, out] :
         {std::pair{TensorRole::q, &q}, std::pair{TensorRole::k1, &k1}, std::pair{TensorRole::k2, &k2}}) {
      plain->read(role, 0, 0, 5, 1, content.data());
      for (std::size_t l = 0; l < 10; ++l) {
        const double c = std::cos(angle[l]), s = std::sin(angle[l]), x = content[3 * l], y = content[3 * l + 1];
        out->push_back(static_cast<float>(x * c - y * s));
        out->push_back(static_cast<float>(x * s + y * c));
        out->push_back(content[3 * l + 2]);
      }
    }
  }
  const AttentionTensors same(1, 64, 1, 1, 30, std::array{q, k1, k2, std::vector<float>{}, std::vector<float>{}}, {});
  Problem problem;
  problem.form = Form::determinant;
  problem.window1 = 12;
  problem.window2 = 7;
  const Slice early = make_slice(same, {problem, Arithmetic::exact, 0, 0, 20}),
              late = make_slice(same, {problem, Arithmetic::exact, 0, 0, 57});
  double spread = 0;
  for (std::size_t n = 0; n < early.log_p.size(); ++n) {
    EXPECT_NEAR(early.log_p[n], late.log_p[n], 2e-5);
    spread = std::max(spread, std::abs(static_cast<double>(early.log_p[n]) - early.log_p[0]));
  }
  EXPECT_GT(spread, 0.5);  // position does matter
  // Pairs of two dimensions do the same to a dot product, but not to a product of three.
  problem.form = Form::trilinear;
  const Slice plain_early = make_slice(same, {problem, Arithmetic::exact, 0, 0, 20}),
              plain_late = make_slice(same, {problem, Arithmetic::exact, 0, 0, 57});
  double difference = 0;
  for (std::size_t n = 0; n < plain_early.log_p.size(); ++n)
    difference = std::max(difference, std::abs(static_cast<double>(plain_early.log_p[n]) - plain_late.log_p[n]));
  EXPECT_GT(difference, 0.1);
}

TEST(Source, the_induction_head_finds_the_token_after_an_earlier_copy) {
  for (Form form : {Form::trilinear, Form::determinant}) {
    AttentionSource source;
    source.form = form;
    source.seq_len = 512;
    source.head_dim = form == Form::determinant ? 63 : 64;
    const auto tensors = open_source(source);
    ASSERT_EQ(tensors->labels.size(), 512U);
    Problem problem;
    problem.form = form;
    problem.window1 = 256;
    problem.window2 = 32;
    int found = 0;
    for (std::int64_t i = 300; i < 400; ++i) {
      const Slice slice = make_slice(*tensors, {problem, Arithmetic::exact, 0, 7, i}, 1);
      found += tensors->labels[static_cast<std::size_t>(slice.top.front().j) - 1] ==
               tensors->labels[static_cast<std::size_t>(i)];
    }
    EXPECT_GT(found, 90) << to_string(form);
  }
}

TEST(Source, peaked_is_sharper_than_random_and_a_seed_repeats) {
  AttentionSource source;
  source.kind = SourceKind::random;
  source.seq_len = 128;
  Problem problem;
  problem.window1 = 64;
  problem.window2 = 16;
  const auto entropy = [&](const AttentionSource& of) {
    return make_slice(*open_source(of), {problem, Arithmetic::exact, 0, 2, 100}).entropy;
  };
  const double random = entropy(source);
  EXPECT_EQ(entropy(source), random);
  source.kind = SourceKind::peaked;
  EXPECT_LT(entropy(source), random - 0.5);
}

TEST(TensorNames, are_guessed_from_their_endings_and_asked_for_when_they_cannot_be) {
  const TemporaryFolder folder;
  const std::vector<HostTensor> tensors{tensor("layers.3.q", {1, 8, 4, 6}), tensor("layers.3.k1", {1, 8, 2, 6}),
                                        tensor("layers.3.k2", {1, 8, 2, 6}), tensor("layers.3.sink", {4})};
  write_safetensors(folder / "named.safetensors", tensors);
  const auto opened = open_source(from_file(folder / "named.safetensors"));
  EXPECT_EQ(opened->q_heads, 4);
  EXPECT_EQ(opened->kv_heads, 2);
  EXPECT_EQ(opened->sink.size(), 4U);
  AttentionSource without = from_file(folder / "named.safetensors");
  without.mapping.names = {{"sink", ""}};  // what the name suggests is not so
  EXPECT_TRUE(open_source(without)->sink.empty());

  const std::vector<HostTensor> odd{tensor("query", {8, 4, 6}), tensor("first", {8, 2, 6}),
                                    tensor("second", {8, 2, 6})};
  write_safetensors(folder / "odd.safetensors", odd);
  AttentionSource source = from_file(folder / "odd.safetensors");
  EXPECT_THAT(refusal(source), HasSubstr("it is not clear which tensor is q, k1, k2, and it holds \"query\", "
                                         "\"first\", \"second\"; say which tensor is which"));
  source.mapping.names = {{"q", "query"}, {"k1", "first"}, {"k2", "second"}};
  EXPECT_EQ(open_source(source)->seq_len, 8);
  source.mapping.names["k1"] = "absent";
  EXPECT_THAT(refusal(source), HasSubstr("no tensor \"absent\""));
}

TEST(TensorFiles, both_orders_of_dimensions_and_npy_neighbours_read_the_same_values) {
  const TemporaryFolder folder;
  HostTensor q = tensor("q", {1, 5, 2, 3}), turned{"q", {1, 2, 5, 3}, std::vector<float>(30)};
  for (std::size_t s = 0; s < 5; ++s) {
    for (std::size_t h = 0; h < 2; ++h) {
      for (std::size_t d = 0; d < 3; ++d) turned.values[(h * 5 + s) * 3 + d] = q.values[(s * 2 + h) * 3 + d];
    }
  }
  for (const char* name : {"k1", "k2"}) {
    write_npy(folder / (std::string(name) + ".npy"), tensor(name, {1, 2, 5, 3}), FileElement::bf16);
  }
  write_npy(folder / "q.npy", turned, FileElement::f16);
  AttentionSource source = from_file(folder / "q.npy");
  source.mapping.heads_first = true;
  const auto tensors = open_source(source);
  std::vector<float> row(6);
  tensors->read(TensorRole::q, 0, 1, 3, 2, row.data());
  for (std::size_t n = 0; n < 6; ++n) EXPECT_NEAR(row[n], q.values[((3 + n / 3) * 2 + 1) * 3 + n % 3], 1e-3);
}

TEST(TensorFiles, faults_are_one_sentence_each) {
  const TemporaryFolder folder;
  const auto write = [&](const char* name, std::vector<HostTensor> tensors) {
    write_safetensors(folder / name, tensors);
    return from_file(folder / name);
  };
  EXPECT_THAT(refusal(write("a", {tensor("q", {1, 8, 4, 6}), tensor("k1", {1, 8, 2, 6}), tensor("k2", {1, 8, 1, 6})})),
              HasSubstr("k1 is [1, 8, 2, 6] and k2 is [1, 8, 1, 6]"));
  EXPECT_THAT(refusal(write("b", {tensor("q", {1, 8, 4, 6}), tensor("k1", {1, 8, 2, 5}), tensor("k2", {1, 8, 2, 5})})),
              HasSubstr("q is [1, 8, 4, 6]"));
  EXPECT_THAT(refusal(write("c", {tensor("q", {1, 8, 3, 6}), tensor("k1", {1, 8, 2, 6}), tensor("k2", {1, 8, 2, 6})})),
              HasSubstr("3 query heads cannot share 2 key heads"));
  EXPECT_THAT(refusal(write("d", {tensor("q", {8, 6}), tensor("k1", {8, 6}), tensor("k2", {8, 6})})),
              HasSubstr("has the shape [8, 6]"));
  EXPECT_THAT(refusal(write("e", {tensor("q", {1, 8, 4, 6}), tensor("k1", {1, 8, 2, 6})})),
              HasSubstr("not clear which tensor is k2"));
  EXPECT_THAT(refusal(write("f", {tensor("q", {1, 0, 4, 6}), tensor("k1", {1, 0, 4, 6}), tensor("k2", {1, 0, 4, 6})})),
              HasSubstr("is empty"));
  EXPECT_THAT(refusal(from_file(folder / "missing.safetensors")), HasSubstr("no such file"));
  const auto good = write("g", {tensor("q", {1, 8, 4, 6}), tensor("k1", {1, 8, 2, 6}), tensor("k2", {1, 8, 2, 6})});
  std::filesystem::resize_file(folder / "g", std::filesystem::file_size(folder / "g") - 4);
  EXPECT_THAT(refusal(good), HasSubstr("truncated"));
  std::ofstream(folder / "h") << std::string("\xff\xff\xff\x7f\0\0\0\0", 8) << "{}";
  EXPECT_FALSE(refusal(from_file(folder / "h")).empty());
  const auto labelled = [&] {
    AttentionSource source =
        write("i", {tensor("q", {1, 2, 4, 6}), tensor("k1", {1, 2, 2, 6}), tensor("k2", {1, 2, 2, 6})});
    source.labels_file = (folder / "labels.txt").string();
    return source;
  }();
  std::ofstream(folder / "labels.txt") << "one\ntwo\nthree\n";
  EXPECT_THAT(refusal(labelled), HasSubstr("3 lines for 2 tokens"));
}

TEST(TensorFiles, labels_are_no_device_no_pipe_and_no_folder) {
  const TemporaryFolder folder;
  write_safetensors(folder / "t",
                    std::vector{tensor("q", {1, 2, 4, 6}), tensor("k1", {1, 2, 2, 6}), tensor("k2", {1, 2, 2, 6})});
  AttentionSource source = from_file(folder / "t");
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  for (const std::filesystem::path& file : {std::filesystem::path("/dev/zero"), folder / "pipe"}) {
    source.labels_file = file.string();
    EXPECT_THAT(refusal(source), HasSubstr("it is not a regular file")) << file;
  }
  source.labels_file = folder.path().string();
  EXPECT_THAT(refusal(source), HasSubstr("it is a folder"));
  source.labels_file = (folder / "missing").string();
  EXPECT_THAT(refusal(source), HasSubstr("there is no such file"));
}

/// 64k tokens, 64 heads, 10 GB: a sparse file. What is resident afterwards is what was looked at.
TEST(TensorFiles, labels_end_where_their_lines_do_on_windows_too) {
  const TemporaryFolder folder;
  write_safetensors(folder / "t",
                    std::vector{tensor("q", {1, 3, 4, 6}), tensor("k1", {1, 3, 2, 6}), tensor("k2", {1, 3, 2, 6})});
  AttentionSource source = from_file(folder / "t");
  source.labels_file = (folder / "labels.txt").string();
  for (const char* text : {"a \n\n c", "a \r\n\r\n c\r\n"}) {
    std::ofstream(source.labels_file, std::ios::binary) << text;
    EXPECT_EQ(open_source(source)->labels, (std::vector<std::string>{"a ", "", " c"}));
  }
}

TEST(TensorFiles, ten_gigabytes_open_without_being_read) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "large.safetensors";
  constexpr std::int64_t kBytes = std::int64_t{65536} * 64 * 128 * 4;  // of one tensor, F32
  std::string header = "{";
  std::int64_t offset = 0;
  for (const char* name : {"q", "k1", "k2", "v1", "v2"}) {
    header += std::string(offset ? "," : "") + "\"" + name +
              "\":{\"dtype\":\"F32\",\"shape\":[1,65536,64,128],\"data_offsets\":[" + std::to_string(offset) + "," +
              std::to_string(offset + kBytes) + "]}";
    offset += kBytes;
  }
  header += "}";
  std::string prefix;
  for (int i = 0; i < 8; ++i) prefix.push_back(static_cast<char>(header.size() >> (8 * i) & 0xFF));
  std::ofstream(file) << prefix << header;
  std::error_code error;
  std::filesystem::resize_file(file, 8 + header.size() + static_cast<std::uintmax_t>(offset), error);
  if (error) GTEST_SKIP() << "no sparse file of 10 GB can be made here: " << error.message();
  const auto resident_pages = [] {
    std::ifstream statm("/proc/self/statm");
    std::int64_t size = 0, resident = 0;
    statm >> size >> resident;
    return resident;
  };
  const std::int64_t before = resident_pages();
  const auto tensors = open_source(from_file(file));
  EXPECT_EQ(tensors->seq_len, 65536);
  EXPECT_EQ(tensors->q_heads, 64);
  const std::int64_t opened = resident_pages();
  Problem problem;
  problem.window1 = 512;
  problem.window2 = 32;
  const Slice slice = make_slice(*tensors, {problem, Arithmetic::exact, 0, 63, 65535});
  EXPECT_NEAR(slice.lse, std::log(512 * 32), 1e-9);  // zeros: all pairs alike
  const std::int64_t page = sysconf(_SC_PAGESIZE);
  EXPECT_LT((opened - before) * page, 4 << 20);
  EXPECT_LT((resident_pages() - before) * page, 256 << 20);
}

}  // namespace
}  // namespace triscope
