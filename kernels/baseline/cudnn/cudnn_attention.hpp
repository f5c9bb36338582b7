// cuDNN's scaled dot-product attention, through NVIDIA's frontend headers and a libcudnn that is found at run time.
#pragma once

#include <cstddef>
#include <memory>

#include "kernels/attention/kernel.hpp"
#include "kernels/baseline/cudnn/cudnn_library.hpp"

namespace triscope::cudnn {

/// The library that everything below calls. Comes first.
void use(const Library& library);

/// The graph of one problem and pass, compiled for the current GPU. Not thread-safe.
class Attention {
 public:
  /// Throws `Error` with cuDNN's own reason when it does not offer the problem.
  Attention(const Problem& problem, Pass pass);
  ~Attention();
  Attention(Attention&&) noexcept;

  std::size_t workspace_bytes() const;
  /// Enqueues it on `arguments.stream`. Throws `Error` when cuDNN refuses.
  void run(const Arguments& arguments) const;

 private:
  struct Graph;
  std::unique_ptr<Graph> graph_;
};

}  // namespace triscope::cudnn
