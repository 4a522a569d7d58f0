// Shift samples and documents, drawn or as they are, aligned and summed in one call. There is no plain kernel: without
// this one, `gamma_align.alignment` aligns the same samples, to the same bits.
#pragma once

#include <array>

#include "placed_units.hpp"
#include "sweep.hpp"
#include "turns.hpp"

namespace gamma_align {

constexpr std::size_t kMaxEnumerated = 7; // units of a component whose alignments are all listed
constexpr double kSameCost = 1e-12;       // in units of Δ; costs of equal alignments differ by rounding
constexpr double kUnclearCost = 1e-8;     // costs that differ by less, but more than rounding, are left to the caller
constexpr double kSurelyClear = 1e-7;     // a gain that rounding cannot bring below kUnclearCost
constexpr double kSweepSlack = 1e-9;      // relative (alignment/candidates.py)
constexpr std::size_t kFewUnits = 24;     // of a sample; up to this number all pairs are compared

// The sums of a sample by label, in the order of labels.
struct LabelSums {
    std::vector<std::int64_t> label;
    std::vector<double> sums; // weight, weight · d_cat, pairs, overlaps, their d_cat
};

class ShiftedSample {
  public:
    explicit ShiftedSample(const ShiftedDocuments &documents) : documents_(documents), placed_(documents) {}

    // Write disorder, weight, distance, overlaps and their distance, and the numbers of unitary alignments, of aligned
    // pairs, and of those with a weight; return whether the alignment is clear.
    bool run(const ShiftedDocument &document, std::int64_t number, bool count_overlaps, double *sums,
             std::int64_t *counts, std::int64_t *count_k, LabelSums &by_label) {
        document_ = &document;
        placed_.place(document, number);
        n_pairs_ = static_cast<double>(placed_.n_rows * (placed_.n_rows - 1) / 2);
        const auto n_labels = static_cast<std::size_t>(document.n_labels);
        limit_ = 0.0;
        if (!align()) return false;
        by_label_.assign(5 * n_labels, 0.0);
        has_label_.assign(n_labels, 0);
        sum_aligned(sums, counts);
        sums[3] = sums[4] = 0.0;
        if (count_overlaps) sum_overlaps(sums);
        for (std::size_t label = document.has_unlabelled; label < n_labels; ++label) {
            if (!has_label_[label]) continue;
            ++*count_k;
            by_label.label.push_back(static_cast<std::int64_t>(label));
            by_label.sums.insert(by_label.sums.end(), &by_label_[5 * label], &by_label_[5 * label] + 5);
        }
        return true;
    }

  private:
    struct Pair {
        Index first, second; // the first one is of the lower row
        double ratio;
    };

    double categorial(const PlacedUnit &one, const PlacedUnit &other) const {
        return document_->table[one.label * document_->n_labels + other.label];
    }

    double distance(double ratio, const PlacedUnit &one, const PlacedUnit &other) const {
        const double positional = ratio * documents_.delta, apart = categorial(one, other) * documents_.delta;
        if (std::isinf(positional)) return positional;
        return documents_.alpha * positional + documents_.beta * apart;
    }

    double distance(const Pair &pair) const {
        return distance(pair.ratio, placed_.units[pair.first], placed_.units[pair.second]) / documents_.delta;
    }

    // List the pairs of units of different rows with d_pos / Δ below the limit, sorted by (first, second).
    void find_pairs(double limit) {
        pairs_.clear();
        limit_ = limit;
        const std::vector<PlacedUnit> &units = placed_.units;
        if (units.size() > kFewUnits) {
            find_pairs_by_sweep(limit);
            return;
        }
        for (std::size_t first = 0; first < units.size(); ++first) {
            for (std::size_t second = 0; second < units.size(); ++second) {
                if (units[first].row >= units[second].row) continue;
                const PlacedUnit &one = units[first], &other = units[second];
                const double ratio = sporadic(one.start, one.end, other.start, other.end);
                if (ratio < limit) pairs_.push_back({static_cast<Index>(first), static_cast<Index>(second), ratio});
            }
        }
    }

