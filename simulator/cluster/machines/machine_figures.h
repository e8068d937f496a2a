#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "engine/base/declaration.h"
#include "engine/base/problem.h"
#include "simulator/cluster/machines/machine.h"

namespace halo::cluster {

/// Every figure of a cluster file (resources/clusters/*.toml, engine/experiment/figure_file.h).
const Declaration& machineDeclaration();

/// What figures cannot be together, by "machine.KEY"; each alone is in its range. Texts (dims, collectives)
/// are read here.
std::vector<Problem> machineProblems(const Values& figures);

/// Of figures without problems. `sources`: of each, "published: …" and the like; those of a group that
/// belongs together become one.
Machine machineOf(const std::string& name, const Values& figures,
                  const std::map<std::string, std::string>& sources);

/// Reads a cluster file. Throws InputError with every problem, as readFigureFile does.
Machine readMachine(const std::filesystem::path& file);

}  // namespace halo::cluster
