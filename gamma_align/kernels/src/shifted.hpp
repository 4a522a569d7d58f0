// Shift samples and documents, drawn or as they are, aligned and summed in one call; plain kernel: plain/shifted.py.
#pragma once

#include "random.hpp"
#include "rows.hpp"
#include "sweep.hpp"

namespace gamma_align {

constexpr std::size_t kMaxEnumerated = 7;  // units of a component whose alignments are all listed
constexpr Index kMaxSearched = 12;         // edges of a component of two rows whose matchings are searched one by one
constexpr double kSameCost = 1e-12;        // in units of Δ; costs of equal alignments differ by rounding
constexpr double kUnclearCost = 1e-8;      // costs that differ by less, but more than rounding, are left to the caller
constexpr double kSweepSlack = 1e-9;       // relative (alignment/candidates.py)
constexpr std::int64_t kDocument = -1;     // number of the document itself, which is not moved
constexpr std::size_t kFewUnits = 24;      // of a sample; up to this number all pairs are compared
// Candidates of two rows that are looked at, for each unit and each near pair. Beyond it, long units are among short
// ones, and the sweep, which sorts, takes less.
constexpr std::size_t kScansPerUnit = 16, kScansPerPair = 4;

// The units that samples of documents are made of, and the laws by which they are moved.
struct ShiftedDocuments {
    const std::uint64_t *keys;
    const double *law;         // low, span, distance
    const std::int64_t *kind;  // rows, integer, first choice, choices, labels, table, whether label 0 is none
    const std::int64_t *choices, *slot_offsets, *label;
    const double *start, *end, *categorial;
    double alpha, beta, delta, factor;
};

// The sums of a sample by label, in the order of labels.
struct LabelSums {
    std::vector<std::int64_t> label;
    std::vector<double> sums; // weight, weight · d_cat, pairs, overlaps, their d_cat
};

class ShiftedSample {
  public:
    explicit ShiftedSample(const ShiftedDocuments &documents) : documents_(documents), sweep_(nullptr, nullptr, nullptr) {}

    // Write disorder, weight, distance, overlaps and their distance, and the numbers of unitary alignments, of aligned
    // pairs, and of those with a weight; return whether the alignment is clear.
    bool run(std::int64_t document, std::int64_t number, bool count_overlaps, double *sums, std::int64_t *counts,
             std::int64_t *count_k, LabelSums &by_label) {
        if (kind_ != documents_.kind + 7 * document) row_matching_.forget();
        kind_ = documents_.kind + 7 * document;
        law_ = documents_.law + 3 * document;
        n_rows_ = kind_[0];
        n_labels_ = static_cast<std::size_t>(kind_[4]);
        table_ = documents_.categorial + kind_[5];
        is_moved_ = number != kDocument;
        if (is_moved_) {
            draw(documents_.keys + 2 * document, static_cast<std::uint64_t>(number));
        } else {
            const auto slots = documents_.choices + kind_[2];
            slot_.assign(slots, slots + n_rows_);
            drawn_.assign(slot_.size(), 0.0);
        }
        place_units();
        limit_ = 0.0;
        if (!align()) return false;
        by_label_.assign(5 * n_labels_, 0.0);
        has_label_.assign(n_labels_, 0);
        sum_aligned(sums, counts);
        sums[3] = sums[4] = 0.0;
        if (count_overlaps) sum_overlaps(sums);
        for (std::size_t label = kind_[6] != 0; label < n_labels_; ++label) {
            if (!has_label_[label]) continue;
            ++*count_k;
            by_label.label.push_back(static_cast<std::int64_t>(label));
            by_label.sums.insert(by_label.sums.end(), &by_label_[5 * label], &by_label_[5 * label] + 5);
        }
        return true;
    }

  private:
    struct Unit {
        double start, end;
        Index row, label;

        bool operator<(const Unit &other) const {
            if (start != other.start) return start < other.start;
            return std::tie(end, row, label) < std::tie(other.end, other.row, other.label);
        }
    };
    struct RowSpan {
        double low, high; // as of `Sweep`
        Index unit;
    };
    struct Pair {
        Index first, second; // the first one is of the lower row
        double ratio;
    };

    // The largest and the second largest saving of a unit's edges.
    struct Savings {
        double most, next;

