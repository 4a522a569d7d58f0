// The best matching of the units of two rows; plain kernel: plain/seams.py, which finds the same one by paths.
#pragma once

#include <array>

#include "turns.hpp"

namespace gamma_align {

constexpr double kSameGain = 1e-13;   // gains of equal matchings differ by rounding
constexpr double kSurelyClear = 1e-7; // a difference of gains that rounding cannot bring below kUnclearCost
// Open units, and states after one unit. Parts that have more of them, as of long units among short ones, are matched
// in less time by paths.
constexpr unsigned kMaxOpenUnits = 8;
constexpr Index kMaxStates = 32;
constexpr std::size_t kMinTried = 1000; // edges; the share of fewer that are left could be chance
constexpr Index kManyStates = 1 << 14;  // of finished parts; half a megabyte, so that they stay in the cache

struct RowEdge {
    double saving;      // as of `TurnEdge`
    double gain;        // 1 + saving: what this unitary alignment saves in place of two of one unit each
    double most_before; // the largest gain of the edges before this one that have the same second unit
    Index first, second;
    unsigned slot; // the bit of the second unit, in the states of its part
};

// A part has edges that no other edge has a unit in common with. It is matched from its last edge to its first one,
// one unit of the first row after the other. After each, a state is the best matching so far among those that use the
// same units of the second row. Only units that are open count: those that have edges on both sides.
class RowMatching {
  public:
    // Begin anew, with edges of so many units, and at most so many edges.
    void begin(std::size_t n_units, std::size_t max_edges) {
        if (edges_.size() < max_edges) edges_.resize(max_edges);
        most_.assign(n_units, 0.0);
        slot_.assign(n_units, 0);
        n_edges_ = 0;
    }

    // Add a pair, in the order of (first, second), if it is an edge. That can hardly be predicted: there is no branch.
    void add(Index first, Index second, double saving) {
        const double gain = 1.0 + saving, most = most_[second];
        RowEdge &edge = edges_[n_edges_];
        edge.saving = saving;
        edge.gain = gain;
        edge.most_before = most;
        edge.first = first;
        edge.second = second;
        most_[second] = gain > most ? gain : most; // std::max would be a branch: it selects an address
        n_edges_ += gain > kFree;
    }

    // Begin with another document.
    void forget() { n_tried_ = n_not_matched_ = 0; }

    // Whether so many edges of the document's samples were left that paths alone would take less.
    bool takes_longer() const { return n_tried_ > kMinTried && 2 * n_not_matched_ > n_tried_; }

    // Call `pair_up` with the units of each edge in the best matching, by the tie rule of alignment/search.py. Return
    // the edges of parts whose matching rounding could decide, or that have too many states.
    template <typename PairUp> const std::vector<RowEdge> &match(const PairUp &pair_up) {
        left_.clear();
        if (n_edges_ == 0) return left_;
        clear();
        begin_part();
        std::size_t part_stop = n_edges_;
        for (std::size_t at = n_edges_; at > 0;) {
            const std::size_t stop = at;
            at = open_units(stop);
            if (has_too_many_)
                open_ = 0; // only their number is of use
            else
                extend(at, stop);
            if (n_open_ > 0) continue;
            if (!has_too_many_ && states_[layer_].most - states_[layer_].next > kSurelyClear) {
                for (Index state = layer_; state >= 0; state = states_[state].before) {
                    const Index edge = states_[state].edge;
                    if (edge >= 0) pair_up(edges_[edge].first, edges_[edge].second);
                }
            } else {
                leave(at, part_stop);
                n_not_matched_ += part_stop - at;
            }
            n_tried_ += part_stop - at;
            if (takes_longer()) {
                leave(0, at);
                break;
            }
            part_stop = at;
            begin_part();
        }
        std::reverse(left_.begin(), left_.end());
        return left_;
    }

  private:
    static constexpr unsigned kNoSlot = 1U << kMaxOpenUnits; // of further open units

    struct State {
        double most, next;  // what the matching gains, and the best one of these units that does not gain as much
        Index before, edge; // the state that it extends, and by which edge; or -1
        unsigned used;      // slots of open units
    };

    void leave(std::size_t begin, std::size_t stop) {
        for (std::size_t at = stop; at-- > begin;) left_.push_back(edges_[at]);
    }

    // Begin at the first state again; entries of the table that were used could be taken for those of a later state.
    void clear() {
        std::fill_n(table_.begin(), std::min(opened_, kNoSlot - 1) + 1, -1);
        opened_ = 0;
        n_states_ = 0;
    }

    void begin_part() {
        if (n_states_ > kManyStates) clear();
        layer_ = n_states_++;
        if (states_.size() <= static_cast<std::size_t>(layer_)) states_.resize(2 * states_.size() + kMaxStates);
        states_[layer_] = {0.0, -1.0, -1, -1, 0};
        open_ = 0;
        n_open_ = 0;
        has_too_many_ = false;
    }

