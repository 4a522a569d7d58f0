// The compiled kernels. Each has a plain twin of the same name in gamma_align/kernels/plain, which documents it.
#include "sweep.hpp"

NB_MODULE(_native, m) {
    m.doc() = "Compiled kernels; see gamma_align.kernels.";
    gamma_align::bind_sweep(m);
}
