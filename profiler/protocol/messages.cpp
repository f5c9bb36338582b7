#include "profiler/protocol/messages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "kernels/base/error.hpp"
#include "profiler/protocol/inspect_codec.hpp"
#include "profiler/protocol/jobs_codec.hpp"
#include "profiler/record/catalog_codec.hpp"
#include "profiler/statistics/statistics_codec.hpp"

namespace triscope {

using nlohmann::json;

static_assert(std::endian::native == std::endian::little, "samples travel as little-endian records");

// Messages without members.
template <typename T>
concept EmptyMessage = std::is_empty_v<T>;
template <EmptyMessage T>
void to_json(json& j, const T&) {
  j = json::object();
}
template <EmptyMessage T>
void from_json(const json&, T&) {}

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SupportRequest, questions)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(MeasureRequest, entries, source_hashes, stopping, seed, tensors, first_settle_ns,
                                   verify, accepted, restart, counters, keeps_stopped)

void to_json(json& j, const Hello& hello) {
  j = {
      {"protocol", hello.protocol}, {"version", hello.version}, {"mode", hello.mode}, {"in_program", hello.in_program}};
}
// Of any version: its number is what a refusal names.
void from_json(const json& j, Hello& hello) {
  j.at("protocol").get_to(hello.protocol);
  j.at("version").get_to(hello.version);
  j.at("mode").get_to(hello.mode);
  hello.in_program = j.value("in_program", false);
}

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CatalogReply, catalog)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SupportReply, answers)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ProgressReport, entry, stage, text)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ErrorReply, summary, why, fix, code)

namespace {

// One sample on the wire: 8 fields of 8 bytes, then the index of the flag and whether throttle bits are known.
constexpr std::size_t kSampleBytes = 8 * 8 + 4 + 4;
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

template <typename T>
void append(std::string& bytes, T value) {
  char raw[sizeof(T)];
  std::memcpy(raw, &value, sizeof(T));
  bytes.append(raw, sizeof(T));
}

template <typename T>
T take(std::string_view& bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof(T));
  bytes.remove_prefix(sizeof(T));
  return value;
}

std::optional<double> known(double value) { return std::isnan(value) ? std::nullopt : std::optional(value); }

[[noreturn]] void bad(const std::string& why) {
  throw Error("a message between triscope and its worker cannot be understood", why, "use a worker of the same build");
}

// JSON has neither infinity nor NaN, but the error of a wrong kernel may be either. They are sent as {"number": "inf"}.
constexpr const char* kNonFinite = "number";

