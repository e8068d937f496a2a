#include "views/spans/span_label.h"

namespace halo {

QString spanLabel(Name name, int layer) {
  const std::string_view word = text(name);
  QString label = QString::fromUtf8(word.data(), std::ssize(word));
  if (layer >= 0) label += QStringLiteral(" L%1").arg(layer);
  return label;
}

}  // namespace halo