    void find_pairs_by_sweep(double limit) {
        row_.clear();
        start_.clear();
        end_.clear();
        for (const PlacedUnit &unit : placed_.units) {
            row_.push_back(unit.row);
            start_.push_back(unit.start);
            end_.push_back(unit.end);
        }
        Sweep sweep(row_.data(), start_.data(), end_.data());
        sweep.add(0, static_cast<std::int64_t>(row_.size()), limit);
        for (std::size_t at = 0; at < sweep.pairs.ratio.size(); ++at)
            pairs_.push_back({static_cast<Index>(sweep.pairs.first[at]), static_cast<Index>(sweep.pairs.second[at]),
                              sweep.pairs.ratio[at]});
    }

    // Align the units: `lowest_` is the lowest unit of the unitary alignment of each.
    bool align() {
        const std::size_t n = placed_.units.size();
        lowest_.resize(n);
        std::iota(lowest_.begin(), lowest_.end(), 0);
        if (placed_.n_active < 2) return true;
        const double limit = n_pairs_ + static_cast<double>(placed_.n_active - 1);
        find_pairs(documents_.alpha > 0.0 ? limit / documents_.alpha * (1 + kSweepSlack)
                                          : std::numeric_limits<double>::infinity());
        list_edges(limit);
        if (edges_.empty()) return true;
        components_.find(edges_, n);
        for (std::size_t c = 0; c < n; ++c) {
            const Index begin = components_.begin[c], stop = components_.begin[c + 1];
            if (begin < stop && !align_component(begin, stop)) return false;
        }
        return true;
    }

    // Edges are the candidate pairs, with what they save; of two rows with units, those that save something alone.
    void list_edges(double limit) {
        edges_.resize(pairs_.size());
        std::size_t n_edges = 0; // which pairs are edges can hardly be predicted, so they are listed without a branch
        for (const Pair &pair : pairs_) {
            const double apart = distance(pair);
            const double saving = (1.0 - apart) / n_pairs_;
            TurnEdge &edge = edges_[n_edges];
            edge.first = pair.first;
            edge.second = pair.second;
            edge.saving = saving;
            n_edges += (apart < limit) & ((placed_.n_active != 2) | (1.0 + saving > kFree));
        }
        edges_.resize(n_edges);
    }

    void pair_up(Index one, Index other) { lowest_[std::max(one, other)] = std::min(one, other); }

    bool align_component(Index begin, Index stop) {
        if (is_clear(begin, stop)) return true;
        if (placed_.n_active == 2) return match_component(begin, stop);
        members_.clear();
        for (Index at = begin; at < stop; ++at) {
            const TurnEdge &edge = edges_[components_.edge[at]];
            for (const Index unit : {edge.first, edge.second})
                if (std::find(members_.begin(), members_.end(), unit) == members_.end()) members_.push_back(unit);
            if (members_.size() > kMaxEnumerated) return false;
        }
        return enumerate(begin, stop);
    }

    // Align the units of the only edge, if nothing else costs nearly as little.
    bool is_clear(Index begin, Index stop) {
        const TurnEdge &edge = edges_[components_.edge[begin]];
        if (stop - begin > 1 || !(1.0 + edge.saving > kSurelyClear)) return false;
        pair_up(edge.first, edge.second);
        return true;
    }

    // A matching by the tie rule, as in computed chance.
    bool match_component(Index begin, Index stop) {
        choice_.edges.clear();
        for (Index at = begin; at < stop; ++at) {
            TurnEdge &edge = edges_[components_.edge[at]];
            edge.saving += 1.0;
            choice_.edges.push_back(&edge);
        }
        if (local_.size() < placed_.units.size()) local_.resize(placed_.units.size(), -1); // and -1 again after each component
        choice_.match(placed_.units.size(), local_);
        while (index_.size() < placed_.units.size()) index_.push_back(static_cast<Index>(index_.size()));
        if (!choice_.choose()) choice_.break_ties(index_.data());
        for (const Index e : choice_.chosen) {
            const TurnEdge &edge = *choice_.edges[e];
            pair_up(edge.first, edge.second);
        }
        return true;
    }

