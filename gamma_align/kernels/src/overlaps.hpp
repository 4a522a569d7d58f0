// Sums over the units that overlap by chance in shift samples; plain kernel: plain/overlaps.py.
#pragma once

#include <algorithm>
#include <cmath>

#include "arrays.hpp"

namespace gamma_align {

struct Below {
    double mass, mean; // P(gap < x) and E[gap; gap < x]
};

// Distribution of the gap between two rows. Same float operations as the plain kernel, in the same order.
class GapLaw {
  public:
    GapLaw(std::int64_t n_rows, double span, double distance, double free, bool integer)
        : n_rows_(n_rows), span_(span), distance_(distance), free_(free), trials_(static_cast<double>(n_rows) - 1.0),
          items_(free + trials_), mean_(mean_gap(n_rows, span, distance, free, integer)), integer_(integer) {}

    static double mean_gap(std::int64_t n_rows, double span, double distance, double free, bool integer) {
        return (integer ? static_cast<double>(n_rows) * distance + free : span) / 2.0;
    }

    Below between(double low, double high) {
        if (!(low < high && high > 0 && low <= span_)) return {0.0, 0.0};
        const Below first = below(low), second = below(high);
        return {second.mass - first.mass, second.mean - first.mean};
    }

  private:
    Below below(double x) {
        if (x <= 0) return {0.0, 0.0};
        if (x > span_) return {1.0, mean_}; // a real gap may equal the span if the minimum distance is 0
        if (x == last_x_) return last_;           // two pieces may share the bound x
        last_x_ = x;
        last_ = {0.0, 0.0};
        if (n_rows_ == 2) return last_ = below_of_two(x - distance_);
        const double n = static_cast<double>(n_rows_);
        for (std::int64_t k = 1; k < n_rows_; ++k) {
            const double spaces = static_cast<double>(k), y = x - spaces * distance_;
            if (y <= 0) break;
            const Below one = below_one(k, y);
            last_.mass += one.mass;
            last_.mean += spaces * distance_ * one.mass + free_ * spaces / n * one.mean;
        }
        last_.mass /= trials_;
        last_.mean /= trials_;
        return last_;
    }

    // The same of two rows, between which there is one space: the loops have one term at most, and the same bits.
    Below below_of_two(double y) const {
        if (y <= 0) return {0.0, 0.0};
        const double reached = integer_ ? y - 1.0 : y;
        Below one{1.0, 1.0};
        if (reached < free_) {
            const double share = reached / free_, rest = 1.0 - share;
            double mass, at;
            if (!integer_) {
                const bool swap = share > 0.5;
                at = swap ? share : rest * (share / rest);
                mass = swap ? share : 1.0 - rest;
            } else {
                const bool swap = y > items_ / 2.0;
                const double successes = swap ? items_ - y : y, none = (items_ - successes) / items_;
                at = swap ? none : none * (successes / (free_ - successes + 1.0));
                mass = swap ? none : 1.0 - none;
            }
            one = {mass, mass - at * rest};
        }
        return {one.mass, distance_ * one.mass + free_ / 2.0 * one.mean};
    }

    // P(X < y) and E[X; X < y] / E[X] in which X is the sum of k spaces less k minimum distances, y > 0.
    Below below_one(std::int64_t k, double y) {
        const double reached = integer_ ? y - 1.0 : y;
        if (!(reached < free_)) return {1.0, 1.0};
        const double share = reached / free_;
        double successes = integer_ ? reached + static_cast<double>(k) : 0.0;
        const bool swap = integer_ ? successes > items_ / 2.0 : share > 0.5; // count failures if they are rarer
        if (swap) successes = items_ - successes;
        const double yes = swap ? 1.0 - share : share, no = swap ? share : 1.0 - share;
        const std::int64_t steps = swap ? n_rows_ - 1 - k : k;
        const Terms found = integer_ ? hypergeometric(steps, successes) : binomial(steps, yes, no);
        const double mass = swap ? found.before + found.at : 1.0 - found.before;
        return {mass, mass - found.at * (1.0 - share)};
    }

    struct Terms {
        double before, at; // P(J < steps) and P(J = steps)
    };

    Terms binomial(std::int64_t steps, double yes, double no) const {
        double term = 1.0, before = 0.0;
        for (std::int64_t i = 0; i < n_rows_ - 1; ++i) term *= no;
        for (std::int64_t j = 0; j < steps; ++j) {
            const double number = static_cast<double>(j);
            before += term;
            term *= ((trials_ - number) * yes) / ((number + 1.0) * no);
        }
        return {before, term};
    }

