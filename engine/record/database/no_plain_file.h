#pragma once

#include "engine/record/database/database.h"

namespace halo {

/// What stands in the place of a recording is a folder, a pipe, a device or made up by the kernel. Who would
/// write there lacks a place (status 5), who would read has an input that cannot be read (4).
class NoPlainFile : public RecordUnusable {
  using RecordUnusable::RecordUnusable;
};

}  // namespace halo
