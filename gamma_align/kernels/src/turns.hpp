// Expected sums of two shifted rows without sampling; plain kernel: plain/turns.py.
#pragma once

#include <atomic>
#include <numeric>
#include <thread>

#include "matching.hpp"
#include "sweep.hpp"

namespace gamma_align {

constexpr double kTie = 1e-9;              // in units of Δ; losses up to it count as none (alignment/search.py)
constexpr double kMinTie = 1e-13;          // smaller losses are rounding errors (alignment/assignment.py)
constexpr double kFree = 1e-9;             // smaller savings count as none (alignment/candidates.py)
constexpr double kMinConfidence = 1e-9;    // smaller confidences are rounding errors (measures/gamma/statistics.py)
constexpr double kRequired = 70368744177664.0; // 2^46: value of matching a unit that must be matched
constexpr double kReachSlack = 1e-9;       // relative; rounding must not exclude offsets at which units meet

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

// Sums over aligned pairs: what they save, their weight and weight · d_cat; the last two also by label.
struct PairSums {
    double saving = 0.0, weight = 0.0, distance = 0.0;
    std::vector<double> by_label; // weight and weight · d_cat of each label

    void clear(std::size_t n_labels) {
        saving = weight = distance = 0.0;
        by_label.assign(2 * n_labels, 0.0);
    }

    void add(const TurnEdge &edge) {
        saving += edge.saving;
        if (!(edge.weight > 0.0)) return;
        weight += edge.weight;
        distance += edge.distance;
        add_label(edge.label, edge);
        if (edge.other_label != edge.label) add_label(edge.other_label, edge);
    }

  private:
    void add_label(Index label, const TurnEdge &edge) {
        by_label[2 * label] += edge.weight;
        by_label[2 * label + 1] += edge.distance;
    }
};

// The best matching of one component, and of what a seam leaves of it. Units are numbered by the order of their first
// edges: those of the first row, then those of the second.
class SeamMatching {
  public:
    std::vector<double> price; // of each unit: no edge saves more than its two units
    std::vector<Index> mate;   // the edge that each unit is matched by, or -1

    // Match the units, given the two units of each edge, sorted by the first, and what it saves.
    void solve(const std::vector<Index> &one, const std::vector<Index> &other, const std::vector<double> &saving,
               std::size_t n_first, std::size_t n_units) {
        one_ = one.data();
        other_ = other.data();
        saving_ = saving.data();
        n_edges_ = one.size();
        n_units_ = n_units;
        list_edges();
        all_.assign(n_edges_, 1);
        exists_ = all_.data();
        reach_.assign(n_units, kInfinity);
        distance_.assign(n_units, kInfinity);
        via_.resize(n_units);
        mate.assign(n_units, -1);
        price.assign(n_units, 0.0);
        for (std::size_t e = 0; e < n_edges_; ++e) price[one[e]] = std::max(price[one[e]], saving[e]);
        for (std::size_t unit = 0; unit < n_first; ++unit) enter(static_cast<Index>(unit));
        whole_price_ = price;
        whole_mate_ = mate;
    }

    // Match what is left without the edges that do not exist, beginning with the matching of all edges.
    void restrict_to(const std::vector<std::int8_t> &exists) {
        price = whole_price_;
        mate = whole_mate_;
        exposed_.clear();
        for (std::size_t unit = 0; unit < n_units_; ++unit)
            if (mate[unit] >= 0 && !exists[mate[unit]]) exposed_.push_back(static_cast<Index>(unit));
        exists_ = exists.data();
        for (const Index unit : exposed_) mate[unit] = -1;
        for (const Index unit : exposed_)
            if (mate[unit] < 0 && price[unit] > 0.0) enter(unit);
    }

    Index partner(Index edge, Index unit) const { return one_[edge] + other_[edge] - unit; }

    // The edges of a unit.
    const Index *begin(Index unit) const { return listed_.data() + begin_[unit]; }
    const Index *end(Index unit) const { return listed_.data() + begin_[unit + 1]; }

  private:
    static constexpr double kInfinity = std::numeric_limits<double>::infinity();

    void list_edges() {
        begin_.assign(n_units_ + 1, 0);
        for (std::size_t e = 0; e < n_edges_; ++e) {
            ++begin_[one_[e] + 1];
            ++begin_[other_[e] + 1];
        }
        for (std::size_t unit = 0; unit < n_units_; ++unit) begin_[unit + 1] += begin_[unit];
        place_.assign(begin_.begin(), begin_.end() - 1);
        listed_.resize(2 * n_edges_);
        for (std::size_t e = 0; e < n_edges_; ++e) {
            listed_[place_[one_[e]]++] = static_cast<Index>(e);
            listed_[place_[other_[e]]++] = static_cast<Index>(e);
        }
    }

