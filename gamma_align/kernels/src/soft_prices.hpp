// Soft prices of a packing, by coordinate steps over its units; plain kernel: plain/soft_prices.py.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "arrays.hpp"

namespace gamma_align {

// e^x to about seven digits, between e^-700 and e^700. Without library functions and branches, so that the bits are the
// same on every machine and the compiler can compute several values at a time.
inline double exponential(double x) {
    constexpr double shift = 6755399441055744.0; // 1.5 · 2^52: the low bits of x + shift are the nearest integer to x
    x = x > -700.0 ? x : -700.0;
    x = x < 700.0 ? x : 700.0;
    const double shifted = x * 1.4426950408889634 + shift, n = shifted - shift;
    const double r = x - n * 0.6931471805599453;
    const double p =
        1.0 + r * (1.0 + r * (0.5 + r * (1.0 / 6 + r * (1.0 / 24 + r * (1.0 / 120 + r * (1.0 / 720))))));
    std::uint64_t bits;
    std::memcpy(&bits, &shifted, sizeof bits);
    bits = (bits + 1023) << 52;
    double power;
    std::memcpy(&power, &bits, sizeof power);
    return p * power;
}

// log x for normal numbers x > 0, in the same way.
inline double logarithm(double x) {
    constexpr std::uint64_t mantissa = (std::uint64_t{1} << 52) - 1, half = std::uint64_t{1022} << 52;
    std::uint64_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    std::int64_t exponent = static_cast<std::int64_t>(bits >> 52) - 1022;
    bits = (bits & mantissa) | half; // x = m · 2^exponent, 1/2 <= m < 1
    double m;
    std::memcpy(&m, &bits, sizeof m);
    if (m < 0.7071067811865476) {
        m *= 2.0;
        --exponent;
    }
    const double z = (m - 1.0) / (m + 1.0), w = z * z;
    const double series = 1.0 + w * (1.0 / 3 + w * (1.0 / 5 + w * (1.0 / 7 + w * (1.0 / 9))));
    return static_cast<double>(exponent) * 0.6931471805599453 + 2.0 * z * series;
}

class SoftPrices {
  public:
    SoftPrices(std::vector<double> price, Ints offsets, Ints units, Floats saving)
        : offsets_(offsets.data()), units_(units.data()), saving_(saving.data()), price_(std::move(price)),
          gain_(saving.data(), saving.data() + saving.size()), begin_(price_.size() + 1, 0),
          columns_(units.size()) {
        for (std::size_t at = 0; at < units.size(); ++at) ++begin_[static_cast<std::size_t>(units.data()[at]) + 1];
        for (std::size_t u = 0; u + 1 < begin_.size(); ++u) begin_[u + 1] += begin_[u];
        std::vector<std::size_t> place(begin_.begin(), begin_.end() - 1);
        for (std::size_t column = 0; column < gain_.size(); ++column) {
            const std::int64_t size = offsets.data()[column + 1] - offsets.data()[column];
            greatest_size_ = std::max(greatest_size_, static_cast<double>(size));
            for (std::int64_t at = offsets.data()[column]; at < offsets.data()[column + 1]; ++at)
                columns_[place[static_cast<std::size_t>(units.data()[at])]++] = static_cast<std::uint32_t>(column);
        }
    }

    // Alternating passes over the smoothed dual; the width of the smoothing is multiplied by `ratio` after each step.
    // The first step starts with prices that no column beats, so that few columns are active in it.
    void soften(double width, double ratio, std::int64_t steps) {
        settle(2);
        for (std::int64_t at = 0; at < steps; ++at, width *= ratio) {
            const double least = -std::max(LEAST_NEAR, 4.0 * width); // columns that gain less are skipped
            gather(least, at % EVERY == 0);
            soft_step(width);
        }
        settle(3);
    }

    // Change the prices to prices that no column beats, by alternating tight passes: each moves the price of every unit
    // to the lowest price that none of its columns beats.
    void settle(std::int64_t passes) {
        exact();
        const std::size_t n = price_.size();
        for (std::int64_t pass = 0; pass < passes; ++pass)
            for (std::size_t at = 0; at < n; ++at) tighten(pass % 2 == 0 ? at : n - 1 - at);
    }

    std::vector<double> price() && { return std::move(price_); }

  private:
    static constexpr std::int64_t EVERY = 4, PASSES = 8;
    static constexpr double LEAST_NEAR = 0.02, ROOM = 0.4, ROUNDING = 1e-6, TINY = 1e-300, HUGE_VALUE = 1e300;

    double gain_now(std::size_t column) const {
        double gain = saving_[column];
        for (std::int64_t at = offsets_[column]; at < offsets_[column + 1]; ++at)
            gain -= price_[static_cast<std::size_t>(units_[at])];
        return gain;
    }

    void exact() {
        for (std::size_t column = 0; column < gain_.size(); ++column)
            gain_[column] = gain_now(column);
    }

    // List for each unit the columns that gain more than `least`: of all columns if `widely`, otherwise of those that
    // did so in the step before. A column that was far below the threshold when all columns were computed is skipped if
    // prices have not fallen far enough since then to bring it back.
    void gather(double least, bool widely) {
        if (widely) {
            widen(least);
            taken_ = wide_;
        }
        std::size_t kept = 0;
        for (const std::uint32_t column : taken_) {
            if (!widely) gain_[column] = gain_now(column);
            taken_[kept] = column;
            kept += gain_[column] > least;
        }
        taken_.resize(kept);
        near_begin_.assign(price_.size() + 1, 0);
        for (const std::uint32_t column : taken_)
            for (std::int64_t at = offsets_[column]; at < offsets_[column + 1]; ++at)
                ++near_begin_[static_cast<std::size_t>(units_[at]) + 1];
        for (std::size_t u = 0; u < price_.size(); ++u) near_begin_[u + 1] += near_begin_[u];
        near_.resize(near_begin_.back());
        place_.assign(near_begin_.begin(), near_begin_.end() - 1);
        for (std::size_t at = 0; at < kept; ++at)
            for (std::int64_t of = offsets_[taken_[at]]; of < offsets_[taken_[at] + 1]; ++of)
                near_[place_[static_cast<std::size_t>(units_[of])]++] = static_cast<std::uint32_t>(at);
    }