        void add(double saving) {
            next = std::max(next, std::min(most, saving));
            most = std::max(most, saving);
        }

        double most_without(double saving) const { return saving == most ? next : most; }
    };

    static double uniform(std::uint64_t word) { return static_cast<double>(word >> 11) * 0x1p-53; }

    double categorial(const Unit &one, const Unit &other) const {
        return table_[one.label * kind_[4] + other.label];
    }

    double distance(double ratio, const Unit &one, const Unit &other) const {
        const double positional = ratio * documents_.delta, apart = categorial(one, other) * documents_.delta;
        if (std::isinf(positional)) return positional;
        return documents_.alpha * positional + documents_.beta * apart;
    }

    double distance(const Pair &pair) const {
        return distance(pair.ratio, units_[pair.first], units_[pair.second]) / documents_.delta;
    }

    // Draw an annotator and an offset for each row; a sample without any unit is drawn again.
    void draw(const std::uint64_t *key, std::uint64_t number) {
        const auto n = static_cast<std::size_t>(n_rows_);
        slot_.resize(n);
        drawn_.resize(n);
        std::int64_t n_units = 0;
        for (std::uint64_t attempt = 0; n_units == 0; ++attempt) {
            for (std::size_t row = 0; row < n; ++row) {
                const auto words = philox_words(key, {static_cast<std::uint64_t>(row), number, attempt, 0});
                const auto choice = static_cast<std::int64_t>(uniform(words[0]) * static_cast<double>(kind_[3]));
                slot_[row] = documents_.choices[kind_[2] + choice];
                n_units += documents_.slot_offsets[slot_[row] + 1] - documents_.slot_offsets[slot_[row]];
                drawn_[row] = uniform(row == 0 ? words[2] : words[1]);
            }
        }
        find_offsets();
    }

    // The offsets of the rows from their random numbers: a rotation, then the gaps, which keep the distance.
    void find_offsets() {
        const double span = law_[1], distance = law_[2];
        const double free = span - static_cast<double>(n_rows_) * distance;
        const bool integer = kind_[1] != 0;
        double first = drawn_[0] * span;
        if (integer) first = std::floor(first);
        const bool distinct = integer && distance > 0.0; // integers without a minimum distance are independent
        const std::size_t n_gaps = drawn_.size() - 1;
        for (std::size_t step = 1; step <= n_gaps; ++step) {
            if (!distinct) {
                drawn_[step] *= free;
                if (integer) drawn_[step] = std::floor(drawn_[step]);
                continue;
            }
            const double top = std::floor(free) + static_cast<double>(step - 1); // Floyd's method
            const double value = std::floor(drawn_[step] * (top + 1.0));
            const auto begin = drawn_.begin() + 1, end = begin + static_cast<std::ptrdiff_t>(step - 1);
            drawn_[step] = std::find(begin, end, value) != end ? top : value;
        }
        std::sort(drawn_.begin() + 1, drawn_.end());
        for (std::size_t step = 1; step <= n_gaps; ++step) {
            if (distinct) drawn_[step] -= static_cast<double>(step - 1);
            drawn_[step] = first + (drawn_[step] + distance * static_cast<double>(step));
        }
        drawn_[0] = first;
    }

    // Place the units of all rows, and sort them.
    void place_units() {
        moved_.clear();
        n_active_ = 0;
        for (std::size_t row = 0; row < slot_.size(); ++row) {
            const auto begin = static_cast<std::ptrdiff_t>(moved_.size());
            place_row(row);
            // The units of a slot are sorted, so those that pass the end of the extent come first now.
            const auto first = moved_.begin() + begin;
            if (n_kept_ > 0) std::rotate(first, first + n_kept_, moved_.end());
            if (!std::is_sorted(first, moved_.end())) std::sort(first, moved_.end());
            n_active_ += first != moved_.end();
            if (row == 0) n_first_ = moved_.size();
        }
        if (n_rows_ == 2) {
            merge_rows();
            return;
        }
        units_.swap(moved_);
        if (!std::is_sorted(units_.begin(), units_.end())) std::sort(units_.begin(), units_.end());
    }

