// Simulated annealing of an alignment of one instance; plain kernel: plain/annealing.py.
#pragma once

#include "soft_prices.hpp"
#include "arrays.hpp"

namespace gamma_align {

class Annealing {
  public:
    Annealing(Ints begin, Ints partner, Floats saving, Ints annotator, Ints label, std::uint64_t seed)
        : n_(annotator.size()), begin_(begin.data()), partner_(partner.data()), annotator_(annotator.data()),
          label_(label.data(), label.data() + label.size()), best_label_(label_), state_(seed), saving_(n_ * n_, NEVER),
          place_(n_), members_(n_) {
        for (std::size_t u = 0; u < n_; ++u) {
            width_ = std::max(width_, static_cast<std::size_t>(annotator_[u]) + 1);
            for (std::int64_t at = begin_[u]; at < begin_[u + 1]; ++at)
                saving_[u * n_ + static_cast<std::size_t>(partner_[at])] = saving.data()[at];
        }
        unit_of_.assign(n_ * width_, -1);
        for (std::size_t u = 0; u < n_; ++u) insert(u, static_cast<std::size_t>(label_[u]));
        for (std::size_t group = n_; group-- > 0;)
            if (members_[group].empty()) empty_.push_back(group);
    }

    void run(std::int64_t moves, std::int64_t levels, double temperature, double ratio) {
        double gained = 0.0, best = 0.0;
        for (std::int64_t level = 0; level < levels; ++level, temperature *= ratio) {
            for (std::int64_t at = 0; at < moves; ++at) gained += move(temperature);
            if (gained > best) {
                best = gained;
                best_label_ = label_;
            }
        }
    }

    std::vector<std::int64_t> label() && { return std::move(best_label_); }

  private:
    static constexpr double NEVER = -1e3; // of two units that cannot be aligned

    std::uint64_t random() { // SplitMix64
        state_ += 0x9E3779B97F4A7C15u;
        std::uint64_t value = state_;
        value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9u;
        value = (value ^ (value >> 27)) * 0x94D049BB133111EBu;
        return value ^ (value >> 31);
    }

    // The saving of a unit with the members of a group, without itself and another unit.
    double saved(std::size_t unit, std::size_t group, std::int64_t without) const {
        double total = 0.0;
        for (const std::size_t other : members_[group])
            if (other != unit && static_cast<std::int64_t>(other) != without) total += saving_[unit * n_ + other];
        return total;
    }

    void remove(std::size_t unit) {
        const auto group = static_cast<std::size_t>(label_[unit]);
        std::vector<std::size_t> &members = members_[group];
        const std::size_t last = members.back();
        members[place_[unit]] = last;
        place_[last] = place_[unit];
        members.pop_back();
        unit_of_[group * width_ + static_cast<std::size_t>(annotator_[unit])] = -1;
        if (members.empty()) empty_.push_back(group);
    }

    void insert(std::size_t unit, std::size_t group) {
        label_[unit] = static_cast<std::int64_t>(group);
        place_[unit] = members_[group].size();
        members_[group].push_back(unit);
        unit_of_[group * width_ + static_cast<std::size_t>(annotator_[unit])] = static_cast<std::int64_t>(unit);
    }

    // Try one move; return what it saves, 0 if it is rejected.
    double move(double temperature) {
        const std::uint64_t drawn = random();
        const auto unit = static_cast<std::size_t>((drawn >> 20) % n_);
        const auto from = static_cast<std::size_t>(label_[unit]);
        const auto n_partners = static_cast<std::uint64_t>(begin_[unit + 1] - begin_[unit]);
        if (n_partners == 0) return 0.0;
        std::size_t to;
        const bool alone = (drawn & 31) == 0;
        if (alone) {
            if (members_[from].size() == 1) return 0.0;
            to = empty_.back(); // there is one: another group has two members
        } else {
            const std::uint64_t at = (random() >> 20) % n_partners;
            to = static_cast<std::size_t>(label_[static_cast<std::size_t>(partner_[begin_[unit] + static_cast<std::int64_t>(at)])]);
            if (to == from) return 0.0;
        }
        const std::int64_t other = unit_of_[to * width_ + static_cast<std::size_t>(annotator_[unit])];
        double gain = saved(unit, to, other) - saved(unit, from, -1);
        if (other >= 0) {
            const auto swapped = static_cast<std::size_t>(other);
            gain += saved(swapped, from, static_cast<std::int64_t>(unit)) - saved(swapped, to, -1);
        } else {
            if (members_[from].size() == 1) gain += 1.0;
            if (alone) gain -= 1.0;
        }
        if (!(gain >= 0.0)) {
            const double chance = static_cast<double>(random() >> 11) * 0x1p-53;
            if (!(chance < exponential(gain / temperature))) return 0.0;
        }
        if (other >= 0) {
            exchange(unit, static_cast<std::size_t>(other));
        } else {
            if (alone) empty_.pop_back();
            remove(unit);
            insert(unit, to);
        }
        return gain;
    }

    // Exchange the groups of two units of one annotator.
    void exchange(std::size_t unit, std::size_t other) {
        const auto from = static_cast<std::size_t>(label_[unit]), to = static_cast<std::size_t>(label_[other]);
        members_[from][place_[unit]] = other;
        members_[to][place_[other]] = unit;
        std::swap(place_[unit], place_[other]);
        std::swap(label_[unit], label_[other]);
        const auto annotator = static_cast<std::size_t>(annotator_[unit]);
        std::swap(unit_of_[from * width_ + annotator], unit_of_[to * width_ + annotator]);
    }

    const std::size_t n_;
    std::size_t width_ = 0;
    const std::int64_t *begin_, *partner_, *annotator_;
    std::vector<std::int64_t> label_, best_label_;
    std::uint64_t state_;
    std::vector<double> saving_;                    // units × units
    std::vector<std::size_t> place_;                // of each unit among the members of its group
    std::vector<std::vector<std::size_t>> members_; // of each group
    std::vector<std::size_t> empty_;                // groups without members
    std::vector<std::int64_t> unit_of_;             // groups × annotators; -1: none
};

inline auto anneal(Ints begin, Ints partner, Floats saving, Ints annotator, Ints label, std::int64_t moves,
                   std::int64_t levels, double temperature, double ratio, std::int64_t seed) {
    std::vector<std::int64_t> found;
    {
        nb::gil_scoped_release release;
        Annealing work(begin, partner, saving, annotator, label, static_cast<std::uint64_t>(seed));
        if (annotator.size() > 0) work.run(moves, levels, temperature, ratio);
        found = std::move(work).label();
    }
    return to_numpy(std::move(found));
}

inline void bind_annealing(nb::module_ &m) {
    m.def("anneal", &anneal, nb::arg("begin"), nb::arg("partner"), nb::arg("saving"), nb::arg("annotator"),
          nb::arg("label"), nb::arg("moves"), nb::arg("levels"), nb::arg("temperature"), nb::arg("ratio"),
          nb::arg("seed"));
}

} // namespace gamma_align
