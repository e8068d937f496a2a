// haloscope-bind.so: what mpirun, its daemons and the ranks load first. It binds a socket to one interface
// where it would be bound to all. That is this host's interface in the networks of HALO_BIND_NETWORKS
// (10.77.0.0/24,…). Where the variable is not set, it is the loopback interface.
#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <set>
#include <string>

namespace {

bool isIn(in_addr address, const std::string& network) {
  const auto slash = network.find('/');
  in_addr start{};
  if (slash == std::string::npos || inet_pton(AF_INET, network.substr(0, slash).c_str(), &start) != 1)
    return false;
  const int bits = std::atoi(network.c_str() + slash + 1);
  const in_addr_t mask = bits <= 0 ? 0 : htonl(~in_addr_t{0} << (32 - (bits > 32 ? 32 : bits)));
  return (address.s_addr & mask) == (start.s_addr & mask);
}

bool isInOneOf(in_addr address, const std::string& networks) {
  for (std::size_t from = 0; from <= networks.size();) {
    const std::size_t comma = std::min(networks.find(',', from), networks.size());
    if (isIn(address, networks.substr(from, comma - from))) return true;
    from = comma + 1;
  }
  return false;
}

/// None where this host has no address in the networks, or more than one: then only all interfaces will do.
std::optional<in_addr> ownAddress() {
  const char* networks = std::getenv("HALO_BIND_NETWORKS");
  if (networks == nullptr) return in_addr{htonl(INADDR_LOOPBACK)};
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return std::nullopt;
  std::set<in_addr_t> own;
  for (const ifaddrs* interface = all; interface != nullptr; interface = interface->ifa_next) {
    if (interface->ifa_addr == nullptr || interface->ifa_addr->sa_family != AF_INET) continue;
    const in_addr address = reinterpret_cast<const sockaddr_in*>(interface->ifa_addr)->sin_addr;
    if (isInOneOf(address, networks)) own.insert(address.s_addr);
  }
  freeifaddrs(all);
  return own.size() == 1 ? std::optional(in_addr{*own.begin()}) : std::nullopt;
}

}  // namespace

extern "C" int bind(int socket, const sockaddr* address, socklen_t length) noexcept {
  sockaddr_in v4{};
  sockaddr_in6 v6{};
  if (length >= sizeof v4 && address->sa_family == AF_INET) {
    std::memcpy(&v4, address, sizeof v4);
    if (v4.sin_addr.s_addr == htonl(INADDR_ANY)) {
      if (const auto own = ownAddress()) v4.sin_addr = *own;
      address = reinterpret_cast<const sockaddr*>(&v4);
    }
  } else if (length >= sizeof v6 && address->sa_family == AF_INET6) {
    std::memcpy(&v6, address, sizeof v6);
    if (IN6_IS_ADDR_UNSPECIFIED(&v6.sin6_addr)) {
      v6.sin6_addr = in6addr_loopback;  // the networks that the hosts are reached by are of IPv4
      address = reinterpret_cast<const sockaddr*>(&v6);
    }
  }
  return static_cast<int>(::syscall(SYS_bind, socket, address, length));
}
