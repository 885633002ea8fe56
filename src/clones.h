/* Kernels compiled three times, for any processor, for AVX2 with FMA, and for AVX-512; the processor decides at run
 * time.
 *
 *     ROPE_INLINE double total_body(int n, const double *x) { ... }
 *     ROPE_KERNEL(double, total, (int n, const double *x), (n, x))       defines static total(n, x)
 *
 * All copies give the same bits: the sources spell out every IEEE operation, -ffp-contract=off forbids others, and
 * lanes are only joined by operations that do not depend on the order (integer sum and maximum, bitwise or).
 * Elsewhere than on x86-64 with GCC or clang there is one copy. By hand, because target_clones needs the GNU loader,
 * and clang 14 accepts but never takes its AVX2 copy.
 */
#ifndef ROPE_CLONES_H
#define ROPE_CLONES_H

#if defined(__GNUC__)
#define ROPE_INLINE static inline __attribute__((always_inline))
#else
#define ROPE_INLINE static inline
#endif

#if defined(__GNUC__) && defined(__x86_64__)

#define ROPE_KERNEL(type, name, parameters, arguments)                                                                 \
    __attribute__((target("avx2,fma"))) static type name##_avx2 parameters {                                           \
        return name##_body arguments;                                                                                  \
    }                                                                                                                  \
    __attribute__((target("avx2,fma,avx512f,avx512dq,avx512bw,avx512vl"))) static type name##_avx512 parameters {      \
        return name##_body arguments;                                                                                  \
    }                                                                                                                  \
    static type name parameters {                                                                                      \
        if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&                                 \
            __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))                                  \
            return name##_avx512 arguments;                                                                            \
        if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return name##_avx2 arguments;             \
        return name##_body arguments;                                                                                  \
    }

#else

#define ROPE_KERNEL(type, name, parameters, arguments)                                                                 \
    static type name parameters {                                                                                      \
        return name##_body arguments;                                                                                  \
    }

#endif
#endif
