#include "views/recording/declared_metrics.h"

#include <QFile>
#include <map>
#include <nlohmann/json.hpp>

namespace halo {
namespace {

/// By key. Lines of other kinds are passed over without being parsed.
std::map<std::string, QString> readMeanings() {
  std::map<std::string, QString> meanings;
  QFile declarations(":/declarations.jsonl");
  if (!declarations.open(QIODevice::ReadOnly)) return meanings;
  while (!declarations.atEnd()) {
    const QByteArray line = declarations.readLine();
    if (!line.contains("\"metric\"")) continue;
    const auto json = nlohmann::json::parse(line.begin(), line.end(), nullptr, /*allow_exceptions=*/false);
    if (!json.is_object() || json.value("kind", "") != "metric") continue;
    const std::string help = json.value("help", ""), unit = json.value("unit", "");
    QString meaning = QString::fromStdString(help.empty() ? json.value("title", "") : help).remove('`');
    if (unit == "seconds") meaning += " [s]";
    if (unit == "bytes") meaning += " [bytes]";
    meanings[json.value("name", "")] = meaning;
  }
  return meanings;
}

}  // namespace

QString metricMeaning(const std::string& metric) {
  static const std::map<std::string, QString> kMeanings = readMeanings();
  const auto meaning = kMeanings.find(metric);
  return meaning == kMeanings.end() ? QString() : meaning->second;
}

}  // namespace halo
