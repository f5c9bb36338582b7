// A worker for tests. Its kernels misbehave on purpose (ids "test.*"); with TRISCOPE_TEST_WORKER set, so does its
// protocol, or ("gpu", "baselines") its machine has a GPU, and baselines on it.
#include <omp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "kernels/base/error.hpp"
#include "kernels/registry/registry.hpp"
#include "profiler/worker/device/cpu_backend.hpp"
#include "profiler/worker/serve.hpp"

namespace triscope {
namespace {

// The oracle under another name, whose `misbehave` sees each launch's number and the output.
class TestKernel : public Kernel {
 public:
  using Misbehave = std::function<void(int launch, float* o)>;

  TestKernel(std::string id, Misbehave misbehave, bool backward = true, DeviceKind device = DeviceKind::cpu)
      : oracle_(*find_kernel("cpu.oracle")), misbehave_(std::move(misbehave)), backward_(backward) {
    info_ = oracle_.info();
    info_.name = info_.card.label = info_.card.short_label = id;
    info_.id = std::move(id);
    info_.card.kind = KernelKind::simplicial;
    info_.source_hash = {"test", "test"};
    info_.device = device;
    info_.instances = {"small", "large"};
  }

  const KernelInfo& info() const override { return info_; }
  std::optional<std::string> unsupported(const Problem& problem, Pass pass) const override {
    if (pass == Pass::backward && !backward_) return "it has no backward";
    return oracle_.unsupported(problem, pass);
  }
  std::string choose_instance(const Problem& problem, Pass) const override {
    return problem.seq_len < 100 ? "small" : "large";
  }
  std::size_t workspace_bytes(const Problem& problem, Pass pass, std::string_view) const override {
    return oracle_.workspace_bytes(problem, pass, oracle_.info().instances.front());
  }
  void launch(const Problem& problem, Pass pass, std::string_view, const Arguments& arguments) const override {
    oracle_.launch(problem, pass, oracle_.info().instances.front(), arguments);
    misbehave_(++launches_, static_cast<float*>(arguments.o));
  }

 private:
  const Kernel& oracle_;
  Misbehave misbehave_;
  bool backward_;
  KernelInfo info_;
  mutable int launches_ = 0;
};

// Sees one first key more than its window has.
class WiderKernel final : public TestKernel {
 public:
  explicit WiderKernel(std::string id) : TestKernel(std::move(id), [](int, float*) {}) {}
  void launch(const Problem& problem, Pass pass, std::string_view instance, const Arguments& arguments) const override {
    Problem wider = problem;
    wider.window1 = std::min(problem.window1 + 1, problem.seq_len);
    TestKernel::launch(wider, pass, instance, arguments);
  }
};

[[noreturn]] void sleep_for_ever() {
  while (true) std::this_thread::sleep_for(std::chrono::hours(1));
}

void crash() {
  std::fprintf(stderr, "about to crash\n");
  std::signal(SIGSEGV, SIG_DFL);  // a sanitizer's handler would turn it into an exit
  std::raise(SIGSEGV);
}

void protocol_rubbish() {
  // The kernel knows no file descriptor of the protocol; a wild write to every pipe finds it all the same.
  for (int fd = 3; fd < 64; ++fd) {
    struct stat facts {};
    if (fstat(fd, &facts) == 0 && S_ISFIFO(facts.st_mode) && write(fd, "what is this\n", 13) != 13)
      std::perror("write");
  }
}

// True while `process` is there and not stopped.
bool runs(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::size_t name_end = text.rfind(") ");
  return name_end != std::string::npos && text[name_end + 2] != 'T';
}

// A child holds the pipes open until this process stands still; otherwise its reader might end it together with stdin.
void close_protocol() {
  const pid_t worker = getpid();
  if (fork() == 0) {
    while (runs(worker)) usleep(1000);
    _exit(0);
  }
  for (int fd = 3; fd < 64; ++fd) {
    struct stat facts {};
    if (fstat(fd, &facts) == 0 && S_ISFIFO(facts.st_mode)) close(fd);
  }
  std::raise(SIGSTOP);
}

bool device_lost = false;

void lose_device() {
  device_lost = true;
  throw Error("the launch failed", "the device is lost", "do nothing");
}

// A machine with a GPU: device "0", which computes as the CPU does and can be lost.
class MachineWithGpu final : public CpuBackend {
 public:
  explicit MachineWithGpu(const std::string& device) : on_gpu_(device == "0") {
    gpu_ = CpuBackend::device();
    gpu_.id = "0";
    gpu_.kind = DeviceKind::cuda;
  }
  const Device& device() const override { return on_gpu_ ? gpu_ : CpuBackend::device(); }
  std::vector<Device> all_devices() const override { return {gpu_, CpuBackend::device()}; }
  bool lost() override { return device_lost; }
  std::vector<Counter> read_counters(CounterSet, const Launch& launch) override {
    launch();
    return {{"dram__bytes.sum", "byte", 4096}};
  }

