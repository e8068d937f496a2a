#include "engine/record/comparison/fairness.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "engine/record/analysis/unlike.h"

using namespace halo;

namespace {

Configuration configuration(std::int64_t run, std::map<std::string, std::string> parameters,
                            const std::string& status = "completed") {
  Configuration each;
  RunRow row;
  row.id = run;
  row.status = status;
  row.host = run % 2 == 0 ? "here" : "there";
  each.runs = {row};
  each.parameters = std::move(parameters);
  return each;
}

}  // namespace

TEST_CASE("an objection names its setting and says what differs", "[comparison]") {
  const std::vector<Configuration> compared = {
      configuration(1, {{"training.evaluate_every", "1"}, {"training.epochs", "9"}}),
      configuration(2, {{"training.evaluate_every", "5"}, {"training.epochs", "9"}}, "failed")};
  const std::vector<Objection> listed = objections(compared);
  const auto has = [&](const Objection& each) { return std::ranges::find(listed, each) != listed.end(); };
  CHECK(has({"status", "run 2 is failed"}));
  CHECK(has({"training.evaluate_every", "runs differ in training.evaluate_every: 1 | 5"}));
  CHECK(has({"host", "runs differ in host: there | here"}));
  const std::vector<std::string> sentences = fairness(compared);
  REQUIRE(sentences.size() == listed.size());
  for (std::size_t i = 0; i < listed.size(); ++i) CHECK(sentences[i] == listed[i].sentence);
}

TEST_CASE("every setting that keeps runs from being compared has a reason of its own", "[comparison]") {
  const std::string other = whyItMatters("of nobody");
  std::set<std::string> reasons;
  for (const char* setting : {"status",
                              "training.evaluate_every",
                              "training.seed",
                              "training.epochs",
                              "training.learning_rate",
                              "dataset.split",
                              "dataset.scale",
                              "model.hidden",
                              "cluster.link",
                              "cluster.threads",
                              "cluster.launcher",
                              "cluster.hosts",
                              "host",
                              "version",
                              "marks",
                              "run.layer0_cache",
                              "record.spans",
                              "record.iterations",
                              "record.staleness",
                              "record.checkpoint_s",
                              "partition.imbalance",
                              "partition.path",
                              "partition.levelling",
                              "partition.method",
                              "partition.balance",
                              kUnlikeOrders,
                              kUnlikePrecision,
                              kUnlikeData}) {
    CAPTURE(setting);
    const std::string reason = whyItMatters(setting);
    CHECK(reason != other);
    CHECK(reason.ends_with('.'));
    reasons.insert(reason);
  }
  CHECK(reasons.size() == 28);
  CHECK(whyItMatters("cluster.wire.latency_us") == whyItMatters("cluster.link"));
}
