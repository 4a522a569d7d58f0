// Useful columns that gain more than a threshold at given prices, depth first; plain kernel: plain/gaining.py.
//
// The columns of a root, their unit of the lowest annotator, consist of it and of units paired with it. Half of the
// saving of a pair counts for either unit, so that a unit with the best partner of each annotator is an upper bound of
// what it adds. Units whose bound is too low are removed before the search, and branches during it.
#pragma once

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>

#include <nanobind/stl/tuple.h>

#include "arrays.hpp"

namespace gamma_align {

class GainSearch {
  public:
    GainSearch(Ints annotator, Ints begin, Ints second, Floats saving, Floats price, double threshold,
               std::size_t keep, double free)
        : n_(annotator.size()), annotator_(annotator.data()), begin_(begin.data()), second_(second.data()),
          saving_(saving.data()), price_(price.data()), threshold_(threshold), bar_(threshold - SLACK), keep_(keep),
          free_(free), place_(n_, NONE) {
        for (std::size_t u = 0; u < n_; ++u) width_ = std::max(width_, static_cast<std::size_t>(annotator_[u]) + 1);
        for (std::size_t at = 0; at < saving.size(); ++at) most_ = std::max(most_, saving_[at]);
        levels_.resize(width_ + 1);
    }

    std::vector<std::int64_t> offsets{0}, units;
    std::vector<double> cost, root_gain;

    // False if there are more than `most` columns.
    bool run(std::size_t most) {
        root_gain.assign(n_, threshold_);
        for (std::size_t u = 0; u < n_; ++u) {
            found_.clear();
            if (collect(u)) {
                link();
                if (reduce()) extend(0, -price_[u]);
            }
            for (const std::int64_t v : unit_) place_[static_cast<std::size_t>(v)] = NONE;
            report(u);
            if (cost.size() > most) return false;
        }
        return true;
    }

  private:
    static constexpr std::size_t NONE = std::numeric_limits<std::size_t>::max();
    static constexpr double NEVER = -1e9, SLACK = 1e-9; // of two units that are no pair; of bounds, for rounding
    static constexpr int ROUNDS = 3;                    // of removal; more remove little

    struct Level {
        std::vector<std::size_t> unit; // candidates of a depth, as indices
        std::vector<double> worth;     // of each with the members
    };
    struct Found {
        double gain, cost;
        std::vector<std::size_t> members;
    };

    // Select the units that may be in a column of this root, by annotator; false if there are none.
    bool collect(std::size_t u) {
        root_ = u;
        unit_.clear();
        const double half = 0.5 * most_ * static_cast<double>(width_ - static_cast<std::size_t>(annotator_[u]) - 1);
        best_.assign(width_, 0.0);
        for (std::int64_t at = begin_[u]; at < begin_[u + 1]; ++at) {
            double &best = best_[static_cast<std::size_t>(annotator_[second_[at]])];
            best = std::max(best, 1.0 - price_[second_[at]] + saving_[at] + half);
        }
        const double total = std::accumulate(best_.begin(), best_.end(), -price_[u]);
        if (!(total > bar_)) return false;
        pair_.clear();
        for (std::int64_t at = begin_[u]; at < begin_[u + 1]; ++at) {
            const std::int64_t v = second_[at];
            const double worth = 1.0 - price_[v] + saving_[at] + half;
            if (total - best_[static_cast<std::size_t>(annotator_[v])] + worth > bar_) pair_.push_back(at);
        }
        std::stable_sort(pair_.begin(), pair_.end(), [&](std::int64_t a, std::int64_t b) {
            return annotator_[second_[a]] < annotator_[second_[b]];
        });
        root_saving_.clear();
        owner_.clear();
        for (const std::int64_t at : pair_) {
            place_[static_cast<std::size_t>(second_[at])] = unit_.size();
            owner_.push_back(static_cast<std::size_t>(annotator_[second_[at]]));
            unit_.push_back(second_[at]);
            root_saving_.push_back(saving_[at]);
        }
        return !unit_.empty();
    }

