// Our kernels as algorithms: virtual queries forward (kernels/cuda/hopper/forward), virtual keys backward
// (kernels/cuda/hopper/backward). The short axis is the one with the shorter window, axis 2 where they are alike.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/paper/step_machine.hpp"

namespace triscope {
namespace {

/// The two axes by role.
struct Roles {
  explicit Roles(const StepMachine& m) : swapped(m.sizes().window1 < m.sizes().window2) {
    const StepTensors& t = m.tensors();
    const StepSizes& z = m.sizes();
    long_k = swapped ? &t.k2 : &t.k1, short_k = swapped ? &t.k1 : &t.k2;
    long_v = swapped ? &t.v2 : &t.v1, short_v = swapped ? &t.v1 : &t.v2;
    long_window = swapped ? z.window2 : z.window1, short_window = swapped ? z.window1 : z.window2;
  }
  const char* long_name() const { return swapped ? "key 2" : "key 1"; }
  const char* long_axis() const { return swapped ? "axis 2" : "axis 1"; }
  const char* short_axis() const { return swapped ? "axis 1" : "axis 2"; }
  bool sees(const StepMachine& m, std::int64_t i, std::int64_t long_key, std::int64_t short_key) const {
    return swapped ? m.sees(i, short_key, long_key) : m.sees(i, long_key, short_key);
  }
  void end_step(StepMachine& m, StepKind kind, int line, std::string says, StepSpan q, StepSpan longs,
                StepSpan shorts) const {
    m.end_step(kind, line, std::move(says), q, swapped ? shorts : longs, swapped ? longs : shorts);
  }

  bool swapped;
  const std::vector<double>*long_k, *short_k, *long_v, *short_v;
  std::int64_t long_window = 1, short_window = 1;
};

StepGrid one_a_row(const char* name, StepSpan rows, double value) {
  return filled(shaped(name, "query", "", rows, {0, 1}), [&](std::int64_t, std::int64_t) { return value; });
}

StepGrid renamed(StepGrid grid, const char* name) {
  grid.name = name;
  return grid;
}

/// A work item of the forward: its queries, and the tiles of the long axis that all of them read.
class ForwardItem {
 public:
  ForwardItem(StepMachine& m, StepSpan q) : m_(m), roles_(m), q_(q), last_(std::min(m.sizes().n, q.end) - 1) {
    first_key_ = std::max<std::int64_t>(0, q.first - roles_.long_window + 1);
    tiles_ = (last_ + 1 - first_key_ + m.sizes().tile - 1) / m.sizes().tile;
  }

  void run() {
    m_.begin(
        fmt::format("queries {} to {}, {} tile{} of the long axis", q_.first, last_, tiles_, tiles_ == 1 ? "" : "s"));
    m_.put(m_.load("Q", "query", m_.tensors().q, q_));
    m_.put(one_a_row("m", q_, -std::numeric_limits<double>::infinity()));
    m_.put(one_a_row("l", q_, 0));
    m_.put(m_.zeros("A", "query", q_));
    const std::int64_t keys_end = first_key_ + tiles_ * m_.sizes().tile;
    end_step(StepKind::load, 1, "Queries, and the accumulator A = o / v_short of the step.", {first_key_, keys_end},
             {});
    const std::int64_t steps = std::min(last_ + 1, roles_.short_window);
    for (std::int64_t pass = 0; pass * kResident < tiles_; ++pass) {
      // Passes run forwards and backwards in turn, so that between two of them only the tiles change.
      for (std::int64_t n = 0; n < steps; ++n) step(pass, pass % 2 == 0 ? n : steps - 1 - n);
    }
    finish();
  }

 private:
  static constexpr std::int64_t kResident = 2;

  void end_step(StepKind kind, int line, std::string says, StepSpan longs, StepSpan shorts) {
    roles_.end_step(m_, kind, line, std::move(says), q_, longs, shorts);
  }
  /// The short key of a row at shift `t`; rows that begin before the sequence repeat the first one, masked.
  double short_element(const std::vector<double>& tensor, std::int64_t row, std::int64_t t, std::int64_t d) const {
    return m_.element(tensor, std::clamp<std::int64_t>(q_.first + row - t, 0, m_.sizes().n - 1), d);
  }
  StepSpan shorts(std::int64_t t) const { return {q_.first - t, last_ + 1 - t}; }