 private:
  bool on_gpu_;
  Device gpu_;
};

int run_worker_with_gpu(int argc, char** argv, KernelList kernels) {
  const WorkerArguments arguments = parse_worker_arguments(argc, argv);
  Channel channel;
  MachineWithGpu backend(arguments.device);
  serve(channel, backend, kernels, arguments.mode);
  return 0;
}

std::vector<std::unique_ptr<Kernel>> make_kernels() {
  std::vector<std::unique_ptr<Kernel>> kernels;
  const auto add = [&](const char* id, TestKernel::Misbehave misbehave, bool backward = true) {
    kernels.push_back(std::make_unique<TestKernel>(id, std::move(misbehave), backward));
  };
  const auto from_launch = [](int first, std::function<void()> act) {
    return [first, act = std::move(act)](int launch, float*) {
      if (launch >= first) act();
    };
  };
  add("test.good", [](int, float*) {});
  add(
      "test.forward_only", [](int, float*) {}, false);
  add("test.chatty", [](int, float*) { std::puts("{\"type\":\"done\"}"), std::fflush(stdout); });
  kernels.push_back(std::make_unique<WiderKernel>("test.wider"));
  add("test.wrong", [](int, float* o) { o[0] += 1.0f; });
  // Right in the process that makes the file $TRISCOPE_TEST_MARK, wrong in each later one.
  add("test.wrong_later", [](int, float* o) {
    static const bool later = [] {
      const char* mark = std::getenv("TRISCOPE_TEST_MARK");
      const bool there = mark != nullptr && access(mark, F_OK) == 0;
      if (mark != nullptr) std::ofstream{mark};
      return there;
    }();
    if (later) o[0] += 1.0f;
  });
  add("test.throws_late", from_launch(3, [] { throw Error("the launch failed", "a test wants it so", "do nothing"); }));
  add("test.hangs_at_once", from_launch(1, [] { sleep_for_ever(); }));
  add("test.hangs_with_samples", [](int launch, float*) {
    if (launch >= 40) {
      if (const char* mark = std::getenv("TRISCOPE_TEST_MARK")) std::ofstream{mark};  // tells the test
      sleep_for_ever();
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  });
  add("test.hangs_late", from_launch(3, [] { sleep_for_ever(); }));
  add("test.crashes_at_once", from_launch(1, crash));
  add("test.crashes_late", from_launch(4, crash));
  add("test.exits", from_launch(1, [] { std::_Exit(3); }));
  add("test.exits_silently", from_launch(1, [] { std::_Exit(0); }));
  add("test.closes_protocol", from_launch(1, close_protocol));
  add("test.loses_device", from_launch(1, lose_device));
  kernels.push_back(std::make_unique<TestKernel>(
      "test.gpu", [](int, float*) {}, true, DeviceKind::cuda));
  add("test.writes_rubbish", from_launch(1, protocol_rubbish));
  add("test.slow", [](int, float*) { std::this_thread::sleep_for(std::chrono::milliseconds(50)); });
  return kernels;
}

// Baselines on a GPU, as the doctor asks for them: the library of one ends the worker.
class TestBaseline final : public Kernel {
 public:
  TestBaseline(std::string id, bool crashes) : crashes_(crashes) {
    info_ = find_kernel("baseline.cpu")->info();
    info_.id = std::move(id);
    info_.device = DeviceKind::cuda;
  }
  const KernelInfo& info() const override { return info_; }
  std::optional<std::string> unsupported(const Problem&, Pass) const override {
    if (crashes_) crash();
    return std::nullopt;
  }
  std::size_t workspace_bytes(const Problem&, Pass, std::string_view) const override { return 0; }
  void launch(const Problem&, Pass, std::string_view, const Arguments&) const override {}

 private:
  KernelInfo info_;
  bool crashes_;
};

// Speaks another protocol, or none.
void misbehave_at_start(std::string_view how) {
  if (how == "version")
    std::puts(R"({"type":"hello","protocol":999,"version":"9.9.9","mode":"cpu"})"), std::fflush(stdout);
  if (how == "rubbish") std::puts("bash: welcome to this machine"), std::fflush(stdout);
  if (how == "exit") std::exit(3);
  if (how == "silent_exit") std::exit(0);
  if (how == "no_hello") std::puts(R"({"type":"done"})"), std::fflush(stdout);
  sleep_for_ever();
}

}  // namespace
}  // namespace triscope

int main(int argc, char** argv) {
  const char* how = std::getenv("TRISCOPE_TEST_WORKER");
  const bool baselines = how != nullptr && std::string_view(how) == "baselines";
  const bool gpu = baselines || (how != nullptr && std::string_view(how) == "gpu");
  if (how != nullptr && !gpu) triscope::misbehave_at_start(how);
  omp_set_num_threads(1);  // tiny problems: threads would only wait for each other, and for other tests
  auto own = triscope::make_kernels();
  if (baselines) {
    own.push_back(std::make_unique<triscope::TestBaseline>("test.baseline_crashes", true));
    own.push_back(std::make_unique<triscope::TestBaseline>("test.baseline", false));
  }
  std::vector<const triscope::Kernel*> kernels;
  for (const auto& kernel : triscope::all_kernels()) kernels.push_back(kernel.get());
  for (const auto& kernel : own) kernels.push_back(kernel.get());
  return gpu ? triscope::run_worker_with_gpu(argc, argv, kernels) : triscope::run_worker(argc, argv, kernels);
}
