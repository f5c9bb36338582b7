// As much of XLA's foreign function interface (xla/ffi/api/c_api.h of OpenXLA, versions 0.1 to 0.4) as a caller needs
// that is not XLA: it lays out one call frame and offers the few functions that a handler of the stage EXECUTE asks
// for. Layouts were compared with that header by static_asserts on every offset (jaxlib 0.11.2); sizes are pinned
// below.
#pragma once

#include <cstddef>
#include <cstdint>

namespace triscope::xla_ffi {

enum class DataType : std::int32_t { pred = 1, s64 = 5, f32 = 11, f64 = 12, bf16 = 16 };

inline constexpr std::int32_t kArgumentIsBuffer = 1;
inline constexpr std::int32_t kAttributeIsScalar = 3;
inline constexpr std::int32_t kStageExecute = 3;
inline constexpr std::int32_t kMetadataExtension = 1;
inline constexpr std::int32_t kResourceExhausted = 8;  // absl::StatusCode

/// Indices into `Api::functions`. A handler that succeeds calls the last four; one that fails the first.
enum Slot : std::size_t {
  error_create = 0,
  error_details = 1,
  error_destroy = 2,
  stream_get = 4,
  memory_allocate = 9,
  memory_free = 10,
  device_ordinal = 17
};
inline constexpr std::size_t kSlots = 19;

struct Head {
  std::size_t struct_size = 0;
  void* extension = nullptr;
};
struct Version {
  Head head;
  std::int32_t major_version = 0, minor_version = 0;
};
using Function = void* (*)(void*);
struct Api {
  Head head;
  Version version;
  const void* internal = nullptr;
  Function functions[kSlots] = {};
};

struct Error;  // made and deleted by the caller; the handler only carries it
struct ErrorCreate {
  Head head;
  const char* message;
  std::int32_t code;
};
struct ErrorDetails {
  Head head;
  Error* error;
  const char* message;
  std::int32_t code;
};
struct ErrorDestroy {
  Head head;
  Error* error;
};
struct StreamGet {
  Head head;
  void* context;
  void* stream;
};
struct MemoryAllocate {
  Head head;
  void* context;
  std::size_t bytes, alignment;
  void* data;
};
struct DeviceOrdinal {
  Head head;
  void* context;
  std::int32_t ordinal;
};

struct Buffer {
  Head head;
  DataType type;
  void* data;
  std::int64_t rank;
  const std::int64_t* extents;  ///< dense, row-major
};
struct Name {
  const char* text;
  std::size_t length;
};
struct Scalar {
  DataType type;
  void* value;
};
struct Buffers {
  Head head;
  std::int64_t count = 0;
  const std::int32_t* kinds = nullptr;
  void** buffers = nullptr;
};
struct Attributes {
  Head head;
  std::int64_t count = 0;
  const std::int32_t* kinds = nullptr;
  Name** names = nullptr;  ///< sorted
  void** values = nullptr;
};
struct CallFrame {
  Head head;
  const Api* api = nullptr;
  void* context = nullptr;
  std::int32_t stage = 0;
  Buffers arguments, results;
  Attributes attributes;
  void* future = nullptr;  ///< not counted in struct_size by API 0.1
};
inline constexpr std::size_t kCallFrameSize = offsetof(CallFrame, attributes) + sizeof(Attributes);

struct Metadata {
  std::size_t struct_size = 0;
  Version version;
  std::uint32_t traits = 0;
  std::int64_t state_type = 0;
};
struct MetadataExtension {
  std::size_t struct_size = 0;
  std::int32_t type = 0;
  void* next = nullptr;
  Metadata* metadata = nullptr;
};
inline constexpr std::size_t kMetadataSize = offsetof(Metadata, traits) + sizeof(Metadata::traits);

using Handler = Error* (*)(CallFrame*);

static_assert(sizeof(void*) == 8, "the layouts are those of a 64-bit machine");
static_assert(sizeof(Version) == 24 && sizeof(Api) == 200 && offsetof(Api, functions) == 48);
static_assert(sizeof(Buffer) == 48 && sizeof(Buffers) == 40 && sizeof(Attributes) == 48 && sizeof(Scalar) == 16);
static_assert(sizeof(CallFrame) == 176 && kCallFrameSize == 168 && kMetadataSize == 36);

}  // namespace triscope::xla_ffi
