// The opcodes of Python's pickles, by name.
#pragma once

#include <cstdint>
#include <string>

namespace triscope {

/// Those that are understood.
enum class PickleOpcode : std::uint8_t {
  proto = 0x80,
  stop = '.',
  mark = '(',
  global = 'c',
  reduce = 'R',
  build = 'b',
  persistent_id = 'Q',
  put = 'q',
  long_put = 'r',
  get = 'h',
  long_get = 'j',
  empty_dict = '}',
  set_item = 's',
  set_items = 'u',
  empty_tuple = ')',
  tuple = 't',
  tuple1 = 0x85,
  tuple2 = 0x86,
  tuple3 = 0x87,
  none = 'N',
  new_true = 0x88,
  new_false = 0x89,
  int1 = 'K',
  int2 = 'M',
  int4 = 'J',
  long1 = 0x8A,
  real = 'G',
  text = 'X',
};

/// "INST", as Python's pickletools calls it, or "0xff" when there is none.
std::string pickle_opcode_name(std::uint8_t opcode);

}  // namespace triscope
