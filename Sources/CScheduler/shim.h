#ifndef CSCHEDULER_SHIM_H
#define CSCHEDULER_SHIM_H
#include <sched.h>
#include <sys/types.h>
/* sched.h declares them for programs that define _GNU_SOURCE, which Swift's do not. */
int sched_getaffinity(pid_t process, size_t size, cpu_set_t *cores);
int sched_setaffinity(pid_t process, size_t size, const cpu_set_t *cores);
/* Swift has no way to say that memory may have changed, so that what is read again is really read. */
static inline void compiler_barrier(void) { __asm__ volatile("" : : : "memory"); }
#endif
