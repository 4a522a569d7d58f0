// Parts: units connected by columns, directly or through other units; plain kernel: plain/columns.py.
#pragma once

#include <algorithm>

#include "arrays.hpp"

namespace gamma_align {

inline std::int64_t root_of(std::vector<std::int64_t> &above, std::int64_t unit) {
    while (above[static_cast<std::size_t>(unit)] != unit) {
        auto &up = above[static_cast<std::size_t>(unit)];
        up = above[static_cast<std::size_t>(up)];
        unit = up;
    }
    return unit;
}

inline auto linked(Ints offsets, Ints units, std::int64_t n_units) {
    std::vector<std::int64_t> label(static_cast<std::size_t>(n_units));
    {
        nb::gil_scoped_release release;
        std::vector<std::int64_t> above(static_cast<std::size_t>(n_units));
        for (std::int64_t u = 0; u < n_units; ++u) above[static_cast<std::size_t>(u)] = u;
        for (std::size_t column = 0; column + 1 < offsets.size(); ++column) {
            const std::int64_t low = offsets.data()[column], high = offsets.data()[column + 1];
            for (std::int64_t at = low + 1; at < high; ++at) {
                const std::int64_t one = root_of(above, units.data()[low]), other = root_of(above, units.data()[at]);
                above[static_cast<std::size_t>(std::max(one, other))] = std::min(one, other);
            }
        }
        std::int64_t count = 0; // a root is the lowest unit of its part
        for (std::int64_t u = 0; u < n_units; ++u) {
            const std::int64_t root = root_of(above, u);
            label[static_cast<std::size_t>(u)] = root == u ? count++ : label[static_cast<std::size_t>(root)];
        }
    }
    return to_numpy(std::move(label));
}

inline void bind_linked(nb::module_ &m) {
    m.def("linked", &linked, nb::arg("offsets"), nb::arg("units"), nb::arg("n_units"));
}

} // namespace gamma_align
