#pragma once

#include <string>
#include <vector>

#include "engine/record/database.h"
#include "engine/record/metric.h"
#include "engine/record/rows.h"

namespace halo {

/// All metrics, in the order of reports: those of any run, those that the methods declare of their own
/// (MethodEntry::figures), those of simulations, and what recordings had besides (learnMetrics).
const std::vector<Metric>& metrics();
/// Adds what a recording has and nobody declared, under the name it is recorded by: a figure that was
/// measured is never left out. To be called before any values are read.
void learnMetrics(Database& database);
const Metric* metricNamed(const std::string& key);
std::string metricText(const Metric& metric, double value);
/// Values in the order of metrics(); NaN: the recording does not have it.
std::vector<double> metricsOf(Database& database, const RunRow& run);

/// Whether epochs were recorded and the loss of the last is no number. It is shown as NaN, and is null in
/// JSON: a loss that was not recorded is "–", and not in JSON.
bool diverged(const std::vector<double>& values);

}  // namespace halo
