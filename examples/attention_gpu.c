/* One forward and one backward of 2-simplicial attention on a GPU, in bf16, over libtriscope_attention. Each pass is
 * prepared once and could then be run for every step of a training. Built and run: docs/use-it.md. */
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <triscope/attention.h>

/* Prints why, when a call failed, and ends the program. */
static void require(int code, const char* reason) {
  if (code == 0) return;
  fprintf(stderr, "%s (code %d)\n", reason, code);
  exit(3);
}

static void* on_gpu(size_t bytes) {
  void* memory = NULL;
  require((int)cudaMalloc(&memory, bytes), "There is no memory on the GPU");
  return memory;
}

/* A sawtooth in bf16: the upper half of each float. */
static void* tensor(size_t count, int seed) {
  uint16_t* values = malloc(count * sizeof *values);
  for (size_t n = 0; values != NULL && n < count; ++n) {
    const float number = (float)((n * 37 + (size_t)seed * 11) % 101) / 50.0f - 1.0f;
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    values[n] = (uint16_t)(bits >> 16);
  }
  void* copy = on_gpu(count * 2);
  require(values == NULL || cudaMemcpy(copy, values, count * 2, cudaMemcpyHostToDevice), "The tensor was not copied");
  free(values);
  return copy;
}

static void run(const triscope_problem* problem, int32_t pass, triscope_tensors* tensors, cudaStream_t stream) {
  char reason[TRISCOPE_REASON_SIZE];
  triscope_plan plan = {.size = sizeof plan};
  require(triscope_prepare("cuda", problem, pass, &plan, reason, sizeof reason), reason);
  tensors->workspace = plan.workspace_bytes > 0 ? on_gpu(plan.workspace_bytes) : NULL;
  tensors->workspace_bytes = plan.workspace_bytes;
  require(triscope_run(&plan, tensors, stream, reason, sizeof reason), reason);
}

int main(void) {
  triscope_problem problem = {.size = sizeof problem, .element = TRISCOPE_BF16, .batch = 1, .seq_len = 1024};
  problem.q_heads = 8, problem.kv_heads = 1, problem.head_dim = 64, problem.window1 = 256, problem.window2 = 16;
  const size_t rows = 1024 * 8, queries = rows * 64, keys = 1024 * 64;
  cudaStream_t stream;
  require((int)cudaStreamCreate(&stream), "There is no GPU that can be used");
  triscope_tensors tensors = {.size = sizeof tensors, .q = tensor(queries, 1)};
  tensors.k1 = tensor(keys, 2), tensors.k2 = tensor(keys, 3), tensors.v1 = tensor(keys, 4),
  tensors.v2 = tensor(keys, 5);
  tensors.o = on_gpu(queries * 2), tensors.lse = on_gpu(rows * 4), tensors.lse_state = on_gpu(4);
  run(&problem, TRISCOPE_FORWARD, &tensors, stream);
  tensors.grad_o = tensor(queries, 6), tensors.grad_q = on_gpu(queries * 2);
  tensors.grad_k1 = on_gpu(keys * 2), tensors.grad_k2 = on_gpu(keys * 2);
  tensors.grad_v1 = on_gpu(keys * 2), tensors.grad_v2 = on_gpu(keys * 2);
  run(&problem, TRISCOPE_BACKWARD, &tensors, stream);
  float lse = 0; /* of row 0, which sees itself alone: its only logit */
  require((int)cudaStreamSynchronize(stream), "The GPU failed");
  require((int)cudaMemcpy(&lse, tensors.lse, sizeof lse, cudaMemcpyDeviceToHost), "The result was not copied");
  printf("cuda: lse[0] = %.4f\n", lse);
  return 0;
}
