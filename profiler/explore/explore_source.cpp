#include "profiler/explore/explore_source.hpp"

namespace triscope {
namespace {

template <typename Value>
const Value* find_in(const std::map<std::int64_t, Value>* values, std::int64_t id) {
  if (values == nullptr) return nullptr;
  const auto found = values->find(id);
  return found == values->end() ? nullptr : &found->second;
}

}  // namespace

Explored explored(const ExploreSource& source, std::size_t row) {
  const ResultRow& one = source.rows[row];
  return {one, source.name, find_in(source.beside, one.measurement), find_in(source.notes, one.sweep), source.counters};
}

}  // namespace triscope
