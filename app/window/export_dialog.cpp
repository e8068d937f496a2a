#include "app/window/export_dialog.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QDir>
#include <QFileInfo>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QMessageBox>
#include <QPushButton>

#include "views/figures/figure_registry.h"
#include "views/look/figure_text.h"
#include "views/look/file_dialog.h"
#include "views/look/wheel.h"

namespace halo {

namespace {
constexpr const char* kFormats[][2] = {
    {"pdf", "PDF, vector"}, {"svg", "SVG, vector"}, {"png", "PNG, picture"}, {"csv", "CSV, its numbers"}};

/// `file` with the ending of a format in place of another's; other dots belong to the name.
QString withEnding(QString file, const QString& ending) {
  for (const auto& format : kFormats)
    if (file.endsWith(QString(".") + format[0])) file.chop(4);
  return file + "." + ending;
}
}  // namespace

ExportDialog::ExportDialog(const QString& folder, Theme theme, QWidget* parent)
    : QDialog(parent),
      figure_(new QComboBox),
      format_(new QComboBox),
      theme_(new QComboBox),
      file_(new QLineEdit),
      buttons_(new QDialogButtonBox(QDialogButtonBox::Save | QDialogButtonBox::Cancel)),
      folder_(folder) {
  setWindowTitle("Export a figure");
  figure_->setObjectName("figure");
  format_->setObjectName("format");
  theme_->setObjectName("theme");
  file_->setObjectName("file");
  for (const auto& [name, entry] : registry<FigureEntry>())
    figure_->addItem(QString("%1: %2").arg(QString::fromStdString(name),
                                           QString::fromUtf8(entry.declaration.help.data(),
                                                             qsizetype(entry.declaration.help.size()))),
                     QString::fromStdString(name));
  figure_->setCurrentIndex(std::max(0, figure_->findData("timeline")));
  for (const auto& [ending, words] : kFormats) format_->addItem(words, ending);
  theme_->addItem("light", static_cast<int>(Theme::light));
  theme_->addItem("dark", static_cast<int>(Theme::dark));
  theme_->setCurrentIndex(theme_->findData(static_cast<int>(theme)));
  auto* elsewhere = new QPushButton("Choose…");
  auto* place = new QHBoxLayout;
  place->addWidget(file_, 1);
  place->addWidget(elsewhere);
  for (QWidget* box : {figure_, format_, theme_}) WheelWithFocusOnly::watch(*box);
  auto* form = new QFormLayout(this);
  form->addRow("&Figure", figure_);
  form->addRow("F&ormat", format_);
  form->addRow("&Colours", theme_);
  form->addRow("F&ile", place);
  form->addRow(buttons_);
  connect(figure_, &QComboBox::currentIndexChanged, this, &ExportDialog::propose);
  connect(format_, &QComboBox::currentIndexChanged, this, &ExportDialog::propose);
  connect(file_, &QLineEdit::textEdited, this, [this] { named_ = true; });
  connect(elsewhere, &QPushButton::clicked, this, &ExportDialog::browse);
  connect(buttons_, &QDialogButtonBox::accepted, this, &ExportDialog::accept);
  connect(buttons_, &QDialogButtonBox::rejected, this, &ExportDialog::reject);
  propose();
  file_->setMinimumWidth(file_->fontMetrics().averageCharWidth() * 60);
}

void ExportDialog::propose() {
  const QString ending = format_->currentData().toString();
  file_->setText(
      withEnding(named_ ? file_->text() : QDir(folder_).filePath(figure_->currentData().toString()), ending));
}

void ExportDialog::browse() {
  const QString ending = format_->currentData().toString();
  const QString file =
      askForFile(this, {"Export a figure", file_->text(), QString("Figures (*.%1)").arg(ending), true});
  if (file.isEmpty()) return;
  named_ = true;
  file_->setText(withEnding(file, ending));
}

void ExportDialog::accept() {
  const QString file = request().file;
  if (QFileInfo::exists(file) &&
      QMessageBox::question(this, "Export", plainRich(file + " is there already. Write over it?")) !=
          QMessageBox::Yes)
    return;
  QDialog::accept();
}

ExportRequest ExportDialog::request() const {
  return {figure_->currentData().toString().toStdString(),
          withEnding(QDir(folder_).filePath(file_->text()), format_->currentData().toString()),
          static_cast<Theme>(theme_->currentData().toInt())};
}

}  // namespace halo
