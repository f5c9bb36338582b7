#include "tests/fuzz/corpus.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "tests/paths.hpp"

namespace triscope {

std::vector<CorpusFile> corpus_of(std::string_view target) {
  std::vector<CorpusFile> files;
  const std::filesystem::path folder = source_file("tests/fuzz/corpus/" + std::string(target));
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream in(entry.path(), std::ios::binary);
    files.push_back({entry.path().filename().string(), {std::istreambuf_iterator<char>(in), {}}});
  }
  if (files.empty()) throw std::runtime_error(folder.string() + " is empty");
  std::sort(files.begin(), files.end(), [](const CorpusFile& a, const CorpusFile& b) { return a.name < b.name; });
  return files;
}

void check_corpus(std::string_view target, const std::function<void(const std::string&)>& check) {
  for (const CorpusFile& file : corpus_of(target)) {
    SCOPED_TRACE(file.name);
    check(file.bytes);
  }
}

void fuzz_corpus(std::string_view target, std::span<const std::string_view> dictionary,
                 const std::function<void(const std::string&)>& check, std::uint64_t every) {
  check_corpus(target, check);
  const std::vector<CorpusFile> files = corpus_of(target);
  for_each_fuzz_input(
      [&](FuzzRandom& random) {
        std::string input = files[random.below(files.size())].bytes;
        mutate(input, dictionary, random);
        check(input);
      },
      every);
}

}  // namespace triscope
