// Dual prices of a packing, by coordinate steps over its units; twin: plain/columns.py.
#pragma once

#include <algorithm>

#include "arrays.hpp"

namespace gamma_align {

class DualAscent {
  public:
    DualAscent(std::int64_t n_units, Ints offsets, Ints units, Floats saving)
        : price_(static_cast<std::size_t>(n_units), 0.0), gain_(saving.data(), saving.data() + saving.size()),
          begin_(static_cast<std::size_t>(n_units) + 1, 0), columns_(units.size()) {
        for (std::size_t at = 0; at < units.size(); ++at) ++begin_[static_cast<std::size_t>(units.data()[at]) + 1];
        for (std::size_t u = 0; u + 1 < begin_.size(); ++u) begin_[u + 1] += begin_[u];
        std::vector<std::size_t> place(begin_.begin(), begin_.end() - 1);
        for (std::size_t column = 0; column < gain_.size(); ++column)
            for (std::int64_t at = offsets.data()[column]; at < offsets.data()[column + 1]; ++at)
                columns_[place[static_cast<std::size_t>(units.data()[at])]++] = column;
    }

    // Moves the price of every unit to the middle of its two best choices, or (`tight`) to the least that no column
    // of the unit beats; to stay alone is one of the choices.
    void pass(bool forward, bool tight) {
        const std::size_t n = price_.size();
        for (std::size_t at = 0; at < n; ++at) step(forward ? at : n - 1 - at, tight);
    }

    std::vector<double> price() && { return std::move(price_); }

  private:
    void step(std::size_t u, bool tight) {
        double best = 0.0, second = 0.0;
        for (std::size_t at = begin_[u]; at < begin_[u + 1]; ++at) {
            const double gain = gain_[columns_[at]] + price_[u];
            if (gain > best) {
                second = best;
                best = gain;
            } else if (gain > second) {
                second = gain;
            }
        }
        const double price = tight ? best : 0.5 * (best + second), change = price - price_[u];
        if (change == 0.0) return;
        for (std::size_t at = begin_[u]; at < begin_[u + 1]; ++at) gain_[columns_[at]] -= change;
        price_[u] = price;
    }

    std::vector<double> price_, gain_; // gain: saving less the prices of the units
    std::vector<std::size_t> begin_, columns_; // the columns of each unit
};

inline auto ascend(Ints offsets, Ints units, Floats saving, std::int64_t n_units, std::int64_t passes) {
    std::vector<double> price;
    {
        nb::gil_scoped_release release;
        DualAscent work(n_units, offsets, units, saving);
        for (std::int64_t at = 0; at < passes + 2; ++at) work.pass(at % 2 == 0, at >= passes);
        price = std::move(work).price();
    }
    return to_numpy(std::move(price));
}

inline void bind_ascent(nb::module_ &m) {
    m.def("ascend", &ascend, nb::arg("offsets"), nb::arg("units"), nb::arg("saving"), nb::arg("n_units"),
          nb::arg("passes"));
}

} // namespace gamma_align
