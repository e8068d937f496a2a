#pragma once

#include <QString>

namespace halo {

/// Where the window finds what it does not know itself.
struct WindowPlaces {
  QString program;      // haloscope
  QString sample;       // the bundled recording
  QString experiments;  // folder of bundled experiments
  QString data;         // the person's own folder for recordings; made when needed
  QString resources;    // folder of links.toml, devices and other figures
};

}  // namespace halo