    // Fill in the savings of the pairs of candidates.
    void link() {
        const std::size_t k = unit_.size();
        pairs_.assign(k * k, NEVER);
        for (std::size_t i = 0; i < k; ++i) {
            const std::int64_t v = unit_[i];
            for (std::int64_t at = begin_[v]; at < begin_[v + 1]; ++at) {
                const std::size_t j = place_[static_cast<std::size_t>(second_[at])];
                if (j != NONE) pairs_[i * k + j] = pairs_[j * k + i] = saving_[at];
            }
        }
    }

    std::size_t owner(std::size_t i) const { return owner_[i]; }

    double worth(std::size_t i) const { return 1.0 - price_[unit_[i]] + root_saving_[i]; }

    // Remove the candidates whose bound is too low, and compute what the others can save with later annotators.
    bool reduce() {
        const std::size_t k = unit_.size();
        alive_.assign(k, 1);
        dead_.assign(k, 0.0); // added to the savings of a candidate: NEVER if it is removed, so that it is never the best
        partners_.assign(k * width_, 0.0);
        for (int round = 0; round < ROUNDS; ++round) {
            for (std::size_t i = 0; i < k; ++i) {
                if (!alive_[i]) continue;
                // Candidates are sorted by annotator.
                const double *row = pairs_.data() + i * k;
                for (std::size_t j = 0; j < k;) {
                    const std::size_t annotator = owner_[j];
                    double best = 0.0;
                    for (; j < k && owner_[j] == annotator; ++j) best = std::max(best, row[j] + dead_[j]);
                    partners_[i * width_ + annotator] = best;
                }
            }
            best_.assign(width_, 0.0);
            bound_.resize(k);
            for (std::size_t i = 0; i < k; ++i) {
                if (!alive_[i]) continue;
                const auto row = partners_.begin() + static_cast<std::ptrdiff_t>(i * width_);
                bound_[i] = worth(i) + 0.5 * std::accumulate(row, row + static_cast<std::ptrdiff_t>(width_), 0.0);
                best_[owner(i)] = std::max(best_[owner(i)], bound_[i]);
            }
            const double total = std::accumulate(best_.begin(), best_.end(), -price_[root_]);
            bool changed = false;
            for (std::size_t i = 0; i < k; ++i)
                if (alive_[i] && !(total - best_[owner(i)] + bound_[i] > bar_)) {
                    alive_[i] = 0;
                    dead_[i] = NEVER;
                    changed = true;
                }
            if (!changed) break;
        }
        later_.assign(k * width_, 0.0); // half of the best savings with annotators after each one
        Level &first = levels_[0];
        first.unit.clear();
        first.worth.clear();
        for (std::size_t i = 0; i < k; ++i) {
            if (!alive_[i]) continue;
            for (std::size_t a = width_ - 1; a-- > 0;)
                later_[i * width_ + a] = later_[i * width_ + a + 1] + 0.5 * partners_[i * width_ + a + 1];
            first.unit.push_back(i);
            first.worth.push_back(worth(i));
        }
        return !first.unit.empty();
    }

    // Try each candidate of a depth as the next member.
    void extend(std::size_t depth, double gain) {
        const Level &here = levels_[depth];
        const std::size_t k = unit_.size();
        members_.resize(depth + 1);
        for (std::size_t at = 0; at < here.unit.size(); ++at) {
            const std::size_t one = here.unit[at], last = owner(one);
            const double now = gain + here.worth[at];
            members_[depth] = one;
            if (now > bar_) offer();
            Level &next = levels_[depth + 1];
            next.unit.clear();
            next.worth.clear();
            double total = now, best = 0.0;
            std::size_t current = NONE;
            for (std::size_t other = at + 1; other < here.unit.size(); ++other) {
                const std::size_t two = here.unit[other];
                const double pair = pairs_[one * k + two];
                if (owner(two) == last || !(pair > 0.5 * NEVER)) continue;
                const double worth = here.worth[other] + pair;
                next.unit.push_back(two);
                next.worth.push_back(worth);
                if (owner(two) != current) {
                    total += best;
                    best = 0.0;
                    current = owner(two);
                }
                best = std::max(best, worth + later_[two * width_ + last]);
            }
            if (!next.unit.empty() && total + best > bar_) extend(depth + 1, now);
            members_.resize(depth + 1);
        }
    }

