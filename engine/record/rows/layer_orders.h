#pragma once

namespace halo {

/// The parameter that says what a run's layers came to. Of each layer it has the order of aggregation and
/// update, and the width of the rows that travelled ("aggregate-first 602, update-first 41"). Recordings of
/// before have none.
inline constexpr const char* kLayerOrders = "result.layer_orders";

}  // namespace halo
