#pragma once

// The options of haloscope-desktop: the program reads them by this list, and the manual's page is made of it.

#include <string_view>

namespace halo {

struct DesktopOption {
  std::string_view name;       // "output"
  std::string_view letter;     // "o"; "": it has none
  std::string_view value;      // what stands for its value, "FILE"; "": it has none
  std::string_view byDefault;  // "": none
  std::string_view help;       // as in --help, without full stop
};

constexpr DesktopOption kDesktopOptions[] = {
    {"render", "", "FIGURE", "",
     "Write FIGURE (or all) of a recording to a file (folder) and end; needs no display"},
    {"run", "", "N", "",
     "With --render: number of the run, or of several: 1,4,7. If absent the last one that has what is drawn, "
     "all for a figure of several"},
    {"db", "", "FILE", "recordings.db", "With --render: the recording"},
    {"output", "o", "FILE", "", "With --render: out.svg, out.pdf, out.png or out.csv; for all, a folder"},
    {"with", "", "KEY=VALUE", "", "With --render: a parameter of the figure, such as along=time"},
    {"for", "", "READER", "",
     "With --render and a CSV: program, or spreadsheet: an apostrophe before text that would be a formula "
     "there"},
    {"size", "", "WxH", "", "Size of figure or window: 800x500 (pixels) or 88.9x60mm"},
    {"force", "", "", "", "Write over files that are there"},
    {"theme", "", "NAME", "", "light, dark or, of the window, system"},
    {"screenshot", "", "FILE", "", "Write a picture of the window (PNG) once all is shown, and end"},
    {"perspective", "", "NAME", "", "Begin with set-up, observe or decide"},
    {"start", "", "", "", "Run the experiment at once"},
    {"time-start", "", "", "", "Print how long the window took to be usable, in seconds, and end"},
};

}  // namespace halo
