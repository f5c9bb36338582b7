// Launches of the slice kernels (survey.cu, finish.cu): what lies where. Everything is computed in fp64 from fp32
// tensors.
#pragma once

#include <cuda_runtime_api.h>

#include <cfloat>
#include <cstdint>

namespace triscope::cuda::slice {

inline constexpr double kMostFloat = FLT_MAX;  ///< what is finite stays finite as a float, however large

/// Tensors of a run of queries, on the device. Rows are [heads][positions][head_dim], fp32. Column c of the run is
/// query first_query + c * step; it sees `window1` and `window2` positions that end with it (mask full: that begin with
/// 0), of which those before token 0 are masked.
struct Operands {
  const float* q = nullptr;   ///< [kv_heads * group][columns]
  const float* k1 = nullptr;  ///< [kv_heads][keys1], from position first_key1 on
  const float* k2 = nullptr;  ///< [kv_heads][keys2], from position first_key2 on; null: ones
  std::int64_t columns = 1, first_query = 0, step = 1;
  std::int64_t first_key1 = 0, keys1 = 0, first_key2 = 0, keys2 = 0;
  std::int64_t window1 = 1, window2 = 1;
  int kv_heads = 1, group = 1, head_dim = 1;
  int dims = 1;          ///< that take part in the logit
  bool full = false;     ///< mask
  bool crossed = false;  ///< determinant
  bool rounded = false;  ///< the product of query and k2 is rounded to bf16
  double scale = 1, k2_bias = 0;
};

/// Sums over keys 1 of one query head and key 2, against its own maximum.
struct RowSums {
  double maximum, sum, sum_logit, sum_distance;
};
/// The same over all pairs of a query head.
struct HeadSums {
  double maximum, sum, sum_logit, sum_distance1, sum_distance2;
};

/// Where a survey leaves what it found.
struct Findings {
  RowSums* rows = nullptr;    ///< [columns][kv_heads * group][window2][splits]
  int splits = 1;             ///< parts into which axis 1 is cut
  double* logits = nullptr;   ///< of a single query head: [window2][window1]; null: not wanted
  unsigned* sheet = nullptr;  ///< of a single query: [heads][height][width] as `ordered`, 0 before; null: not wanted
  std::int64_t width = 1, height = 1;
};

/// A float as a number that grows with it; 0 is less than any.
inline constexpr unsigned kOrderedNothing = 0;
float from_ordered(unsigned ordered);

/// Parts of axis 1 that fill the device when there are `blocks` of work without them.
int splits_for(std::int64_t blocks, std::int64_t window1);
/// Blocks of a survey without splits.
std::int64_t survey_blocks(const Operands& operands);

void launch_survey(const Operands& operands, const Findings& findings, cudaStream_t stream);

/// rows -> heads [columns][kv_heads * group].
void launch_heads(const Operands& operands, const Findings& findings, HeadSums* heads, cudaStream_t stream);

/// A slice from its logits [count2][count1].
struct Finish {
  const double* logits = nullptr;
  std::int64_t count1 = 0, count2 = 0;
  double lse = 0;
  float* log_p = nullptr;                    ///< [count2][count1]
  float* marginal1 = nullptr;                ///< [count1]
  unsigned long long* not_finite = nullptr;  ///< [2]: NaN, infinite; 0 before
};
void launch_finish(const Finish& finish, cudaStream_t stream);

/// logits[index[n]] to out[n].
void launch_gather(const double* logits, const std::int64_t* index, int count, double* out, cudaStream_t stream);

/// Rows of axis 2 that one block of `launch_output` mixes.
inline constexpr int kOutputRows = 8;
/// sum_j p_jk v1_j (v2_k + v2_bias), over `kOutputRows` rows k at a time: to partial [ceil(count2 / 8)][head_dim].
/// v1 [count1][head_dim], v2 [count2][head_dim], null: ones.
void launch_output(const Finish& slice, const float* v1, const float* v2, double v2_bias, int head_dim, double* partial,
                   cudaStream_t stream);

}  // namespace triscope::cuda::slice
