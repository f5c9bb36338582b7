#include "profiler/record/words/problem_facts.hpp"

#include <fmt/format.h>

namespace triscope {
namespace {

std::string off_or(const char* name, double value) { return value == 0 ? "" : fmt::format("{} {}", name, value); }

const ProblemFact kFacts[] = {
    {"form", [](const Problem& p) { return std::string(to_string(p.form)); },
     [](const Problem& p) { return std::string(to_string(p.form)); }},
    {"mask", [](const Problem& p) { return std::string(to_string(p.mask)); },
     [](const Problem& p) { return fmt::format("{} mask", to_string(p.mask)); }},
    {"element", [](const Problem& p) { return std::string(to_string(p.element)); },
     [](const Problem& p) { return std::string(to_string(p.element)); }},
    {"batch", [](const Problem& p) { return fmt::format("{}", p.batch); },
     [](const Problem& p) { return fmt::format("batch {}", p.batch); }},
    {"tokens", [](const Problem& p) { return fmt::format("{}", p.seq_len); },
     [](const Problem& p) { return fmt::format("{} tokens", p.seq_len); }},
    {"heads", [](const Problem& p) { return fmt::format("{}/{}", p.q_heads, p.kv_heads); },
     [](const Problem& p) { return fmt::format("{}/{} heads", p.q_heads, p.kv_heads); }},
    {"head size", [](const Problem& p) { return fmt::format("{}", p.head_dim); },
     [](const Problem& p) { return fmt::format("head size {}", p.head_dim); }},
    {"scale", [](const Problem& p) { return p.scale ? fmt::format("{}", *p.scale) : "default"; },
     [](const Problem& p) { return p.scale ? fmt::format("scale {}", *p.scale) : ""; }},
    {"k2 bias", [](const Problem& p) { return fmt::format("{}", p.k2_bias); },
     [](const Problem& p) { return off_or("k2 bias", p.k2_bias); }},
    {"v2 bias", [](const Problem& p) { return fmt::format("{}", p.v2_bias); },
     [](const Problem& p) { return off_or("v2 bias", p.v2_bias); }},
    {"sink", [](const Problem& p) { return p.sink ? fmt::format("{}", *p.sink) : "none"; },
     [](const Problem& p) { return p.sink ? fmt::format("sink {}", *p.sink) : ""; }},
    {"gradients", [](const Problem& p) { return std::string(p.deterministic ? "deterministic" : "any order"); },
     [](const Problem& p) { return std::string(p.deterministic ? "deterministic gradients" : ""); }},
};

}  // namespace

std::span<const ProblemFact> problem_facts() { return kFacts; }

std::string windows_text(const Problem& problem) {
  if (problem.form == Form::gemm) return "";
  if (problem.form == Form::dot_product) {
    return problem.window1 >= problem.seq_len ? "causal" : fmt::format("window {}", problem.window1);
  }
  return problem.mask == Mask::full ? "full" : fmt::format("{}x{}", problem.window1, problem.window2);
}

}  // namespace triscope
