// Which of several measurements of one question stands for it where a database is shown as a whole.
#pragma once

#include <span>
#include <vector>

#include "profiler/record/measurement.hpp"

namespace triscope {

/// Where each of them lies; must not outlive them.
std::vector<const ResultRow*> addresses_of(std::span<const ResultRow> rows);
std::vector<const ResultRow*> addresses_of(std::vector<ResultRow>&&) = delete;

/// A row of attention as the paper has it, whose time can stand for it: ok, with a time, causal, without sink or
/// biases, and no backward with deterministic gradients.
bool is_plain(const ResultRow& row);

/// Of rows of one kernel those of its newest version (its source): the one that was measured last. What is drawn as one
/// line, or compared along one, goes by these only.
std::vector<const ResultRow*> newest_version(std::span<const ResultRow* const> rows);

/// Of rows of one kernel and one question, those of the newest version of the kernel (its source); of each of its
/// instances the row that is known best, with the narrowest interval beside its median; of these the fastest. Rows
/// without an interval come last; of equals the newest. Not simply the newest: a later sweep with a smaller budget
/// would blur what an earlier one had found. Null without rows.
const ResultRow* row_that_counts(std::span<const ResultRow* const> rows);

/// Of `rows` that are alike in kernel, problem, pass, regime, clock and device the one that counts, in the order of
/// `rows`. Ok rows count before others.
std::vector<const ResultRow*> rows_that_count(std::span<const ResultRow* const> rows);

/// What training steps of several sweeps are made of: the rows of ours that count, then all of the dot product, since
/// beside a step stands that of its own sweeps (`training_steps`).
std::vector<const ResultRow*> rows_of_steps(std::span<const ResultRow* const> rows);

}  // namespace triscope
