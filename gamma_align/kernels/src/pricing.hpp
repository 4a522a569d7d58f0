// Columns of greatest gain at given prices, by branch and bound on each root; plain kernel: plain/pricing.py.
//
// The root of a column is its lowest unit. The greatest gain of the columns of one root is the optimum of a small
// graphical model: one variable for each annotator with units near the root; its labels are these units and "none". The
// value of a label is (1 - its price) + its saving with the root; two labels of different variables have their saving
// with each other as a value. Sweeps redistribute values between labels, so that the sum of the best labels of all
// variables falls and no solution is lost (max-product linear programming, Globerson & Jaakkola 2007). If the bound
// stalls, the search branches.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "arrays.hpp"

namespace gamma_align {

constexpr double kNever = -std::numeric_limits<double>::infinity();
constexpr double kForbidden = -1e6; // no candidate pair; finite, so that sweeps can redistribute it
constexpr double kPrecise = 1e-12; // gains that differ by less are equal

struct PairGraph { // pairs of units, each at its lower unit, sorted by the other unit
    std::size_t n_units;
    const std::int64_t *begin, *other;
    const double *saving;
    const std::int64_t *annotator;
    const double *reach; // of each unit: Σ over annotators of its best saving with one of their units, if positive
};

// A node of the search: the remaining labels of each variable, with values redistributed between them.
struct Model {
    double base = 0.0;
    std::vector<int> begin, label; // `begin` has one entry per variable and one for the end
    std::vector<double> unary, pair;

    std::size_t vars() const { return begin.size() - 1; }
    double best_of(std::size_t v) const {
        return *std::max_element(unary.begin() + begin[v], unary.begin() + begin[v + 1]);
    }
    double bound() const {
        double total = base;
        for (std::size_t v = 0; v < vars(); ++v) total += best_of(v);
        return total;
    }
};

struct Found {
    std::vector<std::int64_t> offsets{0}, units, root;
    std::vector<double> saving;
};

class Pricer {
  public:
    Pricer(const PairGraph &graph, const double *price, double threshold, std::int64_t nodes, std::size_t keep,
           bool every, std::int64_t work, std::size_t most)
        : g_(graph), price_(price), threshold_(threshold), nodes_(nodes), keep_(keep), every_(every),
          work_(work), most_(most), place_(graph.n_units, -1) {
        std::int64_t width = 0;
        for (std::size_t u = 0; u < g_.n_units; ++u) width = std::max(width, g_.annotator[u] + 1);
        width_ = static_cast<std::size_t>(width);
    }

    // Search one root: add columns to `found`, return an upper bound of the gain of all columns.
    double root(std::size_t u, Found &found) {
        best_ = threshold_;
        open_ = kNever;
        left_ = nodes_;
        incumbents_.clear();
        if (candidates(u)) {
            build(u);
            descend(0);
        }
        report(u, found);
        return std::max(best_, open_);
    }

    std::int64_t spent() const { return spent_; }

  private:
    const PairGraph g_;
    const double *price_;
    const double threshold_;
    const std::int64_t nodes_;
    const std::size_t keep_;
    const bool every_;
    const std::int64_t work_;
    const std::size_t most_;
    std::size_t width_ = 0;
    std::vector<int> place_;
    // the current root
    struct Candidate {
        std::int64_t unit;
        double worth; // with the root
    };
    std::vector<Candidate> near_;
    std::vector<std::int64_t> unit_of_; // of a label; -1: none
    std::vector<double> worth_, saving_; // of labels and of pairs of labels, as given
    std::vector<Model> levels_;
    std::vector<int> chosen_;
    std::int64_t root_unit_ = 0;
    double best_ = 0.0, open_ = kNever;
    std::int64_t left_ = 0, spent_ = 0;
    std::size_t listed_ = 0;
    std::vector<std::pair<double, std::vector<std::int64_t>>> incumbents_;
    std::vector<double> row_, column_, both_;

    // Whether the limit of work or of columns is reached.
    bool full() const { return spent_ >= work_ || listed_ + incumbents_.size() >= most_; }

    // Collect the units that a column of this root with a gain above the best may contain; false if there is none.
    bool candidates(std::size_t u) {
        std::vector<double> top(width_, 0.0);
        near_.clear();
        std::vector<std::pair<std::int64_t, double>> seen;
        for (std::int64_t e = g_.begin[u]; e < g_.begin[u + 1]; ++e) {
            const auto v = static_cast<std::size_t>(g_.other[e]);
            const double worth = 1.0 - price_[v] + g_.saving[e];
            const double most = worth + g_.reach[v] / 2;
            auto &best = top[static_cast<std::size_t>(g_.annotator[v])];
            best = std::max(best, most);
            seen.emplace_back(e, most);
        }
        double total = -price_[u];
        for (const double one : top) total += one;
        if (total <= best_ + kPrecise) return false;
        if (full()) {
            open_ = total;
            return false;
        }
        for (const auto &[e, most] : seen) {
            const std::int64_t v = g_.other[e];
            if (total - top[static_cast<std::size_t>(g_.annotator[v])] + most > best_ + kPrecise) {
                near_.push_back({v, 1.0 - price_[v] + g_.saving[e]});
            }
        }
        return !near_.empty();
    }

