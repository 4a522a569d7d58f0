// The categorial disorder of the overlapping units of two shifted rows, by offset; plain kernel: plain/ratios.py.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "arrays.hpp"
#include "turns.hpp"

namespace gamma_align {

// Two rows, and the offsets that they are compared at.
struct RatioGroup {
    std::int64_t first_begin, first_end, second_begin, second_end, n_offsets;
    double last; // what the last offset counts in sums, beside 1 of the others
};

class OverlapRatios {
  public:
    OverlapRatios(const double *start, const double *length, const std::int64_t *label, const double *categorial,
                  std::int64_t n_labels, double span, double begin, double step, double factor)
        : start_(start), length_(length), label_(label), categorial_(categorial), n_labels_(n_labels), span_(span),
          begin_(begin), step_(step), factor_(factor), reach_(std::sqrt((1.0 - kMinConfidence) / factor)),
          ratio_(static_cast<std::size_t>(n_labels + 1)) {}

    // Add Σ count · ratio and Σ count of all pairs and of each label to `sums`; and write the ratios at the offsets of
    // points, which are sorted by offset and given with the index of their row.
    void run(const RatioGroup &group, const std::vector<std::pair<std::int64_t, std::size_t>> &points, double *ratios,
             double *sums) {
        list_overlaps(group);
        auto point = points.begin();
        for (std::int64_t at = 0; at < group.n_offsets; ++at) {
            const double count = at + 1 < group.n_offsets ? 1.0 : group.last;
            find_ratios(at == 0 ? 0 : end_[at - 1], end_[at]);
            for (const Index row : rows_) {
                Ratio &ratio = ratio_[row];
                ratio.value = ratio.distance / ratio.weight;
                sums[2 * row] += count * ratio.value;
                sums[2 * row + 1] += count;
            }
            for (; point != points.end() && point->first == at; ++point)
                for (const Index row : rows_) ratios[point->second * ratio_.size() + row] = ratio_[row].value;
        }
    }

  private:
    struct Overlap {
        double confidence;
        Index label, other;
    };

    struct Ratio {
        double weight = 0.0, distance = 0.0, value = 0.0;
    };

    // Two units whose starts are `base` apart at offset 0, and the offsets from begin to end at which they overlap on
    // the circle.
    struct Meeting {
        double base, shift, scale;
        Index begin, end, label, other;
    };

    // List the overlaps of each offset: those of an offset end at `end_` of it.
    void list_overlaps(const RatioGroup &group) {
        meetings_.clear();
        end_.assign(static_cast<std::size_t>(group.n_offsets) + 1, 0);
        for (std::int64_t u = group.first_begin; u < group.first_end; ++u)
            for (std::int64_t v = group.second_begin; v < group.second_end; ++v) add_meetings(u, v, group.n_offsets);
        // So far, the changes of the number of overlaps; then the numbers, and then the sums of those before.
        Index number = 0, before = 0;
        for (Index &end : end_) {
            number += end;
            end = before;
            before += number;
        }
        overlaps_.resize(static_cast<std::size_t>(before));
        for (const Meeting &pair : meetings_) {
            for (Index at = pair.begin; at < pair.end; ++at) {
                const double between = pair.base + static_cast<double>(at) * step_;
                const double ratio = (std::fabs(between) + std::fabs(between + pair.shift)) * pair.scale;
                const double confidence = 1.0 - factor_ * (ratio * ratio);
                overlaps_[end_[at]++] = {confidence > kMinConfidence ? confidence : 0.0, pair.label, pair.other};
            }
        }
    }

