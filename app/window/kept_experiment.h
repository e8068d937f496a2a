#pragma once

#include <QString>

namespace halo {

/// Writes the text as FOLDER/STEM-N.toml, N the first that is free, and returns that path. Throws
/// EnvironmentError.
QString keepExperiment(const QString& folder, const QString& stem, const QString& text);

}  // namespace halo