    // Find the shortest alternating path from an unmatched unit to one that may stay unmatched; exchange its edges.
    // `reach_` of units on the side of the root and `distance_` of the others are infinite before and after.
    void enter(Index root) {
        limit_ = price[root];
        end_ = root;
        reach_[root] = 0.0;
        reached_.assign(1, root);
        relax(root);
        while (true) {
            std::size_t best = touched_.size();
            for (std::size_t at = n_done_; at < touched_.size(); ++at)
                if (distance_[touched_[at]] < limit_ &&
                    (best == touched_.size() || distance_[touched_[at]] < distance_[touched_[best]]))
                    best = at;
            if (best == touched_.size()) break;
            const Index unit = touched_[best];
            // those before keep their order, in which the first of the nearest ones is taken
            std::rotate(touched_.begin() + n_done_, touched_.begin() + best, touched_.begin() + best + 1);
            ++n_done_;
            const Index row = partner(mate[unit], unit);
            reach_[row] = distance_[unit];
            reached_.push_back(row);
            if (reach_[row] + price[row] < limit_) {
                limit_ = reach_[row] + price[row];
                end_ = row;
            }
            relax(row);
        }
        const bool is_dropped = reach_[end_] < kInfinity;
        for (const Index unit : touched_) {
            if (distance_[unit] < limit_) price[unit] += limit_ - distance_[unit];
            distance_[unit] = kInfinity;
        }
        for (const Index row : reached_) {
            if (reach_[row] < limit_) price[row] = std::max(price[row] - (limit_ - reach_[row]), 0.0);
            reach_[row] = kInfinity;
        }
        touched_.clear();
        n_done_ = 0;
        flip(root, is_dropped);
    }

    void relax(Index row) {
        const double reach = reach_[row], row_price = price[row];
        for (const Index *at = begin(row); at != end(row); ++at) {
            const Index edge = *at;
            if (!exists_[edge] || edge == mate[row]) continue;
            const Index unit = partner(edge, row);
            const double slack = std::max(row_price + price[unit] - saving_[edge], 0.0);
            const double length = reach + slack;
            if (length >= distance_[unit] || length >= limit_) continue;
            if (distance_[unit] == kInfinity) touched_.push_back(unit);
            distance_[unit] = length;
            via_[unit] = edge;
            if (mate[unit] < 0) {
                limit_ = length;
                end_ = unit;
            }
        }
    }

    // Exchange matched and unmatched edges from the end of the path to its root.
    void flip(Index root, bool is_dropped) {
        Index unit = end_;
        if (is_dropped) {
            price[end_] = 0.0;
            if (end_ == root) return;
            const Index edge = mate[end_];
            mate[end_] = -1;
            unit = partner(edge, end_);
        }
        while (true) {
            const Index edge = via_[unit], row = partner(edge, unit), before = mate[row];
            mate[row] = mate[unit] = edge;
            if (row == root) return;
            unit = partner(before, row);
        }
    }

    const Index *one_ = nullptr, *other_ = nullptr;
    const double *saving_ = nullptr;
    const std::int8_t *exists_ = nullptr;
    std::size_t n_edges_ = 0, n_units_ = 0, n_done_ = 0; // the first of `touched_` that are done
    double limit_ = 0.0;
    Index end_ = -1;
    std::vector<std::int8_t> all_;
    std::vector<Index> begin_, place_, listed_, whole_mate_, exposed_, via_, touched_, reached_;
    std::vector<double> whole_price_, reach_, distance_;
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
        is_whole_decided_ = choose(nullptr);
        if (is_whole_decided_) whole = chosen;
    }

    // Match all edges. `n_units` is the number of units of the sample; `local` is -1 for each of them.
    void match(std::size_t n_units, std::vector<Index> &local) {
        n_sample_ = n_units;
        const std::size_t n_edges = edges.size();
        row_.resize(n_edges);
        column_.resize(n_edges);
        saving_.resize(n_edges);
        units_.clear();
        for (std::size_t e = 0; e < n_edges; ++e) row_[e] = number(edges[e]->first, local);
        n_rows_ = units_.size();
        for (std::size_t e = 0; e < n_edges; ++e) column_[e] = number(edges[e]->second, local);
        for (std::size_t e = 0; e < n_edges; ++e) saving_[e] = edges[e]->saving;
        for (const Index unit : units_) local[unit] = -1;
        matching_.solve(row_, column_, saving_, n_rows_, units_.size());
        exists.assign(edges.size(), 1);
        n_extra_.assign(units_.size(), 0);
    }

