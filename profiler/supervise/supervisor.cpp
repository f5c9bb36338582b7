#include "profiler/supervise/supervisor.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <optional>
#include <type_traits>
#include <utility>

#include "build_facts.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/files/program_folder.hpp"
#include "profiler/supervise/attempt.hpp"
#include "profiler/supervise/worker_process.hpp"

namespace triscope {
namespace {

using Clock = WorkerProcess::Clock;
using std::chrono::milliseconds;

constexpr std::size_t kLastWords = 3;           // lines of stderr quoted with a crash
constexpr auto kQuitLimit = milliseconds(500);  // from quit to kill, and from cancel to kill when the program ends
constexpr int kAttempts = 3;                    // to start a worker that others kill before it measures anything
constexpr auto kUnlimited = std::chrono::hours(24 * 365);

/// The worker is gone or useless. `what()` says why, as the reason of a failed measurement.
class WorkerLost : public std::runtime_error {
 public:
  enum class How { failed, killed, late };
  WorkerLost(const std::string& why, How way) : std::runtime_error(why), how(way) {}
  How how;  ///< killed: by SIGKILL, and not by us: by a person, or for want of memory
};

double seconds(milliseconds time) { return std::chrono::duration<double>(time).count(); }

/// Why a silent worker is killed: it exceeded the limit of a job, or after a stop the time it has to answer. What runs
/// in another program goes on there.
std::string lateness_text(bool cancelling, bool in_program, const WorkerOptions& options) {
  const char* goes_on = "goes on in the process that it was measured in";
  if (cancelling) {
    return fmt::format("the worker did not stop within {:.3g} s and {}", seconds(options.cancel_grace),
                       in_program ? goes_on : "was killed");
  }
  if (in_program)
    return fmt::format("it ran longer than the limit of {:.3g} s and {}", seconds(options.time_limit), goes_on);
  return fmt::format("it ran longer than the limit of {:.3g} s, so the worker was killed", seconds(options.time_limit));
}

Error stopped() { return Error("the job was not done", "it was stopped", "run it again", ExitCode::measured_failed); }

std::vector<std::string> command_of(const WorkerOptions& options) {
  std::vector<std::string> command = options.prefix;
  if (!options.program.empty()) {
    command.push_back(options.program.string());
  } else {
    command.push_back(options.prefix.empty() ? find_worker().string() : "triscope-worker");
  }
  for (const std::string& word : {std::string("--mode"), options.mode, std::string("--device"), options.device})
    command.push_back(word);
  if (!options.plugin.empty()) {
    for (const std::string& word :
         {std::string("--plugin"), options.plugin.string(), std::string("--plugin-sha256"), options.plugin_sha256})
      command.push_back(word);
  }
  return command;
}

// By default OpenMP's threads spin for milliseconds where they wait. On a machine with other work they then wait for
// cores that others have, and a launch of 0.4 ms takes 40 (docs/method.md). Who sets a policy of their own keeps it.
std::vector<std::string> variables_of(const WorkerOptions& options) {
  std::vector<std::string> variables = options.environment;
  for (const char* name : {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT"}) {
    const bool given = std::any_of(variables.begin(), variables.end(), [&](const std::string& variable) {
      return variable.starts_with(std::string(name) + "=");
    });
    if (given || std::getenv(name) != nullptr) return variables;
  }
  variables.emplace_back("OMP_WAIT_POLICY=passive");
  return variables;
}

}  // namespace

std::filesystem::path find_worker() {
  if (const char* path = std::getenv("TRISCOPE_WORKER"); path != nullptr && *path != '\0') return path;
  std::error_code error;
  const std::filesystem::path worker = program_folder() / "triscope-worker";
  if (!std::filesystem::exists(worker, error)) {
    throw Error("the worker cannot be found", fmt::format("there is no {}", worker.string()),
                "build Triscope completely, or set TRISCOPE_WORKER to the triscope-worker program");
  }
  return worker;
}

struct Supervisor::Impl {
  explicit Impl(WorkerOptions given) : options(std::move(given)) {}

  void ensure_started();
  void forget();
  std::optional<Message> start(const std::vector<std::string>& command);
  void send(const Message& message) { process->write(to_bytes(message)); }
  /// The next message; nullopt when `wake` was set. Throws `WorkerLost`; the process is gone then.
  std::optional<Message> receive(Clock::time_point deadline, const WakeEvent* wake, const std::string& lateness);
  template <typename Reply>
  Reply ask(const Message& request, milliseconds limit, std::stop_token stop = {});
  void forward_log();
  [[noreturn]] void lose(const std::string& reason, WorkerLost::How how = WorkerLost::How::failed);
  void quit();

