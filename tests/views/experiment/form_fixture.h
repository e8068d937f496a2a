// A form that knows a few names, and hands that use it.
#pragma once

#include <QLineEdit>
#include <QTest>
#include <filesystem>
#include <memory>

#include "tests/support/places.h"
#include "views/experiment/known.h"

namespace halo::test {

inline constexpr const char* kKnown =
    R"({"kind":"method","name":"vanilla","help":"h","source":"s","parameters":[{"key":"overlap","help":"o","type":"choice","default":"none","options":["none","local-first"]}]})"
    "\n"
    R"({"kind":"method","name":"single","help":"h","source":"s","parameters":[]})"
    "\n"
    R"({"kind":"method","name":"p2p","help":"h","source":"s","parameters":[]})"
    "\n"
    R"({"kind":"method","name":"pipegcn","help":"h","source":"s","parameters":[{"key":"smoothing","help":"o","type":"choice","default":"none","options":["none","both"]}]})"
    "\n"
    R"({"kind":"partitioner","name":"metis","help":"h","source":"s","parameters":[{"key":"trials","help":"o","type":"integer","default":1,"low":1,"high":9}]})"
    "\n"
    R"({"kind":"layer","name":"gcn","help":"h","source":"s","parameters":[]})"
    "\n"
    R"({"kind":"layer","name":"gin","help":"h","source":"s","parameters":[]})"
    "\n"
    R"({"kind":"link","name":"wire","bandwidth_gbit":10.0,"latency_us":20.0,"staging_gbit":0.0})"
    "\n";

inline const std::filesystem::path kResources = std::filesystem::path(kSourceDir) / "resources";

inline std::unique_ptr<KnownNames> someKnown() {
  auto names = std::make_unique<KnownNames>();
  names->read(kKnown, kResources);
  return names;
}

/// The first that assistive programs call so.
template <class Widget>
Widget* named(QWidget& form, const QString& name) {
  for (auto* each : form.findChildren<Widget*>())
    if (each->accessibleName() == name) return each;
  return nullptr;
}

/// Types over what stands there.
inline void type(QLineEdit& line, const QString& words) {
  line.selectAll();
  words.isEmpty() ? QTest::keyClick(&line, Qt::Key_Delete) : QTest::keyClicks(&line, words);
}

inline void enter(QLineEdit& line, const QString& words) {
  type(line, words);
  QTest::keyClick(&line, Qt::Key_Return);
}

}  // namespace halo::test