    Terms hypergeometric(std::int64_t steps, double successes) const {
        const double surplus = free_ - successes; // if negative, J is at least -surplus
        const bool crowded = surplus < 0;
        const auto factors = static_cast<std::int64_t>(crowded ? free_ : trials_);
        double term = 1.0, before = 0.0;
        for (std::int64_t i = 0; i < factors; ++i) {
            const double number = static_cast<double>(i);
            term *= (crowded ? successes - number : items_ - successes - number) / (items_ - number);
        }
        for (std::int64_t j = crowded ? static_cast<std::int64_t>(-surplus) : 0; j < steps; ++j) {
            const double number = static_cast<double>(j);
            before += term;
            term *= ((trials_ - number) * (successes - number)) / ((number + 1.0) * (surplus + number + 1.0));
        }
        return {before, term};
    }

    const std::int64_t n_rows_;
    const double span_, distance_, free_, trials_, items_, mean_;
    const bool integer_;
    double last_x_ = -1.0;
    Below last_{0.0, 0.0};
};

class ShiftOverlaps {
  public:
    static constexpr double min_chance = 1e-13; // rounding reaches 1e-14

    ShiftOverlaps(std::int64_t n_rows, double span, double distance, double free, bool integer, double reach)
        : law_(n_rows, span, distance, free, integer), span_(span), reach_(reach), integer_(integer) {}

    double chance(double place, double length, double other_place, double other_length) {
        if (span_ == 0) return 1.0; // all units are one point
        find_region(place, length, other_place, other_length);
        const double below_low = std::min(low_, 0.0), below_high = std::min(high_, 0.0);
        const double above_low = std::max(low_, 0.0), above_high = std::max(high_, 0.0);
        double chance = ahead(0.0, above_low, above_high);
        chance += behind(1.0, below_low, below_high);
        chance += ahead(1.0, above_low, above_high);
        chance += behind(2.0, below_low, below_high);
        return chance > min_chance ? chance : 0.0;
    }

  private:
    // The difference of the starts, from 0 to the span, and the Δstart of overlapping units: [low, high).
    void find_region(double place, double length, double other_place, double other_length) {
        const double whole = integer_ ? std::floor(place) : place;
        const double other_whole = integer_ ? std::floor(other_place) : other_place;
        const double shift = (other_place - other_whole) - (place - whole);
        base_ = other_whole - whole;
        if (base_ < 0) base_ += span_;
        const double total = length + other_length, difference = other_length - length;
        const double width = reach_ * total;
        low_ = high_ = 0.0;
        if (width > std::fabs(difference)) {
            low_ = -(difference + width) / 2;
            high_ = (width - difference) / 2;
            if (integer_) {
                low_ = std::floor(low_ - shift) + 1;
                high_ = std::ceil(high_ - shift);
            }
        } else if (total == 0 && integer_ && shift == 0) { // of probability 0 for real offsets
            high_ = 1.0;
        }
        low_ = std::max(low_, -span_);
        high_ = std::min(high_, span_);
    }

    // Probability of low ≤ Δ < high for bounds ≥ 0; Δ = base + gap, less the span for each unit that wrapped.
    double ahead(double wraps, double low, double high) {
        const double base = base_ - wraps * span_;
        const Below between = law_.between(low - base, high - base);
        return (1.0 - base / span_) * between.mass - between.mean / span_;
    }

    // The same for bounds ≤ 0.
    double behind(double wraps, double low, double high) {
        const double base = base_ - wraps * span_;
        const Below between = law_.between(low - base, high - base);
        return (1.0 + base / span_) * between.mass + between.mean / span_;
    }

    GapLaw law_;
    const double span_, reach_;
    const bool integer_;
    double base_ = 0.0, low_ = 0.0, high_ = 0.0;
};

// The units of a document, and the chances of one of them to overlap with each from it on.
//
// Of two rows, all chances are computed by the same float operations as above, but in loops without branches: branches
// cannot be predicted here, and keep the compiler from vectorising. Units so near each other that they overlap at the
// least or largest gaps take `ShiftOverlaps::chance`.
class ChancesOfUnits {
  public:
    ChancesOfUnits(std::int64_t n_rows, double span, double distance, double free, bool integer, double reach)
        : overlaps_(n_rows, span, distance, free, integer, reach), span_(span), distance_(distance), free_(free),
          reach_(reach), integer_(integer), in_loops_(n_rows == 2 && span > 0 && span < max_rounded) {}

    void set_units(const double *place, const double *length, std::size_t n) {
        place_ = place, length_ = length;
        whole_.resize(n), part_.resize(n), ratio_.resize(n), chance_.resize(n), nearness_.assign(n, 0.0);
        gap_.resize(3 * n), mass_.resize(3 * n), mean_.resize(3 * n);
        for (std::size_t i = 0; i < n; ++i) {
            whole_[i] = integer_ ? std::floor(place[i]) : place[i];
            part_[i] = place[i] - whole_[i];
        }
    }