  void step(std::int64_t pass, std::int64_t t) {
    const StepGrid q = m_.reg("Q");
    for (const char* old : {"S", "P", "alpha"}) m_.drop(old);
    StepGrid folded = filled(renamed(q, "q~"), [&](std::int64_t row, std::int64_t d) {
      return q.at(row, d) * short_element(*roles_.short_k, row, t, d);
    });
    m_.put(std::move(folded));
    if (shift_ >= 0 && shift_ != t) {
      StepGrid& sum = m_.change(m_.reg("A"));
      sum = filled(sum, [&](std::int64_t row, std::int64_t d) {
        return sum.at(row, d) * short_element(*roles_.short_v, row, shift_, d) /
               short_element(*roles_.short_v, row, t, d);
      });
      sum.changed = true;
    }
    shift_ = t;
    const std::int64_t tile = m_.sizes().tile, begin = first_key_ + pass * kResident * tile;
    const std::int64_t end = std::min(begin + kResident * tile, first_key_ + tiles_ * tile);
    end_step(
        StepKind::elementwise, 4,
        fmt::format("Step {}: every query takes the short key {} before it, q~ = q k_short, and A changes from the "
                    "last short value to this one.",
                    t, t),
        {begin, end}, shorts(t));
    for (std::int64_t first = begin; first < end; first += tile) key_tile({first, first + tile}, t);
  }

  void key_tile(StepSpan keys, std::int64_t t) {
    m_.drop("P"), m_.drop("alpha");
    const StepGrid s = times_transposed(shaped("S", "query", roles_.long_name(), q_, keys), m_.reg("q~"),
                                        m_.load("", "", *roles_.long_k, keys));
    m_.put(filled(s, [&](std::int64_t row, std::int64_t c) {
      const std::int64_t i = q_.first + row;
      return roles_.sees(m_, i, keys.first + c, i - t) ? m_.scale() * s.at(row, c) : kMaskedLogit;
    }));
    end_step(StepKind::product, 6, "S = scale q~ K^T with a tile of the long axis that stays for all steps.", keys,
             shorts(t));
    softmax();
    end_step(StepKind::elementwise, 7, "Running maximum and sum, as in ordinary attention; masked elements are 0.",
             keys, shorts(t));
    add_to(m_.change(m_.reg("A")), times(m_.zeros("", "", q_), m_.reg("P"), m_.load("", "", *roles_.long_v, keys)));
    end_step(StepKind::product, 8, "A += P V. No product of two values is made.", keys, shorts(t));
  }

  void softmax() {
    const StepGrid s = m_.reg("S");
    StepGrid most = m_.reg("m"), sum = m_.reg("l"), acc = m_.reg("A");
    StepGrid p = renamed(s, "P"), alpha = one_a_row("alpha", q_, 1);
    for (std::int64_t row = 0; row < s.height; ++row) {
      double top = most.at(row, 0);
      for (std::int64_t c = 0; c < s.width; ++c) {
        if (s.at(row, c) > kMaskedLogit) top = std::max(top, s.at(row, c));
      }
      if (std::isfinite(top)) alpha.at(row, 0) = std::exp(most.at(row, 0) - top);
      double added = 0;
      for (std::int64_t c = 0; c < s.width; ++c)
        added += p.at(row, c) = s.at(row, c) > kMaskedLogit ? std::exp(s.at(row, c) - top) : 0;
      sum.at(row, 0) = sum.at(row, 0) * alpha.at(row, 0) + added;
      for (std::int64_t d = 0; d < acc.width; ++d) acc.at(row, d) *= alpha.at(row, 0);
      most.at(row, 0) = top;
    }
    for (StepGrid* grid : {&most, &sum, &alpha, &p, &acc}) m_.put(std::move(*grid));
  }

