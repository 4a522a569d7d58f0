// Pairs of units of different annotators that are near enough in position; twin: plain/sweep.py.
#pragma once

#include <algorithm>
#include <cmath>
#include <tuple>

#include "arrays.hpp"

namespace gamma_align {

struct NearPairs {
    std::vector<std::int64_t> first, second;
    std::vector<double> ratio;
};

inline double sporadic(double start, double end, double other_start, double other_end) {
    const double apart = std::fabs(start - other_start) + std::fabs(end - other_end);
    if (apart == 0.0) return 0.0;
    const double ratio = apart / ((end - start) + (other_end - other_start)); // infinite without lengths
    return ratio * ratio;
}

inline void bind_sweep(nb::module_ &m) { (void)m; }

} // namespace gamma_align
