/* 2-simplicial attention from a program of your own, in plain C. How to use it: docs/use-it.md; formulas:
 * docs/method.md.
 *
 * Tensors are contiguous: q, o, grad_o, grad_q [batch, seq_len, q_heads, head_dim]; k1, k2, v1, v2 and their gradients
 * [batch, seq_len, kv_heads, head_dim]; lse [batch, q_heads, seq_len], sink, grad_sink [q_heads], all three fp32.
 * Query head h reads kv head h / (q_heads / kv_heads).
 *
 * No function keeps anything between calls but what it found out about the machine, and every function may be called
 * from many threads at once. Nothing is thrown. A struct begins with its own size, so that a later version of this
 * header may add members at its end. */
#ifndef TRISCOPE_ATTENTION_H
#define TRISCOPE_ATTENTION_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of this header. It grows only when something that was there changes or goes. */
#define TRISCOPE_ATTENTION_VERSION 1

/* Long enough for every sentence; a shorter buffer gets the beginning of it. */
#define TRISCOPE_REASON_SIZE 1024

typedef enum triscope_status {
  TRISCOPE_OK = 0,
  TRISCOPE_IMPOSSIBLE = 1,  /* no kernel can ever compute this problem: a negative length, a NaN */
  TRISCOPE_UNSUPPORTED = 2, /* this kernel cannot, here or yet */
  TRISCOPE_ARGUMENT = 3,    /* a pointer, size, kernel, pass or plan is missing or wrong, or an lse too large for the
                               kernel: cpu.fast takes up to 2e4 */
  TRISCOPE_FAILED = 4       /* the launch failed, for want of memory for example; the outputs are undefined */
} triscope_status;

enum triscope_form {
  TRISCOPE_TRILINEAR = 0,  /* logit_ijk = scale * sum_d q_id k1_jd k2_kd */
  TRISCOPE_DETERMINANT = 1 /* logit_ijk = scale * sum over chunks of 3 dimensions of det(q_i, k1_j, k2_k) */
};
enum triscope_mask {
  TRISCOPE_CAUSAL = 0, /* j in (i - window1, i], k in (i - window2, i], both at least 0 */
  TRISCOPE_FULL = 1    /* every j and k; the windows are ignored but must be at least 1 */
};
enum triscope_element { TRISCOPE_FP32 = 0, TRISCOPE_BF16 = 1 }; /* of q to v2, o and their gradients */
enum triscope_pass { TRISCOPE_FORWARD = 0, TRISCOPE_BACKWARD = 1 };
enum triscope_device { TRISCOPE_CPU = 0, TRISCOPE_CUDA = 1 }; /* where a kernel runs, and where its tensors lie */

/* What is computed. Set everything to 0, then `size`, then what you need. */
typedef struct triscope_problem {
  size_t size;           /* sizeof(triscope_problem) */
  int32_t form;          /* enum triscope_form */
  int32_t mask;          /* enum triscope_mask */
  int32_t element;       /* enum triscope_element */
  int32_t deterministic; /* 1: gradients bit-identical from run to run. cpu.fast: always */
  int64_t batch, seq_len, q_heads, kv_heads, head_dim;
  int64_t window1, window2; /* positions a query sees on each axis, itself counted */
  int32_t has_scale;        /* 0: scale is 1/sqrt(head_dim), whatever stands there */
  int32_t has_sink;         /* 1: a logit per query head that adds to the denominator and has no value */
  double scale;
  double k2_bias, v2_bias; /* added to every element of k2, of v2 */
  /* Not computed by any kernel yet. Anything but the value in brackets is refused, by name. */
  int64_t query_len;        /* [0, or seq_len] queries, when they are fewer or more than keys */
  int64_t cache_len;        /* [0] positions of a key-value cache before the first key */
  int64_t packed_sequences; /* [0, or 1] sequences packed into one row of the batch */
  int32_t padding;          /* [0] 1: sequences of the batch end at lengths of their own */
  int32_t reserved;         /* [0] */
} triscope_problem;

/* The memory of one launch, of the kernel's device; on a GPU q to v2, o and their gradients are aligned to 16 bytes.
 * What a pass does not need may be NULL. Outputs overlap nothing. Every element of an output is written. */
