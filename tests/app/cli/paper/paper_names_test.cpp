// `triscope paper` by the paper's own names: formulas, algorithms, listings, printed tables.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "profiler/record/json.hpp"
#include "tests/app/cli/expect_error.hpp"
#include "tests/app/cli/json_lines.hpp"
#include "tests/app/cli/program.hpp"

namespace triscope {
namespace {

using nlohmann::json;
using testing::HasSubstr;

/// What is named comes first, also where the section that follows covers several.
TEST(PaperNames, its_own_names_lead_to_what_they_name) {
  struct Named {
    const char *name, *first, *shows;
  };
  for (const auto& [name, first, shows] :
       std::vector<Named>{{"figure1", "Figure 1", "i ------- j"},
                          {"algorithm1", "Algorithm 1", "attention = softmax(logits + causal-mask, axis=[-1, -2])"},
                          {"algorithm2", "Algorithm 2", "for q_start in range(stage * w2, seq_len, w2 * 2):"},
                          {"listing1", "Listing 1", "BLOCK_SIZE_KV = 32, num_stages = 1, num_warps = 4"},
                          {"listing2", "Listing 2", "Paper: dK, dV"},
                          {"listing3", "Listing 3", "Paper: two-stage"},
                          {"theorem1", "Theorem 1", "k_blank = (0, 0, 0, 0, 0, 0, 1)"},
                          {"table3", "Table 3", "-2.1606"},
                          {"table4", "Table 4", "4.7e-06"}}) {
    const ProgramResult text = run_triscope({"paper", name});
    EXPECT_EQ(text.exit_code, 0) << text.errors;
    EXPECT_TRUE(text.output.starts_with(first)) << name << ": " << text.output.substr(0, 80);
    EXPECT_THAT(text.output, HasSubstr(shows)) << name;
  }
  const std::string listing2 = run_triscope({"paper", "listing2"}).output;
  EXPECT_THAT(listing2, testing::Not(HasSubstr("Paper: two-stage")));
  EXPECT_THAT(listing2, testing::Not(HasSubstr("Ours: backward")));
  const auto lines = json_lines(run_triscope({"paper", "algorithm2", "--format", "json"}));
  EXPECT_EQ(lines.at(0)["type"], "written_part");
  EXPECT_EQ(lines.at(0)["id"], "algorithm2");
  EXPECT_EQ(json_lines(run_triscope({"paper", "table4", "--format", "json"})).at(1)["MMLU-pro residual"], 4.6e-08);
  const ProgramResult refused = run_triscope({"paper", "table3", "--irreducible", "0.3"});
  expect_error(refused, 2, "not between 0 and every loss");
  EXPECT_EQ(refused.output, "");
}

TEST(PaperNames, formulas_stand_together_and_alone) {
  const std::string all = run_triscope({"paper", "formulas"}).output;
  for (const char* there :
       {"S_ijk = exp(A_ijk) / sum_mp exp(A_imp)", "o_i = sum_j S_ij v_j", "dV_jl = sum_ik S_ijk dO_il V'_kl",
        "dQ_il = (1/sqrt(d)) sum_jk dS_ijk K_jl K'_kl", "cos(t1 + t2 + t3) = det(M1) + det(-M2)"})
    EXPECT_THAT(all, HasSubstr(there));
  const std::string one = run_triscope({"paper", "formulas", "backward"}).output;
  EXPECT_TRUE(one.starts_with("The backward"));
  EXPECT_THAT(one, testing::Not(HasSubstr("Algorithm 2")));
  expect_error(run_triscope({"paper", "formulas", "forward"}), 2, "the paper writes no such part");
}

TEST(PaperNames, steps_and_rotation_are_sections_too) {
  const std::string steps = run_triscope({"paper", "steps"}).output;
  for (const char* there :
       {"Paper: forward", "Paper: dK, dV", "Paper: two-stage", "Ours: forward", "Ours: backward", "matrix product"})
    EXPECT_THAT(steps, HasSubstr(there));
  const auto lines = json_lines(run_triscope({"paper", "rotation", "--format", "json"}));
  ASSERT_EQ(lines.size(), 10U) << "eight angles and two forms";
  for (int i = 0; i < 8; ++i)
    EXPECT_NEAR(lines[i]["determinant"].get<double>(), lines[0]["determinant"].get<double>(), 1e-12);
  EXPECT_GT(std::abs(lines[2]["trilinear"].get<double>() - lines[0]["trilinear"].get<double>()), 0.01);
  EXPECT_LT(lines[8]["one_axis"].get<double>(), 1e-12);
  EXPECT_GT(lines[8]["an_axis_for_each"].get<double>(), 0.01);
  EXPECT_THAT(run_triscope({"paper", "rotation"}).output, HasSubstr("an axis for each"));
}

TEST(PaperNames, operator_says_what_the_determinant_changes_in_its_counts) {
  const ProgramResult plain = run_triscope({"paper", "operator"}),
                      determinant = run_triscope({"paper", "operator", "--form", "determinant"});
  EXPECT_NE(plain.output, determinant.output);
  EXPECT_THAT(determinant.output, HasSubstr("The determinant has the counts of the trilinear form"));
  EXPECT_THAT(determinant.output, HasSubstr("from 3 w1 w2 = 49,152 tokens on"));
  const json work = json_lines(run_triscope({"paper", "operator", "--form", "determinant", "--format", "json"})).back();
  EXPECT_EQ(work["form"], "determinant");
  EXPECT_NEAR(work["windows_two_einsums"].get<double>() / work["windows"].get<double>(), 1.5, 1e-12);
}

TEST(PaperNames, both_recomputed_changes_of_alpha_stand_at_both_places) {
  for (const char* section : {"results", "scaling"}) {
    std::string text = run_triscope({"paper", section}).output;
    std::ranges::replace(text, '\n', ' ');
    EXPECT_THAT(text,
                HasSubstr("From the exponents that Table 3 prints, as among the results: GSM8k 18.5 %, MMLU 8.6 %"))
        << section;
    EXPECT_THAT(text, HasSubstr("MMLU 9.0 %")) << section;
  }
}

}  // namespace
}  // namespace triscope
