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

// One edge between units of the two rows. It exists if the seam is between their starts just if it `wraps`.
struct TurnEdge {
    std::int64_t first, second;
    double saving, weight, distance;
    bool wraps;
};

// The best matching of one component, and of what a seam leaves of it. Units are numbered by the order of their first
// edges: those of the first row, then those of the second.
class SeamMatching {
  public:
    std::vector<double> price; // of each unit: no edge saves more than its two units
    std::vector<std::int64_t> mate; // the edge that each unit is matched by, or -1

    // Match the units, given the two units of each edge, sorted by the first, and what it saves.
    void solve(const std::vector<std::int64_t> &one, const std::vector<std::int64_t> &other,
               const std::vector<double> &saving, std::size_t n_first, std::size_t n_units) {
        one_ = &one;
        other_ = &other;
        saving_ = &saving;
        n_units_ = n_units;
        list_edges();
        exists_.assign(one.size(), 1);
        mate.assign(n_units, -1);
        price.assign(n_units, 0.0);
        for (std::size_t e = 0; e < one.size(); ++e)
            price[one[e]] = std::max(price[one[e]], saving[e]);
        for (std::size_t unit = 0; unit < n_first; ++unit) enter(static_cast<std::int64_t>(unit));
        whole_price_ = price;
        whole_mate_ = mate;
    }

    // Match what is left without the edges that do not exist, beginning with the matching of all edges. Return
    // whether an edge of that is missing.
    bool restrict_to(const std::vector<std::int8_t> &exists) {
        price = whole_price_;
        mate = whole_mate_;
        exposed_.clear();
        for (std::size_t unit = 0; unit < n_units_; ++unit)
            if (mate[unit] >= 0 && !exists[mate[unit]]) exposed_.push_back(static_cast<std::int64_t>(unit));
        if (exposed_.empty()) return false;
        exists_ = exists;
        for (const std::int64_t unit : exposed_) mate[unit] = -1;
        for (const std::int64_t unit : exposed_)
            if (mate[unit] < 0 && price[unit] > 0.0) enter(unit);
        return true;
    }

  private:
    void list_edges() {
        begin_.assign(n_units_ + 1, 0);
        for (std::size_t e = 0; e < one_->size(); ++e) {
            ++begin_[(*one_)[e] + 1];
            ++begin_[(*other_)[e] + 1];
        }
        for (std::size_t unit = 0; unit < n_units_; ++unit) begin_[unit + 1] += begin_[unit];
        place_.assign(begin_.begin(), begin_.end() - 1);
        listed_.resize(2 * one_->size());
        for (std::size_t e = 0; e < one_->size(); ++e) {
            listed_[place_[(*one_)[e]]++] = static_cast<std::int64_t>(e);
            listed_[place_[(*other_)[e]]++] = static_cast<std::int64_t>(e);
        }
    }

    std::int64_t partner(std::int64_t edge, std::int64_t unit) const {
        return (*one_)[edge] + (*other_)[edge] - unit;
    }

    // Find the shortest alternating path from an unmatched unit to one that may stay unmatched; exchange its edges.
    void enter(std::int64_t root) {
        constexpr double infinity = std::numeric_limits<double>::infinity();
        reach_.assign(n_units_, infinity); // of units on the side of the root
        distance_.assign(n_units_, infinity);
        via_.assign(n_units_, -1);
        done_.assign(n_units_, 0);
        limit_ = price[root];
        end_ = root;
        reach_[root] = 0.0;
        relax(root);
        while (true) {
            std::int64_t best = -1;
            for (const std::int64_t unit : touched_)
                if (!done_[unit] && distance_[unit] < limit_ && (best < 0 || distance_[unit] < distance_[best]))
                    best = unit;
            if (best < 0) break;
            done_[best] = 1;
            const std::int64_t row = partner(mate[best], best);
            reach_[row] = distance_[best];
            if (reach_[row] + price[row] < limit_) {
                limit_ = reach_[row] + price[row];
                end_ = row;
            }
            relax(row);
        }
        for (const std::int64_t unit : touched_)
            if (distance_[unit] < limit_) price[unit] += limit_ - distance_[unit];
        touched_.clear();
        for (std::size_t unit = 0; unit < n_units_; ++unit)
            if (reach_[unit] < limit_) price[unit] = std::max(price[unit] - (limit_ - reach_[unit]), 0.0);
        flip(root);
    }

