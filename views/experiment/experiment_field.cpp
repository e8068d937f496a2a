#include "views/experiment/experiment_field.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QSignalBlocker>

#include "views/experiment/choice_box.h"
#include "views/experiment/experiment_text.h"

namespace halo {

namespace {

QString q(std::string_view text) { return QString::fromUtf8(text.data(), std::ssize(text)); }

/// What is allowed, for the tool tip.
QString allowed(const Parameter& parameter) {
  if (const auto* real = std::get_if<Real>(&parameter.type))
    return QString("a number from %1 to %2").arg(real->low).arg(real->high);
  if (const auto* integer = std::get_if<Integer>(&parameter.type))
    return QString("a whole number from %1 to %2").arg(integer->low).arg(integer->high);
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

/// A number as it is typed; what is no value ("1e-") becomes a string, which the check of the text refuses.
QString number(const QString& words) {
  const QString trimmed = words.trimmed();
  return trimmed.isEmpty() || isToml("v = " + trimmed.toStdString()) ? trimmed : literal(trimmed);
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

/// What has the focus loses it on the way, which is no leaving of the field.
ExperimentField::~ExperimentField() {
  for (const QObject* child : children()) child->disconnect(this);
}

/// Words that mean the value stay as they are typed.
void ExperimentField::setValue(const std::optional<std::string>& value) {
  const bool same = value && valueOf_ && valueOf_(words_()) == QString::fromStdString(*value);
  if (!same) show_(value);
  shown_ = words_();
  emit writtenChanged(value.has_value());
}

std::optional<QString> ExperimentField::typed() const {
  return words_() == shown_ ? std::nullopt : std::optional(words_());
}

void ExperimentField::setTyped(const QString& words) { write_(words); }

void ExperimentField::commit() {
  if (const auto words = typed()) mean(valueOf_(*words));
}

void ExperimentField::mean(const QString& value) {
  shown_ = words_();
  emit edited(value);
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
  words_ = [edit] { return edit->text(); };
  write_ = [edit](const QString& typed) { edit->setText(typed); };
  valueOf_ = words ? literal : number;
  show_ = [edit](const std::optional<std::string>& value) {
    edit->setText(value ? shown(*value) : QString());
  };
  connect(edit, &QLineEdit::editingFinished, this, &ExperimentField::commit);
}

void ExperimentField::list(const Choice* choice, const QStringList& options) {
  auto* list = new ChoiceBox(/*takesWords=*/choice == nullptr);
  list->setAccessibleName(title_);
  list->setMinimumContentsLength(8);
  list->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  if (choice)
    for (const std::string_view option : choice->options) list->addItem(q(option));
  else
    list->addItems(options);
  layout()->addWidget(list);
  setFocusProxy(list);
  words_ = [list] { return list->currentText(); };
  write_ = [list](const QString& typed) {
    list->isEditable() ? list->setEditText(typed) : list->setCurrentText(typed);
  };
  valueOf_ = literal;
  show_ = [this, list](const std::optional<std::string>& value) {
    const QSignalBlocker quiet(list);
    const QString text = shown(value.value_or(standard_.toStdString()));
    list->setCurrentIndex(list->findText(text));
    if (list->isEditable()) list->setEditText(text);
  };
  connect(list, &ChoiceBox::meant, this, &ExperimentField::commit);
  connect(list, &ChoiceBox::picked, this, [this] { mean(valueOf_(words_())); });
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
  list(choice, options);
}

}  // namespace halo