    // The chances of unit u and of each unit from u on.
    const double *from(std::size_t u) {
        const std::size_t n = chance_.size() - u;
        if (in_loops_) integer_ ? compute<true>(u, n) : compute<false>(u, n);
        for (std::size_t i = 0; i < n; ++i)
            if (nearness_[i] >= 0.0)
                chance_[i] = overlaps_.chance(place_[u], length_[u], place_[u + i], length_[u + i]);
        return chance_.data();
    }

  private:
    static constexpr double max_rounded = 281474976710656.0; // 2^48 as a span: what `floored` takes is below 2^51

    static double floored(double x) { // an instruction for it is not in every processor
        constexpr double magic = 6755399441055744.0; // 1.5 · 2^52: its sum with x has no bits below 1
        const double nearest = (x + magic) - magic;
        return nearest - (nearest > x ? 1.0 : 0.0);
    }

    template <bool integer> void compute(std::size_t u, std::size_t n) {
        double *const gap = gap_.data();
        find_gaps<integer>(n, whole_.data() + u, part_.data() + u, length_ + u, gap, gap + n, gap + 2 * n,
                           ratio_.data(), nearness_.data());
        find_below<integer>(3 * n);
        combine(n);
    }

    // The gaps at which the first of n units begins to overlap with each, has the same start, and ends to overlap.
    // Pointers are restricted: a compiler does not check eight of them for overlaps at run time.
    template <bool integer>
    void find_gaps(std::size_t n, const double *__restrict whole, const double *__restrict part,
                   const double *__restrict length, double *__restrict low_gap, double *__restrict gap,
                   double *__restrict high_gap, double *__restrict ratio, double *__restrict nearness) const {
        const double span = span_, reach = reach_, whole_0 = whole[0], part_0 = part[0], length_0 = length[0];
        for (std::size_t i = 0; i < n; ++i) {
            double base = whole[i] - whole_0;
            base += base < 0 ? span : 0.0;
            const double total = length_0 + length[i], difference = length[i] - length_0, width = reach * total;
            double low = -(difference + width) / 2, high = (width - difference) / 2, point = 0.0;
            if (integer) {
                const double shift = part[i] - part_0;
                low = floored(low - shift) + 1;
                high = -floored(shift - high);
                point = std::fabs(total) + std::fabs(shift) == 0 ? 1.0 : 0.0;
            }
            const double overlaps = width > std::fabs(difference) ? 1.0 : 0.0;
            low = std::max(low * overlaps, -span);
            high = std::min(high * overlaps + point * (1.0 - overlaps), span);
            const double ahead = base - span;
            low_gap[i] = low - ahead;
            gap[i] = std::min(std::max(low, 0.0), high) - ahead;
            high_gap[i] = high - ahead;
            ratio[i] = ahead / span;
            const double at_least = high - base, at_most = span - (low - (base - 2.0 * span));
            nearness[i] = std::max(at_least, at_most);
        }
    }

    // `GapLaw::below` of two rows for each of n gaps.
    template <bool integer> void find_below(std::size_t n) {
        const double *const gap = gap_.data();
        double *const masses = mass_.data(), *const means = mean_.data();
        const double span = span_, distance = distance_, free = free_, items = free + 1.0;
        const double mean_gap = GapLaw::mean_gap(2, span, distance, free, integer);
        for (std::size_t i = 0; i < n; ++i) {
            const double x = gap[i], y = x - distance, reached = integer ? y - 1.0 : y;
            const double share = reached / free, rest = 1.0 - share;
            double mass, at;
            if (integer) {
                const double successes = y > items / 2.0 ? items - y : y, none = (items - successes) / items;
                at = y > items / 2.0 ? none : none * (successes / (free - successes + 1.0));
                mass = y > items / 2.0 ? none : 1.0 - none;
            } else {
                at = share > 0.5 ? share : rest * (share / rest);
                mass = share > 0.5 ? share : 1.0 - rest;
            }
            double mean = mass - at * rest;
            mass = reached < free ? mass : 1.0;
            mean = reached < free ? mean : 1.0;
            mean = distance * mass + free / 2.0 * mean;
            const double least = x < y ? x : y; // both have to be above 0
            mass = least > 0 ? mass : 0.0;
            mean = least > 0 ? mean : 0.0;
            masses[i] = x > span ? 1.0 : mass;
            means[i] = x > span ? mean_gap : mean;
        }
    }