    void relax(std::int64_t row) {
        for (std::int64_t at = begin_[row]; at < begin_[row + 1]; ++at) {
            const std::int64_t edge = listed_[at];
            if (!exists_[edge] || edge == mate[row]) continue;
            const std::int64_t unit = partner(edge, row);
            const double slack = std::max(price[row] + price[unit] - (*saving_)[edge], 0.0);
            const double length = reach_[row] + slack;
            if (length >= distance_[unit] || length >= limit_) continue;
            if (distance_[unit] == std::numeric_limits<double>::infinity()) touched_.push_back(unit);
            distance_[unit] = length;
            via_[unit] = edge;
            if (mate[unit] < 0) {
                limit_ = length;
                end_ = unit;
            }
        }
    }

    // Exchange matched and unmatched edges from the end of the path to its root.
    void flip(std::int64_t root) {
        std::int64_t unit = end_;
        if (reach_[end_] < std::numeric_limits<double>::infinity()) { // the end is dropped
            price[end_] = 0.0;
            if (end_ == root) return;
            const std::int64_t edge = mate[end_];
            mate[end_] = -1;
            unit = partner(edge, end_);
        }
        while (true) {
            const std::int64_t edge = via_[unit], row = partner(edge, unit), before = mate[row];
            mate[row] = mate[unit] = edge;
            if (row == root) return;
            unit = partner(before, row);
        }
    }

    const std::vector<std::int64_t> *one_ = nullptr, *other_ = nullptr;
    const std::vector<double> *saving_ = nullptr;
    std::size_t n_units_ = 0;
    double limit_ = 0.0;
    std::int64_t end_ = -1;
    std::vector<std::int8_t> exists_, done_;
    std::vector<std::int64_t> begin_, place_, listed_, whole_mate_, exposed_, via_, touched_;
    std::vector<double> whole_price_, reach_, distance_;
};

// The alignment of one component at a seam, as the tie rule selects it.
class ComponentChoice {
  public:
    std::vector<const TurnEdge *> edges; // of the component, sorted by (first, second)
    std::vector<std::int8_t> exists;     // at the seam
    std::vector<std::int64_t> chosen;    // indices of `edges`

    // Match all edges. `n_units` is the number of units of the sample; `local` is -1 for each of them.
    void prepare(std::size_t n_units, std::vector<std::int64_t> &local) {
        n_sample_ = n_units;
        row_.clear();
        column_.clear();
        saving_.clear();
        units_.clear();
        for (const TurnEdge *edge : edges) row_.push_back(number(edge->first, local));
        n_rows_ = units_.size();
        for (const TurnEdge *edge : edges) column_.push_back(number(edge->second, local));
        for (const TurnEdge *edge : edges) saving_.push_back(edge->saving);
        for (const std::int64_t unit : units_) local[static_cast<std::size_t>(unit)] = -1;
        matching_.solve(row_, column_, saving_, n_rows_, units_.size());
        exists.assign(edges.size(), 1);
        is_whole_decided_ = choose(nullptr);
        if (is_whole_decided_) whole_ = chosen;
    }

    // Match the edges that exist, and choose by the tie rule if that takes no canonical indices: return whether.
    bool align() {
        if (is_whole_decided_) { // if all that is chosen from all edges exists, it is chosen from these, too
            bool remains = true;
            for (const std::int64_t e : whole_) remains = remains && exists[e];
            if (remains) {
                chosen = whole_;
                return true;
            }
        }
        matching_.restrict_to(exists);
        return choose(nullptr);
    }

