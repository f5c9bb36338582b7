// What must agree for two measurements to be repeats of one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "profiler/record/measurement.hpp"

namespace triscope {

/// Texts as small numbers, so that they are quick to compare.
class TextNumbers {
 public:
  std::int64_t of(const std::string& text) {
    return ids_.try_emplace(text, static_cast<std::int64_t>(ids_.size())).first->second;
  }

 private:
  std::unordered_map<std::string, std::int64_t> ids_;
};

/// What each part of an identity is called; what is asked for stands before how it is done.
inline constexpr std::array<std::string_view, 23> kIdentityParts{
    "kernel", "pass",      "windows", "windows", "tokens", "heads",   "heads",   "head size",
    "batch",  "form",      "mask",    "element", "scale",  "k2 bias", "v2 bias", "sink",
    "sink",   "gradients", "regime",  "device",  "clock",  "version", "instance"};
/// The field of `explore_fields` that holds it; empty: none does.
inline constexpr std::array<std::string_view, 23> kIdentityFields{
    "kernel", "pass", "window", "window",  "seq",      "heads",   "heads",   "head_dim",
    "batch",  "form", "mask",   "element", "",         "",        "",        "",
    "",       "",     "regime", "device",  "timed_by", "version", "instance"};
/// Whether the best of each is chosen within one value of it: one question, asked of one machine in one way.
constexpr bool stays_within(std::string_view part) {
  return part == "pass" || part == "regime" || part == "device" || part == "clock";
}
/// A part is what this field of `explore_fields` says: of w1 the first of the windows alone, of their product both.
constexpr bool tells(std::string_view field, std::size_t part) {
  constexpr std::size_t kWindow1 = 2, kWindow2 = 3;
  if (field == "w1") return part == kWindow1;
  if (field == "w2") return part == kWindow2;
  if (field == "area") return part == kWindow1 || part == kWindow2;
  return kIdentityFields[part] == field;
}
/// Parts of the problem: what was computed, not by what or where.
constexpr bool is_of_problem(std::size_t part) {
  return kIdentityParts[part] != "kernel" && !stays_within(kIdentityParts[part]) && kIdentityParts[part] != "version" &&
         kIdentityParts[part] != "instance";
}
using Identity = std::array<std::int64_t, kIdentityParts.size()>;
/// Places of the last two.
inline constexpr std::size_t kVersionPart = kIdentityParts.size() - 2, kInstancePart = kIdentityParts.size() - 1;

Identity identity_of(const ResultRow& row, TextNumbers& texts);

}  // namespace triscope
