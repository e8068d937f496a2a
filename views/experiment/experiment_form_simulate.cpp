// [[simulate]] tables of the form: the keys of their kind, and the figures of the devices they name.
#include <QDir>
#include <QFileInfo>
#include <QFormLayout>
#include <QGroupBox>
#include <QMenu>
#include <QPushButton>
#include <QToolButton>
#include <algorithm>
#include <filesystem>

#include "engine/experiment/toml_text.h"
#include "views/experiment/experiment_field.h"
#include "views/experiment/experiment_form.h"

namespace halo {

namespace {

constexpr const char* kList = "simulate";

QString q(std::string_view text) { return QString::fromUtf8(text.data(), std::ssize(text)); }

/// Of a key as its kind declares it: "slices", "pipeline.stages".
TextPlace placeOf(std::string_view declared, int table) {
  const std::size_t dot = declared.find('.');
  if (dot == declared.npos) return {"", table, std::string(declared), kList};
  return {std::string(declared.substr(0, dot)), table, std::string(declared.substr(dot + 1)), kList};
}

/// Where what names a file of figures stands: `device`, or `device.name` beside keys that replace figures.
TextPlace subjectOf(const std::string& text, std::string_view declared, int table) {
  const TextPlace place = placeOf(declared, table);
  if (!place.table.empty()) return place;
  const TextPlace named{place.key, table, "name", kList};
  return valueIn(text, named) ? named : place;
}

/// What the key says, or its default.
std::string wordAt(const std::string& text, const SimulationKind& kind, const std::string& declared,
                   int table) {
  if (const auto value = valueIn(text, subjectOf(text, declared, table)))
    return unquoted(*value).value_or("");
  const auto parameter = std::ranges::find(kind.declaration.parameters, declared, &Parameter::key);
  if (parameter == kind.declaration.parameters.end()) return {};
  const auto* word = std::get_if<Text>(&parameter->type);
  return word == nullptr ? "" : std::string(word->fallback);
}

/// Files of figures that a name alone reaches.
QStringList filesOf(const FigureKey& key) {
  QStringList names;
  for (const QFileInfo& file : QDir(QString::fromStdString(key.folder.string())).entryInfoList({"*.toml"}))
    names << file.completeBaseName();
  return names;
}

/// What the figures in the text of a file are of, by its header.
const Declaration* modelOf(const FigureKey& key, const std::string& text) {
  const auto value = valueIn(text, {"", -1, key.header});
  const auto declaration =
      std::ranges::find(key.models, value ? unquoted(*value).value_or("") : "",
                        [](const Declaration& model) { return std::string(model.name); });
  return declaration == key.models.end() ? nullptr : &*declaration;
}

/// The key that makes a table one of this kind, and what it says in a new one.
std::pair<std::string, std::string> beginningOf(const SimulationKind& kind) {
  const std::string name(kind.declaration.name);
  for (const FigureKey& figures : kind.figures)
    if (figures.key == name || figures.key.starts_with(name + ".")) {
      const std::string usual = wordAt("", kind, figures.key, 0);
      return {figures.key, usual.empty() ? filesOf(figures).value(0).toStdString() : usual};
    }
  return {name, wordAt("", kind, name, 0)};
}

}  // namespace

/// By the key of the kind's name, as the parser goes by it.
const SimulationKind* ExperimentForm::kindOf(const std::string& text, int table) const {
  if (!known_) return nullptr;
  const auto& kinds = known_->known().simulations;
  const auto match = std::ranges::find_if(kinds, [&](const SimulationKind& kind) {
    return valueIn(text, {"", table, std::string(kind.declaration.name), kList}).has_value();
  });
  return match == kinds.end() ? nullptr : &*match;
}

/// Kinds and the devices named decide which fields there are.
std::string ExperimentForm::simulationShape(const std::string& text) const {
  std::string shape;
  for (int table = 0; table < tablesIn(text, kList); ++table) {
    const SimulationKind* kind = kindOf(text, table);
    shape += "//" + (kind == nullptr ? "" : std::string(kind->declaration.name));
    if (kind == nullptr) continue;
    for (const FigureKey& key : kind->figures)
      shape += "/" + wordAt(text, *kind, key.key, table) + "@" + subjectOf(text, key.key, table).table;
    if (kind->ofMethods) shape += "/" + wordAt(text, *kind, "method", table);
  }
  return shape;
}

void ExperimentForm::addSimulations(QBoxLayout* column) {
  const std::string now = text().toStdString();
  for (int table = 0; table < tablesIn(now, kList); ++table) {
    const SimulationKind* kind = kindOf(now, table);
    column->addWidget(kind == nullptr ? unknownSimulationBox(table) : simulationBox(table, *kind));
  }
  if (!known_) return;
  auto* add = new QPushButton("Add a simulation");
  auto* kinds = new QMenu(add);
  for (const SimulationKind& kind : known_->known().simulations) {
    const auto [key, value] = beginningOf(kind);
    auto* action = kinds->addAction(q(kind.declaration.name) + ": " + q(kind.declaration.help));
    connect(action, &QAction::triggered, this, [this, key = key, value = value] {
      replaceText(withTable(text().toStdString(), kList, key, value));
    });
  }
  add->setMenu(kinds);
  add->setEnabled(!kinds->isEmpty());
  column->addWidget(add, 0, Qt::AlignLeft);
}

QWidget* ExperimentForm::removeButton(const std::string& list, int table, const QString& label) {
  auto* remove = new QPushButton(label);
  connect(remove, &QPushButton::clicked, this,
          [this, list, table] { replaceText(withoutTable(text().toStdString(), list, table)); });
  return remove;
}

QWidget* ExperimentForm::unknownSimulationBox(int table) {
  auto* group = new QGroupBox(QString("Simulation %1").arg(table + 1));
  auto* form = new QFormLayout(group);
  form->addRow("", removeButton(kList, table, "Remove this simulation"));
  return group;
}

QWidget* ExperimentForm::simulationBox(int table, const SimulationKind& kind) {
  auto* group = new QGroupBox(QString("Simulation %1: %2").arg(table + 1).arg(q(kind.declaration.name)));
  group->setToolTip(q(kind.declaration.help));
  auto* form = new QFormLayout(group);
  form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
  form->setLabelAlignment(Qt::AlignRight | Qt::AlignVCenter);
  for (const Parameter& parameter : kind.declaration.parameters) addKindField(form, parameter, kind, table);
  if (kind.ofMethods) {
    const std::string method = wordAt(text().toStdString(), kind, "method", table);
    for (const Declaration& each : known_->known().methods)
      if (each.name == method)
        for (const Parameter& parameter : each.parameters)
          addField(form, parameter, {}, placeOf(parameter.key, table));
  }
  for (const FigureKey& key : kind.figures) addFigures(form, key, kind, table);
  form->addRow("", removeButton(kList, table, "Remove this simulation"));
  return group;
}

void ExperimentForm::addKindField(QFormLayout* form, const Parameter& parameter, const SimulationKind& kind,
                                  int table) {
  QStringList options;
  for (const FigureKey& key : kind.figures)
    if (key.key == parameter.key) options = filesOf(key);
  if (parameter.key == "method" && kind.ofMethods) options = optionsOf("run", "method");
  if (parameter.key == "link" || parameter.key.ends_with(".link")) options = optionsOf("cluster", "link");
  Parameter field = parameter;
  field.key = field.key.substr(field.key.find('.') + 1);  // from its start where there is no dot
  const bool subject = std::ranges::find(kind.figures, parameter.key, &FigureKey::key) != kind.figures.end();
  addField(form, field, options,
           subject ? subjectOf(text().toStdString(), parameter.key, table) : placeOf(parameter.key, table));
}

/// What the file says that a key names; empty where it cannot be read.
std::string ExperimentForm::figureText(const FigureKey& key, const std::string& name) const {
  const QString word = QString::fromStdString(name);
  const bool path = word.contains('/') || word.endsWith(".toml");
  std::filesystem::path file = key.folder / (name + ".toml");
  if (path) file = QFileInfo(file_).absoluteDir().filePath(word).toStdString();
  try {
    return readTomlFile(file, "a file of figures");
  } catch (const InputError&) {  // told where the key is checked
    return "";
  }
}

/// Folded away until wanted, as there are many: open where the text replaces one.
void ExperimentForm::addFigures(QFormLayout* form, const FigureKey& key, const SimulationKind& kind,
                                int table) {
  const std::string now = text().toStdString(), foldKey = std::to_string(table) + key.section;
  const std::string name = wordAt(now, kind, key.key, table);
  const std::string file = name.empty() ? "" : figureText(key, name);
  const Declaration* model = modelOf(key, file);
  if (model == nullptr) return;
  auto* fold = new QToolButton;
  fold->setText(QString("Figures of %1").arg(QString::fromStdString(name)));
  fold->setToolTip(
      "What the file says of it, each figure with its source there. One changed here is "
      "this experiment's assumption.");
  fold->setCheckable(true);
  fold->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  fold->setAutoRaise(true);
  form->addRow(fold);
  auto* figures = new QWidget;
  auto* inner = new QFormLayout(figures);
  inner->setContentsMargins(0, 0, 0, 0);
  inner->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
  inner->setLabelAlignment(Qt::AlignRight | Qt::AlignVCenter);
  bool replaced = false;
  for (const Parameter& parameter : model->parameters) {
    const TextPlace place{key.section, table, std::string(parameter.key), kList};
    replaced = replaced || valueIn(now, place);
    auto* field = addField(inner, parameter, {}, place);
    if (const auto value = valueIn(file, {"figures", -1, std::string(parameter.key)}))
      field->setStandard(q(*value));
  }
  form->addRow(figures);
  const auto show = [this, fold, figures, foldKey](bool open) {
    fold->setArrowType(open ? Qt::DownArrow : Qt::RightArrow);
    figures->setVisible(open);
    open ? void(unfolded_.insert(foldKey)) : void(unfolded_.erase(foldKey));
  };
  connect(fold, &QToolButton::toggled, this, show);
  const bool open = replaced || unfolded_.contains(foldKey);
  fold->setChecked(open);
  show(open);
}

}  // namespace halo
