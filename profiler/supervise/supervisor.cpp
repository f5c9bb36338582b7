#include "profiler/supervise/supervisor.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <map>
#include <optional>
#include <type_traits>
#include <utility>

#include "build_facts.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/program_folder.hpp"
#include "profiler/record/clock.hpp"
#include "profiler/statistics/statistics.hpp"
#include "profiler/supervise/worker_process.hpp"

namespace triscope {
namespace {

using Clock = WorkerProcess::Clock;
using std::chrono::milliseconds;

constexpr std::size_t kLastWords = 3;           // lines of stderr quoted with a crash
constexpr auto kQuitLimit = milliseconds(500);  // from quit to kill
constexpr auto kUnlimited = std::chrono::hours(24 * 365);

/// The worker is gone or useless. `what()` says why, as the reason of a failed measurement.
class WorkerLost : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

double seconds(milliseconds time) { return std::chrono::duration<double>(time).count(); }

/// Why a silent worker is killed: it exceeded the limit of a job, or after a stop the time it has to answer.
std::string lateness_text(bool cancelling, const WorkerOptions& options) {
  if (cancelling)
    return fmt::format("the worker did not stop within {:.3g} s and was killed", seconds(options.cancel_grace));
  return fmt::format("it ran longer than the limit of {:.3g} s, so the worker was killed", seconds(options.time_limit));
}

Error error_of(const ErrorReply& reply) {
  const int code = std::clamp(reply.code, 1, 3);
  return Error(reply.summary, reply.why, reply.fix, static_cast<ExitCode>(code));
}

std::vector<std::string> command_of(const WorkerOptions& options) {
  std::vector<std::string> command = options.prefix;
  if (!options.program.empty()) {
    command.push_back(options.program.string());
  } else {
    command.push_back(options.prefix.empty() ? find_worker().string() : "triscope-worker");
  }
  for (const std::string& word : {std::string("--mode"), options.mode, std::string("--device"), options.device})
    command.push_back(word);
  return command;
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
  void send(const Message& message) { process->write(to_bytes(message)); }
  /// The next message; nullopt when `wake` was set. Throws `WorkerLost`; the process is gone then.
  std::optional<Message> receive(Clock::time_point deadline, const WakeEvent* wake, const std::string& lateness);
  template <typename Reply>
  Reply ask(const Message& request, milliseconds limit, std::stop_token stop = {});
  void forward_log();
  [[noreturn]] void lose(const std::string& reason);
  void quit();

  WorkerOptions options;
  std::unique_ptr<WorkerProcess> process;
  FrameParser parser;
  std::deque<Frame> frames;
  std::string rubbish;  ///< what arrived behind `frames` and is no message
  std::deque<std::string> last_words;
  bool greeted = false;  ///< it has said hello
  bool used = false;     ///< it has done a job: should it be dead at the next, then it died while idle
};

void Supervisor::Impl::forward_log() {
  for (std::string& line : process->take_log()) {
    options.log(line);
    last_words.push_back(std::move(line));
    if (last_words.size() > kLastWords) last_words.pop_front();
  }
}

void Supervisor::Impl::lose(const std::string& reason) {
  process->end(Clock::now());
  forward_log();
  process.reset();
  std::string text = reason;
  if (!last_words.empty()) text += fmt::format("; its last output: {}", fmt::join(last_words, " | "));
  if (greeted) options.log(text);  // one that does not even start is an error, which says all this
  throw WorkerLost(text);
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
        lose(lateness);
      case WorkerProcess::Event::ended: {
        const std::string ending = process->end(Clock::now() + kQuitLimit);
        const bool maybe_memory = ending.find("SIGKILL") != std::string::npos;
        lose("the worker " + ending + (maybe_memory ? ", not by its supervisor: perhaps memory ran out" : ""));
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

void Supervisor::Impl::ensure_started() {
  if (process) {
    // A worker that died while idle is replaced before it is asked anything.
    std::string bytes;
    if (process->wait(bytes, Clock::now(), nullptr) == WorkerProcess::Event::timed_out) return;
    forward_log();
    options.log("the worker is replaced: it " + process->end(Clock::now() + kQuitLimit) + " while it was idle");
    process.reset();
  }
  parser = FrameParser();
  frames.clear();
  rubbish.clear();
  last_words.clear();
  greeted = used = false;
  const std::vector<std::string> command = command_of(options);
  try {
    process = std::make_unique<WorkerProcess>(command, options.environment);
  } catch (const Error& e) {
    if (options.prefix.empty()) throw;
    throw Error(e.summary(), e.why(), "check the command given as worker prefix");
  }
  const auto refuse = [&](const std::string& why, const std::string& fix) {
    throw Error(fmt::format("the worker \"{}\" cannot be used", fmt::join(command, " ")), why, fix);
  };
  std::optional<Message> message;
  try {
    message = receive(Clock::now() + options.handshake_limit, nullptr,
                      fmt::format("it said nothing for {:.3g} s", seconds(options.handshake_limit)));
  } catch (const WorkerLost& e) {
    constexpr std::string_view kSigned = "triscope-worker: ";
    if (!last_words.empty() && last_words.back().starts_with(kSigned)) {  // it says itself why it does not start
      std::string own = last_words.back().substr(kSigned.size());
      if (own.ends_with('.')) own.pop_back();
      refuse(own, "see `triscope doctor`");
    }
    refuse(e.what(), "run that command by hand: it should print one line of JSON and wait");
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
  const auto stopped = [] {
    return Error("the job was not done", "it was stopped", "run it again", ExitCode::measured_failed);
  };
  if (stop.stop_requested()) throw stopped();
  // What a worker says of its kernels changes nothing, so another one is asked when it is killed meanwhile.
  constexpr int kAttempts = std::is_same_v<Reply, CatalogReply> || std::is_same_v<Reply, SupportReply> ? 2 : 1;
  for (int attempt = 1;; ++attempt) {
    ensure_started();
    WakeEvent wake;
    const std::stop_callback on_stop(stop, [&wake] { wake.set(); });
    send(request);
    try {
      std::optional<Message> message =
          receive(Clock::now() + limit, &wake, fmt::format("no answer for {:.3g} s", seconds(limit)));
      if (!message) {
        process.reset();
        throw stopped();
      }
      if (auto* reply = std::get_if<Reply>(&*message)) return std::move(*reply);
      if (const auto* error = std::get_if<ErrorReply>(&*message)) throw error_of(*error);
      lose("the worker gave an answer to another question");
    } catch (const WorkerLost& e) {
      if (attempt < kAttempts) continue;
      throw Error("the worker did not do its job", e.what(), "run `triscope doctor`");
    }
  }
}

Supervisor::Supervisor(WorkerOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
Supervisor::Supervisor(Supervisor&&) noexcept = default;
Supervisor& Supervisor::operator=(Supervisor&&) noexcept = default;
Supervisor::~Supervisor() {
  if (impl_) impl_->quit();
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

namespace {

/// One worker's attempt at the entries of a group that are still open.
class Attempt {
 public:
  Attempt(const MeasureRequest& request, std::vector<std::size_t>& open, const JobObserver& observer)
      : request_(request),
        open_(open),
        sent_(open),
        observer_(observer),
        group_(open.size() > 1 ? started_unix_ns_ : -1) {}

  MeasureRequest message() const {
    MeasureRequest part = request_;
    part.entries.clear();
    part.source_hashes.clear();
    for (const std::size_t entry : sent_) {
      part.entries.push_back(request_.entries[entry]);
      part.source_hashes.push_back(request_.source_hashes[entry]);
    }
    return part;
  }

  /// True when the job is over. Messages that make no sense here are passed over.
  bool take(const Message& message) {
    if (const auto* report = std::get_if<ProgressReport>(&message)) {
      if (valid(report->entry)) in_flight_ = sent_[static_cast<std::size_t>(report->entry)];
      ProgressReport mapped = *report;
      mapped.entry = in_flight_ ? static_cast<std::int64_t>(*in_flight_) : -1;
      observer_.progress(mapped);
    } else if (const auto* batch = std::get_if<SampleBatch>(&message); batch != nullptr && valid(batch->entry)) {
      const std::size_t entry = sent_[static_cast<std::size_t>(batch->entry)];
      std::vector<Sample>& taken = taken_[entry];
      taken.insert(taken.end(), batch->samples.begin(), batch->samples.end());
      observer_.sampled(static_cast<std::int64_t>(entry), batch->samples);
    } else if (const auto* result = std::get_if<ResultReply>(&message); result != nullptr && valid(result->entry)) {
      finish(sent_[static_cast<std::size_t>(result->entry)], result->measurement);
    } else if (const auto* error = std::get_if<ErrorReply>(&message)) {
      fail_all(Status::failed, error_of(*error).what());
      return true;
    } else if (std::holds_alternative<Done>(message)) {
      fail_all(Status::failed, "the worker reported nothing");
      return true;
    }
    return false;
  }

  /// The worker is lost: the entry in flight failed; all of them when none was.
  void lost(const std::string& reason) {
    if (in_flight_ && std::find(open_.begin(), open_.end(), *in_flight_) != open_.end()) {
      finish(*in_flight_, unmeasured(*in_flight_, Status::failed, reason));
    } else {
      fail_all(Status::failed, reason);
    }
  }

  void fail_all(Status status, const std::string& reason) {
    for (const std::size_t entry : std::vector(open_)) finish(entry, unmeasured(entry, status, reason));
  }

 private:
  /// What is known of an entry that the worker did not report: its samples until then.
  Measurement unmeasured(std::size_t entry, Status status, const std::string& reason) {
    Measurement measurement;
    measurement.key = request_.entries[entry];
    measurement.source_hash = request_.source_hashes[entry];
    measurement.status = status;
    measurement.reason = reason;
    measurement.started_unix_ns = started_unix_ns_;
    measurement.samples = std::move(taken_[entry]);
    return measurement;
  }

  bool valid(std::int64_t entry) const { return entry >= 0 && static_cast<std::size_t>(entry) < sent_.size(); }

  void finish(std::size_t entry, Measurement measurement) {
    const auto position = std::find(open_.begin(), open_.end(), entry);
    if (position == open_.end()) return;
    open_.erase(position);
    measurement.key = request_.entries[entry];
    if (!measurement.samples.empty()) {
      measurement.summary = summarize(measurement.samples, request_.stopping);
      measurement.group = group_;
    }
    observer_.measured(static_cast<std::int64_t>(entry), measurement);
  }

  const MeasureRequest& request_;
  std::vector<std::size_t>& open_;
  const std::vector<std::size_t> sent_;  // entry numbers of the worker's messages are positions in here
  const JobObserver& observer_;
  const std::int64_t started_unix_ns_ = unix_now_ns();
  std::int64_t group_;
  std::map<std::size_t, std::vector<Sample>> taken_;  // by entry: kept should the worker be lost
  std::optional<std::size_t> in_flight_;
};

}  // namespace

void Supervisor::measure(const MeasureRequest& request, const JobObserver& observer, std::stop_token stop) {
  WakeEvent wake;
  const std::stop_callback on_stop(stop, [&wake] { wake.set(); });
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
    bool cancelling = false;
    try {
      const auto lateness = [&] { return lateness_text(cancelling, impl_->options); };
      for (bool over = false; !over;) {
        const auto deadline = std::min(total_deadline, silence_deadline);
        if (Clock::now() >= total_deadline) impl_->lose(lateness());  // also one that never stops talking
        const std::optional<Message> message = impl_->receive(deadline, cancelling ? nullptr : &wake, lateness());
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
      const std::optional<Message> message =
          impl_->receive(deadline, cancelling ? nullptr : &wake, lateness_text(cancelling, impl_->options));
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
