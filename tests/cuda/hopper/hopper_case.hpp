// The problems that hopper_bench checks and times.
#pragma once

#include <string>
#include <vector>

#include "kernels/attention/kernel.hpp"

namespace triscope::bench {

/// What is special about the inputs of a case. Logit shapes are made with dimensions 0 and 1, where q is 1.
enum class Inputs {
  normal,
  peaked4,
  peaked8,
  rising_long,
  falling_long,
  rising_short,
  spikes,
  zero_values,
  tiny_values,
  // Powers of two for q and keys that cancel: by channel, all of it in fp16's reach; q beyond it, made up for by the
  // problem's scale, so within reach; keys whose own powers of two are out of reach.
  scaled_channels,
  large_queries,
  tiny_keys,
  // Every third row of q beyond fp16's reach, beside tiny keys: scores of half of its steps would be -infinity in fp16,
  // as if they were masked, and are -1 or so.
  rows_beyond
};

struct Case {
  Problem problem;
  Inputs inputs = Inputs::normal;
  std::string instance = {};  // empty: the kernel's choice
};

/// Every form, group size, window and kind of inputs of the design, small; on the instance the kernel chooses.
std::vector<Case> all_cases();

/// Inputs within and beyond the range of fp16, both forms.
std::vector<Case> range_cases();

/// A few problems on every instance that can run them.
std::vector<Case> instance_cases(const Kernel& kernel);

/// Reads "window1xwindow2,q_heads/kv_heads,head_dim,seq_len,batch,form[,instance]". Throws `Error`.
Case parse_shape(const std::string& text);

/// Problem `n` of a seed: of the whole supported range, at most some 5 ms on an H200.
Case random_case(int seed, int n);

/// The problem of such a case, or of a later one, whose tensors have at most half a gigabyte: for the backward.
Problem random_backward(int seed, int n);

}  // namespace triscope::bench
