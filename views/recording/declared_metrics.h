#pragma once

#include <QString>
#include <string>

namespace halo {

/// What a metric is, with its formula, as its declaration says: "sum of the epochs' times [s]". Empty for one
/// that nobody declares. Of the declarations that the build embeds; the first call reads them, about a
/// millisecond.
QString metricMeaning(const std::string& metric);

}  // namespace halo
