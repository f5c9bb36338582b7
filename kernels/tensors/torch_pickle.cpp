// A pickle is a program for a machine with a stack and a memo (Python's pickletools). Every object that is understood
// here is one of a few kinds of plain data.
#include "kernels/tensors/torch_pickle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <unordered_map>

#include "kernels/base/error.hpp"
#include "kernels/tensors/pickle_opcodes.hpp"
#include "kernels/tensors/tensor_shape.hpp"

namespace triscope {
namespace {

constexpr std::size_t kMostObjects = 1'000'000;
constexpr std::size_t kMostDimensions = 64;  // as torch
constexpr int kDeepestDict = 8;
constexpr std::size_t kLongestName = 1024;
constexpr std::size_t kMostTensors = std::size_t{1} << 16, kMostNameBytes = std::size_t{8} << 20;
constexpr std::size_t kLongestStorage = 20;  // digits

[[noreturn]] void fail(const std::string& why,
                       const std::string& fix = "save it as torch.save({'q': q, 'k1': k1, 'k2': k2}, file)") {
  throw Error("cannot read the tensors", why, fix, ExitCode::usage);
}

struct Storage {
  std::string_view global;
  FileElement element;
  std::string_view type;
  std::size_t bytes;
};
constexpr std::array kStorages{Storage{"DoubleStorage", FileElement::f64, "", 8},
                               Storage{"FloatStorage", FileElement::f32, "", 4},
                               Storage{"HalfStorage", FileElement::f16, "", 2},
                               Storage{"BFloat16Storage", FileElement::bf16, "", 2},
                               Storage{"LongStorage", FileElement::i64, "", 8},
                               Storage{"IntStorage", FileElement::i32, "", 4},
                               Storage{"ShortStorage", FileElement::other, "Short", 2},
                               Storage{"CharStorage", FileElement::other, "Char", 1},
                               Storage{"ByteStorage", FileElement::other, "Byte", 1},
                               Storage{"BoolStorage", FileElement::other, "Bool", 1},
                               Storage{"ComplexFloatStorage", FileElement::other, "ComplexFloat", 8},
                               Storage{"ComplexDoubleStorage", FileElement::other, "ComplexDouble", 16}};

enum class Kind {
  none,
  boolean,
  number,
  real,
  text,
  tuple,
  dict,
  ordered_dict,
  rebuild,
  storage_type,
  storage,
  tensor
};

using Index = std::uint32_t;  // of an object

struct Object {
  Kind kind = Kind::none;
  std::int64_t number = 0;   // boolean, number; storage: elements; storage_type: its place in kStorages
  std::string_view text;     // text; storage: its file
  std::vector<Index> items;  // tuple; dict: key, value, ...; storage: its type; tensor: storage, offset, shape, strides
};

class Machine {
 public:
  explicit Machine(std::span<const std::byte> bytes)
      : program_(reinterpret_cast<const char*>(bytes.data()), bytes.size()) {}

  /// Runs to the end; returns what is left on the stack.
  Index run() {
    if (byte() != static_cast<std::uint8_t>(PickleOpcode::proto)) fail("its data.pkl does not begin like a pickle");
    if (const std::uint8_t protocol = byte(); protocol != 2) {
      fail(fmt::format("its pickle has the protocol {}, not 2", protocol), "leave pickle_protocol of torch.save out");
    }
    while (true) {
      const std::uint8_t opcode = byte();
      if (opcode == static_cast<std::uint8_t>(PickleOpcode::stop)) break;
      if (!put_value(opcode) && !put_container(opcode) && !call(opcode)) {
        fail(fmt::format("its pickle uses {}, which a dict of tensors does not need", pickle_opcode_name(opcode)));
      }
    }
    if (!program_.empty() || !marks_.empty() || stack_.size() != 1) fail("its pickle does not end with one object");
    return stack_.front();
  }

  const Object& at(Index index) const { return objects_[index]; }

 private:
  std::string_view take(std::size_t size) {
    if (size > program_.size()) fail("its pickle is truncated", "copy or write the file again");
    const std::string_view taken = program_.substr(0, size);
    program_.remove_prefix(size);
    return taken;
  }
  std::uint8_t byte() { return static_cast<std::uint8_t>(take(1).front()); }
  std::uint64_t number(std::size_t size) {
    std::uint64_t value = 0;
    const std::string_view bytes = take(size);
    for (std::size_t i = size; i-- > 0;) value = value << 8 | static_cast<std::uint8_t>(bytes[i]);
    return value;
  }
  /// Two's complement.
  std::int64_t signed_number(std::size_t size) {
    if (size > 8) fail("its pickle holds a number of more than 64 bits");
    if (size == 0) return 0;
    const auto unused = static_cast<int>(64 - 8 * size);
    return static_cast<std::int64_t>(number(size) << unused) >> unused;
  }
  std::string_view line() {
    const std::size_t end = program_.find('\n');
    if (end == std::string_view::npos) fail("its pickle is truncated", "copy or write the file again");
    const std::string_view text = take(end);
    take(1);
    return text;
  }

