// One sweep as the window reads it.
#pragma once

#include <cstdint>
#include <memory>
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

/// Of `others`, the newest first, the one that began before `shown` and measured something that it did; 0: none.
std::int64_t before_of(const SweepResults& shown, const std::vector<std::shared_ptr<const SweepResults>>& others);

// The same for what is read by itself.
void cut_texts(SweepInfo& sweep);
void cut_texts(ResultRow& row);
void cut_texts(Measurement& measurement);
void cut_texts(Environment& environment);
/// All of a note that a person may go on writing here, or the beginning of a long one (views/data/long_note).
std::string shown_note(std::string note);

}  // namespace triscope
