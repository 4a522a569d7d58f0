// Useful unitary alignments of each instance, depth first; plain kernel: plain/columns.py.
#pragma once

#include <algorithm>
#include <memory>
#include <tuple>

#include <nanobind/stl/tuple.h>

#include "arrays.hpp"

namespace gamma_align {

// Columns of one size.
struct ColumnsOfSize {
    std::vector<std::int64_t> units;
    std::vector<double> cost;
};

class TupleSearch {
  public:
    TupleSearch(const std::int64_t *annotator, const std::int64_t *begin, const std::int64_t *second,
                const double *saving, double free)
        : annotator_(annotator), begin_(begin), second_(second), saving_(saving), free_(free) {}

    // Add the useful columns of units low … high - 1; false if a size has more than `most` partial columns.
    bool instance(std::int64_t low, std::int64_t high, std::int64_t most) {
        prepare(low, high);
        most_ = most;
        // An excess usually shows in the small sizes. Depth first would reach the large ones before, so the small sizes
        // are counted first.
        for (std::int64_t size = kShallow / 2; width_ > kShallow && size < width_; size *= 2)
            if (!run(low, high, size, false)) return false;
        std::vector<std::pair<std::size_t, std::size_t>> before;
        for (const auto &size : sizes_) before.emplace_back(size.units.size(), size.cost.size());
        if (run(low, high, width_, true)) return true;
        before.resize(sizes_.size(), {0, 0});
        for (std::size_t size = 0; size < sizes_.size(); ++size) {
            sizes_[size].units.resize(before[size].first);
            sizes_[size].cost.resize(before[size].second);
        }
        return false;
    }

    // By size: entry k holds the columns of k + 2 units.
    const std::vector<ColumnsOfSize> &sizes() const { return sizes_; }

  private:
    // Units that may extend the partial column of a depth: the saving of each with every member, and in total.
    struct Level {
        std::vector<std::int64_t> unit;
        std::vector<double> links, gained;
        std::vector<double> held; // savings of the members
        void clear() {
            unit.clear();
            links.clear();
            gained.clear();
        }
    };

    // Compute what a unit can still save with the best unit of each annotator after a given one.
    void prepare(std::int64_t low, std::int64_t high) {
        low_ = low;
        width_ = 0;
        for (std::int64_t u = low; u < high; ++u) width_ = std::max(width_, annotator_[u] + 1);
        later_.assign(static_cast<std::size_t>((high - low) * width_), 0.0);
        for (std::int64_t u = low; u < high; ++u) {
            double *row = later_.data() + (u - low) * width_;
            for (std::int64_t at = begin_[u]; at < begin_[u + 1]; ++at) {
                double &best = row[annotator_[second_[at]]];
                best = std::max(best, saving_[at]);
            }
            double total = 0.0;
            for (std::int64_t a = width_ - 1; a >= 0; --a) {
                const double best = row[a];
                row[a] = total;
                total += best;
            }
        }
    }

    // Enumerate the partial columns of up to `largest` units; false if a size has too many.
    bool run(std::int64_t low, std::int64_t high, std::int64_t largest, bool keep) {
        largest_ = static_cast<std::size_t>(std::max<std::int64_t>(largest, 2));
        keep_ = keep;
        counts_.assign(counts_.size(), 0);
        for (std::int64_t root = low; root < high; ++root)
            if (!from(root)) return false;
        return true;
    }

    double later(std::int64_t unit, std::int64_t annotator) const {
        return later_[static_cast<std::size_t>((unit - low_) * width_ + annotator)];
    }

    Level &level(std::size_t depth) {
        while (levels_.size() <= depth) levels_.emplace_back(new Level);
        return *levels_[depth];
    }

    bool from(std::int64_t root) {
        members_.assign(1, root);
        Level &first = level(0);
        first.clear();
        first.held.assign(1, 0.0);
        for (std::int64_t at = begin_[root]; at < begin_[root + 1]; ++at) {
            first.unit.push_back(second_[at]);
            first.links.push_back(saving_[at]);
            first.gained.push_back(saving_[at]);
        }
        return extend(0, 0.0);
    }

