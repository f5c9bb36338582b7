// A library that says which version of cuDNN it is, and can do nothing else.
#include <cstddef>

#ifdef FAKE_VERSION
extern "C" std::size_t cudnnGetVersion() { return FAKE_VERSION; }  // NOLINT(readability-identifier-naming): its name
#endif