    // Build the model of the root: labels by annotator, the first label of each variable is "none".
    void build(std::size_t u) {
        std::stable_sort(near_.begin(), near_.end(), [&](const Candidate &a, const Candidate &b) {
            return g_.annotator[a.unit] < g_.annotator[b.unit];
        });
        root_unit_ = static_cast<std::int64_t>(u);
        if (levels_.empty()) levels_.resize(1);
        Model &m = levels_[0];
        m.base = -price_[u];
        m.begin.clear();
        unit_of_.clear();
        worth_.clear();
        std::int64_t last = -1;
        for (const Candidate &one : near_) {
            if (g_.annotator[one.unit] != last) {
                last = g_.annotator[one.unit];
                m.begin.push_back(static_cast<int>(unit_of_.size()));
                unit_of_.push_back(-1);
                worth_.push_back(0.0);
            }
            place_[one.unit] = static_cast<int>(unit_of_.size());
            unit_of_.push_back(one.unit);
            worth_.push_back(one.worth);
        }
        m.begin.push_back(static_cast<int>(unit_of_.size()));
        link();
        m.label.resize(unit_of_.size());
        for (std::size_t x = 0; x < m.label.size(); ++x) m.label[x] = static_cast<int>(x);
        m.unary = worth_;
        m.pair = saving_;
        chosen_.clear();
    }

    // Fill in the savings of pairs of labels: 0 with "none", forbidden if they are no candidate pair.
    void link() {
        const std::size_t k = unit_of_.size();
        saving_.assign(k * k, kForbidden);
        for (std::size_t x = 0; x < k; ++x) {
            const std::int64_t v = unit_of_[x];
            if (v < 0)
                for (std::size_t y = 0; y < k; ++y) saving_[x * k + y] = saving_[y * k + x] = 0.0;
            else
                for (std::int64_t e = g_.begin[v]; e < g_.begin[v + 1]; ++e)
                    if (const int y = place_[g_.other[e]]; y >= 0)
                        saving_[x * k + y] = saving_[y * k + x] = g_.saving[e];
        }
        for (const Candidate &one : near_) place_[one.unit] = -1;
    }

    // One pass over all pairs of variables; the bound never rises. The result is that of a pass row by row: a pair is
    // processed after the previous pairs of its row and of its column. Several rows are interleaved, so that the
    // processor need not wait for the sums of one pair.
    void sweep(Model &m) {
        constexpr std::size_t rows = 4;
        row_.resize(m.label.size());
        column_.resize(m.label.size());
        const std::size_t n = m.vars();
        for (std::size_t top = 0; top + 1 < n; top += rows)
            for (std::size_t at = top + 1; at < n + rows - 1; ++at)
                for (std::size_t r = top, s = at; r < top + rows && s > r; ++r, --s)
                    if (s < n) exchange(m, r, s);
    }

    void exchange(Model &m, std::size_t r, std::size_t s) {
        const int *begin = m.begin.data();
        const std::size_t k = m.label.size();
        const int x = begin[r], y = begin[s], labels = begin[r + 1] - x, others = begin[s + 1] - y;
        double *first = m.unary.data() + x, *second = m.unary.data() + y;
        double *pairs = m.pair.data() + static_cast<std::size_t>(x) * k + y;
        if (labels == 2 && others == 2)
            exchange_two(first, second, pairs, k);
        else
            exchange_any(first, labels, second, others, pairs, k);
    }

    // Redistribute values between two variables; their pairs are rows of a table of width k.
    void exchange_any(double *first, int labels, double *second, int others, double *pairs, std::size_t k) {
        double *row = row_.data(), *column = column_.data();
        for (int y = 0; y < others; ++y) column[y] = kNever;
        for (int x = 0; x < labels; ++x) {
            double *pair = pairs + static_cast<std::size_t>(x) * k;
            double most = kNever;
            for (int y = 0; y < others; ++y) {
                pair[y] = first[x] + second[y] + pair[y];
                most = std::max(most, pair[y]);
            }
            row[x] = most / 2;
            for (int y = 0; y < others; ++y) {
                pair[y] -= row[x];
                column[y] = std::max(column[y], pair[y]);
            }
        }
        for (int y = 0; y < others; ++y) second[y] = column[y];
        for (int x = 0; x < labels; ++x) {
            double *pair = pairs + static_cast<std::size_t>(x) * k;
            double most = kNever;
            for (int y = 0; y < others; ++y) {
                pair[y] -= column[y];
                most = std::max(most, pair[y]);
            }
            for (int y = 0; y < others; ++y) pair[y] -= most;
            first[x] = row[x] + most;
        }
    }