    void add_meetings(std::int64_t u, std::int64_t v, std::int64_t n_offsets) {
        const double total = length_[u] + length_[v], shift = length_[v] - length_[u], width = reach_ * total;
        const bool are_points = total == 0.0; // they overlap if they coincide
        if (!(width > std::fabs(shift)) && !are_points) return;
        const double least = -(shift + width) / 2.0, most = (width - shift) / 2.0;
        const double apart = start_[v] - start_[u] + begin_, last = static_cast<double>(n_offsets - 1);
        double turn = 0.0; // the first at which they overlap at some offset from the first one on
        while (apart - turn * span_ > most) turn += 1.0;
        while (apart - (turn - 1.0) * span_ <= most) turn -= 1.0;
        for (;; turn += 1.0) {
            const double base = apart - turn * span_;
            const double low = (least - base) / step_, high = std::min((most - base) / step_, last);
            if (low > last) break;
            // Rounded up and down: both are at least 0, and casts are faster than functions.
            auto begin = static_cast<Index>(std::max(low, 0.0));
            begin += static_cast<double>(begin) < low;
            const Index end = static_cast<Index>(high) + 1;
            if (begin >= end) continue;
            ++end_[begin];
            --end_[end];
            meetings_.push_back({base, shift, are_points ? 1.0 : 1.0 / total, begin, end, static_cast<Index>(label_[u]),
                                 static_cast<Index>(label_[v])});
        }
    }

    // Add up the overlaps from begin to end, and list the rows of their ratios.
    void find_ratios(Index begin, Index end) {
        for (const Index row : rows_) ratio_[row] = {};
        rows_.clear();
        for (Index i = begin; i < end; ++i) {
            const Overlap &pair = overlaps_[i];
            if (!(pair.confidence > 0.0)) continue;
            const double distance = pair.confidence * categorial_[pair.label * n_labels_ + pair.other];
            add(0, pair.confidence, distance);
            add(pair.label + 1, pair.confidence, distance);
            if (pair.other != pair.label) add(pair.other + 1, pair.confidence, distance);
        }
    }

    void add(Index row, double confidence, double distance) {
        Ratio &ratio = ratio_[row];
        if (ratio.weight == 0.0) rows_.push_back(row);
        ratio.weight += confidence;
        ratio.distance += distance;
    }

    const double *start_, *length_;
    const std::int64_t *label_;
    const double *categorial_;
    const std::int64_t n_labels_;
    const double span_, begin_, step_, factor_, reach_;
    std::vector<Meeting> meetings_;
    std::vector<Overlap> overlaps_; // by offset
    std::vector<Index> end_;
    std::vector<Ratio> ratio_; // at an offset: of all pairs, and of each label
    std::vector<Index> rows_;  // those of `ratio_` with a pair
};

inline auto overlap_ratios(Ints rows, Floats last, Ints group, Ints at, Floats start, Floats length, Ints label,
                           Floats categorial, std::int64_t n_labels, double span, double begin, double step,
                           double factor) {
    const std::size_t n_groups = last.size(), width = static_cast<std::size_t>(n_labels + 1);
    std::vector<double> ratios(group.size() * width, std::numeric_limits<double>::quiet_NaN());
    std::vector<double> sums(2 * n_groups * width, 0.0);
    {
        nb::gil_scoped_release release;
        OverlapRatios kernel(start.data(), length.data(), label.data(), categorial.data(), n_labels, span, begin, step,
                             factor);
        std::vector<std::vector<std::pair<std::int64_t, std::size_t>>> points(n_groups);
        for (std::size_t i = 0; i < group.size(); ++i) points[group.data()[i]].emplace_back(at.data()[i], i);
        for (std::size_t g = 0; g < n_groups; ++g) {
            const std::int64_t *row = rows.data() + 5 * g;
            std::sort(points[g].begin(), points[g].end());
            kernel.run({row[0], row[1], row[2], row[3], row[4], last.data()[g]}, points[g], ratios.data(),
                       sums.data() + 2 * g * width);
        }
    }
    return nb::make_tuple(to_numpy(std::move(ratios), width), to_numpy(std::move(sums), 2));
}

inline void bind_ratios(nb::module_ &m) {
    m.def("overlap_ratios", &overlap_ratios, nb::arg("rows"), nb::arg("last"), nb::arg("group"), nb::arg("at"),
          nb::arg("start"), nb::arg("length"), nb::arg("label"), nb::arg("categorial"), nb::arg("n_labels"),
          nb::arg("span"), nb::arg("begin"), nb::arg("step"), nb::arg("factor"));
}

} // namespace gamma_align
