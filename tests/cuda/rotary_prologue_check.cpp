// Checks and times the rotary prologue (kernels/cuda/rotary) on a GPU (ctest: gpu_rotary).
//   rotary_prologue_check          compares with the CPU, elements by element, for shapes of every kind; exit 1 when
//   one
//                                  differs
//   rotary_prologue_check row      checks, then times it at the shape of the paper's Table 1 in turns with the forward
//   of
//                                  the determinant form; prints one line for assets/paper/rotary_cost.csv. What a
//                                  person reads goes to stderr.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "kernels/attention/inputs.hpp"
#include "kernels/base/half.hpp"
#include "kernels/cuda/common/cuda_error.hpp"
#include "kernels/cuda/rotary/rotary_prologue.hpp"
#include "kernels/paper/rotary_chunks.hpp"
#include "kernels/registry/registry.hpp"
#include "tests/cuda/reference.hpp"

namespace triscope {
namespace {

using cuda::DeviceBuffer;
using cuda::EventTimer;
using cuda::RotaryPrologue;
using cuda::Stream;

constexpr int kTurns = 15;
constexpr double kBlockMs = 60;

struct Shape {
  std::int64_t batch, seq_len, q_heads, kv_heads, head_dim;
  std::int64_t heads(int tensor) const { return tensor == 0 ? q_heads : kv_heads; }
  std::int64_t count(int tensor) const { return batch * seq_len * heads(tensor) * head_dim; }
};

std::vector<std::uint16_t> to_bf16(const std::vector<float>& values) {
  std::vector<std::uint16_t> bits;
  for (const float x : values) bits.push_back(bfloat16_from_float(x));
  return bits;
}

/// One tensor of a shape as the kernel leaves it, beside the CPU's. The table of the CPU begins `shift` positions
/// later: 0, or to see that the comparison finds faults.
struct Compared {
  std::int64_t differing = 0, wrong = 0;  ///< not the same bits; by more than a rounding
};

Compared compare(const std::vector<float>& in, const std::vector<float>& expected,
                 const std::vector<std::uint16_t>& got) {
  Compared result;
  for (std::size_t n = 0; n < got.size(); ++n) {
    const auto x = static_cast<double>(float_from_bfloat16(got[n])), y = static_cast<double>(expected[n]);
    const std::size_t pair = n > 0 ? n - 1 : n;
    const double size = std::abs(static_cast<double>(in[n])) + std::abs(static_cast<double>(in[pair])) +
                        std::abs(static_cast<double>(in[std::min(n + 1, in.size() - 1)]));
    result.differing += got[n] != bfloat16_from_float(expected[n]) ? 1 : 0;
    result.wrong += std::abs(x - y) <= std::abs(y) * 0x1p-8 + size * 0x1p-21 ? 0 : 1;
  }
  return result;
}

bool check(const Shape& shape, bool in_place) {
  const std::vector<float> table = rotary_chunk_table(shape.seq_len + 1, shape.head_dim);
  const DeviceBuffer device_table(table.size() * 4);
  TRISCOPE_CUDA_CHECK(cudaMemcpy(device_table.data(), table.data(), table.size() * 4, cudaMemcpyHostToDevice));
  RotaryPrologue prologue{shape.batch, shape.seq_len, shape.head_dim, {}, device_table.as<float>()};
  std::vector<float> inputs[3];
  DeviceBuffer in[3], out[3];
  for (int t = 0; t < 3; ++t) {
    inputs[t].resize(static_cast<std::size_t>(shape.count(t)));
    fill_input(static_cast<InputStream>(t), 11, Element::bf16, inputs[t]);
    const std::vector<std::uint16_t> bits = to_bf16(inputs[t]);
    in[t] = DeviceBuffer(bits.size() * 2);
    TRISCOPE_CUDA_CHECK(cudaMemcpy(in[t].data(), bits.data(), bits.size() * 2, cudaMemcpyHostToDevice));
    if (!in_place) {
      out[t] = DeviceBuffer(bits.size() * 2);
      TRISCOPE_CUDA_CHECK(cudaMemset(out[t].data(), 0xFF, bits.size() * 2));
    }
    prologue.tensors[static_cast<std::size_t>(t)] = {in[t].data(), in_place ? in[t].data() : out[t].data(),
                                                     shape.heads(t)};
  }
  const Stream stream;
  cuda::launch_rotary_prologue(prologue, stream.get());
  TRISCOPE_CUDA_CHECK(cudaStreamSynchronize(stream.get()));
  Compared all, shifted;
  std::int64_t count = 0;
  const std::vector<float> later(table.begin() + shape.head_dim / 3 * 2, table.end());
  for (int t = 0; t < 3; ++t) {
    std::vector<std::uint16_t> got(inputs[t].size());
    TRISCOPE_CUDA_CHECK(
        cudaMemcpy(got.data(), in_place ? in[t].data() : out[t].data(), got.size() * 2, cudaMemcpyDeviceToHost));
    for (const bool wrongly : {false, true}) {
      std::vector<float> expected = inputs[t];
      rotate_chunks(shape.batch, shape.seq_len, shape.heads(t), shape.head_dim, wrongly ? later : table, expected);
      const Compared one = compare(inputs[t], expected, got);
      Compared& sum = wrongly ? shifted : all;
      sum.differing += one.differing, sum.wrong += one.wrong;
    }
    count += shape.count(t);
  }
  // Beside a table that is a position late nearly all of the first chunks must differ, else the comparison is blind.
  const bool good = all.wrong == 0 && all.differing <= count / 500 + 2 && shifted.wrong > count / 20;
  fmt::print(stderr,
             "{} batch {} seq {} heads {}/{} dim {}{}: {} of {} elements rounded otherwise, {} wrong; {} wrong a "
             "position late\n",
             good ? "ok  " : "FAIL", shape.batch, shape.seq_len, shape.q_heads, shape.kv_heads, shape.head_dim,
             in_place ? " in place" : "", all.differing, count, all.wrong, shifted.wrong);
  return good;
}

bool check_all() {
  bool good = true;
  for (const Shape& shape : {Shape{1, 64, 4, 1, 128},
                             {2, 33, 3, 1, 64},
                             {1, 17, 2, 2, 24},
                             {1, 9, 1, 1, 8},
                             {3, 50, 5, 5, 40},
                             {1, 2048, 8, 1, 128},
                             {1, 1000, 2, 1, 256}}) {
    for (const bool in_place : {false, true}) good = check(shape, in_place) && good;
  }
  return good;
}

/// The shape of the paper's Table 1, and a forward on it.
class Timed {
 public:
  Timed() {
    problem_.form = Form::determinant;
    problem_.seq_len = 32'768;
    const Kernel* hopper = find_kernel("cuda.hopper");
    const bool runs = hopper != nullptr && !hopper->unsupported(problem_, Pass::forward);
    kernel_ = runs ? hopper : find_kernel("cuda.portable");
    instance_ = kernel_->choose_instance(problem_, Pass::forward);
    for (int t = 0; t < 5; ++t) {
      const std::int64_t heads = t == 0 ? problem_.q_heads : problem_.kv_heads;
      const std::int64_t count = problem_.seq_len * heads * problem_.head_dim;
      tensors_[t] = DeviceBuffer(static_cast<std::size_t>(count) * 2);
      reference::fill(tensors_[t].data(), count, static_cast<InputStream>(t), 7, reference::Kind::normal,
                      static_cast<int>(heads * problem_.head_dim), static_cast<int>(problem_.seq_len));
      if (t < 3) prologue_.tensors[static_cast<std::size_t>(t)] = {tensors_[t].data(), tensors_[t].data(), heads};
    }
    o_ = DeviceBuffer(tensors_[0].bytes());
    lse_ = DeviceBuffer(static_cast<std::size_t>(problem_.seq_len * problem_.q_heads) * 4);
    in_bf16_ = DeviceBuffer(4);
    workspace_ = DeviceBuffer(std::max<std::size_t>(kernel_->workspace_bytes(problem_, Pass::forward, instance_), 1));
    const std::vector<float> table = rotary_chunk_table(problem_.seq_len, problem_.head_dim);
    table_ = DeviceBuffer(table.size() * 4);
    TRISCOPE_CUDA_CHECK(cudaMemcpy(table_.data(), table.data(), table.size() * 4, cudaMemcpyHostToDevice));
    prologue_.seq_len = problem_.seq_len, prologue_.head_dim = problem_.head_dim;
    prologue_.table = table_.as<float>();
    TRISCOPE_CUDA_CHECK(cudaDeviceSynchronize());
  }