    // List all alignments of the members, and take the best one, by the tie rule of alignment/search.py.
    bool enumerate(Index begin, Index stop) {
        std::sort(members_.begin(), members_.end());
        n_members_ = members_.size();
        for (auto &row : saving_) row.fill(kNone);
        for (Index at = begin; at < stop; ++at) {
            const TurnEdge &edge = edges_[components_.edge[at]];
            const std::size_t one = place(edge.first), other = place(edge.second);
            saving_[one][other] = saving_[other][one] = edge.saving;
        }
        for (std::size_t i = 0; i < n_members_; ++i) mixed_[i] = splitmix(static_cast<std::uint64_t>(members_[i]));
        found_.clear();
        least_ = std::numeric_limits<double>::infinity();
        current_ = {};
        cover(0);
        const Alignment *best = nullptr;
        for (const Alignment &one : found_) {
            if (one.cost > least_ + kUnclearCost) continue;
            if (one.cost > least_ + kSameCost) return false;
            if (best == nullptr || one.n_columns > best->n_columns ||
                (one.n_columns == best->n_columns && one.hash < best->hash))
                best = &one;
        }
        for (const Alignment &one : found_) {
            const bool is_close = &one != best && one.cost <= least_ + kUnclearCost;
            if (is_close && one.n_columns == best->n_columns && one.hash == best->hash) return false;
        }
        for (std::size_t i = 0; i < n_members_; ++i) lowest_[members_[i]] = members_[best->lowest[i]];
        return true;
    }

    static constexpr double kNone = -1e300; // no edge

    struct Alignment {
        double cost = 0.0, hash = 0.0; // sums of whole numbers of 24 bits are exact
        int n_columns = 0;
        unsigned covered = 0;
        std::array<std::int8_t, kMaxEnumerated> lowest{};
    };

    std::size_t place(Index unit) const {
        return static_cast<std::size_t>(std::lower_bound(members_.begin(), members_.end(), unit) - members_.begin());
    }

    // Cover the units from `unit` on in all ways.
    void cover(std::size_t unit) {
        while (unit < n_members_ && (current_.covered >> unit & 1U)) ++unit;
        if (unit == n_members_) {
            if (current_.cost > least_ + kUnclearCost) return;
            least_ = std::min(least_, current_.cost);
            found_.push_back(current_);
            return;
        }
        column_[0] = unit;
        extend(1, 1.0, mixed_[unit]);
    }

    // Use the column as it is, and with each later unit that has an edge with all of its units.
    void extend(std::size_t size, double cost, std::uint64_t mixed) {
        const Alignment before = current_;
        current_.cost += cost;
        current_.hash += tie_bits(mixed);
        ++current_.n_columns;
        for (std::size_t at = 0; at < size; ++at) {
            current_.covered |= 1U << column_[at];
            current_.lowest[column_[at]] = static_cast<std::int8_t>(column_[0]);
        }
        const auto column = column_;
        cover(column_[0] + 1);
        column_ = column;
        current_ = before;
        for (std::size_t next = column_[size - 1] + 1; next < n_members_; ++next) {
            if (current_.covered >> next & 1U) continue;
            double saved = 0.0;
            for (std::size_t at = 0; at < size; ++at) saved += saving_[column_[at]][next];
            if (saved < kNone / 2) continue;
            column_[size] = next;
            extend(size + 1, cost - saved, mixed + mixed_[next]);
        }
    }

