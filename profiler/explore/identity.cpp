#include "profiler/explore/identity.hpp"

#include <bit>

namespace triscope {

Identity identity_of(const ResultRow& row, TextNumbers& texts) {
  const Problem& p = row.problem;
  const auto number = [](double value) { return std::bit_cast<std::int64_t>(value + 0.0); };
  const auto word = [](auto value) { return static_cast<std::int64_t>(value); };
  const bool causal = p.form == Form::dot_product && p.window1 >= p.seq_len;  // one window, whatever the length
  return {texts.of(row.kernel),
          word(row.pass),
          causal ? 0 : p.window1,
          p.window2,
          p.seq_len,
          p.q_heads,
          p.kv_heads,
          p.head_dim,
          p.batch,
          word(p.form),
          word(p.mask),
          word(p.element),
          number(p.scale.value_or(0)),
          number(p.k2_bias),
          number(p.v2_bias),
          number(p.sink.value_or(0)),
          word(p.sink.has_value()),
          word(p.deterministic),
          word(row.regime),
          texts.of(row.device),
          word(row.timing_source),
          texts.of(row.source_hash),
          texts.of(row.instance)};
}

}  // namespace triscope
