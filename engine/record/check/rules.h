#pragma once

#include <span>

#include "engine/record/check/findings.h"
#include "engine/record/database/database.h"

namespace halo {

/// A statement whose rows are what is wrong. A row has the run, the place in it ("epoch 2, layer 0", or
/// empty), and a sentence that names the thing and what would be right.
struct Rule {
  const char* kind;
  const char* sql;
};

/// Each rule by itself: a damaged page does not keep the others from being looked at.
void applyRules(Database& database, std::span<const Rule> rules, Findings& findings);

}  // namespace halo