  [[noreturn]] static void fail_of_size() { fail(fmt::format("its pickle makes more than {} objects", kMostObjects)); }
  void push(Object object) {
    if (objects_.size() >= kMostObjects) fail_of_size();
    stack_.push_back(static_cast<Index>(objects_.size()));
    objects_.push_back(std::move(object));
  }
  Index pop() {
    if (stack_.size() <= (marks_.empty() ? 0 : marks_.back()))
      fail("its pickle takes more from its stack than there is");
    const Index index = stack_.back();
    stack_.pop_back();
    return index;
  }
  /// The top, which stays.
  Index top() {
    const Index index = pop();
    stack_.push_back(index);
    return index;
  }
  std::vector<Index> pop_to_mark() {
    if (marks_.empty()) fail("its pickle lacks a mark");
    const auto begin = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
    std::vector<Index> items(begin, stack_.end());
    stack_.erase(begin, stack_.end());
    marks_.pop_back();
    return items;
  }
  const Object& expect(Index index, Kind kind, const char* what) const {
    if (at(index).kind != kind) fail(fmt::format("its pickle lacks {}", what));
    return at(index);
  }

  bool put_value(std::uint8_t opcode) {
    switch (static_cast<PickleOpcode>(opcode)) {
      case PickleOpcode::none:
        push({});
        return true;
      case PickleOpcode::new_true:
      case PickleOpcode::new_false:
        push({Kind::boolean, opcode == static_cast<std::uint8_t>(PickleOpcode::new_true), {}, {}});
        return true;
      case PickleOpcode::int1:
        push({Kind::number, static_cast<std::int64_t>(number(1)), {}, {}});
        return true;
      case PickleOpcode::int2:
        push({Kind::number, static_cast<std::int64_t>(number(2)), {}, {}});
        return true;
      case PickleOpcode::int4:
        push({Kind::number, signed_number(4), {}, {}});
        return true;
      case PickleOpcode::long1:
        push({Kind::number, signed_number(byte()), {}, {}});
        return true;
      case PickleOpcode::real:
        take(8);  // no tensor is described by one
        push({Kind::real, 0, {}, {}});
        return true;
      case PickleOpcode::text:
        push({Kind::text, 0, take(number(4)), {}});
        return true;
      default:
        return false;
    }
  }

  bool put_container(std::uint8_t opcode) {
    switch (static_cast<PickleOpcode>(opcode)) {
      case PickleOpcode::mark:
        if (marks_.size() >= kMostObjects) fail_of_size();
        marks_.push_back(stack_.size());
        return true;
      case PickleOpcode::empty_dict:
        push({Kind::dict, 0, {}, {}});
        return true;
      case PickleOpcode::empty_tuple:
        push({Kind::tuple, 0, {}, {}});
        return true;
      case PickleOpcode::tuple1:
        push_tuple(1);
        return true;
      case PickleOpcode::tuple2:
        push_tuple(2);
        return true;
      case PickleOpcode::tuple3:
        push_tuple(3);
        return true;
      case PickleOpcode::tuple:
        push({Kind::tuple, 0, {}, pop_to_mark()});
        return true;
      case PickleOpcode::set_item: {
        const Index value = pop(), key = pop();
        set_items({key, value});
        return true;
      }
      case PickleOpcode::set_items:
        set_items(pop_to_mark());
        return true;
      default:
        return false;
    }
  }

  bool call(std::uint8_t opcode) {
    switch (static_cast<PickleOpcode>(opcode)) {
      case PickleOpcode::put:
        memo_[number(1)] = top();
        return true;
      case PickleOpcode::long_put:
        memo_[number(4)] = top();
        return true;
      case PickleOpcode::get:
        recall(number(1));
        return true;
      case PickleOpcode::long_get:
        recall(number(4));
        return true;
      case PickleOpcode::global:
        find_global();
        return true;
      case PickleOpcode::persistent_id:
        find_storage();
        return true;
      case PickleOpcode::reduce:
        reduce();
        return true;
      case PickleOpcode::build:  // a state_dict's _metadata, which describes no tensor
        pop();
        expect(top(), Kind::dict, "a dict");
        return true;
      default:
        return false;
    }
  }

