// The units of a shift sample, drawn and moved, or of a document as it is, in canonical order.
#pragma once

#include <algorithm>
#include <cmath>
#include <tuple>

#include "component.hpp"
#include "random.hpp"

namespace gamma_align {

constexpr std::int64_t kDocument = -1; // number of the document itself, which is not moved

// The units that samples of documents are made of, and the laws by which they are moved.
struct ShiftedDocuments {
    const std::uint64_t *keys;
    const double *law;         // low, span, distance
    const std::int64_t *kind;  // rows, integer, first choice, choices, labels, table, whether label 0 is none
    const std::int64_t *choices, *slot_offsets, *label;
    const double *start, *end, *categorial;
    double alpha, beta, delta, factor;
};

// One of them. The numbers of its `kind` and `law` have the order of the arrays' comments.
struct ShiftedDocument {
    const std::uint64_t *key;
    double low, span, distance;
    std::int64_t n_rows, first_choice, n_choices, n_labels;
    bool has_integers, has_unlabelled;
    const double *table;

    ShiftedDocument(const ShiftedDocuments &all, std::int64_t document) {
        const std::int64_t *kind = all.kind + 7 * document;
        const double *law = all.law + 3 * document;
        key = all.keys + 2 * document;
        low = law[0];
        span = law[1];
        distance = law[2];
        n_rows = kind[0];
        has_integers = kind[1] != 0;
        first_choice = kind[2];
        n_choices = kind[3];
        n_labels = kind[4];
        table = all.categorial + kind[5];
        has_unlabelled = kind[6] != 0;
    }
};

struct PlacedUnit {
    double start, end;
    Index row, label;

    bool operator<(const PlacedUnit &other) const {
        if (start != other.start) return start < other.start;
        return std::tie(end, row, label) < std::tie(other.end, other.row, other.label);
    }
};

class PlacedUnits {
  public:
    explicit PlacedUnits(const ShiftedDocuments &documents) : documents_(documents) {}

    std::vector<PlacedUnit> units; // in canonical order
    std::size_t n_rows = 0, n_active = 0; // rows, and those with units

    // Place the units of a sample, or of the document itself.
    void place(const ShiftedDocument &document, std::int64_t number) {
        document_ = &document;
        n_rows = static_cast<std::size_t>(document.n_rows);
        is_moved_ = number != kDocument;
        if (is_moved_) {
            draw(static_cast<std::uint64_t>(number));
        } else {
            const auto slots = documents_.choices + document.first_choice;
            slot_.assign(slots, slots + n_rows);
            drawn_.assign(n_rows, 0.0);
        }
        place_rows();
    }

  private:
    static double uniform(std::uint64_t word) { return static_cast<double>(word >> 11) * 0x1p-53; }

    // Draw an annotator and an offset for each row; a sample without any unit is drawn again.
    void draw(std::uint64_t number) {
        slot_.resize(n_rows);
        drawn_.resize(n_rows);
        std::int64_t n_units = 0;
        for (std::uint64_t attempt = 0; n_units == 0; ++attempt) {
            for (std::size_t row = 0; row < n_rows; ++row) {
                const auto words = philox_words(document_->key, {static_cast<std::uint64_t>(row), number, attempt, 0});
                const double choices = static_cast<double>(document_->n_choices);
                const auto choice = static_cast<std::int64_t>(uniform(words[0]) * choices);
                slot_[row] = documents_.choices[document_->first_choice + choice];
                n_units += documents_.slot_offsets[slot_[row] + 1] - documents_.slot_offsets[slot_[row]];
                drawn_[row] = uniform(row == 0 ? words[2] : words[1]);
            }
        }
        find_offsets();
    }

    // The offsets of the rows from their random numbers: a rotation, then the gaps, which keep the distance.
    void find_offsets() {
        const double span = document_->span, distance = document_->distance;
        const double free = span - static_cast<double>(n_rows) * distance;
        const bool integer = document_->has_integers;
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
    void place_rows() {
        moved_.clear();
        n_active = 0;
        std::size_t n_first = 0;
        for (std::size_t row = 0; row < n_rows; ++row) {
            const auto begin = static_cast<std::ptrdiff_t>(moved_.size());
            place_row(row);
            // The units of a slot are sorted, so those that pass the end of the extent come first now.
            const auto first = moved_.begin() + begin;
            std::rotate(first, std::is_sorted_until(first, moved_.end()), moved_.end());
            if (!std::is_sorted(first, moved_.end())) std::sort(first, moved_.end());
            n_active += first != moved_.end();
            if (row == 0) n_first = moved_.size();
        }
        units.resize(moved_.size());
        if (n_rows == 2) {
            const auto middle = moved_.begin() + static_cast<std::ptrdiff_t>(n_first);
            std::merge(moved_.begin(), middle, middle, moved_.end(), units.begin());
            return;
        }
        units.swap(moved_);
        if (!std::is_sorted(units.begin(), units.end())) std::sort(units.begin(), units.end());
    }

    // Append the units of a row, moved if it is a sample.
    void place_row(std::size_t row) {
        const double low = document_->low, span = document_->span, offset = drawn_[row];
        const std::int64_t begin = documents_.slot_offsets[slot_[row]], end = documents_.slot_offsets[slot_[row] + 1];
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
            const double end_of_unit = is_moved_ ? moved + (documents_.end[unit] - start) : documents_.end[unit];
            moved_.push_back({moved, end_of_unit, static_cast<Index>(row), static_cast<Index>(documents_.label[unit])});
        }
    }

    const ShiftedDocuments &documents_;
    const ShiftedDocument *document_ = nullptr;
    bool is_moved_ = true;
    std::vector<std::int64_t> slot_;
    std::vector<double> drawn_;
    std::vector<PlacedUnit> moved_; // row by row
};

} // namespace gamma_align
