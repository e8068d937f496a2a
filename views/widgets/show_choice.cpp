#include "views/widgets/show_choice.h"

#include <QComboBox>

#include "views/figures/figure_registry.h"

namespace halo {

QComboBox* showChoice(const char* figure) {
  auto* box = new QComboBox;
  for (const Parameter& parameter : halo::find<FigureEntry>(figure)->declaration.parameters)
    for (const std::string_view option : std::get<Choice>(parameter.type).options) {
      const QString word = QString::fromUtf8(option.data(), std::ssize(option));
      box->addItem(QString(word).replace('-', ' '), word);
    }
  return box;
}

}  // namespace halo