  void finish() {
    const std::int64_t dim = m_.sizes().dim;
    StepResult& result = m_.result();
    result.o.resize(static_cast<std::size_t>(m_.sizes().n * dim));
    result.lse.resize(static_cast<std::size_t>(m_.sizes().n));
    StepGrid& o = m_.change(m_.in_memory("o"));
    for (std::int64_t i = q_.first; i <= last_; ++i) {
      const std::int64_t row = i - q_.first;
      const double sum = m_.reg("l").at(row, 0);
      for (std::int64_t d = 0; d < dim; ++d) {
        o.at(i, d) = m_.reg("A").at(row, d) * short_element(*roles_.short_v, row, shift_, d) / sum;
        result.o[static_cast<std::size_t>(i * dim + d)] = o.at(i, d);
      }
      result.lse[static_cast<std::size_t>(i)] = m_.reg("m").at(row, 0) + std::log(sum);
    }
    end_step(StepKind::store, 9, "o = A v_short / l, with the short value of the last step; lse = m + log l.", {}, {});
  }

  StepMachine& m_;
  Roles roles_;
  StepSpan q_;
  std::int64_t last_, first_key_ = 0, tiles_ = 0, shift_ = -1;
};

/// A pair of keys of a work item of the backward.
struct VirtualKey {
  std::int64_t long_key, short_key;
};

/// Adds a row to an output of memory and to the result.
void add_row(StepMachine& m, const char* output, std::vector<double>& result, std::int64_t row, std::int64_t d,
             double value) {
  StepGrid& memory = m.change(m.in_memory(output));
  result.resize(memory.values.size());
  double& place = memory.at(row, d);
  place = (std::isnan(place) ? 0 : place) + value;
  result[static_cast<std::size_t>(row * memory.width + d)] = place;
}

/// A work item of the backward: pairs of keys, and all queries that see any of them.
class BackwardItem {
 public:
  BackwardItem(StepMachine& m, std::string where, std::vector<VirtualKey> pairs, StepSpan queries)
      : m_(m), roles_(m), where_(std::move(where)), pairs_(std::move(pairs)), queries_(queries) {
    for (const VirtualKey& pair : pairs_) {
      cover(longs_, pair.long_key);
      cover(shorts_, pair.short_key);
    }
  }

  void run() {
    m_.begin(where_);
    m_.put(product("KK", *roles_.long_k, *roles_.short_k));
    m_.put(product("VV", *roles_.long_v, *roles_.short_v));
    m_.put(m_.zeros("dKK", "pair", rows()));
    m_.put(m_.zeros("dVV", "pair", rows()));
    end_step(StepKind::elementwise, 1, "Products of two keys and of two values: the virtual keys of the item.", {});
    for (std::int64_t first = queries_.first; first < queries_.end; first += m_.sizes().tile)
      query_tile({first, first + m_.sizes().tile});
    fold_back();
  }

 private:
  static void cover(StepSpan& span, std::int64_t key) {
    if (key < 0) return;
    if (span.end == span.first) span = {key, key + 1};
    span = {std::min(span.first, key), std::max(span.end, key + 1)};
  }
  StepSpan rows() const { return {0, static_cast<std::int64_t>(pairs_.size())}; }
  const VirtualKey& pair(std::int64_t row) const { return pairs_[static_cast<std::size_t>(row)]; }
  void end_step(StepKind kind, int line, std::string says, StepSpan q) {
    roles_.end_step(m_, kind, line, std::move(says), q, longs_, shorts_);
  }
  StepGrid product(const char* name, const std::vector<double>& of_long, const std::vector<double>& of_short) const {
    return filled(m_.zeros(name, "pair", rows()), [&](std::int64_t row, std::int64_t d) {
      return m_.element(of_long, pair(row).long_key, d) * m_.element(of_short, pair(row).short_key, d);
    });
  }