    // Append the units of a row, moved if it is a sample. `n_kept_` of them come before the first one that passes the end of the extent.
    void place_row(std::size_t row) {
        const double low = law_[0], span = law_[1], offset = drawn_[row];
        const std::int64_t begin = documents_.slot_offsets[slot_[row]], end = documents_.slot_offsets[slot_[row] + 1];
        n_kept_ = 0;
        double before = -std::numeric_limits<double>::infinity();
        const std::size_t first = moved_.size();
        moved_.resize(first + static_cast<std::size_t>(end - begin));
        Unit *to = moved_.data() + first;
        for (std::int64_t unit = begin; unit < end; ++unit) {
            const double start = documents_.start[unit];
            double moved = start;
            if (is_moved_ && span > 0) {
                moved = start - low + offset;
                if (moved >= span && moved < 2 * span) {
                    moved -= span; // exact, and so the same as fmod
                } else if (!(moved >= 0.0 && moved < span)) {
                    moved = std::fmod(moved, span);
                    if (moved < 0.0) moved += span; // as in NumPy
                }
                moved = low + moved;
            }
            if (moved < before && n_kept_ == 0) n_kept_ = unit - begin;
            before = moved;
            const double end_of_unit = is_moved_ ? moved + (documents_.end[unit] - start) : documents_.end[unit];
            *to++ = {moved, end_of_unit, static_cast<Index>(row), static_cast<Index>(documents_.label[unit])};
        }
    }

    // Merge two sorted rows. Which unit is next is a coin toss, so it is selected without a branch.
    void merge_rows() {
        units_.resize(moved_.size());
        const Unit *one = moved_.data(), *const one_end = one + n_first_, *other = one_end;
        const Unit *const other_end = one + moved_.size();
        Unit *to = units_.data();
        while (one != one_end && other != other_end) {
            bool is_other = other->start < one->start;
            if (other->start == one->start) is_other = *other < *one;
            *to++ = *(is_other ? other : one);
            other += is_other;
            one += !is_other;
        }
        to = std::copy(one, one_end, to);
        std::copy(other, other_end, to);
    }

    // List the pairs of units of different rows with d_pos / Δ below the limit, sorted by (first, second).
    void find_pairs(double limit) {
        pairs_.clear();
        limit_ = limit;
        if (n_rows_ == 2 && std::isfinite(limit) && find_pairs_of_two_rows(limit)) return;
        pairs_.clear();
        const std::size_t n = units_.size();
        if (n > kFewUnits) {
            find_pairs_by_sweep(limit);
            return;
        }
        for (std::size_t first = 0; first < n; ++first) {
            for (std::size_t second = 0; second < n; ++second) {
                if (units_[first].row >= units_[second].row) continue;
                const Unit &one = units_[first], &other = units_[second];
                const double ratio = sporadic(one.start, one.end, other.start, other.end);
                if (ratio < limit) pairs_.push_back({static_cast<Index>(first), static_cast<Index>(second), ratio});
            }
        }
    }

    // The same for two rows, without sorting: the candidates of a unit are a range of the other row. Return false if
    // the ranges become too long.
    bool find_pairs_of_two_rows(double limit) {
        dilate_rows(limit);
        const RowSpan *const second = spans_.data() + n_first_;
        const std::size_t n_second = spans_.size() - n_first_;
        std::size_t begin = 0, end = 0, n_scanned = 0;
        const std::size_t free_scans = kScansPerUnit * spans_.size();
        for (std::size_t u = 0; u < n_first_; ++u) {
            const RowSpan one = spans_[u];
            while (begin > 0 && highest_[begin - 1] >= one.low) --begin;
            while (begin < n_second && highest_[begin] < one.low) ++begin;
            while (end > 0 && lowest_low_[end - 1] > one.high) --end;
            while (end < n_second && lowest_low_[end] <= one.high) ++end;
            if (begin >= end) continue;
            n_scanned += end - begin;
            if (n_scanned > free_scans + kScansPerPair * pairs_.size()) return false;
            const Unit &unit = units_[one.unit];
            for (std::size_t v = begin; v < end; ++v) {
                if (!((second[v].low <= one.high) & (second[v].high >= one.low))) continue;
                const Unit &other = units_[second[v].unit];
                const double ratio = sporadic(unit.start, unit.end, other.start, other.end);
                if (ratio < limit) pairs_.push_back({one.unit, second[v].unit, ratio});
            }
        }
        return true;
    }

