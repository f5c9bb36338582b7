#include "profiler/worker/jobs/check_cases.hpp"

namespace triscope {
namespace {

// No extent is a multiple of a tile; windows are odd and unequal.
Problem base(Element element) {
  Problem problem;
  problem.element = element;
  problem.seq_len = 150;
  problem.q_heads = 4;
  problem.kv_heads = 2;
  problem.head_dim = 64;
  problem.window1 = 33;
  problem.window2 = 7;
  return problem;
}

class CaseList {
 public:
  explicit CaseList(Element element) : base_(base(element)) {}

  template <typename Change>
  void add(Change change, InputKind inputs = InputKind::normal) {
    Problem problem = base_;
    change(problem);
    for (const Form form : {Form::trilinear, Form::determinant}) {
      problem.form = form;
      cases_.push_back({problem, inputs});
    }
  }
  std::vector<CheckCase> take() { return std::move(cases_); }

 private:
  Problem base_;
  std::vector<CheckCase> cases_;
};

void add_shapes(CaseList& list) {
  for (const std::int64_t n : {1, 2, 32, 33, 34, 257}) list.add([n](Problem& p) { p.seq_len = n; });
  for (const Windows w : {Windows{1, 1}, {33, 1}, {1, 33}, {16, 16}, {7, 33}, {64, 16}}) {
    list.add([w](Problem& p) { p.window1 = w.window1, p.window2 = w.window2; });
  }
  list.add([](Problem& p) { p.seq_len = 70, p.window1 = 400, p.window2 = 300; });
  for (const std::int64_t group : {1, 8, 64, 128}) {
    list.add([group](Problem& p) { p.seq_len = 45, p.q_heads = group, p.kv_heads = 1; });
  }
  list.add([](Problem& p) { p.q_heads = p.kv_heads = 3; });
  list.add([](Problem& p) { p.batch = 3, p.seq_len = 50; });
  for (const std::int64_t dim : {128, 16, 7}) list.add([dim](Problem& p) { p.head_dim = dim; });
}

void add_options(CaseList& list) {
  list.add([](Problem& p) { p.k2_bias = 0.25, p.v2_bias = -0.5; });
  list.add([](Problem& p) { p.sink = 0.5; });
  list.add([](Problem& p) { p.sink = -1.0, p.batch = 2, p.k2_bias = 1.0 / 64, p.v2_bias = 1.0 / 64; });
  list.add([](Problem& p) { p.scale = 0.05; });
  list.add([](Problem& p) { p.mask = Mask::full, p.seq_len = 40; });
  list.add([](Problem& p) { p.deterministic = true; });
}

void add_peaked(CaseList& list) {
  for (const InputKind kind :
       {InputKind::peaked4, InputKind::peaked8, InputKind::huge_early, InputKind::huge_late, InputKind::rising}) {
    list.add([](Problem& p) { p.seq_len = 257, p.window1 = 200, p.window2 = 9; }, kind);
  }
}

}  // namespace

std::vector<CheckCase> check_cases(Element element, bool quick) {
  CaseList list(element);
  list.add([](Problem&) {});
  if (quick) {
    list.add([](Problem& p) { p.seq_len = 1; });
    list.add([](Problem& p) { p.seq_len = 70, p.window1 = 400, p.window2 = 300; });
    list.add([](Problem& p) { p.sink = 0.5, p.k2_bias = 0.25, p.v2_bias = -0.5; });
    return list.take();
  }
  add_shapes(list);
  add_options(list);
  add_peaked(list);
  return list.take();
}

std::vector<CheckCase> baseline_check_cases(Element element, bool quick) {
  std::vector<CheckCase> cases;
  for (CheckCase one : check_cases(element, quick)) {
    // One form is enough: the dot product has no determinant. Its full mask and its biases are nothing new either.
    if (one.problem.form != Form::trilinear || one.problem.mask == Mask::full) continue;
    const Problem sliding = one.problem;
    one.problem = baseline_problem(sliding);
    cases.push_back(one);
    one.problem.window1 = sliding.window1;
    one.problem.scale = sliding.scale;
    cases.push_back(one);
  }
  return cases;
}

}  // namespace triscope
