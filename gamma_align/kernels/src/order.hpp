// Sort units within their instances; plain kernel: plain/order.py.
#pragma once

#include <algorithm>
#include <tuple>

#include "arrays.hpp"

namespace gamma_align {

inline auto canonical_order(std::int64_t n_instances, Ints instance, Floats start, Floats end, Ints annotator,
                            Ints category) {
    const std::size_t n = instance.size();
    std::vector<std::int64_t> order(n), offsets(static_cast<std::size_t>(n_instances) + 1);
    {
        nb::gil_scoped_release release;
        for (std::size_t row = 0; row < n; ++row) ++offsets[static_cast<std::size_t>(instance.data()[row]) + 1];
        for (std::size_t at = 1; at < offsets.size(); ++at) offsets[at] += offsets[at - 1];
        auto next = offsets;
        for (std::size_t row = 0; row < n; ++row)
            order[static_cast<std::size_t>(next[static_cast<std::size_t>(instance.data()[row])]++)] =
                static_cast<std::int64_t>(row);
        const auto before = [&](std::int64_t one, std::int64_t other) { // equal units keep their order
            return std::tie(start.data()[one], end.data()[one], annotator.data()[one], category.data()[one], one) <
                   std::tie(start.data()[other], end.data()[other], annotator.data()[other], category.data()[other],
                            other);
        };
        for (std::size_t at = 1; at < offsets.size(); ++at) {
            const auto first = order.begin() + offsets[at - 1], last = order.begin() + offsets[at];
            if (!std::is_sorted(first, last, before)) std::sort(first, last, before);
        }
    }
    return nb::make_tuple(to_numpy(std::move(order)), to_numpy(std::move(offsets)));
}

inline void bind_order(nb::module_ &m) {
    m.def("canonical_order", &canonical_order, nb::arg("n_instances"), nb::arg("instance"), nb::arg("start"),
          nb::arg("end"), nb::arg("annotator"), nb::arg("category"));
}

} // namespace gamma_align
