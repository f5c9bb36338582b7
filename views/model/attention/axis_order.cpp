#include "views/model/attention/axis_order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "views/data/format.hpp"

namespace triscope {
namespace {

/// The shape of the tensor that has a role; null without one.
const std::vector<std::int64_t>* shape_of(const SourceReply& reply, const TensorMapping& mapping, const char* role) {
  const auto given = mapping.names.find(role);
  const auto guessed = reply.names.find(role);
  if (given == mapping.names.end() && guessed == reply.names.end()) return nullptr;
  const std::string& name = given != mapping.names.end() ? given->second : guessed->second;
  const auto found = std::ranges::find(reply.tensors, name, &NamedTensor::name);
  return found == reply.tensors.end() ? nullptr : &found->shape;
}

/// Heads are the axis that differs between q and k1, or else the shorter one; nullopt: nothing tells.
std::optional<bool> heads_come_first(const std::vector<std::int64_t>& q, const std::vector<std::int64_t>* k1) {
  const std::size_t n = q.size();
  const std::int64_t a = q[n - 3], b = q[n - 2];
  if (k1 && k1->size() == n) {
    const bool same_a = (*k1)[n - 3] == a, same_b = (*k1)[n - 2] == b;
    if (same_a != same_b) return same_b;
  }
  if (a == b) return std::nullopt;
  return a < b;
}

}  // namespace

std::string order_sentence(const SourceReply& reply, const TensorMapping& mapping) {
  const std::vector<std::int64_t>* q = shape_of(reply, mapping, "q");
  if (!q || q->size() < 3 || q->size() > 4) return {};
  std::string shape;
  for (const std::int64_t size : *q) shape += fmt::format("{}{}", shape.empty() ? "" : " × ", size);
  const std::int64_t a = (*q)[q->size() - 3], b = (*q)[q->size() - 2];
  const std::string text = fmt::format("q is {}: {}, {}.", shape, counted(mapping.heads_first ? b : a, "token"),
                                       counted(mapping.heads_first ? a : b, "head"));
  const std::optional<bool> first = heads_come_first(*q, shape_of(reply, mapping, "k1"));
  return first && *first != mapping.heads_first ? text + " The other order seems to fit better." : text;
}

}  // namespace triscope