    // Match the edges that exist, and choose by the tie rule if that takes no canonical indices: return whether.
    bool align() {
        if (is_whole_decided_) { // if all that is chosen from all edges exists, it is chosen from these, too
            is_whole = true;
            for (const Index e : whole) is_whole = is_whole & (exists[e] != 0);
            if (is_whole) return true;
        }
        is_whole = false;
        matching_.restrict_to(exists);
        return choose(nullptr);
    }

    // Choose edges by the tie rule; return false if that takes the canonical indices, and none are given. `index` is
    // the canonical index of each unit of the sample.
    bool choose(const Index *index) {
        if (is_unique()) return true;
        if (!select(kTie, index)) return false;
        if (loss() <= kTie) return true;
        return select(std::max(kTie / static_cast<double>(n_sample_), kMinTie), index);
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
        return std::max(matching_.price[row_[e]] + matching_.price[column_[e]] - saving_[e], 0.0);
    }

    double loss() {
        unit_loss_.assign(matching_.price.begin(), matching_.price.end());
        for (const Index e : chosen) {
            unit_loss_[row_[e]] = edge_loss(e);
            unit_loss_[column_[e]] = 0.0;
        }
        double total = 0.0;
        for (const double part : unit_loss_) total += part;
        return total;
    }

    bool must_match(Index unit) const { return matching_.price[unit] > kTie; }

    // If all that is matched is forced, choose it. Further tied edges are extra. A matched edge is forced if one of its
    // units must be matched and has no extra edge; the extra edges of its other unit are then out of the question.
    bool is_unique() {
        const std::vector<Index> &mate = matching_.mate;
        chosen.clear();
        extra_.clear();
        for (std::size_t row = 0; row < n_rows_; ++row) {
            const Index e = mate[row];
            if (e < 0) continue;
            if (!must_match(static_cast<Index>(row)) && !must_match(column_[e])) return false;
            chosen.push_back(e);
        }
        const double *price = matching_.price.data();
        std::size_t n_extra = 0; // which edges are extra can hardly be predicted, so they are listed without a branch
        extra_.resize(row_.size());
        for (std::size_t e = 0; e < row_.size(); ++e) {
            const bool is_tied = price[row_[e]] + price[column_[e]] - saving_[e] <= kTie;
            extra_[n_extra] = static_cast<Index>(e);
            n_extra += is_tied & (exists[e] != 0) & (mate[row_[e]] != static_cast<Index>(e));
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
        const Index edge = matching_.mate[unit];
        if (edge < 0) return false;
        const Index other = matching_.partner(edge, unit);
        return n_extra_[other] == 0 && must_match(other);
    }

    // `_select_by_rule` of alignment/assignment.py.
    bool select(double tie, const Index *index) {
        const std::vector<double> &price = matching_.price;
        std::size_t n_tied = 0;
        tied_.resize(edges.size());
        for (std::size_t e = 0; e < edges.size(); ++e) {
            tied_[n_tied] = static_cast<Index>(e);
            n_tied += (exists[e] != 0) & (edge_loss(e) <= tie);
        }
        tied_.resize(n_tied);
        chosen.clear();
        options_.assign(price.size(), 0);
        for (const Index e : tied_) {
            ++options_[row_[e]];
            ++options_[column_[e]];
        }
        required_.resize(price.size());
        for (std::size_t unit = 0; unit < price.size(); ++unit) required_[unit] = price[unit] > tie;
        covered_.assign(price.size(), 0);
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
        match_rest(false, index); // the fewest pairs
        tight_.clear();
        for (std::size_t at = 0; at < rest_.size(); ++at) {
            const Index e = rest_[at];
            if (whole_price_[row_[e]] + whole_price_[column_[e]] == value_[at]) tight_.push_back(e);
        }
        if (tight_.size() > matched_.size()) { // several selections of so many pairs: the least Σ h decides
            if (index == nullptr) return false;
            for (std::size_t unit = 0; unit < price.size(); ++unit) required_[unit] = whole_price_[unit] > 0.0;
            rest_.swap(tight_);
            match_rest(true, index);
        }
        for (const Index at : matched_) chosen.push_back(rest_[at]);
        return true;
    }

    // Match `rest_` in whole numbers: each pair costs 1, or its h less those of its units alone.
    void match_rest(bool by_hash, const Index *index) {
        begin_.assign(n_rows_ + 1, 0);
        rest_column_.clear();
        value_.clear();
        for (const Index e : rest_) {
            const double penalty = by_hash ? tie_bits_of_pair(index[edges[e]->first], index[edges[e]->second]) : 1.0;
            ++begin_[row_[e] + 1];
            rest_column_.push_back(column_[e] - static_cast<std::int64_t>(n_rows_));
            value_.push_back(kRequired * required_[row_[e]] + kRequired * required_[column_[e]] - penalty);
        }
        for (std::size_t row = 0; row < n_rows_; ++row) begin_[row + 1] += begin_[row];
        whole_matching_.reset(begin_.data(), rest_column_.data(), value_.data(), n_rows_, units_.size() - n_rows_);
        whole_matching_.solve();
        matched_.clear();
        for (const std::int64_t edge : whole_matching_.edge)
            if (edge >= 0) matched_.push_back(static_cast<Index>(edge));
        whole_price_.assign(whole_matching_.row_price.begin(), whole_matching_.row_price.end());
        whole_price_.insert(whole_price_.end(), whole_matching_.column_price.begin(),
                            whole_matching_.column_price.end());
    }

    std::size_t n_sample_ = 0, n_rows_ = 0;
    bool is_whole_decided_ = false;
    SeamMatching matching_;
    Matching whole_matching_; // in whole numbers
    std::vector<Index> row_, column_, units_, matched_, tied_, options_, rest_, tight_, extra_, n_extra_;
    std::vector<std::int64_t> begin_, rest_column_;
    std::vector<std::int8_t> covered_, required_;
    std::vector<double> saving_, value_, whole_price_, unit_loss_;
};

// What one group of offsets is made of: two rows of units of one document, and the law of their distance.
struct TurnGroup {
    std::int64_t first_begin, first_end, second_begin, second_end, labels, table;
    double span, distance, count, fraction;
    std::int64_t integer, symmetric, points;