    // Keep the column of the members if it is useful and gains enough: sums in the order of its units.
    void offer() {
        const std::size_t k = unit_.size(), size = members_.size();
        held_.assign(size + 1, 0.0);
        double total = 0.0;
        for (std::size_t i = 0; i < size; ++i) {
            double gained = root_saving_[members_[i]];
            held_[0] += root_saving_[members_[i]];
            for (std::size_t j = 0; j < i; ++j) {
                const double pair = pairs_[members_[j] * k + members_[i]];
                gained += pair;
                held_[j + 1] += pair;
            }
            held_[i + 1] = gained;
            total += gained;
        }
        for (const double held : held_)
            if (!(1.0 + held > free_)) return;
        const double cost = 1.0 - total;
        double gain = static_cast<double>(size + 1) - cost - price_[root_];
        for (const std::size_t member : members_) gain -= price_[unit_[member]];
        if (gain > threshold_) found_.push_back({gain, cost, members_});
    }

    // Add the best columns of the root to the result, in the order in which they were found.
    void report(std::size_t u) {
        for (const Found &one : found_) root_gain[u] = std::max(root_gain[u], one.gain);
        order_.resize(found_.size());
        std::iota(order_.begin(), order_.end(), std::size_t{0});
        if (found_.size() > keep_) {
            std::stable_sort(order_.begin(), order_.end(),
                             [&](std::size_t a, std::size_t b) { return found_[a].gain > found_[b].gain; });
            order_.resize(keep_);
            std::sort(order_.begin(), order_.end());
        }
        for (const std::size_t at : order_) {
            units.push_back(static_cast<std::int64_t>(u));
            for (const std::size_t member : found_[at].members) units.push_back(unit_[member]);
            offsets.push_back(static_cast<std::int64_t>(units.size()));
            cost.push_back(found_[at].cost);
        }
    }

    const std::size_t n_;
    const std::int64_t *annotator_, *begin_, *second_;
    const double *saving_, *price_;
    const double threshold_, bar_;
    const std::size_t keep_;
    const double free_;
    std::vector<std::size_t> place_; // of each unit among the candidates
    std::size_t width_ = 0, root_ = 0;
    double most_ = 0.0; // greatest saving of a pair
    std::vector<std::int64_t> unit_, pair_;
    std::vector<double> root_saving_, pairs_, best_, bound_, partners_, later_, held_, dead_;
    std::vector<std::size_t> owner_; // annotator of each candidate
    std::vector<char> alive_;
    std::vector<std::size_t> members_, order_;
    std::vector<Level> levels_;
    std::vector<Found> found_;
};

inline auto gaining(Ints annotator, Ints begin, Ints second, Floats saving, Floats price, double threshold,
                    std::int64_t keep, std::int64_t most, double free) {
    std::int64_t too_many = 0;
    GainSearch search(annotator, begin, second, saving, price, threshold, static_cast<std::size_t>(keep), free);
    {
        nb::gil_scoped_release release;
        too_many = !search.run(static_cast<std::size_t>(most));
    }
    return std::make_tuple(to_numpy(std::move(search.offsets)), to_numpy(std::move(search.units)),
                           to_numpy(std::move(search.cost)), to_numpy(std::move(search.root_gain)), too_many);
}

inline void bind_gaining(nb::module_ &m) {
    m.def("gaining", &gaining, nb::arg("annotator"), nb::arg("begin"), nb::arg("second"), nb::arg("saving"),
          nb::arg("price"), nb::arg("threshold"), nb::arg("keep"), nb::arg("most"), nb::arg("free"));
}

} // namespace gamma_align
