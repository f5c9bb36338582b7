// What a function that XLA calls needs of XLA's foreign function interface (its header xla/ffi/api/c_api.h, which
// jaxlib carries): version 0, minor 3. The interface only adds members at the ends of these structs within a major
// version, and says so by their sizes. Members that this library does not use have the type of a pointer.
#pragma once

#include <cstddef>
#include <cstdint>

namespace triscope::xla {

inline constexpr int kMajorVersion = 0, kMinorVersion = 3;

struct Error;    ///< XLA's
struct Context;  ///< XLA's

struct Extension {
  std::size_t struct_size;
  int type;
  Extension* next;
};
inline constexpr int kMetadataExtension = 1;

struct Version {
  std::size_t struct_size;
  Extension* extensions;
  int major_version, minor_version;
};

/// Asked of a function when it is registered.
struct Metadata {
  std::size_t struct_size;
  Version version;
  std::uint32_t traits;
};
inline constexpr std::uint32_t kCommandBufferCompatible = 1;  ///< always launches the same: a CUDA graph may hold it
struct MetadataExtension {
  Extension base;
  Metadata* metadata;
};

enum class DataType : int { s32 = 4, s64 = 5, f32 = 11, bf16 = 16 };

struct Buffer {
  std::size_t struct_size;
  Extension* extensions;
  DataType type;
  void* data;
  std::int64_t rank;
  const std::int64_t* dimensions;
};

/// Arguments and results, which are all buffers (kBuffer) here.
struct Buffers {
  std::size_t struct_size;
  Extension* extensions;
  std::int64_t count;
  const int* kinds;
  void** buffers;
};
inline constexpr int kBuffer = 1;

struct Text {
  const char* data;
  std::size_t size;
};
struct Array {
  DataType type;
  std::size_t size;
  const void* data;
};
enum class AttributeKind : int { array = 1, dictionary = 2, scalar = 3, text = 4 };
struct Attributes {
  std::size_t struct_size;
  Extension* extensions;
  std::int64_t count;
  const AttributeKind* kinds;
  Text** names;
  void** values;  ///< Array*, Text* or others, by kind
};

enum class ErrorCode : int { invalid_argument = 3, internal = 13 };

// What the functions below are given.
struct NewError {
  std::size_t struct_size;
  Extension* extensions;
  const char* message;
  ErrorCode code;
};
struct OldError {
  std::size_t struct_size;
  Extension* extensions;
  Error* error;
};
struct StreamQuestion {
  std::size_t struct_size;
  Extension* extensions;
  Context* context;
  void* stream;  ///< answer
};
struct NewMemory {
  std::size_t struct_size;
  Extension* extensions;
  Context* context;
  std::size_t bytes, alignment;
  void* data;  ///< answer
};
struct OldMemory {
  std::size_t struct_size;
  Extension* extensions;
  Context* context;
  std::size_t bytes;
  void* data;
};
struct DeviceQuestion {
  std::size_t struct_size;
  Extension* extensions;
  Context* context;
  std::int32_t device;  ///< answer
};

/// XLA's functions; each returns null or an error, which the caller must destroy.
struct Api {
  std::size_t struct_size;
  Extension* extensions;
  Version version;
  void* internal;
  Error* (*create_error)(NewError*);
  void* describe_error;
  void (*destroy_error)(OldError*);
  void* register_handler;
  Error* (*find_stream)(StreamQuestion*);
  void *register_type, *find_context, *set_state, *find_state;
  Error* (*allocate)(NewMemory*);  ///< freed memory is used again by what comes later on the same stream
  Error* (*release)(OldMemory*);
  void *schedule, *thread_count, *create_future, *set_future, *fail_future, *find_run;
  Error* (*find_device)(DeviceQuestion*);
};

enum class Stage : int { instantiate, prepare, initialize, execute };

/// One call.
struct CallFrame {
  std::size_t struct_size;
  Extension* extensions;
  const Api* api;
  Context* context;
  Stage stage;
  Buffers arguments, results;
  Attributes attributes;
};

}  // namespace triscope::xla