    // Whether only the points differ.
    bool has_rows_of(const TurnGroup &other) const {
        const auto facts = [](const TurnGroup &group) {
            return std::tie(group.first_begin, group.first_end, group.second_begin, group.second_end, group.labels,
                            group.table, group.span, group.distance, group.count, group.integer, group.symmetric);
        };
        return facts(*this) == facts(other);
    }
};

class TurnAverage {
  public:
    TurnAverage(const double *start, const double *length, const std::int64_t *label, const double *categorial,
                double alpha, double beta, double factor)
        : start_(start), length_(length), label_(label), categorial_(categorial), alpha_(alpha), beta_(beta),
          factor_(factor) {}

    // Add to `sums`: the mean cost, Σ probability·δ_cat and probability of δ_cat; to `sums_k` the last two by label.
    void run(const TurnGroup &group, double *sums, double *sums_k) {
        const bool has_same_rows = group_ != nullptr && group.has_rows_of(*group_);
        group_ = &group;
        sums_ = sums;
        sums_k_ = sums_k;
        const double measure = group.symmetric ? group.count / 2.0 : group.count;
        if (!has_same_rows) {
            set_rows();
            prepare_pairs();
            find_support(measure);
        }
        next_found_ = 0;
        active_.clear();
        double total = 0.0;
        for (const Span &span : support_) total += span.high - span.low;
        if (group.points == 0) {
            for (const Span &span : support_)
                for (double at = span.low; at < span.high; at += 1.0)
                    add_offset(at, std::min(span.high - at, 1.0) / measure);
        } else {
            add_lattice(total, measure);
        }
        sums[0] += (1.0 - total / measure) * static_cast<double>(na_ + nb_);
    }

  private:
    struct Span {
        double low, high;
        Index pair;
    };
    struct Active {
        Index pair;
        double high;
    };
    struct Unit {
        double start, length;
        Index label;
    };
    struct Pair {
        double middle, reach, total, shift, categorial;
    };

    void set_rows() {
        na_ = static_cast<std::size_t>(group_->first_end - group_->first_begin);
        nb_ = static_cast<std::size_t>(group_->second_end - group_->second_begin);
        n_labels_ = static_cast<std::size_t>(group_->labels);
        units_.clear();
        for (std::int64_t unit = group_->first_begin; unit < group_->first_end; ++unit) add_unit(unit);
        for (std::int64_t unit = group_->second_begin; unit < group_->second_end; ++unit) add_unit(unit);
    }

    void add_unit(std::int64_t unit) {
        units_.push_back({start_[unit], length_[unit], static_cast<Index>(label_[unit])});
    }

    void add_lattice(double total, double measure) {
        const double points = static_cast<double>(group_->points), weight = total / points / measure;
        std::size_t at = 0;
        double before = 0.0;
        for (std::int64_t i = 0; i < group_->points; ++i) {
            const double fraction = i % 2 == 0 ? group_->fraction : 1.0 - group_->fraction;
            const double place = (static_cast<double>(i) + fraction) / points * total;
            while (at + 1 < support_.size() && place - before >= support_[at].high - support_[at].low) {
                before += support_[at].high - support_[at].low;
                ++at;
            }
            if (support_.empty()) return;
            double offset = support_[at].low + (place - before);
            if (group_->integer) offset = std::floor(offset);
            add_offset(offset, weight);
        }
    }