  void query_tile(StepSpan q) {
    const StepGrid queries = m_.load("", "", m_.tensors().q, q), grad_o = m_.load("", "", m_.tensors().grad_o, q);
    m_.drop("dP"), m_.drop("dS");
    const StepGrid s = times_transposed(shaped("P", "query", "pair", q, rows()), queries, m_.reg("KK"));
    m_.put(filled(s, [&](std::int64_t row, std::int64_t c) {
      const std::int64_t i = q.first + row;
      return roles_.sees(m_, i, pair(c).long_key, pair(c).short_key) ? std::exp(m_.scale() * s.at(row, c) - m_.lse(i))
                                                                     : 0;
    }));
    end_step(StepKind::product, 3,
             "P = exp(scale Q KK^T - lse): all queries of the tile see the same pairs, but for "
             "the windows' edges.",
             q);
    m_.put(times_transposed(shaped("dP", "query", "pair", q, rows()), grad_o, m_.reg("VV")));
    const StepGrid &p = m_.reg("P"), &dp = m_.reg("dP");
    StepGrid ds = filled(renamed(p, "dS"), [&](std::int64_t row, std::int64_t c) {
      return p.at(row, c) == 0 ? 0 : p.at(row, c) * (dp.at(row, c) - m_.delta(q.first + row));
    });
    m_.put(std::move(ds));
    end_step(StepKind::product, 4, "dP = dO VV^T, and dS = P (dP - D).", q);
    add_to(m_.change(m_.reg("dVV")), transposed_times(m_.zeros("", "", rows()), m_.reg("P"), grad_o));
    end_step(StepKind::product, 5, "dVV += P^T dO stays in registers.", q);
    add_to(m_.change(m_.reg("dKK")), transposed_times(m_.zeros("", "", rows()), m_.reg("dS"), queries));
    end_step(StepKind::product, 6, "dKK += dS^T Q stays in registers.", q);
    const StepGrid dq = times(m_.zeros("", "query", q), m_.reg("dS"), m_.reg("KK"));
    for (std::int64_t i = q.first; i < std::min(m_.sizes().n, q.end); ++i) {
      for (std::int64_t d = 0; d < dq.width; ++d)
        add_row(m_, "dQ", m_.result().grad_q, i, d, m_.scale() * dq.at(i - q.first, d));
    }
    end_step(StepKind::store, 7, "dQ += scale dS KK is added in memory: other items have these queries too.", q);
  }

  /// The product rule: what was summed for a pair goes to both of its keys.
  void fold_back() {
    for (const char* old : {"P", "dP", "dS"}) m_.drop(old);
    StepResult& r = m_.result();
    const StepGrid dkk = m_.reg("dKK"), dvv = m_.reg("dVV");
    for (std::int64_t row = 0; row < dkk.height; ++row) {
      const auto [j, k] = pair(row);
      if (j < 0 || j >= m_.sizes().n || k >= m_.sizes().n) continue;
      for (std::int64_t d = 0; d < dkk.width; ++d) {
        const double dk = m_.scale() * dkk.at(row, d), dv = dvv.at(row, d);
        const double to_long_k = dk * m_.element(*roles_.short_k, k, d),
                     to_short_k = dk * m_.element(*roles_.long_k, j, d);
        const double to_long_v = dv * m_.element(*roles_.short_v, k, d),
                     to_short_v = dv * m_.element(*roles_.long_v, j, d);
        const bool s = roles_.swapped;
        add_row(m_, "dK", r.grad_k1, s ? k : j, d, s ? to_short_k : to_long_k);
        add_row(m_, "dV", r.grad_v1, s ? k : j, d, s ? to_short_v : to_long_v);
        add_row(m_, "dK'", r.grad_k2, s ? j : k, d, s ? to_long_k : to_short_k);
        add_row(m_, "dV'", r.grad_v2, s ? j : k, d, s ? to_long_v : to_short_v);
      }
    }
    end_step(StepKind::store, 8,
             "Product rule: dKK times the other key goes to each of the two keys, dVV to the values, added in memory.",
             {});
  }

