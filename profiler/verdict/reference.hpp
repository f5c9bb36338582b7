// What rows stand beside, chosen once: table, charts, report and command line say the same of it, from here.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

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
    database,  ///< the newest row of the same question there, kernel included
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

/// The one way from a reference to what is said of rows beside it.
class ReferenceSide {
 public:
  /// `snapshot` is that of `file` and must outlive it. Opens the other database and reads nothing yet. Throws `Error`
  /// when that cannot be opened or is `file` itself.
  ReferenceSide(const Snapshot& snapshot, const std::filesystem::path& file, Reference reference,
                std::stop_token cancel = {});
  const Reference& reference() const { return reference_; }
  /// Verdicts of those of `rows` that have a partner. Rows of two GPUs are not judged, as `compare_rows` says. Throws
  /// `Error` (usage) where the kernel, row or sweep is not there.
  Verdicts beside(const std::vector<ResultRow>& rows, double tolerance = 0.005);

 private:
  Verdicts beside_row(const std::vector<ResultRow>& rows, double tolerance);
  Verdicts beside_same_questions(const std::vector<ResultRow>& rows, double tolerance);
  Verdicts beside_paper(const std::vector<ResultRow>& rows) const;
  void read_theirs();

  const Snapshot& snapshot_;
  Reference reference_;
  std::optional<Snapshot> other_;                 ///< the other database
  std::optional<std::vector<ResultRow>> theirs_;  ///< ok rows of the sweep or the other database, the newest of each
};

}  // namespace triscope
