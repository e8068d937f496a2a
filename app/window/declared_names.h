#pragma once

#include <QString>
#include <memory>

#include "views/experiment/known.h"

namespace halo {

/// What experiment files may name: the declarations that `haloscope` wrote down while this program was built,
/// with the links and figures that are in the folder `resources` now. Throws what KnownNames::read throws.
std::unique_ptr<KnownNames> declaredNames(const QString& resources);

}  // namespace halo
