// Inputs that are kept, one a file in tests/fuzz/corpus/TARGET: what once crashed, and what is right. Mutation begins
// from them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/fuzz/mutator.hpp"

namespace triscope {

struct CorpusFile {
  std::string name;
  std::string bytes;
};

/// The files of `target`, by name. Throws `std::runtime_error` when there are none.
std::vector<CorpusFile> corpus_of(std::string_view target);

/// Checks every file of `target`.
void check_corpus(std::string_view target, const std::function<void(const std::string&)>& check);

/// The same, then `for_each_fuzz_input` with mutations of them.
void fuzz_corpus(std::string_view target, std::span<const std::string_view> dictionary,
                 const std::function<void(const std::string&)>& check, std::uint64_t every = 1);

}  // namespace triscope
