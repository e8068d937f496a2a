#pragma once

#include "views/recording/run_data.h"

namespace halo {

/// Runs that need no recording.
struct ComparedRuns {
  RunsData data;

  RunRow& add(const char* kind, const char* method, std::int64_t workers,
              std::map<std::string, double> latest, const char* marks = "", const char* variation = "") {
    RunRow run;
    run.id = static_cast<std::int64_t>(data.runs.size()) + 1;
    run.experimentId = 1;
    run.kind = kind;
    run.name = std::string("x / ") + method + variation + " / workers=" + std::to_string(workers);
    run.method = method;
    run.dataset = "cora";
    run.model = "gcn";
    run.workers = workers;
    if (run.kind == "simulation" && !latest.contains("simulated_devices")) {
      latest["simulated_workers"] = static_cast<double>(workers);
      run.workers = 1;  // its lanes
    }
    run.status = "completed";
    run.marks = marks;
    run.version = "0.1.0";
    data.experiments[1] = {1, "x", "", ""};
    data.latest[run.id] = std::move(latest);
    data.runs.push_back(run);
    return data.runs.back();
  }
  RunRow& train(const char* method, std::int64_t workers, double seconds, const char* variation = "") {
    return add("training", method, workers, {{"epoch_seconds", seconds}}, "emulated link", variation);
  }
  /// 26 devices alike but for one column: 4 s, of 100e9 operations and 50e9 bytes together.
  RunRow& device(const char* name = "spu") {
    return add("simulation", name, 5,
               {{"epoch_seconds", 4},
                {"simulated_seconds", 4},
                {"simulated_devices", 26},
                {"simulated_operations", 100e9},
                {"simulated_dram_bytes", 50e9},
                {"roof_operations_per_second", 8e12},
                {"roof_bytes_per_second", 1e12}},
               "simulated");
  }
};

/// Runs 1 to 4 of vanilla and pipegcn on 2 and 4 workers; 5 to 8 replay those of vanilla over two links.
inline ComparedRuns replays() {
  ComparedRuns runs;
  for (const char* method : {"vanilla", "pipegcn"})
    for (const int workers : {2, 4}) runs.train(method, workers, 2.0 / workers);
  for (const auto& [link, gbPerS] : {std::pair("10gbe", "1.175"), {"1gbe", "0.1175"}})
    for (const int run : {1, 2}) {
      RunRow& replay =
          runs.add("simulation", "vanilla", 2 * run, {{"epoch_seconds", run == 1 ? 1.0 : 0.64}}, "simulated");
      replay.name = "x / run " + std::to_string(run) + " / link=" + link;
      runs.data.parameters[replay.id] = {{"result.run", std::to_string(run)},
                                         {"result.machine", link},
                                         {"result.gb_per_s", gbPerS},
                                         {"result.wire_us", "20"}};
    }
  return runs;
}

}  // namespace halo