typedef struct triscope_tensors {
  size_t size; /* sizeof(triscope_tensors) */
  const void *q, *k1, *k2, *v1, *v2;
  const float* sink;  /* with has_sink */
  void* o;            /* written by the forward, read by the backward */
  float* lse;         /* log of the sum of exponentials, sink included: written by the forward, read by the backward of
                         the same kernel */
  const void* grad_o; /* from here on of the backward only */
  void *grad_q, *grad_k1, *grad_k2, *grad_v1, *grad_v2;
  float* grad_sink;       /* with has_sink */
  void* workspace;        /* aligned to 256 bytes; its contents do not matter, before or after. One launch at a time */
  size_t workspace_bytes; /* at least what triscope_workspace says */
  uint32_t* lse_state;    /* CUDA kernels: one word beside lse, which says how its logits were rounded; the forward
                             writes it when its kernel has more than one way, the backward of the same problem reads it
                             in the same case. Else it may be NULL */
} triscope_tensors;

/* TRISCOPE_ATTENTION_VERSION of the library that is loaded; a program asks it when it was compiled with another one. */
uint32_t triscope_attention_version(void);

/* A launch that is thought through: triscope_prepare makes it, triscope_run reads it. Plain memory of the caller's, to
 * be copied and forgotten as one likes. Valid in the process that made it, for the GPU that was current then: with
 * another one triscope_run refuses it. */
typedef struct triscope_plan {
  size_t size;            /* sizeof(triscope_plan) */
  size_t workspace_bytes; /* what a launch needs; may be 0 */
  uint64_t content[62];   /* of the library */
} triscope_plan;

/* The id of a kernel, such as "cpu.fast"; NULL from the number of kernels on. Kernel 0 is what NULL means where a
 * function asks for a kernel. "cuda", where the library has it, is the fastest kernel of each problem for the current
 * GPU; its backward reads the lse of its own forward. "cpu.oracle" computes in fp64, slowly, to compare with. */
const char* triscope_kernel(size_t index);

/* enum triscope_device of a kernel; -1: there is none of that id. */
int32_t triscope_kernel_device(const char* kernel);

/* The version of a kernel, in the words of who made it; NULL: there is none of that id. */
const char* triscope_kernel_version(const char* kernel);

/* In all that follows `reason`, of `reason_size` bytes, gets one sentence unless TRISCOPE_OK is returned, and "" when
 * it is; it may be NULL. */

/* TRISCOPE_OK when `kernel` computes `pass` of `problem` on this machine. */
triscope_status triscope_supported(const char* kernel, const triscope_problem* problem, int32_t pass, char* reason,
                                   size_t reason_size);

/* Writes to `bytes` how much workspace a launch needs; may be 0. It is the same for every launch of one process on
 * one GPU. */
triscope_status triscope_workspace(const char* kernel, const triscope_problem* problem, int32_t pass, size_t* bytes,
                                   char* reason, size_t reason_size);

/* Runs one pass. CPU kernels use the OpenMP threads of the calling thread (OMP_NUM_THREADS) and return when the outputs
 * are written; `stream` is NULL for them. CUDA kernels are put on `stream`, a cudaStream_t or CUstream of the current
 * GPU, whose primary context, the runtime's, becomes the thread's; nothing waits: that is safe inside a CUDA graph,
 * once a launch of the same kernel has run outside one. No memory is allocated that grows with the problem (except by
 * cpu.oracle), and none on a GPU. */
triscope_status triscope_launch(const char* kernel, const triscope_problem* problem, int32_t pass,
                                const triscope_tensors* tensors, void* stream, char* reason, size_t reason_size);

/* triscope_launch in two halves, for programs that launch the same problem often: triscope_prepare checks the problem
 * and chooses the kernel for it and for the GPU, triscope_run checks the tensors and launches. Set plan->size first;
 * the rest of the plan is written. */
triscope_status triscope_prepare(const char* kernel, const triscope_problem* problem, int32_t pass, triscope_plan* plan,
                                 char* reason, size_t reason_size);
triscope_status triscope_run(const triscope_plan* plan, const triscope_tensors* tensors, void* stream, char* reason,
                             size_t reason_size);

#ifdef __cplusplus
}
#endif

#endif
