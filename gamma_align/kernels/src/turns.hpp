// Expected sums of two shifted rows without sampling; plain kernel: plain/turns.py.
#pragma once

#include <array>

#include "seam_sums.hpp"

namespace gamma_align {

constexpr double kFree = 1e-9;          // smaller savings count as none (alignment/candidates.py)
constexpr double kMinConfidence = 1e-9; // smaller confidences are rounding errors (chance/aligned_sums.py)
constexpr double kReachSlack = 1e-9;    // relative; rounding must not exclude offsets at which units meet

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
            order_units(0);
            if (coincide_) order_units(1); // either row may be the first one of a sample
            components_.find(edges_, na_ + nb_);
            if (align()) {
                for (std::size_t order = 0; order < n_orders_; ++order)
                    collect(seams_[order], weight / static_cast<double>(n_orders_));
            } else {
                collect(seams_[0], weight);
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

    // Merge the rows in canonical order; `coincide_` if units of both have the same bounds. In order 1, those of the
    // second row come first.
    void order_units(std::size_t order) {
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
                    take_second = order == 1;
                }
            }
            if (take_second) {
                order_[at] = static_cast<Index>(v);
                ++j;
            } else {
                order_[at] = static_cast<Index>(i++);
            }
        }
        rank_[order].resize(n);
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
            rank_[order][unit] = static_cast<Index>(at);
            gap_[unit] = static_cast<Index>(gap_rank_.size()) - 1;
        }
    }

    // Align at every seam; return whether canonical indices decided between ties.
    bool align() {
        const std::size_t n = na_ + nb_;
        n_orders_ = coincide_ ? 2 : 1;
        for (std::size_t order = 0; order < n_orders_; ++order) seams_[order].begin(gap_weight_.size(), n_labels_);
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
        for (std::size_t order = 0; order < n_orders_; ++order) seams_[order].add_edge(edge, low, high);
    }

    void add_sums(const PairSums &sums, Index low, Index high) {
        for (std::size_t order = 0; order < n_orders_; ++order) seams_[order].add_sums(sums, low, high);
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
                for (std::size_t order = 0; order < n_orders_; ++order) {
                    index_at(gap, rank_[order]);
                    choice_.break_ties(index_.data());
                    sum_chosen(choice_.chosen, run_);
                    seams_[order].add_sums(run_, gap, gap);
                }
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
    void index_at(Index gap, const std::vector<Index> &rank) {
        const auto n = static_cast<Index>(na_ + nb_);
        index_.resize(na_ + nb_);
        for (Index unit = 0; unit < n; ++unit) {
            const Index index = rank[unit] - gap_rank_[gap];
            index_[unit] = index < 0 ? index + n : index;
        }
    }

    void collect(const SeamSums &seams, double weight) {
        chance_.resize(gap_weight_.size());
        for (std::size_t gap = 0; gap < chance_.size(); ++gap) chance_[gap] = weight * gap_weight_[gap];
        seams.collect(chance_, static_cast<double>(na_ + nb_), sums_, sums_k_);
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
    std::vector<double> place_, gap_weight_, chance_;
    std::size_t n_orders_ = 1;       // canonical orders: two if units of both rows coincide
    std::array<SeamSums, 2> seams_;  // of each order
    std::array<std::vector<Index>, 2> rank_;
    std::vector<Index> order_, gap_, gap_rank_, local_, index_, low_, high_;
    std::vector<std::int8_t> starts_, wraps_; // which gaps begin at a start of the component; whether its edges wrap
    PairSums whole_, run_;
    ComponentChoice choice_;
};

inline auto turn_averages(Ints rows, Ints kinds, Floats laws, Floats start, Floats length, Ints label,
                          Floats categorial, double alpha, double beta, double factor) {
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
        TurnAverage average(start.data(), length.data(), label.data(), categorial.data(), alpha, beta, factor);
        for (std::size_t g = 0; g < n_groups; ++g)
            average.run(groups[g], sums.data() + 3 * g, sums_k.data() + 2 * at_k[g]);
    }
    return nb::make_tuple(to_numpy(std::move(sums), 3), to_numpy(std::move(sums_k), 2));
}

inline void bind_turns(nb::module_ &m) {
    m.def("turn_averages", &turn_averages, nb::arg("rows"), nb::arg("kinds"), nb::arg("laws"), nb::arg("start"),
          nb::arg("length"), nb::arg("label"), nb::arg("categorial"), nb::arg("alpha"), nb::arg("beta"),
          nb::arg("factor"));
}

} // namespace gamma_align