    // The closed intervals of `Sweep` by row. In the second row, `highest_` is the highest end of all intervals up to
    // one, and `lowest_low_` the lowest begin from it on.
    void dilate_rows(double limit) {
        const double dilation = std::sqrt(limit) / 2 * (1 + kSweepSlack), origin = units_[0].start;
        const std::size_t n = units_.size(), n_second = n - n_first_;
        spans_.resize(n);
        std::size_t next[2] = {0, n_first_};
        for (std::size_t unit = 0; unit < n; ++unit) {
            const double from = units_[unit].start - origin, to = units_[unit].end - origin;
            const double middle = (from + to) / 2;
            const double reach = dilation * (to - from) + kSweepSlack * std::fabs(middle);
            spans_[next[units_[unit].row]++] = {middle - reach, middle + reach, static_cast<Index>(unit)};
        }
        highest_.resize(n_second);
        lowest_low_.resize(n_second);
        double highest = -std::numeric_limits<double>::infinity(), lowest = -highest;
        for (std::size_t v = 0; v < n_second; ++v) {
            highest = std::max(highest, spans_[n_first_ + v].high);
            highest_[v] = highest;
        }
        for (std::size_t v = n_second; v-- > 0;) {
            lowest = std::min(lowest, spans_[n_first_ + v].low);
            lowest_low_[v] = lowest;
        }
    }

    void find_pairs_by_sweep(double limit) {
        row_.clear();
        start_.clear();
        end_.clear();
        for (const Unit &unit : units_) {
            row_.push_back(unit.row);
            start_.push_back(unit.start);
            end_.push_back(unit.end);
        }
        sweep_ = Sweep(row_.data(), start_.data(), end_.data());
        sweep_.add(0, static_cast<std::int64_t>(units_.size()), limit);
        for (std::size_t at = 0; at < sweep_.pairs.ratio.size(); ++at)
            pairs_.push_back({static_cast<Index>(sweep_.pairs.first[at]), static_cast<Index>(sweep_.pairs.second[at]),
                              sweep_.pairs.ratio[at]});
    }

    // Align the units: `lowest_` is the lowest unit of the unitary alignment of each.
    bool align() {
        const std::size_t n = units_.size();
        lowest_.resize(n);
        std::iota(lowest_.begin(), lowest_.end(), 0);
        if (n_active_ < 2) return true;
        combinations_ = static_cast<double>(n_rows_ * (n_rows_ - 1) / 2);
        const double limit = combinations_ + static_cast<double>(n_active_ - 1);
        find_pairs(documents_.alpha > 0.0 ? limit / documents_.alpha * (1 + kSweepSlack)
                                          : std::numeric_limits<double>::infinity());
        if (n_active_ == 2 && !row_matching_.takes_longer())
            match_rows();
        else
            list_edges(limit);
        if (edges_.empty()) return true;
        if (n_active_ == 2) take_sure_edges();
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
            const double saving = (1.0 - apart) / combinations_;
            TurnEdge &edge = edges_[n_edges];
            edge.first = pair.first;
            edge.second = pair.second;
            edge.saving = saving;
            n_edges += (apart < limit) & ((n_active_ != 2) | (1.0 + saving > kFree));
        }
        edges_.resize(n_edges);
    }

    // Align the units of two rows. The edges of some parts may be left.
    void match_rows() {
        row_matching_.begin(units_.size(), pairs_.size());
        for (const Pair &pair : pairs_) {
            const double saving = (1.0 - distance(pair)) / combinations_;
            row_matching_.add(pair.first, pair.second, saving);
        }
        edges_.clear();
        for (const RowEdge &edge : row_matching_.match([this](Index one, Index other) { pair_up(one, other); }))
            edges_.push_back({edge.first, edge.second, edge.saving, 0.0, 0.0, false, -1, -1});
    }

