/* The plug-in that `triscope plugin new` writes, with one fault, chosen by a definition of the compiler. */
#if defined(MISSING_SYMBOL)
#define triscope_workspace triscope_working_memory
#elif defined(BUILT_IN_ID)
#define triscope_kernel skeleton_kernel
#elif defined(CRASHES_WHEN_ASKED) || defined(WANTS_TOO_MUCH)
#define triscope_workspace skeleton_workspace
#elif defined(ON_A_GPU)
#define triscope_kernel_device skeleton_device
#elif defined(GROWS)
#define triscope_workspace skeleton_workspace
#define triscope_launch skeleton_launch
#elif !defined(WRONG_VERSION)
#define triscope_launch skeleton_launch
#endif
#ifdef WRONG_VERSION
#define triscope_attention_version skeleton_version
#endif
#include <stdlib.h>
#include <string.h>

#include "assets/plugin/plugin.c"
#undef triscope_launch
#undef triscope_workspace
#undef triscope_kernel
#undef triscope_kernel_device
#undef triscope_attention_version

#if defined(WRONG_VERSION)
uint32_t triscope_attention_version(void) { return 7; }
#elif defined(BUILT_IN_ID)
const char* triscope_kernel(size_t index) { return index == 0 ? "cpu.fast" : NULL; }
#elif defined(ON_A_GPU)
int32_t triscope_kernel_device(const char* kernel) {
  (void)kernel;
  return TRISCOPE_CUDA;
}
#elif defined(CRASHES_WHEN_ASKED) || defined(WANTS_TOO_MUCH)
triscope_status triscope_workspace(const char* kernel, const triscope_problem* problem, int32_t pass, size_t* bytes,
                                   char* reason, size_t reason_size) {
#ifdef CRASHES_WHEN_ASKED
  *(volatile int*)NULL = 1;
#endif
  const triscope_status status = skeleton_workspace(kernel, problem, pass, bytes, reason, reason_size);
  *bytes = SIZE_MAX;
  return status;
}
#elif !defined(MISSING_SYMBOL)
triscope_status triscope_launch(const char* kernel, const triscope_problem* p, int32_t pass, const triscope_tensors* t,
                                void* stream, char* reason, size_t reason_size) {
#ifdef CRASHES
  *(volatile int*)NULL = 1;
#endif
#ifdef HANGS
  for (volatile int n = 0;; n = 1 - n) {
  }
#endif
#if defined(CHANGES_INPUTS)
  memset((void*)t->q, 0, sizeof(float) * (size_t)(p->batch * p->seq_len * p->q_heads * p->head_dim));
#endif
#ifdef CHANGES_AN_INPUT_LATER
  static int launches = 0;
  if (++launches == 40) ((float*)t->v2)[1] += 1;
#endif
#ifdef COMPUTES_ONCE
  static int computed = 0;
  if (computed++) return TRISCOPE_OK;
#endif
#ifdef LEAVES_MEMORY
  static void* volatile kept;
  kept = malloc(100);
#endif
#ifdef GROWS
  memset(t->workspace, 0, t->workspace_bytes);
#endif
  const triscope_status status = skeleton_launch(kernel, p, pass, t, stream, reason, reason_size);
#ifdef WRITES_TOO_FAR
  ((float*)t->o)[p->batch * p->seq_len * p->q_heads * p->head_dim] = 1;
#endif
#ifdef WRITES_BEFORE
  ((float*)t->lse)[-1] = 1;
#endif
#ifdef WRITES_BEHIND_THE_STATE
  t->lse_state[1] = 1;
#endif
#ifdef WRONG_RESULT
  ((float*)t->o)[p->head_dim] += 1;
#endif
  return status;
}
#endif

#ifdef GROWS /* more each time that it is asked */
triscope_status triscope_workspace(const char* kernel, const triscope_problem* problem, int32_t pass, size_t* bytes,
                                   char* reason, size_t reason_size) {
  static size_t asked = 0;
  const triscope_status status = skeleton_workspace(kernel, problem, pass, bytes, reason, reason_size);
  *bytes = 4096 * ++asked;
  return status;
}
#endif
