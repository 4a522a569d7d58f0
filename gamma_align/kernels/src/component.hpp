// The alignment of units of two rows that edges connect, as the tie rule selects it; plain twin: plain/component.py.
#pragma once

#include <algorithm>
#include <numeric>

#include "matching.hpp"

namespace gamma_align {

constexpr double kTie = 1e-9;                  // in units of Δ; losses up to it count as none (alignment/search.py)
constexpr double kMinTie = 1e-13;              // smaller losses are rounding errors (alignment/assignment.py)
constexpr double kRequired = 70368744177664.0; // 2^46: value of matching a unit that must be matched

// SplitMix64 (Steele, Lea & Flood 2014), and the 24 bits of the tie rule.
inline std::uint64_t splitmix(std::uint64_t value) {
    value += 0x9E3779B97F4A7C15ULL;
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9ULL;
    value = (value ^ (value >> 27)) * 0x94D049BB133111EBULL;
    return value ^ (value >> 31);
}
inline double tie_bits(std::uint64_t mixed) { return static_cast<double>(splitmix(mixed) >> 40); }

using Index = std::int32_t; // of a unit, an edge or a gap within one pair of rows

// The h of a unitary alignment of two units, given by their canonical indices, less those of the units alone.
inline double tie_bits_of_pair(Index first, Index second) {
    const std::uint64_t one = splitmix(static_cast<std::uint64_t>(first));
    const std::uint64_t other = splitmix(static_cast<std::uint64_t>(second));
    return tie_bits(one + other) - tie_bits(one) - tie_bits(other);
}

// One edge between units of the two rows. It exists if the seam is between their starts just if it `wraps`.
struct TurnEdge {
    Index first, second;
    double saving, weight, distance;
    bool wraps;
    Index label, other_label;
};

// The edges of a graph by component. The component whose lowest unit is c has the edges edge[begin[c]] … before
// edge[begin[c + 1]], in the order in which they were given; begin[c] = begin[c + 1] for other units.
struct EdgeComponents {
    std::vector<Index> begin, edge;

    void find(const std::vector<TurnEdge> &edges, std::size_t n_units) {
        parent_.resize(n_units);
        std::iota(parent_.begin(), parent_.end(), 0);
        for (const TurnEdge &each : edges) {
            const Index one = root(each.first), other = root(each.second);
            if (one != other) parent_[std::max(one, other)] = std::min(one, other);
        }
        // A parent is never above its unit, so one pass makes every parent a root.
        for (std::size_t unit = 0; unit < n_units; ++unit) parent_[unit] = parent_[parent_[unit]];
        begin.assign(n_units + 1, 0);
        for (const TurnEdge &each : edges) ++begin[parent_[each.first] + 1];
        for (std::size_t unit = 0; unit < n_units; ++unit) begin[unit + 1] += begin[unit];
        next_ = begin;
        edge.resize(edges.size());
        for (std::size_t e = 0; e < edges.size(); ++e) edge[next_[parent_[edges[e].first]]++] = static_cast<Index>(e);
    }

  private:
    std::vector<Index> parent_, next_;

    Index root(Index unit) {
        while (parent_[unit] != unit) {
            parent_[unit] = parent_[parent_[unit]];
            unit = parent_[unit];
        }
        return unit;
    }
};

// The alignment of one component at a seam, as the tie rule selects it.
class ComponentChoice {
  public:
    std::vector<const TurnEdge *> edges; // of the component, sorted by (first, second)
    std::vector<std::int8_t> exists;     // at the seam
    std::vector<Index> chosen, whole;    // indices of `edges`; what is chosen from all edges
    bool is_whole = false;               // whether `whole` is chosen, not `chosen`

    // Match all edges, and choose from them as far as that takes no canonical indices.
    void prepare(std::size_t n_units, std::vector<Index> &local) {
        match(n_units, local);
        is_whole_decided_ = choose();
        if (is_whole_decided_) whole = chosen;
    }

    // Match all edges. `n_units` is the number of units of the sample; `local` is -1 for each of them.
    void match(std::size_t n_units, std::vector<Index> &local) {
        n_sample_ = n_units;
        const std::size_t n_edges = edges.size();
        row_.resize(n_edges);
        column_.resize(n_edges);
        units_.clear();
        for (std::size_t e = 0; e < n_edges; ++e) row_[e] = number(edges[e]->first, local);
        n_rows_ = units_.size();
        for (std::size_t e = 0; e < n_edges; ++e) column_[e] = number(edges[e]->second, local);
        for (const Index unit : units_) local[unit] = -1;
        exists.assign(n_edges, 1);
        n_extra_.assign(units_.size(), 0);
        match_existing();
    }