    // Choose edges by the tie rule; return false if that takes the canonical indices, and none are given. `index` is
    // the canonical index of each unit of the sample.
    bool choose(const std::int64_t *index) {
        if (!select(kTie, index)) return false;
        if (loss() <= kTie) return true;
        return select(std::max(kTie / static_cast<double>(n_sample_), kMinTie), index);
    }

  private:
    std::int64_t number(std::int64_t unit, std::vector<std::int64_t> &local) {
        std::int64_t &index = local[static_cast<std::size_t>(unit)];
        if (index < 0) {
            index = static_cast<std::int64_t>(units_.size());
            units_.push_back(unit);
        }
        return index;
    }

    double edge_loss(std::size_t e) const {
        return std::max(matching_.price[row_[e]] + matching_.price[column_[e]] - saving_[e], 0.0);
    }

    double loss() {
        unit_loss_.assign(matching_.price.begin(), matching_.price.end());
        for (const std::int64_t e : chosen) {
            unit_loss_[row_[e]] = edge_loss(e);
            unit_loss_[column_[e]] = 0.0;
        }
        double total = 0.0;
        for (const double part : unit_loss_) total += part;
        return total;
    }

    // `_select_by_rule` of alignment/assignment.py.
    bool select(double tie, const std::int64_t *index) {
        const std::vector<double> &price = matching_.price;
        tied_.clear();
        for (std::size_t e = 0; e < edges.size(); ++e)
            if (exists[e] && edge_loss(e) <= tie) tied_.push_back(static_cast<std::int64_t>(e));
        chosen.clear();
        std::size_t matched = 0;
        for (const std::int64_t edge : matching_.mate) matched += edge >= 0;
        if (2 * tied_.size() == matched) { // no other edge than the matched ones is tied
            for (const std::int64_t e : tied_)
                if (price[row_[e]] > tie || price[column_[e]] > tie) chosen.push_back(e);
            return true;
        }
        options_.assign(price.size(), 0);
        for (const std::int64_t e : tied_) {
            ++options_[row_[e]];
            ++options_[column_[e]];
        }
        required_.resize(price.size());
        for (std::size_t unit = 0; unit < price.size(); ++unit) required_[unit] = price[unit] > tie;
        covered_.assign(price.size(), 0);
        const auto forces = [&](std::int64_t unit) { return required_[unit] && options_[unit] == 1; };
        for (const std::int64_t e : tied_) {
            if (!forces(row_[e]) && !forces(column_[e])) continue;
            chosen.push_back(e);
            covered_[row_[e]] = covered_[column_[e]] = 1;
        }
        rest_.clear();
        for (const std::int64_t e : tied_) {
            if (covered_[row_[e]] || covered_[column_[e]]) continue;
            if (required_[row_[e]] || required_[column_[e]]) rest_.push_back(e);
        }
        if (rest_.empty()) return true;
        match_rest(false, index); // the fewest pairs
        tight_.clear();
        for (std::size_t at = 0; at < rest_.size(); ++at) {
            const std::int64_t e = rest_[at];
            if (whole_price_[row_[e]] + whole_price_[column_[e]] == value_[at]) tight_.push_back(e);
        }
        if (tight_.size() > matched_.size()) { // several selections of so many pairs: the least Σ h decides
            if (index == nullptr) return false;
            for (std::size_t unit = 0; unit < price.size(); ++unit) required_[unit] = whole_price_[unit] > 0.0;
            rest_.swap(tight_);
            match_rest(true, index);
        }
        for (const std::int64_t at : matched_) chosen.push_back(rest_[at]);
        return true;
    }

