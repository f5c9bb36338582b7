#include "tests/cuda/hopper_backward/hopper_backward_cases.hpp"

#include <cstdio>
#include <utility>

#include "kernels/base/error.hpp"

namespace triscope::backward_bench {

using reference::Kind;

namespace {

Problem make_problem(Form form, int batch, int n, int q_heads, int kv_heads, int dim, int w1, int w2) {
  Problem p;
  p.form = form;
  p.batch = batch;
  p.seq_len = n;
  p.q_heads = q_heads;
  p.kv_heads = kv_heads;
  p.head_dim = dim;
  p.window1 = w1;
  p.window2 = w2;
  return p;
}

}  // namespace

Problem parse_shape(const std::string& text) {
  int w1, w2, q_heads, kv_heads, dim, n, batch;
  char form[32], order[32] = "";
  const int read = std::sscanf(text.c_str(), "%dx%d,%d/%d,%d,%d,%d,%31[^,],%31s", &w1, &w2, &q_heads, &kv_heads, &dim,
                               &n, &batch, form, order);
  const bool deterministic = std::string(order) == "deterministic";
  if (read < 8 || (read == 9 && !deterministic))
    throw Error("cannot read the shape", text, "512x32,128/1,128,8192,1,trilinear[,deterministic]", ExitCode::usage);
  Problem problem = make_problem(*parse_form(form), batch, n, q_heads, kv_heads, dim, w1, w2);
  problem.deterministic = deterministic;
  return problem;
}

std::vector<Case> all_cases() {
  constexpr Form kTrilinear = Form::trilinear, kDeterminant = Form::determinant;
  std::vector<Case> cases;
  const auto add = [&](Problem p, Kind kind = Kind::normal) { cases.push_back({p, kind}); };
  for (Form form : {kTrilinear, kDeterminant}) {
    add(make_problem(form, 1, 200, 64, 1, 128, 64, 16));
    add(make_problem(form, 1, 300, 64, 1, 128, 512, 32));
    add(make_problem(form, 1, 301, 128, 1, 128, 256, 32));
    add(make_problem(form, 1, 233, 128, 1, 128, 100, 20));
    add(make_problem(form, 1, 333, 64, 1, 128, 200, 64));
    add(make_problem(form, 1, 300, 64, 1, 128, 128, 128));
    add(make_problem(form, 2, 150, 64, 2, 128, 64, 16));   // batch, kv heads
    add(make_problem(form, 1, 260, 32, 1, 128, 100, 33));  // two positions a tile
    add(make_problem(form, 3, 150, 32, 2, 128, 64, 16));   // sixteen heads
    add(make_problem(form, 2, 161, 16, 2, 128, 96, 24));   // eight
    add(make_problem(form, 1, 130, 12, 2, 128, 40, 24));   // six: padded to eight
    add(make_problem(form, 1, 110, 96, 1, 128, 40, 24));   // a head block that is half full
    add(make_problem(form, 1, 90, 70, 2, 128, 40, 9));     // thirty-five: padded to sixty-four
    add(make_problem(form, 2, 100, 4, 4, 128, 40, 9));     // no grouping
    add(make_problem(form, 1, 300, 2, 2, 128, 512, 32));
    add(make_problem(form, 1, 333, 2, 2, 128, 200, 64));
    add(make_problem(form, 1, 270, 2, 2, 128, 20, 130));  // axis 1 is the short one
    for (int group : {2, 3, 4}) add(make_problem(form, 1, 150, 2 * group, 2, 128, 64, 16));
    add(make_problem(form, 1, 120, 128, 2, 128, 40, 9));  // sixty-four and two kv heads
    add(make_problem(form, 3, 70, 16, 2, 64, 33, 7));
    add(make_problem(form, 1, 129, 16, 1, 128, 17, 90));  // axis 1 is the short one
    add(make_problem(form, 2, 100, 16, 2, 128, 1, 40));
    add(make_problem(form, 1, 100, 64, 1, 128, 40, 1));
    add(make_problem(form, 1, 100, 16, 1, 128, 1, 1));
    add(make_problem(form, 1, 60, 16, 1, 128, 500, 300));  // windows larger than the sequence
    add(make_problem(form, 1, 380, 8, 1, 128, 330, 200));  // edges of more than one tile
    for (int n : {1, 2}) add(make_problem(form, 16, n, 16, 1, 128, 32, 32));
    for (int n : {31, 32, 33}) add(make_problem(form, 1, n, 64, 1, 128, 32, 32));
    add(make_problem(form, 1, 300, 64, 1, 64, 200, 32));
    add(make_problem(form, 2, 161, 32, 2, 64, 96, 24));
    add(make_problem(form, 2, 150, 16, 2, 64, 20, 60));
    for (int dim : {64, 128}) {
      Problem p = make_problem(form, 2, 150, 16, 2, dim, 64, 16);
      p.k2_bias = 0.125, p.v2_bias = -0.5, p.sink = 0.75;
      add(p);
      std::swap(p.window1, p.window2);
      add(p);
      p.kv_heads = 16;
      add(p);
    }
    Problem p = make_problem(form, 2, 90, 80, 1, 64, 20, 40);
    p.sink = 9.0, p.scale = -0.125;
    add(p);
    add(make_problem(form, 1, 130, 16, 1, 128, 64, 16), Kind::zeros);
    add(make_problem(form, 1, 400, 64, 1, 128, 128, 32), Kind::q4);
    add(make_problem(form, 1, 400, 64, 1, 128, 128, 32), Kind::q8);
    for (Kind kind : {Kind::q4, Kind::q8}) add(make_problem(form, 1, 400, 2, 2, 128, 128, 32), kind);
  }
  for (Kind kind : {Kind::early, Kind::late, Kind::rising, Kind::low})
    add(make_problem(kTrilinear, 1, 400, 16, 1, 128, 400, 16), kind);
  return cases;
}

std::vector<Case> small_cases() {
  std::vector<Case> cases;
  for (Form form : {Form::trilinear, Form::determinant}) {
    for (int dim : {64, 128}) {
      Problem p = make_problem(form, 2, 40, 20, 2, dim, 33, 5);
      p.sink = 0.5, p.v2_bias = 0.25;
      cases.push_back({p});
      cases.push_back({make_problem(form, 1, 11, 70, 1, dim, 4, 8)});
      // Long positions that two short ones share; 225 items, which move by one a round on 132 multiprocessors.
      cases.push_back({make_problem(form, 1, 150, 8, 1, dim, 80, 70)});
      cases.push_back({make_problem(form, 1, 200, 16, 1, dim, 190, 8)});  // eight short positions share an edge
    }
  }
  return cases;
}

std::vector<Case> range_cases() {
  const Problem p = make_problem(Form::trilinear, 1, 400, 64, 1, 128, 128, 32);
  std::vector<Case> cases;
  for (Factors f : {Factors{}, Factors{.grad_o = 1e-4f}, Factors{.grad_o = 1e4f}, Factors{.grad_o = 1e-10f},
                    Factors{.grad_o = 1e10f}, Factors{.k1 = 1e-3f, .k2 = 1e3f}, Factors{.q = 1e3f, .k1 = 1e-3f},
                    Factors{.q = 1e-3f, .k1 = 30, .k2 = 30}, Factors{.v1 = 1e-3f, .v2 = 1e-3f},
                    Factors{.v1 = 1e3f, .v2 = 1e3f}, Factors{.q = 1e6f, .k1 = 1e-3f, .k2 = 1e-3f}})
    cases.push_back({p, Kind::normal, f});
  for (const Form form : {Form::trilinear, Form::determinant}) {
    Problem large = p, beyond = p;
    large.form = beyond.form = form;
    large.scale = 3e-7;  // products beyond fp16 of logits of usual size
    cases.push_back({large, Kind::normal, Factors{.q = 300, .k1 = 40, .k2 = 40}});
    // Keys beyond what powers of two bring into fp16: the forward makes its LSE in bf16.
    cases.push_back({beyond, Kind::normal, Factors{.q = 1e33f, .k1 = 1e-33f}});
  }
  return cases;
}

}  // namespace triscope::backward_bench
