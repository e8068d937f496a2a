#pragma once

#include <QString>
#include <memory>

#include "views/experiment/known.h"

namespace halo {

/// What experiment files may name. The declarations are those that `haloscope` wrote down while this program
/// was built. Links and figures are those that are in the folder `resources` now. Throws what
/// KnownNames::read throws.
std::unique_ptr<KnownNames> declaredNames(const QString& resources);

}  // namespace halo
