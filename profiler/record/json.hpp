// What every codec shares. Include only where JSON is made or read (it is a heavy header).
// Reading throws nlohmann::json::exception; callers turn that into an Error that names what they were reading.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace nlohmann {

/// An unset optional is null.
template <typename T>
struct adl_serializer<std::optional<T>> {
  static void to_json(json& j, const std::optional<T>& value) {
    if (value) {
      j = *value;
    } else {
      j = nullptr;
    }
  }
  static void from_json(const json& j, std::optional<T>& value) {
    if (j.is_null()) {
      value.reset();
    } else {
      value = j.get<T>();
    }
  }
};

}  // namespace nlohmann

namespace triscope {

namespace json_codec {
template <typename Enum>
Enum enum_from(const nlohmann::json& j, std::optional<Enum> (*parse)(std::string_view)) {
  const auto text = j.get<std::string>();
  const std::optional<Enum> value = parse(text);
  if (!value) throw nlohmann::json::other_error::create(501, "unknown name \"" + text + "\"", &j);
  return *value;
}
}  // namespace json_codec

/// One line; bytes that are no UTF-8 (a kernel's message, a file name) are replaced rather than refused.
inline std::string dump_line(const nlohmann::json& j) {
  return j.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace triscope