    // Align the edges of two rows that are in every best matching, and nearly best one: each saves more than the best
    // other edges of its two units together, which it could replace. The edges left have smaller components.
    void take_sure_edges() {
        constexpr double kTaken = std::numeric_limits<double>::infinity();
        savings_.assign(units_.size(), {0.0, 0.0});
        for (const TurnEdge &edge : edges_) {
            savings_[edge.first].add(1.0 + edge.saving);
            savings_[edge.second].add(1.0 + edge.saving);
        }
        for (const TurnEdge &edge : edges_) {
            const double saving = 1.0 + edge.saving;
            Savings &one = savings_[edge.first], &other = savings_[edge.second];
            if (!(saving - one.most_without(saving) - other.most_without(saving) > kSurelyClear)) continue;
            pair_up(edge.first, edge.second);
            one.most = other.most = kTaken; // so that no other edge of these units is sure
        }
        std::size_t n_left = 0; // again without a branch
        for (const TurnEdge &edge : edges_) {
            edges_[n_left] = edge;
            n_left += (savings_[edge.first].most < kTaken) & (savings_[edge.second].most < kTaken);
        }
        edges_.resize(n_left);
    }

    void pair_up(Index one, Index other) { lowest_[std::max(one, other)] = std::min(one, other); }

    bool align_component(Index begin, Index stop) {
        if (is_clear(begin, stop)) return true;
        if (n_active_ == 2 && stop - begin <= kMaxSearched && search_component(begin, stop)) return true;
        members_.clear();
        for (Index at = begin; at < stop; ++at) {
            const TurnEdge &edge = edges_[components_.edge[at]];
            for (const Index unit : {edge.first, edge.second})
                if (std::find(members_.begin(), members_.end(), unit) == members_.end()) members_.push_back(unit);
            if (members_.size() > kMaxEnumerated) return n_active_ == 2 && match_component(begin, stop);
        }
        return enumerate(begin, stop);
    }

    // Align the units of the only edge, if nothing else costs nearly as little. Two rows have no such edges left.
    bool is_clear(Index begin, Index stop) {
        const TurnEdge &edge = edges_[components_.edge[begin]];
        if (stop - begin > 1 || !(1.0 + edge.saving > kSurelyClear)) return false;
        pair_up(edge.first, edge.second);
        return true;
    }

    // Find the matching of two rows that saves most; return whether no other one saves nearly as much.
    bool search_component(Index begin, Index stop) {
        n_groups_ = 0;
        std::array<Index, kMaxSearched> second;
        Index n_seconds = 0;
        for (Index at = 0; at < stop - begin; ++at) {
            const TurnEdge &edge = edges_[components_.edge[begin + at]];
            if (n_groups_ == 0 || edge.first != group_unit_[n_groups_ - 1]) {
                group_begin_[n_groups_] = at;
                group_unit_[n_groups_++] = edge.first;
            }
            const auto known = std::find(second.begin(), second.begin() + n_seconds, edge.second);
            if (known == second.begin() + n_seconds) second[n_seconds++] = edge.second;
            option_[at] = {1.0 + edge.saving, 1U << (known - second.begin()), edge.second};
        }
        group_begin_[n_groups_] = stop - begin;
        rest_[n_groups_] = 0.0;
        for (Index group = n_groups_; group-- > 0;) {
            double most = 0.0;
            for (Index at = group_begin_[group]; at < group_begin_[group + 1]; ++at)
                most = std::max(most, option_[at].saving);
            rest_[group] = rest_[group + 1] + most;
        }
        most_ = next_most_ = -1.0;
        search(0, 0, 0.0);
        if (most_ - next_most_ <= kSurelyClear) return false;
        for (Index group = 0; group < n_groups_; ++group) {
            if (best_[group] < 0) continue;
            pair_up(group_unit_[group], option_[best_[group]].second);
        }
        return true;
    }

    // Try all options of the units of the first row from `group` on, unless they cannot come near the best ones found.
    void search(Index group, unsigned used, double saved) {
        if (saved + rest_[group] < most_ - kSurelyClear) return;
        if (group == n_groups_) {
            if (saved > most_) {
                next_most_ = most_;
                most_ = saved;
                best_ = tried_;
            } else {
                next_most_ = std::max(next_most_, saved);
            }
            return;
        }
        for (Index at = group_begin_[group]; at < group_begin_[group + 1]; ++at) {
            if (used & option_[at].bit) continue;
            tried_[group] = at;
            search(group + 1, used | option_[at].bit, saved + option_[at].saving);
        }
        tried_[group] = -1;
        search(group + 1, used, saved);
    }

