// Selection of disjoint columns of least loss in each of many parts; plain kernel: plain/choice.py.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>
#include <utility>

#include <nanobind/stl/tuple.h>

#include "arrays.hpp"

namespace gamma_align {

inline std::int64_t lowest_bit(std::uint64_t value) {
    std::int64_t at = 0;
    for (; !(value & 0xff); value >>= 8) at += 8;
    for (; !(value & 1); value >>= 1) ++at;
    return at;
}

// Covered units from a stage on: bit i is unit stage + i. W words hold a span of 64 W units.
template <std::size_t W> struct Cover {
    std::array<std::uint64_t, W> word{};

    void set(std::int64_t bit) { word[static_cast<std::size_t>(bit >> 6)] |= std::uint64_t{1} << (bit & 63); }

    bool meets(const Cover &other) const {
        std::uint64_t common = 0;
        for (std::size_t w = 0; w < W; ++w) common |= word[w] & other.word[w];
        return common != 0;
    }

    Cover with(const Cover &other) const {
        Cover both = *this;
        for (std::size_t w = 0; w < W; ++w) both.word[w] |= other.word[w];
        return both;
    }

    bool operator==(const Cover &other) const { return word == other.word; }

    // Remove the units that are covered without a gap from the first one on; return their number.
    std::int64_t advance() {
        std::int64_t gone = 0;
        while (word[0] & 1) {
            const std::int64_t run = ~word[0] ? lowest_bit(~word[0]) : 64;
            for (std::size_t w = 0; w < W; ++w) {
                const std::uint64_t above = w + 1 < W ? word[w + 1] : 0;
                word[w] = run == 64 ? above : word[w] >> run | above << 1 << (63 - run);
            }
            gone += run;
        }
        return gone;
    }

    std::size_t mixed(std::int64_t stage) const {
        auto value = static_cast<std::uint64_t>(stage);
        for (const std::uint64_t part : word) {
            value = (value ^ part) * 0x9E3779B97F4A7C15u;
            value ^= value >> 29;
        }
        return static_cast<std::size_t>(value);
    }

    // Call `visit` with each bit that is set here and not in the other cover, ascending.
    template <typename Visit> void beyond(const Cover &other, Visit visit) const {
        for (std::size_t w = 0; w < W; ++w)
            for (std::uint64_t bits = word[w] & ~other.word[w]; bits; bits &= bits - 1)
                visit(static_cast<std::int64_t>(64 * w) + lowest_bit(bits));
    }
};

// Score of the best path to a state or to the end. The loss is within the tolerance of `least`, the exact least loss of
// all paths, so that tolerances never add up along a path.
struct Score {
    double least = 0.0, loss = 0.0;
    std::int64_t alignments = 0, hash = 0; // number of unitary alignments, sum of their tie hashes

    Score with(double more, std::int64_t value) const {
        return Score{least + more, loss + more, alignments + 1, hash + value};
    }

