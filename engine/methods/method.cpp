#include "engine/methods/method.h"

#include "engine/base/problem.h"

namespace halo {

ModelSettings modelFor(const MethodEntry& method, ModelSettings model) {
  if (!method.aggregatesFirst) return model;
  if (model.order == "update-first")
    throw InputError(
        Problem{"", 0, 0, "model.order",
                std::string(method.declaration.name) +
                    " sends a layer's input rows and is defined for aggregate-first layers only; "
                    "use aggregate-first or auto"});
  model.order = "aggregate-first";
  return model;
}

}  // namespace halo
