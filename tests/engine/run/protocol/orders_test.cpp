#include "engine/run/protocol/orders.h"

#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>

using namespace halo;

namespace {

/// A pipe whose writing end is closed early on demand.
struct Wire {
  std::array<int, 2> ends{-1, -1};
  Wire() { REQUIRE(::pipe(ends.data()) == 0); }
  ~Wire() {
    ::close(ends[0]);
    close();
  }
  void close() {
    if (ends[1] >= 0) ::close(ends[1]);
    ends[1] = -1;
  }
  void write(const std::string& bytes) const {
    REQUIRE(::write(ends[1], bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  }
};

}  // namespace

TEST_CASE("a wish to stop that arrives together with the job is not forgotten", "[frame]") {
  const Wire wire;
  wire.write(encode(FrameType::job, "{}") + encode(FrameType::stop, ""));
  Orders orders(wire.ends[0]);
  CHECK(orders.awaitJob() == "{}");
  CHECK(orders.stopAsked());
  CHECK(orders.stopAsked());
}

TEST_CASE("without a wish to stop the worker goes on, and ends when its supervisor is gone", "[frame]") {
  Wire wire;
  wire.write(encode(FrameType::job, "{}"));
  Orders orders(wire.ends[0]);
  CHECK(orders.awaitJob() == "{}");
  CHECK_FALSE(orders.stopAsked());
  wire.close();
  CHECK(orders.stopAsked());
}

TEST_CASE("a stream that ends without a job is an error", "[frame]") {
  Wire wire;
  wire.close();
  Orders orders(wire.ends[0]);
  CHECK_THROWS_WITH(orders.awaitJob(), Catch::Contains("no job"));
}
