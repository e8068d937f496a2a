#pragma once

#include <QtConcurrentRun>
#include <utility>

#include "engine/base/give_way.h"

class QThreadPool;

namespace halo {

QThreadPool& backgroundPool();

/// As QtConcurrent::run, on threads that give way to the window's. Work that takes long goes here: Qt paints
/// large areas on the threads of QThreadPool::globalInstance(), and the window waits until one is free.
template <class Work>
auto runInBackground(Work work) {
  return QtConcurrent::run(&backgroundPool(), [work = std::move(work)] {
    giveWay();
    return work();
  });
}

}  // namespace halo