  void prologue() { cuda::launch_rotary_prologue(prologue_, stream_.get()); }
  void forward() {
    Arguments a;
    a.q = tensors_[0].data(), a.k1 = tensors_[1].data(), a.k2 = tensors_[2].data();
    a.v1 = tensors_[3].data(), a.v2 = tensors_[4].data();
    a.o = o_.data(), a.lse = lse_.as<float>(), a.workspace = workspace_.data(), a.stream = stream_.get();
    a.lse_in_bf16 = in_bf16_.as<std::uint32_t>();
    kernel_->launch(problem_, Pass::forward, instance_, a);
  }

  /// Milliseconds of one call, in a block of `count`.
  template <typename Call>
  double block_ms(std::int64_t count, Call call) {
    timer_.start(stream_.get());
    for (std::int64_t n = 0; n < count; ++n) call();
    timer_.stop(stream_.get());
    return timer_.elapsed_ms() / static_cast<double>(count);
  }

  const Problem& problem() const { return problem_; }
  const Kernel& kernel() const { return *kernel_; }

 private:
  Problem problem_;
  const Kernel* kernel_ = nullptr;
  std::string instance_;
  Stream stream_;
  EventTimer timer_;
  RotaryPrologue prologue_;
  DeviceBuffer tensors_[5], o_, lse_, in_bf16_, workspace_, table_;
};

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

void print_row() {
  Timed timed;
  const auto prologue = [&] { timed.prologue(); };
  const auto forward = [&] { timed.forward(); };
  const auto both = [&] { timed.prologue(), timed.forward(); };
  const double one = timed.block_ms(20, prologue), whole = timed.block_ms(3, forward);  // warm
  const auto times = [](double ms) { return std::max<std::int64_t>(1, std::llround(std::ceil(kBlockMs / ms))); };
  std::vector<double> prologues, forwards, together;
  // In turns, and each forward behind a block of prologues: they use less power, so what follows has a higher clock.
  for (int turn = 0; turn < kTurns; ++turn) {
    prologues.push_back(timed.block_ms(times(one), prologue));
    forwards.push_back(timed.block_ms(times(whole), forward));
    prologues.push_back(timed.block_ms(times(one), prologue));
    together.push_back(timed.block_ms(times(whole), both));
  }
  cudaDeviceProp device{};
  TRISCOPE_CUDA_CHECK(cudaGetDeviceProperties(&device, 0));
  const Problem& p = timed.problem();
  const double bytes = 4.0 * static_cast<double>(p.seq_len * p.head_dim * (p.q_heads + 2 * p.kv_heads));
  const double ms = median(prologues), forward_ms = median(forwards), both_ms = median(together);
  const auto [least, most] = std::ranges::minmax(prologues);
  fmt::print(stderr,
             "prologue {:.4f} ms ({:.4f} to {:.4f} in {} blocks), {:.0f} GB/s; forward of {} {:.3f} ms: {:.2f} %; "
             "one after the other {:.3f} ms\n",
             ms, least, most, 2 * kTurns, bytes / ms * 1e-6, timed.kernel().info().id, forward_ms,
             100 * ms / forward_ms, both_ms);
  fmt::print("{},{:%Y-%m-%d},{},{},{},{},{}x{},{:.4f},{:.4f},{:.4f},{},{:.3f},{:.3f}\n", device.name,
             fmt::gmtime(std::chrono::system_clock::now()), p.seq_len, p.q_heads, p.kv_heads, p.head_dim, p.window1,
             p.window2, ms, least, most, timed.kernel().info().id, forward_ms, both_ms);
}

}  // namespace
}  // namespace triscope

int main(int count, char** arguments) {
  const bool row = count > 1 && std::string(arguments[1]) == "row";
  if (count > 2 || (count == 2 && !row)) {
    fmt::print(stderr, "usage: rotary_prologue_check [row]\n");
    return 2;
  }
  try {
    if (!triscope::check_all()) return 1;
    if (row) triscope::print_row();
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}