    // Open the second units of the next unit's edges, and close those without edges before. Return the first edge.
    std::size_t open_units(std::size_t stop) {
        const Index first = edges_[stop - 1].first;
        unsigned open = open_, closed = 0, surest_slot = 0;
        double surest = 0.0;
        Index n_open = n_open_;
        std::size_t at = stop;
        do {
            RowEdge &edge = edges_[--at];
            const unsigned known = slot_[edge.second], unused = std::min(~open & (open + 1), kNoSlot);
            const unsigned slot = known == 0 ? unused : known;
            const bool is_last = edge.most_before <= kFree;
            slot_[edge.second] = edge.slot = slot;
            later_[slot] = edge.most_before;
            open |= slot;
            closed |= is_last ? slot : 0;
            n_open += (known == 0) - is_last;
            // If the edge is matched, so much is gained whatever other edges its second unit has.
            const double surely = edge.gain - edge.most_before;
            surest_slot = surely > surest ? slot : surest_slot;
            surest = surely > surest ? surely : surest;
        } while (at > 0 && edges_[at - 1].first == first);
        has_too_many_ |= open >= kNoSlot;
        opened_ |= open;
        open_ = open;
        closed_ = closed;
        n_open_ = n_open;
        surest_ = surest;
        surest_slot_ = surest_slot;
        return at;
    }

    // List the states after the next unit of the first row: it is unmatched, or matched by one of its edges, but not
    // by one that gains less than another one surely does.
    void extend(std::size_t edge_begin, std::size_t edge_stop) {
        const Index begin = layer_, stop = layer_ = n_states_;
        const auto n_options = static_cast<Index>(edge_stop - edge_begin + 1);
        const auto max_states = static_cast<std::size_t>(stop + (stop - begin) * n_options);
        if (states_.size() < max_states) states_.resize(2 * max_states);
        const unsigned kept = ~closed_;
        for (Index at = begin; at < stop; ++at) {
            // Not a copy of the state: it was written a moment ago, value by value, and to load it at once would wait.
            const double most = states_[at].most, next = states_[at].next;
            const unsigned used = states_[at].used;
            const double least = used & surest_slot_ ? 0.0 : surest_ - kSurelyClear;
            if (least <= 0.0) offer({most, next, at, -1, used & kept});
            for (std::size_t e = edge_begin; e < edge_stop; ++e) {
                const double gain = edges_[e].gain;
                const unsigned slot = edges_[e].slot;
                if ((gain < least) | ((used & slot) != 0)) continue;
                offer({most + gain, next + gain, at, static_cast<Index>(e), (used | slot) & kept});
            }
        }
        open_ &= kept;
        if (n_states_ - layer_ > kMaxStates) leave_out();
        has_too_many_ = n_states_ - layer_ > kMaxStates;
    }

    // Leave out the states that gain less than the best one, whatever follows: matchings that extend them extend the
    // best one, too, less the edges of units that it uses.
    void leave_out() {
        Index best = layer_;
        for (Index at = layer_; at < n_states_; ++at)
            if (states_[at].most > states_[best].most) best = at;
        const double most = states_[best].most - kSurelyClear;
        const unsigned used = states_[best].used;
        Index n_left = layer_;
        for (Index at = layer_; at < n_states_; ++at) {
            const State state = states_[at];
            double can_gain = state.most;
            for (unsigned units = used & ~state.used; units != 0; units &= units - 1)
                can_gain += later_[units & (~units + 1)];
            table_[state.used] = -1;
            if (can_gain < most) continue;
            table_[state.used] = n_left;
            states_[n_left++] = state;
        }
        n_states_ = n_left;
    }

    // Add a state to the last layer, or take the better one of two that use the same units.
    void offer(const State &state) {
        Index &at = table_[state.used];
        if (at < layer_) {
            at = n_states_++;
            states_[at] = state;
            return;
        }
        State &known = states_[at];
        const double known_most = known.most, known_next = known.next, ahead = state.most - known_most;
        double next = state.next > known_next ? state.next : known_next;
        bool is_better = ahead > 0;
        if (std::fabs(ahead) > kSameGain) {
            const double less = is_better ? known_most : state.most;
            next = next > less ? next : less;
        } else {
            const std::int64_t rank = rank_over(state, at);
            if (rank == 0) next = state.most; // not clear
            is_better = rank < 0;
        }
        known.next = next;
        if (!is_better) return;
        known.most = state.most;
        known.before = state.before;
        known.edge = state.edge;
    }

    // The rank of a matching less that of another one: fewer pairs are better, then a smaller Σ h. It is rarely called,
    // and inlined it would take the registers of the loop around it.
    [[gnu::noinline]] std::int64_t rank_over(const State &state, Index other) const {
        std::int64_t rank = rank_of(state.edge);
        Index at = state.before;
        while (at != other) { // a state comes after the one that it extends
            Index &later = at > other ? at : other;
            rank += at > other ? rank_of(states_[at].edge) : -rank_of(states_[other].edge);
            later = states_[later].before;
        }
        return rank;
    }

    std::int64_t rank_of(Index edge) const {
        if (edge < 0) return 0;
        constexpr std::int64_t pair = std::int64_t{1} << 48; // more than any Σ h, of 24 bits each
        return pair + static_cast<std::int64_t>(tie_bits_of_pair(edges_[edge].first, edges_[edge].second));
    }

    std::size_t n_edges_ = 0, n_tried_ = 0, n_not_matched_ = 0;
    std::vector<RowEdge> edges_, left_;
    std::vector<double> most_;                // the largest gain of each unit's edges so far
    std::vector<unsigned> slot_;              // of each unit that has been opened
    std::array<double, kNoSlot + 1> later_{}; // the largest gain of the edges that come later, by slot
    std::vector<State> states_;               // in layers, of which the last one begins at `layer_`
    std::array<Index, kNoSlot> table_{};      // the state of each set of slots, if it is in the last layer
    Index layer_ = 0, n_states_ = 0, n_open_ = 0;
    unsigned open_ = 0, closed_ = 0, opened_ = kNoSlot, surest_slot_ = 0; // slots; `opened_` of all parts
    double surest_ = 0.0;
    bool has_too_many_ = false;
};

} // namespace gamma_align
