#pragma once

#include <QDialog>
#include <string>

#include "views/look/palette.h"

class QComboBox;
class QDialogButtonBox;
class QLineEdit;

namespace halo {

struct ExportRequest {
  std::string figure;  // its name in the registry
  QString file;        // its ending is the format
  Theme theme = Theme::light;
};

/// Asks which figure to write, in what format and colours, and where. The name of the file is free.
class ExportDialog : public QDialog {
  Q_OBJECT
 public:
  ExportDialog(const QString& folder, Theme theme, QWidget* parent = nullptr);

  ExportRequest request() const;
  void accept() override;  // asks before it writes over a file

 private:
  void propose();
  void browse();

  QComboBox *figure_, *format_, *theme_;
  QLineEdit* file_;
  QDialogButtonBox* buttons_;
  QString folder_;
  bool named_ = false;  // by a person: only its ending follows the format
};

}  // namespace halo
