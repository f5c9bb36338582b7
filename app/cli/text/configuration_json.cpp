#include "app/cli/text/configuration_json.hpp"

namespace triscope {

nlohmann::json configuration_json(const char* type, const MeasurementKey& key) {
  const Problem& problem = key.problem;
  return {{"type", type},
          {"kernel", key.kernel},
          {"instance", key.instance},
          {"pass", to_string(key.pass)},
          {"regime", to_string(key.regime)},
          {"form", to_string(problem.form)},
          {"mask", to_string(problem.mask)},
          {"element", to_string(problem.element)},
          {"batch", problem.batch},
          {"seq_len", problem.seq_len},
          {"q_heads", problem.q_heads},
          {"kv_heads", problem.kv_heads},
          {"head_dim", problem.head_dim},
          {"window1", problem.window1},
          {"window2", problem.window2},
          {"device", key.device_id}};
}

}  // namespace triscope
