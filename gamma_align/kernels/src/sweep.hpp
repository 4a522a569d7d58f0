// Pairs of units of different annotators that are near in position; plain kernel: plain/columns.py.
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

// The float operations of kernels/position.py, in the same order.
inline double sporadic(double start, double end, double other_start, double other_end) {
    const double apart = std::fabs(start - other_start) + std::fabs(end - other_end);
    if (apart == 0.0) return 0.0;
    const double ratio = apart / ((end - start) + (other_end - other_start)); // infinite without lengths
    return ratio * ratio;
}

class Sweep {
  public:
    Sweep(const std::int64_t *annotator, const double *start, const double *end)
        : annotator_(annotator), start_(start), end_(end) {}

    // Add the pairs of units begin … stop - 1, one instance.
    void add(std::int64_t begin, std::int64_t stop, double most) {
        found_.clear();
        visit(begin, stop, most, [this](std::int64_t first, std::int64_t second, double ratio) {
            found_.push_back({first, second, ratio});
        });
        append(begin, stop);
    }

    // Return the number of pairs that `add` would add.
    std::int64_t count(std::int64_t begin, std::int64_t stop, double most) {
        std::int64_t pairs = 0;
        visit(begin, stop, most, [&pairs](std::int64_t, std::int64_t, double) { ++pairs; });
        return pairs;
    }

    NearPairs pairs;

  private:
    struct Span {
        double low, high;
        std::int64_t unit;
    };
    struct Found {
        std::int64_t first, second;
        double ratio;
    };

    // Closed intervals that overlap if d_pos / Δ < most; the slack covers rounding.
    void dilate(std::int64_t begin, std::int64_t stop, double most) {
        constexpr double slack = 1e-9;
        const bool everything = std::isinf(most);
        const double dilation = std::sqrt(most);
        spans_.clear();
        for (std::int64_t unit = begin; unit < stop; ++unit) {
            const double from = start_[unit] - start_[begin], to = end_[unit] - start_[begin];
            const double middle = (from + to) / 2;
            const double reach = dilation * (to - from) / 2 * (1 + slack) + slack * std::fabs(middle);
            spans_.push_back(everything ? Span{0.0, 0.0, unit} : Span{middle - reach, middle + reach, unit});
        }
        const auto before = [](const Span &a, const Span &b) {
            return std::tie(a.low, a.unit) < std::tie(b.low, b.unit);
        };
        if (!std::is_sorted(spans_.begin(), spans_.end(), before)) std::sort(spans_.begin(), spans_.end(), before);
    }

    // Call a function with the units of each near pair, the lower annotator first, and its ratio.
    template <typename Visit> void visit(std::int64_t begin, std::int64_t stop, double most, Visit &&call) {
        dilate(begin, stop, most);
        for (auto one = spans_.begin(); one != spans_.end(); ++one) {
            for (auto other = one + 1; other != spans_.end() && other->low <= one->high; ++other) {
                std::int64_t first = one->unit, second = other->unit;
                if (annotator_[first] == annotator_[second]) continue;
                if (annotator_[first] > annotator_[second]) std::swap(first, second);
                const double ratio = sporadic(start_[first], end_[first], start_[second], end_[second]);
                if (ratio < most) call(first, second, ratio);
            }
        }
    }

    // Sort the pairs by (first, second): by `first` in one counting pass, then those of each `first` by comparison.
    void append(std::int64_t begin, std::int64_t stop) {
        place_.assign(static_cast<std::size_t>(stop - begin) + 1, 0);
        for (const Found &pair : found_) ++place_[pair.first - begin + 1];
        for (std::size_t at = 1; at < place_.size(); ++at) place_[at] += place_[at - 1];
        sorted_.resize(found_.size());
        for (const Found &pair : found_) sorted_[place_[pair.first - begin]++] = pair;
        std::size_t from = 0;
        for (std::int64_t unit = begin; unit < stop; ++unit) {
            const std::size_t to = place_[unit - begin];
            std::sort(sorted_.begin() + from, sorted_.begin() + to,
                      [](const Found &a, const Found &b) { return a.second < b.second; });
            from = to;
        }
        for (const Found &pair : sorted_) {
            pairs.first.push_back(pair.first);
            pairs.second.push_back(pair.second);
            pairs.ratio.push_back(pair.ratio);
        }
    }

    const std::int64_t *annotator_;
    const double *start_, *end_;
    std::vector<Span> spans_;
    std::vector<Found> found_, sorted_;
    std::vector<std::size_t> place_;
};

inline void bind_sweep(nb::module_ &m) {
    m.def("count_near", [](Ints offsets, Ints annotator, Floats start, Floats end, Floats most) {
        std::vector<std::int64_t> counts(most.size(), 0);
        {
            nb::gil_scoped_release release;
            Sweep sweep(annotator.data(), start.data(), end.data());
            for (std::size_t at = 0; at + 1 < offsets.size(); ++at) {
                if (offsets.data()[at] < offsets.data()[at + 1]) {
                    counts[at] = sweep.count(offsets.data()[at], offsets.data()[at + 1], most.data()[at]);
                }
            }
        }
        return to_numpy(std::move(counts));
    });
    m.def("sweep", [](Ints offsets, Ints annotator, Floats start, Floats end, Floats most) {
        Sweep sweep(annotator.data(), start.data(), end.data());
        {
            nb::gil_scoped_release release;
            for (std::size_t at = 0; at + 1 < offsets.size(); ++at) {
                if (offsets.data()[at] < offsets.data()[at + 1]) {
                    sweep.add(offsets.data()[at], offsets.data()[at + 1], most.data()[at]);
                }
            }
        }
        NearPairs &pairs = sweep.pairs;
        return nb::make_tuple(to_numpy(std::move(pairs.first)), to_numpy(std::move(pairs.second)),
                              to_numpy(std::move(pairs.ratio)));
    });
}

} // namespace gamma_align