    // Add up the unitary alignments in the order of their lowest units, as `disorders` and `weighted_pairs` do.
    void sum_aligned(double *sums, std::int64_t *counts) {
        const std::size_t n = placed_.units.size();
        next_.assign(n, -1);
        last_.resize(n);
        std::iota(last_.begin(), last_.end(), 0);
        for (std::size_t unit = 0; unit < n; ++unit) {
            const Index low = lowest_[unit], index = static_cast<Index>(unit);
            next_[last_[low]] = index; // the lowest one follows itself until another does
            last_[low] = index;
        }
        const double alone = (0.0 + documents_.delta * n_pairs_) / n_pairs_;
        double disorder = 0.0, weight = 0.0, distance_sum = 0.0;
        weighted_.clear();
        counts[0] = counts[1] = 0;
        for (std::size_t unit = 0; unit < n; ++unit) {
            if (lowest_[unit] != static_cast<Index>(unit)) continue;
            if (next_[unit] == static_cast<Index>(unit)) {
                ++counts[0];
                disorder += alone;
                continue;
            }
            members_.clear();
            for (Index at = static_cast<Index>(unit); at >= 0; at = next_[at]) members_.push_back(at);
            const std::size_t size = members_.size();
            double total = 0.0;
            for (std::size_t b = 1; b < size; ++b) {
                for (std::size_t a = 0; a < b; ++a) {
                    const PlacedUnit &one = placed_.units[members_[a]], &other = placed_.units[members_[b]];
                    const double ratio = sporadic(one.start, one.end, other.start, other.end);
                    total += distance(ratio, one, other);
                    const double confidence = 1.0 - documents_.factor * (ratio * documents_.delta / documents_.delta);
                    if (!(confidence > kMinConfidence)) continue;
                    const double pair_weight = confidence / static_cast<double>(size - 1);
                    const double apart = categorial(one, other) * documents_.delta / documents_.delta;
                    weight += pair_weight;
                    distance_sum += pair_weight * apart;
                    weighted_.push_back({one.label, other.label, pair_weight, pair_weight * apart});
                }
            }
            const std::size_t n_pairs = size * (size - 1) / 2;
            ++counts[0];
            counts[1] += static_cast<std::int64_t>(n_pairs);
            disorder += (total + documents_.delta * (n_pairs_ - static_cast<double>(n_pairs))) / n_pairs_;
        }
        sums[0] = disorder / (static_cast<double>(n) / static_cast<double>(placed_.n_rows));
        sums[1] = weight;
        sums[2] = distance_sum;
        counts[2] = static_cast<std::int64_t>(weighted_.size());
        add_by_label(0);
    }

    struct Weighted {
        std::int64_t label, other_label;
        double weight, distance;
    };

    // Add the pairs to the sums of their labels: first by the labels of their first units, then by others.
    void add_by_label(std::size_t column) {
        const std::int64_t none = document_->has_unlabelled ? 0 : -1;
        for (const Weighted &pair : weighted_)
            if (pair.label != none) add_label(pair.label, column, pair);
        for (const Weighted &pair : weighted_)
            if (pair.other_label != pair.label && pair.other_label != none) add_label(pair.other_label, column, pair);
    }

    void add_label(std::int64_t label, std::size_t column, const Weighted &pair) {
        has_label_[label] = 1;
        double *sums = &by_label_[5 * label];
        sums[column] += pair.weight;
        sums[column + 1] += pair.distance;
        if (column == 0) sums[2] += 1.0;
    }

    // Count the pairs of units of different rows that overlap, as `overlap_sums` does.
    void sum_overlaps(double *sums) {
        const double limit = (1.0 - kMinConfidence) / documents_.factor;
        if (limit > limit_) find_pairs(limit); // else they are among those found before
        weighted_.resize(pairs_.size());
        std::size_t n_overlaps = 0; // which pairs overlap can hardly be predicted, so they are listed without a branch
        for (const Pair &pair : pairs_) {
            const PlacedUnit &one = placed_.units[pair.first], &other = placed_.units[pair.second];
            weighted_[n_overlaps] = {one.label, other.label, 1.0, categorial(one, other)};
            n_overlaps += pair.ratio < limit;
        }
        weighted_.resize(n_overlaps);
        sums[3] = static_cast<double>(n_overlaps);
        for (const Weighted &pair : weighted_) sums[4] += pair.distance;
        add_by_label(3);
    }

