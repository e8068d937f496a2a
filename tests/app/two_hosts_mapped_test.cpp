// Mapped features between two real hosts, each with a cache of its own: the file is looked at where it is
// mapped.
#include <catch2/catch.hpp>

#include "tests/app/two_hosts_run.h"

using namespace halo::test;

namespace {

constexpr const char* kMap = "/haloscope dataset map cora-like --scale 0.2 >/dev/null";

std::string batches(bool maps) {
  return std::string("[dataset]\nname = \"cora-like\"\nscale = 0.2\nmap_features = ") +
         (maps ? "true" : "false") +
         "\n[model]\nlayers = 2\nhidden = 8\n[[run]]\nmethod = \"minibatch\"\nfanouts = \"2,3\"\nbatch = "
         "20\n";
}

/// These commands as a user of that host who keeps converted sets in ~/.cache.
std::string on(const std::string& host, const std::string& commands) {
  return "nsenter --target $(cat " + host +
         ".pid) --mount -- sh -ec 'unset XDG_CACHE_HOME; HOME=$(getent passwd $(id -u) | cut -d: -f6); "
         "export HOME; " +
         commands + "'; ";
}

std::string onBoth(const std::string& commands) { return on("halo-a", commands) + on("halo-b", commands); }

/// That the run was refused for this on halo-b, and trained nothing.
void checkRefused(const HostsProgram& haloscope, const std::string& why) {
  const Ended ended = haloscope({"run", haloscope.experiment("3", batches(true)), "--json"});
  CAPTURE(ended.out, ended.error);
  CHECK(ended.status == 4);
  CHECK(lossesByRun(ended.out).empty());
  CHECK(holds(ended.out, "dataset.map_features: host halo-b: "));
  CHECK(holds(ended.out, why));
  CHECK(holds(ended.out, "convert the set on that host too, or keep the cache where all hosts see it"));
  CHECK_FALSE(holds(ended.out, "host halo-a: "));
}

}  // namespace

TEST_CASE("each host maps the features that it has converted; one that has none, or others, is named",
          "[app][hosts][mapped]") {
  const TwoHosts* hosts = TwoHosts::orSkipped();
  if (hosts == nullptr) return;
  const HostsProgram haloscope(*hosts);
  const Meanwhile caches(*hosts, onBoth("mkdir -p ~/.cache; mount -t tmpfs tmpfs ~/.cache"),
                         onBoth("umount ~/.cache"));
  const Ended own = haloscope({"run", haloscope.experiment("3", batches(false)), "--json"});
  CAPTURE(own.error);
  REQUIRE(own.status == 0);

  hosts->doBetween(on("halo-a", halo::kBinDir + std::string(kMap)));
  checkRefused(haloscope, "cannot be read: No such file or directory");

  hosts->doBetween(on("halo-b", halo::kBinDir + std::string(kMap)));
  const Ended mapped = haloscope({"run", haloscope.experiment("3", batches(true)), "--json"});
  CAPTURE(mapped.error);
  CHECK(mapped.status == 0);
  const auto expected = lossesByRun(own.out), losses = lossesByRun(mapped.out);
  REQUIRE(losses.size() == 1);
  CHECK(losses.begin()->second == expected.begin()->second);

  hosts->doBetween(on("halo-b",
                      "for f in ~/.cache/haloscope/*.mapped.haloset; do printf x | dd of=$f bs=1 "
                      "seek=$(($(stat -c %s $f) / 2)) conv=notrunc status=none; done"));
  checkRefused(haloscope, "is damaged: the digest of its features does not fit");
}
