#pragma once

#include <QString>

#include "app/window/messages.h"
#include "app/window/recent_files.h"
#include "app/window/window_places.h"
#include "views/session/session.h"

namespace halo {

class ExperimentForm;

/// The experiment that lies in the form: a new one, one of a file, or a copy of that of the shown run. Asks
/// before it loses what a person changed.
class ExperimentDesk {
 public:
  /// All outlive what the desk does. Dialogs stand before the form's window.
  ExperimentDesk(ExperimentForm& form, const Session& session, RecentFiles& recent, Messages& messages,
                 const WindowPlaces& places);

  ExperimentForm& form() { return form_; }
  /// Once, when the form is first looked at: a window that only shows recordings needs no declarations.
  void teach();
  /// While no experiment is open, the form holds a copy of that of the shown run, not saved yet. Without a
  /// run it holds a new one.
  void offer();

  /// False: a person would rather keep what is there, or the file cannot be read.
  bool begin();
  bool open(const QString& file);
  /// False: what a person changed would be lost, and may not.
  bool mayLoseChanges();
  /// To its file; with `ask`, or where it has none, a person says where.
  void save(bool ask);
  /// A run is made of a file. An experiment that has none yet is kept under a free name in the person's
  /// folder: the first run of a new experiment asks nothing. False: it is in no file as it is.
  bool saveForRun();

 private:
  bool keepAs(const QString& file);

  ExperimentForm& form_;
  const Session& session_;
  RecentFiles& recent_;
  Messages& messages_;
  const WindowPlaces& places_;
  QString offered_;  // what the form shows while no experiment is open
};

}  // namespace halo