  StepMachine& m_;
  Roles roles_;
  std::string where_;
  std::vector<VirtualKey> pairs_;
  StepSpan queries_, longs_, shorts_;
};

/// Columns: all pairs of one short position k, `tile` long positions at a time, k - window + 1 to k.
void run_columns(StepMachine& m, std::int64_t k) {
  const Roles roles(m);
  const std::int64_t tile = m.sizes().tile, n = m.sizes().n;
  for (std::int64_t first = k - roles.long_window + 1; first <= k; first += tile) {
    const std::int64_t last_key = std::min(k, first + tile - 1);
    if (last_key < 0) continue;
    std::vector<VirtualKey> pairs;
    // Rows of the tile that lie behind k, or before the sequence, are nobody's: the edge has those behind k.
    for (std::int64_t j = first; j < first + tile; ++j) pairs.push_back({j <= k ? j : -1, k});
    const std::int64_t end = std::min({n, k + roles.short_window, last_key + roles.long_window});
    BackwardItem(m,
                 fmt::format("column: key {} of {}, keys {} to {} of {}", k, roles.short_axis(),
                             std::max<std::int64_t>(0, first), last_key, roles.long_axis()),
                 std::move(pairs), {k, end})
        .run();
  }
}

/// Edges: long positions behind k, which the queries that see k reach one by one; of as many k as fill a tile.
void run_edges(StepMachine& m, std::int64_t first_k, std::int64_t keys, std::int64_t slots) {
  const Roles roles(m);
  const std::int64_t rows = roles.short_window - 1, n = m.sizes().n;
  for (std::int64_t offset = 1; offset <= rows; offset += slots) {
    std::vector<VirtualKey> pairs;
    for (std::int64_t k = first_k; k < first_k + keys; ++k) {
      for (std::int64_t slot = 0; slot < slots; ++slot) pairs.push_back({k + offset + slot, k});
    }
    const StepSpan queries{first_k + offset, std::min(n, first_k + keys - 1 + roles.short_window)};
    if (queries.first >= queries.end) continue;
    BackwardItem(m,
                 fmt::format("edge: keys {} to {} of {}, keys of {} behind them", first_k,
                             std::min(n, first_k + keys) - 1, roles.short_axis(), roles.long_axis()),
                 std::move(pairs), queries)
        .run();
  }
}

}  // namespace

AlgorithmSteps run_our_forward(const StepSizes& sizes) {
  StepMachine m(Algorithm::our_forward, sizes,
                {"for each work item, late queries first:", "  Q = load; m = -inf, l = 0, A = 0",
                 "  for each pass, two tiles of the long axis:", "    for t in 0 .. w_short - 1, and back:",
                 "      q~ = Q * k_short[i - t], A *= v_before / v_now", "      for both tiles:",
                 "        S = scale q~ K^T, masked", "        m, alpha, P = exp(S - m), l, A *= alpha",
                 "        A += P V", "  store o = A v_short / l, lse = m + log l"});
  m.output("o", "query");
  const std::int64_t blocks = (sizes.n + sizes.tile - 1) / sizes.tile;
  for (std::int64_t block = blocks - 1; block >= 0; --block)
    ForwardItem(m, {block * sizes.tile, (block + 1) * sizes.tile}).run();
  return m.take();
}

AlgorithmSteps run_our_backward(const StepSizes& sizes) {
  StepMachine m(
      Algorithm::our_backward, sizes,
      {"for each tile of pairs (j, k), one work item:", "  KK = k_long[j] * k_short[k], VV likewise; dKK = dVV = 0",
       "  for tiles of queries that see any of them:", "    P = exp(scale Q KK^T - lse), masked",
       "    dS = P (dO VV^T - D)", "    dVV += P^T dO", "    dKK += dS^T Q", "    dQ += scale dS KK, in memory",
       "  dk, dv of both axes += dKK, dVV * the other key, in memory"});
  for (const auto& [name, rows] :
       {std::pair{"dQ", "query"}, {"dK", "key 1"}, {"dV", "key 1"}, {"dK'", "key 2"}, {"dV'", "key 2"}})
    m.output(name, rows);
  const std::int64_t short_window = std::min(sizes.window1, sizes.window2);
  std::int64_t slots = 1;
  while (slots < short_window - 1 && slots < sizes.tile) slots *= 2;
  slots = std::min(slots, sizes.tile);
  const std::int64_t keys = sizes.tile / slots;
  for (std::int64_t first = 0; first < sizes.n; first += keys) {
    for (std::int64_t k = first; k < std::min(sizes.n, first + keys); ++k) run_columns(m, k);
    if (short_window > 1) run_edges(m, first, keys, slots);
  }
  return m.take();
}

}  // namespace triscope
