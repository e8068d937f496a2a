#pragma once

#include <QTimer>
#include <QWidget>
#include <memory>
#include <set>

#include "views/experiment/experiment_text.h"
#include "views/experiment/known.h"

class QBoxLayout;
class QFormLayout;
class QGroupBox;
class QLabel;
class QPlainTextEdit;
class QScrollArea;

namespace halo {

class ExperimentField;
class ProblemsView;

/// An experiment as a form made from the declarations, and beside it as text; a change of either changes the
/// other. A field changes the text on Enter and when it is left. Whether it can run stands above the text,
/// problems below it as soon as one pauses.
class ExperimentForm : public QWidget {
  Q_OBJECT
 public:
  explicit ExperimentForm(QWidget* parent = nullptr);
  ~ExperimentForm() override;

  /// What methods, partitioners, layers and links there are; before, nothing is checked.
  void setKnown(std::unique_ptr<KnownNames> known);
  bool hasKnown() const { return known_ != nullptr; }
  void load(const QString& file);  // throws std::runtime_error with the system's words
  void loadText(const QString& text, const QString& file = {});
  /// Throws std::runtime_error with the system's words.
  void saveAs(const QString& file);

  QString text() const;
  QString file() const { return file_; }
  /// Since it was loaded or saved; what is typed in a field and not in the text yet counts.
  bool changed() const;
  /// Of the text as it is now. Empty: it can run.
  std::vector<Problem> problems();

 signals:
  void checked(int problems, int runs);  // simulations are runs too
  void changedChanged(bool changed);

 private:
  struct Place {
    TextPlace place;
    ExperimentField* field;
  };
  void buildForm();
  void fillForm();
  void commitFields();
  QWidget* sectionBox(const Declaration& section);
  QWidget* generalBox();
  QWidget* runBox(int run);
  // [[simulate]] tables, in experiment_form_simulate.cpp
  const SimulationKind* kindOf(const std::string& text, int table) const;
  std::string simulationShape(const std::string& text) const;
  void addSimulations(QBoxLayout* column);
  QWidget* simulationBox(int table, const SimulationKind& kind);
  QWidget* unknownSimulationBox(int table);
  void addKindField(QFormLayout* form, const Parameter& parameter, const SimulationKind& kind, int table);
  std::string figureText(const FigureKey& key, const std::string& name) const;
  void addFigures(QFormLayout* form, const FigureKey& key, const SimulationKind& kind, int table);
  QWidget* removeButton(const std::string& list, int table, const QString& label);
  QStringList optionsOf(std::string_view section, std::string_view key) const;
  ExperimentField* addField(QFormLayout* form, const Parameter& parameter, const QStringList& options,
                            const TextPlace& place);
  void formEdited(const TextPlace& place, const QString& value);
  void replaceText(const std::string& text);
  void textEdited();
  void showValues();
  void check();
  std::string shapeOf(const std::string& text) const;

  std::unique_ptr<KnownNames> known_;
  QString file_;
  QScrollArea* scroll_;
  QPlainTextEdit* text_;
  ProblemsView* list_;
  QLabel* verdict_;
  QTimer checkSoon_;
  std::vector<Place> places_;
  std::string shape_;  // what decides which fields there are
  std::vector<Problem> problems_;
  bool fromForm_ = false;
  std::set<std::string> unfolded_;  // figures of simulations that are shown, by table and section
};

}  // namespace halo
