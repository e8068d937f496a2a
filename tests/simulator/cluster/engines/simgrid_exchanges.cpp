// haloscope-simgrid PLAN.json: runs ranks' steps and messages in SimGrid and prints when what came, as JSON.
//
// A program of its own, for SimGrid's engine can be made once a process only, and no program of ours may need
// it. Platforms are SimGrid's own zones; ranks and their sides of the network are actors: nothing here shares
// code with simulator/cluster. Units: seconds, bytes, bytes a second.
//
//   zone            {"kind": "crossbar"} · {"kind": "stars", "nodesPerSwitch": n, "up": [of a leaf, …]}
//                   {"kind": "fat-tree", "nodesPerSwitch": n, "levels": l, "link": b}
//                   {"kind": "torus", "dims": [fastest first], "link": b}
//                   {"kind": "dragonfly", "groups": g, "routers": r, "nodes": n, "globalLinks": k, "link": b}
//   nodes           how many
//   between, within {"bandwidth": b, "latency": t} of a node's side, and among its ranks
//   ranks, ranksPerNode, epochs
//   steps           {"op": "work", "seconds": [of each rank]} · {"op": "meet", "seconds": t}
//                   {"op": "send", "messages": [[source, target, start, bytes, wire], …]}, a source's in
//                   order
//                   {"op": "wait", "step": of the sending, "depth": epochs since}
//
// A message: `start` that its sender's side is held, then the link's latency, then bytes at max-min fair
// rates; the next one of the side after that; there `wire` later.
//
//   epochEnds       of each rank, of each epoch
//   arrivals        [epoch, step, source, target, second]

#include <algorithm>
#include <deque>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <simgrid/s4u.hpp>
#include <tuple>
#include <vector>

namespace s4u = simgrid::s4u;
using Json = nlohmann::json;

namespace {

// --- the platform

using Kind = s4u::Link::SharingPolicy;
using Place = std::pair<simgrid::kernel::routing::NetPoint*, simgrid::kernel::routing::NetPoint*>;
using simgrid::s4u::LinkInRoute;

/// `child` hangs on a star by a link of its own, one direction each way; the latency is halved because a way
/// goes over two such links.
void join(s4u::NetZone* star, const Place& child, const std::string& name, double bandwidth, double latency) {
  s4u::Link* link = star->create_split_duplex_link(name, bandwidth)->set_latency(latency / 2)->seal();
  star->add_route(child.first, nullptr, child.second, nullptr,
                  {LinkInRoute(link, LinkInRoute::Direction::UP)}, true);
}

/// A node is a star of one host, whose link is the node's side of the network.
class Platform {
 public:
  explicit Platform(const Json& plan) : plan_(plan), hosts_(plan.at("nodes").get<std::size_t>()) {
    const std::string kind = plan.at("zone").at("kind");
    if (kind == "crossbar" || kind == "stars") {
      stars();
    } else {
      cluster(kind)->seal();
    }
  }
  s4u::Host* host(int rank) const { return hosts_.at(static_cast<std::size_t>(rank / perNode_)); }

 private:
  Place node(const s4u::NetZone* parent, std::size_t number) {
    const std::string name = "node" + std::to_string(number);
    s4u::NetZone* zone = s4u::create_star_zone(name);
    zone->set_parent(parent);
    s4u::Host* host = zone->create_host("host" + std::to_string(number), 1e9)->seal();
    const Json& between = plan_.at("between");
    join(zone, {host->get_netpoint(), nullptr}, name + "-side", between.at("bandwidth"),
         between.at("latency"));
    const Json& within = plan_.at("within");
    const s4u::Link* loopback = zone->create_link(name + "-within", within.at("bandwidth").get<double>())
                                    ->set_sharing_policy(Kind::FATPIPE)
                                    ->set_latency(within.at("latency").get<double>())
                                    ->seal();
    zone->add_route(host->get_netpoint(), host->get_netpoint(), nullptr, nullptr, {LinkInRoute(loopback)});
    auto* gateway = zone->create_router(name + "-gateway");
    zone->seal();
    if (number < hosts_.size()) hosts_[number] = host;  // a torus or a dragonfly may have more
    return {zone->get_netpoint(), gateway};
  }

