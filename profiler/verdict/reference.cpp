#include "profiler/verdict/reference.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>
#include <set>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "kernels/attention/paper.hpp"
#include "kernels/base/error.hpp"
#include "profiler/record/words/problem_facts.hpp"
#include "profiler/verdict/pairing.hpp"

namespace triscope {
namespace {

using Kind = Reference::Kind;

[[noreturn]] void refuse(std::string_view text, std::string why, std::string advice = kReferenceForms) {
  throw ReferenceError(fmt::format("reference '{}'", text), std::move(why), std::move(advice), ExitCode::usage);
}

/// What follows `prefix`; none: it begins otherwise.
std::optional<std::string_view> after(std::string_view text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return std::nullopt;
  return text.substr(prefix.size());
}

std::int64_t parse_number(std::string_view whole, std::string_view digits, const char* what) {
  std::int64_t number = 0;
  const char* end = digits.data() + digits.size();
  const auto [read, fault] = std::from_chars(digits.data(), end, number);
  if (fault != std::errc() || read != end || number <= 0)
    refuse(whole, fmt::format("'{}' is not the number of a {}", digits, what));
  return number;
}

std::string name_of(const ResultRow& row) { return row.card.short_label.empty() ? row.kernel : row.card.short_label; }

/// "Another problem: 512x32 beside 128x128, tokens 4096 beside 8192."; empty where it is the same.
std::string problem_difference(const Problem& ours, const Problem& theirs) {
  std::string text;
  const auto add = [&](std::string_view what, const std::string& here, const std::string& there) {
    if (here != there) text += fmt::format("{}{}{} beside {}", text.empty() ? "" : ", ", what, here, there);
  };
  add("", windows_text(ours), windows_text(theirs));
  for (const ProblemFact& fact : problem_facts())
    add(fmt::format("{} ", fact.name), fact.value(ours), fact.value(theirs));
  return text.empty() ? text : fmt::format("Another problem: {}.", text);
}

std::vector<ResultRow> ok_rows(std::vector<ResultRow> rows) {
  std::erase_if(rows, [](const ResultRow& row) { return row.status != Status::ok || !row.median_ms; });
  return rows;
}

std::vector<ResultRow> without_instances(std::vector<ResultRow> rows) {
  for (ResultRow& row : rows) row.instance.clear();
  return rows;
}

}  // namespace

/// Those that may stand beside a row: the newest of each question.
struct ReferenceCandidates {
  explicit ReferenceCandidates(const std::vector<ResultRow>& all)
      : rows(newest_of_each(all)), exact(rows, false), any_instance(without_instances(rows), false) {}
  std::vector<ResultRow> rows;
  Partners exact, any_instance;
};

namespace {

bool is_one_instance(const std::vector<std::size_t>& places, const std::vector<ResultRow>& rows) {
  return std::ranges::all_of(places,
                             [&](std::size_t place) { return rows[place].instance == rows[places.front()].instance; });
}

/// The partner of a row of `ours`: of the same instance, or of the only one that both sides have of a question, since
/// a kernel's instance is named anew when it changes.
const ResultRow* partner_of(const ResultRow& row, const std::vector<ResultRow>& ours, const Partners& of_ours,
                            const ReferenceCandidates& theirs) {
  if (const std::optional<std::size_t> place = theirs.exact.best_of(row)) return &theirs.rows[*place];
  ResultRow any = row;
  any.instance.clear();
  if (!is_one_instance(of_ours.of(any), ours)) return nullptr;
  const std::vector<std::size_t> places = theirs.any_instance.of(any);
  if (places.empty() || !is_one_instance(places, theirs.rows)) return nullptr;
  const std::optional<std::size_t> best = theirs.any_instance.best_of(any);
  return best ? &theirs.rows[*best] : nullptr;
}

/// The GPU, else the processor, that measured each row of the sweeps of these.
std::unordered_map<std::int64_t, std::string> devices_of(const Snapshot& snapshot, const std::vector<ResultRow>& rows) {
  std::set<std::int64_t> sweeps;
  for (const ResultRow& row : rows) sweeps.insert(row.sweep);
  std::unordered_map<std::int64_t, std::string> devices;
  for (const std::int64_t sweep : sweeps) {
    for (const auto& [environment, measurements] : snapshot.environments(sweep)) {
      const std::string device = fmt::format("{}\n{}\n{}", environment.device_uuid, environment.device_name,
                                             environment.device_uuid.empty() ? environment.cpu_model : "");
      for (const std::int64_t measurement : measurements) devices.emplace(measurement, device);
    }
  }
  return devices;
}

/// What `read` returns. That the other database cannot be read is no fault of the open one.
template <typename Read>
auto of_other(const Read& read) {
  try {
    return read();
  } catch (const Error& error) {
    throw ReferenceError(error);
  }
}

}  // namespace

Reference parse_reference(std::string_view text) {
  if (text.empty()) refuse(text, "it is empty");
  if (text == "auto") return {};
  if (text == "none") return {Kind::none};
  if (text == "paper") return {Kind::paper};
  if (auto number = after(text, "row:")) {
    if (number->starts_with('m')) number->remove_prefix(1);  // as `show` names it
    return {Kind::row, {}, parse_number(text, *number, "row")};
  }
  if (const auto number = after(text, "sweep:")) return {Kind::sweep, {}, parse_number(text, *number, "sweep")};
  if (const auto file = after(text, "database:")) {
    if (file->empty()) refuse(text, "it names no file");
    return {Kind::database, std::string(*file)};
  }
  return {Kind::kernel, std::string(text)};
}

std::string to_string(const Reference& reference) {
  switch (reference.kind) {
    case Kind::usual:
      return "auto";
    case Kind::none:
      return "none";
    case Kind::kernel:
      return reference.name;
    case Kind::row:
      return fmt::format("row:{}", reference.id);
    case Kind::sweep:
      return fmt::format("sweep:{}", reference.id);
    case Kind::database:
      return "database:" + reference.name;
    case Kind::paper:
      return "paper";
  }
  return {};
}

bool is_itself(const Reference& reference, const std::filesystem::path& file) {
  std::error_code missing;  // then it is not the same file
  return reference.kind == Kind::database && std::filesystem::equivalent(reference.name, file, missing);
}

bool is_of_reference(const Error& error) {
  return error.code() == ExitCode::usage || dynamic_cast<const ReferenceError*>(&error) != nullptr;
}

std::string state_of_file(const Reference& reference) {
  std::string state;
  if (reference.kind != Kind::database) return state;
  for (const std::string& file : {reference.name, reference.name + "-wal"}) {
    struct stat facts {};
    if (stat(file.c_str(), &facts) == 0 && facts.st_size > 0)  // an empty log is there while somebody reads
      state += fmt::format("{}/{}/{}.{:09}", facts.st_ino, facts.st_size, facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec);
    state += ";";
  }
  return state;
}

void require_kept(const Reference& reference, const Snapshot& from, std::int64_t hidden) {
  if (hidden == 0) return;
  std::int64_t sweep = reference.kind == Kind::sweep ? reference.id : 0;
  if (reference.kind == Kind::row) {
    const std::optional<ResultRow> row = from.result(reference.id);
    sweep = row ? row->sweep : 0;
  }
  if (sweep == hidden) refuse(to_string(reference), "it was deleted", "choose another");
}

/// Rows and samples of the side that does not change from sweep to sweep.
struct ReferenceSide::Theirs {
  Theirs(const Snapshot& from, const std::vector<ResultRow>& rows) : newest(rows), samples(from) {
    const std::unordered_map<std::int64_t, std::string> devices = devices_of(from, rows);
    std::map<std::string, std::vector<ResultRow>> apart;
    for (const ResultRow& row : rows) {
      const auto device = devices.find(row.measurement);
      apart[device == devices.end() ? std::string() : device->second].push_back(row);
    }
    if (apart.size() < 2) return;
    for (const auto& [device, own] : apart) of_device.emplace(device, own);
  }
  /// All that a comparison with it asks for.
  void read(const ResultRow& row) {
    (void)samples.of(row);
    (void)samples.gpu(row);
    (void)samples.spread(row.sweep);
  }
  ReferenceCandidates newest;
  std::map<std::string, ReferenceCandidates> of_device;  ///< where there are several
  StoredSamples samples;
};

ReferenceSide::ReferenceSide(const Snapshot& snapshot, const std::filesystem::path& file, Reference reference,
                             std::stop_token cancel)
    : snapshot_(snapshot), reference_(std::move(reference)) {
  if (reference_.kind != Kind::database) return;
  if (is_itself(reference_, file))
    refuse(to_string(reference_), "it is the open database", "name another file, or sweep:N of this one");
  other_ = of_other([&] { return std::make_shared<const Snapshot>(reference_.name, kBusyTimeout, std::move(cancel)); });
}

Verdicts ReferenceSide::beside(const std::vector<ResultRow>& rows, double tolerance) {
  switch (reference_.kind) {
    case Kind::usual:
    case Kind::none:
    case Kind::kernel:
      return compare_with_baseline(snapshot_, rows, to_string(reference_), tolerance);
    case Kind::row:
      return beside_row(rows, tolerance);
    case Kind::sweep:
    case Kind::database:
      return beside_same_questions(rows, tolerance);
    case Kind::paper:
      return beside_paper(rows);
  }
  return {};
}

Verdicts ReferenceSide::beside_or_usual(const std::vector<ResultRow>& rows, double tolerance) {
  const bool lacks = reference_.kind == Kind::kernel &&
                     std::ranges::none_of(rows, [&](const ResultRow& row) { return row.kernel == reference_.name; });
  return lacks ? compare_with_baseline(snapshot_, rows, "auto", tolerance) : beside(rows, tolerance);
}

Verdicts ReferenceSide::beside_row(const std::vector<ResultRow>& rows, double tolerance) {
  const std::string text = to_string(reference_);
  const std::optional<ResultRow> other = snapshot_.result(reference_.id);
  if (!other) refuse(text, fmt::format("the database has no row {}", reference_.id));
  if (other->status != Status::ok || !other->median_ms)
    refuse(text, fmt::format("row {} has no time: it is {}", reference_.id, to_string(other->status)));
  Verdicts verdicts{text,
                    fmt::format("row {}: {} {} {}", reference_.id, windows_text(other->problem), name_of(*other),
                                to_string(other->pass)),
                    fmt::format("row {}", reference_.id)};
  verdicts.of_kernel = false;
  verdicts.without_partner =
      fmt::format("Row {} is a {} {} by {}: a row of another pass, regime or clock does not stand beside it.",
                  reference_.id, to_string(other->regime), to_string(other->pass), to_string(other->timing_source));
  StoredSamples samples(snapshot_);
  std::vector<const ResultRow*> compared;
  for (const ResultRow& row : rows) {
    if (row.measurement == other->measurement) verdicts.themselves.insert(row.measurement);
    const bool stands_beside = row.status == Status::ok && row.median_ms && row.pass == other->pass &&
                               row.regime == other->regime && row.timing_source == other->timing_source &&
                               (row.problem.form == Form::gemm) == (other->problem.form == Form::gemm) &&
                               row.measurement != other->measurement;
    if (!stands_beside) continue;
    compared.push_back(&row);
    samples.expect(row);
  }
  for (const ResultRow* row : compared) {
    Comparison& time = add_verdict(verdicts, samples, *row, samples, *other, tolerance);
    if (const std::string difference = problem_difference(row->problem, other->problem); !difference.empty())
      time.explanation = difference + (time.explanation.empty() ? "" : " ") + time.explanation;
  }
  return verdicts;
}

ReferenceSide::Theirs& ReferenceSide::theirs() {
  if (theirs_) return *theirs_;
  if (other_) {
    theirs_ = of_other([&] { return std::make_shared<Theirs>(*other_, ok_rows(other_->results())); });
    return *theirs_;
  }
  if (!snapshot_.sweep(reference_.id))
    refuse(to_string(reference_), fmt::format("the database has no sweep {}", reference_.id));
  theirs_ = std::make_shared<Theirs>(snapshot_, ok_rows(snapshot_.results(reference_.id)));
  return *theirs_;
}

Verdicts ReferenceSide::beside_same_questions(const std::vector<ResultRow>& rows, double tolerance) {
  Theirs& theirs = this->theirs();
  const std::string name = reference_.kind == Kind::sweep ? fmt::format("sweep {}", reference_.id)
                                                          : std::filesystem::path(reference_.name).filename().string();
  Verdicts verdicts{to_string(reference_), name, name};
  verdicts.of_kernel = false;
  verdicts.without_partner = fmt::format("The same question of this kernel has no time in {}.", name);
  const std::vector<ResultRow> ours = ok_rows(rows);
  const Partners of_ours(without_instances(ours), false);
  std::unordered_map<std::int64_t, std::string> devices;
  if (!theirs.of_device.empty()) devices = devices_of(snapshot_, ours);
  StoredSamples samples(snapshot_);
  std::vector<std::pair<const ResultRow*, const ResultRow*>> pairs;
  for (const ResultRow& row : ours) {
    if (!other_ && row.sweep == reference_.id) {
      verdicts.themselves.insert(row.measurement);
      continue;
    }
    const auto same = theirs.of_device.find(devices[row.measurement]);
    const ResultRow* other = same == theirs.of_device.end() ? nullptr : partner_of(row, ours, of_ours, same->second);
    if (other == nullptr) other = partner_of(row, ours, of_ours, theirs.newest);
    if (other == nullptr) continue;
    pairs.emplace_back(&row, other);
    samples.expect(row);
    theirs.samples.expect(*other);
  }
  for (const auto& [row, other] : pairs) {
    if (other_) of_other([&theirs, theirs_row = other] { theirs.read(*theirs_row); });
    add_verdict(verdicts, samples, *row, theirs.samples, *other, tolerance);
  }
  return verdicts;
}

Verdicts ReferenceSide::beside_paper(const std::vector<ResultRow>& rows) const {
  Verdicts verdicts{to_string(reference_), "the paper", "the paper"};
  verdicts.of_kernel = false;
  verdicts.without_partner = "The paper publishes no time of this problem.";
  for (const ResultRow& row : rows) {
    if (row.status != Status::ok || !row.median_ms || row.pass != Pass::forward || !has_paper_shape(row.problem))
      continue;
    const PaperRow* published = find_paper_row(row.problem);
    if (published == nullptr) continue;
    Comparison& time = verdicts.by_measurement[row.measurement];
    time.verdict = Verdict::not_comparable;
    time.published = true;
    time.a_ms = *row.median_ms;
    time.b_ms = published->latency_ms;
    time.ratio = time.a_ms / time.b_ms;
    time.explanation =
        "Published for a GPU, a length and heads that the paper does not name: no interval, and no verdict.";
  }
  return verdicts;
}

}  // namespace triscope
