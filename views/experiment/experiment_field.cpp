#include "views/experiment/experiment_field.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QSignalBlocker>

#include "views/experiment/experiment_text.h"

namespace halo {

namespace {

QString q(std::string_view text) {
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

/// What is allowed, for the tool tip.
QString allowed(const Parameter& parameter) {
  if (const auto* real = std::get_if<Real>(&parameter.type))
    return QString("a number from %1 to %2").arg(real->low).arg(real->high);
  if (const auto* whole = std::get_if<Integer>(&parameter.type))
    return QString("a whole number from %1 to %2").arg(whole->low).arg(whole->high);
  return {};
}

/// The words of a string value; another type (a list, a number) as it is written.
QString shown(const std::string& value) { return QString::fromStdString(unquoted(value).value_or(value)); }

/// Words become a string; a list or table the user typed stays what it is.
QString literal(const QString& words) {
  const QString trimmed = words.trimmed();
  if (trimmed.isEmpty()) return {};
  const bool structured = (trimmed.startsWith('[') && trimmed.endsWith(']')) ||
                          (trimmed.startsWith('{') && trimmed.endsWith('}'));
  if (structured && isToml("v = " + trimmed.toStdString())) return trimmed;
  return QString::fromStdString(halo::quoted(words.toStdString()));
}

}  // namespace

ExperimentField::ExperimentField(const Parameter& parameter, const QStringList& options, QWidget* parent)
    : QWidget(parent), title_(q(parameter.key).replace('_', ' ')) {
  (new QHBoxLayout(this))->setContentsMargins(0, 0, 0, 0);
  build(parameter, options);
  const QString range = allowed(parameter);
  setToolTip(q(parameter.help) + (range.isEmpty() ? "" : "\n" + range) +
             "\ndefault: " + QString::fromStdString(toText(fallback(parameter))));
}

void ExperimentField::setValue(const std::optional<std::string>& value) {
  show_(value);
  emit givenChanged(value.has_value());
}

void ExperimentField::setStandard(const QString& standard) {
  standard_ = standard;
  if (line_ != nullptr) line_->setPlaceholderText(shown(standard.toStdString()));
}

void ExperimentField::line(const QString& fallback, bool words) {
  auto* edit = new QLineEdit;
  edit->setPlaceholderText(fallback);
  edit->setAccessibleName(title_);
  layout()->addWidget(edit);
  setFocusProxy(edit);
  line_ = edit;
  connect(edit, &QLineEdit::textEdited, this,
          [this, words](const QString& text) { emit edited(words ? literal(text) : text.trimmed()); });
  show_ = [edit, words](const std::optional<std::string>& value) {
    const QString text = !value ? QString() : words ? shown(*value) : QString::fromStdString(*value);
    if (edit->text().trimmed() != text) edit->setText(text);
  };
}

void ExperimentField::build(const Parameter& parameter, const QStringList& options) {
  standard_ = QString::fromStdString(toText(fallback(parameter)));
  if (std::holds_alternative<Flag>(parameter.type)) {
    auto* box = new QCheckBox;
    box->setAccessibleName(title_);
    layout()->addWidget(box);
    setFocusProxy(box);
    connect(box, &QCheckBox::toggled, this, [this](bool on) { emit edited(on ? "true" : "false"); });
    show_ = [this, box](const std::optional<std::string>& value) {
      const QSignalBlocker quiet(box);
      box->setChecked((value ? QString::fromStdString(*value) : standard_) == "true");
    };
    return;
  }
  const auto* choice = std::get_if<Choice>(&parameter.type);
  if (!choice && options.isEmpty()) {
    const auto* text = std::get_if<Text>(&parameter.type);
    line(text ? q(text->fallback) : standard_, text != nullptr);
    return;
  }
  auto* list = new QComboBox;
  list->setAccessibleName(title_);
  list->setMinimumContentsLength(8);
  list->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  if (choice)
    for (const std::string_view option : choice->options) list->addItem(q(option));
  else
    list->addItems(options);
  list->setEditable(!choice);
  layout()->addWidget(list);
  setFocusProxy(list);
  const auto say = [this, list] { emit edited(literal(list->currentText())); };
  connect(list, &QComboBox::activated, this, say);
  if (!choice) connect(list->lineEdit(), &QLineEdit::textEdited, this, say);
  show_ = [this, list](const std::optional<std::string>& value) {
    const QSignalBlocker quiet(list);
    const QString text = shown(value.value_or(standard_.toStdString()));
    if (list->isEditable() && list->currentText() != text)
      list->setEditText(text);
    else if (!list->isEditable())
      list->setCurrentIndex(list->findText(text));
  };
}

}  // namespace halo
