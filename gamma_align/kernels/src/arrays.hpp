// Arrays that the kernels take from NumPy and return to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

namespace gamma_align {

namespace nb = nanobind;

using Ints = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Floats = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <typename T> nb::capsule owner_of(std::vector<T> *kept) {
    return nb::capsule(kept, [](void *p) noexcept { delete static_cast<std::vector<T> *>(p); });
}

// Hand a vector to NumPy without a copy; the NumPy array owns it.
template <typename T>
nb::ndarray<nb::numpy, T, nb::ndim<1>> to_numpy(std::vector<T> &&values) {
    auto *kept = new std::vector<T>(std::move(values));
    return nb::ndarray<nb::numpy, T, nb::ndim<1>>(kept->data(), {kept->size()}, owner_of(kept));
}

// The same as a table with this number of columns, row by row.
template <typename T>
nb::ndarray<nb::numpy, T, nb::ndim<2>> to_numpy(std::vector<T> &&values, std::size_t columns) {
    auto *kept = new std::vector<T>(std::move(values));
    return nb::ndarray<nb::numpy, T, nb::ndim<2>>(kept->data(), {kept->size() / columns, columns}, owner_of(kept));
}

} // namespace gamma_align
