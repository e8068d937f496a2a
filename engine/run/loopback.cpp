// haloscope-loopback.so: what mpirun loads first in a run on this machine alone. A socket that would be bound
// to all interfaces is bound to the loopback interface.
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>

extern "C" int bind(int socket, const sockaddr* address, socklen_t length) noexcept {
  sockaddr_in v4{};
  sockaddr_in6 v6{};
  if (length >= sizeof v4 && address->sa_family == AF_INET) {
    std::memcpy(&v4, address, sizeof v4);
    if (v4.sin_addr.s_addr == htonl(INADDR_ANY)) {
      v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
      address = reinterpret_cast<const sockaddr*>(&v4);
    }
  } else if (length >= sizeof v6 && address->sa_family == AF_INET6) {
    std::memcpy(&v6, address, sizeof v6);
    if (IN6_IS_ADDR_UNSPECIFIED(&v6.sin6_addr)) {
      v6.sin6_addr = in6addr_loopback;
      address = reinterpret_cast<const sockaddr*>(&v6);
    }
  }
  return static_cast<int>(::syscall(SYS_bind, socket, address, length));
}
