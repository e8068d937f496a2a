// A folder with a device of tests alone, for experiments that simulate.
#pragma once

#include <fstream>
#include <string>
#include <vector>

#include "engine/experiment/figure_file.h"
#include "tests/engine/experiment/known.h"
#include "tests/support/scratch.h"

namespace halo::test {

inline constexpr std::string_view kModes[] = {"slow", "fast"};
inline constexpr Parameter kToyFigures[] = {{"hbm_gbps", "bandwidth", Real{100, 0.001, 1e6}},
                                            {"lanes", "adders", Integer{16, 1, 1024}},
                                            {"mode", "how", Choice{"slow", kModes}}};
inline constexpr Parameter kAbacus[] = {{"beads", "of a wire", Integer{10, 1, 100}}};
inline constexpr const char* kToyFile =
    "accelerator = \"toy\"\n[figures]\nhbm_gbps = 100\nlanes = 16\nmode = \"slow\"\n"
    "[sources]\nhbm_gbps = \"published: a\"\nlanes = \"assumed: b\"\nmode = \"derived: c\"\n";

inline constexpr std::string_view kLevels[] = {"analytic", "tile", "cycle"};
inline constexpr std::string_view kWorkloads[] = {"training", "inference"};
inline constexpr Parameter kDevice[] = {{"device", "accelerator", Text{""}},
                                        {"slices", "devices", Integer{32, 1, 1'000'000}},
                                        {"workload", "which", Choice{"training", kWorkloads}},
                                        {"level", "how closely", Choice{"tile", kLevels}},
                                        {"graph", "figures", Text{""}}};
inline constexpr Parameter kChain[] = {{"chain.stages", "batches", Text{"auto", true}},
                                       {"chain.first", "device", Text{"toy"}},
                                       {"chain.link", "between them", Text{"none"}},
                                       {"passes", "how often", Integer{1, 1, 9}}};
inline constexpr Parameter kCrowd[] = {{"cluster", "machine", Text{""}},
                                       {"method", "what runs", Text{"vanilla"}},
                                       {"workers", "ranks", Integer{1, 1, 65'536}}};

/// A folder with one device, and three kinds of simulation.
class Devices {
 public:
  Devices() { write("toy.toml", kToyFile); }
  std::filesystem::path write(const std::string& name, const std::string& text) const {
    std::ofstream(scratch_ / name) << text;
    return scratch_ / name;
  }
  Known known() const {
    Known all = test::known();
    const std::vector<Declaration> toys = {{"abacus", "adds", "", kAbacus}, {"toy", "adds", "", kToyFigures}};
    SimulationKind device{{"device", "", "", kDevice}, {"dataset", "model"}};
    device.figures = {{"device", "device", "device", "accelerator", scratch_.path(), toys}};
    device.depends = [](const SimulateSettings& settings, const std::string& key) {
      return settings.own.text("graph").empty() || key != "dataset.name";
    };
    device.complete = [](SimulateSettings& settings) {
      settings.library = "abc";
      const std::string graph = settings.own.text("graph");
      if (graph.empty() || graph == "orkut" || graph == "reddit") return std::vector<Problem>();
      return std::vector<Problem>{{.key = "simulate.graph", .message = "'" + graph + "' is no graph"}};
    };
    SimulationKind chain{{"chain", "", "", kChain}, {"dataset"}};
    chain.figures = {{"chain.first", "first", "device", "accelerator", scratch_.path(), toys}};
    SimulationKind crowd{{"cluster", "", "", kCrowd}, {"dataset", "model", "partition"}};
    crowd.ofMethods = true;
    all.simulations = {chain, crowd, device};
    return all;
  }
  std::vector<SimulateSettings> read(const std::string& text, const std::vector<Override>& set = {}) const {
    return parseExperiment("schema = 1\n" + text, scratch_ / "a.toml", known(), set).simulations;
  }
  /// Messages with the folder left out.
  std::string problems(const std::string& text, const std::vector<Override>& set = {}) const {
    return said([&] { (void)read(text, set); });
  }
  std::string deviceProblems(const std::string& text) const {
    const auto file = write("wrong.toml", text);
    return said([&] { (void)readFigureFile(file, "accelerator", {{"toy", "adds", "", kToyFigures}}); });
  }

 private:
  template <class Call>
  std::string said(Call call) const {
    try {
      call();
    } catch (const InputError& error) {
      std::string text = error.what();
      const std::string folder = scratch_.path().string() + "/";
      for (auto at = text.find(folder); at != std::string::npos; at = text.find(folder))
        text.erase(at, folder.size());
      return text;
    }
    return "";
  }
  Scratch scratch_;
};

}  // namespace halo::test
