#pragma once

#include <QTimer>
#include <QWidget>
#include <functional>
#include <memory>
#include <set>

#include "views/experiment/experiment_text.h"
#include "views/experiment/files_look.h"
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
  void setKnown(std::unique_ptr<KnownNames> names);
  bool hasKnown() const { return known_ != nullptr; }
  /// Who looks at what an experiment reads, while the form is shown: the program `haloscope`. `recording`
  /// tells where runs of it would be recorded. Before, no experiment is said to be ready.
  void setLook(const QString& program, std::function<QString()> recording);
  void load(const QString& file);  // throws std::runtime_error with the system's words
  void loadText(const QString& text, const QString& file = {});
  /// Throws std::runtime_error with the system's words.
  void saveAs(const QString& file);

  QString text() const;
  QString file() const { return file_; }
  /// Since it was loaded or saved; what is typed in a field and not in the text yet counts.
  bool changed() const;
  /// Of the text as it is now, with what was typed in a field. Empty: it can run as far as the text says;
  /// what it reads is looked at once more when it starts.
  std::vector<Problem> problems();

 signals:
  void checked(int problems, int runs);  // of the text; simulations are runs too

 protected:
  void showEvent(QShowEvent* event) override;

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
  void replaceText(const std::string& replacement);
  void textEdited();
  void showValues();
  // whether it can run, in experiment_form_check.cpp
  void check();
  void forgetCheck();
  void lookAtFiles();
  void askForFiles();
  void notLooked(const QString& why);
  void takeLook(const FilesLook::Answer& answer);
  std::string shapeOf(const std::string& text) const;

  std::unique_ptr<KnownNames> known_;
  QString file_;
  QScrollArea* scroll_;
  QPlainTextEdit* text_;
  ProblemsView* list_;
  QLabel* verdict_;
  QTimer checkSoon_, lookSoon_;
  FilesLook look_;
  QString program_, counted_;  // the second: what the text asks for, "2 runs"
  std::function<QString()> recording_;
  std::vector<Place> places_;
  std::string shape_;  // what decides which fields there are
  std::vector<Problem> problems_;
  bool fromForm_ = false;
  std::set<std::string> unfolded_;  // figures of simulations that are shown, by table and section
};

}  // namespace halo
