// Random numbers addressed by stream and counter; plain kernels: plain/random.py.
#pragma once

#include <array>

#include "arrays.hpp"

namespace gamma_align {

using Words = nb::ndarray<const std::uint64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using HalfWords = nb::ndarray<const std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Names = nb::ndarray<const std::uint32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// The entropy pool of numpy.random.SeedSequence (O'Neill's seed_seq).
class Pool {
  public:
    explicit Pool(const std::array<std::uint32_t, 4> &words) {
        for (std::size_t at = 0; at < 4; ++at) pool_[at] = hashed(words[at]);
        for (std::size_t source = 0; source < 4; ++source)
            for (std::size_t at = 0; at < 4; ++at)
                if (source != at) pool_[at] = mixed(pool_[at], hashed(pool_[source]));
    }

    void add(std::uint32_t word) {
        for (auto &value : pool_) value = mixed(value, hashed(word));
    }

    std::array<std::uint64_t, 2> state() const {
        std::array<std::uint64_t, 2> words{};
        std::uint32_t hash = 0x8b51f9ddU;
        for (std::size_t at = 0; at < 4; ++at) {
            std::uint32_t value = pool_[at] ^ hash;
            hash *= 0x58f38dedU;
            value *= hash;
            value ^= value >> 16;
            words[at / 2] |= static_cast<std::uint64_t>(value) << (32 * (at % 2));
        }
        return words;
    }

  private:
    std::uint32_t hashed(std::uint32_t value) {
        value ^= hash_;
        hash_ *= 0x931e8875U;
        value *= hash_;
        return value ^ (value >> 16);
    }

    static std::uint32_t mixed(std::uint32_t one, std::uint32_t other) {
        const std::uint32_t value = 0xca01f9ddU * one - 0x4973f715U * other;
        return value ^ (value >> 16);
    }

    std::array<std::uint32_t, 4> pool_{};
    std::uint32_t hash_ = 0x43b0d7e5U;
};

inline auto stream_keys(HalfWords seed, Names names) {
    std::vector<std::uint64_t> keys(2 * names.shape(0));
    {
        nb::gil_scoped_release release;
        std::array<std::uint32_t, 4> first{};
        for (std::size_t at = 0; at < seed.size() && at < 4; ++at) first[at] = seed.data()[at];
        Pool of_seed(first);
        for (std::size_t at = 4; at < seed.size(); ++at) of_seed.add(seed.data()[at]);
        for (std::size_t row = 0; row < names.shape(0); ++row) {
            Pool pool = of_seed;
            for (std::size_t at = 0; at < 4; ++at) pool.add(names.data()[4 * row + at]);
            const auto state = pool.state();
            keys[2 * row] = state[0];
            keys[2 * row + 1] = state[1];
        }
    }
    return to_numpy(std::move(keys), 2);
}

struct Product {
    std::uint64_t high, low;
};

inline Product product(std::uint64_t one, std::uint64_t other) { // from halves: not all compilers have 128 bits
    const std::uint64_t half = 0xFFFFFFFFU;
    const std::uint64_t a = one >> 32, b = one & half, c = other >> 32, d = other & half;
    const std::uint64_t middle = a * d + ((b * d) >> 32), cross = b * c + (middle & half);
    return {a * c + (middle >> 32) + (cross >> 32), one * other};
}

// Four words of the stream with this key: Philox4x64-10.
inline std::array<std::uint64_t, 4> philox_words(const std::uint64_t *key, std::array<std::uint64_t, 4> counter) {
    std::uint64_t k0 = key[0], k1 = key[1];
    for (int turn = 0; turn < 10; ++turn) {
        const Product p0 = product(0xD2E7470EE14C6C93U, counter[0]), p1 = product(0xCA5A826395121157U, counter[2]);
        counter = {p1.high ^ counter[1] ^ k0, p1.low, p0.high ^ counter[3] ^ k1, p0.low};
        k0 += 0x9E3779B97F4A7C15U;
        k1 += 0xBB67AE8584CAA73BU;
    }
    return counter;
}

inline auto philox(Words key, Words counter) {
    std::vector<std::uint64_t> words(4 * counter.shape(0));
    {
        nb::gil_scoped_release release;
        for (std::size_t row = 0; row < counter.shape(0); ++row) {
            std::array<std::uint64_t, 4> c{};
            for (std::size_t at = 0; at < 4; ++at) c[at] = counter.data()[4 * row + at];
            const auto drawn = philox_words(key.data() + 2 * row, c);
            for (std::size_t at = 0; at < 4; ++at) words[4 * row + at] = drawn[at];
        }
    }
    return to_numpy(std::move(words), 4);
}

inline void bind_random(nb::module_ &m) {
    m.def("stream_keys", &stream_keys, nb::arg("seed"), nb::arg("names"));
    m.def("philox", &philox, nb::arg("key"), nb::arg("counter"));
}

} // namespace gamma_align
