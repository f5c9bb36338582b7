// Fields for numbers. Text that is no number within the bounds stays as it was typed, outlined, until it is one;
// `field_problems` says why, and the value stays.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "views/data/number_text.hpp"
#include "views/parts/context.hpp"

namespace triscope {

/// Its value follows each key.
void number_field(const Context& context, const char* id, int& value, float width, const NumberBounds& bounds = {});
void number_field(const Context& context, const char* id, float& value, float width, NumberBounds bounds);
/// `unit` stands behind the number, and need not be typed.
void number_field(const Context& context, const char* id, double& value, float width, NumberBounds bounds,
                  const char* unit);

/// Its value is what stands there when the field is left, or at Enter; true then, where that is another one.
bool typed_field(const Context& context, const char* id, std::int64_t& value, float width, const NumberBounds& bounds);
bool typed_field(const Context& context, const char* id, double& value, float width, NumberBounds bounds,
                 const char* unit = "");
/// One that may be empty: `hint` says what that means.
bool typed_field(const Context& context, const char* id, std::optional<double>& value, float width,
                 const NumberBounds& bounds, const char* hint, const char* unit = "");
/// One that can be dragged as well; a click types.
bool dragged_field(const Context& context, const char* id, std::int64_t& value, float width,
                   const NumberBounds& bounds);

/// Whether a field of this id in the current window holds what it does not take.
bool is_wrong(const Context& context, const char* id);
/// Why; empty: it is right.
std::string wrong_words(const Context& context, const char* id);
/// Below a line of fields: what is wrong with them.
void field_problems(const Context& context);
/// What is wrong, as a sentence; nothing where it is empty.
void problem_line(const Context& context, const std::string& problem);

}  // namespace triscope
