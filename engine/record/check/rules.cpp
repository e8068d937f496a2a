#include "engine/record/check/rules.h"

namespace halo {

void applyRules(Database& database, std::span<const Rule> rules, Findings& findings) {
  for (const Rule& rule : rules) try {
      Statement wrong(database, rule.sql);
      while (wrong.step()) findings.add(rule.kind, wrong.integer(0), wrong.text(1), wrong.text(2));
    } catch (const RecordError& error) {
      findings.addDamage(error);
    }
}

}  // namespace halo
