/* One forward and one backward of 2-simplicial attention from C, over libtriscope_attention. Tensors are made of a
 * sawtooth; your own program has better ones. Built and run: docs/use-it.md. */
#include <stdio.h>
#include <stdlib.h>
#include <triscope/attention.h>

static float* tensor(size_t count, int seed) {
  float* values = malloc(count * sizeof *values);
  if (values == NULL) exit(3);
  for (size_t n = 0; n < count; ++n) values[n] = (float)((n * 37 + (size_t)seed * 11) % 101) / 50.0f - 1.0f;
  return values;
}

/* Prints why, when a call was refused, and ends the program. */
static void require(triscope_status status, const char* reason) {
  if (status == TRISCOPE_OK) return;
  fprintf(stderr, "%s (code %d)\n", reason, (int)status);
  exit(status == TRISCOPE_FAILED ? 3 : 2);
}

static void run(const triscope_problem* problem, int32_t pass, triscope_tensors* tensors) {
  char reason[TRISCOPE_REASON_SIZE];
  size_t bytes = 0;
  require(triscope_workspace(NULL, problem, pass, &bytes, reason, sizeof reason), reason);
  tensors->workspace_bytes = (bytes + 255) / 256 * 256;
  tensors->workspace = tensors->workspace_bytes > 0 ? aligned_alloc(256, tensors->workspace_bytes) : NULL;
  require(triscope_launch(NULL, problem, pass, tensors, NULL, reason, sizeof reason), reason);
  free(tensors->workspace);
}

int main(int count, char** words) {
  triscope_problem problem = {.size = sizeof problem, .form = TRISCOPE_TRILINEAR, .mask = TRISCOPE_CAUSAL};
  problem.batch = 1, problem.seq_len = 256, problem.q_heads = 4, problem.kv_heads = 1, problem.head_dim = 64;
  problem.window1 = count > 1 ? atoi(words[1]) : 64;
  problem.window2 = 16;

  const size_t queries = (size_t)(problem.seq_len * problem.q_heads),
               keys = (size_t)(problem.seq_len * problem.kv_heads);
  const size_t dim = (size_t)problem.head_dim;
  triscope_tensors tensors = {.size = sizeof tensors};
  tensors.q = tensor(queries * dim, 1);
  tensors.k1 = tensor(keys * dim, 2), tensors.k2 = tensor(keys * dim, 3);
  tensors.v1 = tensor(keys * dim, 4), tensors.v2 = tensor(keys * dim, 5);
  tensors.o = tensor(queries * dim, 0), tensors.lse = tensor(queries, 0);
  run(&problem, TRISCOPE_FORWARD, &tensors);

  tensors.grad_o = tensor(queries * dim, 6);
  tensors.grad_q = tensor(queries * dim, 0);
  tensors.grad_k1 = tensor(keys * dim, 0), tensors.grad_k2 = tensor(keys * dim, 0);
  tensors.grad_v1 = tensor(keys * dim, 0), tensors.grad_v2 = tensor(keys * dim, 0);
  run(&problem, TRISCOPE_BACKWARD, &tensors);

  const float *o = tensors.o, *grad_q = tensors.grad_q;
  printf("%s: o[0] = %.6f, lse[0] = %.6f, grad_q[0] = %.6f\n", triscope_kernel(0), o[0], tensors.lse[0], grad_q[0]);
  return 0;
}