    // What each pair of units needs at every offset.
    void prepare_pairs() {
        pairs_.clear();
        for (std::size_t i = 0; i < na_; ++i) {
            const Unit &u = units_[i];
            for (std::size_t j = 0; j < nb_; ++j) {
                const Unit &v = units_[na_ + j];
                const double categorial = categorial_[group_->table + u.label * group_->labels + v.label];
                const double limit = 2.0 - beta_ * categorial, total = u.length + v.length;
                const double shift = v.length - u.length;
                double reach = -1.0; // the units are never aligned
                if (limit > kFree) {
                    reach = alpha_ > 0.0 ? std::sqrt(limit / alpha_) * total / 2.0 : 2.0 * group_->span;
                    if (total == 0.0) reach = 0.0;
                    reach = std::min(reach, 2.0 * group_->span) + kReachSlack * group_->span;
                }
                pairs_.push_back({shift / 2.0, reach, total, shift, categorial});
            }
        }
    }

    // The offsets, less the smallest, at which some units may meet: disjoint spans of [0, measure), ascending.
    void find_support(double measure) {
        found_.clear();
        for (std::size_t i = 0; i < na_; ++i) {
            for (std::size_t j = 0; j < nb_; ++j) {
                const Pair &pair = pairs_[i * nb_ + j];
                if (pair.reach < 0.0) continue;
                const double base = units_[na_ + j].start - units_[i].start + pair.middle + group_->distance;
                for (int turn = -2; turn <= 4; ++turn) {
                    const double centre = turn * group_->span - base;
                    double low = centre - pair.reach, high = centre + pair.reach;
                    if (low >= measure) break;
                    if (high < 0.0) continue;
                    if (group_->integer) {
                        low = std::ceil(low);
                        high = std::floor(high) + 1.0;
                    }
                    low = std::max(low, 0.0);
                    high = std::min(high, measure);
                    if (low < high) found_.push_back({low, high, static_cast<Index>(i * nb_ + j)});
                }
            }
        }
        std::sort(found_.begin(), found_.end(), [](const Span &one, const Span &other) {
            return one.low < other.low || (one.low == other.low && one.high < other.high);
        });
        support_.clear();
        for (const Span &span : found_) {
            if (!support_.empty() && span.low <= support_.back().high)
                support_.back().high = std::max(support_.back().high, span.high);
            else
                support_.push_back(span);
        }
    }

    // Add the mean over all turns of two rows at this offset, less the smallest; offsets come in ascending order.
    void add_offset(double above_smallest, double weight) {
        const double span = group_->span, offset = group_->distance + above_smallest;
        find_active(above_smallest);
        place_.resize(na_ + nb_);
        for (std::size_t i = 0; i < na_; ++i) place_[i] = units_[i].start;
        wrapped_ = nb_; // the first unit of the second row that wraps
        for (std::size_t j = 0; j < nb_; ++j) {
            double place = units_[na_ + j].start + offset;
            if (place >= span) {
                place -= span;
                wrapped_ = std::min(wrapped_, j);
            }
            place_[na_ + j] = place;
        }
        find_edges();
        const double units = static_cast<double>(na_ + nb_);
        if (edges_.empty()) {
            sums_[0] += weight * units;
        } else if (edges_.size() == 1) {
            add_single(edges_[0], weight);
        } else {
            order_units(false);
            components_.find(edges_, na_ + nb_);
            bool uses_order = align();
            if (uses_order && coincide_) { // either row may be the first one of a sample
                collect(weight / 2.0);
                order_units(true);
                align();
                collect(weight / 2.0);
            } else {
                collect(weight);
            }
        }
    }

    // List the pairs of units that may meet at this offset, sorted. A pair may stay that meets again after a turn.
    void find_active(double at) {
        const double slack = kReachSlack * group_->span;
        std::size_t n_kept = 0;
        for (const Active &one : active_)
            if (one.high + slack >= at) active_[n_kept++] = one;
        active_.resize(n_kept);
        for (; next_found_ < found_.size() && found_[next_found_].low - slack <= at; ++next_found_) {
            const Span &span = found_[next_found_];
            if (span.high + slack < at) continue;
            const auto place = std::lower_bound(active_.begin(), active_.end(), span.pair,
                                                [](const Active &one, Index pair) { return one.pair < pair; });
            if (place != active_.end() && place->pair == span.pair)
                place->high = std::max(place->high, span.high);
            else
                active_.insert(place, {span.pair, span.high});
        }
    }