  WorkerOptions options;
  std::unique_ptr<WorkerProcess> process;
  FrameParser parser;
  std::deque<Frame> frames;
  std::string rubbish;  ///< what arrived behind `frames` and is no message
  std::deque<std::string> last_words;
  bool greeted = false;     ///< it has said hello
  bool in_program = false;  ///< as it said then
  bool used = false;        ///< it has done a job: should it be dead at the next, then it died while idle
};

void Supervisor::Impl::forward_log() {
  for (std::string& line : process->take_log()) {
    options.log(line);
    last_words.push_back(std::move(line));
    if (last_words.size() > kLastWords) last_words.pop_front();
  }
}

void Supervisor::Impl::lose(const std::string& reason, WorkerLost::How how) {
  process->end(Clock::now());
  forward_log();
  process.reset();
  std::string text = reason;
  if (!last_words.empty()) text += fmt::format("; its last output: {}", fmt::join(last_words, " | "));
  if (greeted) options.log(text);  // one that does not even start is an error, which says all this
  throw WorkerLost(text, how);
}

std::optional<Message> Supervisor::Impl::receive(Clock::time_point deadline, const WakeEvent* wake,
                                                 const std::string& lateness) {
  while (frames.empty()) {
    if (!rubbish.empty()) lose("the worker wrote something that is not a message: " + rubbish);
    std::string bytes;
    const WorkerProcess::Event event = process->wait(bytes, deadline, wake);
    forward_log();
    switch (event) {
      case WorkerProcess::Event::woken:
        return std::nullopt;
      case WorkerProcess::Event::timed_out:
        lose(lateness, WorkerLost::How::late);
      case WorkerProcess::Event::ended: {
        const std::string ending = process->end(Clock::now() + kQuitLimit);
        const bool killed = ending.find("SIGKILL") != std::string::npos;
        lose("the worker " + ending + (killed ? ", not by its supervisor: perhaps memory ran out" : ""),
             killed ? WorkerLost::How::killed : WorkerLost::How::failed);
      }
      case WorkerProcess::Event::output:
        break;
    }
    // Line by line and payload by payload, so that the messages in front of rubbish count: they name the entry that is
    // in flight.
    try {
      for (std::size_t start = 0; start < bytes.size();) {
        const std::size_t payload = parser.payload_left();
        const std::size_t line = payload > 0 ? 0 : std::min(bytes.find('\n', start), bytes.size() - 1) + 1 - start;
        const std::size_t end = start + std::min(payload > 0 ? payload : line, bytes.size() - start);
        for (Frame& frame : parser.feed(std::string_view(bytes).substr(start, end - start)))
          frames.push_back(std::move(frame));
        start = end;
      }
    } catch (const Error& e) {
      rubbish = e.why();
    }
  }
  const Frame frame = std::move(frames.front());
  frames.pop_front();
  try {
    return decode(frame);
  } catch (const Error& e) {
    lose("the worker wrote something that is not a message: " + e.why());
  }
}

/// Of the worker that was there before.
void Supervisor::Impl::forget() {
  parser = FrameParser();
  frames.clear();
  rubbish.clear();
  last_words.clear();
  greeted = used = in_program = false;
}

/// The first message of a new worker; nullopt when the program ends. Throws `WorkerLost`.
std::optional<Message> Supervisor::Impl::start(const std::vector<std::string>& command) {
  WakeEvent wake;
  const std::stop_callback on_close(options.closing, [&wake] { wake.set(); });
  for (int attempt = 1;; ++attempt) {
    forget();
    try {
      process = std::make_unique<WorkerProcess>(command, variables_of(options));
    } catch (const Error& e) {
      if (options.prefix.empty()) throw;
      throw Error(e.summary(), e.why(), "check the command given as worker prefix");
    }
    try {
      return receive(Clock::now() + options.handshake_limit, &wake,
                     fmt::format("it said nothing for {:.3g} s", seconds(options.handshake_limit)));
    } catch (const WorkerLost& e) {
      if (e.how != WorkerLost::How::killed || attempt == kAttempts) throw;
    }
  }
}

void Supervisor::Impl::ensure_started() {
  if (process) {
    // A worker that died while idle is replaced before it is asked anything.
    std::string bytes;
    if (process->wait(bytes, Clock::now(), nullptr) == WorkerProcess::Event::timed_out) return;
    forward_log();
    options.log("the worker is replaced: it " + process->end(Clock::now() + kQuitLimit) + " while it was idle");
    process.reset();
  }
  const std::vector<std::string> command = command_of(options);
  const auto refuse = [&](const std::string& why, const std::string& fix) {
    throw Error(fmt::format("the worker \"{}\" cannot be used", fmt::join(command, " ")), why, fix);
  };
  std::optional<Message> message;
  try {
    message = start(command);
  } catch (const WorkerLost& e) {
    constexpr std::string_view kSigned = "triscope-worker: ";
    if (!last_words.empty() && last_words.back().starts_with(kSigned)) {  // it says itself why it does not start
      std::string own = last_words.back().substr(kSigned.size());
      if (own.ends_with('.')) own.pop_back();
      refuse(own, "see `triscope doctor`");
    }
    refuse(e.what(), "run that command by hand: it should print one line of JSON and wait");
  }
  if (!message) {
    process.reset();
    throw stopped();
  }
  const Hello* hello = std::get_if<Hello>(&*message);
  if (hello == nullptr || hello->protocol != kProtocolVersion) {
    const std::string why =
        hello == nullptr ? std::string("its first message is not a greeting")
                         : fmt::format("it is version {} and speaks protocol {}, this is version {} with protocol {}",
                                       hello->version, hello->protocol, build_facts::kVersion, kProtocolVersion);
    process.reset();
    refuse(why, "install the same version of Triscope on both sides");
  }
  greeted = true;
  in_program = hello->in_program;
}

void Supervisor::Impl::quit() {
  if (!process) return;
  send(QuitRequest{});
  std::string bytes;
  const auto deadline = Clock::now() + kQuitLimit;
  while (process->wait(bytes, deadline, nullptr) == WorkerProcess::Event::output) bytes.clear();
  process->end(deadline);
  forward_log();
  process.reset();
}

template <typename Reply>
Reply Supervisor::Impl::ask(const Message& request, milliseconds limit, std::stop_token stop) {
  if (stop.stop_requested() || options.closing.stop_requested()) throw stopped();
  // What a worker says of its kernels changes nothing, so another one is asked when it is killed meanwhile.
  // One that is silent or ends by itself is likely to do so again.
  constexpr bool kAskAgain = std::is_same_v<Reply, CatalogReply> || std::is_same_v<Reply, SupportReply>;
  for (int attempt = 1;; ++attempt) {
    ensure_started();
    WakeEvent wake;
    const std::stop_callback on_stop(stop, [&wake] { wake.set(); });
    const std::stop_callback on_close(options.closing, [&wake] { wake.set(); });
    send(request);
    try {
      std::optional<Message> message =
          receive(Clock::now() + limit, &wake, fmt::format("it gave no answer within {:.3g} s", seconds(limit)));
      if (!message) {
        process.reset();
        throw stopped();
      }
      if (auto* reply = std::get_if<Reply>(&*message)) return std::move(*reply);
      if (const auto* error = std::get_if<ErrorReply>(&*message)) throw error_of(*error);
      lose("the worker gave an answer to another question");
    } catch (const WorkerLost& e) {
      if (kAskAgain && attempt < (e.how == WorkerLost::How::killed ? kAttempts : 2)) continue;
      const bool by_limit = e.how == WorkerLost::How::late && limit == options.time_limit;  // which a person can give
      throw Error("the worker did not do its job", e.what(),
                  by_limit ? "that is the time limit: give a longer one, or ask for less" : "run `triscope doctor`");
    }
  }
}

Supervisor::Supervisor(WorkerOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
Supervisor::Supervisor(Supervisor&&) noexcept = default;
Supervisor& Supervisor::operator=(Supervisor&&) noexcept = default;
Supervisor::~Supervisor() {
  if (!impl_) return;
  try {
    impl_->quit();
  } catch (const std::exception&) {
    // Without memory to say goodbye: it ends with its pipes, and is killed by the end of `impl_`.
  }
}

Catalog Supervisor::catalog() {
  return impl_->ask<CatalogReply>(CatalogRequest{}, impl_->options.handshake_limit).catalog;
}

std::vector<SupportAnswer> Supervisor::support(const std::vector<SupportQuestion>& questions) {
  std::vector<SupportAnswer> answers =
      impl_->ask<SupportReply>(SupportRequest{questions}, impl_->options.time_limit).answers;
  const bool complete =
      answers.size() == questions.size() &&
      std::none_of(answers.begin(), answers.end(), [](const SupportAnswer& a) { return a.instances.empty(); });
  if (!complete) throw Error("the worker did not do its job", "answers are missing", "use a worker of the same build");
  return answers;
}

EvalReply Supervisor::eval(const EvalRequest& request, std::stop_token stop) {
  return impl_->ask<EvalReply>(request, std::chrono::duration_cast<milliseconds>(kUnlimited), stop);
}

SourceReply Supervisor::source(const SourceRequest& request, std::stop_token stop) {
  return impl_->ask<SourceReply>(request, impl_->options.time_limit, std::move(stop));
}

Slice Supervisor::slice(const SliceRequest& request, std::stop_token stop) {
  return impl_->ask<SliceReply>(request, impl_->options.time_limit, std::move(stop)).slice;
}

Overview Supervisor::overview(const OverviewRequest& request, std::stop_token stop) {
  return impl_->ask<OverviewReply>(request, impl_->options.time_limit, std::move(stop)).overview;
}

HeadSheet Supervisor::sheet(const SheetRequest& request, std::stop_token stop) {
  return impl_->ask<SheetReply>(request, impl_->options.time_limit, std::move(stop)).sheet;
}

KernelRow Supervisor::kernel_row(const KernelRowRequest& request, std::stop_token stop) {
  return impl_->ask<KernelRowReply>(request, impl_->options.time_limit, std::move(stop)).row;
}

void Supervisor::measure(const MeasureRequest& request, const JobObserver& observer, std::stop_token stop) {
  WakeEvent wake, closing;
  const std::stop_callback on_stop(stop, [&wake] { wake.set(); });
  const std::stop_callback on_close(impl_->options.closing, [&closing] { closing.set(); });
  std::vector<std::size_t> open;
  for (std::size_t entry = 0; entry < request.entries.size(); ++entry) open.push_back(entry);
  const milliseconds limit = impl_->options.time_limit;
  while (!open.empty()) {
    Attempt attempt(request, open, observer);
    if (stop.stop_requested()) return attempt.fail_all(Status::cancelled, "stopped by the user");
    impl_->ensure_started();
    const bool was_used = std::exchange(impl_->used, true);
    bool heard = false;
    impl_->send(attempt.message());
    const auto budget = std::chrono::duration_cast<milliseconds>(std::chrono::nanoseconds(request.stopping.budget_ns));
    auto total_deadline = Clock::now() + static_cast<std::int64_t>(open.size()) * (limit + budget);
    auto silence_deadline = Clock::now() + limit;
    bool cancelling = false, hurrying = false;
    try {
      const auto lateness = [&] { return lateness_text(cancelling, impl_->in_program, impl_->options); };
      for (bool over = false; !over;) {
        const auto deadline = std::min(total_deadline, silence_deadline);
        if (Clock::now() >= total_deadline) impl_->lose(lateness());  // also one that never stops talking
        const WakeEvent* heeded = !cancelling ? &wake : !hurrying ? &closing : nullptr;
        const std::optional<Message> message = impl_->receive(deadline, heeded, lateness());
        if (!message && cancelling) {
          hurrying = true;
          total_deadline = silence_deadline = std::min(deadline, Clock::now() + kQuitLimit);
          continue;
        }
        if (!message) {
          impl_->send(CancelRequest{});
          cancelling = true;
          total_deadline = silence_deadline = Clock::now() + impl_->options.cancel_grace;
          continue;
        }
        if (!cancelling) silence_deadline = Clock::now() + limit;
        heard = true;
        over = attempt.take(*message);
      }
    } catch (const WorkerLost& e) {
      if (cancelling)
        return attempt.fail_all(Status::cancelled,
                                "stopped by the user; the worker did not answer in time and was killed");
      if (was_used && !heard) continue;  // it died while idle, before it read the request
      attempt.lost(e.what());
    }
  }
}

bool Supervisor::check(const CheckRequest& request, const std::function<void(const CheckRow&)>& row,
                       std::stop_token stop) {
  impl_->ensure_started();
  WakeEvent wake;
  const std::stop_callback on_stop(stop, [&wake] { wake.set(); });
  impl_->send(request);
  const milliseconds limit = impl_->options.time_limit;
  bool passed = true, cancelling = false;
  std::string current;
  try {
    while (true) {
      const auto deadline = Clock::now() + (cancelling ? impl_->options.cancel_grace : limit);
      const std::optional<Message> message = impl_->receive(
          deadline, cancelling ? nullptr : &wake, lateness_text(cancelling, impl_->in_program, impl_->options));
      if (!message) {
        impl_->send(CancelRequest{});
        cancelling = true;
      } else if (const auto* report = std::get_if<ProgressReport>(&*message)) {
        current = report->text;
      } else if (const auto* one = std::get_if<CheckRow>(&*message)) {
        passed = passed && one->status != Status::failed;
        row(*one);
      } else if (const auto* error = std::get_if<ErrorReply>(&*message)) {
        throw error_of(*error);
      } else if (std::holds_alternative<Done>(*message)) {
        return passed && !cancelling;
      }
    }
  } catch (const WorkerLost& e) {
    CheckRow lost;
    lost.kernel = current.substr(0, current.find(' '));
    lost.status = cancelling ? Status::cancelled : Status::failed;
    lost.reason = fmt::format("{}: {}", current, e.what());
    row(lost);
    return false;
  }
}

}  // namespace triscope
