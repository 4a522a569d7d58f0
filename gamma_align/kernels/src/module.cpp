// The compiled kernels. The plain kernel of the same name in gamma_align/kernels/plain documents each.
#include "choice.hpp"
#include "gaining.hpp"
#include "linked.hpp"
#include "local.hpp"
#include "matching.hpp"
#include "order.hpp"
#include "overlaps.hpp"
#include "pricing.hpp"
#include "random.hpp"
#include "shifted.hpp"
#include "soft_prices.hpp"
#include "sweep.hpp"
#include "tuples.hpp"
#include "turns.hpp"

NB_MODULE(_native, m) {
    m.doc() = "Compiled kernels; see gamma_align.kernels.";
    gamma_align::bind_choice(m);
    gamma_align::bind_gaining(m);
    gamma_align::bind_linked(m);
    gamma_align::bind_local(m);
    gamma_align::bind_matching(m);
    gamma_align::bind_order(m);
    gamma_align::bind_overlaps(m);
    gamma_align::bind_pricing(m);
    gamma_align::bind_random(m);
    gamma_align::bind_shifted(m);
    gamma_align::bind_soft_prices(m);
    gamma_align::bind_sweep(m);
    gamma_align::bind_tuples(m);
    gamma_align::bind_turns(m);
}
