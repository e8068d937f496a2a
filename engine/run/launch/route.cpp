#include "engine/run/launch/route.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <memory>

namespace halo {
namespace {

constexpr const char* kAnyPort = "9";

in_addr addressOf(const sockaddr* address) { return reinterpret_cast<const sockaddr_in*>(address)->sin_addr; }

std::string text(in_addr address) {
  std::array<char, INET_ADDRSTRLEN> words{};
  return ::inet_ntop(AF_INET, &address, words.data(), words.size());
}

/// Our own address on the way there. Connecting a datagram socket looks the route up and sends nothing.
std::optional<in_addr> ownAddressTowards(const addrinfo& destination) {
  const int socket = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return std::nullopt;
  sockaddr_in own{};
  socklen_t length = sizeof own;
  const bool connected = ::connect(socket, destination.ai_addr, destination.ai_addrlen) == 0 &&
                         ::getsockname(socket, reinterpret_cast<sockaddr*>(&own), &length) == 0;
  ::close(socket);
  return connected ? std::optional(own.sin_addr) : std::nullopt;
}

}  // namespace

std::optional<Route> routeTo(const std::string& host) {
  addrinfo hints{}, *addresses = nullptr;
  hints.ai_family = AF_INET;
  hints.ai_socktype = SOCK_DGRAM;
  if (::getaddrinfo(host.c_str(), kAnyPort, &hints, &addresses) != 0) return std::nullopt;
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> destination(addresses, &::freeaddrinfo);
  const auto own = ownAddressTowards(*destination);
  ifaddrs* firstInterface = nullptr;
  if (!own || ::getifaddrs(&firstInterface) != 0) return std::nullopt;
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> interfaces(firstInterface, &::freeifaddrs);
  for (const ifaddrs* interface = firstInterface; interface != nullptr; interface = interface->ifa_next) {
    if (interface->ifa_addr == nullptr || interface->ifa_netmask == nullptr ||
        interface->ifa_addr->sa_family != AF_INET)
      continue;
    if (addressOf(interface->ifa_addr).s_addr != own->s_addr) continue;
    const in_addr mask = addressOf(interface->ifa_netmask), target = addressOf(destination->ai_addr);
    return Route{interface->ifa_name,
                 text({own->s_addr & mask.s_addr}) + "/" + std::to_string(std::popcount(mask.s_addr)),
                 text(target), (target.s_addr & mask.s_addr) == (own->s_addr & mask.s_addr),
                 (interface->ifa_flags & IFF_LOOPBACK) != 0};
  }
  return std::nullopt;
}

}  // namespace halo
