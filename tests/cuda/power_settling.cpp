// How long after a change of load does a kernel run at a clock that is not its own? Alternates two kernels, half a
// second each, and prints the time of a launch over the time since the change, relative to the kernel on its own. This
// is where the settling time of profiler/worker/cuda/cuda_backend.cpp comes from. By hand, on a GPU:
//   power_settling [KERNEL KERNEL]      (default: cuda.portable cuda.hopper)
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "kernels/attention/inputs.hpp"
#include "kernels/base/error.hpp"
#include "kernels/cuda/common/cuda_error.hpp"
#include "kernels/registry/registry.hpp"
#include "tests/cuda/steady_load.hpp"

namespace triscope {
namespace {

constexpr double kTurnMs = 500, kAloneMs = 1500, kBinMs = 20;
constexpr int kTurns = 6;

// N(0,1) in bf16.
cuda::DeviceBuffer random_tensor(InputStream stream, std::size_t count) {
  std::vector<float> values(count);
  fill_input(stream, 1, Element::bf16, values);
  std::vector<std::uint16_t> bits(count);
  for (std::size_t n = 0; n < count; ++n)
    bits[n] = static_cast<std::uint16_t>(__builtin_bit_cast(std::uint32_t, values[n]) >> 16);
  cuda::DeviceBuffer buffer(2 * count);
  TRISCOPE_CUDA_CHECK(cudaMemcpy(buffer.data(), bits.data(), 2 * count, cudaMemcpyHostToDevice));
  return buffer;
}

class Load {
 public:
  explicit Load(const std::string& id) : kernel_(find_kernel(id)) {
    if (kernel_ == nullptr)
      throw Error("the load cannot be made", "there is no kernel " + id, "see `triscope kernels`");
    const std::size_t rows = static_cast<std::size_t>(problem_.seq_len),
                      dim = static_cast<std::size_t>(problem_.head_dim);
    const std::size_t heads = static_cast<std::size_t>(problem_.q_heads);
    for (const InputStream stream :
         {InputStream::q, InputStream::k1, InputStream::k2, InputStream::v1, InputStream::v2}) {
      tensors_.push_back(random_tensor(stream, rows * dim * (stream == InputStream::q ? heads : 1)));
    }
    tensors_.emplace_back(2 * rows * dim * heads);
    tensors_.emplace_back(4 * rows * heads);
    instance_ = kernel_->choose_instance(problem_, Pass::forward);
    tensors_.emplace_back(kernel_->workspace_bytes(problem_, Pass::forward, instance_));
    arguments_ = {tensors_[0].data(), tensors_[1].data(), tensors_[2].data(), tensors_[3].data(), tensors_[4].data()};
    arguments_.o = tensors_[5].data();
    arguments_.lse = tensors_[6].as<float>();
    arguments_.workspace = tensors_[7].data();
    arguments_.stream = stream_.get();
  }

  const std::string& id() const { return kernel_->info().id; }

  /// Runs for `span_ms`; calls `seen(ms since the start, ms of a launch)` after each launch.
  template <typename Seen>
  void run(double span_ms, Seen seen) {
    for (double now_ms = 0; now_ms < span_ms;) {
      timer_.start(stream_.get());
      kernel_->launch(problem_, Pass::forward, instance_, arguments_);
      timer_.stop(stream_.get());
      const double launch_ms = timer_.elapsed_ms();
      seen(now_ms, launch_ms);
      now_ms += launch_ms;
    }
  }

 private:
  Problem problem_ = steady_load();
  const Kernel* kernel_;
  std::string instance_;
  std::vector<cuda::DeviceBuffer> tensors_;
  Arguments arguments_;
  cuda::Stream stream_;
  cuda::EventTimer timer_;
};

struct Mean {
  double sum = 0;
  int count = 0;
  void add(double value) { sum += value, ++count; }
  double value() const { return count > 0 ? sum / count : 0; }
};

int print_settling(const std::vector<std::string>& ids) {
  Load first(ids[0]), second(ids[1]);
  std::map<const Load*, Mean> alone;
  for (Load* load : {&first, &second}) {
    load->run(kAloneMs, [&](double now_ms, double launch_ms) {
      if (now_ms > kAloneMs / 2) alone[load].add(launch_ms);
    });
    std::printf("%-16s alone %.4f ms a launch\n", load->id().c_str(), alone[load].value());
  }
  std::map<const Load*, std::map<int, Mean>> bins;
  for (int turn = 0; turn < kTurns; ++turn) {
    for (Load* load : {&first, &second}) {
      load->run(kTurnMs,
                [&](double now_ms, double launch_ms) { bins[load][static_cast<int>(now_ms / kBinMs)].add(launch_ms); });
    }
  }
  std::printf("since change, ms   %16s   %16s   (time of a launch / alone)\n", first.id().c_str(), second.id().c_str());
  for (const auto& [bin, mean] : bins[&first]) {
    std::printf("%16.0f   %16.4f   %16.4f\n", bin * kBinMs, mean.value() / alone[&first].value(),
                bins[&second][bin].value() / alone[&second].value());
  }
  return 0;
}

}  // namespace
}  // namespace triscope

int main(int argc, char** argv) {
  try {
    return triscope::print_settling(argc == 3 ? std::vector<std::string>{argv[1], argv[2]}
                                              : std::vector<std::string>{"cuda.portable", "cuda.hopper"});
  } catch (const triscope::Error& error) {
    std::fprintf(stderr, "power_settling: %s\n", error.what());
    return static_cast<int>(error.code());
  }
}