    const ShiftedDocuments &documents_;
    const ShiftedDocument *document_ = nullptr;
    PlacedUnits placed_;
    double n_pairs_ = 1.0, least_ = 0.0; // pairs of rows; least cost of a component
    std::size_t n_members_ = 0;
    double limit_ = 0.0; // of the pairs that are listed
    std::vector<std::int64_t> row_;
    std::vector<double> start_, end_, by_label_;
    std::vector<Pair> pairs_;
    std::vector<TurnEdge> edges_;
    EdgeComponents components_;
    std::vector<Index> lowest_, next_, last_, members_, local_, index_;
    std::vector<std::int8_t> has_label_;
    std::vector<Weighted> weighted_;
    std::array<std::array<double, kMaxEnumerated>, kMaxEnumerated> saving_{};
    std::array<std::uint64_t, kMaxEnumerated> mixed_{};
    std::array<std::size_t, kMaxEnumerated> column_{};
    std::vector<Alignment> found_;
    Alignment current_;
    ComponentChoice choice_;
};

// Draw shift samples and align them, if their best alignments are clear; return their sums. A sample of number -1 is the
// document itself: each of its slots is a row, and no unit is moved.
//
// The alignment is the one of `gamma_align.alignment`: units of two rows are matched; with more rows, all alignments of
// up to seven units that edges connect are listed. An alignment is not clear if another one costs less than 1e-8 more,
// but not the same, or if edges connect more units. All sums have the bits of the samples that `ShiftSampler` draws,
// `solve` aligns, and `statistics` and `overlap_sums` add up.
//
//     document, number, count_overlaps   document and number of each sample; 1 if its overlapping pairs are counted
//     keys            2 words for each document: the key of its stream of random numbers
//     law             3 for each document: begin of the extent, its length, and the minimum distance of offsets
//     kind            7 for each document: number of rows; 1 if offsets are integers; the first of its slots in
//                     `choices`, and their number; the number of its labels; the begin of their table in `categorial`;
//                     1 if label 0 means no label
//     choices         slots that rows are drawn from; the units of slot s are slot_offsets[s] … slot_offsets[s + 1] - 1
//     start, end, label                  units of the slots
//     categorial      tables of d_cat / Δ between the labels of a document, row by row
//     alpha, beta, delta, factor         α, β, Δ, and f of the pairing confidence 1 - f · d_pos / Δ
//
// What is returned, for each sample but the last two:
//
//     is_clear        1 if the alignment is clear; sums and counts of other samples are not defined
//     sums            disorder; Σ weight and Σ weight · d_cat / Δ over aligned pairs that have a weight; number of
//                     overlapping pairs of units of different rows, and Σ d_cat / Δ over them
//     counts          unitary alignments, aligned pairs of units, and aligned pairs with a weight
//     counts_k        labels of such pairs; 0 if the alignment is not clear
//     label_k         these labels, ascending for each sample
//     sums_k          for each of them: weight, weight · d_cat / Δ and number of the aligned pairs that have a weight,
//                     number of overlaps and their Σ d_cat / Δ, over the pairs with a unit of the label
inline auto align_shifted(Ints document, Ints number, Ints count_overlaps, Words keys, Floats law, Ints kind,
                          Ints choices, Ints slot_offsets, Floats start, Floats end, Ints label, Floats categorial,
                          double alpha, double beta, double delta, double factor) {
    const std::size_t n = document.size();
    const ShiftedDocuments documents{keys.data(),  law.data(),   kind.data(), choices.data(), slot_offsets.data(),
                                     label.data(), start.data(), end.data(),  categorial.data(), alpha,
                                     beta,         delta,        factor};
    std::vector<std::int64_t> is_clear(n), counts(3 * n), counts_k(n);
    std::vector<double> sums(5 * n);
    LabelSums by_label;
    {
        nb::gil_scoped_release release;
        ShiftedSample sample(documents);
        for (std::size_t at = 0; at < n; ++at)
            is_clear[at] = sample.run(ShiftedDocument(documents, document.data()[at]), number.data()[at],
                                      count_overlaps.data()[at] != 0, &sums[5 * at], &counts[3 * at], &counts_k[at],
                                      by_label);
    }
    return nb::make_tuple(to_numpy(std::move(is_clear)), to_numpy(std::move(sums), 5), to_numpy(std::move(counts), 3),
                          to_numpy(std::move(counts_k)), to_numpy(std::move(by_label.label)),
                          to_numpy(std::move(by_label.sums), 5));
}

inline void bind_shifted(nb::module_ &m) {
    m.def("align_shifted", &align_shifted, nb::arg("document"), nb::arg("number"), nb::arg("count_overlaps"),
          nb::arg("keys"), nb::arg("law"), nb::arg("kind"), nb::arg("choices"), nb::arg("slot_offsets"),
          nb::arg("start"), nb::arg("end"), nb::arg("label"), nb::arg("categorial"), nb::arg("alpha"), nb::arg("beta"),
          nb::arg("delta"), nb::arg("factor"));
}

} // namespace gamma_align
