#include "app/machine/opencl_finding.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/app/program.h"
#include "tests/engine/kernels/opencl/card_support.h"

using namespace halo;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

TEST_CASE("doctor says what is missing of OpenCL, and that training goes without", "[app][opencl]") {
  const Finding finding = openClFinding("/nowhere/libOpenCL.so.1");
  CHECK(finding.thing == "OpenCL");
  CHECK(finding.state == Finding::State::poor);
  CHECK_THAT(finding.actual, StartsWith("/nowhere/libOpenCL.so.1: cannot open shared object file"));
  CHECK(finding.fix ==
        "only kernels of OpenCL need it: apt install ocl-icd-libopencl1, and the driver of the device");
}

TEST_CASE("doctor names each device of OpenCL with driver, memory and compute units", "[app][opencl]") {
  HALO_NEEDS_CARD(device);
  const Finding finding = openClFinding();
  CHECK(finding.state == Finding::State::good);
  CHECK_THAT(finding.actual, Contains(device.info().name + " (driver " + device.info().driver + ", "));
  CHECK_THAT(finding.actual, Contains(std::to_string(device.info().units) + " units"));
}

TEST_CASE("a machine without a driver of OpenCL is no worse for training", "[app][opencl]") {
  HALO_NEEDS_CARD(device);
  if (device.info().platform != "Portable Computing Language") {
    WARN("SKIPPED: only Debian's loader can be shown a folder without drivers");
    return;
  }
  const test::Program haloscope;
  const test::Ended ended = haloscope({"doctor"}, {{"OCL_ICD_VENDORS", haloscope.folder().string()}});
  CHECK_THAT(ended.out, Contains("the library is there, but no driver"));
  CHECK_THAT(ended.out, Contains("only kernels of OpenCL need it: install the driver of the device"));
  CHECK(ended.status == haloscope({"doctor"}).status);
}