    // Match the edges that exist, and choose by the tie rule if that takes no canonical indices: return whether.
    bool align() {
        if (is_whole_decided_) { // if all that is chosen from all edges exists, it is chosen from these, too
            is_whole = true;
            for (const Index e : whole) is_whole = is_whole & (exists[e] != 0);
            if (is_whole) return true;
        }
        is_whole = false;
        match_existing();
        return choose();
    }

    // Choose edges by the tie rule; return false if that takes the canonical indices: then `break_ties` can choose.
    bool choose() {
        if (is_unique()) return true;
        if (!select(kTie)) return false;
        return loss() <= kTie || select(min_tie());
    }

    // Choose what `choose` left open. `index` is the canonical index of each unit of the sample.
    void break_ties(const Index *index) {
        if (!is_prepared_) select(tie_);
        add_least_hash(index);
        if (tie_ == min_tie() || loss() <= kTie) return;
        if (!select(min_tie())) add_least_hash(index);
        is_prepared_ = false;
        tie_ = kTie;
    }

  private:
    Index number(Index unit, std::vector<Index> &local) {
        Index &index = local[unit];
        if (index < 0) {
            index = static_cast<Index>(units_.size());
            units_.push_back(unit);
        }
        return index;
    }

    double edge_loss(std::size_t e) const {
        return std::max(price_[row_[e]] + price_[column_[e]] - edges[e]->saving, 0.0);
    }

    double loss() {
        unit_loss_ = price_;
        for (const Index e : chosen) {
            unit_loss_[row_[e]] = edge_loss(e);
            unit_loss_[column_[e]] = 0.0;
        }
        double total = 0.0;
        for (const double part : unit_loss_) total += part;
        return total;
    }

    bool must_match(Index unit) const { return price_[unit] > kTie; }

    // If all that is matched is forced, choose it. Further tied edges are extra. A matched edge is forced if one of its
    // units must be matched and has no extra edge; the extra edges of its other unit are then out of the question.
    bool is_unique() {
        chosen.clear();
        extra_.clear();
        for (std::size_t row = 0; row < n_rows_; ++row) {
            const Index e = mate_[row];
            if (e < 0) continue;
            if (!must_match(static_cast<Index>(row)) && !must_match(column_[e])) return false;
            chosen.push_back(e);
        }
        std::size_t n_extra = 0; // which edges are extra can hardly be predicted, so they are listed without a branch
        extra_.resize(row_.size());
        for (std::size_t e = 0; e < row_.size(); ++e) {
            const bool is_tied = price_[row_[e]] + price_[column_[e]] - edges[e]->saving <= kTie;
            extra_[n_extra] = static_cast<Index>(e);
            n_extra += is_tied & (exists[e] != 0) & (mate_[row_[e]] != static_cast<Index>(e));
        }
        extra_.resize(n_extra);
        for (const Index e : extra_) {
            ++n_extra_[row_[e]];
            ++n_extra_[column_[e]];
        }
        std::size_t n_left = extra_.size() + 1;
        while (!extra_.empty() && extra_.size() < n_left) {
            n_left = extra_.size();
            std::size_t at = 0;
            for (const Index e : extra_) {
                if (is_forced(row_[e]) || is_forced(column_[e])) {
                    --n_extra_[row_[e]];
                    --n_extra_[column_[e]];
                } else {
                    extra_[at++] = e;
                }
            }
            extra_.resize(at);
        }
        for (const Index e : extra_) n_extra_[row_[e]] = n_extra_[column_[e]] = 0;
        return extra_.empty();
    }

    // Whether the unit, which has extra edges, is matched by a forced edge.
    bool is_forced(Index unit) const {
        const Index edge = mate_[unit];
        if (edge < 0) return false;
        const Index other = row_[edge] + column_[edge] - unit;
        return n_extra_[other] == 0 && must_match(other);
    }

    double min_tie() const { return std::max(kTie / static_cast<double>(n_sample_), kMinTie); }

