#include "engine/model/own_key.h"

#include <algorithm>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "engine/experiment/experiment.h"

namespace halo {

std::span<const Parameter> ownModelKey(std::string_view key) {
  const auto section = std::ranges::find(sections(), "model", &Declaration::name);
  HALO_CHECK(section != sections().end());
  const std::span<const Parameter> parameters = section->parameters;
  const auto parameter = std::ranges::find(parameters, key, &Parameter::key);
  HALO_CHECK(parameter != parameters.end());
  return parameters.subspan(at(parameter - parameters.begin()), 1);
}

}  // namespace halo