    // The same operations for variables of two labels.
    static void exchange_two(double *first, double *second, double *pairs, std::size_t k) {
        double a = first[0] + second[0] + pairs[0], b = first[0] + second[1] + pairs[1];
        double c = first[1] + second[0] + pairs[k], d = first[1] + second[1] + pairs[k + 1];
        const double top = std::max(a, b) / 2, low = std::max(c, d) / 2;
        a -= top;
        b -= top;
        c -= low;
        d -= low;
        const double left = std::max(a, c), right = std::max(b, d);
        a -= left;
        b -= right;
        c -= left;
        d -= right;
        const double above = std::max(a, b), below = std::max(c, d);
        pairs[0] = a - above;
        pairs[1] = b - above;
        pairs[k] = c - below;
        pairs[k + 1] = d - below;
        first[0] = top + above;
        first[1] = low + below;
        second[0] = left;
        second[1] = right;
    }

    // Decode a selection of labels from the model, and compute its gain from the values as given.
    void decode(const Model &m) {
        std::vector<int> labels = chosen_;
        const std::size_t k = m.label.size();
        std::vector<double> value(m.unary);
        for (std::size_t v = 0; v < m.vars(); ++v) {
            int at = m.begin[v];
            for (int x = m.begin[v] + 1; x < m.begin[v + 1]; ++x)
                if (value[x] > value[at]) at = x;
            labels.push_back(m.label[at]);
            for (std::size_t y = m.begin[v + 1]; y < k; ++y) value[y] += m.pair[at * k + y];
        }
        offer(labels);
    }

    void offer(const std::vector<int> &labels) {
        const std::size_t k = unit_of_.size();
        std::vector<int> held;
        for (const int x : labels)
            if (unit_of_[x] >= 0) held.push_back(x);
        std::sort(held.begin(), held.end());
        double value = -price_[root_unit_];
        for (const int x : held) value += worth_[x];
        for (std::size_t i = 0; i < held.size(); ++i)
            for (std::size_t j = 0; j < i; ++j) value += saving_[held[j] * k + held[i]];
        if (held.empty() || !(value > best_ + (every_ ? 0.0 : kPrecise))) return;
        if (!every_) best_ = value;
        std::vector<std::int64_t> units;
        for (const int x : held) units.push_back(unit_of_[x]);
        incumbents_.emplace_back(value, std::move(units));
        if (!every_ && incumbents_.size() > keep_) incumbents_.erase(incumbents_.begin());
    }

    // Copy the labels to keep into `to`; the last label of a variable is fixed.
    void reduce(const Model &from, const std::vector<char> &kept, Model &to) {
        const std::size_t k = from.label.size();
        std::vector<int> live, taken;
        to.base = from.base;
        to.begin.assign(1, 0);
        for (std::size_t v = 0; v < from.vars(); ++v) {
            int count = 0, only = -1;
            for (int x = from.begin[v]; x < from.begin[v + 1]; ++x)
                if (kept[x]) {
                    ++count;
                    only = x;
                }
            if (count == 1) {
                taken.push_back(only);
                continue;
            }
            for (int x = from.begin[v]; x < from.begin[v + 1]; ++x)
                if (kept[x]) live.push_back(x);
            to.begin.push_back(static_cast<int>(live.size()));
        }
        const std::size_t size = live.size();
        to.label.resize(size);
        to.unary.resize(size);
        to.pair.resize(size * size);
        for (std::size_t i = 0; i < taken.size(); ++i) {
            to.base += from.unary[taken[i]];
            for (std::size_t j = 0; j < i; ++j) to.base += upper(from, taken[j], taken[i], k);
            chosen_.push_back(from.label[taken[i]]);
        }
        for (std::size_t i = 0; i < size; ++i) {
            const int x = live[i];
            to.label[i] = from.label[x];
            to.unary[i] = from.unary[x];
            for (const int t : taken) to.unary[i] += upper(from, t, x, k);
            for (std::size_t j = 0; j < size; ++j) to.pair[i * size + j] = from.pair[x * k + live[j]];
        }
    }

    static double upper(const Model &m, int x, int y, std::size_t k) {
        return x < y ? m.pair[static_cast<std::size_t>(x) * k + y] : m.pair[static_cast<std::size_t>(y) * k + x];
    }

