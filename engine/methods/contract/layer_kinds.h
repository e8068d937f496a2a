#pragma once

#include <string>

namespace halo {

/// "gcn, graphsage or gin": what a message offers in place of a kind whose coefficients are made of the rows.
/// In the order of Propagation; variants such as graphsage-self are left out.
std::string kindsWithoutAttention();

}  // namespace halo