  void push_tuple(std::size_t size) {
    std::vector<Index> items(size);
    for (std::size_t i = size; i-- > 0;) items[i] = pop();
    push({Kind::tuple, 0, {}, std::move(items)});
  }
  void set_items(const std::vector<Index>& items) {
    Object& dict = objects_[top()];
    if (dict.kind != Kind::dict || items.size() % 2 != 0) fail("its pickle lacks a dict");
    dict.items.insert(dict.items.end(), items.begin(), items.end());
  }
  void recall(std::uint64_t key) {
    const auto found = memo_.find(key);
    if (found == memo_.end()) fail("its pickle recalls what it did not keep");
    if (stack_.size() >= kMostObjects) fail_of_size();
    stack_.push_back(found->second);
  }

  void find_global() {
    const std::string_view module = line(), name = line();
    if (module == "collections" && name == "OrderedDict") return push({Kind::ordered_dict, 0, {}, {}});
    if (module == "torch._utils" && name == "_rebuild_tensor_v2") return push({Kind::rebuild, 0, {}, {}});
    if (module == "torch") {
      for (std::size_t i = 0; i < kStorages.size(); ++i) {
        if (kStorages[i].global == name) return push({Kind::storage_type, static_cast<std::int64_t>(i), {}, {}});
      }
    }
    fail(fmt::format("its pickle asks for the Python object {}, which a dict of tensors does not need",
                     quote_name(fmt::format("{}.{}", module, name))));
  }

  /// ('storage', its type, its file, its device, its elements)
  void find_storage() {
    const std::vector<Index>& id = expect(pop(), Kind::tuple, "a storage").items;
    if (id.size() != 5 || expect(id[0], Kind::text, "a storage").text != "storage") fail("its pickle lacks a storage");
    const Index type = id[1];
    expect(type, Kind::storage_type, "the type of a storage");
    const std::string_view file = expect(id[2], Kind::text, "the file of a storage").text;
    expect(id[3], Kind::text, "the device of a storage");
    const std::int64_t elements = expect(id[4], Kind::number, "the size of a storage").number;
    if (file.empty() || file.size() > kLongestStorage ||
        file.find_first_not_of("0123456789") != std::string_view::npos) {
      fail(fmt::format("a storage has the name {}, which is no number", quote_name(file)));
    }
    if (elements < 0) fail("a storage has fewer than no elements");
    push({Kind::storage, elements, file, {type}});
  }

  void reduce() {
    // A tuple from the memo may be long, and be given to many calls: none is gone through before its length is seen.
    const std::vector<Index>& given = expect(pop(), Kind::tuple, "the arguments of a call").items;
    if (given.size() > 7) fail("its pickle makes a tensor of too little or too much");
    const std::vector<Index> arguments = given;
    const Kind called = at(pop()).kind;
    if (called == Kind::ordered_dict) {
      if (!arguments.empty()) fail("its pickle makes an OrderedDict of something");
      return push({Kind::dict, 0, {}, {}});
    }
    // (storage, offset, shape, strides, requires_grad, hooks), and perhaps metadata.
    if (called != Kind::rebuild) fail("its pickle calls what is no function");
    if (arguments.size() != 6 && arguments.size() != 7) fail("its pickle makes a tensor of too little or too much");
    expect(arguments[0], Kind::storage, "the storage of a tensor");
    expect(arguments[1], Kind::number, "the offset of a tensor");
    for (const Index list : {arguments[2], arguments[3]}) {
      const std::vector<Index>& sizes = expect(list, Kind::tuple, "the shape of a tensor").items;
      if (sizes.size() > kMostDimensions)
        fail(fmt::format("its pickle makes a tensor of more than {} dimensions", kMostDimensions));
      for (const Index size : sizes) expect(size, Kind::number, "a size of a tensor");
    }
    push({Kind::tensor, 0, {}, {arguments.begin(), arguments.begin() + 4}});
  }