  /// Switches as stars within stars: a level's uplink is one link, however many cables it stands for.
  void stars() {
    const Json& zone = plan_.at("zone");
    const std::vector<double> up = zone.value("up", std::vector<double>{});
    s4u::NetZone* top = s4u::create_star_zone("top");
    fill(top, 0, hosts_.size(), up.size(), zone.value("nodesPerSwitch", std::size_t{1}), up);
    top->seal();
  }
  /// Nodes from..to below a switch of `level`: 0 is a leaf.
  void fill(s4u::NetZone* star, std::size_t from, std::size_t to, std::size_t level, std::size_t fan,
            const std::vector<double>& up) {
    if (level == 0) {
      for (std::size_t n = from; n < to; ++n) join(star, node(star, n), "port" + std::to_string(n), kFree, 0);
      return;
    }
    std::size_t size = 1;
    for (std::size_t l = 0; l < level; ++l) size *= fan;
    for (std::size_t first = from; first < to; first += size) {
      const std::string name = "switch" + std::to_string(level) + "-" + std::to_string(first);
      s4u::NetZone* below = s4u::create_star_zone(name);
      below->set_parent(star);
      auto* gateway = upwards(below, name);
      fill(below, first, std::min(to, first + size), level - 1, fan, up);
      below->seal();
      join(star, {below->get_netpoint(), gateway}, name + "-up", up[level - 1], 0);
    }
  }

  /// SimGrid finds no way from a zone within a zone to a router of the outer one (it takes that for its own
  /// ancestor), but to one in a zone beside it.
  simgrid::kernel::routing::NetPoint* upwards(s4u::NetZone* star, const std::string& name) {
    s4u::NetZone* port = s4u::create_star_zone(name + "-port");
    port->set_parent(star);
    auto* gateway = port->create_router(name + "-gateway");
    port->seal();
    join(star, {port->get_netpoint(), gateway}, name + "-inside", kFree, 0);
    return gateway;
  }

  s4u::NetZone* cluster(const std::string& kind) {
    const Json& zone = plan_.at("zone");
    const double link = zone.at("link");
    const s4u::ClusterCallbacks nodes([this](s4u::NetZone* parent, const std::vector<unsigned long>&,
                                             unsigned long id) { return node(parent, id); });
    if (kind == "torus")
      return s4u::create_torus_zone("torus", nullptr, zone.at("dims").get<std::vector<unsigned long>>(),
                                    nodes, link, 0, Kind::SPLITDUPLEX);
    if (kind == "fat-tree") {
      const unsigned levels = zone.at("levels"), fan = zone.at("nodesPerSwitch");
      std::vector<unsigned> down(levels, fan), singles(levels, 1);
      std::size_t below = 1;
      for (unsigned l = 1; l < levels; ++l) below *= fan;
      down.back() = static_cast<unsigned>((hosts_.size() + below - 1) / below);
      return s4u::create_fatTree_zone("tree", nullptr, {levels, down, singles, singles}, nodes, link, 0,
                                      Kind::SPLITDUPLEX);
    }
    if (kind == "dragonfly")
      return s4u::create_dragonfly_zone("dragonfly", nullptr,
                                        {{zone.at("groups"), zone.at("globalLinks")},
                                         {1, 1},
                                         {zone.at("routers"), 1},
                                         zone.at("nodes").get<unsigned>()},
                                        nodes, link, 0, Kind::SPLITDUPLEX);
    throw std::invalid_argument("zone: no such kind: " + kind);
  }

  static constexpr double kFree = 1e13;  // a port that nobody waits for

  const Json& plan_;
  int perNode_ = plan_.at("ranksPerNode");
  std::vector<s4u::Host*> hosts_;
};

// --- the ranks

struct Message {
  int source = 0, target = 0;
  double start = 0, bytes = 0, wire = 0;
};
/// Of one sending in one epoch, what a rank has yet to get.
struct Inbox {
  int missing = 0;
  double arrived = 0;
  s4u::SemaphorePtr complete = s4u::Semaphore::create(0);
};
struct Posted {
  int epoch = 0;
  std::size_t step = 0;
  const Message* message = nullptr;
};
/// A rank's outgoing side.
struct Side {
  std::deque<Posted> queue;
  s4u::SemaphorePtr filled = s4u::Semaphore::create(0);
};

/// SimGrid runs one actor at a time, so that they may share all this.
class Run {
 public:
  Run(const Json& plan, const Platform& platform)
      : plan_(plan), platform_(platform), sides_(static_cast<std::size_t>(ranks_)) {
    for (const Json& step : plan.at("steps")) {
      std::vector<Message>& stepMessages = messages_.emplace_back();
      for (const Json& m : step.value("messages", Json::array()))
        stepMessages.push_back({m[0], m[1], m[2], m[3], m[4]});
      meetings_.push_back(step.at("op") == "meet" ? s4u::Barrier::create(static_cast<unsigned>(ranks_))
                                                  : nullptr);
    }
    ends_.resize(sides_.size());
    for (int rank = 0; rank < ranks_; ++rank) {
      const std::string name = std::to_string(rank);
      s4u::Actor::create("rank" + name, platform.host(rank), [this, rank] { goThrough(rank); });
      s4u::Actor::create("side" + name, platform.host(rank), [this, rank] { send(rank); })->daemonize();
    }
  }
  Json times() const { return {{"epochEnds", ends_}, {"arrivals", arrivals_}}; }

