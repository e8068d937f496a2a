#include "tests/views/recording/simulated_engines.h"
#include "views/widgets/inspector_view.h"

#include <catch2/catch.hpp>
#include <set>

using namespace halo;

namespace {

/// Every fact that is shown, name and value.
std::set<QString> facts(const InspectorView& view) {
  std::set<QString> all;
  for (int g = 0; g < view.topLevelItemCount(); ++g)
    for (int i = 0; i < view.topLevelItem(g)->childCount(); ++i) {
      const auto* item = view.topLevelItem(g)->child(i);
      all.insert(item->text(0) + "|" + item->text(1).remove(QChar(0x200B)));
    }
  return all;
}

}  // namespace

TEST_CASE("a simulation has no epochs in the inspector, and its engines have names", "[views]") {
  RunData run = simulatedEngines();
  run.parameters = {{"device.freq_mhz", "500.0"}};
  run.latest = {{"epoch_seconds", 2.0}, {"simulated_memory_share", 0.5}};
  InspectorView view;
  view.showRun(run);
  Span span;
  span.durationNs = 6;
  view.showSpan(1, &span, 0);
  const auto allFacts = facts(view);
  for (const QString& fact : allFacts) {
    CAPTURE(fact.toStdString());
    CHECK_FALSE(fact.startsWith("epochs|"));
    CHECK_FALSE(fact.startsWith("median epoch|"));
    CHECK_FALSE(fact.contains("of the epochs"));
  }
  CHECK(allFacts.contains("lanes|2"));
  CHECK(allFacts.contains("1 spu: adders|"));
  CHECK(allFacts.contains("worker|1 adders"));
  CHECK(allFacts.contains("cycles|3"));
  CHECK(allFacts.contains("timeline|one epoch"));

  run.run.kind = "training";
  view.showRun(run);
  CHECK(facts(view).contains("epochs|0"));
}

TEST_CASE("the inspector's median epoch is the recording's, and none before an epoch has finished",
          "[views]") {
  const auto medians = [](const RunData& run) {
    InspectorView view;
    view.showRun(run);
    std::set<QString> medianFacts;
    for (const QString& fact : facts(view))
      if (fact.startsWith("median epoch|")) medianFacts.insert(fact);
    return medianFacts;
  };
  RunData run = simulatedEngines();
  run.run.kind = "training";
  run.latest.clear();
  CHECK(medians(run).empty());
  run.epochs.resize(3);
  for (std::size_t i = 0; i < 3; ++i) {
    run.epochs[i].epoch = static_cast<std::int64_t>(i);
    run.epochs[i].wallNs = 1'000'000'000;
  }
  run.epochs[2].wallNs = 3'000'000'000;
  run.latest = {{"epoch_seconds", 2.0}};  // of two after the first, the mean of both
  CHECK(medians(run).size() == 1);        // also of the metric of this name
}

TEST_CASE("lines of an error stay lines in the inspector, and other control characters are signs",
          "[views]") {
  RunData run = simulatedEngines();
  run.run.error = "it says:\nline 2\x1b[2J";
  InspectorView view;
  view.showRun(run);
  CHECK(facts(view).contains("error|it says:\nline 2␛[2J"));
}

TEST_CASE("every section of the inspector names the chip that it is of, and all are of one", "[views]") {
  const auto headings = [](const InspectorView& view) {
    QStringList texts;
    for (int g = 0; g < view.topLevelItemCount(); ++g)
      if (!view.topLevelItem(g)->isHidden()) texts << view.topLevelItem(g)->text(0);
    return texts;
  };
  RunData run = simulatedEngines();
  run.run.kind = "training";
  run.run.id = 1;
  run.run.method = "vanilla";
  run.parameters = {{"run.method", "\"vanilla\""}};
  run.latest = {{"loss", 2.0}};
  InspectorView view;
  view.showRun(run);
  CHECK(headings(view).front() == "Span");
  view.setChip("A", "A  #1–5 vanilla");
  for (const QString& heading : headings(view)) CHECK(heading.contains(" · A"));
  CHECK(headings(view).at(1) == "Run · A  #1–5 vanilla");

  OtherRun other{"B", "B  #6–10 pipegcn"};
  other.row.id = 6;
  other.row.method = "pipegcn";
  Span span;
  span.durationNs = 6;
  view.showSpan(0, &span, 0, other);
  CHECK(view.tellsOfOther());
  view.showRun(run);  // which goes on
  const QStringList ofOther = headings(view);
  CHECK(ofOther == QStringList{"Span · B", "Run · B  #6–10 pipegcn", "More of the run · B"});
  CHECK(facts(view).contains("run|B  #6–10 pipegcn · run 6"));
  CHECK(facts(view).contains("method|pipegcn"));
  CHECK_FALSE(facts(view).contains("method|vanilla"));

  view.showSpan(-1, nullptr, 0);
  CHECK_FALSE(view.tellsOfOther());
  view.showRun(run);
  CHECK(facts(view).contains("method|vanilla"));
  for (const QString& heading : headings(view)) CHECK(heading.contains(" · A"));
}
