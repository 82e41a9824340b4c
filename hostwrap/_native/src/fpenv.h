/* XLA computes with subnormal numbers flushed to zero, and SciPy's normal-range answers change with that: loops run
 * in the default floating-point environment, and leave no trace in XLA's. */
#ifndef HOSTWRAP_FPENV_H
#define HOSTWRAP_FPENV_H

#if defined(__x86_64__) || defined(_M_X64)
#include <xmmintrin.h>
typedef unsigned hw_fpenv;
#define HW_DEFAULT_MXCSR 0x1f80u
static inline hw_fpenv hw_fpenv_enter(void) {
  hw_fpenv before = _mm_getcsr();
  _mm_setcsr(HW_DEFAULT_MXCSR);
  return before;
}
static inline void hw_fpenv_leave(hw_fpenv before) { _mm_setcsr(before); }
#else
#include <fenv.h>
typedef fenv_t hw_fpenv;
static inline hw_fpenv hw_fpenv_enter(void) {
  hw_fpenv before;
  fegetenv(&before);
  fesetenv(FE_DFL_ENV);
  return before;
}
static inline void hw_fpenv_leave(hw_fpenv before) { fesetenv(&before); }
#endif

#endif
