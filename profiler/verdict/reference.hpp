// What rows stand beside, chosen once: table, charts, report and command line say the same of it, from here.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/base/error.hpp"
#include "profiler/statistics/verdicts.hpp"
#include "profiler/store/store.hpp"
#include "profiler/verdict/row_verdicts.hpp"

namespace triscope {

struct Reference {
  enum class Kind {
    usual,     ///< the dot-product baseline of each sweep (`usual_reference`)
    none,      ///< rows stand beside nothing
    kernel,    ///< its row of the same question in the same sweep
    row,       ///< one measurement, whatever its problem
    sweep,     ///< its row of the same question, kernel included
    database,  ///< the newest row of the same question there, kernel included, of the row's own device before others
    paper,     ///< what the paper publishes of the problem: a ratio alone
  };
  Kind kind = Kind::usual;
  std::string name{};   ///< of a kernel its id, of a database its file
  std::int64_t id = 0;  ///< of a row or a sweep
  bool operator==(const Reference&) const = default;
};

/// The forms of `parse_reference`, as an error and a manual list them.
inline constexpr const char* kReferenceForms =
    "give a kernel of the table, row:N, sweep:N, database:FILE, paper, auto or none";

/// "auto", "none", "row:12", "sweep:5", "database:FILE", "paper", else the id of a kernel. Throws `Error` (usage).
Reference parse_reference(std::string_view text);
std::string to_string(const Reference& reference);

/// What rows were to stand beside is not there or cannot be read. The database of the rows is as it was.
struct ReferenceError : Error {
  using Error::Error;
  explicit ReferenceError(const Error& error) : Error(error) {}
};

/// Whether it says that of the reference, a kernel that is not there included; else the rows cannot be read.
bool is_of_reference(const Error& error);

/// Whether that is what rows of `file` were to stand beside: a file does not stand beside itself.
bool is_itself(const Reference& reference, const std::filesystem::path& file);
/// Changes when the database that rows stand beside does; empty of another reference.
std::string state_of_file(const Reference& reference);
/// Throws `ReferenceError` where the row or sweep that rows stand beside is of `hidden`, which was deleted and can
/// still be brought back.
void require_kept(const Reference& reference, const Snapshot& from, std::int64_t hidden);

/// The one way from a reference to what is said of rows beside it.
class ReferenceSide {
 public:
  /// `snapshot` is that of `file` and must outlive it. Opens the other database and reads nothing yet. Throws
  /// `ReferenceError` when that cannot be opened or is `file` itself.
  ReferenceSide(const Snapshot& snapshot, const std::filesystem::path& file, Reference reference,
                std::stop_token cancel = {});
  const Reference& reference() const { return reference_; }
  /// Verdicts of those of `rows` that have a partner. Rows of two GPUs are not judged, as `compare_rows` says. What it
  /// read of the sweep or the other database it keeps. Throws `ReferenceError` where the row or sweep is not there
  /// (usage) or the other database cannot be read, and `Error` (usage) where the kernel is not.
  Verdicts beside(const std::vector<ResultRow>& rows, double tolerance = 0.005);
  /// The same; beside the usual reference where a kernel was asked for that `rows` lack.
  Verdicts beside_or_usual(const std::vector<ResultRow>& rows, double tolerance = 0.005);

 private:
  Verdicts beside_row(const std::vector<ResultRow>& rows, double tolerance);
  Verdicts beside_same_questions(const std::vector<ResultRow>& rows, double tolerance);
  Verdicts beside_paper(const std::vector<ResultRow>& rows) const;
  struct Theirs;  ///< rows of the sweep or the other database, with what was read of their samples
  Theirs& theirs();

  const Snapshot& snapshot_;
  Reference reference_;
  std::shared_ptr<const Snapshot> other_;  ///< the other database
  std::shared_ptr<Theirs> theirs_;         ///< null: not read yet
};

}  // namespace triscope