  std::string_view program_;  // what is left of it
  std::vector<Object> objects_;
  std::vector<Index> stack_;
  std::vector<std::size_t> marks_;  // sizes of the stack
  std::unordered_map<std::uint64_t, Index> memo_;
};

/// Every element must lie in the storage, and there must be no more of them than the storage has.
void check_extent(const PickledTensor& tensor) {
  const auto bad = [&tensor](const std::string& why, const char* fix) {
    fail(fmt::format("tensor {} {}", quote_name(tensor.name), why), fix);
  };
  constexpr const char* kAgain = "copy or write the file again";
  const std::optional<std::int64_t> count = element_count(tensor.shape);
  if (!count) return bad("has a shape that overflows", kAgain);
  std::int64_t last = tensor.offset;
  for (std::size_t d = 0; d < tensor.shape.size(); ++d) {
    std::int64_t way = 0;
    if (tensor.strides[d] < 0 ||
        __builtin_mul_overflow(std::max<std::int64_t>(tensor.shape[d] - 1, 0), tensor.strides[d], &way) ||
        __builtin_add_overflow(last, way, &last)) {
      return bad("has strides that lead out of its storage", kAgain);
    }
  }
  if (tensor.offset < 0 || tensor.offset > tensor.storage_elements || (*count > 0 && last >= tensor.storage_elements)) {
    return bad("leaves its storage", kAgain);
  }
  if (*count > tensor.storage_elements)
    bad("has more elements than are stored (it was expanded)", "save tensor.contiguous()");
}

/// Collects the tensors of a dict and of those in it.
class Collector {
 public:
  explicit Collector(const Machine& machine) : machine_(machine) {}

  void add_dict(Index index, const std::string& prefix, int depth) {
    if (depth > kDeepestDict) fail("its dicts are nested too deeply");
    if (!seen_.insert(index).second) fail("it holds a dict twice");
    const std::vector<Index>& items = machine_.at(index).items;
    for (std::size_t i = 0; i < items.size(); i += 2) {
      const Object& key = machine_.at(items[i]);
      const Object& value = machine_.at(items[i + 1]);
      if (value.kind != Kind::tensor && value.kind != Kind::dict) {
        require_plain(value);
        continue;
      }
      if (key.kind != Kind::text) fail("a key of its dict is no text");
      if (prefix.size() + key.text.size() > kLongestName) fail("the name of a tensor is too long");
      const std::string name = prefix + std::string(key.text);
      if (value.kind == Kind::dict) {
        add_dict(items[i + 1], name + ".", depth + 1);
      } else {
        add_tensor(name, value);
      }
    }
  }

  std::vector<PickledTensor> tensors;

 private:
  static void require_plain(const Object& value) {
    const std::array plain{Kind::none, Kind::boolean, Kind::number, Kind::real, Kind::text, Kind::tuple};
    if (std::find(plain.begin(), plain.end(), value.kind) == plain.end()) fail("its dict holds what is no tensor");
  }

  std::vector<std::int64_t> sizes(Index tuple) const {
    std::vector<std::int64_t> result;
    for (const Index size : machine_.at(tuple).items) result.push_back(machine_.at(size).number);
    return result;
  }

  void add_tensor(const std::string& name, const Object& made) {
    if (!names_.insert(name).second) fail(fmt::format("two tensors are called {}", quote_name(name)));
    name_bytes_ += name.size();
    if (names_.size() > kMostTensors || name_bytes_ > kMostNameBytes) {
      fail(fmt::format("it holds more than {} tensors, or names of more than {} MiB", kMostTensors,
                       kMostNameBytes >> 20),
           "save fewer tensors");
    }
    const Object& storage = machine_.at(made.items[0]);
    const Storage& type = kStorages[static_cast<std::size_t>(machine_.at(storage.items.front()).number)];
    PickledTensor tensor;
    tensor.name = name;
    tensor.element = type.element;
    tensor.type = type.type;
    tensor.element_bytes = type.bytes;
    tensor.storage = storage.text;
    tensor.storage_elements = storage.number;
    tensor.offset = machine_.at(made.items[1]).number;
    if (machine_.at(made.items[2]).items.size() != machine_.at(made.items[3]).items.size())
      fail(fmt::format("tensor {} has strides of another number", quote_name(name)));
    tensor.shape = sizes(made.items[2]);
    tensor.strides = sizes(made.items[3]);
    check_extent(tensor);
    tensors.push_back(std::move(tensor));
  }

  const Machine& machine_;
  std::set<Index> seen_;
  std::set<std::string> names_;
  std::size_t name_bytes_ = 0;
};

}  // namespace

std::vector<PickledTensor> parse_torch_pickle(std::span<const std::byte> bytes) {
  Machine machine(bytes);
  const Index root = machine.run();
  if (machine.at(root).kind == Kind::tensor) fail("it holds one tensor and no dict of them");
  if (machine.at(root).kind != Kind::dict) fail("it holds no dict of tensors");
  Collector collector(machine);
  collector.add_dict(root, "", 1);
  return std::move(collector.tensors);
}

}  // namespace triscope
