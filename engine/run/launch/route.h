#pragma once

#include <optional>
#include <string>

namespace halo {

/// The way that packets to a host take from here.
struct Route {
  std::string interface;  // eth0
  std::string network;    // its network, as 192.0.2.0/24
  std::string address;    // the host's
  bool direct = false;    // the host is in that network
  bool loopback = false;
};

/// As the system routes it: by name and routing table, nothing is sent. None where the name is not known
/// here, for example because only ssh knows it.
std::optional<Route> routeTo(const std::string& host);

}  // namespace halo
