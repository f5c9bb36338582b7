// The data that the window shows. Other threads read or computed it; it is immutable, and panels only read it. It is
// made of slices, each written by one part of the application (app/window) alone.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "profiler/plan/progress.hpp"
#include "profiler/plan/request.hpp"
#include "profiler/record/catalog.hpp"
#include "profiler/record/measurement.hpp"
#include "profiler/statistics/between_sides.hpp"
#include "profiler/statistics/statistics.hpp"
#include "profiler/statistics/verdicts.hpp"
#include "views/data/attention_state.hpp"
#include "views/data/explore_state.hpp"
#include "views/data/live_state.hpp"
#include "views/data/request.hpp"
#include "views/data/tile_state.hpp"

namespace triscope {

/// The machine a sweep would run on, as its worker described it.
struct Machine {
  std::shared_ptr<const Catalog> catalog;  ///< null while loading or when no worker answers
  bool loading = true;
  std::string problem;  ///< why devices could not be listed, with the next step; empty = fine
};

/// A library with kernels of somebody else, which the user has opened. Never from a database or the settings.
struct KernelLibrary {
  std::string file;                  ///< absolute; empty: none is open
  std::string sha256;                ///< of the file that was loaded
  std::vector<std::string> kernels;  ///< their ids
};

/// What the sweep setup would measure: the plan of the form as it stands.
struct PlanPreview {
  std::int64_t measurements = 0;
  double seconds = 0;
  std::int64_t bytes = 0;                     ///< of device memory, at its largest
  std::map<std::string, std::string> unable;  ///< kernel id -> why none of its configurations can run
  std::int64_t skipped = 0;                   ///< configurations that will be skipped
  std::string problem;                        ///< why there is no plan; empty = fine
};

/// One sweep with its result rows, in measurement order.
struct SweepResults {
  SweepInfo info;
  std::vector<ResultRow> rows;
  std::set<std::int64_t>
      in_work;  ///< rows with the figures of the restart that is measured right now: no verdict is theirs
};

/// Comparisons of one sweep's measurements with their counterparts of another one, by measurement id.
struct RowComparison {
  std::int64_t other = 0;  ///< measurement id of the counterpart
  Comparison comparison;
};
using Comparisons = std::map<std::int64_t, RowComparison>;

struct ComparedSweep {
  std::shared_ptr<const SweepResults> results;
  Comparisons against_first;  ///< with the first compared sweep; empty for itself
  std::string database;       ///< name of the file that it is of; empty: of the open one
  std::string name{};         ///< what it is called; empty: by its note, or its time
  /// The sweeps that its rows are of, where those are several; empty: they are of the one of `results`.
  std::vector<SweepInfo> sweeps{};
  std::vector<Environment> places{};  ///< where its rows were measured; empty: where its sweeps say
  bool aligned = false;               ///< its rows and those of the others are of the same questions, one by one
  std::map<std::int64_t, std::size_t> newest_of{};  ///< by measurement that was chosen from several: from how many
  UnchangedKernels unchanged{};                     ///< of `sweeps`, beside those of the first; where `aligned`
};

/// A measurement with all it carries, its row, and its note.
struct SelectedMeasurement {
  ResultRow row;
  Measurement measurement;
  Environment environment;
  std::string note;
};

/// The measurement that was selected last, beside the first of the selected ones.
struct MeasurementBeside {
  std::shared_ptr<const SelectedMeasurement> of;
  Comparison time;  ///< the selected one against it
};

/// One of several selected measurements.
struct SelectedRow {
  ResultRow row;
  /// Against the first, or against the other pass of the first's step, where it is of that pass; unset: it is the
  /// first, or cannot be compared.
  std::optional<Comparison> time;
};
/// All that are selected and could be read, in the order in which they were selected.
struct SelectionFigures {
  std::vector<SelectedRow> rows;
  bool all_compared = true;  ///< so many are selected that only the first of them are compared
};

struct RunState {
  bool running = false;
  bool stopping = false;
  std::string database;    ///< into which the sweep is measured; another one may be shown meanwhile
  std::int64_t sweep = 0;  ///< row id once known
  Progress progress;
  std::string message;  ///< how the last sweep ended, one sentence
  LiveSweep live;
};

/// Share of the sweep that is done, of the things that `progress` counts.
double progress_share(const Progress& progress);

enum class Severity { info, warning, error };

struct LogLine {
  std::string time;  ///< "14:02:31", local
  Severity severity = Severity::info;
  std::string text;
};

/// A sentence the user must see, with up to two next steps. Stays until it is dismissed or resolved, or until `ends`.
struct Notice {
  NoticeId id;  ///< a newer notice with the same id replaces an older one
  Severity severity = Severity::info;
  std::string text;
  struct Action {
    std::string label;
    Request request;
  };
  std::vector<Action> actions;
  std::int64_t ends = 0;  ///< unix seconds; 0: it stays
  /// It goes by itself: the status bar has it, so that nothing moves when it comes and goes.
  bool passes() const { return ends != 0; }
};

/// A folder, for choosing a file.
struct FolderEntry {
  std::string name;
  bool folder = false;
  std::int64_t bytes = 0;
  std::string changed;  ///< ISO 8601, UTC
};
struct FolderListing {
  std::string asked;                 ///< as it was asked for, "~/runs/"
  std::string folder;                ///< absolute, ends with "/"
  std::string parent;                ///< the same of the folder above; empty: there is none
  std::vector<FolderEntry> entries;  ///< folders first, then files, by name; hidden ones are left out
  std::vector<std::pair<std::string, std::string>> places;  ///< name and path of folders to start from
  std::string problem;                                      ///< why it cannot be listed; empty = fine
};

/// Two measurements of the open database, and what is said of the first beside the second.
using MeasurementPair = std::pair<std::int64_t, std::int64_t>;
using PairVerdicts = std::map<MeasurementPair, Comparison>;
/// What `compare_rows` says of pairs; those of which nothing is known are left out. Takes a while, on any thread.
using ComparePairs = std::function<PairVerdicts(const std::set<MeasurementPair>&)>;

struct LatencyModel;
struct CompareModel;

struct DatabaseData;
/// The table of a sweep, made beside the drawing where its rows were read, and what it was made of.
struct ReadTable {
  std::shared_ptr<const SweepResults> shown;
  std::shared_ptr<const Comparisons> against_baseline;
  std::shared_ptr<const Verdicts> beside_reference;
  std::shared_ptr<const LatencyModel> model;
  /// Rows in work are in none.
  bool is_of(const DatabaseData& data) const;
};

/// Written by app/window/database.
struct DatabaseData {
  std::string database;                  ///< path; empty = none open
  std::vector<std::string> also_called;  ///< other paths of this file that the settings name
  std::string database_words;            ///< " --db FILE", for commands that are named; empty: it is the default one
  bool loading = false;                  ///< the database is being read
  bool read_only = false;
  std::string problem;            ///< why the database cannot be read, with the next step; empty = fine
  std::string recorded_database;  ///< shipped recording, when it exists
  std::vector<SweepInfo> sweeps;  ///< newest first
  std::shared_ptr<const SweepResults> shown;
  std::shared_ptr<const SweepResults> baseline;
  std::shared_ptr<const Comparisons> against_baseline;  ///< shown against baseline
  /// Shown rows beside the reference kernel's of their sweep; once all is read also those of the other sweeps of the
  /// device that have the same reference, of very many the newest.
  std::shared_ptr<const Verdicts> beside_reference;
  ComparePairs compare_pairs;  ///< empty while something is measured: nothing else is to take a core then
  std::vector<ComparedSweep> compared;
  ReadTable table;                                    ///< of the three above
  std::shared_ptr<const CompareModel> compare_table;  ///< of `compared`; null: it was not made yet
  std::vector<VersionChange> changes;  ///< versions that share measurements, read when versions are compared
  VersionChoice versions;              ///< whose rows `compared` holds; without a kernel: sweeps are compared
  /// The other sweeps of this database that were measured on the shown one's device, newest first: a curve over lengths
  /// is often measured in several.
  std::vector<std::shared_ptr<const SweepResults>> same_device;
  std::shared_ptr<const SelectedMeasurement> selected;
  std::shared_ptr<const MeasurementBeside> beside;  ///< null: only one is selected
  std::shared_ptr<const SelectionFigures> figures;  ///< likewise
  std::uint64_t revision = 0;                       ///< grows whenever shown, baseline, comparisons or compared change
};

/// `file` is the open database, by any of its names.
inline bool is_open(const DatabaseData& data, const std::string& file) {
  return file == data.database || std::ranges::find(data.also_called, file) != data.also_called.end();
}

inline bool ReadTable::is_of(const DatabaseData& data) const {
  return model && shown == data.shown && against_baseline == data.against_baseline &&
         beside_reference == data.beside_reference;
}

/// Written by app/window/sweep.
struct MeasuringData {
  Machine machine;
  KernelLibrary library;                       ///< whose kernels are in the machine's catalog too
  std::shared_ptr<const PlanPreview> preview;  ///< of the setup form; null while it is being made
  RunState run;
};

/// Written by app/window/messages.
struct MessageData {
  std::vector<LogLine> log;
  std::vector<Notice> notices;
};

struct WindowData : DatabaseData, MeasuringData, MessageData {
  AttentionData attention;                      ///< written by app/window/attention
  TileData tiles;                               ///< written by app/window/tiles
  WorkData work;                                ///< likewise
  ExploreData explore;                          ///< written by app/window/explore
  std::shared_ptr<const FolderListing> folder;  ///< for the question for a file, null until one was asked; by files
  bool can_undo = false;                        ///< a deletion or a reset can be taken back; by undo
};

/// A sweep is being measured into the shown database.
inline bool measures_here(const RunState& run, const DatabaseData& shown) {
  return run.running && run.database == shown.database;
}

/// The newest sweep that is older than the shown one; null: there is none.
const SweepInfo* sweep_before(const DatabaseData& data);

/// The row in work that stands under this id; null: none does.
const LiveRow* find_live(const RunState& run, std::int64_t measurement);

}  // namespace triscope
