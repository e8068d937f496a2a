#pragma once

namespace halo {

/// 1 − (1 − p)^m: that m draws meet what has probability p, exact where p is tiny too. 0 ≤ p ≤ 1, m ≥ 1.
double metOnce(double p, double m);

/// That m draws meet both of two vertices which a draw meets with p and q, and with `both` at once:
/// 1 − (1−p)^m − (1−q)^m + (1−p−q+both)^m. Written as π_p π_q plus what the two have to do with each other.
/// The sum itself would lose all digits where p and q are tiny.
/// Source: GraphSAINT (Zeng et al. 2020), section 3.2.
double metBoth(double p, double q, double both, double m);

}  // namespace halo
