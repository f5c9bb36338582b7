// Reads a database for the window, on the reader's thread: rows first, comparisons after.
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "app/window/database/compared_versions.hpp"
#include "app/window/database/other_database.hpp"
#include "profiler/store/store.hpp"
#include "profiler/verdict/reference.hpp"
#include "views/data/window_data.hpp"

namespace triscope {

/// What is to be shown.
struct ReadRequest {
  std::filesystem::path file;
  std::int64_t shown = 0;  ///< 0: the newest
  std::int64_t baseline = 0;
  std::vector<std::int64_t> compared;
  std::vector<std::int64_t> selected;  ///< measurements; the first is of the shown sweep
  double tolerance = 0.005;
  std::int64_t hidden = 0;                  ///< sweep that is left out
  std::string reference = "auto";           ///< that rows stand beside (`parse_reference`)
  std::filesystem::path other;              ///< database whose nearest sweep is compared with; empty: none
  std::optional<VersionChoice> versions{};  ///< of a kernel, compared instead of sweeps
  std::int64_t first() const { return selected.empty() ? 0 : selected.front(); }
};

struct ReadResult {
  std::vector<SweepInfo> sweeps;
  std::shared_ptr<const SweepResults> shown, baseline;
  std::shared_ptr<const Comparisons> against_baseline;
  std::shared_ptr<const Verdicts> beside_reference;
  ComparePairs compare_pairs;  ///< as in `DatabaseData`
  std::vector<ComparedSweep> compared;
  ReadTable table;  ///< as in `DatabaseData`
  std::shared_ptr<const CompareModel> compare_table;
  std::vector<std::shared_ptr<const SweepResults>> same_device;  ///< as in `DatabaseData`
  std::shared_ptr<const SelectedMeasurement> selected;
  std::shared_ptr<const MeasurementBeside> beside;
  std::shared_ptr<const SelectionFigures> figures;
  std::string selected_problem;  ///< of `selected` or `beside`: why there is nothing to show
  bool read_only = false;
  std::string other_problem;           ///< why `ReadRequest::other` is not compared with; empty: fine
  std::vector<VersionChange> changes;  ///< where versions are compared
  VersionChoice versions;              ///< that `compared` holds
  std::string versions_problem;        ///< why none are; empty: fine
};

/// Not thread-safe: lives on one thread.
class DatabaseReader {
 public:
  /// After a stop of `cancel` a read ends with an `Error`.
  explicit DatabaseReader(std::stop_token cancel = {}) : cancel_(std::move(cancel)) {}

  /// Throws `Error` when the file cannot be read. A missing `shown` sweep is replaced by the newest.
  /// `rows_ready` is called with everything but comparisons, which may take longer.
  ReadResult read(const ReadRequest& request, const std::function<void(const ReadResult&)>& rows_ready);

  /// The last sweep before the `shown` one that measured, on its device, something that it did; 0: none did. Looks
  /// through all of the file.
  struct Before {
    std::int64_t sweep = 0;
    bool alone = true;  ///< no other sweep is of its device
  };
  Before sweep_before(const ReadRequest& request);

  enum class Change { none, written, gone, replaced };
  /// Which content a file has: inode, bytes, seconds and nanoseconds of the last change.
  using Stamp = std::array<std::int64_t, 4>;
  /// Whether the file read last has changed since. A change that cannot be read is told once.
  Change poll();
  /// Writes what is open to a new file, also when the file itself is gone. Throws as `Snapshot::save_copy` does.
  void save_copy(const std::filesystem::path& file) const;