    void find_edges() {
        edges_.clear();
        const double span = group_->span;
        for (const Active &active : active_) {
            const std::size_t i = static_cast<std::size_t>(active.pair) / nb_;
            const std::size_t j = static_cast<std::size_t>(active.pair) - i * nb_;
            const Pair &pair = pairs_[active.pair];
            const double apart = place_[na_ + j] - place_[i], middle = apart + pair.middle;
            if (std::fabs(middle) <= pair.reach) consider(i, j, pair, apart, false);
            if (apart > 0.0) {
                if (std::fabs(middle - span) <= pair.reach) consider(i, j, pair, apart - span, true);
            } else if (apart < 0.0) {
                if (std::fabs(middle + span) <= pair.reach) consider(i, j, pair, apart + span, true);
            }
        }
    }

    void consider(std::size_t i, std::size_t j, const Pair &pair, double apart, bool wraps) {
        const double difference = std::fabs(apart) + std::fabs(apart + pair.shift);
        double ratio = 0.0;
        if (difference != 0.0) {
            if (pair.total == 0.0) return;
            ratio = difference / pair.total;
            ratio = ratio * ratio;
        }
        const double saving = 2.0 - (alpha_ * ratio + beta_ * pair.categorial);
        if (!(saving > kFree)) return;
        double confidence = 1.0 - factor_ * ratio;
        if (!(confidence > kMinConfidence)) confidence = 0.0;
        const std::size_t second = na_ + j;
        edges_.push_back({static_cast<Index>(i), static_cast<Index>(second), saving, confidence,
                          confidence * pair.categorial, wraps, units_[i].label, units_[second].label});
    }

    // The only edge: its probability is known.
    void add_single(const TurnEdge &edge, double weight) {
        const double between = std::fabs(place_[edge.second] - place_[edge.first]) / group_->span;
        const double chance = weight * (edge.wraps ? between : 1.0 - between);
        sums_[0] += weight * static_cast<double>(na_ + nb_) - chance * edge.saving;
        if (!(edge.weight > 0.0)) return;
        const double disorder = chance * (edge.distance / edge.weight);
        sums_[1] += disorder;
        sums_[2] += chance;
        add_k(edge.label, disorder, chance);
        if (edge.other_label != edge.label) add_k(edge.other_label, disorder, chance);
    }

    void add_k(Index label, double disorder, double chance) {
        sums_k_[2 * label] += disorder;
        sums_k_[2 * label + 1] += chance;
    }

    // Merge the rows in canonical order; `coincide_` if units of both have the same bounds.
    void order_units(bool second_first) {
        const std::size_t n = na_ + nb_;
        order_.resize(n);
        coincide_ = false;
        std::size_t i = 0, j = 0;
        for (std::size_t at = 0; at < n; ++at) {
            bool take_second = i == na_;
            const std::size_t v = na_ + (wrapped_ + j < nb_ ? wrapped_ + j : wrapped_ + j - nb_);
            if (i < na_ && j < nb_) {
                if (place_[v] != place_[i]) {
                    take_second = place_[v] < place_[i];
                } else if (units_[v].length != units_[i].length) {
                    take_second = units_[v].length < units_[i].length;
                } else {
                    coincide_ = true;
                    take_second = second_first;
                }
            }
            if (take_second) {
                order_[at] = static_cast<Index>(v);
                ++j;
            } else {
                order_[at] = static_cast<Index>(i++);
            }
        }
        rank_.resize(n);
        gap_.resize(n);
        gap_rank_.clear();
        gap_weight_.clear();
        for (std::size_t at = 0; at < n; ++at) {
            const Index unit = order_[at];
            if (at == 0 || place_[unit] != place_[order_[at - 1]]) {
                gap_rank_.push_back(static_cast<Index>(at));
                const double back = at == 0 ? place_[unit] - place_[order_[n - 1]] + group_->span
                                            : place_[unit] - place_[order_[at - 1]];
                gap_weight_.push_back(back / group_->span);
            }
            rank_[unit] = static_cast<Index>(at);
            gap_[unit] = static_cast<Index>(gap_rank_.size()) - 1;
        }
    }

    // Align at every seam; return whether canonical indices decided between ties.
    bool align() {
        const std::size_t n = na_ + nb_, gaps = gap_weight_.size();
        saved_.assign(gaps, 0.0);
        weight_.assign(gaps, 0.0);
        distance_.assign(gaps, 0.0);
        weight_k_.resize(gaps * n_labels_);
        distance_k_.resize(gaps * n_labels_);
        has_label_.assign(n_labels_, 0);
        local_.assign(n, -1);
        bool uses_order = false;
        for (std::size_t c = 0; c < n; ++c) {
            const Index begin = components_.begin[c], stop = components_.begin[c + 1];
            if (begin == stop) continue;
            if (stop - begin == 1) {
                align_edge(edges_[components_.edge[begin]]);
            } else {
                uses_order = align_component(begin, stop) || uses_order;
            }
        }
        return uses_order;
    }

