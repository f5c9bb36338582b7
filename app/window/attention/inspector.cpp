#include "app/window/attention/inspector.hpp"

#include "kernels/base/error.hpp"

namespace triscope {

Supervisor& Inspector::worker_on(const std::string& device) {
  if (!engine_.inspector)
    throw Error("The tensors cannot be inspected", "this window has no worker", "build Triscope completely");
  if (!worker_ || device_ != device) {
    worker_.reset();  // first: a GPU need not hold two
    worker_.emplace(engine_.inspector(device));
    device_ = device;
  }
  return *worker_;
}

void Inspector::end() {
  thread_.drop_waiting();
  stop_.request_stop();
  stop_ = std::stop_source();
  thread_.add([this] { worker_.reset(); });  // a worker ends on the thread that started it
}

}  // namespace triscope
