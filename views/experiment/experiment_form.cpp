#include "views/experiment/experiment_form.h"

#include <QComboBox>
#include <QFontDatabase>
#include <QFormLayout>
#include <QGroupBox>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSaveFile>
#include <QScrollArea>
#include <QScrollBar>
#include <QSplitter>
#include <QTextBlock>
#include <QVBoxLayout>
#include <algorithm>
#include <stdexcept>

#include "engine/experiment/keys.h"
#include "engine/experiment/toml_text.h"
#include "views/experiment/experiment_field.h"
#include "views/experiment/problems_view.h"
#include "views/experiment/toml_highlighter.h"

namespace halo {

namespace {

QString q(std::string_view text) { return QString::fromUtf8(text.data(), std::ssize(text)); }

std::string methodOf(const std::string& text, int run) {
  const auto written = valueIn(text, {"", run, "method"});
  return written ? unquoted(*written).value_or("") : RunSettings().method;
}

}  // namespace

ExperimentForm::ExperimentForm(QWidget* parent)
    : QWidget(parent),
      scroll_(new QScrollArea),
      text_(new QPlainTextEdit),
      list_(new ProblemsView),
      verdict_(new QLabel) {
  text_->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
  text_->setLineWrapMode(QPlainTextEdit::NoWrap);
  text_->setTabChangesFocus(true);
  text_->setAccessibleName("Experiment as text");
  new TomlHighlighter(text_->document(), *this);
  scroll_->setWidgetResizable(true);
  scroll_->setFrameShape(QFrame::NoFrame);
  scroll_->setMinimumWidth(fontMetrics().averageCharWidth() * 20);  // of a small window: it scrolls both ways
  verdict_->setWordWrap(true);
  verdict_->setObjectName("verdict");
  verdict_->setTextFormat(Qt::PlainText);
  verdict_->setContentsMargins(6, 2, 6, 2);
  auto* right = new QSplitter(Qt::Vertical);
  right->addWidget(text_);
  right->addWidget(list_);
  for (QWidget* part : {static_cast<QWidget*>(text_), static_cast<QWidget*>(list_)})
    part->setMinimumHeight(2 * fontMetrics().height());  // Qt's own is twice that
  list_->hide();
  right->setStretchFactor(0, 4);
  right->setStretchFactor(1, 1);
  auto* side = new QWidget;
  auto* column = new QVBoxLayout(side);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(verdict_);
  column->addWidget(right, 1);
  auto* splitter = new QSplitter;
  splitter->addWidget(scroll_);
  splitter->addWidget(side);
  splitter->setSizes({460, 540});
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(splitter);
  checkSoon_.setSingleShot(true);
  checkSoon_.setInterval(150);
  connect(&checkSoon_, &QTimer::timeout, this, &ExperimentForm::check);
  lookSoon_.setSingleShot(true);
  lookSoon_.setInterval(350);  // a process is not worth a pause between two words
  connect(&lookSoon_, &QTimer::timeout, this, &ExperimentForm::askForFiles);
  connect(&look_, &FilesLook::answered, this, &ExperimentForm::takeLook);
  connect(text_, &QPlainTextEdit::textChanged, this, &ExperimentForm::textEdited);
  connect(list_, &ProblemsView::placeChosen, this, [this](int line, int at) {
    QTextCursor cursor(text_->document()->findBlockByNumber(line - 1));
    cursor.movePosition(QTextCursor::Right, QTextCursor::MoveAnchor, std::max(0, at - 1));
    text_->setTextCursor(cursor);
    text_->setFocus();
  });
  buildForm();
}

ExperimentForm::~ExperimentForm() = default;

void ExperimentForm::setKnown(std::unique_ptr<KnownNames> names) {
  known_ = std::move(names);
  buildForm();
  check();
}

void ExperimentForm::load(const QString& file) {
  loadText(QString::fromStdString(readTomlFile(file.toStdString(), "an experiment file")), file);
}

void ExperimentForm::loadText(const QString& text, const QString& file) {
  file_ = file;
  showValues();  // what was typed in fields belonged to the text before
  text_->setPlainText(text);
  text_->document()->setModified(false);
  check();
}

void ExperimentForm::saveAs(const QString& file) {
  commitFields();
  QSaveFile target(file);  // unlike a NewFile it follows a link: the file that somebody edits may be one
  const QByteArray bytes = text().toUtf8();
  if (!target.open(QIODevice::WriteOnly) || target.write(bytes) != bytes.size() || !target.commit())
    throw std::runtime_error(file.toStdString() +
                             ": cannot be written: " + target.errorString().toStdString());
  file_ = file;
  text_->document()->setModified(false);
}

QString ExperimentForm::text() const { return text_->toPlainText(); }
bool ExperimentForm::changed() const {
  return text_->document()->isModified() ||
         std::ranges::any_of(places_, [](const Place& each) { return each.field->typed().has_value(); });
}

// ---- the form
// -----------------------------------------------------------------------------------------------------

/// Number of runs, their methods and the partitioner decide which fields there are.
std::string ExperimentForm::shapeOf(const std::string& text) const {
  std::string shape =
      std::to_string(known_ != nullptr) + valueIn(text, {"partition", -1, "method"}).value_or("");
  for (int run = 0; run < tablesIn(text); ++run) shape += "/" + methodOf(text, run);
  return shape + simulationShape(text);
}

/// New fields take over the focus, and what is typed, from those that were in their places.
void ExperimentForm::buildForm() {
  std::vector<std::pair<TextPlace, QString>> typed;
  std::optional<TextPlace> focused;
  for (const Place& each : places_) {
    if (const auto words = each.field->typed()) typed.emplace_back(each.place, *words);
    if (each.field->hasFocus()) focused = each.place;
  }
  fillForm();
  for (const Place& each : places_) {
    if (focused == each.place) each.field->setFocus(Qt::TabFocusReason);
    const auto entry = std::ranges::find(typed, each.place, &std::pair<TextPlace, QString>::first);
    if (entry != typed.end()) each.field->setTyped(entry->second);
  }
}

void ExperimentForm::fillForm() {
  const int scrolled = scroll_->verticalScrollBar()->value();
  places_.clear();
  shape_ = shapeOf(text().toStdString());
  auto* inner = new QWidget;
  auto* column = new QVBoxLayout(inner);
  column->addWidget(generalBox());
  const int runs = tablesIn(text().toStdString());
  for (int run = 0; run < runs; ++run) column->addWidget(runBox(run));
  auto* add = new QPushButton("Add a run");
  connect(add, &QPushButton::clicked, this,
          [this] { replaceText(withTable(text().toStdString(), "run", "method", "vanilla")); });
  column->addWidget(add, 0, Qt::AlignLeft);
  addSimulations(column);
  for (const Declaration& section : sections()) column->addWidget(sectionBox(section));
  column->addStretch(1);
  scroll_->setWidget(inner);
  showValues();
  scroll_->verticalScrollBar()->setValue(scrolled);
}

ExperimentField* ExperimentForm::addField(QFormLayout* form, const Parameter& parameter,
                                          const QStringList& options, const TextPlace& place) {
  auto* field = new ExperimentField(parameter, options);
  auto* label = new QLabel(field->title());
  label->setBuddy(field);
  label->setToolTip(field->toolTip());
  form->addRow(label, field);
  connect(field, &ExperimentField::writtenChanged, label, [label](bool isWritten) {
    QFont font = label->font();
    font.setBold(isWritten);
    label->setFont(font);
  });
  connect(field, &ExperimentField::edited, this,
          [this, place](const QString& value) { formEdited(place, value); });
  places_.push_back({place, field});
  return field;
}

namespace {

QGroupBox* box(const QString& title, const QString& help, QFormLayout*& form) {
  auto* group = new QGroupBox(title);
  group->setToolTip(help);
  form = new QFormLayout(group);
  form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
  form->setLabelAlignment(Qt::AlignRight | Qt::AlignVCenter);
  return group;
}

}  // namespace

QWidget* ExperimentForm::generalBox() {
  QFormLayout* form = nullptr;
  QGroupBox* group = box("Experiment", "", form);
  for (const Parameter& parameter : generalKeys())
    addField(form, parameter, {}, {"", -1, std::string(parameter.key)});
  return group;
}

QStringList ExperimentForm::optionsOf(std::string_view section, std::string_view key) const {
  QStringList options;
  const Key* declared = keyNamed(section, key);
  if (known_ && declared != nullptr)
    for (const std::string& name : namesFor(*declared, known_->known())) options << q(name);
  return options;
}

QWidget* ExperimentForm::sectionBox(const Declaration& section) {
  QFormLayout* form = nullptr;
  const std::string table(section.name);
  QGroupBox* group = box(q(section.name), q(section.help), form);
  for (const Parameter& parameter : section.parameters)
    addField(form, parameter, optionsOf(section.name, parameter.key),
             {table, -1, std::string(parameter.key)});
  if (!known_ || section.name != "partition") return group;
  const auto written = valueIn(text().toStdString(), {"partition", -1, "method"});
  const std::string method = written ? unquoted(*written).value_or("") : PartitionSettings().method;
  for (const Declaration& partitioner : known_->known().partitioners)
    if (partitioner.name == method)
      for (const Parameter& parameter : partitioner.parameters)
        addField(form, parameter, {}, {table, -1, std::string(parameter.key)});
  return group;
}

QWidget* ExperimentForm::runBox(int run) {
  QFormLayout* form = nullptr;
  QGroupBox* group = box(QString("Run %1").arg(run + 1), "", form);
  addField(form, keyNamed("run", "method")->parameter, optionsOf("run", "method"), {"", run, "method"});
  const std::string method = methodOf(text().toStdString(), run);
  if (known_)
    for (const Declaration& each : known_->known().methods)
      if (each.name == method) {
        group->setToolTip(q(each.help));
        for (const Parameter& parameter : each.parameters)
          addField(form, parameter, {}, {"", run, std::string(parameter.key)});
      }
  form->addRow("", removeButton("run", run, "Remove this run"));
  return group;
}

// ---- two ways
// -----------------------------------------------------------------------------------------------------

void ExperimentForm::formEdited(const TextPlace& place, const QString& value) {
  std::string now = text().toStdString();
  const std::string literal = value.toStdString();
  if (place.run >= 0 && !place.table.empty() && !literal.empty())
    now = withNameInTable(now, {"", place.run, place.table, place.list}).value_or(now);
  const auto changed = literal.empty() ? withoutValue(now, place) : withValue(now, place, literal);
  if (!changed) {
    forgetCheck();  // whose answer would take the place of this
    verdict_->setText(QString("✗ The way this text is written, %1 can only be changed in the text itself.")
                          .arg(q(place.table.empty() ? place.key : place.table + "." + place.key)));
    return showValues();
  }
  fromForm_ = true;
  replaceText(*changed);
  fromForm_ = false;
}

/// Changes the differing middle only, so that undo, cursor and scroll stay meaningful.
void ExperimentForm::replaceText(const std::string& replacement) {
  const QString before = text(), after = QString::fromStdString(replacement);
  if (before == after) return;
  qsizetype same = 0, end = 0;
  const qsizetype shorter = std::min(before.size(), after.size());
  while (same < shorter && before[same] == after[same]) ++same;
  while (end < shorter - same && before[before.size() - 1 - end] == after[after.size() - 1 - end]) ++end;
  QTextCursor cursor(text_->document());
  cursor.setPosition(static_cast<int>(same));
  cursor.setPosition(static_cast<int>(before.size() - end), QTextCursor::KeepAnchor);
  cursor.insertText(after.mid(same, after.size() - same - end));
}

void ExperimentForm::textEdited() {
  forgetCheck();
  checkSoon_.start();
  if (!isToml(text().toStdString())) return;  // half a line: the form waits
  if (shapeOf(text().toStdString()) != shape_) {
    // a field cannot be deleted while it tells of its own change
    QMetaObject::invokeMethod(this, &ExperimentForm::buildForm,
                              fromForm_ ? Qt::QueuedConnection : Qt::AutoConnection);
    return;
  }
  showValues();
}

void ExperimentForm::showValues() {
  const std::string now = text().toStdString();
  for (const Place& each : places_) each.field->setValue(valueIn(now, each.place));
}

void ExperimentForm::commitFields() {
  const std::vector<Place> fields = places_;  // to mean something may ask for others, which come later
  for (const Place& each : fields) each.field->commit();
}

}  // namespace halo