    // A matching by the tie rule, as in computed chance.
    bool match_component(Index begin, Index stop) {
        choice_.edges.clear();
        for (Index at = begin; at < stop; ++at) {
            TurnEdge &edge = edges_[components_.edge[at]];
            edge.saving += 1.0;
            choice_.edges.push_back(&edge);
        }
        if (local_.size() < units_.size()) local_.resize(units_.size(), -1); // and -1 again after each component
        choice_.match(units_.size(), local_);
        while (index_.size() < units_.size()) index_.push_back(static_cast<Index>(index_.size()));
        choice_.choose(index_.data());
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

    struct Option {
        double saving;
        unsigned bit;
        Index second;
    };

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
        const std::size_t n = units_.size();
        next_.assign(n, -1);
        last_.resize(n);
        std::iota(last_.begin(), last_.end(), 0);
        for (std::size_t unit = 0; unit < n; ++unit) {
            const Index low = lowest_[unit], index = static_cast<Index>(unit);
            next_[last_[low]] = index; // the lowest one follows itself until another does
            last_[low] = index;
        }
        const double combinations = static_cast<double>(n_rows_ * (n_rows_ - 1) / 2);
        const double alone = (0.0 + documents_.delta * combinations) / combinations;
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
                    const Unit &one = units_[members_[a]], &other = units_[members_[b]];
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
            disorder += (total + documents_.delta * (combinations - static_cast<double>(n_pairs))) / combinations;
        }
        sums[0] = disorder / (static_cast<double>(n) / static_cast<double>(n_rows_));
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
        const std::int64_t none = kind_[6] != 0 ? 0 : -1;
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
            const Unit &one = units_[pair.first], &other = units_[pair.second];
            weighted_[n_overlaps] = {one.label, other.label, 1.0, categorial(one, other)};
            n_overlaps += pair.ratio < limit;
        }
        weighted_.resize(n_overlaps);
        sums[3] = static_cast<double>(n_overlaps);
        for (const Weighted &pair : weighted_) sums[4] += pair.distance;
        add_by_label(3);
    }

    const ShiftedDocuments &documents_;
    const std::int64_t *kind_ = nullptr;
    const double *law_ = nullptr, *table_ = nullptr;
    std::int64_t n_rows_ = 0, n_active_ = 0;
    std::size_t n_labels_ = 0, n_members_ = 0;
    double combinations_ = 1.0, least_ = 0.0;
    double limit_ = 0.0; // of the pairs that are listed
    bool is_moved_ = true;
    std::vector<std::int64_t> slot_, row_;
    std::vector<double> drawn_, start_, end_, by_label_;
    std::vector<Unit> units_, moved_; // in canonical order; row by row
    std::size_t n_first_ = 0;         // units of the first row
    std::ptrdiff_t n_kept_ = 0;
    std::vector<RowSpan> spans_;
    std::vector<double> highest_, lowest_low_;
    std::vector<Pair> pairs_;
    std::vector<TurnEdge> edges_;
    std::vector<Savings> savings_;
    RowMatching row_matching_;
    EdgeComponents components_;
    std::vector<Index> lowest_, next_, last_, members_, local_, index_;
    std::vector<std::int8_t> has_label_;
    std::vector<Weighted> weighted_;
    std::array<std::array<double, kMaxEnumerated>, kMaxEnumerated> saving_{};
    std::array<std::uint64_t, kMaxEnumerated> mixed_{};
    std::array<std::size_t, kMaxEnumerated> column_{};
    // The units of the first row of a component, their options, what the units from one on can save, and choices.
    Index n_groups_ = 0;
    std::array<Index, kMaxSearched + 1> group_begin_{};
    std::array<Index, kMaxSearched> group_unit_{}, tried_{}, best_{};
    std::array<Option, kMaxSearched> option_{};
    std::array<double, kMaxSearched + 1> rest_{};
    double most_ = 0.0, next_most_ = 0.0;
    std::vector<Alignment> found_;
    Alignment current_;
    ComponentChoice choice_;
    Sweep sweep_;
};

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
            is_clear[at] = sample.run(document.data()[at], number.data()[at], count_overlaps.data()[at] != 0,
                                      &sums[5 * at], &counts[3 * at], &counts_k[at], by_label);
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