    // `_select_by_rule` of alignment/assignment.py; return false if several selections of the fewest pairs are left.
    bool select(double tie) {
        tie_ = tie;
        is_prepared_ = true;
        std::size_t n_tied = 0;
        tied_.resize(edges.size());
        for (std::size_t e = 0; e < edges.size(); ++e) {
            tied_[n_tied] = static_cast<Index>(e);
            n_tied += (exists[e] != 0) & (edge_loss(e) <= tie);
        }
        tied_.resize(n_tied);
        chosen.clear();
        options_.assign(price_.size(), 0);
        for (const Index e : tied_) {
            ++options_[row_[e]];
            ++options_[column_[e]];
        }
        required_.resize(price_.size());
        for (std::size_t unit = 0; unit < price_.size(); ++unit) required_[unit] = price_[unit] > tie;
        covered_.assign(price_.size(), 0);
        const auto forces = [&](Index unit) { return required_[unit] && options_[unit] == 1; };
        for (const Index e : tied_) {
            if (!forces(row_[e]) && !forces(column_[e])) continue;
            chosen.push_back(e);
            covered_[row_[e]] = covered_[column_[e]] = 1;
        }
        rest_.clear();
        for (const Index e : tied_) {
            if (covered_[row_[e]] || covered_[column_[e]]) continue;
            if (required_[row_[e]] || required_[column_[e]]) rest_.push_back(e);
        }
        if (rest_.empty()) return true;
        match_rest(nullptr); // the fewest pairs
        tight_.clear();
        for (std::size_t at = 0; at < rest_.size(); ++at) {
            const Index e = rest_[at];
            if (whole_price_[row_[e]] + whole_price_[column_[e]] == value_[at]) tight_.push_back(e);
        }
        n_forced_ = chosen.size();
        if (tight_.size() > matched_.size()) {
            for (std::size_t unit = 0; unit < price_.size(); ++unit) required_[unit] = whole_price_[unit] > 0.0;
            rest_.swap(tight_);
            return false;
        }
        chosen.insert(chosen.end(), matched_.begin(), matched_.end());
        return true;
    }

    // Choose the least Σ h of the selections that `select` left.
    void add_least_hash(const Index *index) {
        chosen.resize(n_forced_);
        match_rest(index);
        chosen.insert(chosen.end(), matched_.begin(), matched_.end());
    }

    // Match the edges that exist.
    void match_existing() {
        clear_graph();
        for (std::size_t e = 0; e < edges.size(); ++e)
            if (exists[e]) add_edge(static_cast<Index>(e), edges[e]->saving);
        match_graph(price_);
        mate_.assign(units_.size(), -1);
        for (const Index e : matched_) mate_[row_[e]] = mate_[column_[e]] = e;
    }

    // Match `rest_` in whole numbers: each pair costs 1, or with canonical indices its h less those of its units alone.
    void match_rest(const Index *index) {
        clear_graph();
        for (const Index e : rest_) {
            const double penalty = index ? tie_bits_of_pair(index[edges[e]->first], index[edges[e]->second]) : 1.0;
            add_edge(e, kRequired * required_[row_[e]] + kRequired * required_[column_[e]] - penalty);
        }
        match_graph(whole_price_);
    }

    void clear_graph() {
        begin_.assign(n_rows_ + 1, 0);
        graph_edge_.clear();
        graph_column_.clear();
        value_.clear();
    }

    // Edges come in the order of their rows.
    void add_edge(Index e, double value) {
        ++begin_[row_[e] + 1];
        graph_edge_.push_back(e);
        graph_column_.push_back(column_[e] - static_cast<std::int64_t>(n_rows_));
        value_.push_back(value);
    }

    // Find the edges of the best matching, in the order of their rows, and the prices of all units.
    void match_graph(std::vector<double> &price) {
        for (std::size_t row = 0; row < n_rows_; ++row) begin_[row + 1] += begin_[row];
        matching_.reset(begin_.data(), graph_column_.data(), value_.data(), n_rows_, units_.size() - n_rows_);
        matching_.solve();
        matched_.clear();
        for (const std::int64_t edge : matching_.edge)
            if (edge >= 0) matched_.push_back(graph_edge_[edge]);
        price.assign(matching_.row_price.begin(), matching_.row_price.end());
        price.insert(price.end(), matching_.column_price.begin(), matching_.column_price.end());
    }

    std::size_t n_sample_ = 0, n_rows_ = 0, n_forced_ = 0;
    double tie_ = kTie; // at which `select` left several selections
    bool is_whole_decided_ = false, is_prepared_ = false;
    Matching matching_;
    std::vector<std::int64_t> begin_, graph_column_; // of the edges that are matched, the edges of `graph_edge_`
    std::vector<double> value_;                      // of these
    std::vector<double> price_, whole_price_;        // of each unit: by what edges save, and in whole numbers
    std::vector<Index> mate_;                        // the edge that each unit is matched by, or -1
    std::vector<Index> graph_edge_, row_, column_, units_, matched_, tied_, options_, rest_, tight_, extra_, n_extra_;
    std::vector<std::int8_t> covered_, required_;
    std::vector<double> unit_loss_;
};

} // namespace gamma_align