    // Try each unit of a depth on the partial column of depth + 1 members, whose saving is `saved`.
    bool extend(std::size_t depth, double saved) {
        const std::size_t size = depth + 1;
        for (std::size_t at = 0; at < levels_[depth]->unit.size(); ++at) {
            if (counts_.size() <= depth) counts_.resize(depth + 1, 0);
            if (++counts_[depth] > most_) return false;
            Level &next = level(depth + 1);
            const Level &here = *levels_[depth];
            const std::int64_t unit = here.unit[at];
            next.held = here.held;
            for (std::size_t member = 0; member < size; ++member) next.held[member] += here.links[at * size + member];
            next.held.push_back(here.gained[at]);
            members_.push_back(unit);
            if (alive(next.held, annotator_[unit])) {
                const double total = saved + here.gained[at];
                if (keep_ && useful(next.held)) emit(total);
                if (members_.size() < largest_) {
                    narrow(here, unit, next);
                    if (!next.unit.empty() && !extend(depth + 1, total)) return false;
                }
            }
            members_.pop_back();
        }
        return true;
    }

    bool alive(const std::vector<double> &held, std::int64_t last) const {
        for (std::size_t member = 0; member < held.size(); ++member)
            if (!(1.0 + held[member] + later(members_[member], last) > free_)) return false;
        return true;
    }

    bool useful(const std::vector<double> &held) const {
        return std::all_of(held.begin(), held.end(), [this](double value) { return 1.0 + value > free_; });
    }

    void emit(double saved) {
        const std::size_t size = members_.size() - 2;
        if (sizes_.size() <= size) sizes_.resize(size + 1);
        sizes_[size].units.insert(sizes_[size].units.end(), members_.begin(), members_.end());
        sizes_[size].cost.push_back(1.0 - saved);
    }

    // Select the units of `here` that also make candidate pairs with `unit`.
    void narrow(const Level &here, std::int64_t unit, Level &next) const {
        next.clear();
        const std::size_t size = members_.size() - 1;
        std::size_t at = 0;
        for (std::int64_t pair = begin_[unit]; pair < begin_[unit + 1]; ++pair) {
            while (at < here.unit.size() && here.unit[at] < second_[pair]) ++at;
            if (at == here.unit.size()) return;
            if (here.unit[at] != second_[pair]) continue;
            next.unit.push_back(second_[pair]);
            const auto links = here.links.begin() + static_cast<std::ptrdiff_t>(at * size);
            next.links.insert(next.links.end(), links, links + static_cast<std::ptrdiff_t>(size));
            next.links.push_back(saving_[pair]);
            next.gained.push_back(here.gained[at] + saving_[pair]);
        }
    }

    const std::int64_t *annotator_, *begin_, *second_;
    const double *saving_;
    double free_;
    static constexpr std::int64_t kShallow = 6; // annotators; with more, small sizes are counted first
    std::int64_t low_ = 0, width_ = 0, most_ = 0;
    std::size_t largest_ = 0;
    bool keep_ = false;
    std::vector<double> later_;
    std::vector<std::int64_t> members_, counts_;
    std::vector<std::unique_ptr<Level>> levels_;
    std::vector<ColumnsOfSize> sizes_;
};

inline auto useful(Ints offsets, Ints annotator, Ints begin, Ints second, Floats saving, Ints most, double free) {
    std::vector<std::int64_t> ends{0}, units, too_many;
    std::vector<double> cost;
    {
        nb::gil_scoped_release release;
        TupleSearch search(annotator.data(), begin.data(), second.data(), saving.data(), free);
        for (std::size_t at = 0; at + 1 < offsets.size(); ++at)
            too_many.push_back(!search.instance(offsets.data()[at], offsets.data()[at + 1], most.data()[at]));
        std::size_t n_units = 0, n_columns = 0;
        for (const auto &size : search.sizes()) {
            n_units += size.units.size();
            n_columns += size.cost.size();
        }
        units.reserve(n_units);
        cost.reserve(n_columns);
        ends.reserve(n_columns + 1);
        std::int64_t k = 2;
        for (const auto &size : search.sizes()) {
            units.insert(units.end(), size.units.begin(), size.units.end());
            cost.insert(cost.end(), size.cost.begin(), size.cost.end());
            for (std::size_t column = 0; column < size.cost.size(); ++column) ends.push_back(ends.back() + k);
            ++k;
        }
    }
    return std::make_tuple(to_numpy(std::move(ends)), to_numpy(std::move(units)), to_numpy(std::move(cost)),
                           to_numpy(std::move(too_many)));
}

inline void bind_tuples(nb::module_ &m) {
    m.def("useful", &useful, nb::arg("offsets"), nb::arg("annotator"), nb::arg("begin"), nb::arg("second"),
          nb::arg("saving"), nb::arg("most"), nb::arg("free"));
}

} // namespace gamma_align
