// Every message between supervisor and worker, in one place. The JSON of a message is its members by name, plus "type"
// (its kType) and, where bytes follow, "payload". Direction is noted; framing: protocol.hpp.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "profiler/protocol/inspect_jobs.hpp"
#include "profiler/protocol/jobs.hpp"
#include "profiler/protocol/protocol.hpp"
#include "profiler/record/catalog.hpp"
#include "profiler/record/gpu_counters.hpp"
#include "profiler/record/measurement.hpp"
#include "profiler/statistics/statistics.hpp"

namespace triscope {

// Supervisor to worker.

/// Answered by `CatalogReply`.
struct CatalogRequest {
  static constexpr const char* kType = "catalog";
};
/// Answered by `SupportReply`, one answer a question.
struct SupportRequest {
  static constexpr const char* kType = "support";
  std::vector<SupportQuestion> questions;
};
/// One group. Answered by any number of `ProgressReport` and `SampleBatch`, one `ResultReply` an entry, and `Done`.
struct MeasureRequest {
  static constexpr const char* kType = "measure";
  std::vector<MeasurementKey> entries;
  std::vector<std::string> source_hashes;  ///< of the entries' kernels; the worker refuses when its own differ
  StoppingRule stopping;
  std::uint64_t seed = 1;
  std::string tensors;               ///< safetensors with the inputs; empty: generated
  std::int64_t first_settle_ns = 0;  ///< untimed launches before an entry's first sustained block, on a GPU
  bool verify = true;                ///< false: another process has just compared these kernels with the oracle
  /// By entry, the fingerprint of its outputs that an earlier process of this sweep accepted; 0: none has. Empty: none
  /// of all.
  std::vector<std::uint64_t> accepted;
  std::int64_t restart = 0;  ///< number of this process: what it compares again differs from one to the next
  CounterSet counters = CounterSet::none;  ///< any other: hardware counters of each entry instead of samples
  bool keeps_stopped = false;              ///< after a cancel, `kFewestBlocks` blocks of whole turns are a result
};
/// Ends the job after the current sample; what was sampled comes back as `cancelled`, or as a result (`keeps_stopped`).
struct CancelRequest {
  static constexpr const char* kType = "cancel";
};
struct QuitRequest {
  static constexpr const char* kType = "quit";
};

// Worker to supervisor.

/// The first message of a worker, sent without a question.
struct Hello {
  static constexpr const char* kType = "hello";
  int protocol = kProtocolVersion;
  std::string version;  ///< of Triscope
  std::string mode;
  bool in_program = false;  ///< it is a thread of another program, which goes on when the worker is ended
};
struct CatalogReply {
  static constexpr const char* kType = "catalog_reply";
  Catalog catalog;
};
struct SupportReply {
  static constexpr const char* kType = "support_reply";
  std::vector<SupportAnswer> answers;
};
/// Shows that the worker is alive: sent at every stage and between blocks, some ten times a second and whenever another
/// entry is in work, so silence means a hang.
struct ProgressReport {
  static constexpr const char* kType = "progress";
  std::int64_t entry = -1;  ///< the one in work; -1: none in particular
  std::string stage;        ///< "inputs", "check", "warm-up", "block"
  std::string text;         ///< "cpu.fast forward 512x32, block 9, +-0.7 %"
};
/// Samples as they are taken, sent between blocks; the payload holds them (`pack_samples`).
struct SampleBatch {
  static constexpr const char* kType = "samples";
  std::int64_t entry = 0;
  std::vector<Sample> samples;
};
/// A finished entry; the payload holds its samples.
struct ResultReply {
  static constexpr const char* kType = "result";
  std::int64_t entry = 0;
  Measurement measurement;
  std::uint64_t fingerprint = 0;  ///< of its outputs, which passed the whole check; 0: none did in this process
};
/// The job is over and the worker waits for the next.
struct Done {
  static constexpr const char* kType = "done";
};
/// The job could not be done; the worker is fine and waits for the next.
struct ErrorReply {
  static constexpr const char* kType = "error";
  std::string summary, why, fix;
  int code = 3;
};

// CheckRequest and EvalRequest (supervisor to worker), CheckRow and EvalReply (back) are in jobs.hpp; what inspects the
// attention tensor is in inspect_jobs.hpp.

using Message =
    std::variant<CatalogRequest, SupportRequest, MeasureRequest, CheckRequest, EvalRequest, CancelRequest, QuitRequest,
                 Hello, CatalogReply, SupportReply, ProgressReport, SampleBatch, ResultReply, CheckRow, EvalReply, Done,
                 ErrorReply, SourceRequest, SourceReply, SliceRequest, SliceReply, OverviewRequest, OverviewReply,
                 SheetRequest, SheetReply, KernelRowRequest, KernelRowReply>;

Frame encode(const Message& message);
/// Throws `Error` when the frame is no message: unknown type, member missing or of another type, payload of a wrong
/// size.
Message decode(const Frame& frame);
/// `to_bytes(encode(message))`.
std::string to_bytes(const Message& message);

/// Samples as fixed little-endian records; flags are interned into `flags` (index 0 is "").
std::string pack_samples(const std::vector<Sample>& samples, std::vector<std::string>& flags);
std::vector<Sample> unpack_samples(std::string_view bytes, const std::vector<std::string>& flags);

}  // namespace triscope
