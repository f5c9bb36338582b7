// What `triscope paper` prints, a function for each of its sections: tables for people, or lines of JSON.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "profiler/match3/match3_study.hpp"
#include "profiler/paper/laws/general_law.hpp"
#include "profiler/paper/laws/reproduction.hpp"
#include "profiler/paper/layers/layer_mix.hpp"
#include "profiler/paper/layers/measured_layer.hpp"

namespace triscope {

/// Tables 1 to 4 recomputed with `sizes` as active parameters, the misses, and the sizes that explain them.
void print_paper_results(const ModelSizes& sizes, bool json);

/// What is asked of the laws beside the fits.
struct ScalingQuestion {
  std::vector<double> forecasts;           ///< numbers of parameters
  std::optional<GeneralLaw> law;           ///< evaluated at the sizes and forecasts
  double tokens = kNoTokenTerm;            ///< that it is trained on
  std::optional<double> irreducible;       ///< E', taken from every loss before a second fit
  std::optional<ModelSizes> of_the_paper;  ///< the losses are the paper's, at these sizes
};
/// The fits of all series that can be fitted, naming the others, with intervals, the differences of exponents between
/// the models of each benchmark, and what would decide them; the law that the paper starts from, and what the question
/// asks.
void print_scaling_laws(const std::vector<LossSeries>& all, const ScalingQuestion& question, bool json);

/// `triscope paper operator`: the logit and its relatives, the determinant as two einsums, and what the windows of
/// a layer (`measured_layer`) cost beside dot-product attention, by counts and by the rows of `database`.
void print_operator(const NamedLayer& named, const std::string& database, bool json);

/// The paper's own series, for `print_scaling_laws`.
std::vector<LossSeries> all_paper_losses(const ModelSizes& sizes);

/// The errata; `id`: only that one, with all that is known of it. Throws `Error` (usage) for an unknown id.
void print_errata(const std::string& id, bool json);

/// What the paper writes down (`written_parts`); `id`: only that part. Throws `Error` (usage) for an unknown id.
void print_formulas(const std::string& id, bool json);

/// The algorithms on a small problem, line by line; `algorithm`: only that one (`Algorithm`), or -1.
void print_steps(int algorithm, bool json);

/// What rotations do to both forms of the logit, and what a rotary prologue costs.
void print_rotation(bool json);

/// What a layer, the paper's where it is not named, costs in tiles: the paper's listings and every instance of this
/// build, and beside the chosen instance the next whole tiles of the longer window; what it takes by the rows of
/// `database`.
void print_tiling(const NamedLayer& named, const std::string& database, bool json);

/// `triscope paper table1`: the paper's milliseconds, what they imply, and measured times: of an H100 as recorded, and
/// of the database that is named.
void print_table1(const std::string& database, bool json);

/// Writes the paper beside the rows of `database` as one HTML page, with the layer of `measured_layer`. Throws `Error`
/// as `require_output`.
void write_paper_page(const NamedLayer& named, const std::string& database, const std::filesystem::path& file);

/// Numbers, or how many of them are drawn.
struct Match3Request {
  Match3Question question{{}, 53, Match3Precision::fp32, 0};
  std::int64_t tokens = 8;  ///< where the question has no numbers
  std::uint64_t seed = 1;
};
/// Match3 by the head of the paper's Theorem 1 through cpu.fast, beside brute force, its bound on c, and a dot-product
/// head. Throws `Error` (usage) as `match3_tensors`.
void print_match3(const Match3Request& request, bool json);

/// `triscope paper lengths`: a layer's windows beside dot-product attention at every measured length, with rates: what
/// the paper's Figure 3 shows.
void print_lengths(const NamedLayer& named, const std::string& database, bool json);

/// `triscope paper overview`: a line of what each section finds with the rows of `database`.
void print_overview(const NamedLayer& named, const std::string& database, bool json);

/// What of a model is not measured but chosen.
struct ModelShape {
  NamedLayer named;
  std::int64_t layers = 32, every = 4, sequences = 1;
  double budget_ms = 0;  ///< 0: none
};
/// The recipe as far as the paper states it and, from the rows of `database` (empty: the default one, when it is
/// there), what attention costs in a training step of `model`. Throws `Error` (usage), before anything is printed,
/// where the rows of a named database cannot tell it.
void print_recipe(const ModelShape& model, const std::string& database, bool json);

}  // namespace triscope
