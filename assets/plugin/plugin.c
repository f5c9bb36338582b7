/* A kernel of your own for Triscope: mine.
 *
 *   cc -O2 -shared -fPIC -I. mine.c -o mine.so -lm      in this folder
 *   triscope sweep --kernel ./mine.so                   measures it beside every kernel of this machine
 *   triscope sweep --kernel ./mine.so,cpu.fast          beside one
 *
 * A sweep asks what is supported, checks one launch against the fp64 oracle, and times the kernel when it is right.
 * What the functions promise, and what each member means, is said in triscope/attention.h. This one computes the
 * forward of trilinear causal attention on the CPU, from the formula: every query over every pair of keys in its
 * windows. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <triscope/attention.h>

static const char kId[] = "mine";     /* its name in tables: a-z, 0-9, '.', '_', '-'; not one of Triscope's */
static const char kVersion[] = "0.1"; /* count it up when you change what is computed */

/* Writes a sentence where there is room for it, and hands on `status`. */
static triscope_status say(triscope_status status, const char* sentence, char* reason, size_t reason_size) {
  if (reason != NULL && reason_size > 0) snprintf(reason, reason_size, "%s", sentence);
  return status;
}

uint32_t triscope_attention_version(void) { return TRISCOPE_ATTENTION_VERSION; }

/* A library may hold several kernels: return the id of each, and NULL after the last. */
const char* triscope_kernel(size_t index) { return index == 0 ? kId : NULL; }

/* TRISCOPE_CUDA: the tensors are in the GPU's memory, and a launch puts its work on `stream` and returns. */
int32_t triscope_kernel_device(const char* kernel) { return strcmp(kernel, kId) == 0 ? TRISCOPE_CPU : -1; }

const char* triscope_kernel_version(const char* kernel) { return strcmp(kernel, kId) == 0 ? kVersion : NULL; }

/* Say what you cannot compute; the sentence is kept with the row that is left out. */
triscope_status triscope_supported(const char* kernel, const triscope_problem* problem, int32_t pass, char* reason,
                                   size_t reason_size) {
  (void)kernel;
  if (pass != TRISCOPE_FORWARD) return say(TRISCOPE_UNSUPPORTED, "it has a forward only", reason, reason_size);
  if (problem->form != TRISCOPE_TRILINEAR || problem->mask != TRISCOPE_CAUSAL || problem->element != TRISCOPE_FP32)
    return say(TRISCOPE_UNSUPPORTED, "it computes trilinear causal attention in fp32", reason, reason_size);
  if (problem->has_sink || problem->k2_bias != 0 || problem->v2_bias != 0)
    return say(TRISCOPE_UNSUPPORTED, "it has no sink and no biases", reason, reason_size);
  if (problem->head_dim > 1024) return say(TRISCOPE_UNSUPPORTED, "head_dim is above 1024", reason, reason_size);
  return say(TRISCOPE_OK, "", reason, reason_size);
}

/* Memory that a launch may use as it likes; it is allocated before and aligned to 256 bytes. */
triscope_status triscope_workspace(const char* kernel, const triscope_problem* problem, int32_t pass, size_t* bytes,
                                   char* reason, size_t reason_size) {
  *bytes = 0;
  return triscope_supported(kernel, problem, pass, reason, reason_size);
}

/* One query: o_i = sum_jk p_ijk v1_j v2_k, with p the softmax of scale * sum_d q_id k1_jd k2_kd. Element j of a key or
 * value lies `stride` floats behind that of j - 1. */
static float attend(const triscope_problem* p, const float* q, const float* k1, const float* k2, const float* v1,
                    const float* v2, int64_t i, int64_t stride, float* o) {
  const double scale = p->has_scale ? p->scale : 1 / sqrt((double)p->head_dim);
  const int64_t first1 = i < p->window1 ? 0 : i - p->window1 + 1, first2 = i < p->window2 ? 0 : i - p->window2 + 1;
  double sums[1024] = {0}, total = 0, largest = -INFINITY;
  for (int64_t j = first1; j <= i; ++j) {
    for (int64_t k = first2; k <= i; ++k) {
      double logit = 0;
      for (int64_t d = 0; d < p->head_dim; ++d) logit += (double)q[d] * k1[j * stride + d] * k2[k * stride + d];
      logit *= scale;
      const double before = logit > largest ? exp(largest - logit) : 1; /* what the sums so far are worth now */
      if (logit > largest) largest = logit;
      const double weight = exp(logit - largest);
      total = total * before + weight;
      for (int64_t d = 0; d < p->head_dim; ++d)
        sums[d] = sums[d] * before + weight * v1[j * stride + d] * v2[k * stride + d];
    }
  }
  for (int64_t d = 0; d < p->head_dim; ++d) o[d] = (float)(sums[d] / total);
  return (float)(largest + log(total));
}

/* What is timed. Every element of the outputs must be written, and nothing else. */
triscope_status triscope_launch(const char* kernel, const triscope_problem* p, int32_t pass, const triscope_tensors* t,
                                void* stream, char* reason, size_t reason_size) {
  const triscope_status status = triscope_supported(kernel, p, pass, reason, reason_size);
  if (status != TRISCOPE_OK || stream != NULL) return status != TRISCOPE_OK ? status : TRISCOPE_ARGUMENT;
  const float *q = t->q, *k1 = t->k1, *k2 = t->k2, *v1 = t->v1, *v2 = t->v2;
  const int64_t stride = p->kv_heads * p->head_dim, group = p->q_heads / p->kv_heads;
  for (int64_t b = 0; b < p->batch; ++b) {
    for (int64_t i = 0; i < p->seq_len; ++i) {
      for (int64_t h = 0; h < p->q_heads; ++h) {
        const int64_t row = ((b * p->seq_len + i) * p->q_heads + h) * p->head_dim;
        const int64_t keys = b * p->seq_len * stride + h / group * p->head_dim; /* position 0 of this head's keys */
        t->lse[(b * p->q_heads + h) * p->seq_len + i] =
            attend(p, q + row, k1 + keys, k2 + keys, v1 + keys, v2 + keys, i, stride, (float*)t->o + row);
      }
    }
  }
  return TRISCOPE_OK;
}