    // Match `rest_` in whole numbers: each pair costs 1, or its h less those of its units alone.
    void match_rest(bool by_hash, const std::int64_t *index) {
        begin_.assign(n_rows_ + 1, 0);
        rest_column_.clear();
        value_.clear();
        for (const std::int64_t e : rest_) {
            double penalty = 1.0;
            if (by_hash) {
                const std::uint64_t one = splitmix(static_cast<std::uint64_t>(index[edges[e]->first]));
                const std::uint64_t other = splitmix(static_cast<std::uint64_t>(index[edges[e]->second]));
                penalty = tie_bits(one + other) - tie_bits(one) - tie_bits(other);
            }
            ++begin_[row_[e] + 1];
            rest_column_.push_back(column_[e] - static_cast<std::int64_t>(n_rows_));
            value_.push_back(kRequired * required_[row_[e]] + kRequired * required_[column_[e]] - penalty);
        }
        for (std::size_t row = 0; row < n_rows_; ++row) begin_[row + 1] += begin_[row];
        whole_matching_.reset(begin_.data(), rest_column_.data(), value_.data(), n_rows_, units_.size() - n_rows_);
        whole_matching_.solve();
        matched_.clear();
        for (const std::int64_t edge : whole_matching_.edge)
            if (edge >= 0) matched_.push_back(edge);
        whole_price_.assign(whole_matching_.row_price.begin(), whole_matching_.row_price.end());
        whole_price_.insert(whole_price_.end(), whole_matching_.column_price.begin(),
                            whole_matching_.column_price.end());
    }

    std::size_t n_sample_ = 0, n_rows_ = 0;
    bool is_whole_decided_ = false;
    SeamMatching matching_;
    Matching whole_matching_; // in whole numbers
    std::vector<std::int64_t> row_, column_, units_, begin_, whole_, matched_, tied_, options_, rest_, tight_,
        rest_column_;
    std::vector<std::int8_t> covered_, required_;
    std::vector<double> saving_, value_, whole_price_, unit_loss_;
};

// What one group of offsets is made of: two rows of units of one document, and the law of their distance.
struct TurnGroup {
    std::int64_t first_begin, first_end, second_begin, second_end, labels, table;
    double span, distance, count, fraction;
    std::int64_t integer, symmetric, points;
};

class TurnAverage {
  public:
    TurnAverage(const double *start, const double *length, const std::int64_t *label, const double *categorial,
                double alpha, double beta, double factor)
        : start_(start), length_(length), label_(label), categorial_(categorial), alpha_(alpha), beta_(beta),
          factor_(factor) {}

    // Add to `sums`: the mean cost, Σ probability·δ_cat and probability of δ_cat; to `sums_k` the last two by label.
    void run(const TurnGroup &group, double *sums, double *sums_k) {
        group_ = &group;
        na_ = static_cast<std::size_t>(group.first_end - group.first_begin);
        nb_ = static_cast<std::size_t>(group.second_end - group.second_begin);
        n_labels_ = static_cast<std::size_t>(group.labels);
        sums_ = sums;
        sums_k_ = sums_k;
        prepare_pairs();
        const double measure = group.symmetric ? group.count / 2.0 : group.count;
        find_support(measure);
        double total = 0.0;
        for (const Span &span : support_) total += span.high - span.low;
        if (group.points == 0 || (group.integer && total <= static_cast<double>(group.points))) {
            for (const Span &span : support_)
                for (double at = span.low; at < span.high; at += 1.0)
                    add_offset(group.distance + at, std::min(span.high - at, 1.0) / measure);
        } else {
            add_lattice(total, measure);
        }
        sums[0] += (1.0 - total / measure) * static_cast<double>(na_ + nb_);
    }

