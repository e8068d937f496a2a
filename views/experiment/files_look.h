#pragma once

#include <QObject>
#include <QStringList>

class QProcess;

namespace halo {

/// Asks the program `haloscope`, in a process of its own, whether what an experiment reads is there and fits.
/// A newer question ends the one before, whose answer never comes.
class FilesLook : public QObject {
  Q_OBJECT
 public:
  struct Question {
    QString program;
    QString recording;  // what simulations of recorded runs refer to
    QString text;       // of the experiment
    QString folder;     // what its paths are relative to; empty: this program's working folder
  };
  enum class Verdict { sound, wrong, unknown };
  struct Answer {
    Verdict verdict = Verdict::unknown;
    QStringList sentences;  // remarks, what is wrong, or why nothing is known
  };

  using QObject::QObject;
  ~FilesLook() override;

  void ask(const Question& question);
  /// No answer comes to what was asked.
  void forget();

 signals:
  void answered(const halo::FilesLook::Answer& answer);

 private:
  void tell(Verdict verdict, const QString& words);

  QProcess* process_ = nullptr;  // while it was asked and has not answered
};

}  // namespace halo
