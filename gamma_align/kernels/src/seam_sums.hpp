// Sums over the pairs that are aligned at each seam of two rows, for turns.hpp.
#pragma once

#include "component.hpp"

namespace gamma_align {

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

// Sums over the aligned pairs at each seam, which begins a turn of the two rows.
class SeamSums {
  public:
    void begin(std::size_t n_seams, std::size_t n_labels) {
        n_labels_ = n_labels;
        saved_.assign(n_seams, 0.0);
        weight_.assign(n_seams, 0.0);
        distance_.assign(n_seams, 0.0);
        weight_k_.resize(n_seams * n_labels);
        distance_k_.resize(n_seams * n_labels);
        has_label_.assign(n_labels, 0);
    }

    // Add an aligned pair at the seams from `low` to `high`.
    void add_edge(const TurnEdge &edge, Index low, Index high) {
        add(saved_.data(), edge.saving, low, high);
        if (!(edge.weight > 0.0)) return;
        add(weight_.data(), edge.weight, low, high);
        add(distance_.data(), edge.distance, low, high);
        add_label(edge.label, edge.weight, edge.distance, low, high);
        if (edge.other_label != edge.label) add_label(edge.other_label, edge.weight, edge.distance, low, high);
    }

    // Add the aligned pairs of a component at the seams from `low` to `high`.
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

    // Add to `sums` and `sums_k`, as of `TurnAverage`, given the chance of each seam and the number of units.
    void collect(const std::vector<double> &chance, double units, double *sums, double *sums_k) const {
        for (std::size_t seam = 0; seam < chance.size(); ++seam) sums[0] += chance[seam] * (units - saved_[seam]);
        add_disorders(chance, weight_.data(), distance_.data(), sums[1], sums[2]);
        for (std::size_t label = 0; label < n_labels_; ++label) {
            if (!has_label_[label]) continue;
            const std::size_t begin = chance.size() * label;
            add_disorders(chance, &weight_k_[begin], &distance_k_[begin], sums_k[2 * label], sums_k[2 * label + 1]);
        }
    }

  private:
    static void add(double *values, double value, Index low, Index high) {
        for (Index seam = low; seam <= high; ++seam) values[seam] += value;
    }

    void add_label(Index label, double weight, double distance, Index low, Index high) {
        const std::size_t n_seams = saved_.size(), begin = n_seams * static_cast<std::size_t>(label);
        double *weights = weight_k_.data() + begin, *distances = distance_k_.data() + begin;
        if (!has_label_[label]) {
            has_label_[label] = 1;
            std::fill(weights, weights + n_seams, 0.0);
            std::fill(distances, distances + n_seams, 0.0);
        }
        add(weights, weight, low, high);
        add(distances, distance, low, high);
    }

    // Add probability · distance / weight over the seams that have a weight, and their probability.
    static void add_disorders(const std::vector<double> &chances, const double *weight, const double *distance,
                              double &disorder, double &chance) {
        for (std::size_t seam = 0; seam < chances.size(); ++seam) {
            if (!(weight[seam] > 0.0)) continue;
            disorder += chances[seam] * (distance[seam] / weight[seam]);
            chance += chances[seam];
        }
    }

    std::size_t n_labels_ = 0;
    std::vector<double> saved_, weight_, distance_;
    std::vector<double> weight_k_, distance_k_; // label by label; undefined for labels without edges
    std::vector<std::int8_t> has_label_;
};

} // namespace gamma_align
