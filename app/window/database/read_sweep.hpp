// One sweep as the window reads it.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "profiler/store/store.hpp"
#include "views/data/window_data.hpp"

namespace triscope {

/// The sweep with its rows. Long texts are cut: they are drawn in each frame. Throws `Error` when the database cannot
/// be read.
std::shared_ptr<const SweepResults> read_sweep(const Snapshot& from, SweepInfo sweep);

/// Where these rows were measured, each place once.
std::vector<Environment> places_of(const Snapshot& from, const std::vector<ResultRow>& rows);

/// Of `sweeps` of a database, which are read one by one, the first that measured something that `ours` did, or the
/// first of those that measured most of it. Null: none did, or `cancel` was stopped.
enum class Sharing { anything, most };
std::shared_ptr<const SweepResults> sharing_sweep(const Snapshot& from, std::vector<SweepInfo> sweeps,
                                                  const SweepResults& ours, Sharing which,
                                                  const std::stop_token& cancel);

// The same for what is read by itself.
void cut_texts(SweepInfo& sweep);
void cut_texts(ResultRow& row);
void cut_texts(Measurement& measurement);
void cut_texts(Environment& environment);
/// All of a note that a person may go on writing here, or the beginning of a long one (views/data/long_note).
std::string shown_note(std::string note);

}  // namespace triscope
