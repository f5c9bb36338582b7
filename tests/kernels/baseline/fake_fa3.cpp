// A library with FlashAttention-3's entry points that computes on the host, reading the call frame by byte offsets of
// its own: what it understands wrongly shows as a wrong result. $FAKE_FA3 makes it misbehave: exit, throw, greedy,
// service.
//   FAKE_ARCHITECTURES  what it claims to be compiled for     FAKE_FFI_MAJOR  the version of the FFI it claims
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#ifndef FAKE_ARCHITECTURES
#define FAKE_ARCHITECTURES "90a-real"
#endif
#ifndef FAKE_FFI_MAJOR
#define FAKE_FFI_MAJOR 0
#endif

namespace {

using std::int32_t, std::int64_t;

template <typename T>
T read(const void* base, std::size_t offset) {
  T value;
  std::memcpy(&value, static_cast<const char*>(base) + offset, sizeof(T));
  return value;
}
template <typename T>
void write(void* base, std::size_t offset, T value) {
  std::memcpy(static_cast<char*>(base) + offset, &value, sizeof(T));
}

struct Tensor {
  int32_t type = 0;
  void* data = nullptr;
  std::vector<int64_t> extents;
  int64_t count() const {
    int64_t n = 1;
    for (const int64_t extent : extents) n *= extent;
    return n;
  }
  float at(int64_t n) const {
    if (type == 11) return static_cast<const float*>(data)[n];
    const uint32_t bits = static_cast<uint32_t>(static_cast<const uint16_t*>(data)[n]) << 16;
    float value;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
  }
  void set(int64_t n, float value) const {
    if (type == 11) {
      static_cast<float*>(data)[n] = value;
      return;
    }
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof(bits));
    static_cast<uint16_t*>(data)[n] = static_cast<uint16_t>((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16);
  }
};

std::vector<Tensor> tensors(const void* list) {
  std::vector<Tensor> result;
  const auto* const* pointers = read<const void* const*>(list, 32);
  for (int64_t n = 0; n < read<int64_t>(list, 16); ++n) {
    if (read<const int32_t*>(list, 24)[n] != 1 || read<std::size_t>(pointers[n], 0) != 48) std::abort();
    Tensor tensor{read<int32_t>(pointers[n], 16), read<void*>(pointers[n], 24), {}};
    const auto* extents = read<const int64_t*>(pointers[n], 40);
    tensor.extents.assign(extents, extents + read<int64_t>(pointers[n], 32));
    result.push_back(tensor);
  }
  return result;
}

struct Call {
  explicit Call(const void* frame) : api(read<const void*>(frame, 16)), context(read<void*>(frame, 24)) {
    const char* arguments = static_cast<const char*>(frame) + 40;
    in = tensors(arguments);
    out = tensors(arguments + 40);
    const char* attributes = arguments + 80;
    static const char* const names[] = {"is_causal", "softmax_scale", "window_size_left", "window_size_right"};
    static const int32_t types[] = {1, 12, 5, 5};
    if (read<int64_t>(attributes, 16) != 4) problem = "Wrong number of attributes";
    for (int n = 0; problem.empty() && n < 4; ++n) {
      const void* name = read<const void* const*>(attributes, 32)[n];
      const void* scalar = read<const void* const*>(attributes, 40)[n];
      if (std::string(read<const char*>(name, 0), read<std::size_t>(name, 8)) != names[n] ||
          read<int32_t>(scalar, 0) != types[n])
        problem = "Wrong attribute";
      const void* value = read<const void*>(scalar, 8);
      if (n == 0) causal = read<bool>(value, 0);
      if (n == 1) scale = read<double>(value, 0);
      if (n == 2) left = read<int64_t>(value, 0);
      if (n == 3) right = read<int64_t>(value, 0);
    }
    if (causal) right = 0;
  }

  void* service(std::size_t slot, void* arguments) const {
    return read<void* (*)(void*)>(api, 48 + 8 * slot)(arguments);
  }

