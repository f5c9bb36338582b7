// What does it cost a measured kernel that its samples are sent while it is measured? Samples the same launch with and
// without the stream in turns and prints the ratio of their times; or counts the cycles of a launch while samples are
// sent without pause and while nothing is. By hand, on a GPU:
//   stream_cost times | cycles [KERNEL [PAIRS]]      (default: cuda.hopper, 20; counters want no tracing beside them)
// On an H200 20 pairs know the ratio of cycles to 0.25 %, 150 to 0.05 % in a minute.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "kernels/base/error.hpp"
#include "kernels/registry/registry.hpp"
#include "profiler/statistics/statistics.hpp"
#include "profiler/worker/channel.hpp"
#include "profiler/worker/cuda/cuda_backend.hpp"
#include "profiler/worker/jobs/sampling.hpp"
#include "profiler/worker/jobs/tensors.hpp"
#include "tests/cuda/steady_load.hpp"

namespace triscope {
namespace {

constexpr int kUsualPairs = 20;
constexpr std::int64_t kSustainedNs = 400'000'000, kBurstNs = 200'000'000;

/// The worker's end of a pipe to somebody who reads all that comes.
class Stream {
 public:
  Stream() {
    if (::pipe(to_worker_) != 0 || ::pipe(from_worker_) != 0)
      throw Error("the stream cannot be made", std::strerror(errno), "close other programs, then try again");
    reader_ = std::thread([this] {
      std::vector<char> bytes(1 << 16);
      for (ssize_t count = 0; (count = ::read(from_worker_[0], bytes.data(), bytes.size())) > 0;) received_ += count;
    });
    channel_ = std::make_unique<Channel>(Channel::Ends{to_worker_[0], from_worker_[1]});
  }
  ~Stream() {
    ::close(to_worker_[1]);
    channel_.reset();
    ::close(from_worker_[1]);
    reader_.join();
    ::close(from_worker_[0]);
    ::close(to_worker_[0]);
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  void send(std::int64_t entry, std::span<const Sample> samples) {
    channel_->send(SampleBatch{entry, {samples.begin(), samples.end()}});
  }
  std::int64_t received() const { return received_; }

 private:
  int to_worker_[2] = {-1, -1}, from_worker_[2] = {-1, -1};
  std::atomic<std::int64_t> received_{0};
  std::thread reader_;
  std::unique_ptr<Channel> channel_;
};

/// A launch of `id`'s forward on `backend`.
class Load {
 public:
  Load(Backend& backend, const std::string& id)
      : kernel_(find_kernel(id)), inputs_(backend, problem_, false, InputSource{}) {
    if (kernel_ == nullptr)
      throw Error("the load cannot be made", "there is no kernel " + id, "see `triscope kernels`");
    instance_ = kernel_->choose_instance(problem_, Pass::forward);
    outputs_ = std::make_unique<OutputSet>(
        backend, problem_, Pass::forward,
        static_cast<std::size_t>(kernel_->workspace_bytes(problem_, Pass::forward, instance_)));
    inputs_.fill(arguments_);
    outputs_->fill(arguments_);
    arguments_.stream = backend.stream();
  }
  void launch() { kernel_->launch(problem_, Pass::forward, instance_, arguments_); }

 private:
  Problem problem_ = steady_load();
  const Kernel* kernel_;
  std::string instance_;
  InputSet inputs_;
  std::unique_ptr<OutputSet> outputs_;
  Arguments arguments_;
};

double median_ns(Backend& backend, Load& load, Regime regime, Stream* stream) {
  std::vector<SamplingEntry> entries(1);
  entries[0].label = "load";
  entries[0].launch = [&] { load.launch(); };
  SamplingHooks hooks;
  if (stream != nullptr) {
    hooks.sampled = [&](const SamplingEntry& entry, std::span<const Sample> samples) {
      stream->send(entry.index, samples);
    };
  }
  StoppingRule rule;
  rule.precision = 0;
  rule.budget_ns = regime == Regime::burst ? kBurstNs : kSustainedNs;
  take_samples(backend, regime, rule, entries, hooks);
  if (!entries[0].failure.empty()) throw Error("the load cannot be timed", entries[0].failure, "see `triscope doctor`");
  return median(entries[0].block_values);
}

void print_ratio(const char* what, std::vector<double> with, const std::vector<double>& without) {
  for (std::size_t n = 0; n < with.size(); ++n) with[n] = std::log(with[n] / without[n]);
  const Interval interval = t_interval(with);
  std::printf("%-18s with / without the stream %.5f  [%.5f, %.5f]  %zu pairs\n", what, std::exp(median(with)),
              std::exp(interval.low), std::exp(interval.high), with.size());
}

int print_times(const std::string& id, int pairs) {
  CudaBackend backend(make_activity_timer(), "0");
  Load load(backend, id);
  Stream stream;
  for (const Regime regime : {Regime::sustained, Regime::burst}) {
    std::vector<double> with, without;
    median_ns(backend, load, regime, nullptr);  // warm
    for (int pair = 0; pair < pairs; ++pair) {
      // A B, then B A: what drifts cancels.
      if (pair % 2 == 0) with.push_back(median_ns(backend, load, regime, &stream));
      without.push_back(median_ns(backend, load, regime, nullptr));
      if (pair % 2 != 0) with.push_back(median_ns(backend, load, regime, &stream));
    }
    print_ratio(regime == Regime::burst ? "time, burst" : "time, sustained", with, without);
  }
  std::printf("%lld bytes were streamed\n", static_cast<long long>(stream.received()));
  return stream.received() > 0 ? 0 : 1;
}

double cycles(Backend& backend, Load& load) {
  for (const Counter& counter : backend.read_counters(CounterSet::quick, [&] { load.launch(); })) {
    if (counter.name == "sm__cycles_elapsed.max") return counter.value;
  }
  throw Error("the cycles cannot be counted", "this chip has no counter sm__cycles_elapsed.max", "use another GPU");
}

int print_cycles(const std::string& id, int pairs) {
  CudaBackend backend(make_events_timer(), "0", true);
  Load load(backend, id);
  Stream stream;
  const std::vector<Sample> batch(64);
  std::vector<double> with, without;
  cycles(backend, load);  // warm
  for (int pair = 0; pair < pairs; ++pair) {
    const auto streamed = [&] {
      std::atomic<bool> over{false};
      std::thread sender([&] {
        while (!over) stream.send(0, batch);
      });
      with.push_back(cycles(backend, load));
      over = true;
      sender.join();
    };
    if (pair % 2 == 0) streamed();
    without.push_back(cycles(backend, load));
    if (pair % 2 != 0) streamed();
  }
  print_ratio("counted cycles", with, without);
  std::printf("%lld bytes were streamed\n", static_cast<long long>(stream.received()));
  return stream.received() > 0 ? 0 : 1;
}

}  // namespace
}  // namespace triscope

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "", kernel = argc > 2 ? argv[2] : "cuda.hopper";
  const int pairs = argc > 3 ? std::atoi(argv[3]) : triscope::kUsualPairs;
  if ((mode != "times" && mode != "cycles") || pairs < 2) {
    std::fprintf(stderr, "use: stream_cost times | cycles [KERNEL [PAIRS]]\n");
    return 2;
  }
  try {
    return mode == "times" ? triscope::print_times(kernel, pairs) : triscope::print_cycles(kernel, pairs);
  } catch (const triscope::Error& error) {
    std::fprintf(stderr, "stream_cost: %s\n", error.what());
    return static_cast<int>(error.code());
  }
}
