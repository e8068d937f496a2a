#include "app/window/declared_names.h"

#include <QFile>

#include "engine/base/problem.h"

namespace halo {

std::unique_ptr<KnownNames> declaredNames(const QString& resources) {
  QFile declarations(":/declarations.jsonl");
  HALO_CHECK(declarations.open(QIODevice::ReadOnly));
  auto names = std::make_unique<KnownNames>();
  names->read(declarations.readAll().toStdString(), resources.toStdString());
  return names;
}

}  // namespace halo