 private:
  void goThrough(int rank) {
    const auto at = static_cast<std::size_t>(rank);
    for (int epoch = 0; epoch < plan_.at("epochs"); ++epoch) {
      for (std::size_t i = 0; i < messages_.size(); ++i) step(rank, epoch, i);
      ends_[at].push_back(s4u::Engine::get_clock());
    }
  }
  void step(int rank, int epoch, std::size_t number) {
    const Json& step = plan_.at("steps")[number];
    const std::string op = step.at("op");
    if (op == "work") return s4u::this_actor::sleep_for(step.at("seconds")[static_cast<std::size_t>(rank)]);
    if (op == "send") return post(rank, epoch, number);
    if (op == "wait") return wait(rank, epoch - step.at("depth").get<int>(), step.at("step"));
    if (op != "meet") throw std::invalid_argument("steps: no such op: " + op);
    meetings_[number]->wait();
    s4u::this_actor::sleep_for(step.at("seconds"));
  }
  void post(int rank, int epoch, std::size_t step) {
    Side& side = sides_[static_cast<std::size_t>(rank)];
    for (const Message& message : messages_[step]) {
      if (message.source != rank) continue;
      side.queue.push_back({epoch, step, &message});
      side.filled->release();
    }
  }
  void wait(int rank, int epoch, std::size_t step) {
    Inbox* inbox = epoch < 0 ? nullptr : inboxOf(rank, epoch, step);
    if (inbox == nullptr) return;
    inbox->complete->acquire();
    s4u::this_actor::sleep_until(inbox->arrived);
  }
  void send(int rank) {
    Side& side = sides_[static_cast<std::size_t>(rank)];
    for (;;) {
      side.filled->acquire();
      const Posted posted = side.queue.front();
      side.queue.pop_front();
      const Message& message = *posted.message;
      s4u::this_actor::sleep_for(message.start);
      s4u::Comm::sendto(platform_.host(message.source), platform_.host(message.target),
                        static_cast<std::uint64_t>(message.bytes));
      const double arrived = s4u::Engine::get_clock() + message.wire;
      arrivals_.push_back({posted.epoch, posted.step, message.source, message.target, arrived});
      Inbox& inbox = *inboxOf(message.target, posted.epoch, posted.step);
      inbox.arrived = std::max(inbox.arrived, arrived);
      if (--inbox.missing == 0) inbox.complete->release();
    }
  }
  /// nullptr for a rank that gets nothing then.
  Inbox* inboxOf(int rank, int epoch, std::size_t step) {
    const auto incoming = std::ranges::count(messages_[step], rank, &Message::target);
    if (incoming == 0) return nullptr;
    const auto [entry, isNew] = inboxes_.try_emplace({rank, epoch, step});
    if (isNew) entry->second.missing = static_cast<int>(incoming);
    return &entry->second;
  }

  const Json& plan_;
  const Platform& platform_;
  int ranks_ = plan_.at("ranks");
  std::vector<std::vector<Message>> messages_;  // by step
  std::vector<s4u::BarrierPtr> meetings_;       // by step
  std::vector<Side> sides_;
  std::map<std::tuple<int, int, std::size_t>, Inbox> inboxes_;
  std::vector<std::vector<double>> ends_;
  Json arrivals_ = Json::array();
};

}  // namespace

int main(int argc, char** argv) try {
  s4u::Engine engine(&argc, argv);
  if (argc != 2) throw std::invalid_argument("usage: haloscope-simgrid PLAN.json");
  const Json plan = Json::parse(std::ifstream(argv[1]));
  // the plain fluid model: no factors, no windows, no acknowledgements that take bandwidth; all shares anew
  // at every change (renewing only those that must change is quicker, and off by up to 5e-6 of the time)
  for (const char* setting :
       {"network/model:CM02", "network/bandwidth-factor:1", "network/latency-factor:1", "network/weight-S:0",
        "network/TCP-gamma:0", "network/crosstraffic:0", "network/optim:Full", "surf/precision:1e-12"})
    s4u::Engine::set_config(setting);
  const Platform platform(plan);
  Run run(plan, platform);
  engine.run();
  std::cout << run.times() << '\n';
  return 0;
} catch (const std::exception& error) {
  std::cerr << "haloscope-simgrid: " << error.what() << '\n';
  return 5;
}
