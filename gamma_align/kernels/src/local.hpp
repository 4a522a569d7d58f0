// Local search: cut the unitary alignments in two and match the parts optimally; plain kernel: plain/matching.py.
#pragma once

#include "matching.hpp"

namespace gamma_align {

constexpr double kWorthJoining = 1e-9;

class Rematcher {
  public:
    Rematcher(const std::int64_t *begin, const std::int64_t *other, const double *saving,
              const std::int64_t *annotator, std::vector<std::int64_t> label)
        : label(std::move(label)), begin_(begin), other_(other), saving_(saving), annotator_(annotator) {}

    std::vector<std::int64_t> label; // 0, 1, … in the order of the lowest units

    // Parts of side 1 are matched with parts of side 0, which keep their labels; units of side 2 stay alone.
    void move(const std::int64_t *side) {
        group(side);
        if (std::all_of(count_[1].begin(), count_[1].end(), [](std::int64_t units) { return units <= 1; }))
            edges_of_units();
        else
            edges();
        Matching matching(edge_begin_.data(), column_.data(), gain_.data(), groups_, groups_);
        matching.solve();
        const auto k = static_cast<std::int64_t>(groups_);
        std::vector<std::int64_t> joins(groups_);
        for (std::int64_t j = 0; j < k; ++j) joins[j] = k + j;
        for (std::int64_t i = 0; i < k; ++i)
            if (matching.edge[i] >= 0) joins[column_[matching.edge[i]]] = i;
        std::vector<std::int64_t> number(2 * groups_, -1);
        std::int64_t next = 0;
        for (std::size_t u = 0; u < label.size(); ++u) {
            const std::int64_t now = side_[u] == 1 ? joins[label[u]] : label[u];
            if (number[now] < 0) number[now] = next++;
            label[u] = number[now];
        }
    }

  private:
    // Compute the units of each group in their order, the number of units of each side, and the side of each unit.
    void group(const std::int64_t *side) {
        groups_ = 0;
        for (const std::int64_t one : label) groups_ = std::max(groups_, static_cast<std::size_t>(one) + 1);
        first_.assign(groups_ + 1, 0);
        for (auto &counts : count_) counts.assign(groups_, 0);
        side_.resize(label.size());
        for (std::size_t u = 0; u < label.size(); ++u) {
            ++first_[label[u] + 1];
            const std::int64_t at = side[annotator_[u]];
            side_[u] = static_cast<std::int8_t>(at);
            if (at < 2) ++count_[at][label[u]];
        }
        for (std::size_t i = 0; i < groups_; ++i) first_[i + 1] += first_[i];
        std::vector<std::int64_t> place(first_.begin(), first_.end() - 1);
        member_.resize(label.size());
        for (std::size_t u = 0; u < label.size(); ++u) member_[place[label[u]]++] = static_cast<std::int64_t>(u);
    }

    // Compute the saving of joining each part of side 0 with each part of side 1, if all their pairs are candidates.
    void edges() {
        edge_begin_.assign(1, 0);
        column_.clear();
        gain_.clear();
        sum_.assign(groups_, 0.0);
        pairs_.assign(groups_, 0);
        std::vector<std::int64_t> touched;
        for (std::size_t i = 0; i < groups_; ++i) {
            touched.clear();
            for (std::int64_t at = first_[i]; at < first_[i + 1]; ++at) {
                const std::int64_t u = member_[at];
                if (side_[u] != 0) continue;
                for (std::int64_t e = begin_[u]; e < begin_[u + 1]; ++e) {
                    if (side_[other_[e]] != 1) continue;
                    const std::int64_t j = label[other_[e]];
                    if (pairs_[j]++ == 0) touched.push_back(j);
                    sum_[j] += saving_[e];
                }
            }
            std::sort(touched.begin(), touched.end());
            for (const std::int64_t j : touched) {
                if (pairs_[j] == count_[0][i] * count_[1][j] && 1.0 + sum_[j] > kWorthJoining) {
                    column_.push_back(j);
                    gain_.push_back(1.0 + sum_[j]);
                }
                pairs_[j] = 0;
                sum_[j] = 0.0;
            }
            edge_begin_.push_back(static_cast<std::int64_t>(column_.size()));
        }
    }

    // The same if parts of side 1 are single units, from their pairs alone: sums are added in the same order.
    void edges_of_units() {
        edge_begin_.assign(groups_ + 1, 0);
        edges_.clear();
        sum_.assign(groups_, 0.0);
        pairs_.assign(groups_, 0);
        for (std::size_t j = 0; j < groups_; ++j) {
            if (count_[1][j] == 0) continue;
            std::int64_t at = first_[j];
            while (side_[member_[at]] != 1) ++at;
            const std::int64_t unit = member_[at];
            for (std::int64_t e = begin_[unit]; e < begin_[unit + 1]; ++e) {
                if (side_[other_[e]] != 0) continue;
                const std::int64_t i = label[other_[e]];
                sum_[i] += saving_[e];
                // the sum is complete once all pairs have been added
                if (++pairs_[i] == count_[0][i] && 1.0 + sum_[i] > kWorthJoining) {
                    edges_.push_back({i, static_cast<std::int64_t>(j), 1.0 + sum_[i]});
                    ++edge_begin_[i + 1];
                }
            }
            for (std::int64_t e = begin_[unit]; e < begin_[unit + 1]; ++e) {
                pairs_[label[other_[e]]] = 0;
                sum_[label[other_[e]]] = 0.0;
            }
        }
        for (std::size_t i = 0; i < groups_; ++i) edge_begin_[i + 1] += edge_begin_[i];
        column_.resize(edges_.size());
        gain_.resize(edges_.size());
        std::vector<std::int64_t> place(edge_begin_.begin(), edge_begin_.end() - 1);
        for (const Edge &edge : edges_) {
            const std::int64_t at = place[edge.row]++;
            column_[at] = edge.column;
            gain_[at] = edge.gain;
        }
    }

    struct Edge {
        std::int64_t row, column;
        double gain;
    };

    const std::int64_t *begin_, *other_;
    const double *saving_;
    const std::int64_t *annotator_;
    std::size_t groups_ = 0;
    std::vector<Edge> edges_;
    std::vector<std::int8_t> side_;
    std::vector<std::int64_t> first_, member_, count_[2], edge_begin_, column_, pairs_;
    std::vector<double> gain_, sum_;
};

inline void bind_local(nb::module_ &m) {
    m.def("rematch", [](Ints begin, Ints other, Floats saving, Ints annotator, Ints label, Ints sides,
                        std::int64_t width) {
        Rematcher work(begin.data(), other.data(), saving.data(), annotator.data(),
                       std::vector<std::int64_t>(label.data(), label.data() + label.size()));
        {
            nb::gil_scoped_release release;
            for (std::size_t at = 0; at < sides.size(); at += static_cast<std::size_t>(width))
                work.move(sides.data() + at);
        }
        return to_numpy(std::move(work.label));
    });
}

} // namespace gamma_align