    void descend(std::size_t depth) {
        --left_;
        if (levels_.size() < depth + 2) levels_.resize(depth + 2);
        const std::size_t mark = chosen_.size();
        double bound = kNever, before = std::numeric_limits<double>::infinity();
        for (;;) {
            Model &m = levels_[depth];
            if (m.vars() == 0) {
                offer(chosen_);
                if (!every_ && m.base > best_) open_ = std::max(open_, m.base); // by rounding alone
                break;
            }
            spent_ += static_cast<std::int64_t>(m.label.size() * m.label.size());
            sweep(m);
            bound = m.bound();
            if (!every_ && bound > best_ + kPrecise) decode(m);
            if (bound <= best_ + kPrecise) break;
            const bool stalled = before - bound < 0.1 * (bound - best_);
            before = bound;
            std::vector<char> kept(m.label.size(), 0);
            std::size_t dropped = 0;
            for (std::size_t v = 0; v < m.vars(); ++v) {
                const double rest = bound - m.best_of(v);
                for (int x = m.begin[v]; x < m.begin[v + 1]; ++x) {
                    kept[x] = rest + m.unary[x] > best_ + kPrecise;
                    dropped += !kept[x];
                }
            }
            if (dropped > 0) {
                reduce(m, kept, levels_[depth + 1]);
                std::swap(levels_[depth], levels_[depth + 1]);
                continue;
            }
            if (stalled) {
                branch(depth, bound);
                break;
            }
        }
        chosen_.resize(mark);
    }

    void branch(std::size_t depth, double bound) {
        std::size_t at = 0;
        {
            const Model &m = levels_[depth];
            for (std::size_t v = 1; v < m.vars(); ++v)
                if (m.begin[v + 1] - m.begin[v] < m.begin[at + 1] - m.begin[at]) at = v;
        }
        std::vector<int> options;
        for (int x = levels_[depth].begin[at]; x < levels_[depth].begin[at + 1]; ++x) options.push_back(x);
        std::stable_sort(options.begin(), options.end(), [&](int a, int b) {
            return levels_[depth].unary[a] > levels_[depth].unary[b];
        });
        const double rest = bound - levels_[depth].best_of(at);
        for (const int x : options) {
            const double most = rest + levels_[depth].unary[x];
            if (most <= best_ + kPrecise) break;
            if (left_ <= 0 || full()) {
                open_ = std::max(open_, most);
                break;
            }
            std::vector<char> kept(levels_[depth].label.size(), 1);
            for (int y = levels_[depth].begin[at]; y < levels_[depth].begin[at + 1]; ++y) kept[y] = y == x;
            const std::size_t mark = chosen_.size();
            if (levels_.size() < depth + 2) levels_.resize(depth + 2);
            reduce(levels_[depth], kept, levels_[depth + 1]);
            descend(depth + 1);
            chosen_.resize(mark);
        }
    }

    void report(std::size_t u, Found &found) {
        listed_ += incumbents_.size();
        for (const auto &[value, units] : incumbents_) {
            // all units of the column, including the root, in the order of annotators
            double paid = 0.0;
            std::vector<std::int64_t> all(units);
            all.push_back(static_cast<std::int64_t>(u));
            std::stable_sort(all.begin(), all.end(), [&](std::int64_t a, std::int64_t b) {
                return g_.annotator[a] < g_.annotator[b];
            });
            for (const std::int64_t v : all) paid += price_[v];
            found.units.insert(found.units.end(), all.begin(), all.end());
            found.offsets.push_back(static_cast<std::int64_t>(found.units.size()));
            found.saving.push_back(value + paid);
            found.root.push_back(static_cast<std::int64_t>(u));
        }
    }
};

inline nb::tuple price(Ints begin, Ints other, Floats saving, Ints annotator, Floats reach, Floats prices,
                       Ints roots,
                       double threshold, std::int64_t nodes, std::int64_t keep, bool every, std::int64_t work,
                       std::int64_t most) {
    Found found;
    std::vector<double> bound(roots.size(), 0.0);
    std::int64_t spent = 0;
    {
        nb::gil_scoped_release release;
        const PairGraph graph{annotator.size(), begin.data(), other.data(), saving.data(), annotator.data(),
                              reach.data()};
        Pricer pricer(graph, prices.data(), threshold, nodes, static_cast<std::size_t>(keep), every, work,
                      static_cast<std::size_t>(most));
        for (std::size_t i = 0; i < roots.size(); ++i)
            bound[i] = pricer.root(static_cast<std::size_t>(roots.data()[i]), found);
        spent = pricer.spent();
    }
    return nb::make_tuple(to_numpy(std::move(found.offsets)), to_numpy(std::move(found.units)),
                          to_numpy(std::move(found.saving)), to_numpy(std::move(found.root)),
                          to_numpy(std::move(bound)), spent);
}

inline void bind_pricing(nb::module_ &m) { m.def("price", &price); }

} // namespace gamma_align
