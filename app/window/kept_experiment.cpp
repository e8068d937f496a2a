#include "app/window/kept_experiment.h"

#include <QDir>
#include <QFile>

#include "engine/base/problem.h"

namespace halo {

QString keepExperiment(const QString& folder, const QString& stem, const QString& text) {
  QDir().mkpath(folder);
  QString name;
  for (int i = 1; name.isEmpty() || QFile::exists(name); ++i)
    name = QDir(folder).filePath(QString("%1-%2.toml").arg(stem).arg(i));
  QFile file(name);
  const QByteArray bytes = text.toUtf8();
  if (!file.open(QIODevice::WriteOnly | QIODevice::NewOnly) || file.write(bytes) != bytes.size())
    throw EnvironmentError(name.toStdString() + ": cannot be written: " + file.errorString().toStdString() +
                           "; what is asked is kept there");
  return name;
}

}  // namespace halo
