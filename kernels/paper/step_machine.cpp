#include "kernels/paper/step_machine.hpp"

#include <algorithm>
#include <cmath>

namespace triscope {

StepMachine::StepMachine(Algorithm algorithm, const StepSizes& sizes, std::vector<std::string> listing) {
  run_.algorithm = algorithm;
  run_.sizes = sizes;
  run_.listing = std::move(listing);
  tensors_ = step_tensors(sizes);
  const std::int64_t n = sizes.n, dim = sizes.dim;
  for (std::int64_t i = 0; i < n; ++i) {
    double sum = 0, delta = 0;
    std::vector<double> o(static_cast<std::size_t>(dim));
    for (std::int64_t j = 0; j <= i; ++j) {
      for (std::int64_t k = 0; k <= i; ++k) {
        if (!sees(i, j, k)) continue;
        double logit = 0;
        for (std::int64_t d = 0; d < dim; ++d)
          logit += element(tensors_.q, i, d) * element(tensors_.k1, j, d) * element(tensors_.k2, k, d);
        const double p = std::exp(logit * scale());
        sum += p;
        for (std::int64_t d = 0; d < dim; ++d)
          o[static_cast<std::size_t>(d)] += p * element(tensors_.v1, j, d) * element(tensors_.v2, k, d);
      }
    }
    for (std::int64_t d = 0; d < dim; ++d)
      delta += element(tensors_.grad_o, i, d) * o[static_cast<std::size_t>(d)] / sum;
    lse_.push_back(std::log(sum));
    delta_.push_back(delta);
  }
}

double StepMachine::element(const std::vector<double>& tensor, std::int64_t row, std::int64_t d) const {
  return row < 0 || row >= sizes().n ? 0 : tensor[static_cast<std::size_t>(row * sizes().dim + d)];
}

StepGrid StepMachine::load(const char* name, const char* rows, const std::vector<double>& tensor, StepSpan span) const {
  return filled(zeros(name, rows, span),
                [&](std::int64_t row, std::int64_t d) { return element(tensor, span.first + row, d); });
}

StepGrid StepMachine::zeros(const char* name, const char* rows, StepSpan span) const {
  return shaped(name, rows, "d", span, {0, sizes().dim});
}

bool StepMachine::sees(std::int64_t i, std::int64_t j, std::int64_t k) const {
  return i >= 0 && i < sizes().n && j >= 0 && k >= 0 && j <= i && k <= i && j > i - sizes().window1 &&
         k > i - sizes().window2;
}

void StepMachine::begin(std::string where) {
  where_ = std::move(where);
  registers_.clear();
  ++run_.programs;
}

void StepMachine::output(const char* name, const char* rows) {
  StepGrid grid = zeros(name, rows, {0, sizes().n});
  std::ranges::fill(grid.values, kUnwritten);
  memory_.push_back(std::move(grid));
}

StepGrid& StepMachine::in_memory(std::string_view name) { return *std::ranges::find(memory_, name, &StepGrid::name); }

StepGrid& StepMachine::put(StepGrid grid) {
  grid.changed = true;
  const auto found = std::ranges::find(registers_, grid.name, &StepGrid::name);
  if (found == registers_.end()) return registers_.emplace_back(std::move(grid));
  return *found = std::move(grid);
}

StepGrid& StepMachine::reg(std::string_view name) { return *std::ranges::find(registers_, name, &StepGrid::name); }

void StepMachine::drop(std::string_view name) {
  std::erase_if(registers_, [&](const StepGrid& grid) { return grid.name == name; });
}

void StepMachine::end_step(StepKind kind, int line, std::string says, StepSpan queries, StepSpan keys1,
                           StepSpan keys2) {
  run_.steps.push_back(
      {kind, run_.programs - 1, line, where_, std::move(says), queries, keys1, keys2, registers_, memory_});
  for (StepGrid& grid : registers_) grid.changed = false;
  for (StepGrid& grid : memory_) grid.changed = false;
}

StepGrid shaped(const char* name, const char* rows, const char* columns, StepSpan row_span, StepSpan column_span) {
  StepGrid grid;
  grid.name = name;
  grid.rows = rows;
  grid.columns = columns;
  grid.first_row = row_span.first;
  grid.first_column = column_span.first;
  grid.height = row_span.end - row_span.first;
  grid.width = column_span.end - column_span.first;
  grid.values.assign(static_cast<std::size_t>(grid.height * grid.width), 0.0);
  return grid;
}

StepGrid filled(StepGrid grid, const std::function<double(std::int64_t, std::int64_t)>& make) {
  for (std::int64_t row = 0; row < grid.height; ++row) {
    for (std::int64_t column = 0; column < grid.width; ++column) grid.at(row, column) = make(row, column);
  }
  return grid;
}

StepGrid times_transposed(StepGrid grid, const StepGrid& a, const StepGrid& b) {
  return filled(std::move(grid), [&](std::int64_t row, std::int64_t column) {
    double sum = 0;
    for (std::int64_t d = 0; d < a.width; ++d) sum += a.at(row, d) * b.at(column, d);
    return sum;
  });
}

StepGrid times(StepGrid grid, const StepGrid& a, const StepGrid& b) {
  return filled(std::move(grid), [&](std::int64_t row, std::int64_t column) {
    double sum = 0;
    for (std::int64_t n = 0; n < a.width; ++n) sum += a.at(row, n) * b.at(n, column);
    return sum;
  });
}

StepGrid transposed_times(StepGrid grid, const StepGrid& a, const StepGrid& b) {
  return filled(std::move(grid), [&](std::int64_t row, std::int64_t column) {
    double sum = 0;
    for (std::int64_t n = 0; n < a.height; ++n) sum += a.at(n, row) * b.at(n, column);
    return sum;
  });
}

void add_to(StepGrid& sum, const StepGrid& more) {
  for (std::size_t n = 0; n < sum.values.size(); ++n) sum.values[n] += more.values[n];
}

}  // namespace triscope
