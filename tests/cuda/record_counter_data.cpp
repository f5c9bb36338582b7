// Records what CUPTI delivers for one launch, and what it means, for counter_config_test.cpp. By hand, on a GPU:
//   record_counter_data FOLDER      writes FOLDER/counter_data.bin and FOLDER/counter_values.txt
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "kernels/base/error.hpp"
#include "kernels/cuda/common/cuda_error.hpp"
#include "profiler/worker/cuda/counter_reader.hpp"
#include "tests/cuda/bad_gpu_kernels.hpp"

int main(int argc, char** argv) {
  using namespace triscope;
  if (argc != 2) return std::fprintf(stderr, "usage: record_counter_data FOLDER\n"), 2;
  const std::filesystem::path folder = argv[1];
  try {
    TRISCOPE_CUDA_CHECK(cudaSetDevice(0));
    CounterReader reader;
    const auto spin = [] { bad::spin(nullptr, 1e-3); };
    spin();
    TRISCOPE_CUDA_CHECK(cudaDeviceSynchronize());
    std::ofstream values(folder / "counter_values.txt");
    values.precision(17);
    for (const Counter& counter : reader.read(CounterSet::standard, spin, [] {}))
      values << counter.name << ' ' << counter.value << '\n';
    std::ofstream data(folder / "counter_data.bin", std::ios::binary);
    data.write(reinterpret_cast<const char*>(reader.last_data().data()),
               static_cast<std::streamsize>(reader.last_data().size()));
    std::printf("%s, %zu bytes\n", reader.chip().c_str(), reader.last_data().size());
  } catch (const Error& error) {
    return std::fprintf(stderr, "record_counter_data: %s\n", error.what()), static_cast<int>(error.code());
  }
}