    // Include another path; return whether it is the better one.
    bool meet(const Score &other, double tie) {
        least = std::min(least, other.least);
        if (other.loss > least + tie) return false;
        return loss > least + tie ||
               (alignments != other.alignments ? alignments < other.alignments : hash > other.hash);
    }
};

// A part: units 0 … n - 1, and columns by their lowest unit.
struct Part {
    std::vector<double> price, loss, freed; // freed: greatest additional loss if a unit leaves its column
    std::vector<std::int64_t> alone_hash, hash, id;
    std::vector<std::size_t> begin;             // of the columns of each lowest unit
    std::vector<std::size_t> ends;              // of each column's units
    std::vector<std::int64_t> units;            // relative to the column's lowest unit
    std::int64_t span = 1;
    std::size_t size() const { return price.size(); }
};

// Shortest path over states (lowest unit not yet covered, units covered beyond it), stage by stage.
template <std::size_t W> class StageSearch {
  public:
    bool solve(const Part &part, double known, std::int64_t nodes, double tie) {
        part_ = &part;
        tie_ = tie;
        limit_ = known;
        best_ = -1;
        labels_.clear();
        table_.assign(64, -1);
        head_.assign(part.size(), -1);
        tail_.assign(part.size(), -1);
        mask_.assign(part.id.size(), Cover<W>{});
        for (std::size_t column = 0; column < mask_.size(); ++column)
            for (std::size_t at = part.ends[column]; at < part.ends[column + 1]; ++at)
                mask_[column].set(part.units[at]);
        enter(Label{{}, {}, 0, -1, -1, -1});
        for (std::size_t stage = 0; stage < part.size(); ++stage) {
            const std::int32_t top = lead(stage);
            const auto cost = static_cast<std::int64_t>(1 + part.begin[stage + 1] - part.begin[stage]);
            for (std::int32_t at = head_[stage]; at >= 0; at = label(at).next) {
                nodes -= cost;
                if (nodes < 0) return false;
                if (!hopeless(stage, label(at), label(top))) expand(stage, at);
            }
        }
        return best_ >= 0;
    }

    double least() const { return label(best_).score.least; }

    // Add the ids of the columns of the best selection.
    void chosen(std::vector<std::int64_t> &ids) const {
        for (std::int32_t at = best_; at >= 0; at = label(at).parent)
            if (label(at).column >= 0) ids.push_back(part_->id[static_cast<std::size_t>(label(at).column)]);
    }

  private:
    struct Label {
        Cover<W> cover;
        Score score;
        std::size_t stage;
        std::int64_t column; // that led here, or -1
        std::int32_t parent, next;
    };

    const Label &label(std::int32_t at) const { return labels_[static_cast<std::size_t>(at)]; }

    // The first state of least loss at a stage.
    std::int32_t lead(std::size_t stage) const {
        std::int32_t best = head_[stage];
        for (std::int32_t at = best; at >= 0; at = label(at).next)
            if (label(at).score.least < label(best).score.least) best = at;
        return best;
    }

    // Whether every completion of this state is worse than one of the leading state: units that only the leading state
    // covers leave their columns, units that only this state covers stay alone.
    bool hopeless(std::size_t stage, const Label &one, const Label &lead) const {
        double room = one.score.least - lead.score.least - tie_;
        if (!(room > 0.0)) return false;
        lead.cover.beyond(one.cover, [&](std::int64_t bit) { room -= part_->freed[stage + static_cast<std::size_t>(bit)]; });
        one.cover.beyond(lead.cover, [&](std::int64_t bit) { room -= part_->price[stage + static_cast<std::size_t>(bit)]; });
        return room > 0.0;
    }

    void expand(std::size_t stage, std::int32_t from) {
        const Cover<W> cover = label(from).cover;
        const Score score = label(from).score;
        for (std::size_t column = part_->begin[stage]; column < part_->begin[stage + 1]; ++column)
            if (!mask_[column].meets(cover))
                step(Label{cover.with(mask_[column]), score.with(part_->loss[column], part_->hash[column]), stage,
                           static_cast<std::int64_t>(column), from, -1});
        Cover<W> alone = cover;
        alone.set(0);
        step(Label{alone, score.with(part_->price[stage], part_->alone_hash[stage]), stage, -1, from, -1});
    }

    void step(Label next) {
        if (next.score.least > limit_ + tie_) return;
        next.stage += static_cast<std::size_t>(next.cover.advance());
        if (next.stage < part_->size())
            enter(next);
        else
            finish(next);
    }

    void finish(const Label &end) {
        limit_ = std::min(limit_, end.score.least);
        if (best_ >= 0)
            replace(labels_[static_cast<std::size_t>(best_)], end);
        else {
            best_ = static_cast<std::int32_t>(labels_.size());
            labels_.push_back(end);
        }
    }

    void replace(Label &old, const Label &next) const {
        const double least = std::min(old.score.least, next.score.least);
        if (old.score.meet(next.score, tie_)) {
            old.score = next.score;
            old.column = next.column;
            old.parent = next.parent;
        }
        old.score.least = least;
    }

    void enter(const Label &next) {
        if (labels_.size() * 2 >= table_.size()) grow();
        std::int32_t &slot = table_[find(next)];
        if (slot >= 0) {
            replace(labels_[static_cast<std::size_t>(slot)], next);
            return;
        }
        slot = static_cast<std::int32_t>(labels_.size());
        labels_.push_back(next);
        std::int32_t &last = tail_[next.stage];
        (last < 0 ? head_[next.stage] : labels_[static_cast<std::size_t>(last)].next) = slot;
        last = slot;
    }

    // Index of the state in the table, or of the free entry for it.
    std::size_t find(const Label &state) const {
        const std::size_t mask = table_.size() - 1;
        std::size_t at = state.cover.mixed(static_cast<std::int64_t>(state.stage)) & mask;
        while (table_[at] >= 0 && !(label(table_[at]).stage == state.stage && label(table_[at]).cover == state.cover))
            at = (at + 1) & mask;
        return at;
    }

    void grow() {
        table_.assign(table_.size() * 2, -1);
        for (std::size_t at = 0; at < labels_.size(); ++at)
            if (labels_[at].stage < part_->size()) table_[find(labels_[at])] = static_cast<std::int32_t>(at);
    }

    const Part *part_ = nullptr;
    double tie_ = 0.0, limit_ = 0.0;
    std::int32_t best_ = -1;
    std::vector<Label> labels_;
    std::vector<std::int32_t> table_, head_, tail_;
    std::vector<Cover<W>> mask_;
};

// Divide units and columns into parts, and load one part after the other.
class Parts {
  public:
    Parts(Ints part, Ints offsets, Ints units, std::size_t n_parts)
        : part_(part.data()), offsets_(offsets.data()), units_(units.data()), row_(part.size(), 0) {
        unit_begin_.assign(n_parts + 1, 0);
        column_begin_.assign(n_parts + 1, 0);
        const std::size_t n_columns = offsets.size() - 1;
        for (std::size_t u = 0; u < part.size(); ++u)
            if (part_[u] >= 0) row_[u] = unit_begin_[static_cast<std::size_t>(part_[u]) + 1]++;
        for (std::size_t c = 0; c < n_columns; ++c)
            if (of(c) >= 0) ++column_begin_[static_cast<std::size_t>(of(c)) + 1];
        for (std::size_t p = 0; p < n_parts; ++p) {
            unit_begin_[p + 1] += unit_begin_[p];
            column_begin_[p + 1] += column_begin_[p];
        }
        unit_.resize(static_cast<std::size_t>(unit_begin_[n_parts]));
        for (std::size_t u = 0; u < part.size(); ++u)
            if (part_[u] >= 0)
                unit_[static_cast<std::size_t>(unit_begin_[static_cast<std::size_t>(part_[u])] + row_[u])] =
                    static_cast<std::int64_t>(u);
        column_.resize(static_cast<std::size_t>(column_begin_[n_parts]));
        std::vector<std::int64_t> place(column_begin_.begin(), column_begin_.end() - 1);
        for (std::size_t c = 0; c < n_columns; ++c)
            if (of(c) >= 0)
                column_[static_cast<std::size_t>(place[static_cast<std::size_t>(of(c))]++)] =
                    static_cast<std::int64_t>(c);
    }

