// The paper's listings, loop by loop. As there, loops begin one key early, and what is masked is computed.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/paper/step_machine.hpp"

namespace triscope {
namespace {

/// Shown as what each row of a tile has one number of.
StepGrid column(const char* name, StepSpan rows, double value) {
  return filled(shaped(name, "query", "", rows, {0, 1}), [&](std::int64_t, std::int64_t) { return value; });
}

/// Rows of `grid` times row `row` of a tensor, element by element.
StepGrid times_row(const StepMachine& m, StepGrid grid, const std::vector<double>& tensor, std::int64_t row) {
  return filled(grid, [&](std::int64_t r, std::int64_t d) { return grid.at(r, d) * m.element(tensor, row, d); });
}

StepGrid renamed(StepGrid grid, const char* name) {
  grid.name = name;
  return grid;
}

/// Writes the rows of `grid` that exist to an output; `add`: to what is there.
void store(StepMachine& m, const char* output, std::vector<double>& result, const StepGrid& grid, bool add = false) {
  StepGrid& memory = m.change(m.in_memory(output));
  result.resize(memory.values.size());
  for (std::int64_t row = 0; row < grid.height; ++row) {
    const std::int64_t position = grid.first_row + row;
    if (position < 0 || position >= memory.height) continue;
    for (std::int64_t d = 0; d < grid.width; ++d) {
      double& place = memory.at(position, d);
      place = add && !std::isnan(place) ? place + grid.at(row, d) : grid.at(row, d);
      result[static_cast<std::size_t>(position * grid.width + d)] = place;
    }
  }
}

/// Listing 1, after the product: the running maximum, probabilities and their sum.
void online_softmax(StepMachine& m, StepSpan q) {
  const StepGrid s = m.reg("S");
  StepGrid most = m.reg("m"), sum = m.reg("l"), acc = m.reg("acc");
  StepGrid p = renamed(s, "P"), alpha = column("alpha", q, 0);
  for (std::int64_t row = 0; row < s.height; ++row) {
    double top = most.at(row, 0);
    for (std::int64_t c = 0; c < s.width; ++c) top = std::max(top, s.at(row, c));
    alpha.at(row, 0) = std::exp(most.at(row, 0) - top);
    double added = 0;
    for (std::int64_t c = 0; c < s.width; ++c) added += p.at(row, c) = std::exp(s.at(row, c) - top);
    sum.at(row, 0) = sum.at(row, 0) * alpha.at(row, 0) + added;
    for (std::int64_t d = 0; d < acc.width; ++d) acc.at(row, d) *= alpha.at(row, 0);
    most.at(row, 0) = top;
  }
  for (StepGrid* grid : {&most, &sum, &alpha, &p, &acc}) m.put(std::move(*grid));
}

/// One program of Listing 1: queries `q`.
void forward_program(StepMachine& m, StepSpan q) {
  const StepSizes& z = m.sizes();
  const StepTensors& t = m.tensors();
  const std::int64_t keys = std::max<std::int64_t>(2, z.tile / 2), end = std::min(z.n, q.end);
  m.begin(fmt::format("queries {} to {}", q.first, end - 1));
  m.put(m.load("Q", "query", t.q, q));
  m.put(column("m", q, -std::numeric_limits<double>::infinity()));
  m.put(column("l", q, 0));
  m.put(m.zeros("acc", "query", q));
  m.end_step(StepKind::load, 1, "The tile of queries is loaded; maximum, sum and accumulator begin.", q, {}, {});
  for (std::int64_t j = std::max<std::int64_t>(0, q.first - z.window1); j < end; ++j) {
    m.drop("S"), m.drop("P"), m.drop("alpha");
    m.put(renamed(times_row(m, m.reg("Q"), t.k1, j), "Q K_j"));
    m.end_step(StepKind::elementwise, 3, fmt::format("Key {} of axis 1 is multiplied into every query.", j), q,
               {j, j + 1}, {});
    for (std::int64_t k = std::max<std::int64_t>(0, q.first - z.window2); k < end; k += keys) {
      const StepSpan k2{k, k + keys};
      m.drop("P"), m.drop("alpha");
      StepGrid s = times_transposed(shaped("S", "query", "key 2", q, k2), m.reg("Q K_j"), m.load("", "", t.k2, k2));
      m.put(filled(s, [&](std::int64_t row, std::int64_t c) {
        return m.sees(q.first + row, j, k + c) ? m.scale() * s.at(row, c) : kMaskedLogit;
      }));
      m.end_step(StepKind::product, 5, "Scores of the tile: a matrix product with keys of axis 2, then the mask.", q,
                 {j, j + 1}, k2);
      online_softmax(m, q);
      m.end_step(StepKind::elementwise, 6,
                 "The running maximum moves, what was summed is rescaled by alpha, and P is made. A row in which all "
                 "is masked gets ones; its first real score wipes them out.",
                 q, {j, j + 1}, k2);
      const StepGrid values = times_row(m, m.load("", "", t.v2, k2), t.v1, j);
      add_to(m.change(m.reg("acc")), times(m.zeros("", "", q), m.reg("P"), values));
      m.end_step(StepKind::product, 7, fmt::format("acc += P (V_{} V'): the second matrix product.", j), q, {j, j + 1},
                 k2);
    }
  }
  StepGrid o = renamed(m.reg("acc"), "o"), lse = column("lse", q, 0);
  for (std::int64_t row = 0; row < o.height; ++row) {
    for (std::int64_t d = 0; d < o.width; ++d) o.at(row, d) /= m.reg("l").at(row, 0);
    lse.at(row, 0) = m.reg("m").at(row, 0) + std::log(m.reg("l").at(row, 0));
  }
  store(m, "o", m.result().o, o);
  m.result().lse.resize(static_cast<std::size_t>(z.n));
  for (std::int64_t row = 0; q.first + row < end; ++row)
    m.result().lse[static_cast<std::size_t>(q.first + row)] = lse.at(row, 0);
  m.put(std::move(lse));
  m.end_step(StepKind::store, 8, "acc / l is the output, m + log l the LSE that the backward needs.", q, {}, {});
}

/// Scores of the backward, keys as rows: exp(scale (keys) Q^T - lse), 0 outside the windows. `sees(row, query)`.
StepGrid probabilities(StepMachine& m, StepGrid grid, const StepGrid& keys, const StepGrid& queries,
                       const std::function<bool(std::int64_t, std::int64_t)>& sees) {
  const StepGrid s = times_transposed(grid, keys, queries);
  return filled(std::move(grid), [&](std::int64_t row, std::int64_t c) {
    const std::int64_t i = s.first_column + c;
    return sees(row, i) ? std::exp(m.scale() * s.at(row, c) - m.lse(i)) : 0;
  });
}

/// dS = P (dP - D), from P and dP in registers.
StepGrid score_gradients(StepMachine& m, const StepGrid& p, const StepGrid& dp) {
  return filled(renamed(p, "dS^T"), [&](std::int64_t row, std::int64_t c) {
    const std::int64_t i = p.first_column + c;
    return p.at(row, c) == 0 ? 0 : p.at(row, c) * (dp.at(row, c) - m.delta(i));
  });
}

/// The queries from `q.first` on with key `k` of axis 2: four products.
void keys_tile(StepMachine& m, StepSpan keys, std::int64_t k, StepSpan q) {
  const StepTensors& t = m.tensors();
  const StepSpan k2{k, k + 1};
  const StepGrid queries = m.load("Q", "query", t.q, q), grad_o = m.load("dO", "query", t.grad_o, q);
  m.drop("dP^T"), m.drop("dS^T");
  m.put(probabilities(m, shaped("P^T", "key 1", "query", keys, q), m.reg("K K'_k"), queries,
                      [&](std::int64_t row, std::int64_t i) { return m.sees(i, keys.first + row, k); }));
  m.end_step(StepKind::product, 5, "Scores of these keys and queries, once more, and their probabilities.", q, keys,
             k2);
  const StepGrid dv = times_row(m, grad_o, t.v2, k);
  add_to(m.change(m.reg("dV")), times(m.zeros("", "", keys), m.reg("P^T"), dv));
  m.end_step(StepKind::product, 6, fmt::format("dV += P^T (dO V'_{}).", k), q, keys, k2);
  m.put(times_transposed(shaped("dP^T", "key 1", "query", keys, q), m.reg("V V'_k"), grad_o));
  m.put(score_gradients(m, m.reg("P^T"), m.reg("dP^T")));
  m.end_step(StepKind::product, 7, "dP = (V V'_k) dO^T, and dS = P (dP - D).", q, keys, k2);
  StepGrid dk = times_row(m, times(m.zeros("", "", keys), m.reg("dS^T"), queries), t.k2, k);
  for (double& x : dk.values) x *= m.scale();
  add_to(m.change(m.reg("dK")), dk);
  m.end_step(StepKind::product, 8, fmt::format("dK += scale (dS^T Q) K'_{}.", k), q, keys, k2);
}

void keys_program(StepMachine& m, StepSpan keys) {
  const StepSizes& z = m.sizes();
  const StepTensors& t = m.tensors();
  m.begin(fmt::format("keys {} to {} of axis 1", keys.first, std::min(z.n, keys.end) - 1));
  m.put(m.load("K", "key 1", t.k1, keys));
  m.put(m.load("V", "key 1", t.v1, keys));
  m.put(m.zeros("dK", "key 1", keys));
  m.put(m.zeros("dV", "key 1", keys));
  m.end_step(StepKind::load, 1, "The keys that the program owns, and their sums.", {}, keys, {});
  for (std::int64_t k = std::max<std::int64_t>(0, keys.first - z.window2); k < std::min(z.n, keys.end + z.window1);
       ++k) {
    for (const char* old : {"P^T", "dP^T", "dS^T"}) m.drop(old);
    const std::int64_t first = std::max(keys.first, k);
    const std::int64_t end = std::min({z.n, keys.end + z.window1, k + z.window2});
    m.put(renamed(times_row(m, m.reg("K"), t.k2, k), "K K'_k"));
    m.put(renamed(times_row(m, m.reg("V"), t.v2, k), "V V'_k"));
    m.end_step(StepKind::elementwise, 3,
               first < end ? fmt::format("Key {} of axis 2 is multiplied into the keys and values.", k)
                           : fmt::format("Key {} of axis 2: no query sees it and these keys.", k),
               {}, keys, {k, k + 1});
    for (std::int64_t i = first; i < end; i += z.tile) keys_tile(m, keys, k, {i, i + z.tile});
  }
  store(m, "dK", m.result().grad_k1, m.reg("dK"));
  store(m, "dV", m.result().grad_v1, m.reg("dV"));
  m.end_step(StepKind::store, 9, "Nobody else has these keys: the sums are stored.", {}, keys, {});
}

/// One key of axis 1 in a tile of Listing 3: five products.
void two_stage_key(StepMachine& m, StepSpan q, StepSpan k2, std::int64_t j) {
  const StepTensors& t = m.tensors();
  const StepSpan k1{j, j + 1};
  for (const char* old : {"P^T", "dP^T", "dS^T"}) m.drop(old);
  m.put(renamed(times_row(m, m.reg("Q"), t.k1, j), "Q K_j"));
  m.put(renamed(times_row(m, m.reg("dO"), t.v1, j), "dO V_j"));
  m.end_step(StepKind::elementwise, 4, fmt::format("Key {} of axis 1 is multiplied into the queries and dO.", j), q, k1,
             {});
  m.put(probabilities(m, shaped("P^T", "key 2", "query", k2, q), m.reg("K'"), m.reg("Q K_j"),
                      [&](std::int64_t row, std::int64_t i) { return m.sees(i, j, k2.first + row); }));
  m.end_step(StepKind::product, 5, "Scores of all keys of axis 2 that the tile sees, and their probabilities.", q, k1,
             k2);
  add_to(m.change(m.reg("dV'")), times(m.zeros("", "", k2), m.reg("P^T"), m.reg("dO V_j")));
  m.end_step(StepKind::product, 6, fmt::format("dV' += P^T (dO V_{}).", j), q, k1, k2);
  m.put(times_transposed(shaped("dP^T", "key 2", "query", k2, q), m.load("", "", t.v2, k2), m.reg("dO V_j")));
  m.put(score_gradients(m, m.reg("P^T"), m.reg("dP^T")));
  m.end_step(StepKind::product, 7, "dP = V' (dO V_j)^T, and dS = P (dP - D).", q, k1, k2);
  StepGrid dk = times(m.zeros("", "", k2), m.reg("dS^T"), m.reg("Q K_j"));
  for (double& x : dk.values) x *= m.scale();
  add_to(m.change(m.reg("dK'")), dk);
  m.end_step(StepKind::product, 8, fmt::format("dK' += scale dS^T (Q K_{}).", j), q, k1, k2);
  const StepGrid keys = times_row(m, m.reg("K'"), t.k1, j);
  add_to(m.change(m.reg("dQ")), transposed_times(m.zeros("", "", q), m.reg("dS^T"), keys));
  m.end_step(StepKind::product, 9, fmt::format("dQ += dS (K_{} K'); the scale comes at the end.", j), q, k1, k2);
}

/// What memory holds of rows `span` of an output; 0 where nothing was written.
StepGrid stored(StepMachine& m, const char* name, const char* output, StepSpan span) {
  const StepGrid& memory = m.in_memory(output);
  return filled(m.zeros(name, "key 2", span), [&](std::int64_t row, std::int64_t d) {
    const std::int64_t position = span.first + row;
    const bool there = position >= 0 && position < memory.height && !std::isnan(memory.at(position, d));
    return there ? memory.at(position, d) : 0;
  });
}

void two_stage_tile(StepMachine& m, StepSpan q, bool odd) {
  const StepSizes& z = m.sizes();
  const StepTensors& t = m.tensors();
  const StepSpan k2{q.first - z.window2, q.end};
  const std::int64_t end = std::min(z.n, q.end);
  m.begin(fmt::format("{} tile: queries {} to {}", odd ? "odd" : "even", q.first, end - 1));
  m.put(m.load("Q", "query", t.q, q));
  m.put(m.load("dO", "query", t.grad_o, q));
  m.put(m.load("K'", "key 2", t.k2, k2));
  m.put(m.zeros("dQ", "query", q));
  m.put(m.zeros("dK'", "key 2", k2));
  m.put(m.zeros("dV'", "key 2", k2));
  m.end_step(StepKind::load, 2,
             "w2 queries and the 2 w2 keys of axis 2 that they may see; the first of these is never seen.", q, {}, k2);
  for (std::int64_t j = std::max<std::int64_t>(0, q.first - z.window1); j < end; ++j) two_stage_key(m, q, k2, j);
  if (odd) {
    m.put(stored(m, "dK' stored", "dK'", k2));
    m.put(stored(m, "dV' stored", "dV'", k2));
    m.end_step(StepKind::load, 11,
               "An odd tile loads dK' and dV' that even tiles stored; where none did, there are zeros.", q, {}, k2);
  }
  StepGrid dq = m.reg("dQ");
  for (double& x : dq.values) x *= m.scale();
  store(m, "dQ", m.result().grad_q, dq);
  store(m, "dK'", m.result().grad_k2, m.reg("dK'"), odd);
  store(m, "dV'", m.result().grad_v2, m.reg("dV'"), odd);
  m.put(std::move(dq));
  m.end_step(
      StepKind::store, 12,
      odd ? "dQ is stored, dK' and dV' with what was there." : "An even tile stores: no other even tile has its keys.",
      q, {}, k2);
}

}  // namespace

AlgorithmSteps run_paper_forward(const StepSizes& sizes) {
  StepMachine m(Algorithm::paper_forward, sizes,
                {"for each tile of queries, one program:", "  Q = load; m = -inf, l = 0, acc = 0",
                 "  for j in q_start - w1 .. q_end:", "    Qk = Q * K[j]",
                 "    for tiles of k in q_start - w2 .. q_end:", "      S = scale Qk K'^T, masked",
                 "      m, alpha, P = exp(S - m), l, acc *= alpha", "      acc += P (V[j] * V')",
                 "  store o = acc / l, lse = m + log l"});
  m.output("o", "query");
  for (std::int64_t first = 0; first < sizes.n; first += sizes.tile) forward_program(m, {first, first + sizes.tile});
  return m.take();
}

AlgorithmSteps run_paper_keys(const StepSizes& sizes) {
  StepMachine m(Algorithm::paper_keys, sizes,
                {"for each tile of keys j of axis 1, one program:", "  K, V = load; dK = dV = 0",
                 "  for k in kv1_start - w2 .. kv1_end + w1:", "    Kk' = K * K'[k], Vv' = V * V'[k]",
                 "    for tiles of queries that see both:", "      P^T = exp(scale Kk' Q^T - lse), masked",
                 "      dV += P^T (dO * V'[k])", "      dS^T = P^T (Vv' dO^T - D)",
                 "      dK += scale (dS^T Q) * K'[k]", "  store dK, dV"});
  m.output("dK", "key 1");
  m.output("dV", "key 1");
  for (std::int64_t first = 0; first < sizes.n; first += sizes.tile) keys_program(m, {first, first + sizes.tile});
  return m.take();
}

AlgorithmSteps run_paper_two_stage(const StepSizes& sizes) {
  StepMachine m(Algorithm::paper_two_stage, sizes,
                {"for stage in even, odd:", "  for each tile of w2 queries of the stage, one program:",
                 "    Q, dO, K', V' = load; dQ = dK' = dV' = 0",
                 "    for j in q_start - w1 .. q_end:", "      Qk = Q * K[j], dOv = dO * V[j]",
                 "      P^T = exp(scale K' Qk^T - lse), masked", "      dV' += P^T dOv",
                 "      dS^T = P^T (V' dOv^T - D)", "      dK' += scale dS^T Qk", "      dQ += dS (K[j] * K')",
                 "    if odd:", "      dK' += load dK', dV' += load dV'", "    store scale dQ, dK', dV'"});
  m.output("dQ", "query");
  m.output("dK'", "key 2");
  m.output("dV'", "key 2");
  for (const std::int64_t stage : {0, 1}) {
    for (std::int64_t first = stage * sizes.window2; first < sizes.n; first += 2 * sizes.window2)
      two_stage_tile(m, {first, first + sizes.window2}, stage == 1);
  }
  return m.take();
}

}  // namespace triscope
