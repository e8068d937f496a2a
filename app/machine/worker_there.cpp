#include "app/machine/worker_there.h"

#include <fmt/format.h>

#include "engine/base/plain_text.h"
#include "engine/base/problem.h"

namespace halo {
namespace {

constexpr const char* kExpected = "haloscope-worker " HALO_VERSION;

std::string firstLine(const std::string& text) { return text.substr(0, text.find_first_of("\r\n")); }

/// What is wrong with the worker over there, or "".
std::string wrongWith(const std::string& worker, const Answered& answer) {
  constexpr int kNotThere = 127, kNotRunnable = 126;  // of a shell
  const std::string said = firstLine(answer.status == 0 ? answer.output : answer.error);
  if (answer.status == 0 && said == kExpected) return "";
  if (answer.status == 0) return fmt::format("{} answers '{}', not '{}'", worker, visible(said), kExpected);
  const std::string why = said.empty() ? "" : ": " + visible(said);
  if (answer.status == kNotThere) return fmt::format("{} is not there, or lacks a library{}", worker, why);
  if (answer.status == kNotRunnable) return fmt::format("{} may not be run{}", worker, why);
  return fmt::format("{} does not say its version (status {}){}", worker, answer.status, why);
}

}  // namespace

std::string askForVersion(const std::string& worker) { return shellWord(worker) + " --version"; }

Finding workerThere(const std::string& host, const std::string& worker, const Answered& answer) {
  const std::string subject = "worker " + host, wrong = wrongWith(worker, answer);
  if (wrong.empty())
    return {subject, Finding::State::good, fmt::format("{}, version {}", worker, HALO_VERSION), ""};
  return {subject, Finding::State::missing, wrong,
          fmt::format("on {} install version {} of Haloscope, so that its worker lies at {}", host,
                      HALO_VERSION, worker)};
}

}  // namespace halo