    // Compute the gains of the columns that may become active, and keep those near enough to be so soon.
    void widen(double least) {
        const double far = looked_at_.empty() ? 0.0 : far_ + greatest_size_ * fallen() + ROUNDING;
        const bool all = looked_at_.empty() || far > least;
        if (all) {
            wide_.resize(gain_.size());
            std::iota(wide_.begin(), wide_.end(), std::uint32_t{0});
        }
        looked_at_ = price_;
        far_ = all ? least - ROOM : std::max(far, least - ROOM);
        std::size_t next = 0;
        for (const std::uint32_t column : wide_) {
            gain_[column] = gain_now(column);
            wide_[next] = column;
            next += gain_[column] > far_;
        }
        wide_.resize(next);
    }

    // The greatest fall of a price since all columns were computed.
    double fallen() const {
        double most = 0.0;
        for (std::size_t u = 0; u < price_.size(); ++u) most = std::max(most, looked_at_[u] - price_[u]);
        return most;
    }

    // Alternating passes at one width. The weight of a column is e^(gain / width), that of a unit alone e^(-price /
    // width). The best price of a unit divides its weights by their sum; no exponential is computed until the next step.
    void soft_step(double width) {
        const double by = 1.0 / width;
        const std::size_t n = price_.size();
        weight_.resize(taken_.size());
        for (std::size_t at = 0; at < taken_.size(); ++at) weight_[at] = exponential(gain_[taken_[at]] * by);
        live_.clear();
        for (std::size_t u = 0; u < n; ++u) {
            if (near_begin_[u] < near_begin_[u + 1])
                live_.push_back(static_cast<std::uint32_t>(u));
            else
                price_[u] = 0.0;
        }
        alone_.resize(live_.size());
        factor_.assign(live_.size(), 1.0);
        for (std::size_t at = 0; at < live_.size(); ++at) alone_[at] = exponential(-price_[live_[at]] * by);
        for (std::int64_t pass = 0; pass < PASSES; ++pass)
            for (std::size_t at = 0; at < live_.size(); ++at) scale(pass % 2 == 0 ? at : live_.size() - 1 - at);
        for (std::size_t at = 0; at < live_.size(); ++at) {
            const double factor = std::min(std::max(factor_[at], TINY), HUGE_VALUE);
            const double price = price_[live_[at]] - width * logarithm(factor);
            price_[live_[at]] = price > 0.0 ? price : 0.0;
        }
    }

    // Divide the weights of a unit by their sum, which is added in four parts: these do not wait for each other.
    void scale(std::size_t at) {
        const std::size_t u = live_[at], end = near_begin_[u + 1];
        double s0 = alone_[at], s1 = 0.0, s2 = 0.0, s3 = 0.0;
        std::size_t i = near_begin_[u];
        for (; i + 4 <= end; i += 4) {
            s0 += weight_[near_[i]];
            s1 += weight_[near_[i + 1]];
            s2 += weight_[near_[i + 2]];
            s3 += weight_[near_[i + 3]];
        }
        for (; i < end; ++i) s0 += weight_[near_[i]];
        const double factor = 1.0 / std::max((s0 + s1) + (s2 + s3), TINY);
        alone_[at] *= factor;
        factor_[at] *= factor;
        for (i = near_begin_[u]; i < end; ++i) weight_[near_[i]] *= factor;
    }

    void tighten(std::size_t u) {
        double best = 0.0;
        for (std::size_t at = begin_[u]; at < begin_[u + 1]; ++at)
            best = std::max(best, gain_[columns_[at]] + price_[u]);
        const double change = best - price_[u];
        if (change == 0.0) return;
        for (std::size_t at = begin_[u]; at < begin_[u + 1]; ++at) gain_[columns_[at]] -= change;
        price_[u] = best;
    }

    const std::int64_t *offsets_, *units_;
    const double *saving_;
    std::vector<double> price_, gain_; // gain: saving minus the prices of the units
    std::vector<std::size_t> begin_, near_begin_, place_;
    std::vector<std::uint32_t> columns_, near_; // of each unit: all columns, and indices of the active ones
    std::vector<std::uint32_t> wide_, taken_;   // columns that may become active, active columns
    std::vector<std::uint32_t> live_;           // units with active columns
    std::vector<double> weight_, alone_, factor_; // of active columns, of units alone, and by what these were multiplied
    std::vector<double> looked_at_;             // prices when all columns were computed
    double far_ = 0.0, greatest_size_ = 0.0;    // greatest gain, then, of columns outside `wide_`
};

inline auto soften(Ints offsets, Ints units, Floats saving, Floats start, double width, double ratio,
                   std::int64_t steps) {
    std::vector<double> price;
    {
        nb::gil_scoped_release release;
        SoftPrices work({start.data(), start.data() + start.size()}, offsets, units, saving);
        work.soften(width, ratio, steps);
        price = std::move(work).price();
    }
    return to_numpy(std::move(price));
}

inline void bind_soft_prices(nb::module_ &m) {
    m.def("soften", &soften, nb::arg("offsets"), nb::arg("units"), nb::arg("saving"), nb::arg("start"),
          nb::arg("width"), nb::arg("ratio"), nb::arg("steps"));
}

} // namespace gamma_align