void hide_non_finite(json& j) {
  if (j.is_structured()) {
    for (json& inner : j) hide_non_finite(inner);
  } else if (j.is_number_float() && !std::isfinite(j.get<double>())) {
    const double value = j.get<double>();
    j = {{kNonFinite, std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf"}};
  }
}

void restore_non_finite(json& j) {
  if (!j.is_structured()) return;
  if (j.is_object() && j.size() == 1 && j.contains(kNonFinite) && j[kNonFinite].is_string()) {
    const std::string text = j[kNonFinite];
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    j = text == "inf" ? kInfinity : text == "-inf" ? -kInfinity : kUnknown;
    return;
  }
  for (json& inner : j) restore_non_finite(inner);
}

// Replies whose arrays of floats travel as payload, one behind the other.
template <typename M>
concept CarriesFloats = requires(M& m) {
  m.payload();
};

template <CarriesFloats M>
void pack_floats(const M& message, json& j, std::string& payload) {
  json lengths = json::array();
  std::size_t count = 0;
  for (const std::vector<float>* values : const_cast<M&>(message).payload()) count += values->size();
  payload.reserve(count * sizeof(float));
  for (const std::vector<float>* values : const_cast<M&>(message).payload()) {
    lengths.push_back(values->size());
    payload.append(reinterpret_cast<const char*>(values->data()), values->size() * sizeof(float));
  }
  j["floats"] = std::move(lengths);
}

template <CarriesFloats M>
void unpack_floats(const json& j, std::string_view payload, M& message) {
  const auto lengths = j.at("floats").get<std::vector<std::size_t>>();
  const auto members = message.payload();
  bool fits = lengths.size() == members.size();
  for (std::size_t n = 0; fits && n < members.size(); ++n) {
    fits = lengths[n] <= payload.size() / sizeof(float);
    if (!fits) break;
    const std::size_t bytes = lengths[n] * sizeof(float);
    members[n]->resize(lengths[n]);
    // Not memcpy: an empty array has no address.
    std::copy_n(payload.data(), bytes, reinterpret_cast<char*>(members[n]->data()));
    payload.remove_prefix(bytes);
  }
  if (!fits || !payload.empty() || !message.consistent())
    bad(fmt::format("the arrays of a \"{}\" do not fit together", M::kType));
}

json to_object(const Message& message, std::string& payload) {
  return std::visit(
      [&payload](const auto& m) {
        using M = std::decay_t<decltype(m)>;
        json j;
        if constexpr (std::is_same_v<M, SampleBatch> || std::is_same_v<M, ResultReply>) {
          std::vector<std::string> flags;
          j["entry"] = m.entry;
          if constexpr (std::is_same_v<M, SampleBatch>) {
            payload = pack_samples(m.samples, flags);
          } else {
            j["measurement"] = m.measurement;
            j["fingerprint"] = m.fingerprint;
            payload = pack_samples(m.measurement.samples, flags);
          }
          j["flags"] = flags;
        } else {
          j = m;
          if constexpr (CarriesFloats<M>) pack_floats(m, j, payload);
        }
        j["type"] = M::kType;
        return j;
      },
      message);
}

template <typename M>
Message from_object(const json& j, std::string_view payload) {
  M message{};
  if constexpr (std::is_same_v<M, SampleBatch> || std::is_same_v<M, ResultReply>) {
    j.at("entry").get_to(message.entry);
    std::vector<Sample> samples = unpack_samples(payload, j.at("flags").get<std::vector<std::string>>());
    if constexpr (std::is_same_v<M, SampleBatch>) {
      message.samples = std::move(samples);
    } else {
      j.at("measurement").get_to(message.measurement);
      message.fingerprint = j.value("fingerprint", message.fingerprint);  // spool files of before have none
      message.measurement.samples = std::move(samples);
    }
  } else if constexpr (CarriesFloats<M>) {
    j.get_to(message);
    unpack_floats(j, payload, message);
  } else {
    if (!payload.empty()) bad(fmt::format("a \"{}\" carries {} bytes, but takes none", M::kType, payload.size()));
    j.get_to(message);
  }
  return message;
}

// Tries the alternatives of the variant one by one.
template <std::size_t I = 0>
Message from_type(const std::string& type, const json& j, std::string_view payload) {
  if constexpr (I == std::variant_size_v<Message>) {
    bad(fmt::format("there is no message called \"{}\"", printable(type)));
  } else {
    using M = std::variant_alternative_t<I, Message>;
    return type == M::kType ? from_object<M>(j, payload) : from_type<I + 1>(type, j, payload);
  }
}

}  // namespace

std::string pack_samples(const std::vector<Sample>& samples, std::vector<std::string>& flags) {
  if (flags.empty()) flags.emplace_back();
  std::string bytes;
  bytes.reserve(samples.size() * kSampleBytes);
  for (const Sample& sample : samples) {
    auto flag = std::find(flags.begin(), flags.end(), sample.flag);
    if (flag == flags.end()) flag = flags.insert(flags.end(), sample.flag);
    append(bytes, sample.started_ns);
    append(bytes, sample.duration_ns);
    append(bytes, sample.launches);
    append(bytes, sample.block);
    append(bytes, sample.sm_clock_mhz.value_or(kUnknown));
    append(bytes, sample.power_w.value_or(kUnknown));
    append(bytes, sample.temperature_c.value_or(kUnknown));
    append(bytes, sample.throttle_bits.value_or(0));
    append(bytes, static_cast<std::uint32_t>(flag - flags.begin()));
    append(bytes, static_cast<std::uint32_t>(sample.throttle_bits.has_value()));
  }
  return bytes;
}

std::vector<Sample> unpack_samples(std::string_view bytes, const std::vector<std::string>& flags) {
  if (bytes.size() % kSampleBytes != 0) {
    bad(fmt::format("{} bytes of samples are no multiple of {}", bytes.size(), kSampleBytes));
  }
  std::vector<Sample> samples(bytes.size() / kSampleBytes);
  for (Sample& sample : samples) {
    sample.started_ns = take<std::int64_t>(bytes);
    sample.duration_ns = take<std::int64_t>(bytes);
    sample.launches = take<std::int64_t>(bytes);
    sample.block = take<std::int64_t>(bytes);
    sample.sm_clock_mhz = known(take<double>(bytes));
    sample.power_w = known(take<double>(bytes));
    sample.temperature_c = known(take<double>(bytes));
    const auto throttle_bits = take<std::uint64_t>(bytes);
    const auto flag = take<std::uint32_t>(bytes);
    if (take<std::uint32_t>(bytes) != 0) sample.throttle_bits = throttle_bits;
    if (flag >= flags.size()) bad(fmt::format("a sample has flag {} of {}", flag, flags.size()));
    sample.flag = flags[flag];
    if (sample.duration_ns < 0 || sample.launches < 1) bad("a sample has a negative duration or no launches");
  }
  return samples;
}

Frame encode(const Message& message) {
  Frame frame;
  json j = to_object(message, frame.payload);
  hide_non_finite(j);
  if (!frame.payload.empty()) j["payload"] = frame.payload.size();
  frame.json = dump_line(j);
  return frame;
}

Message decode(const Frame& frame) {
  try {
    json j = json::parse(frame.json);
    restore_non_finite(j);
    return from_type(j.at("type").get<std::string>(), j, frame.payload);
  } catch (const json::exception& e) {
    bad(fmt::format("\"{}\": {}", printable(frame.json), printable(e.what(), 200)));
  }
}

std::string to_bytes(const Message& message) { return to_bytes(encode(message)); }

}  // namespace triscope