    void load(std::size_t p, const double *loss, const double *price, const std::int64_t *hash,
              const std::int64_t *alone_hash, Part &out) {
        const auto first = static_cast<std::size_t>(unit_begin_[p]), last = static_cast<std::size_t>(unit_begin_[p + 1]);
        out.price.clear();
        out.alone_hash.clear();
        for (std::size_t at = first; at < last; ++at) {
            out.price.push_back(price[unit_[at]]);
            out.alone_hash.push_back(alone_hash[unit_[at]]);
        }
        out.freed.assign(out.size(), 0.0);
        by_lowest(p, out);
        out.ends.assign(1, 0);
        out.units.clear();
        out.loss.clear();
        out.hash.clear();
        out.span = 1;
        for (const std::int64_t id : out.id) {
            out.loss.push_back(loss[id]);
            out.hash.push_back(hash[id]);
            add_units(id, loss[id], out);
        }
    }

  private:
    std::int64_t of(std::size_t column) const { return part_[units_[offsets_[column]]]; }

    std::pair<std::int64_t, std::int64_t> ends(std::int64_t column) const {
        std::int64_t low = row_[static_cast<std::size_t>(units_[offsets_[column]])], high = low;
        for (std::int64_t at = offsets_[column] + 1; at < offsets_[column + 1]; ++at) {
            low = std::min(low, row_[static_cast<std::size_t>(units_[at])]);
            high = std::max(high, row_[static_cast<std::size_t>(units_[at])]);
        }
        return {low, high};
    }