    // The only edge of a component is aligned wherever it exists.
    void align_edge(const TurnEdge &edge) {
        const auto [low, high] = std::minmax(gap_[edge.first], gap_[edge.second]);
        if (edge.wraps) {
            add_edge(edge, low + 1, high);
        } else {
            add_edge(edge, 0, low);
            add_edge(edge, high + 1, static_cast<Index>(gap_weight_.size()) - 1);
        }
    }

    void add_edge(const TurnEdge &edge, Index low, Index high) {
        add(saved_.data(), edge.saving, low, high);
        if (!(edge.weight > 0.0)) return;
        add(weight_.data(), edge.weight, low, high);
        add(distance_.data(), edge.distance, low, high);
        add_label(edge.label, edge.weight, edge.distance, low, high);
        if (edge.other_label != edge.label) add_label(edge.other_label, edge.weight, edge.distance, low, high);
    }

    void add_sums(const PairSums &sums, Index low, Index high) {
        add(saved_.data(), sums.saving, low, high);
        if (!(sums.weight > 0.0)) return;
        add(weight_.data(), sums.weight, low, high);
        add(distance_.data(), sums.distance, low, high);
        for (std::size_t label = 0; label < n_labels_; ++label) {
            const double weight = sums.by_label[2 * label];
            if (weight > 0.0) add_label(static_cast<Index>(label), weight, sums.by_label[2 * label + 1], low, high);
        }
    }

    static void add(double *values, double value, Index low, Index high) {
        for (Index gap = low; gap <= high; ++gap) values[gap] += value;
    }

    void add_label(Index label, double weight, double distance, Index low, Index high) {
        const std::size_t gaps = gap_weight_.size(), begin = gaps * static_cast<std::size_t>(label);
        double *weights = weight_k_.data() + begin, *distances = distance_k_.data() + begin;
        if (!has_label_[label]) {
            has_label_[label] = 1;
            std::fill(weights, weights + gaps, 0.0);
            std::fill(distances, distances + gaps, 0.0);
        }
        add(weights, weight, low, high);
        add(distances, distance, low, high);
    }

    // Between two successive starts of its own units, the edges of a component are the same at every seam.
    bool align_component(Index begin, Index stop) {
        const auto gaps = static_cast<Index>(gap_weight_.size());
        const auto n_edges = static_cast<std::size_t>(stop - begin);
        starts_.assign(gaps, 0);
        choice_.edges.resize(n_edges);
        low_.resize(n_edges);
        high_.resize(n_edges);
        wraps_.resize(n_edges);
        for (std::size_t at = 0; at < n_edges; ++at) {
            const TurnEdge &edge = edges_[components_.edge[static_cast<std::size_t>(begin) + at]];
            const auto [low, high] = std::minmax(gap_[edge.first], gap_[edge.second]);
            choice_.edges[at] = &edge;
            low_[at] = low;
            high_[at] = high;
            wraps_[at] = edge.wraps;
            starts_[low] = starts_[high] = 1;
        }
        choice_.prepare(na_ + nb_, local_);
        has_whole_ = false;
        bool uses_order = false;
        Index first = 0;
        for (Index gap = 0; gap < gaps; ++gap) {
            if (!starts_[gap]) continue;
            uses_order = add_run(first, gap) || uses_order;
            first = gap + 1;
        }
        // beyond the last start, the seam is outside the component, as before the first
        if (first < gaps) uses_order = add_run(first, gaps - 1) || uses_order;
        return uses_order;
    }

    // Align the component at the seams from `low` to `high`.
    bool add_run(Index low, Index high) {
        for (std::size_t e = 0; e < low_.size(); ++e) {
            const bool is_between = (low_[e] < high) & (high <= high_[e]);
            choice_.exists[e] = is_between == (wraps_[e] != 0);
        }
        if (!choice_.align()) {
            for (Index gap = low; gap <= high; ++gap) {
                index_at(gap);
                choice_.choose(index_.data());
                sum_chosen(choice_.chosen, run_);
                add_sums(run_, gap, gap);
            }
            return true;
        }
        if (!choice_.is_whole) {
            sum_chosen(choice_.chosen, run_);
            add_sums(run_, low, high);
            return false;
        }
        if (!has_whole_) sum_chosen(choice_.whole, whole_);
        has_whole_ = true;
        add_sums(whole_, low, high);
        return false;
    }

    void sum_chosen(const std::vector<Index> &chosen, PairSums &sums) {
        sums.clear(n_labels_);
        for (const Index e : chosen) sums.add(*choice_.edges[e]);
    }

    // The canonical index of each unit if the extent begins at this seam.
    void index_at(Index gap) {
        const auto n = static_cast<Index>(na_ + nb_);
        index_.resize(na_ + nb_);
        for (Index unit = 0; unit < n; ++unit) {
            const Index index = rank_[unit] - gap_rank_[gap];
            index_[unit] = index < 0 ? index + n : index;
        }
    }

