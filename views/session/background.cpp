#include "views/session/background.h"

#include <QThreadPool>

namespace halo {

QThreadPool& backgroundPool() {
  static QThreadPool pool;
  return pool;
}

}  // namespace halo