 private:
  /// Measurements, ours first; whether the second is of another database.
  using Pair = std::tuple<std::int64_t, std::int64_t, bool>;
  using SeriesById = std::unordered_map<std::int64_t, SampleSeries>;
  /// What a comparison was made of: restarts add samples, and the spread they say together.
  struct Basis {
    std::int64_t samples_a = 0, samples_b = 0;
    Spread spread_a, spread_b;
    bool operator==(const Basis&) const = default;
  };
  struct Known {
    Basis basis;
    Comparison comparison;
  };
  /// The sweep that others are compared with, and its samples, read once for all of them.
  struct Other {
    std::shared_ptr<const SweepResults> sweep;
    const Snapshot* from = nullptr;  ///< the database that holds it
    std::string database{};          ///< its name, where it is not the open one
    SeriesById series{};
    bool whole = false;  ///< every sample of the sweep is there
  };
  std::shared_ptr<const SweepResults> load(std::int64_t sweep) const;
  std::optional<Other> other_of(const ReadRequest& request, ReadResult& result);
  void compare(const ReadRequest& request, ReadResult& result);
  void compare_versions(const ReadRequest& request, ReadResult& result);
  std::shared_ptr<const SelectedMeasurement> select(const SweepResults& sweep, std::int64_t id, std::string& problem);
  void read_selected(const ReadRequest& request, ReadResult& result,
                     const std::function<void(const ReadResult&)>& rows_ready);
  /// The first of the selected measurements against the last; null where that is gone.
  std::shared_ptr<const MeasurementBeside> beside_selected(const ReadRequest& request, ReadResult& result);
  /// The rows of the selected measurements, and the times of the others against the first.
  SelectionFigures figures_of(const ReadRequest& request, const SweepResults& shown);
  void compare_figures(const ReadRequest& request, const ResultRow& first, SelectionFigures& figures);
  std::shared_ptr<const Verdicts> beside(const SweepResults& sweep, const ReadRequest& request);
  /// Makes `beside_reference` say of other sweeps, too, what their rows are beside the same reference.
  void add_others(ReadResult& read, const ReadRequest& request);
  static Stamp stamp_of(const std::filesystem::path& file);
  /// Connects to `file` anew where it is another one or was replaced.
  void open(const std::filesystem::path& file);
  /// Makes the table of what was read.
  void make_table(ReadResult& result);
  Comparisons compare_sweeps(const SweepResults& ours, Other& other, double tolerance);
  using Sweeps = std::map<std::int64_t, std::shared_ptr<const SweepResults>>;
  struct Unread;
  void find_unread(const SweepInfo& shown, const std::vector<SweepInfo>& sweeps, Unread& unread) const;
  Sweeps read_some(const Snapshot& from, Unread& unread) const;
  /// Reads of them on a thread of its own, where that is worth a connection; else nothing.
  std::future<Sweeps> read_beside(Unread& unread) const;
  /// What that thread read, and what this one reads meanwhile, or where that one could not.
  Sweeps read_rest(std::future<Sweeps> beside, Unread& unread) const;
  void remember(const ReadResult& result, Sweeps of_device);

  std::stop_token cancel_;
  std::filesystem::path file_;
  std::optional<Snapshot> snapshot_;
  std::optional<OtherDatabase> other_;
  ComparedVersions versions_;
  std::int64_t version_ = 0;
  std::uintmax_t inode_ = 0;
  bool gone_ = false;
  Stamp tried_{};                       ///< of the file in its place that was reported and not read since
  std::vector<std::int64_t> measured_;  ///< sweeps that were being measured when they were read
  double tolerance_ = 0;
  std::string beside_of_;  ///< what `beside_` was made of
  std::shared_ptr<const Verdicts> beside_;
  std::optional<ReferenceSide> side_;                   ///< of `snapshot_`, that `beside_` was made by
  std::string side_of_;                                 ///< what `side_` was made of
  ReadTable table_;                                     ///< made last, of this file
  std::shared_ptr<const SweepResults> judged_against_;  ///< the baseline of that table
  std::map<Pair, Known> known_;
  std::string figures_of_;  ///< what `figures_known_` was made of
  std::map<std::int64_t, Comparison> figures_known_;
  std::map<std::int64_t, std::shared_ptr<const SweepResults>> loaded_;  ///< sweeps that were read last
  std::optional<std::int64_t> loaded_version_;                          ///< that all of `loaded_` was read in
};

}  // namespace triscope
