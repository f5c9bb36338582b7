// What the paper writes, evaluated: the formulas of the backward as they stand in the data give the gradients, and the
// vectors of Theorem 1 its cosine.
#include "profiler/paper/written_parts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <set>
#include <sstream>

#include "kernels/paper/algorithm_steps.hpp"
#include "profiler/paper/errata.hpp"
#include "profiler/paper/part_names.hpp"
#include "profiler/paper/rotary.hpp"

namespace triscope {
namespace {

using testing::HasSubstr;

std::vector<std::string> lines_of(std::string_view id) {
  std::vector<std::string> all;
  for (const WrittenBlock& block : find_written_part(id)->blocks)
    all.insert(all.end(), block.lines.begin(), block.lines.end());
  return all;
}

TEST(WrittenParts, name_errata_that_there_are) {
  std::set<std::string> ids;
  for (const WrittenPart& part : written_parts()) {
    EXPECT_TRUE(ids.insert(part.id).second) << part.id;
    EXPECT_FALSE(part.blocks.empty()) << part.id;
    EXPECT_TRUE(part.more.starts_with("triscope ")) << part.id;
    for (const std::string& id : part.errata)
      EXPECT_NE(std::ranges::find(errata(), id, &Erratum::id), errata().end()) << part.id << ": " << id;
  }
  for (const PartName& one : kPartNames) {
    const bool written = one.name.starts_with("algorithm") || one.name.starts_with("listing");
    EXPECT_TRUE(!written || find_written_part(one.name) != nullptr) << one.name;
  }
  EXPECT_EQ(find_written_part("listing4"), nullptr);
}

/// A formula such as "dV_jl = sum_ik S_ijk dO_il V'_kl" on tensors that are stored in the order of their indices.
class Formulas {
 public:
  static constexpr int kTokens = 4, kDim = 3;
  std::map<std::string, std::vector<double>> tensors;

  void evaluate(const std::string& line) {
    std::istringstream words(line);
    std::string left, word;
    words >> left >> word;
    double scale = 1;
    std::vector<std::string> factors;
    while (words >> word) {
      if (word == "(1/sqrt(d))") scale = 1 / std::sqrt(static_cast<double>(kDim));
      if (word.starts_with("(1") || word.starts_with("sum_")) continue;
      factors.push_back(word);
    }
    std::vector<double>& out = tensors[left.substr(0, left.find('_'))];
    out.assign(static_cast<std::size_t>(indices(left) == "ijk" ? kTokens * kTokens * kTokens : kTokens * kDim), 0);
    std::map<char, int> at;
    for (at['i'] = 0; at['i'] < kTokens; ++at['i']) {
      for (at['j'] = 0; at['j'] < kTokens; ++at['j']) {
        for (at['k'] = 0; at['k'] < kTokens; ++at['k']) {
          for (at['l'] = 0; at['l'] < kDim; ++at['l']) {
            double product = scale;
            for (const std::string& factor : factors)
              product *= tensors.at(factor.substr(0, factor.find('_'))).at(place(factor, at));
            out.at(place(left, at)) += product;
          }
        }
      }
    }
  }

