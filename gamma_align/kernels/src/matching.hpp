// Sparse bipartite matching of greatest saving, by shortest augmenting paths with dual prices. The plain kernel,
// plain/matching.py, performs the same operations in the same order, so that prices are the same to the last bit.
#pragma once

#include <algorithm>
#include <functional>
#include <limits>

#include "arrays.hpp"

namespace gamma_align {

class Matching {
  public:
    Matching() = default;

    Matching(const std::int64_t *begin, const std::int64_t *column, const double *saving, std::size_t n_rows,
             std::size_t n_columns) {
        reset(begin, column, saving, n_rows, n_columns);
    }

    // Begin anew with other edges; the memory is kept.
    void reset(const std::int64_t *begin, const std::int64_t *column, const double *saving, std::size_t n_rows,
               std::size_t n_columns) {
        begin_ = begin;
        column_ = column;
        saving_ = saving;
        edge.assign(n_rows, -1);
        row_price.assign(n_rows, 0.0);
        column_price.assign(n_columns, 0.0);
        row_of_.assign(n_columns, -1);
        via_edge_.resize(n_columns);
        via_row_.resize(n_columns);
        reach_.resize(n_rows);
        distance_.assign(n_columns, std::numeric_limits<double>::infinity());
    }

    void solve() {
        for (std::size_t row = 0; row < edge.size(); ++row) enter(static_cast<std::int64_t>(row));
    }

    std::vector<std::int64_t> edge; // matched to each row, or -1
    std::vector<double> row_price, column_price;

  private:
    using Entry = std::pair<double, std::int64_t>;

    // Match the row with its best column if that is free, preferring a free one among equals; otherwise search a path.
    void enter(std::int64_t row) {
        double best = 0.0;
        std::int64_t at = -1;
        for (std::int64_t e = begin_[row]; e < begin_[row + 1]; ++e) {
            const double gain = saving_[e] - column_price[column_[e]];
            if (gain > best || (gain == best && at >= 0 && row_of_[column_[at]] >= 0 && row_of_[column_[e]] < 0)) {
                best = gain;
                at = e;
            }
        }
        if (at < 0) return;
        row_price[row] = best;
        if (row_of_[column_[at]] < 0) {
            edge[row] = at;
            row_of_[column_[at]] = row;
        } else {
            search(row);
        }
    }

    // Find the shortest path from the row to a free column or to a row that is unmatched at no greater loss.
    void search(std::int64_t root) {
        limit_ = row_price[root];
        dropped_ = root;
        free_ = -1;
        reached_.assign(1, root);
        reach_[root] = 0.0;
        relax(root);
        while (!heap_.empty()) {
            const auto [length, column] = heap_.front();
            if (length >= limit_) break;
            std::pop_heap(heap_.begin(), heap_.end(), std::greater<Entry>());
            heap_.pop_back();
            if (length > distance_[column]) continue; // an outdated entry: a shorter path was found later
            const std::int64_t row = row_of_[column];
            reached_.push_back(row);
            reach_[row] = length;
            if (length + row_price[row] < limit_) {
                limit_ = length + row_price[row];
                dropped_ = row;
                free_ = -1;
            }
            relax(row);
        }
        heap_.clear();
        reprice();
        flip(root);
        settle();
    }

    void relax(std::int64_t row) {
        for (std::int64_t e = begin_[row]; e < begin_[row + 1]; ++e) {
            if (e == edge[row]) continue;
            const std::int64_t column = column_[e];
            const double slack = std::max(row_price[row] + column_price[column] - saving_[e], 0.0);
            const double length = reach_[row] + slack;
            if (length >= limit_ || length >= distance_[column]) continue;
            distance_[column] = length;
            touched_.push_back(column);
            via_edge_[column] = e;
            via_row_[column] = row;
            if (row_of_[column] < 0) {
                limit_ = length;
                free_ = column;
            } else {
                heap_.emplace_back(length, column);
                std::push_heap(heap_.begin(), heap_.end(), std::greater<Entry>());
            }
        }
    }

    // Rows nearer than the end of the path pay less, their columns more; slacks stay non-negative.
    void reprice() {
        for (const std::int64_t row : reached_) {
            const double change = limit_ - reach_[row];
            if (edge[row] >= 0) column_price[column_[edge[row]]] += change;
            row_price[row] = std::max(row_price[row] - change, 0.0);
        }
        for (const std::int64_t column : touched_) distance_[column] = std::numeric_limits<double>::infinity();
        touched_.clear();
    }

    // Exchange matched and unmatched edges along the path, from its end to the root.
    void flip(std::int64_t root) {
        std::int64_t column = free_;
        if (column < 0) {
            row_price[dropped_] = 0.0;
            if (dropped_ == root) return;
            column = column_[edge[dropped_]];
            edge[dropped_] = -1;
        }
        while (true) {
            const std::int64_t row = via_row_[column], before = edge[row];
            edge[row] = via_edge_[column];
            row_of_[column] = row;
            if (row == root) return;
            column = column_[before];
        }
    }

    // Compute prices anew from the matched edges, so that rounding does not accumulate over many paths.
    void settle() {
        for (const std::int64_t row : reached_) {
            if (edge[row] >= 0) row_price[row] = std::max(saving_[edge[row]] - column_price[column_[edge[row]]], 0.0);
        }
    }

    const std::int64_t *begin_ = nullptr, *column_ = nullptr;
    const double *saving_ = nullptr;
    std::vector<std::int64_t> row_of_, via_edge_, via_row_, reached_, touched_;
    std::vector<double> reach_, distance_;
    std::vector<Entry> heap_; // nearest column first
    double limit_ = 0.0;
    std::int64_t dropped_ = -1, free_ = -1;
};

inline void bind_matching(nb::module_ &m) {
    m.def("match", [](Ints begin, Ints column, Floats saving, std::int64_t n_columns) {
        Matching matching(begin.data(), column.data(), saving.data(), begin.size() - 1,
                          static_cast<std::size_t>(n_columns));
        {
            nb::gil_scoped_release release;
            matching.solve();
        }
        return nb::make_tuple(to_numpy(std::move(matching.edge)), to_numpy(std::move(matching.row_price)),
                              to_numpy(std::move(matching.column_price)));
    });
}

} // namespace gamma_align
