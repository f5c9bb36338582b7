#include "profiler/store/interned_texts.hpp"

#include "profiler/store/store_values.hpp"

namespace triscope {

std::int64_t InternedTexts::id(const std::string& value) {
  const auto known = ids_.find(value);
  if (known != ids_.end()) return known->second;
  if (!insert_) {
    insert_.emplace(database_, "INSERT OR IGNORE INTO text(value) VALUES (?)");
    find_.emplace(database_, "SELECT id FROM text WHERE value = ?");
  }
  Binder(*insert_) << value;
  insert_->exec();
  Binder(*find_) << value;
  find_->executeStep();
  return ids_.emplace(value, find_->getColumn(0).getInt64()).first->second;
}

}  // namespace triscope