    void collect(double weight) {
        const double units = static_cast<double>(na_ + nb_);
        const std::size_t gaps = gap_weight_.size();
        chance_.resize(gaps);
        for (std::size_t gap = 0; gap < gaps; ++gap) {
            chance_[gap] = weight * gap_weight_[gap];
            sums_[0] += chance_[gap] * (units - saved_[gap]);
        }
        add_disorders(weight_.data(), distance_.data(), sums_[1], sums_[2]);
        for (std::size_t label = 0; label < n_labels_; ++label) {
            if (!has_label_[label]) continue;
            const std::size_t begin = gaps * label;
            add_disorders(&weight_k_[begin], &distance_k_[begin], sums_k_[2 * label], sums_k_[2 * label + 1]);
        }
    }

    // Add probability · distance / weight over the seams that have a weight, and their probability.
    void add_disorders(const double *weight, const double *distance, double &disorder, double &chance) const {
        for (std::size_t gap = 0; gap < chance_.size(); ++gap) {
            if (!(weight[gap] > 0.0)) continue;
            disorder += chance_[gap] * (distance[gap] / weight[gap]);
            chance += chance_[gap];
        }
    }

    const double *start_, *length_;
    const std::int64_t *label_;
    const double *categorial_;
    const double alpha_, beta_, factor_;
    const TurnGroup *group_ = nullptr;
    std::size_t na_ = 0, nb_ = 0, n_labels_ = 0, wrapped_ = 0;
    double *sums_ = nullptr, *sums_k_ = nullptr;
    bool coincide_ = false, has_whole_ = false;
    std::vector<Unit> units_;
    std::vector<Pair> pairs_;
    std::vector<Span> found_, support_; // sorted by their begin
    std::size_t next_found_ = 0;        // the first of `found_` that was not reached yet
    std::vector<Active> active_;
    std::vector<TurnEdge> edges_;
    EdgeComponents components_;
    std::vector<double> place_, gap_weight_, saved_, weight_, distance_, chance_;
    std::vector<double> weight_k_, distance_k_; // of each seam, label by label; undefined for labels without edges
    std::vector<std::int8_t> has_label_;
    std::vector<Index> order_, rank_, gap_, gap_rank_, local_, index_, low_, high_;
    std::vector<std::int8_t> starts_, wraps_; // which gaps begin at a start of the component; whether its edges wrap
    PairSums whole_, run_;
    ComponentChoice choice_;
};

inline auto turn_averages(Ints rows, Ints kinds, Floats laws, Floats start, Floats length, Ints label,
                          Floats categorial, double alpha, double beta, double factor, std::int64_t n_threads) {
    const std::size_t n_groups = laws.size() / 4;
    std::vector<TurnGroup> groups(n_groups);
    std::vector<std::size_t> at_k(n_groups + 1, 0);
    for (std::size_t g = 0; g < n_groups; ++g) {
        const std::int64_t *row = rows.data() + 6 * g, *kind = kinds.data() + 3 * g;
        const double *law = laws.data() + 4 * g;
        groups[g] = {row[0], row[1], row[2], row[3], row[4], row[5], law[0], law[1],
                     law[2], law[3], kind[0], kind[1], kind[2]};
        at_k[g + 1] = at_k[g] + static_cast<std::size_t>(row[4]);
    }
    std::vector<double> sums(3 * n_groups, 0.0), sums_k(2 * at_k[n_groups], 0.0);
    {
        nb::gil_scoped_release release;
        std::atomic<std::size_t> next{0};
        const auto work = [&] {
            TurnAverage average(start.data(), length.data(), label.data(), categorial.data(), alpha, beta, factor);
            for (std::size_t g = next++; g < n_groups; g = next++)
                average.run(groups[g], sums.data() + 3 * g, sums_k.data() + 2 * at_k[g]);
        };
        std::vector<std::thread> threads;
        for (std::int64_t i = 1; i < n_threads; ++i) threads.emplace_back(work);
        work();
        for (std::thread &thread : threads) thread.join();
    }
    return nb::make_tuple(to_numpy(std::move(sums), 3), to_numpy(std::move(sums_k), 2));
}

inline void bind_turns(nb::module_ &m) {
    m.def("turn_averages", &turn_averages, nb::arg("rows"), nb::arg("kinds"), nb::arg("laws"), nb::arg("start"),
          nb::arg("length"), nb::arg("label"), nb::arg("categorial"), nb::arg("alpha"), nb::arg("beta"),
          nb::arg("factor"), nb::arg("n_threads"));
}

} // namespace gamma_align
