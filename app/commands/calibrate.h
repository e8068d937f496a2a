#pragma once

#include "app/commands/command.h"

namespace halo {

struct CalibrateArguments {
  bool enabled = false;
  std::filesystem::path output;  // of the device file; empty: the user's configuration folder
  bool quick = false;
};

/// `haloscope doctor --calibrate`: times this machine and fits the accelerator `cpu` to it. Writes a device
/// file and a cluster file, and says how well held-out shapes are predicted. Returns 1 where that is not well
/// enough; nothing is written then unless forced. Returns 130 or 143 where somebody stopped it.
int calibrateMachine(const Common& common, const CalibrateArguments& arguments);

}  // namespace halo