  private:
    struct Span {
        double low, high;
    };
    struct Pair {
        double middle, reach, total, shift, categorial;
    };

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
            add_offset(group_->distance + offset, weight);
        }
    }

    // What each pair of units needs at every offset.
    void prepare_pairs() {
        pairs_.clear();
        for (std::size_t i = 0; i < na_; ++i) {
            const std::int64_t u = group_->first_begin + static_cast<std::int64_t>(i);
            for (std::size_t j = 0; j < nb_; ++j) {
                const std::int64_t v = group_->second_begin + static_cast<std::int64_t>(j);
                const double categorial = categorial_[group_->table + label_[u] * group_->labels + label_[v]];
                const double limit = 2.0 - beta_ * categorial, total = length_[u] + length_[v];
                const double shift = length_[v] - length_[u];
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
                const double base = start_[group_->second_begin + static_cast<std::int64_t>(j)] -
                                    start_[group_->first_begin + static_cast<std::int64_t>(i)] + pair.middle +
                                    group_->distance;
                for (int turn = -2; turn <= 4; ++turn) {
                    const double centre = turn * group_->span - base;
                    double low = centre - pair.reach, high = centre + pair.reach;
                    if (group_->integer) {
                        low = std::ceil(low);
                        high = std::floor(high) + 1.0;
                    }
                    low = std::max(low, 0.0);
                    high = std::min(high, measure);
                    if (low < high) found_.push_back({low, high});
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

    // Add the mean over all turns of two rows at this offset.
    void add_offset(double offset, double weight) {
        const double span = group_->span;
        place_.resize(na_ + nb_);
        for (std::size_t i = 0; i < na_; ++i) place_[i] = start_[group_->first_begin + static_cast<std::int64_t>(i)];
        wrapped_ = nb_; // the first unit of the second row that wraps
        for (std::size_t j = 0; j < nb_; ++j) {
            double place = start_[group_->second_begin + static_cast<std::int64_t>(j)] + offset;
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
            find_components();
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

    void find_edges() {
        edges_.clear();
        const double span = group_->span;
        for (std::size_t i = 0; i < na_; ++i) {
            for (std::size_t j = 0; j < nb_; ++j) {
                const Pair &pair = pairs_[i * nb_ + j];
                const double apart = place_[na_ + j] - place_[i], middle = apart + pair.middle;
                if (std::fabs(middle) <= pair.reach) consider(i, j, pair, apart, false);
                if (apart > 0.0) {
                    if (std::fabs(middle - span) <= pair.reach) consider(i, j, pair, apart - span, true);
                } else if (apart < 0.0) {
                    if (std::fabs(middle + span) <= pair.reach) consider(i, j, pair, apart + span, true);
                }
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
        edges_.push_back({static_cast<std::int64_t>(i), static_cast<std::int64_t>(na_ + j), saving, confidence,
                          confidence * pair.categorial, wraps});
    }

    std::int64_t label(std::int64_t unit) const {
        const auto row = static_cast<std::int64_t>(na_);
        return label_[unit < row ? group_->first_begin + unit : group_->second_begin + unit - row];
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
        const std::int64_t one = label(edge.first), other = label(edge.second);
        add_k(one, disorder, chance);
        if (other != one) add_k(other, disorder, chance);
    }

    void add_k(std::int64_t label, double disorder, double chance) {
        sums_k_[2 * label] += disorder;
        sums_k_[2 * label + 1] += chance;
    }

    double unit_length(std::size_t unit) const {
        return length_[unit < na_ ? group_->first_begin + static_cast<std::int64_t>(unit)
                                  : group_->second_begin + static_cast<std::int64_t>(unit - na_)];
    }

    // Merge the rows in canonical order; `coincide_` if units of both have the same bounds.
    void order_units(bool second_first) {
        const std::size_t n = na_ + nb_;
        order_.resize(n);
        coincide_ = false;
        std::size_t i = 0, j = 0;
        for (std::size_t at = 0; at < n; ++at) {
            bool take_second = i == na_;
            const std::size_t v = na_ + (wrapped_ + j) % std::max<std::size_t>(nb_, 1);
            if (i < na_ && j < nb_) {
                if (place_[v] != place_[i]) {
                    take_second = place_[v] < place_[i];
                } else if (unit_length(v) != unit_length(i)) {
                    take_second = unit_length(v) < unit_length(i);
                } else {
                    coincide_ = true;
                    take_second = second_first;
                }
            }
            if (take_second) {
                order_[at] = static_cast<std::int64_t>(v);
                ++j;
            } else {
                order_[at] = static_cast<std::int64_t>(i++);
            }
        }
        rank_.resize(n);
        gap_.resize(n);
        gap_rank_.clear();
        gap_weight_.clear();
        for (std::size_t at = 0; at < n; ++at) {
            const std::int64_t unit = order_[at];
            if (at == 0 || place_[unit] != place_[order_[at - 1]]) {
                gap_rank_.push_back(static_cast<std::int64_t>(at));
                const double back = at == 0 ? place_[unit] - place_[order_[n - 1]] + group_->span
                                            : place_[unit] - place_[order_[at - 1]];
                gap_weight_.push_back(back / group_->span);
            }
            rank_[unit] = static_cast<std::int64_t>(at);
            gap_[unit] = static_cast<std::int64_t>(gap_rank_.size()) - 1;
        }
    }

    std::int64_t root(std::int64_t unit) {
        while (parent_[unit] != unit) {
            parent_[unit] = parent_[parent_[unit]];
            unit = parent_[unit];
        }
        return unit;
    }

    // Sort the edges by component; edges of one keep their order, by (first, second).
    void find_components() {
        const std::size_t n = na_ + nb_;
        parent_.resize(n);
        std::iota(parent_.begin(), parent_.end(), 0);
        for (const TurnEdge &edge : edges_) {
            const std::int64_t one = root(edge.first), other = root(edge.second);
            if (one != other) parent_[std::max(one, other)] = std::min(one, other);
        }
        count_.assign(n + 1, 0);
        for (const TurnEdge &edge : edges_) ++count_[root(edge.first) + 1];
        for (std::size_t unit = 0; unit < n; ++unit) count_[unit + 1] += count_[unit];
        component_.assign(count_.begin(), count_.end());
        sorted_.resize(edges_.size());
        for (std::size_t e = 0; e < edges_.size(); ++e)
            sorted_[count_[root(edges_[e].first)]++] = static_cast<std::int64_t>(e);
    }

    // Align at every seam; return whether canonical indices decided between ties.
    bool align() {
        const std::size_t n = na_ + nb_, gaps = gap_weight_.size();
        saved_.assign(gaps, 0.0);
        weight_.assign(gaps, 0.0);
        distance_.assign(gaps, 0.0);
        weight_k_.assign(gaps * n_labels_, 0.0);
        distance_k_.assign(gaps * n_labels_, 0.0);
        local_.assign(n, -1);
        bool uses_order = false;
        for (std::size_t c = 0; c < n; ++c) {
            const std::int64_t begin = component_[c], stop = component_[c + 1];
            if (begin == stop) continue;
            if (stop - begin == 1) {
                const TurnEdge &edge = edges_[sorted_[begin]];
                for (std::size_t g = 0; g < gaps; ++g)
                    if (exists(edge, static_cast<std::int64_t>(g))) add_edge(edge, g);
            } else {
                uses_order = align_component(begin, stop) || uses_order;
            }
        }
        return uses_order;
    }

    bool exists(const TurnEdge &edge, std::int64_t seam) const {
        const std::int64_t one = gap_[edge.first], other = gap_[edge.second];
        const bool inside = std::min(one, other) < seam && seam <= std::max(one, other);
        return inside == edge.wraps;
    }

    void add_edge(const TurnEdge &edge, std::size_t gap) {
        saved_[gap] += edge.saving;
        if (!(edge.weight > 0.0)) return;
        weight_[gap] += edge.weight;
        distance_[gap] += edge.distance;
        const auto one = static_cast<std::size_t>(label(edge.first)), other = static_cast<std::size_t>(label(edge.second));
        weight_k_[gap * n_labels_ + one] += edge.weight;
        distance_k_[gap * n_labels_ + one] += edge.distance;
        if (one == other) return;
        weight_k_[gap * n_labels_ + other] += edge.weight;
        distance_k_[gap * n_labels_ + other] += edge.distance;
    }

    // Between two successive starts of its own units, the edges of a component are the same at every seam.
    bool align_component(std::int64_t begin, std::int64_t stop) {
        const auto gaps = static_cast<std::int64_t>(gap_weight_.size());
        starts_.clear();
        choice_.edges.clear();
        between_.clear();
        for (std::int64_t at = begin; at < stop; ++at) {
            const TurnEdge &edge = edges_[sorted_[at]];
            choice_.edges.push_back(&edge);
            between_.push_back(std::minmax(gap_[edge.first], gap_[edge.second]));
            starts_.push_back(gap_[edge.first]);
            starts_.push_back(gap_[edge.second]);
        }
        std::sort(starts_.begin(), starts_.end());
        starts_.erase(std::unique(starts_.begin(), starts_.end()), starts_.end());
        choice_.prepare(na_ + nb_, local_);
        bool uses_order = add_run(0, starts_[0]);
        for (std::size_t k = 1; k < starts_.size(); ++k)
            uses_order = add_run(starts_[k - 1] + 1, starts_[k]) || uses_order;
        // beyond the last start, the seam is outside the component, as before the first
        if (starts_.back() + 1 < gaps) uses_order = add_run(starts_.back() + 1, gaps - 1) || uses_order;
        return uses_order;
    }

    // Align the component at the seams from `low` to `high`.
    bool add_run(std::int64_t low, std::int64_t high) {
        for (std::size_t e = 0; e < choice_.edges.size(); ++e)
            choice_.exists[e] = (between_[e].first < high && high <= between_[e].second) == choice_.edges[e]->wraps;
        const bool is_decided = choice_.align();
        for (std::int64_t gap = low; gap <= high; ++gap) {
            if (!is_decided) {
                index_at(gap);
                choice_.choose(index_.data());
            }
            for (const std::int64_t e : choice_.chosen) add_edge(*choice_.edges[e], static_cast<std::size_t>(gap));
        }
        return !is_decided;
    }

    // The canonical index of each unit if the extent begins at this seam.
    void index_at(std::int64_t gap) {
        const auto n = static_cast<std::int64_t>(na_ + nb_);
        index_.resize(na_ + nb_);
        for (std::size_t unit = 0; unit < na_ + nb_; ++unit) {
            const std::int64_t index = rank_[unit] - gap_rank_[gap];
            index_[unit] = index < 0 ? index + n : index;
        }
    }

    void collect(double weight) {
        const double units = static_cast<double>(na_ + nb_);
        for (std::size_t gap = 0; gap < gap_weight_.size(); ++gap) {
            const double chance = weight * gap_weight_[gap];
            sums_[0] += chance * (units - saved_[gap]);
            if (!(weight_[gap] > 0.0)) continue;
            sums_[1] += chance * (distance_[gap] / weight_[gap]);
            sums_[2] += chance;
            for (std::size_t label = 0; label < n_labels_; ++label) {
                const double weight_k = weight_k_[gap * n_labels_ + label];
                if (weight_k > 0.0)
                    add_k(static_cast<std::int64_t>(label), chance * (distance_k_[gap * n_labels_ + label] / weight_k),
                          chance);
            }
        }
    }

    const double *start_, *length_;
    const std::int64_t *label_;
    const double *categorial_;
    const double alpha_, beta_, factor_;
    const TurnGroup *group_ = nullptr;
    std::size_t na_ = 0, nb_ = 0, n_labels_ = 0, wrapped_ = 0;
    double *sums_ = nullptr, *sums_k_ = nullptr;
    bool coincide_ = false;
    std::vector<Pair> pairs_;
    std::vector<Span> found_, support_;
    std::vector<TurnEdge> edges_;
    std::vector<double> place_, gap_weight_, saved_, weight_, distance_, weight_k_, distance_k_;
    std::vector<std::int64_t> order_, rank_, gap_, gap_rank_, parent_, count_, component_, sorted_, starts_, local_,
        index_;
    std::vector<std::pair<std::int64_t, std::int64_t>> between_; // seams between the starts of each edge
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