    void by_lowest(std::size_t p, Part &out) {
        const auto first = static_cast<std::size_t>(column_begin_[p]);
        const auto last = static_cast<std::size_t>(column_begin_[p + 1]);
        out.begin.assign(out.size() + 1, 0);
        for (std::size_t at = first; at < last; ++at) ++out.begin[static_cast<std::size_t>(ends(column_[at]).first) + 1];
        for (std::size_t u = 0; u < out.size(); ++u) out.begin[u + 1] += out.begin[u];
        out.id.resize(last - first);
        place_.assign(out.begin.begin(), out.begin.end() - 1);
        for (std::size_t at = first; at < last; ++at)
            out.id[place_[static_cast<std::size_t>(ends(column_[at]).first)]++] = column_[at];
    }

    void add_units(std::int64_t id, double loss, Part &out) const {
        const auto [low, high] = ends(id);
        out.span = std::max(out.span, high - low + 1);
        double alone = 0.0;
        for (std::int64_t at = offsets_[id]; at < offsets_[id + 1]; ++at) {
            const std::int64_t row = row_[static_cast<std::size_t>(units_[at])];
            out.units.push_back(row - low);
            alone += out.price[static_cast<std::size_t>(row)];
        }
        out.ends.push_back(out.units.size());
        for (std::size_t at = out.ends[out.ends.size() - 2]; at < out.units.size(); ++at) {
            const auto row = static_cast<std::size_t>(out.units[at] + low);
            out.freed[row] = std::max(out.freed[row], alone - out.price[row] - loss);
        }
    }

    const std::int64_t *part_, *offsets_, *units_;
    std::vector<std::int64_t> row_, unit_begin_, column_begin_, unit_, column_;
    std::vector<std::size_t> place_;
};

inline auto choose(Ints part, Ints offsets, Ints units, Floats loss, Floats price, Ints hash, Ints alone_hash,
                   Floats known, Ints nodes, double tie) {
    const std::size_t n_parts = known.size();
    std::vector<double> least(n_parts, 0.0);
    std::vector<std::int64_t> solved(n_parts, 0), chosen;
    {
        nb::gil_scoped_release release;
        Parts parts(part, offsets, units, n_parts);
        Part one;
        StageSearch<1> narrow;
        StageSearch<2> middle;
        StageSearch<4> wide;
        for (std::size_t p = 0; p < n_parts; ++p) {
            parts.load(p, loss.data(), price.data(), hash.data(), alone_hash.data(), one);
            const auto run = [&](auto &search) {
                if (!search.solve(one, known.data()[p], nodes.data()[p], tie)) return;
                solved[p] = 1;
                least[p] = search.least();
                search.chosen(chosen);
            };
            if (one.size() == 0)
                solved[p] = 1;
            else if (one.span <= 64)
                run(narrow);
            else if (one.span <= 128)
                run(middle);
            else if (one.span <= 256)
                run(wide);
        }
        std::sort(chosen.begin(), chosen.end());
    }
    return std::make_tuple(to_numpy(std::move(least)), to_numpy(std::move(solved)), to_numpy(std::move(chosen)));
}

inline void bind_choice(nb::module_ &m) {
    m.def("choose", &choose, nb::arg("part"), nb::arg("offsets"), nb::arg("units"), nb::arg("loss"), nb::arg("price"),
          nb::arg("hash"), nb::arg("alone_hash"), nb::arg("known"), nb::arg("nodes"), nb::arg("tie"));
}

} // namespace gamma_align