    // The chance of the first of n units to overlap with each.
    void combine(std::size_t n) {
        const double *const gap = gap_.data(), *const mass = mass_.data(), *const mean = mean_.data();
        const double *const ratio = ratio_.data(), span = span_;
        double *const chances = chance_.data();
        for (std::size_t i = 0; i < n; ++i) {
            const double low = gap[i], middle = gap[n + i], high = gap[2 * n + i];
            const double mass_middle = mass[n + i], mean_middle = mean[n + i];
            double behind = (1.0 + ratio[i]) * (mass_middle - mass[i]) + (mean_middle - mean[i]) / span;
            double after = (1.0 - ratio[i]) * (mass[2 * n + i] - mass_middle) - (mean[2 * n + i] - mean_middle) / span;
            behind = low < middle ? behind : 0.0, after = middle < high ? after : 0.0;
            behind = middle > 0 ? behind : 0.0, after = high > 0 ? after : 0.0;
            behind = low <= span ? behind : 0.0, after = middle <= span ? after : 0.0;
            const double chance = behind + after;
            chances[i] = chance > ShiftOverlaps::min_chance ? chance : 0.0;
        }
    }

    ShiftOverlaps overlaps_;
    const double span_, distance_, free_, reach_;
    const bool integer_, in_loops_;
    const double *place_ = nullptr, *length_ = nullptr;
    std::vector<double> whole_, part_;             // of the places of units
    std::vector<double> ratio_, chance_, nearness_; // of units from the first one on
    std::vector<double> gap_, mass_, mean_;        // of these units: at low, equal and high gaps
};

// Σ P, Σ P·d and Σ P·d² of a document or a label.
struct OverlapTerms {
    double power[3];

    void add(double chance, double distance) {
        power[0] += chance;
        power[1] += chance * distance;
        power[2] += chance * distance * distance;
    }
};

inline auto shift_overlaps(Ints offsets, Floats place, Floats length, Ints label, Ints n_rows, Floats span,
                           Floats distance, Floats free, Ints integer, Ints n_labels, Floats categorial,
                           double reach) {
    const std::size_t n_documents = n_rows.size();
    std::vector<double> sums(3 * n_documents, 0.0), sums_k;
    std::vector<OverlapTerms> first, second; // of each label, as the first or only, and as the second one of a pair
    {
        nb::gil_scoped_release release;
        const double *table = categorial.data();
        for (std::size_t document = 0; document < n_documents; ++document) {
            ChancesOfUnits chances(n_rows.data()[document], span.data()[document], distance.data()[document],
                                   free.data()[document], integer.data()[document] == 1, reach);
            const std::int64_t labels = n_labels.data()[document], begin = offsets.data()[document];
            const auto n_units = static_cast<std::size_t>(offsets.data()[document + 1] - begin);
            const std::int64_t *const label_of = label.data() + begin;
            chances.set_units(place.data() + begin, length.data() + begin, n_units);
            first.assign(static_cast<std::size_t>(labels), {});
            second.assign(static_cast<std::size_t>(labels) + 1, {}); // the last one is for pairs of one label
            OverlapTerms all{};
            for (std::size_t u = 0; u < n_units; ++u) {
                const std::int64_t label_u = label_of[u];
                const double *const chance_of = chances.from(u);
                OverlapTerms of_first = first[label_u];
                for (std::size_t v = u; v < n_units; ++v) {
                    const double chance = v == u ? chance_of[0] : 2.0 * chance_of[v - u]; // both orders of two units
                    const std::int64_t label_v = label_of[v];
                    const double apart = table[label_u * labels + label_v];
                    all.add(chance, apart);
                    of_first.add(chance, apart);
                    second[label_v == label_u ? labels : label_v].add(chance, apart);
                }
                first[label_u] = of_first;
            }
            table += labels * labels;
            std::copy(all.power, all.power + 3, &sums[3 * document]);
            for (std::int64_t k = 0; k < labels; ++k)
                for (std::size_t i = 0; i < 3; ++i) sums_k.push_back(first[k].power[i] + second[k].power[i]);
        }
    }
    return nb::make_tuple(to_numpy(std::move(sums), 3), to_numpy(std::move(sums_k), 3));
}

inline void bind_overlaps(nb::module_ &m) {
    m.def("shift_overlaps", &shift_overlaps, nb::arg("offsets"), nb::arg("place"), nb::arg("length"),
          nb::arg("label"), nb::arg("n_rows"), nb::arg("span"), nb::arg("distance"), nb::arg("free"),
          nb::arg("integer"), nb::arg("n_labels"), nb::arg("categorial"), nb::arg("reach"));
}

} // namespace gamma_align