 private:
  static std::string indices(const std::string& name) { return name.substr(name.find('_') + 1); }
  static std::size_t place(const std::string& name, const std::map<char, int>& at) {
    std::size_t place = 0;
    for (const char index : indices(name))
      place = place * (index == 'l' ? kDim : kTokens) + static_cast<std::size_t>(at.at(index));
    return place;
  }
};

/// S, O and the sum of dO O of the operator as the text defines it, without a mask.
double loss_of(Formulas& formulas) {
  const int n = Formulas::kTokens, d = Formulas::kDim;
  auto& t = formulas.tensors;
  t["S"].assign(n * n * n, 0);
  t["O"].assign(n * d, 0);
  double loss = 0;
  for (int i = 0; i < n; ++i) {
    double sum = 0;
    for (int pair = 0; pair < n * n; ++pair) {
      double logit = 0;
      for (int l = 0; l < d; ++l) logit += t["Q"][i * d + l] * t["K"][pair / n * d + l] * t["K'"][pair % n * d + l];
      sum += t["S"][i * n * n + pair] = std::exp(logit / std::sqrt(static_cast<double>(d)));
    }
    for (int pair = 0; pair < n * n; ++pair) {
      const double weight = t["S"][i * n * n + pair] /= sum;
      for (int l = 0; l < d; ++l) t["O"][i * d + l] += weight * t["V"][pair / n * d + l] * t["V'"][pair % n * d + l];
    }
    for (int l = 0; l < d; ++l) loss += t["dO"][i * d + l] * t["O"][i * d + l];
  }
  return loss;
}

TEST(WrittenParts, of_the_backward_give_the_gradients) {
  Formulas formulas;
  const StepSizes sizes{Formulas::kTokens, Formulas::kTokens, Formulas::kTokens, Formulas::kDim, 2};
  const StepTensors tensors = step_tensors(sizes);
  auto& t = formulas.tensors;
  t = {{"Q", tensors.q},  {"K", tensors.k1},  {"K'", tensors.k2},
       {"V", tensors.v1}, {"V'", tensors.v2}, {"dO", tensors.grad_o}};
  loss_of(formulas);
  int gradients = 0;
  const std::vector<std::string> lines = lines_of("backward");
  ASSERT_EQ(lines.size(), 7U);
  for (const std::string& line : lines) {
    if (line == "dS_ijk = S_ijk (dP_ijk - D_i),  D_i = sum_l dO_il O_il") {
      t["dS"] = t["dP"];
      constexpr std::size_t kPairs = Formulas::kTokens * Formulas::kTokens;
      for (std::size_t at = 0; at < t["dS"].size(); ++at) {
        double row = 0;
        for (std::size_t l = 0; l < Formulas::kDim; ++l)
          row += t["dO"][at / kPairs * Formulas::kDim + l] * t["O"][at / kPairs * Formulas::kDim + l];
        t["dS"][at] = t["S"][at] * (t["dP"][at] - row);
      }
      continue;
    }
    formulas.evaluate(line);
    const std::string of = line.substr(1, line.find('_') - 1);
    if (of == "P") continue;
    ++gradients;
    for (std::size_t at = 0; at < t[of].size(); ++at) {
      Formulas moved = formulas;
      constexpr double kStep = 1e-5;
      moved.tensors[of][at] += kStep;
      const double above = loss_of(moved);
      moved.tensors[of][at] -= 2 * kStep;
      EXPECT_NEAR(t["d" + of][at], (above - loss_of(moved)) / (2 * kStep), 1e-7) << line;
    }
  }
  EXPECT_EQ(gradients, 5) << "dV, dV', dK, dK' and dQ";
}

/// "(cos, sin, 0, -sin, cos, 0, 1)" or "(cos t1, sin t1, 0; ...)": its elements, at these angles.
std::vector<double> elements_of(const std::string& line, const std::vector<double>& angles) {
  std::string inside = line.substr(line.find('(') + 1);
  inside = inside.substr(0, inside.find(')'));
  std::ranges::replace(inside, ';', ',');
  std::vector<double> all;
  std::istringstream parts(inside);
  for (std::string part; std::getline(parts, part, ',');) {
    const double sign = part.find('-') == std::string::npos ? 1 : -1;
    const std::size_t number = part.find('t');
    const double angle = angles.at(number == std::string::npos ? 0 : static_cast<std::size_t>(part[number + 1] - '1'));
    if (part.find("cos") != std::string::npos) {
      all.push_back(sign * std::cos(angle));
    } else if (part.find("sin") != std::string::npos) {
      all.push_back(sign * std::sin(angle));
    } else {
      all.push_back(sign * std::stod(part));
    }
  }
  return all;
}

double chunk_determinant(const std::vector<double>& q, const std::vector<double>& k1, const std::vector<double>& k2,
                         std::size_t first) {
  const auto chunk = [first](const std::vector<double>& v) {
    return Vector3{v.at(first), v.at(first + 1), v.at(first + 2)};
  };
  return determinant({chunk(q), chunk(k1), chunk(k2)});
}

TEST(WrittenParts, of_theorem_1_give_the_cosine_of_the_sum) {
  const auto line_with = [](std::string_view begin) {
    for (const std::string& line : lines_of("theorem1")) {
      if (line.starts_with(begin)) return line.substr(line.find('=') + 1);
    }
    throw std::out_of_range(std::string(begin));
  };
  for (int i = 0; i < 5; ++i) {
    const std::vector<double> t{0.3 + i, 1.1 * i - 2, 4.0 - 0.7 * i};
    const double cosine = std::cos(t[0] + t[1] + t[2]);
    const std::vector<double> m1 = elements_of(line_with("M1 "), t), m2 = elements_of(line_with("-M2"), t);
    ASSERT_EQ(m1.size(), 9U);
    ASSERT_EQ(m2.size(), 9U);
    const auto det = [](const std::vector<double>& m) {
      return determinant({Vector3{m[0], m[1], m[2]}, Vector3{m[3], m[4], m[5]}, Vector3{m[6], m[7], m[8]}});
    };
    EXPECT_NEAR(det(m1) + det(m2), cosine, 1e-12);
    const std::vector<double> q = elements_of(line_with("q_i"), {t[0]}), k1 = elements_of(line_with("k_j"), {t[1]}),
                              k2 = elements_of(line_with("k'_k"), {t[2]}),
                              blank = elements_of(line_with("k_blank"), {0});
    for (const auto* vector : {&q, &k1, &k2, &blank}) ASSERT_EQ(vector->size(), 7U);
    EXPECT_NEAR(chunk_determinant(q, k1, k2, 0) + chunk_determinant(q, k1, k2, 3), cosine, 1e-12);
    double with_blank = 0;
    for (std::size_t at = 0; at < 7; ++at) with_blank += q[at] * blank[at];
    EXPECT_EQ(with_blank, 1) << "times c, the greatest score";
  }
}

TEST(WrittenParts, have_the_constants_of_the_listings) {
  const auto has = [](const char* id, const char* text) {
    std::string all;
    for (const WrittenBlock& block : find_written_part(id)->blocks) {
      all += block.says + "\n";
      for (const std::string& line : block.lines) all += line + "\n";
    }
    EXPECT_THAT(all, HasSubstr(text)) << id;
  };
  for (const char* text : {"BLOCK_SIZE_Q = 64, BLOCK_SIZE_KV = 32", "num_stages = 1, num_warps = 4", "INPUT_PRECISION"})
    has("listing1", text);
  for (const char* text : {"COMPUTE_DQ", "is_flipped", "tl.atomic_add", "num_warps"}) has("listing2", text);
  for (const char* text : {"BLOCK_SIZE_Q = 32, BLOCK_SIZE_KV2 = 64, num_stages = 1, num_warps = 4", "IS_SECOND_PASS",
                           "assert BLOCK_SIZE_KV2 == BLOCK_SIZE_Q + w2"})
    has("listing3", text);
  has("algorithm1", "einsum(\"bntsr,bsnh,brnh->btnh\", attention, V, V')");
  has("algorithm2", "for q_start in range(stage * w2, seq_len, w2 * 2):");
  has("operator", "o_i = sum_jk S_ijk (v_j * v'_k)");
  has("dot-product", "o_i = sum_j S_ij v_j");
}

}  // namespace
}  // namespace triscope