  // As the real one: the optional that an allocation returns is not looked at before it is used.
  void scratch(std::size_t bytes) const {
    char arguments[48] = {};
    write<std::size_t>(arguments, 0, 48);
    write<void*>(arguments, 16, context);
    write<std::size_t>(arguments, 24, bytes);
    write<std::size_t>(arguments, 32, 1);
    if (service(9, arguments) != nullptr) throw std::runtime_error("bad optional access");
    std::memset(read<void*>(arguments, 40), 0xFF, bytes);
    service(10, arguments);
  }
  void* error(const std::string& text) const {
    char arguments[32] = {};
    write<const char*>(arguments, 16, text.c_str());
    write<int32_t>(arguments, 24, 3);
    return service(0, arguments);
  }
  bool keeps(int64_t i, int64_t j) const { return (left < 0 || j >= i - left) && (right < 0 || j <= i + right); }

  const void* api;
  void* context;
  std::vector<Tensor> in, out;
  bool causal = false;
  double scale = 0;
  int64_t left = 0, right = 0;
  std::string problem;
};

int64_t offset(const Tensor& t, int64_t b, int64_t s, int64_t h) {
  return ((b * t.extents[1] + s) * t.extents[2] + h) * t.extents[3];
}

int64_t up(int64_t n, int64_t to) { return (n + to - 1) / to * to; }

void* misbehave(const Call& call) {
  const char* how = std::getenv("FAKE_FA3");
  const std::string text = how == nullptr ? "" : how;
  if (text == "exit") {
    std::fputs("CUDA error: invalid argument\n", stderr);
    std::exit(1);
  }
  if (text == "throw") throw std::runtime_error("bad things");
  if (text == "greedy") call.scratch(std::size_t{1} << 40);
  if (text == "service") call.service(12, nullptr);
  return call.problem.empty() ? nullptr : call.error(call.problem);
}

double score(const Call& call, const Tensor& q, const Tensor& k, int64_t qo, int64_t ko) {
  double sum = 0;
  for (int64_t d = 0; d < q.extents[3]; ++d) sum += static_cast<double>(q.at(qo + d)) * k.at(ko + d);
  return call.scale * sum;
}

void forward(const Call& call) {
  const Tensor &q = call.in[0], &k = call.in[1], &v = call.in[2], &o = call.out[0], &lse = call.out[1];
  const int64_t batch = q.extents[0], n = q.extents[1], heads = q.extents[2], dim = q.extents[3],
                group = heads / k.extents[2];
  call.scratch(call.causal ? 4 * static_cast<std::size_t>(1 + 2 * up(batch, 4)) : 20);
  for (int64_t b = 0; b < batch; ++b) {
    for (int64_t h = 0; h < heads; ++h) {
      for (int64_t i = 0; i < n; ++i) {
        std::vector<double> sum(static_cast<std::size_t>(dim));
        double mass = 0;
        for (int64_t j = 0; j < n; ++j) {
          if (!call.keeps(i, j)) continue;
          const double p = std::exp(score(call, q, k, offset(q, b, i, h), offset(k, b, j, h / group)));
          mass += p;
          for (int64_t d = 0; d < dim; ++d)
            sum[static_cast<std::size_t>(d)] += p * v.at(offset(v, b, j, h / group) + d);
        }
        for (int64_t d = 0; d < dim; ++d)
          o.set(offset(o, b, i, h) + d, static_cast<float>(sum[static_cast<std::size_t>(d)] / mass));
        lse.set((b * heads + h) * n + i, static_cast<float>(std::log(mass)));
      }
    }
  }
  call.out[2].set(0, 0);
  call.out[3].set(0, 0);
}

void backward(const Call& call) {
  const Tensor &grad_o = call.in[0], &q = call.in[1], &k = call.in[2], &v = call.in[3], &o = call.in[4],
               &lse = call.in[5];
  const int64_t batch = q.extents[0], n = q.extents[1], heads = q.extents[2], dim = q.extents[3],
                kv_heads = k.extents[2], group = heads / kv_heads;
  const int64_t wide = dim <= 64 ? 64 : dim <= 128 ? 128 : 256;
  call.scratch(static_cast<std::size_t>(4 * batch * heads * up(n, 128) * wide));
  if (heads != kv_heads) {
    for (int times = 0; times < 2; ++times)
      call.scratch(static_cast<std::size_t>(4 * batch * kv_heads * up(n, 128) * wide));
  }
  call.scratch(static_cast<std::size_t>(4 * batch * heads * ((n + 63) / 64)));
  std::vector<double> grad_q(static_cast<std::size_t>(q.count())), grad_k(static_cast<std::size_t>(k.count())),
      grad_v(static_cast<std::size_t>(k.count()));
  for (int64_t b = 0; b < batch; ++b) {
    for (int64_t h = 0; h < heads; ++h) {
      for (int64_t i = 0; i < n; ++i) {
        const int64_t row = offset(q, b, i, h);
        double delta = 0;
        for (int64_t d = 0; d < dim; ++d) delta += static_cast<double>(grad_o.at(row + d)) * o.at(row + d);
        for (int64_t j = 0; j < n; ++j) {
          if (!call.keeps(i, j)) continue;
          const int64_t key = offset(k, b, j, h / group);
          const double p = std::exp(score(call, q, k, row, key) - lse.at((b * heads + h) * n + i));
          double dp = 0;
          for (int64_t d = 0; d < dim; ++d) dp += static_cast<double>(grad_o.at(row + d)) * v.at(key + d);
          const double ds = call.scale * p * (dp - delta);
          for (int64_t d = 0; d < dim; ++d) {
            grad_q[static_cast<std::size_t>(row + d)] += ds * k.at(key + d);
            grad_k[static_cast<std::size_t>(key + d)] += ds * q.at(row + d);
            grad_v[static_cast<std::size_t>(key + d)] += p * grad_o.at(row + d);
          }
        }
      }
    }
  }
  const auto store = [](const Tensor& to, const std::vector<double>& values) {
    for (std::size_t m = 0; m < values.size(); ++m) to.set(static_cast<int64_t>(m), static_cast<float>(values[m]));
  };
  store(call.out[0], grad_q);
  store(call.out[1], grad_k);
  store(call.out[2], grad_v);
  for (int which : {3, 4}) {
    const Tensor& rows = call.out[static_cast<std::size_t>(which)];
    if (rows.count() < batch * heads * up(n, 128)) std::abort();
    for (int64_t m = 0; m < rows.count(); ++m) rows.set(m, 0);
  }
}

void* run(const void* frame, bool is_forward) {
  if (read<std::size_t>(frame, 0) != 168) return Call(frame).error("Unexpected XLA_FFI_CallFrame size");
  if (void* extension = read<void*>(frame, 8)) {  // asked for metadata
    void* metadata = read<void*>(extension, 24);
    write<int32_t>(metadata, 24, FAKE_FFI_MAJOR);
    write<int32_t>(metadata, 28, 1);
    return nullptr;
  }
  const Call call(frame);
  if (read<int32_t>(frame, 32) != 3) return call.error("Wrong stage");
  if (void* error = misbehave(call)) return error;
  if (call.in.size() != (is_forward ? 3u : 6u) || call.out.size() != (is_forward ? 4u : 5u))
    return call.error("Wrong number of buffers");
  char stream[32] = {}, ordinal[32] = {};
  write<void*>(stream, 16, call.context);
  write<void*>(ordinal, 16, call.context);
  call.service(4, stream);
  call.service(17, ordinal);
  if (read<std::uintptr_t>(stream, 24) != 0x57 || read<int32_t>(ordinal, 24) != 3)
    return call.error("Wrong stream or device");
  (is_forward ? forward : backward)(call);
  return nullptr;
}

}  // namespace

extern "C" {
void* dew_flash3_mha_fwd(void* frame) { return run(frame, true); }
#ifndef FAKE_WITHOUT_BACKWARD
void* dew_flash3_mha_bwd(void* frame) { return run(frame, false); }
#endif
const char* dew_flash3_architectures() { return FAKE_ARCHITECTURES; }
}
