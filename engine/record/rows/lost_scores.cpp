#include "engine/record/rows/lost_scores.h"

namespace halo {
namespace {

/// A number among the run's parameters; NULL where it has none.
std::string parameterSql(const std::string& key) {
  return "(SELECT CAST(value AS INTEGER) FROM parameter WHERE parameter.run_id = epoch.run_id AND key = '" +
         key + "')";
}

std::string scoreSql(const std::string& name) {
  const std::string evaluateEvery = parameterSql("training.evaluate_every");
  return "CASE WHEN " + name + " IS NULL AND " + evaluateEvery + " > 0 AND (epoch.epoch % " + evaluateEvery +
         " = 0 OR epoch.epoch = " + parameterSql("training.epochs") +
         " - 1) AND EXISTS(SELECT 1 FROM latest WHERE latest.run_id = epoch.run_id AND metric = '" + name +
         "') THEN 'NaN' ELSE " + name + " END AS " + name;
}

}  // namespace

std::string lossAndScoresSql() {
  return "ifnull(loss, 'NaN') AS loss, " + scoreSql("train") + ", " + scoreSql("valid") + ", " +
         scoreSql("test");
}

}  // namespace halo
