// The two sides of `triscope compare A B`: what their words name, and their rows.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/options/selection.hpp"
#include "profiler/record/measurement.hpp"
#include "profiler/statistics/training_step.hpp"
#include "profiler/store/store.hpp"

namespace triscope {

/// What is compared: rows of one database.
struct Side {
  std::string word;                      ///< as it was typed
  bool is_file = false;                  ///< a database of its own, rather than measurements of --db
  std::filesystem::path file;            ///< its database
  std::optional<Selection> selection;    ///< unset: all of the file, of each configuration the newest
  std::shared_ptr<const Snapshot> from;  ///< the same object where both sides are of one database
  std::vector<ResultRow> rows;           ///< of each configuration the newest
  std::size_t left_out = 0;              ///< older ones of a selection, of the same configurations
};

/// "new.db, 12 measurements of sweep 3, 2026-11-21 13:55".
std::string label_of(const Side& side);

/// Two versions of one kernel.
bool are_versions(const Side& a, const Side& b);

/// Both sides, A first. Each word is "3", "m12", "kernel:...", or the name of a database, "old.db" or "old.db@3"; all
/// but a database is of `database` (empty: the usual one). Of two files the first is the old one, which is B: the new
/// one is judged. Throws `Error` where a word names nothing.
std::pair<Side, Side> open_sides(const std::string& word_a, const std::string& word_b, const std::string& database);

/// The training steps of A beside those of B, where that is dot-product attention alone.
std::vector<TrainingStep> steps_beside(const Side& a, const Side& b);

}  // namespace triscope
